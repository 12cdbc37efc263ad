(* Longhorn (Liu et al. 2024). *)

From mathcomp Require Import all_ssreflect.
From ratproof Require Import semiring sums automaton.
From ratproof.linear_recurrences.shared Require Import affine.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Section Column.
Variables (K : semiring) (S : Type) (d : nat) (s_0 : 'I_d -> K) (minus : K) (q k : S -> 'I_d -> K) (delta input : S -> K).

(* One column of S: (1 - delta k_j^2) s_j + delta k_j x, with minus for -1. *)
Definition longhorn_next (s : 'I_d -> K) (x : S) (j : 'I_d) : K := (1 + minus * (delta x * (k x j * k x j))) * s j + delta x * (k x j * input x).
Definition longhorn_output := output_after longhorn_next (fun x s => \sum_(i : place d) (q x i * s i)) s_0.

(* The automaton of d + 2 states. *)
Definition longhorn_automaton :=
  reading_after s_0 (fun x j => 1 + minus * (delta x * (k x j * k x j))) (@no_term K S d) (@no_term K S d)
    (fun x j => delta x * (k x j * input x)) q (fun x => 0).

(* The automaton gives every word the same score as the layer, for every size, if weights commute. *)
Theorem longhorn : commutative (@times K) -> forall w, score longhorn_automaton w = longhorn_output w.
Proof.
move=> timesC w; apply: reading_after_is_output => // [s x j|x s]; last by rewrite plusw0.
by rewrite /affine sum_no_term plusw0.
Qed.
End Column.
