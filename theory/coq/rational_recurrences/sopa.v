(* SoPa's soft patterns (Peng et al. 2018, section 1, on Schwartz et al. 2018), with self-loops and epsilon transitions. *)

From mathcomp Require Import all_ssreflect ssralg ssrnum.
From ratproof Require Import semiring sums automaton paths equivalence instances.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

(* The induction of automaton.v with epsilon transitions, which lead upwards only. The Forward vector is inv of the program's state if inv is the sum
   of two vectors: the one after the symbol, and the one to which epsilon transitions lead from inv itself. *)
Section Invariant.
Variables (K : semiring) (S : eqType) (Q : finite) (A : wfa K S Q) (epsilon : Q -> Q -> K) (N : nat) (rank : Q -> nat).
Hypothesis most : forall q, (rank q <= N)%N.
Hypothesis upwards : forall p q, (rank q <= rank p)%N -> epsilon p q = 0.
Variables (C : Type) (next : C -> S -> C) (start : C) (inv : C -> Q -> K).
Hypothesis base : forall q, inv start q = initial A q + epsilon_step epsilon (inv start) q.
Hypothesis step : forall c x q, inv (next c x) q = forward_step A (inv c) x q + epsilon_step epsilon (inv (next c x)) q.

Lemma epsilon_score_is_inv w : epsilon_score A epsilon N w = \sum_(q : Q) inv (run next start w) q * final A q.
Proof.
apply: eq_sum => q; congr (_ * _); elim/last_ind: w q => [|w x IH] q; first exact/esym/(solution_is_closed most upwards base).
rewrite /epsilon_forward !run_rcons -/(epsilon_forward A epsilon N w) (solution_is_closed most upwards (step _ x)).
by apply: eq_closed => p; apply: eq_sum => r; rewrite IH.
Qed.
End Invariant.

(* A pattern of n words: m_j reads a word and moves on to state j, s_j reads a word and stays in state j, and e_j moves on to state j and
   reads nothing. *)
Section SoPa.
Variables (K : semiring) (S : eqType) (n : nat) (m s : S -> nat -> K) (e : nat -> K).

(* h_j, the score of the partial matches that end in state j, for j from 1 on; h_0 is 1. *)
Definition from_one (h : nat -> K) (j : nat) : K := if j is _.+1 then h j else 1.

(* h_j = h_{j-1} m_j(x) + h_j s_j(x), from the values before the symbol. *)
Definition read (h : nat -> K) (x : S) (j : nat) : K := from_one h j.-1 * m x j + h j * s x j.

(* Any number of consecutive epsilon transitions: h_j + h_{j-1} e_j, for j = 1, 2, .... *)
Fixpoint left_out (h : nat -> K) (j : nat) : K := if j is j'.+1 then h j + left_out h j' * e j else 1.

(* At most one epsilon transition after each symbol, as in Schwartz et al. *)
Definition left_out_once (h : nat -> K) (j : nat) : K := h j + from_one h j.-1 * e j.

(* The program: h before epsilon transitions, and the score of all matches so far, c = c + h_n after them. *)
Definition soft_pattern_next (skip : (nat -> K) -> nat -> K) (state : (nat -> K) * K) (x : S) : (nat -> K) * K :=
  let h := read (skip state.1) x in (h, state.2 + from_one (skip h) n).
Definition soft_pattern (skip : (nat -> K) -> nat -> K) (w : seq S) : K :=
  (run (soft_pattern_next skip) ((fun _ => 0), from_one (skip (fun _ => 0)) n) w).2.

(* The pattern's automaton has the states 0 to n, and n + 1, to which a complete match goes by an epsilon transition. The first and the last state loop
   with weight 1. *)
Definition chain : wfa K S (place n.+2) :=
  @Wfa K S (place n.+2)
    (fun q : 'I_n.+2 => if q == 0%N :> nat then 1 else 0)
    (fun x (p q : 'I_n.+2) =>
       if p == q :> nat then (if (q == 0%N :> nat) || (q == n.+1 :> nat) then 1 else s x q)
       else if (p.+1 == q :> nat) && (q <= n)%N then m x q else 0)
    (fun q : 'I_n.+2 => if q == n.+1 :> nat then 1 else 0).
Definition silently (p q : 'I_n.+2) : K := if p.+1 == q :> nat then (if (q <= n)%N then e q else 1) else 0.

(* The Forward vector: 1, h_1 to h_n after epsilon transitions, and c. *)
Definition at_end (state : (nat -> K) * K) (q : 'I_n.+2) : K := if (q <= n)%N then from_one state.1 q else state.2.

Lemma last_is_read (F : 'I_n.+2 -> K) : \sum_(q : place n.+2) F q * final chain q = F ord_max.
Proof.
rewrite (sum_at (p := ord_max : place n.+2)) => [|q]; first by rewrite /= eqxx timesw1.
by rewrite -val_eqE /= => /negbTE ->; rewrite timesw0.
Qed.

Lemma read_by_chain state x q :
  forward_step chain (at_end state) x q = if (q <= n)%N then from_one (read state.1 x) q else state.2.
Proof.
case: q => [[|j] lt_j]; rewrite /forward_step [in RHS]/=.
  by rewrite (sum_at (p := ord0 : place n.+2)) => [|p]; rewrite ?times1w // -val_eqE /= => /negbTE ->; rewrite timesw0.
have lt_j' : (j < n.+2)%N by apply: ltnW.
rewrite (sum_at_two (p := Ordinal lt_j' : place n.+2) (r := Ordinal lt_j : place n.+2)) => [||p].
- rewrite /at_end /= !eqxx !eqSS (ltn_eqF (ltnSn j)) (lt_j : j <= n)%N /=; have [lt|le] := ltnP j n; first by rewrite (ltn_eqF lt).
  by rewrite timesw0 plus0w (_ : j == n) ?timesw1 // eqn_leq le andbT.
- by rewrite -val_eqE /= gtn_eqF.
by rewrite -!val_eqE /= ?eqnE ?eqSS => /negbTE -> /negbTE ->; rewrite timesw0.
Qed.

Lemma silent_in_chain (F : 'I_n.+2 -> K) (q : 'I_n.+2) :
  epsilon_step silently F q = if val q is j.+1 then F (inord j) * (if (q <= n)%N then e q else 1) else 0.
Proof.
case: q => [[|j] lt_j] /=; rewrite /epsilon_step.
  by rewrite -[RHS](sum0 K (place n.+2)); apply: eq_sum => p; rewrite timesw0.
rewrite (sum_at (p := inord j : place n.+2)) => [|p]; first by rewrite /silently inordK ?eqxx // ltnW.
rewrite -val_eqE /= inordK ?(ltnW lt_j) // /silently /= eqSS => /negbTE ->.
by rewrite timesw0.
Qed.

Lemma from_one_left_out h j : from_one (left_out h) j = left_out h j.
Proof. by case: j. Qed.

(* The chain gives every word the same score as the program, in every semiring, for every n: with at most n + 1 consecutive epsilon transitions or
   with more. *)
Theorem sopa N w : (n < N)%N -> epsilon_score chain silently N w = soft_pattern left_out w.
Proof.
move=> enough; rewrite (@epsilon_score_is_inv _ _ _ chain silently N (fun q : 'I_n.+2 => val q) _ _ _
  (soft_pattern_next left_out) ((fun _ => 0), from_one (left_out (fun _ => 0)) n) (fun state => at_end (left_out state.1, state.2))).
- by rewrite last_is_read /at_end /= ltnn.
- by move=> q; apply: leq_trans enough; apply: (ltn_ord q).
- by move=> p q; rewrite /silently /=; case: eqP => // <-; rewrite ltnn.
- case=> [[|j] lt_j]; rewrite silent_in_chain /= ?plusw0 // plus0w /at_end /= inordK ?(ltnW lt_j) // (lt_j : j <= n)%N.
  have [lt|le] := ltnP j n; first by rewrite plus0w from_one_left_out.
  by rewrite (_ : n = j) ?timesw1 //; apply/eqP; rewrite eqn_leq le.
move=> [h c] x [[|j] lt_j]; rewrite read_by_chain silent_in_chain /= ?plusw0 // /at_end /= inordK ?(ltnW lt_j) // (lt_j : j <= n)%N.
have [lt|le] := ltnP j n; first by rewrite from_one_left_out.
by rewrite (_ : n = j) ?timesw1 //; apply/eqP; rewrite eqn_leq le.
Qed.

(* With at most one consecutive epsilon transition: the states 1 to n have copies (right). Epsilon leads to the copies, and only symbols lead out of
   them. *)
Definition chain_in_two_rows : wfa K S (sum_finite (place n.+2) (place n)) :=
  @Wfa K S (sum_finite (place n.+2) (place n))
    (fun q => if q is inl j then initial chain j else 0)
    (fun x p q => match p, q with
       | inl i, inl j => transition chain x i j
       | inr i, inl j => if i.+1 == j :> nat then s x j else if (i.+2 == j :> nat) && (j <= n)%N then m x j else 0
       | _, inr _ => 0
       end)
    (fun q => if q is inl j then final chain j else 0).
Definition silently_in_two_rows (p q : 'I_n.+2 + 'I_n) : K :=
  match p, q with
  | inl i, inr j => if i == j :> nat then e j.+1 else 0
  | inl i, inl j => if (i == n :> nat) && (j == n.+1 :> nat) then 1 else 0
  | inr i, inl j => if (i.+1 == n :> nat) && (j == n.+1 :> nat) then 1 else 0
  | inr _, inr _ => 0
  end.

(* The Forward vector: 1, h_1 to h_n before epsilon, and c; and h_{j-1} e_j in the second row. *)
Definition before_epsilon (state : (nat -> K) * K) (q : 'I_n.+2 + 'I_n) : K :=
  match q with
  | inl j => if (j <= n)%N then from_one state.1 j else state.2
  | inr j => from_one state.1 j * e j.+1
  end.

Lemma silent_in_two_rows state q :
  epsilon_step (Q := sum_finite (place n.+2) (place n)) silently_in_two_rows (before_epsilon state) q =
  match q with
  | inl j => if j == n.+1 :> nat then from_one (left_out_once state.1) n else 0
  | inr j => from_one state.1 j * e j.+1
  end.
Proof.
rewrite /epsilon_step sum_sum; case: q => j /=; last first.
  rewrite (eq_sum (fun i => timesw0 _)) sum0 plusw0 (sum_at (p := inord j : place n.+2)) => [|i].
    by rewrite inordK ?eqxx ?(ltnW (ltn_ord j)) // (leq_trans (ltn_ord j)) // (leq_trans (leqnSn n)).
  rewrite -val_eqE /= inordK => [/negbTE ->|]; first by rewrite timesw0.
  by rewrite (leq_trans (ltn_ord j)) // (leq_trans (leqnSn n)).
case: (j =P n.+1 :> nat) => _; last first.
  by under eq_sum do rewrite andbF timesw0; under [X in _ + X]eq_sum do rewrite andbF timesw0; rewrite !sum0 plusw0.
rewrite (sum_at (p := inord n : place n.+2)) => [|i]; last first.
  by rewrite -val_eqE /= inordK // => /negbTE ->; rewrite timesw0.
rewrite /= inordK // eqxx leqnn timesw1;
case: n => [|n']; first by rewrite plusw0.
rewrite (sum_at (p := ord_max : place n'.+1)) => [|i]; first by rewrite /= eqxx timesw1.
by rewrite -val_eqE /= ?eqnE ?eqSS => /negbTE ->; rewrite timesw0.
Qed.

Lemma second_row (G : nat -> K) a b j : (j < n)%N ->
  \sum_(i : place n) G i * (if i.+1 == j.+1 then a else if (i.+2 == j.+1) && (j < n)%N then b else 0) =
  G j * a + (if j is j'.+1 then G j' * b else 0).
Proof.
move=> lt_j; case: j lt_j => [|j] lt_j.
  rewrite plusw0 (sum_at (p := Ordinal lt_j : place n)) => [|i]; first by [].
  by rewrite -val_eqE /= ?eqnE ?eqSS => /negbTE ->; rewrite timesw0.
have lt_j' : (j < n)%N by apply: ltnW.
rewrite (sum_at_two (p := Ordinal lt_j : place n) (r := Ordinal lt_j' : place n)) => [||i].
- by rewrite /= ?eqnE ?eqSS !eqxx lt_j (ltn_eqF (ltnSn j)).
- by rewrite -val_eqE /= (ltn_eqF (ltnSn j)).
by rewrite -!val_eqE /= ?eqnE ?eqSS => /negbTE -> /negbTE ->; rewrite timesw0.
Qed.

Lemma read_by_two_rows state x q :
  forward_step chain_in_two_rows (before_epsilon state) x q =
  match q with
  | inl j => if (j <= n)%N then from_one (read (left_out_once state.1) x) j else state.2
  | inr j => 0
  end.
Proof.
rewrite /forward_step sum_sum; case: q => j; last by rewrite !(eq_sum (fun i => timesw0 _)) !sum0 plusw0.
have := read_by_chain state x j; rewrite /forward_step => ->.
have [le|gt] := leqP j n; last first.
  rewrite -[RHS]plusw0; congr (_ + _); rewrite -[RHS](sum0 K (place n)); apply: eq_sum => i /=.
  by rewrite (leqNgt j) gt andbF ltn_eqF ?timesw0 // (leq_ltn_trans _ gt).
case: j le => [[|j] lt_j] /= le.
  by rewrite -[RHS]plusw0; congr (_ + _); rewrite -[RHS](sum0 K (place n)); apply: eq_sum => i; rewrite timesw0.
have := second_row (fun i => from_one state.1 i * e i.+1) (s x j.+1) (m x j.+1) le; rewrite /= => ->.
rewrite /read /left_out_once /=.
have -> : from_one (fun i => state.1 i + from_one state.1 i.-1 * e i) j * m x j.+1 =
  from_one state.1 j * m x j.+1 + (if j is j'.+1 then from_one state.1 j' * e j'.+1 * m x j.+1 else 0).
  by case: (j) => [|j'] /=; rewrite ?plusw0 ?timesDl.
by rewrite timesDl -!plusA; congr (_ + _); rewrite [RHS]plusC -plusA.
Qed.

(* With at most one consecutive epsilon transition, the program is an automaton with two rows of states, 2 n + 2 in total, in every semiring, for every
   n. *)
Theorem sopa_one_epsilon N w : (1 < N)%N ->
  epsilon_score chain_in_two_rows silently_in_two_rows N w = soft_pattern left_out_once w.
Proof.
move=> enough; pose rank (q : 'I_n.+2 + 'I_n) := if q is inl j then (if j == n.+1 :> nat then 2 else 0)%N else 1%N.
rewrite (@epsilon_score_is_inv _ _ _ chain_in_two_rows silently_in_two_rows N rank _ _ _
  (soft_pattern_next left_out_once) ((fun _ => 0), from_one (left_out_once (fun _ => 0)) n) before_epsilon).
- rewrite sum_sum (eq_sum (fun i => timesw0 _)) sum0 plusw0 last_is_read.
  by rewrite /= ltnn.
- by case=> [j|j] /=; [case: ifP|apply: ltnW].
- case=> [i|i] [j|j] //=.
  + by case: (j =P n.+1 :> nat) => _; rewrite ?andbF // andbT; case: (i =P n :> nat) => // ->; rewrite ltn_eqF.
  + by case: (i =P n.+1 :> nat) => // -> _; rewrite gtn_eqF // (ltn_trans (ltn_ord j)).
  by case: (j =P n.+1 :> nat) => _; rewrite ?andbF.
- case=> [j|j]; rewrite silent_in_two_rows /= ?plus0w //.
  case: j => j lt_j /=; have [le|gt] := leqP j n; first by rewrite (ltn_eqF (le : (j < n.+1)%N)) plusw0; case: (j).
  have -> : j = n.+1 by apply/eqP; rewrite eqn_leq gt andbT.
  by rewrite eqxx plus0w.
case=> [h c] x [j|j]; rewrite silent_in_two_rows read_by_two_rows /= ?plus0w //.
have [le|gt] := leqP j n; first by rewrite (ltn_eqF (le : (j < n.+1)%N)) plusw0.
have -> : j = n.+1 :> nat by apply/eqP; rewrite eqn_leq gt andbT; apply: (ltn_ord j).
by rewrite eqxx.
Qed.
End SoPa.

(* Over max-plus, as in SoPa, the chain gives every word the same score as the program, for every n. *)
Theorem sopa_max_plus (R : realDomainType) (S : eqType) n (m s : S -> nat -> max_plus R) (e : nat -> max_plus R) N w :
  (n < N)%N -> epsilon_score (chain n m s) (silently e) N w = soft_pattern n m s (left_out e) w.
Proof. exact: sopa. Qed.

(* With at most one consecutive epsilon transition, the program is not the automaton of the pattern: for n = 2, e = 1 and m = s = 0, the empty word has
   the score 1, by two epsilon transitions, but the program gives 0. *)
Theorem without_epsilon_chains_is_refuted (K : semiring) N : 1 <> 0 :> K -> (2 < N)%N ->
  let none := fun (_ : unit_eqType) (_ : nat) => 0 in let one := fun _ : nat => 1 in
  epsilon_score (chain 2 none none) (silently one) N [::] <> soft_pattern 2 none none (left_out_once one) [::] :> K.
Proof.
move=> nontrivial enough none one; rewrite (sopa _ _ _ _ enough) /soft_pattern /run /= /left_out_once /= /one.
by rewrite !(times0w, times1w, timesw1, plus0w, plusw0).
Qed.
