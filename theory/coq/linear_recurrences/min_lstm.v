(* A unit of minLSTM (Feng et al. 2024). *)

From mathcomp Require Import all_ssreflect.
From ratproof Require Import semiring sums automaton.
From ratproof.rational_recurrences Require Import proposition_7.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Section Unit.
Variables (K : semiring) (S : Type) (h_0 : K) (f_part i_part u : S -> K).

(* f' h + i' u, where f' = f / (f + i) and i' = i / (f + i). *)
Definition min_lstm_next (h : K) (x : S) : K := f_part x * h + i_part x * u x.
Definition min_lstm_unit := run min_lstm_next h_0.

(* The automaton of Figure 1 of Rational Recurrences, with these weights. *)
Definition min_lstm_automaton := figure_1 f_part (fun x => i_part x * u x) h_0.

(* The automaton gives every word the same score as the unit, if weights commute. *)
Theorem min_lstm : commutative (@times K) -> forall w, score min_lstm_automaton w = min_lstm_unit w.
Proof. by move=> timesC w; rewrite /min_lstm_automaton proposition_7. Qed.
End Unit.
