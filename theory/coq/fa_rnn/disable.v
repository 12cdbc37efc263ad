(* Removing rules (Jiang et al. 2020, section 6): the states that can be removed without changing the score of any other rule. *)

From mathcomp Require Import all_ssreflect.
From ratproof Require Import semiring sums automaton paths instances.
From ratproof.fa_rnn Require Import eq_4.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

(* The states that paths reach from some states, including these states. *)
Section Reaching.
Variables (Q : finite) (edge : Q -> Q -> bool) (some : Q -> bool).

Definition one_edge_more (F : Q -> bool) (q : Q) : bool := F q || has (fun p => F p && edge p q) (elements Q).
Fixpoint within n : Q -> bool := if n is n'.+1 then one_edge_more (within n') else some.
(* Paths with at most as many edges as there are states are enough. *)
Definition reaching : Q -> bool := within (card Q).

Lemma within_more n q : within n q -> within n.+1 q.
Proof. by move=> /= in_n; rewrite /one_edge_more in_n. Qed.

Lemma eq_one_edge_more F G : F =1 G -> one_edge_more F =1 one_edge_more G.
Proof. by move=> eq q; rewrite /one_edge_more eq; congr (_ || _); apply: eq_has => p; rewrite eq. Qed.

Definition number n : nat := count (within n) (elements Q).

Lemma number_grows n : (exists q, within n.+1 q && ~~ within n q) -> (number n < number n.+1)%N.
Proof.
case=> q /andP[in_more not_in]; rewrite /number.
have -> : count (within n.+1) (elements Q) = (count (within n) (elements Q) + count (fun p => within n.+1 p && ~~ within n p) (elements Q))%N.
  rewrite -(count_predUI (within n)) -[LHS]addn0; congr (_ + _)%N.
    apply: eq_count => p; rewrite -[RHS]/(within n p || (within n.+1 p && ~~ within n p)).
    by case: (boolP (within n p)) => [/within_more|] //; rewrite andbT.
  by apply/esym/eqP; rewrite -leqn0 leqNgt -has_count; apply/hasPn => p _ /=; case: (within n p); rewrite ?andbF.
by rewrite -[X in (X < _)%N]addn0 ltn_add2l -has_count; apply/hasP; exists q; rewrite ?in_elements ?in_more.
Qed.

Lemma reaching_is_closed p q : reaching p -> edge p q -> reaching q.
Proof.
suff [n [small same]] : exists n, (n <= card Q)%N /\ within n.+1 =1 within n.
  have stable m : within (m + n) =1 within n.
    by elim: m => [|m IH] // r; rewrite addSn -[within n r]same; apply: eq_one_edge_more.
  rewrite /reaching -(subnK small) !stable => in_p e; rewrite -same /= /one_edge_more; apply/orP; right.
  by apply/hasP; exists p; rewrite ?in_elements ?in_p.
have grow_or_same n : (exists m, (m < n)%N /\ within m.+1 =1 within m) \/ (n <= number n)%N.
  elim: n => [|n [[m [lt same]]|IH]]; [by right|by left; exists m; rewrite ltnW|].
  case more: (has (fun r => within n.+1 r && ~~ within n r) (elements Q)).
    by right; apply: leq_ltn_trans IH (number_grows _); case/hasP: more => r _ more; exists r.
  left; exists n; split=> // r; apply/idP/idP => [in_r|]; last exact: within_more.
  by apply: contraFT more => out; apply/hasP; exists r; rewrite ?in_elements ?in_r.
case: (grow_or_same (card Q).+1) => [[m [lt same]]|many]; first by exists m.
by have := leq_trans many (count_size _ _); rewrite ltnn.
Qed.

Lemma some_are_reaching q : some q -> reaching q.
Proof. by rewrite /reaching; elim: (card Q) => //= n IH /IH in_n; rewrite /one_edge_more in_n. Qed.

Lemma reaching_least (L : Q -> bool) : (forall q, some q -> L q) -> (forall p q, L p -> edge p q -> L q) -> forall q, reaching q -> L q.
Proof.
move=> first next; rewrite /reaching; elim: (card Q) => //= n IH q; case/orP=> [/IH|/hasP[p _ /andP[/IH in_p]]] //.
exact: next.
Qed.
End Reaching.

(* A function decides whether a weight is 0. *)
Section Disable.
Variables (K : semiring) (weighs : K -> bool).
Hypothesis weighs_or_0 : forall a, weighs a = false <-> a = 0.
Variables (S Q : finite) (start : Q) (disabled : Q -> bool) (T : S -> Q -> Q -> K) (f : Q -> K).

(* All sentences begin in the start state, which belongs to no rule. Every other state belongs to the rule that is removed, or to another rule. The
   final weights are those of the other rules. *)
Definition of_rule (q : Q) : bool := (q != start) && disabled q.
Definition of_others (q : Q) : bool := (q != start) && ~~ disabled q.
Definition alpha_0 (q : Q) : K := if q == start then 1 else 0.
Definition alpha_inf (q : Q) : K := if of_others q then f q else 0.

(* The automaton with only the states to keep. *)
Definition only (keep : Q -> bool) (x : S) (i j : Q) : K := if keep i && keep j then T x i j else 0.

Definition joined (p q : Q) : bool := has (fun x => weighs (T x p q)) (elements S).
(* All states except those of the rule from which no final state of another rule can be reached; and, as printed, all states except those of the rule
   that cannot be reached from states of other rules. *)
Definition leading_to_ends (q : Q) : bool := ~~ of_rule q || reaching (fun p r => joined r p) (fun p => weighs (alpha_inf p)) q.
Definition reached_from_others (q : Q) : bool := ~~ of_rule q || reaching joined of_others q.

