(* The accepting paths of a rules' automaton (Jiang et al. 2020, sections 2.4 and 3.5): the Forward score counts them. Over the booleans, or with
   maxima instead of sums, the score says whether the rule matches. *)

From mathcomp Require Import all_ssreflect all_algebra.
From ratproof Require Import semiring sums automaton paths instances.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

(* The rules' automaton: its initial states, its transitions, and its final states. *)
Section Rules.
Variables (S : eqType) (Q : finite) (begins accepts : Q -> bool) (moves : S -> Q -> Q -> bool).

(* Whether a list of states, one after each word of a sentence, is an accepting path from q. *)
Fixpoint goes (q : Q) (w : seq S) (qs : seq Q) : bool :=
  match w, qs with
  | x :: w', q' :: qs' => moves x q q' && goes q' w' qs'
  | _, _ => accepts q
  end.

(* All accepting paths of a sentence: a first state, and one after each word. *)
Definition accepting_paths (w : seq S) : seq (seq Q) :=
  [seq qs <- sequences Q (size w).+1 | if qs is q :: qs' then begins q && goes q w qs' else false].

(* A truth value as a weight 0 or 1, and the rules' automaton with these weights. *)
Definition bit (K : semiring) (b : bool) : K := if b then 1%W else 0%W.
Definition weighted (K : semiring) : wfa K S Q :=
  Wfa (fun q => bit K (begins q)) (fun x p q => bit K (moves x p q)) (fun q => bit K (accepts q)).

Lemma score_sums_paths (K : semiring) (w : seq S) :
  score (weighted K) w = \big[@plus K/0%W]_(qs <- sequences Q (size w).+1) bit K (if qs is q :: qs' then begins q && goes q w qs' else false).
Proof.
have bit_and (a b : bool) : bit K (a && b) = bit K a * bit K b by case: a; rewrite /bit ?times1w ?times0w.
rewrite -score_without_epsilon forward_is_sum_over_paths /sum_over_paths sumE [sequences _ _.+1]/= big_allpairs_dep.
apply: eq_bigr => q _.
have -> : labels 0 w = [:: map Some w].
  have zero : up_to 0 = [:: 0%N] by rewrite /up_to -lock.
  by elim: w => [|x w IH]; rewrite /= zero //= IH.
rewrite big_seq1 size_map; apply: eq_big_seq => qs in_qs; rewrite bit_and; congr (_ * _).
elim: w qs q in_qs => [|x w IH] qs q in_qs; first by case: qs in_qs.
by case/allpairsP: in_qs => -[p ps] /= [_ in_ps ->]; rewrite bit_and IH.
Qed.

(* Over the natural numbers the score is the number of accepting paths. *)
Theorem score_counts_paths w : score (weighted naturals) w = size (accepting_paths w).
Proof.
rewrite score_sums_paths size_filter; elim: (sequences Q _) => [|qs r IH]; first by rewrite big_nil.
by rewrite big_cons IH /bit /=; case: (if qs is q :: qs' then _ else _).
Qed.

(* Over a ring, such as the real numbers, the score is also the number of accepting paths. *)
Theorem score_counts_paths_in_rings (R : ringType) w : score (weighted (of_ring R)) w = (size (accepting_paths w))%:R%R :> R.
Proof.
rewrite score_sums_paths size_filter; elim: (sequences Q _) => [|qs r IH]; first by rewrite big_nil.
by rewrite big_cons IH GRing.natrD /bit /=; case: (if qs is q :: qs' then _ else _).
Qed.

(* Over the booleans, the score is true if and only if there is an accepting path. *)
Theorem boolean_score_is_match w : score (weighted booleans) w = (accepting_paths w != [::]).
Proof.
rewrite score_sums_paths -size_eq0 size_filter -lt0n -has_count.
elim: (sequences Q _) => [|qs r IH]; first by rewrite big_nil.
by rewrite big_cons IH /bit /=; case: (if qs is q :: qs' then _ else _).
Qed.

(* With maxima instead of sums (Viterbi), the score is 1 on matches, and otherwise 0, which is less than every product. *)
Theorem viterbi_score_is_match (R : realDomainType) w :
  score (weighted (max_times R)) w = bit (max_times R) (accepting_paths w != [::]).
Proof.
rewrite score_sums_paths -size_eq0 size_filter -lt0n -has_count.
elim: (sequences Q _) => [|qs r IH]; first by rewrite big_nil.
rewrite big_cons IH /bit /=; case: (if qs is q :: qs' then _ else _); case: (has _ r) => //=.
by rewrite /larger if_same.
Qed.
End Rules.
