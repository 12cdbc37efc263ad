(* Hankel blocks: over a field the rank of any is at most the number of states. *)

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

(* The rank of a Hankel block is at most the number of states. *)
Theorem hankel_rank : (\rank hankel <= card Q)%N.
Proof.
pose at_place (k : 'I_(size (elements Q))) := tnth (in_tuple (elements Q)) k.
have -> : hankel = (\matrix_(i, k) forward A (prefix i) (at_place k)) *m (\matrix_(k, j) from A (fun _ _ => zero) 0 (suffix j) (at_place k)).
  apply/matrixP => i j; rewrite !mxE score_cat sumE big_tnth; apply: eq_bigr => k _; by rewrite !mxE.
exact: leq_trans (mxrankM_maxl _ _) (rank_leq_col _).
Qed.
End Hankel.

(* A square block of integers, up to a factor d, that some integers B invert up to a number c: no automaton has fewer states. *)
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
