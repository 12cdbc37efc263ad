(* Equation 4 (Jiang et al. 2020): the recurrence is the Forward algorithm. *)

From mathcomp Require Import all_ssreflect.
From ratproof Require Import semiring sums automaton.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Section Equation4.
Variables (K : semiring) (S : Type) (Q : finite) (alpha_0 alpha_inf : Q -> K).

(* h_t = h_{t-1} T[x_t], where h_t is a row; the score is h_N alpha_inf. *)
Definition next_4 (T : S -> Q -> Q -> K) (h : Q -> K) (x : S) (j : Q) : K := \sum_(i : Q) h i * T x i j.
Definition score_4 (T : S -> Q -> Q -> K) (w : seq S) : K := \sum_(i : Q) run (next_4 T) alpha_0 w i * alpha_inf i.

(* The automaton <alpha_0, T, alpha_inf>. *)
Definition automaton_of (T : S -> Q -> Q -> K) : wfa K S Q := Wfa alpha_0 T alpha_inf.

(* Equation 4 is the Forward score of this automaton, for any number of states, in every semiring. *)
Theorem eq_4 T w : score (automaton_of T) w = score_4 T w.
Proof. by rewrite (score_is_inv (next := next_4 T) (start := alpha_0) (inv := fun h => h)). Qed.
End Equation4.

(* With h as a column, h_t = T[x_t] h_{t-1}, the transition from state 0 to state 1 leads from 1 to 0, and the score of a word is lost. *)
Definition column_next (K : semiring) (S : Type) (Q : finite) (T : S -> Q -> Q -> K) (h : Q -> K) (x : S) (i : Q) : K := \sum_(j : Q) T x i j * h j.
Theorem without_row_vectors_is_refuted (K : semiring) : 1 <> 0 :> K ->
  let A := of_lists 2 [:: 1; 0] (fun _ : unit => [:: [:: 0; 1]; [:: 0; 0]]) [:: 0; 1] : wfa K unit (place 2) in
  score A [:: tt] <> \sum_(i : place 2) run (column_next (transition A)) (initial A) [:: tt] i * final A i.
Proof. by move=> nontrivial A; evaluated; rewrite /column_next; written_out. Qed.
