(* Equation 6 (Jiang et al. 2020): if a word's row is beta times the rules' row plus 1 - beta times the row u G of its pretrained vector u, the
   network is an automaton. *)

From mathcomp Require Import all_ssreflect.
From ratproof Require Import semiring sums automaton instances.
From ratproof.fa_rnn Require Import eq_4 eq_5 beta_0 beta_1.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Section Equation6.
Variables (K : semiring) (S : eqType) (D Q C : finite) (alpha_0 alpha_inf : Q -> K).
Variables (D_1 D_2 : Q -> C -> K) (E_R : S -> C -> K) (E_w : S -> D -> K) (G : D -> C -> K) (beta rest : K).

(* At every beta, where rest is 1 - beta, the network gives every word the same score as the automaton of its factors, whose rows of words are beta
   E_R + (1 - beta) E_w G (equation 9). This holds for any K, r, D and G, in every semiring. *)
Theorem eq_6 w :
  score (automaton_of alpha_0 alpha_inf (of_factors D_1 D_2 (weighed_rows beta rest E_R (product E_w G)))) w =
  score_5 alpha_0 alpha_inf D_1 D_2 (weighed_rows beta rest E_R (product E_w G)) w.
Proof.
exact: eq_5.
Qed.
End Equation6.
