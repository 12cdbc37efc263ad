"""The papers whose claims are verified."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Paper:
    """A paper with verified claims.

    Attributes:
        key: the key in ``docs/references.bib``.
        title: the short title.
        cited: authors and year.
        letters: an abbreviation for narrow columns.
        among: the heading of a group of papers that are listed on one line; empty if the paper has its own
            line.
    """

    key: str
    title: str
    cited: str
    letters: str
    among: str = ""

    def __str__(self) -> str:
        return f"{self.title} ({self.cited})"

    @property
    def year(self) -> int:
        """The year of publication.

        >>> PAPERS["peng2018rational"].year
        2018
        """
        return int(self.cited.split()[-1])


LINEAR = "Linear recurrences"
EXPRESSIVITY = "What RNNs can compute"

PAPERS = {
    paper.key: paper
    for paper in (
        Paper("peng2018rational", "Rational Recurrences", "Peng et al. 2018", "RR"),
        Paper("wang2019state", "State-Regularized RNNs", "Wang and Niepert 2019", "SR"),
        Paper("jiang2020cold", "FA-RNN", "Jiang et al. 2020", "FA"),
        Paper(
            "katharopoulos2020transformers", "Linear Transformers", "Katharopoulos et al. 2020", "LT", LINEAR
        ),
        Paper("schlag2021linear", "Fast Weight Programmers", "Schlag et al. 2021", "DN", LINEAR),
        Paper("gu2022parameterization", "Diagonal State Spaces", "Gu et al. 2022", "S4", LINEAR),
        Paper("orvieto2023resurrecting", "Resurrecting RNNs", "Orvieto et al. 2023", "LR", LINEAR),
        Paper("sun2023retentive", "Retentive Networks", "Sun et al. 2023", "RN", LINEAR),
        Paper("qin2023hierarchically", "Hierarchically Gated RNNs", "Qin et al. 2023", "HG", LINEAR),
        Paper("gu2023mamba", "Selective State Spaces", "Gu and Dao 2023", "MA", LINEAR),
        Paper("yang2024gated", "Gated Linear Attention", "Yang et al. 2024", "GL", LINEAR),
        Paper("de2024griffin", "Griffin", "De et al. 2024", "GR", LINEAR),
        Paper("peng2024eagle", "Eagle and Finch", "Peng et al. 2024", "EF", LINEAR),
        Paper("qin2024hgrn2", "State Expansion", "Qin et al. 2024", "H2", LINEAR),
        Paper("dao2024transformers", "State-Space Duality", "Dao and Gu 2024", "M2", LINEAR),
        Paper("yang2024parallelizing", "Parallel DeltaNet", "Yang et al. 2024", "PD", LINEAR),
        Paper("liu2024longhorn", "Amortized Online Learners", "Liu et al. 2024", "LO", LINEAR),
        Paper("beck2024xlstm", "Extended LSTM", "Beck et al. 2024", "XL", LINEAR),
        Paper("feng2024were", "Minimal RNNs", "Feng et al. 2024", "MR", LINEAR),
        Paper("behrouz2024titans", "Titans Memory", "Behrouz et al. 2024", "TI", LINEAR),
        Paper("yang2025gateddelta", "Gated Delta Networks", "Yang et al. 2025", "GD", LINEAR),
        Paper("peng2025rwkv7", "RWKV-7 Goose", "Peng et al. 2025", "R7", LINEAR),
        Paper("kimi2025linear", "Kimi Linear", "Kimi Team 2025", "KL", LINEAR),
        Paper("hu2025comba", "Closed-Loop Bilinear RNNs", "Hu et al. 2025", "CO", LINEAR),
        Paper("siems2025deltaproduct", "DeltaProduct", "Siems et al. 2025", "DP", LINEAR),
        Paper("terzic2025structured", "Sparse Transition Matrices", "Terzic et al. 2025", "PS", LINEAR),
        Paper("lahoti2026mamba3", "State-Space Principles", "Lahoti et al. 2026", "M3", LINEAR),
        Paper("huang2026mdn", "Stepwise Momentum", "Huang et al. 2026", "MD", LINEAR),
        Paper("hatamizadeh2026gateddelta2", "Gated DeltaNet-2", "Hatamizadeh et al. 2026", "G2", LINEAR),
        Paper("svete2023recurrent", "Heaviside RNNs", "Svete and Cotterell 2023", "HE", EXPRESSIVITY),
        Paper("rabusseau2019connecting", "Linear 2-RNNs", "Rabusseau et al. 2019", "2R", EXPRESSIVITY),
        Paper("merrill2024illusion", "State-Space Illusions", "Merrill et al. 2024", "IS", EXPRESSIVITY),
        Paper("hewitt2020rnns", "Bounded Hierarchical Languages", "Hewitt et al. 2020", "BD", EXPRESSIVITY),
        Paper("chung2026rethinking", "Error Control Dynamics", "Chung et al. 2026", "EC", EXPRESSIVITY),
        Paper("sarrof2024expressive", "Formal-Language Capacity", "Sarrof et al. 2024", "FL", EXPRESSIVITY),
        Paper("grazzi2025unlocking", "State-Tracking Eigenvalues", "Grazzi et al. 2025", "NE", EXPRESSIVITY),
        Paper("merrill2020formal", "Hierarchy of RNNs", "Merrill et al. 2020", "FH", EXPRESSIVITY),
        Paper("weiss2018practical", "Finite-Precision RNNs", "Weiss et al. 2018", "FP", EXPRESSIVITY),
        Paper("omlin1996constructing", "Automata in RNNs", "Omlin and Giles 1996", "OG", EXPRESSIVITY),
    )
}
"""All papers by key: the three main papers, and the papers about linear recurrences and expressivity."""
