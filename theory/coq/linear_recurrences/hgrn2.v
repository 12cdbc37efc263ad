(* HGRN2 (Qin et al. 2024). *)

From mathcomp Require Import all_ssreflect.
From ratproof Require Import semiring sums automaton.
From ratproof.linear_recurrences.shared Require Import affine.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Section Column.
Variables (K : semiring) (S : Type) (d : nat) (h_0 : 'I_d -> K) (minus : K) (f o : S -> 'I_d -> K) (i : S -> K).

(* One column of h: f_j h_j + (1 - f_j) i, with minus for -1. *)
Definition hgrn2_next (s : 'I_d -> K) (x : S) (j : 'I_d) : K := f x j * s j + (1 + minus * f x j) * i x.
Definition hgrn2_output := output_after hgrn2_next (fun x s => \sum_(j : place d) (o x j * s j)) h_0.

(* The automaton of d + 2 states. *)
Definition hgrn2_automaton :=
  reading_after h_0 (fun x j => f x j) (@no_term K S d) (@no_term K S d)
    (fun x j => (1 + minus * f x j) * i x) o (fun x => 0).

(* The automaton gives every word the same score as the layer, for every size, if weights commute. *)
Theorem hgrn2 : commutative (@times K) -> forall w, score hgrn2_automaton w = hgrn2_output w.
Proof.
move=> timesC w; apply: reading_after_is_output => // [s x j|x s]; last by rewrite plusw0.
by rewrite /affine sum_no_term plusw0.
Qed.
End Column.
