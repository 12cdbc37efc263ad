"""Functions that return the memory of a process and the free memory."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path


def status_of(process: int | str = "self") -> dict[str, int]:
    """Return the sizes in ``/proc/PROCESS/status`` in bytes; the dict is empty if the process has ended."""
    with suppress(OSError):
        lines = Path(f"/proc/{process}/status").read_text().splitlines()
        sizes = [line.split() for line in lines if line.endswith(" kB")]
        return {name.rstrip(":"): int(size) << 10 for name, size, _ in sizes}
    return {}


def memory_held(process: int | str = "self") -> int:
    """Return the memory of a process in bytes, including shared and swapped memory."""
    sizes = status_of(process)
    return sum(sizes.get(name, 0) for name in ("RssAnon", "RssShmem", "VmSwap"))


def free_memory() -> int:
    """Return the free memory in bytes: the minimum over the machine and this process's control groups."""
    limits = [*_machine_limits(), *_group_limits(Path("/proc/self/cgroup"), Path("/sys/fs/cgroup"))]
    return max(0, min(limits)) if limits else 1 << 40


def _machine_limits() -> Iterator[int]:
    try:
        lines = dict(line.split(":", 1) for line in Path("/proc/meminfo").read_text().splitlines())
        yield int(lines["MemAvailable"].split()[0]) << 10
    except (OSError, ValueError, KeyError):
        try:
            yield os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
        except (OSError, ValueError, AttributeError):
            return


def _group_limits(own: Path, root: Path) -> Iterator[int]:
    """Yield the free memory of this process's control groups (cgroups v1 and v2) and of their parents.

    The file cache counts as free.
    """
    try:
        groups = [line.split(":", 2) for line in own.read_text().splitlines()]
    except OSError:
        return
    for number, controllers, path in groups:
        if number == "0":
            top, names = root, ("memory.max", "memory.current", "inactive_file")
        elif "memory" in controllers.split(","):
            top = root / "memory"
            names = ("memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file")
        else:
            continue
        most, used, cache = names
        inside = top / path.strip("/")
        for folder in (inside, *inside.parents):
            try:
                limit = (folder / most).read_text().strip()
                if limit != "max":
                    stat = dict(line.split() for line in (folder / "memory.stat").read_text().splitlines())
                    yield int(limit) - int((folder / used).read_text()) + int(stat.get(cache, 0))
            except (OSError, ValueError):
                pass
            if folder == top:
                break
