(* Definition 4 (Peng et al. 2018, section 2): the Forward algorithm computes the score of a word, which is a sum over all paths that derive it, with
   epsilon transitions. *)

From mathcomp Require Import all_ssreflect.
From ratproof Require Import semiring sums automaton paths.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

(* The Forward algorithm with at most N consecutive epsilon transitions computes the sum over all paths with at most N consecutive ones. *)
Theorem definition_4 (K : semiring) (S : eqType) (Q : finite) (A : wfa K S Q) (epsilon : Q -> Q -> K) N w :
  epsilon_score A epsilon N w = sum_over_paths A epsilon N w.
Proof. exact: forward_is_sum_over_paths. Qed.

(* Definition 3 as printed requires at least one transition: then the empty word has no path, but its score is lambda rho. *)
Theorem printed_is_refuted (K : semiring) : 1 <> 0 :> K ->
  let A := of_lists 1 [:: 1] (fun _ : unit => [:: [:: 1]]) [:: 1] : wfa K unit_eqType (place 1) in
  \sum_(q : place 1) \big[@plus K/0]_(l <- labels 0 [::] | l != [::])
    \big[@plus K/0]_(qs <- sequences (place 1) (size l)) (initial A q * weigh A (fun _ _ => 0) q l qs) <> score A [::].
Proof.
move=> nontrivial A; rewrite /score !sum_place !sum_no_place big1_seq => [|l /andP[some]].
  by rewrite plus0w plusw0 /= times1w => /esym.
by rewrite labels_derive; case: l some => [|[a|] l] // _; rewrite /= ?andbF.
Qed.
