(* A unit whose forget gate also reads the state before it: no automaton with fewer than three states computes it. *)

From mathcomp Require Import all_ssreflect ssralg ssrnum ssrint matrix.
From ratproof Require Import semiring sums automaton instances hankel.
Import GRing.Theory Num.Theory.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Local Open Scope ring_scope.

(* c_t = (f_t + w c_{t-1}) c_{t-1} + u_t, from 0. *)
Definition feedback_next (K : semiring) (S : Type) (w : K) (f u : S -> K) (c : K) (x : S) : K := ((f x + w * c) * c + u x)%W.
Definition feedback (K : semiring) (S : Type) (w : K) (f u : S -> K) : seq S -> K := run (feedback_next w f u) 0%W.

(* With f = 0 and u = w = 1, it is 0, 1, 2, 5, 26 on words of 0 to 4 symbols; their Hankel block of three rows has the determinant -14. *)
Lemma feedback_is_no_small_automaton (F : numFieldType) :
  ~ (forall (S : eqType) (w : F) (f u : S -> F), w != 0 ->
     exists (Q : finite) (A : wfa (of_ring F) S Q), (card Q < 3)%N /\ forall v, score A v = feedback (w : of_ring F) f u v).
Proof.
move=> all; have [Q [A [few same]]] := all unit_eqType 1 (fun _ => 0) (fun _ => 1) (oner_neq0 _).
pose word (i : 'I_3) := nseq i tt.
pose value k := nth 0 [:: 0; 1; 2%:Z; 5%:Z; 26%:Z] k.
pose adjugate i j := nth 0 (nth [::] [:: [:: 27%:Z; - 16%:Z; 1]; [:: - 16%:Z; - 4%:Z; 2%:Z]; [:: 1; 2%:Z; - 1]] i) j.
suff: (3 <= card Q)%N by rewrite leqNgt few.
apply: (@hankel_excludes F unit_eqType Q A 3 word word (\matrix_(i, j) value (i + j)%N) (\matrix_(i, j) adjugate i j) (- 14%:Z) 1) => // [|i j].
  apply/matrixP => i j; rewrite !mxE !big_ord_recl big_ord0 !mxE.
  by move: i j => [[|[|[|i]]] lt_i] [[|[|[|j]]] lt_j] //; vm_compute.
rewrite same mul1r mxE /feedback; move: i j => [[|[|[|i]]] lt_i] [[|[|[|j]]] lt_j] //.
all: by rewrite /run /= /feedback_next /value /= ?(mulr0, mul0r, mulr1, mul1r, add0r, addr0) // -[1]/(1%:R) -!(natrD, natrM).
Qed.
