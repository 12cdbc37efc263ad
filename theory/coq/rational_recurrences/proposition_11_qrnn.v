(* Proposition 11, the QRNN (Peng et al. 2018, section 4.1 and appendix A): gates that read the last K symbols. *)

From mathcomp Require Import all_ssreflect ssralg ssrnum ssrint matrix.
From ratproof Require Import semiring sums automaton instances hankel.
From ratproof.rational_recurrences.shared Require Import appendix_A windows.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Section Proposition11.
Variables (K : semiring) (S : finType) (k : nat) (c_0 : K) (f u : seq S -> K).

(* c_t = f_t c_{t-1} + u_t, with gates that read the last K = k + 1 symbols: appendix A with tau(q_0, q_b, b) = mu_pad(b) gives every word the same
   score as the unit. *)
Theorem proposition_11_qrnn : commutative (@times K) -> forall w,
  score (appendix_A (remembered k [::] : history S k) (@remember_more _ k) c_0 (fun h x => f (rcons h x)) (fun h x => u (rcons h x))) w =
  windowed k c_0 f u w.
Proof. exact: windowed_is_appendix_A. Qed.

(* The automaton with 2 + s + ... + s^(K-1) states, for s symbols, also gives every word the same score as the unit. *)
Theorem proposition_11_qrnn_with_fewer_states : commutative (@times K) -> forall w, score (ahead k c_0 f u) w = windowed k c_0 f u w.
Proof. exact: windowed_is_ahead. Qed.

(* With c_0 = 0 and K of 2 or more, q of the empty history can be removed. *)
Theorem proposition_11_qrnn_without_q_0 : (0 < k)%N -> c_0 = 0 -> commutative (@times K) -> forall w,
  score (appendix_A_without_q_0 k f u) w = windowed k c_0 f u w.
Proof. exact: windowed_is_without_q_0. Qed.

(* The number of states, with s symbols: 2 (s + ... + s^(K-1)) + 1 in appendix A, and 2 + s + ... + s^(K-1). *)
Theorem states_of_proposition_11_qrnn :
  card (sum_finite (history S k) (nonempty S k)) = (2 * (\sum_(1 <= i < k.+1) #|S| ^ i) + 1)%N /\
  card (option_finite (history S k)) = (2 + \sum_(1 <= i < k.+1) #|S| ^ i)%N.
Proof.
have histories : #|{: k.-bseq S}| = (1 + \sum_(1 <= i < k.+1) #|S| ^ i)%N.
  by rewrite card_bseq -(big_mkord xpredT (fun i => #|S| ^ i)%N) big_ltn // expn0.
have others : #|{: {h : k.-bseq S | h != [bseq]}}| = (\sum_(1 <= i < k.+1) #|S| ^ i)%N.
  have := cardC1 ([bseq] : k.-bseq S); rewrite histories add1n /= card_sig => <-.
  exact: eq_card.
split; last by rewrite card_option card_finType histories.
by rewrite card_sum !card_finType histories others mul2n -addnn addnAC add1n addn1 addSn.
Qed.
End Proposition11.

(* Appendix A as printed, with c_0 = 0, gives a word of one symbol the score 0, but the unit is u, which need not be 0. *)
Theorem printed_is_refuted (K : semiring) (S : finType) k (f u : seq S -> K) x : u [:: x] <> 0 ->
  score (appendix_A_as_printed (remembered k [::] : history S k) (@remember_more _ k) 0 (fun h x => f (rcons h x)) (fun h x => u (rcons h x)))
    [:: x] <> windowed k 0 f u [:: x].
Proof. exact: windowed_is_not_as_printed. Qed.

(* If f = 0 and u is 1 at complete windows of 2 or more symbols and 0 before, an automaton of the unit has at least three states: the Hankel
   block with prefixes of 0 to 2 symbols and suffixes of K - 2 to K symbols has rank 3. *)
Lemma complete_windows_need_three_states (F : numFieldType) k (f u : seq [finType of unit] -> F) : (0 < k)%N ->
  (forall w, f w = 0%R) -> (forall w, u w = (if size w == k.+1 then 1 else 0)%R) ->
  forall (Q : finite) (A : wfa (of_ring F) [finType of unit] Q), (forall w, score A w = windowed k (0%R : of_ring F) f u w) -> (3 <= card Q)%N.
Proof.
move=> some no_forgetting complete Q A same.
pose S := [finType of unit]; have value (w : seq S) : windowed k (0%R : of_ring F) f u w = (if (k < size w)%N then 1 else 0)%R.
  elim/last_ind: w => // w x _; rewrite /windowed run_rcons /= no_forgetting GRing.mul0r GRing.add0r.
  rewrite (_ : (run _ _ w).1 = w); last exact: (@reads (of_ring F) S k _ u ([::], 0%R) w).
  by rewrite complete size_drop -minnE (sameP eqP minn_idPr).
pose block i j : int := nth 0%R (nth [::] [:: [:: 0; 0; 1]; [:: 0; 1; 1]; [:: 1; 1; 1]]%R i) j.
pose inverse i j : int := nth 0%R (nth [::] [:: [:: 0; - 1; 1]; [:: - 1; 1; 0]; [:: 1; 0; 0]]%R i) j.
apply: (@hankel_excludes F _ Q A 3 (fun i => nseq i (tt : S)) (fun j => nseq (k.-1 + j) (tt : S)) (\matrix_(i, j) block i j)%R (\matrix_(i, j) inverse i j)%R 1 1) => // [|i j].
  apply/matrixP => i j; rewrite !mxE !big_ord_recl big_ord0 !mxE.
  by move: i j => [[|[|[|i]]] lt_i] [[|[|[|j]]] lt_j] //; vm_compute.
rewrite same -nseqD value size_nseq !mxE GRing.mul1r.
have -> : (k < i + (k.-1 + j))%N = (1 < i + j)%N by rewrite addnCA -[X in (X < _)%N](prednK some) -addn1 ltn_add2l.
by move: i j => [[|[|[|i]]] lt_i] [[|[|[|j]]] lt_j].
Qed.

(* Table 1 lists the automaton B, with two states, for the QRNN: for windows of 2 or more symbols, no automaton with fewer than three states
   computes the unit. *)
Theorem printed_table_1_is_refuted (F : numFieldType) k : (0 < k)%N ->
  ~ (forall (S : finType) (f u : seq S -> F),
     exists (Q : finite) (A : wfa (of_ring F) S Q), (card Q < 3)%N /\ forall w, score A w = windowed k (0%R : of_ring F) f u w).
Proof.
move=> some all; have [Q [A [few same]]] := all [finType of unit] (fun _ => 0%R) (fun w => if size w == k.+1 then 1 else 0)%R.
by move: few; rewrite ltnNge (complete_windows_need_three_states some _ _ same).
Qed.
