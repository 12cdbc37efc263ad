(* Hankel blocks: over a field, the rank of every block is at most the number of states. *)

From mathcomp Require Import all_ssreflect ssralg ssrnum ssrint matrix mxalgebra.
From ratproof Require Import semiring sums automaton paths instances.
Import GRing.Theory Num.Theory.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Local Open Scope ring_scope.

Section Hankel.
Variables (F : fieldType) (S : eqType) (Q : finite) (A : wfa (of_ring F) S Q) (n m : nat) (prefix : 'I_n -> seq S) (suffix : 'I_m -> seq S).

Definition hankel : 'M[F]_(n, m) := \matrix_(i, j) score A (prefix i ++ suffix j).

Lemma score_cat u v : score A (u ++ v) = sum (K := of_ring F) (fun q => forward A u q * from A (fun _ _ => zero) 0 v q).
Proof.
pose A' := Wfa (forward A u) (transition A) (final A).
have -> : score A (u ++ v) = score A' v.
  by apply: eq_sum => q; congr (_ * _); rewrite /forward /run foldl_cat.
by rewrite -score_without_epsilon score_from.
Qed.

(* The Forward vectors after the prefixes, and the scores of the suffixes from each state. *)
Definition state_at (k : 'I_(card Q)) : Q := tnth (in_tuple (elements Q)) k.
Definition after_prefixes : 'M[F]_(n, card Q) := \matrix_(i, k) forward A (prefix i) (state_at k).
Definition from_states : 'M[F]_(card Q, m) := \matrix_(k, j) from A (fun _ _ => zero) 0 (suffix j) (state_at k).

Lemma hankel_is_product : hankel = after_prefixes *m from_states.
Proof. by apply/matrixP => i j; rewrite !mxE score_cat sumE big_tnth; apply: eq_bigr => k _; rewrite !mxE. Qed.

(* The rank of a Hankel block is at most the number of states. *)
Theorem hankel_rank : (\rank hankel <= card Q)%N.
Proof. by rewrite hankel_is_product; exact: leq_trans (mxrankM_maxl _ _) (rank_leq_col _). Qed.
End Hankel.

(* If two blocks with the same n prefixes differ only on the diagonal, by c, no automaton has fewer than n states. *)
Theorem differences_exclude (F : fieldType) (S : eqType) (Q : finite) (A : wfa (of_ring F) S Q) n (prefix suffix suffix' : 'I_n -> seq S) (c : F) :
  c != 0 -> (forall i j, score A (prefix i ++ suffix j) - score A (prefix i ++ suffix' j) = if i == j then c else 0) -> (n <= card Q)%N.
Proof.
move=> c_ne0 differ; have full_rank : \rank (c%:M : 'M_n) = n by rewrite mxrank_unit // unitmxE det_scalar unitfE expf_neq0.
rewrite -[X in (X <= _)%N]full_rank; have <- : after_prefixes A prefix *m (from_states A suffix - from_states A suffix') = c%:M.
  by rewrite mulmxBr -!hankel_is_product; apply/matrixP => i j; rewrite !mxE differ; case: eqP.
exact: leq_trans (mxrankM_maxl _ _) (rank_leq_col _).
Qed.

(* If d times a square Hankel block is an integer matrix H with H B = c I and c != 0, no automaton has fewer states than the block has rows. *)
Theorem hankel_excludes (F : numFieldType) (S : eqType) (Q : finite) (A : wfa (of_ring F) S Q) n (prefix suffix : 'I_n -> seq S)
    (H B : 'M[int]_n) (c d : int) :
  c != 0 -> H *m B = c%:M -> (forall i j, d%:~R * score A (prefix i ++ suffix j) = (H i j)%:~R :> F) -> (n <= card Q)%N.
Proof.
move=> c_ne0 inverse block; apply: leq_trans (hankel_rank A prefix suffix).
have scaled : d%:~R *: hankel A prefix suffix = map_mx (intr : int -> F) H by apply/matrixP => i j; rewrite !mxE block.
have full : hankel A prefix suffix *m (d%:~R *: map_mx (intr : int -> F) B) = (c%:~R)%:M.
  by rewrite -scalemxAr scalemxAl scaled -map_mxM inverse map_scalar_mx.
have full_rank : \rank ((c%:~R : F)%:M : 'M_n) = n by rewrite mxrank_unit // unitmxE det_scalar unitfE expf_neq0 ?intr_eq0.
by rewrite -[X in (X <= _)%N]full_rank -full mxrankM_maxl.
Qed.
