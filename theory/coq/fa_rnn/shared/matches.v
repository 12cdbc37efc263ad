(* The rules' deterministic automaton, on sets of states (Jiang et al. 2020, section 2.3): its Forward score is 1 on matches and 0 otherwise. *)

From mathcomp Require Import all_ssreflect all_algebra.
From ratproof Require Import semiring sums automaton paths instances deterministic.
From ratproof.fa_rnn.shared Require Import accepting_paths.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Section Matches.
Variables (S : eqType) (Q : finite) (begins accepts : Q -> bool) (moves : S -> Q -> Q -> bool).

Definition matched (w : seq S) : bool := accepting_paths begins accepts moves w != [::].

(* The states that a sentence may end in. *)
Definition set_next (s : set_of Q) (x : S) : set_of Q := those (fun q => has (fun p => has_element s p && moves x p q) (elements Q)).
Definition set_after (w : seq S) : set_of Q := run set_next (those begins) w.

Lemma boolean_sum (F : Q -> booleans) : \sum_(q : Q) F q = has F (elements Q).
Proof. by rewrite /sum; elim: (elements Q) => //= q r ->. Qed.

Lemma set_after_is_forward w q : has_element (set_after w) q = forward (weighted begins accepts moves booleans) w q.
Proof.
elim/last_ind: w q => [|w x IH] q; first by rewrite has_element_those -[RHS]/(bit booleans (begins q)); case: (begins q).
rewrite /set_after run_rcons has_element_those -/(set_after w) forward_rcons boolean_sum.
by apply: eq_has => p; rewrite IH /= /bit; case: (moves x p q).
Qed.

(* One of them is final if and only if there is an accepting path. *)
Lemma set_after_matches w : has (fun q => has_element (set_after w) q && accepts q) (elements Q) = matched w.
Proof.
rewrite /matched -boolean_score_is_match /score boolean_sum; apply: eq_has => q.
by rewrite set_after_is_forward /= /bit; case: (accepts q).
Qed.

(* Deterministic, on sets of states: the subset construction, with all sets. *)
Definition on_sets (K : semiring) : wfa K S (set_of Q) :=
  deterministic K (those begins) set_next (fun s => has (fun q => has_element s q && accepts q) (elements Q)).

Lemma on_sets_is_match (K : semiring) w : score (on_sets K) w = bit K (matched w).
Proof. by rewrite deterministic_score set_after_matches. Qed.
End Matches.
