(* Equation 5 (Jiang et al. 2020): with its tensor in three factors the network is the same automaton. *)

From mathcomp Require Import all_ssreflect.
From ratproof Require Import semiring sums automaton.
From ratproof.fa_rnn Require Import eq_4.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Section Equation5.
Variables (K : semiring) (S : Type) (Q C : finite) (alpha_0 alpha_inf : Q -> K).

(* a = (h_{t-1} D_1) o v_t, and h_t = a D_2^T, with a column s of D_1, E_R and D_2 for each s. *)
Variables (D_1 D_2 : Q -> C -> K) (E_R : S -> C -> K).
Definition next_5 (h : Q -> K) (x : S) (j : Q) : K :=
  \sum_(s : C) ((\sum_(i : Q) h i * D_1 i s) * E_R x s) * D_2 j s.
Definition score_5 (w : seq S) : K := \sum_(i : Q) run next_5 alpha_0 w i * alpha_inf i.

(* The tensor that the factors give: T[x, i, j] is the sum over s of D_1[i, s] E_R[x, s] D_2[j, s]. *)
Definition of_factors (x : S) (i j : Q) : K := \sum_(s : C) D_1 i s * E_R x s * D_2 j s.

Lemma next_5_is_next_4 h x j : \sum_(i : Q) h i * of_factors x i j = next_5 h x j.
Proof.
rewrite /next_5 (eq_sum (fun i => times_sum _ _)) exchange_sum; apply: eq_sum => s.
by rewrite !sum_times; apply: eq_sum => i; rewrite !timesA.
Qed.

(* Equation 5 is the Forward score of that automaton: whatever K and r are, in every semiring. *)
Theorem eq_5 w : score (automaton_of alpha_0 alpha_inf of_factors) w = score_5 w.
Proof. by rewrite (score_is_inv (next := next_5) (start := alpha_0) (inv := fun h => h)) // => h x j; rewrite -next_5_is_next_4. Qed.
End Equation5.
