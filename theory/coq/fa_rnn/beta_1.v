(* FA-RNN at beta = 1 (Jiang et al. 2020, section 3.5): the forward score counts the accepting paths of the rules' automaton; with maxima in
   place of sums it is a match. *)

From mathcomp Require Import all_ssreflect all_algebra.
From ratproof Require Import semiring sums automaton instances.
From ratproof.fa_rnn Require Import eq_4 eq_5.
From ratproof.fa_rnn.shared Require Import accepting_paths.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Section Network.
Variables (S : eqType) (Q C : finite) (begins accepts : Q -> bool) (moves : S -> Q -> Q -> bool).

(* With factors that are exactly the rules' tensor the network of equation 5 is their automaton. *)
Lemma exact_factors (K : semiring) (D_1 D_2 : Q -> C -> K) (E_R : S -> C -> K) w :
  (forall x i j, of_factors D_1 D_2 E_R x i j = bit K (moves x i j)) ->
  score_5 (fun q => bit K (begins q)) (fun q => bit K (accepts q)) D_1 D_2 E_R w = score (weighted begins accepts moves K) w.
Proof.
move=> exact; rewrite -eq_5; apply: eq_sum => q; congr (_ * _).
by elim/last_ind: w q => // w x IH q; rewrite !forward_rcons; apply: eq_sum => p; rewrite IH /= exact.
Qed.

(* Equation 6: the row of a word is beta v + (1 - beta) g, where g is what its pretrained vector gives, u G. *)
Definition interpolated (R : ringType) (beta : R) (v g : S -> C -> R) (x : S) (s : C) : R := (beta * v x s + (1 - beta) * g x s)%R.

(* With exact factors equation 5 over a ring counts the accepting paths at beta = 1, whatever the pretrained vectors give. *)
Theorem beta_1 (R : ringType) (D_1 D_2 : Q -> C -> of_ring R) (v g : S -> C -> R) w :
  (forall x i j, of_factors D_1 D_2 (v : S -> C -> of_ring R) x i j = bit _ (moves x i j)) ->
  score_5 (fun q => bit _ (begins q)) (fun q => bit _ (accepts q)) D_1 D_2 (interpolated 1%R v g : S -> C -> of_ring R) w =
  (size (accepting_paths begins accepts moves w))%:R%R :> R.
Proof.
move=> factors; rewrite -score_counts_paths_in_rings.
apply: (exact_factors (E_R := interpolated 1%R v g : S -> C -> of_ring R)) => x i j; rewrite -factors.
by apply: eq_sum => s; rewrite /interpolated GRing.subrr GRing.mul0r GRing.addr0 GRing.mul1r.
Qed.

(* With maxima in place of sums it is 1 exactly on matches. *)
Theorem viterbi_network_is_match (R : realDomainType) (D_1 D_2 : Q -> C -> max_times R) (E_R : S -> C -> max_times R) w :
  (forall x i j, of_factors D_1 D_2 E_R x i j = bit _ (moves x i j)) ->
  score_5 (fun q => bit _ (begins q)) (fun q => bit _ (accepts q)) D_1 D_2 E_R w =
  bit (max_times R) (accepting_paths begins accepts moves w != [::]).
Proof. by move/exact_factors->; apply: viterbi_score_is_match. Qed.

(* So is the recurrence of equation 4 with maxima in place of sums, on the rules' own tensor. *)
Theorem beta_1_viterbi (R : realDomainType) w :
  score_4 (fun q => bit (max_times R) (begins q)) (fun q => bit _ (accepts q)) (fun x i j => bit _ (moves x i j)) w =
  bit (max_times R) (accepting_paths begins accepts moves w != [::]).
Proof. by rewrite -eq_4; apply: viterbi_score_is_match. Qed.
End Network.
