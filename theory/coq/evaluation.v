(* Scores for Coq to compute: Forward with lists for vectors, so that each number is computed once. *)

From mathcomp Require Import all_ssreflect.
From ratproof Require Import semiring sums automaton.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Section Evaluation.
Variables (K : semiring) (S : Type) (Q : finite) (A : wfa K S Q).

Definition tabulated (F : Q -> K) : seq K := map F (elements Q).
Definition looked_up (v : seq K) (q : Q) : K := nth 0 v (index q (elements Q)).
Definition computed_next (v : seq K) (x : S) : seq K := tabulated (forward_step A (looked_up v) x).
Definition computed_score (w : seq S) : K :=
  \sum_(q : Q) looked_up (run computed_next (tabulated (initial A)) w) q * final A q.

Lemma looked_up_tabulated F q : looked_up (tabulated F) q = F q.
Proof. by rewrite /looked_up /tabulated (nth_map q) ?nth_index ?index_mem ?in_elements. Qed.

(* It is the score. *)
Theorem computed_score_is_score w : computed_score w = score A w.
Proof.
apply: eq_sum => q; congr (_ * _); elim/last_ind: w q => [|w x IH] q; first by rewrite looked_up_tabulated.
rewrite run_rcons /computed_next looked_up_tabulated forward_rcons.
by apply: eq_sum => p; rewrite IH.
Qed.
End Evaluation.

(* The entry of a list at the letter x, of a vector at a place, and of a matrix at two. *)
Definition by_letter (T : Type) (default : T) (values : seq T) (x : nat) : T := nth default values x.
Definition by_place (K : semiring) n (values : seq K) (i : 'I_n) : K := entry values i.
Definition by_places (K : semiring) n m (values : seq (seq K)) (i : 'I_n) (j : 'I_m) : K := entries values i j.
