"""Which claim stands on which, drawn: an arrow from what is used to what uses it, a box a paper."""

from __future__ import annotations

import pygraphviz

from theory.papers import PAPERS
from theory.registry import claims


def pages() -> dict[str, str]:
    """The drawing, by path, to stand in a page of the folder, where its links lead on."""
    graph = pygraphviz.AGraph(directed=True, rankdir="LR", bgcolor="transparent", nodesep="0.15")
    graph.node_attr.update(shape="box", style="rounded,filled", fillcolor="white", fontname="sans-serif")
    graph.node_attr.update(fontsize="11", height="0.3", target="_self")
    for claim in claims().values():
        graph.add_node(claim.name, label=claim.name, URL=f"{claim.name}.html", tooltip=claim.title)
        for name in claim.uses:
            graph.add_edge(name, claim.name)
    for paper in PAPERS.values():
        mine = [claim.name for claim in claims().values() if claim.source.paper == paper.key]
        graph.add_subgraph(
            mine, name=f"cluster-{paper.key}", label=paper.title, fontname="sans-serif", fontsize="12"
        )
    text: str = graph.draw(format="svg", prog="dot").decode()
    svg = text[text.index("<svg") :]
    return {"claims/graph.txt": f'<div class="claim-graph">{svg}</div>\n'}
