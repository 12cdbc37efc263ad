(* Proposition 11, the QRNN (Peng et al. 2018, section 4.1 and appendix A): gates that read the last K symbols. *)

From mathcomp Require Import all_ssreflect.
From ratproof Require Import semiring sums automaton.
From ratproof.rational_recurrences.shared Require Import appendix_A windows.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Section Proposition11.
Variables (K : semiring) (S : finType) (k : nat) (c_0 : K) (f u : seq S -> K).

(* c_t = f_t c_{t-1} + u_t, with gates that read the last K = k + 1 symbols: appendix A with tau(q_0, q_b, b) = mu_pad(b) scores every word
   as the unit does. *)
Theorem proposition_11_qrnn : commutative (@times K) -> forall w,
  score (appendix_A (remembered k [::] : history S k) (@remember_more _ k) c_0 (fun h x => f (rcons h x)) (fun h x => u (rcons h x))) w =
  windowed k c_0 f u w.
Proof. exact: windowed_is_appendix_A. Qed.

(* The automaton with 2 + s + ... + s^(K-1) states, for s symbols, does so too. *)
Theorem proposition_11_qrnn_with_fewer_states : commutative (@times K) -> forall w, score (ahead k c_0 f u) w = windowed k c_0 f u w.
Proof. exact: windowed_is_ahead. Qed.

(* With c_0 = 0 and K of 2 or more q of the empty history can go. *)
Theorem proposition_11_qrnn_without_q_0 : (0 < k)%N -> c_0 = 0 -> commutative (@times K) -> forall w,
  score (appendix_A_without_q_0 k f u) w = windowed k c_0 f u w.
Proof. exact: windowed_is_without_q_0. Qed.

(* How many states there are, with s symbols: 2 (s + ... + s^(K-1)) + 1 in appendix A, and 2 + s + ... + s^(K-1). *)
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

(* Appendix A as printed scores a word of one symbol 0, where c_0 = 0, and the unit is u: wherever u is not 0. *)
Theorem printed_is_refuted (K : semiring) (S : finType) k (f u : seq S -> K) x : u [:: x] <> 0 ->
  score (appendix_A_as_printed (remembered k [::] : history S k) (@remember_more _ k) 0 (fun h x => f (rcons h x)) (fun h x => u (rcons h x)))
    [:: x] <> windowed k 0 f u [:: x].
Proof. exact: windowed_is_not_as_printed. Qed.
