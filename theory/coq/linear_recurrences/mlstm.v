(* The memory of an mLSTM (Beck et al. 2024); its normaliser is the same with v = 1. *)

From mathcomp Require Import all_ssreflect ssralg ssrnum.
From ratproof Require Import semiring sums automaton instances.
From ratproof.rational_recurrences.shared Require Import no_automaton.
From ratproof.linear_recurrences.shared Require Import affine.
From ratproof.linear_recurrences Require Import linear_attention.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Section Column.
Variables (K : semiring) (S : Type) (d : nat) (s_0 : 'I_d -> K) (f i v : S -> K) (q k : S -> 'I_d -> K).

(* One row of C: f s_j + i (k_j v). *)
Definition mlstm_next (s : 'I_d -> K) (x : S) (j : 'I_d) : K := f x * s j + i x * (k x j * v x).
Definition mlstm_output := output_after mlstm_next (fun x s => \sum_(j : place d) (q x j * s j)) s_0.

(* The automaton of d + 2 states. *)
Definition mlstm_automaton :=
  reading_after s_0 (fun x j => f x) (@no_term K S d) (@no_term K S d)
    (fun x j => i x * (k x j * v x)) q (fun x => 0).

(* The automaton gives every word the same score as the layer, for every size, if weights commute. *)
Theorem mlstm : commutative (@times K) -> forall w, score mlstm_automaton w = mlstm_output w.
Proof.
move=> timesC w; apply: reading_after_is_output => // [s x j|x s]; last by rewrite plusw0.
by rewrite /affine sum_no_term plusw0.
Qed.
End Column.

(* As programmed: M = exp(m) starts at 1, the row is divided by M, and the value that the query reads is multiplied by M again. *)
Section Stabilised.
Variables (K : semiring) (S : Type) (d : nat) (larger divide : K -> K -> K) (s_0 : 'I_d -> K) (f i v : S -> K) (q k : S -> 'I_d -> K).

Definition stabilised_next (state : K * ('I_d -> K)) (x : S) : K * ('I_d -> K) :=
  let kept := f x * state.1 in let M := larger kept (i x) in
  (M, fun j => divide kept M * state.2 j + divide (i x) M * (k x j * v x)).
Definition stabilised_mlstm := output_after stabilised_next (fun x state => state.1 * \sum_(j : place d) (q x j * state.2 j)) (1, s_0).
End Stabilised.

(* The hidden state, without its output gate: C q divided by max(|n^T q|, 1). *)
Definition mlstm_hidden (K : semiring) (S : Type) d (divide : K -> K -> K) (bounded : K -> K) (s_0 : 'I_d -> K) (f i v : S -> K)
    (q k : S -> 'I_d -> K) (w : seq S) : K :=
  divide (mlstm_output s_0 f i v q k w) (bounded (mlstm_output (fun=> 0) f i (fun=> 1) q k w)).

Section Quotients.
Import GRing.Theory Num.Theory.
Variable F : realFieldType.
Notation K := (of_ring F).
Definition larger (a b : K) : K := Num.max (a : F) (b : F).
Definition at_least_1 (a : K) : K := larger `|a : F|%R 1.

(* The same automaton gives every word the same score as the stabilised layer, for every size, if input gates are positive. *)
Theorem mlstm_as_programmed (S : Type) d (s_0 : 'I_d -> K) (f i v : S -> K) (q k : S -> 'I_d -> K) : (forall x, (0 < (i x : F))%R) -> forall w,
  score (mlstm_automaton s_0 f i v q k) w = stabilised_mlstm larger (@quotient F) s_0 f i v q k w.
Proof.
move=> positive w; have timesC := @of_ring_commutes F.
have scaled (M a b c e : F) : M != 0%R -> (M * (a / M * b + c / M * e) = a * b + c * e)%R.
  by move=> M_ne0; rewrite mulrDr; congr (_ + _)%R; rewrite !mulrA; congr (_ * _)%R; rewrite mulrAC mulfV ?mul1r.
apply: (remembering_after_is_output (memory := fun=> ord0) (number := fun state j => state.1 * state.2 j)) => // [j|[M s] x j|[M s] x].
- exact: times1w.
- rewrite moved // sum_no_term plusw0 timesA; apply: scaled; apply: lt0r_neq0.
  by rewrite Order.TotalTheory.lt_maxr positive orbT.
by rewrite plusw0 times_sum; apply: eq_sum => j; rewrite !timesA (timesC (q x j)).
Qed.

(* If the gates are 1, an mLSTM is linear attention. *)
Lemma with_gates_1 (S : Type) d (s_0 : 'I_d -> K) (v : S -> K) (q k : S -> 'I_d -> K) w :
  mlstm_output s_0 (fun=> one) (fun=> one) v q k w = linear_attention_output s_0 q k v w.
Proof.
rewrite -(mlstm _ _ _ _ _ _ (@of_ring_commutes F)); apply: reading_after_is_output => [|s x j|x s].
- exact: of_ring_commutes.
- by rewrite /affine sum_no_term plusw0 !times1w.
by rewrite plusw0.
Qed.

(* No automaton of any size computes the hidden state: with gates, keys and queries of 1, the hidden state is the mean of 1 and zeros. *)
Theorem without_unnormalised_output_is_refuted :
  ~ (forall (S : eqType) d (f i v : S -> K) (q k : S -> 'I_d -> K), (forall x, (0 < (f x : F))%R /\ (0 < (i x : F))%R) ->
     exists (Q : finite) (A : wfa K S Q), forall w,
       score A w = mlstm_hidden (@quotient F) at_least_1 (fun=> zero) f i v q k w).
Proof.
move=> /(_ bool_eqType 1%N (fun=> one) (fun=> one) (fun x => if x then one else zero) (fun _ _ => one) (fun _ _ => one)) [|Q [A same]].
  by split; apply: ltr01.
apply: (@reciprocals_are_no_automaton F bool_eqType Q A [:: true; false] false 1%R) => m.
rewrite mul1r same /mlstm_hidden !with_gates_1 /quotient /at_least_1 /larger !sum_of_values /= mul0rn addr0 -mulrS normr_nat.
by rewrite Order.POrderTheory.max_l ?mul1r // ler1n.
Qed.
End Quotients.
