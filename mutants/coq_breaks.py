"""Mutations of the definitions of single claims in ``theory/coq``, which Coq must reject.

``nox -s mutants -- claims`` compiles each mutated file.
"""

BROKEN = {
    "rational_recurrences/proposition_7.v": {
        "the initial weight of q_1 is 0": ("[:: 1; l] (fun x", "[:: 1; 0] (fun x"),
        "mu and phi are exchanged": ("[:: [:: 1; u x]; [:: 0; f x]]", "[:: [:: 1; f x]; [:: 0; u x]]"),
    },
    "rational_recurrences/model_c.v": {
        "the update of c2 reads the new c1": (
            "c.2 * f2 x + c.1 * u2 x)",
            "c.2 * f2 x + (c.1 * f1 x + u1 x) * u2 x)",
        )
    },
    "rational_recurrences/model_f.v": {
        "the epsilon transition is lost": ("[:: [:: 0; 0; 0; r]] p q", "[:: [:: 0; 0; 0; 0]] p q")
    },
    "rational_recurrences/proposition_11_qrnn.v": {
        "the number of histories is one too small": ("2 + \\sum_(1 <= i < k.+1)", "2 + \\sum_(1 <= i < k)"),
        "windows of one symbol are included": (
            "k : (0 < k)%N ->\n  ~ (forall (S : finType)",
            "k :\n  ~ (forall (S : finType)",
        ),
    },
    "rational_recurrences/proposition_12.v": {
        "an index is shifted: q_j goes to q_j+2": ("p.+1 == q :> nat", "p.+2 == q :> nat")
    },
    "rational_recurrences/proposition_13.v": {
        "W is not transposed": ("| inl j, inl k => W x k j", "| inl j, inl k => W x j k"),
        "the row of the constant has b of the wrong index": (
            "| None, Some k => b x k\n",
            "| None, Some k => b x i\n",
        ),
    },
    "fa_rnn/eq_5.v": {
        "D_1 and D_2 are exchanged": (
            "\\sum_(s : C) D_1 i s * E_R x s * D_2 j s.",
            "\\sum_(s : C) D_2 i s * E_R x s * D_1 j s.",
        ),
        "E_R is transposed in the factors with a column for each pair": (
            "(fun x c => T x c.1 c.2) (fun j c",
            "(fun x c => T x c.2 c.1) (fun j c",
        ),
    },
    "fa_rnn/eq_9.v": {
        "the row and the column index of the unfolding are exchanged": (
            "unfolding (Ordinal (row_number i j)) x",
            "unfolding (Ordinal (row_number j i)) x",
        ),
        "only weights below the threshold are kept": (
            "bit K (at_most gamma (T x i j))",
            "bit K (at_most (T x i j) gamma)",
        ),
    },
    "state_regularized/theorem_3_1.v": {
        "transitions lead to the separate start state": (
            "if p is Some i then centroid i else h_0) x i' else 0)",
            "if p is Some i then centroid i else h_0) x i' else 1)",
        ),
        "the second layer reads the previous state of the first one": (
            "alpha' (centroid' q.2) (centroid r.1) r.2)",
            "alpha' (centroid' q.2) (centroid q.1) r.2)",
        ),
        "the cell state is not kept": ("nth 0 c (i : 'I_d) + inner (map (V i)", "inner (map (V i)"),
    },
    "fa_rnn/beta_1.v": {
        "the wildcard's matrix is not added": ("T x p q + any p q.", "T x p q."),
        "the additional state of the complement does not accept": (
            "if q is Some q' then ~~ accepts q' else true.",
            "if q is Some q' then ~~ accepts q' else false.",
        ),
    },
    "fa_rnn/beta_0.v": {
        "the pseudo-inverse is on the wrong side": (
            "equal_tables (product (product A P) A) A.",
            "equal_tables (product (product P A) P) P.",
        )
    },
    "fa_rnn/soft_logic.v": {
        "counts are not clamped": (": R := Num.min 1 (values r).", ": R := values r."),
        "a conjunction subtracts one too much": ("((size values)%:R - 1)).", "(size values)%:R)."),
        "nested disjunctions are sums": (
            "foldl (fun b c => disjunction [:: b; c]) a rest",
            "foldl +%R a rest",
        ),
    },
    "fa_rnn/disable.v": {
        "the search for states that lead to an end has the wrong direction": (
            "~~ of_rule q || reaching (fun p r => joined r p)",
            "~~ of_rule q || reaching joined",
        )
    },
    "fa_rnn/bidirectional.v": {
        "the rule is not read from its end": ("bool := moves x q p.", "bool := moves x p q."),
        "the start state is left on any word": (
            "| None, None, Some q' => initial A q'",
            "| _, None, Some q' => initial A q'",
        ),
    },
    "fa_rnn/viterbi.v": {
        "factors are added instead of taking the maximum": ("Num.max (F q) most", "(F q + most)")
    },
    "state_regularized/extraction.v": {
        "the last step of the data is left out": ("shorter S longest.+1]", "shorter S longest]"),
        "the network is reset between words": (
            "without_reset (run moved h w) words'",
            "without_reset h words'",
        ),
        "the counts are searched in reverse order": (
            "index (foldr maxn 0%N numbers) numbers)",
            "index (foldr maxn 0%N numbers) (rev numbers))",
        ),
    },
    "state_regularized/no_drift.v": {
        "each pair of centroids counts twice": (
            "total (fun j : place n.+1 => if (i < j)%N then",
            "total (fun j : place n.+1 => if i != j then",
        ),
        "an additional term is added to the mixture": (
            "alpha i * centroid i m).",
            "alpha i * centroid i m + centroid i m).",
        ),
    },
    "state_regularized/theorem_3_2.v": {
        "the DFA's transitions have the weights of the reversed transitions": (
            "then alpha p x q else 0)%W",
            "then alpha q x p else 0)%W",
        )
    },
    "rational_recurrences/sopa.v": {
        "a soft pattern cannot take two epsilon transitions in a row": (
            "h j + left_out h j' * e j else 1",
            "h j + from_one h j' * e j else 1",
        ),
        "the last state of a match has no self-loop": (
            "(if (q == 0%N :> nat) || (q == n.+1 :> nat) then 1 else s x q)",
            "(if q == 0%N :> nat then 1 else s x q)",
        ),
    },
    "rational_recurrences/cnn_max_pooled.v": {
        "each position of a window is scored as its first position": (
            "scored.2 * f x scored.1.+1)",
            "scored.2 * f x 1)",
        )
    },
    "rational_recurrences/closed_sums.v": {
        "a closed sum counts its last term twice": (
            "foldl (fun term y => term * f y) (u x) w' + closed_sum w'",
            "foldl (fun term y => term * f y) (u x) w' + (if w' is [::] then u x else closed_sum w')",
        )
    },
    "rational_recurrences/back_tracing.v": {
        "back-tracing ignores the final weights": (
            "omap (fun q => back (rev w) q [::]) (best (fun q => forward A w q * final A q))",
            "omap (fun q => back (rev w) q [::]) (best (forward A w))",
        )
    },
}
BREAKS = {name: (file, *change) for file, changes in BROKEN.items() for name, change in changes.items()}
"""The file, the correct text and the wrong text of each mutation."""