Lemma joins x p q : weighs (T x p q) -> joined p q.
Proof. by move=> weight; apply/hasP; exists x; rewrite ?in_elements. Qed.

Lemma weighs_nothing a : ~~ weighs a -> a = 0.
Proof. by move=> /negbTE/weighs_or_0. Qed.

(* States that lead to no final state may be removed. *)
Lemma dead_states_may_go (leads keep : Q -> bool) w :
  (forall q, weighs (alpha_inf q) -> leads q) -> (forall x p q, weighs (T x p q) -> leads q -> leads p) ->
  (forall q, leads q -> keep q) ->
  score_4 alpha_0 alpha_inf (only keep) w = score_4 alpha_0 alpha_inf T w.
Proof.
move=> ends before kept.
have rest (A : wfa K S Q) : score A w = \sum_(q : Q) initial A q * from A (fun _ _ => 0) 0 w q.
  by rewrite -score_without_epsilon score_from.
rewrite -!eq_4 !rest; apply: eq_sum => q; congr (_ * _).
have nothing v p : ~~ leads p -> from (automaton_of alpha_0 alpha_inf T) (fun _ _ => 0) 0 v p = 0.
  elim: v p => [|x v IH] p dead; first by apply: weighs_nothing; apply: contra dead; apply: ends.
  rewrite /= /reached -[RHS](sum0 K Q); apply: eq_sum => r.
  case: (boolP (leads r)) => [lead|/IH ->]; last by rewrite timesw0.
  by rewrite [T x p r]weighs_nothing ?times0w //; apply: contra dead => weight; apply: before weight lead.
elim: w q {rest} => [|x w IH] q //=; rewrite /reached; apply: eq_sum => r; rewrite IH /= /only.
case: (boolP (leads r)) => [lead|/nothing ->]; last by rewrite !timesw0.
rewrite (kept _ lead) andbT; case: ifP => // /negbT gone; rewrite [T x q r]weighs_nothing //.
by apply: contra gone => weight; apply/kept/(before x _ r).
Qed.

(* If the states of the rule from which no final state of another rule can be reached are removed, the scores of all other rules are unchanged, for
   all weights. *)
Theorem disable w : score_4 alpha_0 alpha_inf (only leading_to_ends) w = score (automaton_of alpha_0 alpha_inf T) w.
Proof.
rewrite eq_4; apply: (dead_states_may_go w (leads := reaching (fun p r => joined r p) (fun p => weighs (alpha_inf p)))) => [q|x p q|q in_q].
- exact: some_are_reaching.
- by move=> /joins edge in_q; apply: reaching_is_closed in_q edge.
by rewrite /leading_to_ends in_q orbT.
Qed.

(* As printed, if no transition joins the states of different rules or leads back to the start, as before training. *)
Theorem disable_untrained w :
  (forall x p q, weighs (T x p q) -> q != start /\ (p = start \/ disabled p = disabled q)) ->
  score_4 alpha_0 alpha_inf (only reached_from_others) w = score (automaton_of alpha_0 alpha_inf T) w.
Proof.
move=> apart; rewrite eq_4; apply: (dead_states_may_go w (leads := fun q => ~~ of_rule q)) => [q|x p q|q].
- have none : weighs 0 = false by apply/weighs_or_0.
  by rewrite /alpha_inf /of_rule /of_others; case: (disabled q); rewrite ?andbF ?none.
- by move=> /apart[]; rewrite /of_rule => -> [->|->]; rewrite ?eqxx //; case: (disabled q); rewrite ?andbF.
by rewrite /reached_from_others => ->.
Qed.
End Disable.

(* After training, a path of another rule may begin in a state of the removed rule: start, disabled, other. *)
Theorem printed_is_refuted (K : semiring) (weighs : K -> bool) : 1 <> 0 :> K -> (forall a, weighs a = false <-> a = 0) ->
  ~ (forall (S Q : finite) (start : Q) (disabled : Q -> bool) (T : S -> Q -> Q -> K) (f : Q -> K) w,
     score_4 (alpha_0 K start) (alpha_inf start disabled f) (only T (reached_from_others weighs start disabled T)) w =
     score (automaton_of (alpha_0 K start) (alpha_inf start disabled f) T) w).
Proof.
move=> nontrivial weighs_or_0 all.
have none : weighs 0 = false by apply/weighs_or_0.
pose T (_ : 'I_1) (p q : 'I_3) : K := if q == p.+1 :> nat then 1 else 0; pose disabled (q : 'I_3) := q == 1%N :> nat.
pose second := lift ord0 ord0 : 'I_3; set keep := reached_from_others (S := place 1) (Q := place 3) weighs ord0 disabled T.
have gone : keep second = false.
  apply/negbTE; rewrite /keep /reached_from_others /=; apply/negP => lead; suff: second == 2%N :> nat by [].
  apply: (@reaching_least (place 3) _ _ (fun q : 'I_3 => q == 2%N :> nat) _ _ _ lead) => [[[|[|[|q]]] lt_q]|[[|[|[|p]]] lt_p] [[|[|[|q]]] lt_q]] //= _; by rewrite /joined /T /= none.
apply: nontrivial; have := all (place 1) (place 3) ord0 disabled T (fun _ => 1) [:: ord0; ord0]; rewrite -/keep.
evaluated; rewrite /score_4 /next_4 /run /alpha_0 /alpha_inf /only /of_others /T /=; written_out.
by rewrite -[lift ord0 ord0]/second gone times0w => ->.
Qed.
