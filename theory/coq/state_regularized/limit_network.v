(* The limit of SR Theorem 3.2 (Wang & Niepert 2019, section 3): where the cell is sure of one centroid, both equation 4, which samples,
   and equation 5, which mixes, are the DFA. *)

From mathcomp Require Import all_ssreflect.
From ratproof Require Import semiring sums automaton.
From ratproof.state_regularized Require Import theorem_3_1.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Section Limit.
Variables (K : semiring) (S : eqType) (D : Type) (k : nat).
(* A hidden state has a number for each of the dimensions D; states with the same numbers are the same to the cell. *)
Variables (centroid : 'I_k -> D -> K) (alpha : (D -> K) -> S -> 'I_k -> K) (delta : 'I_k -> S -> 'I_k).
Hypothesis pointwise : forall h h' x j, h =1 h' -> alpha h x j = alpha h' x j.
(* There is no tie: at each centroid the cell is sure of the one that the DFA delta goes to. *)
Hypothesis sure : forall i x j, alpha (centroid i) x j = if j == delta i x then 1 else 0.

(* Equation 4: the probability to be at j is 1 for the DFA's state, and 0 for every other. *)
Theorem equation_4_is_dfa i w j : sampled alpha centroid (centroid i) (Some i) w j = if run delta i w == j then 1 else 0.
Proof.
elim: w i => [|x w IH] i; first by rewrite sampled_nil (inj_eq (@Some_inj _)).
rewrite sampled_cons (sum_at (p := delta i x : place k)) => [|j' /negbTE ne]; last by rewrite sure ne times0w.
by rewrite sure eqxx times1w IH.
Qed.

(* Equation 5: h_t = sum_j alpha_j s_j is the centroid of the DFA's state. *)
Definition mixture_next (h : D -> K) (x : S) : D -> K := fun m => \sum_(j : place k) alpha h x j * centroid j m.
Theorem equation_5_is_dfa i w : run mixture_next (centroid i) w =1 centroid (run delta i w).
Proof.
elim/last_ind: w => // w x IH m; rewrite !run_rcons /mixture_next.
rewrite (sum_at (p := delta (run delta i w) x : place k)) => [|j /negbTE ne]; last by rewrite (pointwise _ _ IH) sure ne times0w.
by rewrite (pointwise _ _ IH) sure eqxx times1w.
Qed.
End Limit.
