(* The Viterbi score (Jiang et al. 2020, section 2.4): maxima in place of sums. *)

From mathcomp Require Import all_ssreflect all_algebra.
From ratproof Require Import semiring sums automaton instances.
From ratproof.fa_rnn Require Import eq_4 beta_1.
From ratproof.fa_rnn.shared Require Import accepting_paths matches.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

(* The recurrence of equation 4 with maxima in place of sums is the Forward score over max-times. *)
Theorem viterbi (R : realDomainType) (S : Type) (Q : finite) (alpha_0 alpha_inf : Q -> max_times R) (T : S -> Q -> Q -> max_times R) w :
  score (automaton_of alpha_0 alpha_inf T) w = score_4 alpha_0 alpha_inf T w.
Proof. exact: eq_4. Qed.

(* With weights 0 and 1 it is 1 exactly on matches. *)
Theorem viterbi_match (R : realDomainType) (S : eqType) (Q : finite) (begins accepts : Q -> bool) (moves : S -> Q -> Q -> bool) w :
  score_4 (fun q => bit (max_times R) (begins q)) (fun q => bit _ (accepts q)) (fun x i j => bit _ (moves x i j)) w =
  bit _ (matched begins accepts moves w).
Proof. exact: beta_1_viterbi. Qed.

(* The numbers 0 and 1 as weights of max-plus, whose zero is minus infinity and whose one is 0. *)
Definition number (R : realDomainType) (b : bool) : max_plus R := Some (if b then 1 else 0)%R.

(* Max-plus, as printed, with the same weights: the empty word is 1 where the state that it begins in is not final. *)
Theorem printed_is_refuted (R : realDomainType) :
  ~ (forall (S : eqType) (Q : finite) (start : Q) (accepts : Q -> bool) (moves : S -> Q -> Q -> bool) w,
     score_4 (fun q => number R (q == start)) (fun q => number R (accepts q)) (fun x i j => number R (moves x i j)) w =
     number R (matched (fun q => q == start) accepts moves w)).
Proof.
move=> all; have := all unit_eqType (place 1) ord0 xpred0 (fun _ _ => xpred0) [::].
have -> : matched (Q := place 1) (fun q => q == ord0) xpred0 (fun _ : unit => fun _ => xpred0) [::] = false by vm_compute.
rewrite /score_4 /run /number /=; written_out => -[/eqP].
by rewrite GRing.addr0 GRing.oner_eq0.
Qed.
