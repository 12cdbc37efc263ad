(* RWKV-7 (Peng et al. 2025, section 4.1). *)

From mathcomp Require Import all_ssreflect.
From ratproof Require Import semiring sums automaton.
From ratproof.linear_recurrences.shared Require Import affine.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Section Column.
Variables (K : semiring) (S : Type) (d : nat) (s_0 : 'I_d -> K) (minus : K) (w kappa a k q : S -> 'I_d -> K) (v : S -> K).

(* One row of wkv: w_j s_j - (a_j kappa_j) (kappa^T s) + k_j v, with minus for -1. *)
Definition rwkv_7_next (s : 'I_d -> K) (x : S) (j : 'I_d) : K := w x j * s j + minus * (a x j * kappa x j) * (\sum_(i : place d) (kappa x i * s i)) + k x j * v x.
Definition rwkv_7_output := output_after rwkv_7_next (fun x s => \sum_(i : place d) (q x i * s i)) s_0.

(* The automaton of d + 2 states. *)
Definition rwkv_7_automaton :=
  reading_after s_0 (fun x j => w x j) (one_term (fun x j => minus * (a x j * kappa x j))) (one_term (fun x i => kappa x i))
    (fun x j => k x j * v x) q (fun x => 0).

(* The automaton gives every word the same score as the layer, for every size, if weights commute. *)
Theorem rwkv_7 : commutative (@times K) -> forall word, score rwkv_7_automaton word = rwkv_7_output word.
Proof.
move=> timesC word; apply: reading_after_is_output => // [s x j|x s]; last by rewrite plusw0.
by rewrite /affine sum_one_term.
Qed.
End Column.
