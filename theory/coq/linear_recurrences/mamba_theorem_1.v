(* A channel of Mamba with one number in its state (Gu and Dao 2023, Theorem 1), as programs have it: with Delta B
   for the discretised B. *)

From mathcomp Require Import all_ssreflect.
From ratproof Require Import semiring sums automaton.
From ratproof.rational_recurrences Require Import proposition_7.

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

(* It scores every word as the channel does, where weights commute. *)
Theorem mamba_theorem_1_as_programmed :
  commutative (@times K) -> forall w, score mamba_one_automaton w = mamba_one_unit w.
Proof. by move=> timesC w; rewrite /mamba_one_automaton proposition_7. Qed.
End Unit.
