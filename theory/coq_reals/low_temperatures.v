(* SR Theorem 3.2 with the exponential of Coq's real numbers; theory/coq proves it for any exponential. *)

From Coq Require Import Reals.
From mathcomp Require Import all_ssreflect all_algebra.
From mathcomp.analysis Require Import Rstruct.
From ratproof Require Import semiring sums automaton instances exponential.
From ratproof.state_regularized Require Import theorem_3_1 theorem_3_2.
From ratproof.state_regularized.shared Require Import limit_network softmax.
Import Order.TTheory GRing.Theory Num.Theory.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Local Open Scope ring_scope.

Notation reals := [archiFieldType of R].
Notation is_exp e := (forall x : R, e x = Rtrigo_def.exp x).

Section Network.
Variables (S : eqType) (n : nat) (b : 'I_n.+1 -> S -> 'I_n.+1 -> reals) (delta : 'I_n.+1 -> S -> 'I_n.+1) (start : 'I_n.+1).

(* If the greatest similarity is unique at all states that words reach, then the softmax tends to the probabilities of the limit network as the
   temperature tends to 0, and the limit network is the DFA. *)
Theorem limit_network_is_a_dfa (e : exponential reals) : is_exp e ->
  (forall i x j, reached_from delta start i -> j != delta i x -> b i x j < b i x (delta i x)) ->
  (forall i x epsilon, reached_from delta start i -> 0 < epsilon -> exists2 tau_0, 0 < tau_0 &
     forall tau, 0 < tau <= tau_0 -> forall j, `|softmax e (b i x) tau j - in_the_limit (b i x) j| <= epsilon) /\
  forall w j, sampled (K := of_ring reals) (fun i x => in_the_limit (b i x)) id start (Some start) w j = (if run delta start w == j then 1 else 0).
Proof.
move=> _ no_tie; split; last exact: equation_4_is_dfa.
by move=> i x epsilon reach; apply: (@softmax_in_the_limit _ e _ _ (delta i x)) => j; apply: no_tie.
Qed.

(* If each reachable state and symbol has its own gap, the probability of following the DFA is at least the product of the bounds. *)
Theorem following_is_at_least (e : exponential reals) tau (gaps : 'I_n.+1 -> S -> reals) : is_exp e -> 0 < tau ->
  (forall q x j, reached_from delta start q -> j != delta q x -> b q x j + gaps q x <= b q x (delta q x)) ->
  forall w, bound_along e delta tau gaps start w <= follows e b delta tau start w.
Proof. by move=> _ positive leads; apply: theorem_3_2_bound. Qed.

(* With equation 4 and one gap, the score of the weighted DFA is the probability of following the DFA, which tends to 1 for each word. *)
Theorem following_tends_to_1 (e : exponential reals) (gap : reals) : is_exp e ->
  0 < gap -> (forall q x j, reached_from delta start q -> j != delta q x -> b q x j + gap <= b q x (delta q x)) ->
  (forall tau, 0 < tau -> forall w,
     score (weighted_dfa (K := of_ring reals) (fun q x j => softmax e (b q x) tau j) delta start) w = follows e b delta tau start w /\
     margin_bound e n tau gap ^+ size w <= follows e b delta tau start w) /\
  (forall epsilon w, 0 < epsilon -> exists2 tau_0, 0 < tau_0 &
     forall tau, 0 < tau <= tau_0 -> 1 - epsilon <= follows e b delta tau start w).
Proof. by move=> _; apply: theorem_3_2_eq_4. Qed.
End Network.

(* No temperature is sufficient for all strings: two centroids, whose similarities are 1 and 0 at every state. *)
Theorem no_temperature_for_all_strings (e : exponential reals) : is_exp e ->
  ~ (forall (S : eqType) n (b : 'I_n.+1 -> S -> 'I_n.+1 -> reals) (delta : 'I_n.+1 -> S -> 'I_n.+1) (start : 'I_n.+1) (gap : reals), 0 < gap ->
     (forall q x j, reached_from delta start q -> j != delta q x -> b q x j + gap <= b q x (delta q x)) ->
     exists2 tau, 0 < tau & forall w, 2^-1 <= follows e b delta tau start w).
Proof.
move=> _ all; have [|q x j _|tau tau_positive] := all unit_eqType 1%N (fun _ _ j => if j == ord0 then 1 else 0) (fun _ _ => ord0) ord0 1.
- exact: ltr01.
- by move=> /negbTE ->; rewrite eqxx add0r.
have [|m low] := @printed_uniform_is_refuted reals e unit_eqType 1%N (fun _ _ j => if j == ord0 then 1 else 0) (fun _ _ => ord0) ord0 tau 1 tau_positive.
  by move=> q x _; exists (lift ord0 ord0); rewrite ?eqxx ?subrr.
by move/(_ (nseq m tt)); rewrite leNgt low // size_nseq.
Qed.
