(* The Viterbi score (Jiang et al. 2020, section 2.4): maxima in place of sums. *)

From mathcomp Require Import all_ssreflect all_algebra.
From ratproof Require Import semiring sums automaton instances.
From ratproof.fa_rnn Require Import eq_4.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

(* The recurrence of equation 4 with maxima in place of sums is the Forward score over max-times. *)
Theorem viterbi (R : realDomainType) (S : Type) (Q : finite) (alpha_0 alpha_inf : Q -> max_times R) (T : S -> Q -> Q -> max_times R) w :
  score (automaton_of alpha_0 alpha_inf T) w = score_4 alpha_0 alpha_inf T w.
Proof. exact: eq_4. Qed.
