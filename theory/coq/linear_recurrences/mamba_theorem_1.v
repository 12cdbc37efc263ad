(* A channel of Mamba with one number in its state (Gu and Dao 2023, Theorem 1): with zero-order hold, and as in programs, which use Delta B instead
   of the discretised B. *)

From mathcomp Require Import all_ssreflect ssralg.
From ratproof Require Import semiring sums automaton instances.
From ratproof.rational_recurrences Require Import proposition_7.
From ratproof.linear_recurrences Require Import min_gru.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Section Unit.
Variables (K : semiring) (S : Type) (h_0 : K) (decay Delta u : S -> K).

(* exp(Delta A) h + Delta u with B = 1, where decay is exp(Delta A). *)
Definition mamba_one_next (h : K) (x : S) : K := decay x * h + Delta x * u x.
Definition mamba_one_unit := run mamba_one_next h_0.

(* The automaton of Figure 1 of Rational Recurrences, with these weights. *)
Definition mamba_one_automaton := figure_1 decay (fun x => Delta x * u x) h_0.

(* The automaton gives every word the same score as the channel, if weights commute. *)
Theorem mamba_theorem_1_as_programmed :
  commutative (@times K) -> forall w, score mamba_one_automaton w = mamba_one_unit w.
Proof. by move=> timesC w; rewrite /mamba_one_automaton proposition_7. Qed.
End Unit.

(* Zero-order hold of B = 1: (Delta A)^-1 (exp(Delta A) - 1) Delta, where decay is exp(Delta A), with minus for -1. *)
Definition held (K : semiring) (divide : K -> K -> K) (minus A decay Delta : K) : K := divide (decay + minus) (Delta * A) * Delta.

Import GRing.Theory.
Definition minus_one (F : fieldType) : of_ring F := (- 1)%R.
Definition quotient (F : fieldType) (a b : of_ring F) : of_ring F := ((a : F) / (b : F))%R.

(* With A = -1 and decay = 1 - g, a channel is the gated unit with the gate g, and its automaton with two states is that of the unit. *)
Theorem mamba_theorem_1 (F : fieldType) (S : Type) (h_0 : of_ring F) (g Delta u : S -> of_ring F) : (forall x, Delta x != 0%R) -> forall w,
  score (min_gru_automaton (minus_one F) h_0 g u) w =
  mamba_one_unit h_0 (fun x => 1 + minus_one F * g x) (fun x => held (@quotient F) (minus_one F) (minus_one F) (1 + minus_one F * g x) (Delta x)) u w.
Proof.
move=> steps w; rewrite min_gru; last exact: of_ring_commutes.
have gate (z D : F) : D != 0%R -> z = ((1 + -1 * z + -1) / (D * -1) * D)%R.
  by move=> D_ne0; rewrite addrAC addrN add0r mulN1r mulrN1 invrN mulrNN -mulrA mulVf ?mulr1.
elim/last_ind: w => // w x IH; rewrite /min_gru_unit /mamba_one_unit !run_rcons -/(min_gru_unit _ _ _ _ _) IH.
by congr (_ + _); congr (_ * _); apply: gate.
Qed.
