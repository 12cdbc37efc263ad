(* A unit of minGRU (Feng et al. 2024). *)

From mathcomp Require Import all_ssreflect.
From ratproof Require Import semiring sums automaton.
From ratproof.rational_recurrences Require Import proposition_7.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Section Unit.
Variables (K : semiring) (S : Type) (minus h_0 : K) (z u : S -> K).

(* (1 - z) h + z u, with minus for -1. *)
Definition min_gru_next (h : K) (x : S) : K := (1 + minus * z x) * h + z x * u x.
Definition min_gru_unit := run min_gru_next h_0.

(* The automaton of Figure 1 of Rational Recurrences, with these weights. *)
Definition min_gru_automaton := figure_1 (fun x => 1 + minus * z x) (fun x => z x * u x) h_0.

(* The automaton gives every word the same score as the unit, if weights commute. *)
Theorem min_gru : commutative (@times K) -> forall w, score min_gru_automaton w = min_gru_unit w.
Proof. by move=> timesC w; rewrite /min_gru_automaton proposition_7. Qed.
End Unit.

Section LogSpace.
Variables (K : semiring) (S : Type) (minus : K) (g : K -> K) (first : K) (z u : S -> K).

(* The listing in log space: it starts at g(h_0), and uses g(u) in place of the candidate u. *)
Definition min_gru_log_next (h : K) (x : S) : K := (1 + minus * z x) * h + z x * g (u x).
Definition min_gru_log_unit := run min_gru_log_next (g first).

Definition min_gru_log_automaton := min_gru_automaton minus (g first) z (fun x => g (u x)).

Theorem min_gru_in_log_space :
  commutative (@times K) -> forall w, score min_gru_log_automaton w = min_gru_log_unit w.
Proof. by move=> timesC w; rewrite /min_gru_log_automaton min_gru. Qed.
End LogSpace.
