"""Tasks that compare nothing, for tests of their processes, which start without torch."""

import os

from ratproof.evidence.kinds import Verdict
from ratproof.evidence.results import Observation
from ratproof.ladder.tasks import EvidenceTask, TaskResult

DEADLY = EvidenceTask("corollary-10-sru", "proved")
"""The task that kills its process in :func:`die_on_one`."""


def start(parent, request):
    """Start a worker as a replacement for ``_start_worker``, which imports torch."""


def show(task, request):
    seen = Observation(task.claim, "corrected", task.kind, "holds", Verdict.HOLDS, "a test", 1, 0.0)
    return TaskResult([seen])


def show_as_text(task, request):
    return show(task, request).to_text()


def die_on_one(task, request):
    if task == DEADLY:
        os._exit(1)
    return show_as_text(task, request)
