(* A unit of the RG-LRU (De et al. 2024, section 2.4), as printed. *)

From mathcomp Require Import all_ssreflect.
From ratproof Require Import semiring sums automaton.
From ratproof.rational_recurrences Require Import proposition_7.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Section Unit.
Variables (K : semiring) (S : Type) (h_0 : K) (a m ix : S -> K).

(* A h + m (i x), with m for the root of 1 - a^2. *)
Definition rg_lru_next (h : K) (x : S) : K := a x * h + m x * ix x.
Definition rg_lru_unit := run rg_lru_next h_0.

(* The automaton of Figure 1 of Rational Recurrences, with these weights. *)
Definition rg_lru_automaton := figure_1 a (fun x => m x * ix x) h_0.

(* It scores every word as the unit does, where weights commute. *)
Theorem rg_lru : commutative (@times K) -> forall w, score rg_lru_automaton w = rg_lru_unit w.
Proof. by move=> timesC w; rewrite /rg_lru_automaton proposition_7. Qed.
End Unit.
