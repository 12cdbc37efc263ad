(* The limit of SR Theorem 3.2 (Wang & Niepert 2019, section 3): as the temperature tends to 0, a softmax becomes the uniform distribution over the
   greatest similarities. Without ties, the network is the DFA with equation 4, which samples, and with equation 5, which mixes. *)

From mathcomp Require Import all_ssreflect all_algebra.
From ratproof Require Import semiring sums automaton instances.
From ratproof.state_regularized Require Import theorem_3_1.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

(* A cell that gives one centroid the probability 1 at every state that words reach. *)
Section Sure.
Variables (K : semiring) (S : eqType) (D : Type) (k : nat).
(* A hidden state has a number for each dimension in D. The cell depends only on these numbers. *)
Variables (centroid : 'I_k -> D -> K) (alpha : (D -> K) -> S -> 'I_k -> K) (delta : 'I_k -> S -> 'I_k).
Hypothesis pointwise : forall h h' x j, h =1 h' -> alpha h x j = alpha h' x j.
Variable start : 'I_k.
Definition reached (i : 'I_k) : Prop := exists w : seq S, run delta start w = i.
Hypothesis sure : forall i x j, reached i -> alpha (centroid i) x j = if j == delta i x then 1 else 0.

Lemma sure_samples w i j : reached i -> sampled alpha centroid (centroid i) (Some i) w j = if run delta i w == j then 1 else 0.
Proof.
elim: w i => [|x w IH] i reach_i; first by rewrite sampled_nil (inj_eq (@Some_inj _)).
rewrite sampled_cons (sum_at (p := delta i x : place k)) => [|j' /negbTE ne]; last by rewrite sure // ne times0w.
by rewrite sure // eqxx times1w IH //; case: reach_i => v <-; exists (rcons v x); rewrite run_rcons.
Qed.

(* Equation 5: h_t = sum_j alpha_j s_j is the centroid of the DFA's state. *)
Definition mixture_next (h : D -> K) (x : S) : D -> K := fun m => \sum_(j : place k) alpha h x j * centroid j m.
Theorem equation_5_is_dfa w : run mixture_next (centroid start) w =1 centroid (run delta start w).
Proof.
elim/last_ind: w => // w x IH m; rewrite !run_rcons /mixture_next.
have reach_w : reached (run delta start w) by exists w.
rewrite (sum_at (p := delta (run delta start w) x : place k)) => [|j /negbTE ne].
  by rewrite (pointwise _ _ IH) sure // eqxx times1w.
by rewrite (pointwise _ _ IH) sure // ne times0w.
Qed.
End Sure.

(* The limit of the softmax of k similarities: the uniform distribution over the greatest of them. *)
Section Limit.
Variables (R : realFieldType) (S : eqType) (k : nat).
Definition greatest_of (b : 'I_k -> R) : {set 'I_k} := [set j | [forall i, (b i <= b j)%R]].
Definition in_the_limit (b : 'I_k -> R) (j : 'I_k) : R := (if j \in greatest_of b then #|greatest_of b|%:R^-1 else 0)%R.

Lemma in_the_limit_unique (b : 'I_k -> R) greatest : (forall j, j != greatest -> (b j < b greatest)%R) ->
  forall j, in_the_limit b j = (if j == greatest then 1 else 0)%R.
Proof.
move=> unique; rewrite /in_the_limit; have -> : greatest_of b = [set greatest].
  apply/setP => j; rewrite !inE; apply/forallP/eqP => [all|-> i].
    by apply/eqP; apply: contraT => ne; have := all greatest; rewrite Order.TotalTheory.leNgt (unique _ ne).
  have [->|ne] := eqVneq i greatest; first exact: Order.POrderTheory.lexx.
  exact: Order.POrderTheory.ltW (unique _ ne).
by move=> j; rewrite inE cards1 GRing.invr1.
Qed.

(* b i x are the similarities from the centroid i with the symbol x. There is no tie at the states that words reach: the similarity of delta i x is
   greater than all others. *)
Variables (b : 'I_k -> S -> 'I_k -> R) (delta : 'I_k -> S -> 'I_k) (start : 'I_k).
Hypothesis no_tie : forall i x j, (exists w : seq S, run delta start w = i) -> j != delta i x -> (b i x j < b i x (delta i x))%R.

(* Equation 4 in the limit: the probability of being at j after a word is 1 for the state of the DFA, and 0 for every other state. *)
Lemma equation_4_is_dfa w j :
  sampled (K := of_ring R) (fun i x => in_the_limit (b i x)) id start (Some start) w j = (if run delta start w == j then 1 else 0)%R :> R.
Proof.
have sure i x j' : (exists w : seq S, run delta start w = i) -> in_the_limit (b i x) j' = (if j' == delta i x then 1 else 0)%R.
  by move=> reach; apply: in_the_limit_unique => j''; apply: no_tie.
suff all v i : (exists w : seq S, run delta start w = i) ->
    sampled (K := of_ring R) (fun i x => in_the_limit (b i x)) id i (Some i) v j = (if run delta i v == j then 1 else 0)%R :> R.
  by apply: all; exists [::].
elim: v i => [|x v IH] i reach; first by rewrite sampled_nil (inj_eq (@Some_inj _)).
rewrite sampled_cons (sum_at (p := delta i x : place k)) => [|j' /negbTE ne]; last by rewrite sure // ne; apply: GRing.mul0r.
rewrite sure // eqxx IH; first exact: GRing.mul1r.
by case: reach => u <-; exists (rcons u x); rewrite run_rcons.
Qed.
End Limit.
