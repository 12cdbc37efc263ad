(* Mamba-2 (Dao and Gu 2024, section 2.4), without its convolution. *)

From mathcomp Require Import all_ssreflect.
From ratproof Require Import semiring sums automaton.
From ratproof.linear_recurrences.shared Require Import affine.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Section Column.
Variables (K : semiring) (S : Type) (d : nat) (h_0 : 'I_d -> K) (D : K) (a : S -> K) (B C : S -> 'I_d -> K) (input : S -> K).

(* A channel: a h_j + B_j x, and the output C^T h + D x. *)
Definition mamba_2_next (s : 'I_d -> K) (x : S) (j : 'I_d) : K := a x * s j + B x j * input x.
Definition mamba_2_output := output_after mamba_2_next (fun x s => (\sum_(i : place d) (C x i * s i)) + D * input x) h_0.

(* The automaton of d + 2 states. *)
Definition mamba_2_automaton :=
  reading_after h_0 (fun x j => a x) (@no_term K S d) (@no_term K S d)
    (fun x j => B x j * input x) C (fun x => D * input x).

(* The automaton gives every word the same score as the layer, for every size, if weights commute. *)
Theorem mamba_2 : commutative (@times K) -> forall w, score mamba_2_automaton w = mamba_2_output w.
Proof.
move=> timesC w; apply: reading_after_is_output => // s x j.
by rewrite /affine sum_no_term plusw0.
Qed.
End Column.
