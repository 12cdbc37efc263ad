(* Proposition 11 (Peng et al. 2018, section 4.1 and appendix A): gates that read the last K symbols. *)

From mathcomp Require Import all_ssreflect.
From ratproof Require Import semiring sums automaton.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

(* Once for gates that see any finite summary h of the symbols before. *)
Section Summary.
Variables (K : semiring) (S : Type) (H : finite) (h_0 : H) (remember : H -> S -> H) (c_0 : K) (f u : H -> S -> K).

(* c_t = f_t c_{t-1} + u_t (equation 5c), where f_t and u_t read x_t and the summary of the symbols before. *)
Definition summing_next (state : H * K) (x : S) : H * K :=
  (remember state.1 x, f state.1 x * state.2 + u state.1 x).
Definition summing (w : seq S) : K := (run summing_next (h_0, c_0) w).2.

(* Appendix A: states p_h (left) and q_h (right) for each summary. On x, p_h leads to p of the next summary with 1 and to its q with
   mu = u; q_h leads to its q with phi = f. *)
Definition towards (h' : H) (h : H) (weight : K) : K := if h == h' then weight else 0.
Definition appendix_A : wfa K S (sum_finite H H) :=
  @Wfa K S (sum_finite H H)
    (fun q => match q with inl h => towards h_0 h 1 | inr h => towards h_0 h c_0 end)
    (fun x p q => match p, q with
       | inl h, inl h' => towards (remember h x) h' 1
       | inl h, inr h' => towards (remember h x) h' (u h x)
       | inr h, inr h' => towards (remember h x) h' (f h x)
       | inr _, inl _ => 0
       end)
    (fun q => if q is inr _ then 1 else 0).

(* Forward's vector: 1 at p and c at q of the summary that was reached. *)
Definition at_summary (state : H * K) (q : H + H) : K :=
  match q with inl h => towards state.1 h 1 | inr h => towards state.1 h state.2 end.

Lemma sum_towards h (weight : K) (F : H -> K) : \sum_(q : H) towards h q weight * F q = weight * F h.
Proof. by rewrite (sum_at (p := h)) /towards ?eqxx // => q /negbTE ->; rewrite times0w. Qed.

(* It scores every word as the network does, whatever the summary is. The network writes f c, and a path c f: the weights commute. *)
Theorem proposition_11 : commutative (@times K) -> forall w, score appendix_A w = summing w.
Proof.
move=> timesC w; rewrite (score_is_inv (next := summing_next) (start := (h_0, c_0)) (inv := at_summary)) => [|[]|[h c] x [h'|h']] //.
- by rewrite sum_sum (eq_sum (fun q => timesw0 _)) sum0 plus0w sum_towards timesw1.
- by rewrite sum_sum sum_towards (eq_sum (fun q => timesw0 _)) sum0 plusw0 times1w.
rewrite sum_sum !sum_towards /= times1w /towards; case: eqP => // _; last by rewrite timesw0 plusw0.
by rewrite plusC timesC.
Qed.

(* Appendix A as printed: out of p of the empty history, which it calls q_0, tau(q_0, p_a, a) = 1 is the only way. *)
Definition appendix_A_as_printed : wfa K S (sum_finite H H) :=
  @Wfa K S (sum_finite H H) (initial appendix_A)
    (fun x p q => match p, q with inl h, inr h' => if h == h_0 then 0 else transition appendix_A x p q | _, _ => transition appendix_A x p q end)
    (final appendix_A).
End Summary.

(* Its score of a word of one symbol is 0, where c_0 = 0, and the network is u: wherever u is not 0. *)
Theorem printed_is_refuted (K : semiring) (S : Type) (H : finite) (h_0 : H) (remember : H -> S -> H) (f u : H -> S -> K) x :
  u h_0 x <> 0 -> score (appendix_A_as_printed h_0 remember 0 f u) [:: x] <> summing h_0 remember 0 f u [:: x].
Proof.
rewrite /summing /= timesw0 plus0w => not_0; suff -> : score (appendix_A_as_printed h_0 remember 0 f u) [:: x] = 0 by apply/nesym.
rewrite /score sum_sum (eq_sum (fun q => timesw0 _)) sum0 plus0w -[RHS](sum0 K H); apply: eq_sum => h' /=.
rewrite timesw1 /forward /= /forward_step sum_sum /= sum_towards eqxx timesw0 plus0w.
by rewrite sum_towards times0w.
Qed.

(* Windows: the last K = k + 1 symbols, fewer at the start of a word, where the padding stands before it. *)
Section Windows.
Variables (K : semiring) (S : finType) (k : nat) (c_0 : K) (f u : seq S -> K).

Definition last_of n (w : seq S) : seq S := drop (size w - n) w.

(* c_t = f_t c_{t-1} + u_t, with gates that read the last K symbols, x_t among them: the network reads its word from the start. *)
Definition windowed_next (state : seq S * K) (x : S) : seq S * K :=
  let read := rcons state.1 x in (read, f (last_of k.+1 read) * state.2 + u (last_of k.+1 read)).
Definition windowed (w : seq S) : K := (run windowed_next ([::], c_0) w).2.

(* A history: at most K - 1 symbols. *)
Definition history : finite := of_finType (bseq_finType k S).

Lemma last_of_size w : (size (last_of k w) <= k)%N.
Proof. by rewrite size_drop leq_subLR addnC -leq_subLR. Qed.
Definition remembered (w : seq S) : k.-bseq S := Bseq (last_of_size w).
Definition remember_more (h : k.-bseq S) (x : S) : k.-bseq S := remembered (rcons h x).

Lemma last_of_rcons n w x : last_of n.+1 (rcons w x) = rcons (last_of n w) x.
Proof. by rewrite /last_of size_rcons subSS drop_rcons // leq_subr. Qed.

Lemma last_of_last w x : last_of k (rcons (last_of k w) x) = last_of k (rcons w x).
Proof.
rewrite /last_of !size_rcons size_drop -drop_rcons ?leq_subr // drop_drop; congr (drop _ _).
have [le|lt] := leqP (size w) k; first by move: le; rewrite -subn_eq0 => /eqP ->; rewrite subn0 addn0.
by rewrite subKn ?(ltnW lt) // subSnn add1n subSn // ltnW.
Qed.

Lemma windowed_is_summing w : windowed w = summing (remembered [::] : history) remember_more c_0 (fun h x => f (rcons h x)) (fun h x => u (rcons h x)) w.
Proof.
rewrite /windowed /summing; set next := summing_next _ _ _.
suff both : run next (remembered [::], c_0) w = (remembered w, (run windowed_next ([::], c_0) w).2) /\ (run windowed_next ([::], c_0) w).1 = w.
  by case: both => -> _.
elim/last_ind: w => [|w x [IH read]] //; rewrite !run_rcons IH /= read; split=> //.
rewrite /next /summing_next /= last_of_rcons; congr (_, _).
by apply: val_inj; rewrite /= last_of_last.
Qed.

(* Proposition 11 for any window: appendix A with tau(q_0, q_b, b) = mu_pad(b). *)
Theorem proposition_11_windows : commutative (@times K) -> forall w,
  score (appendix_A (remembered [::] : history) remember_more c_0 (fun h x => f (rcons h x)) (fun h x => u (rcons h x))) w = windowed w.
Proof. by move=> timesC w; rewrite windowed_is_summing proposition_11. Qed.

(* With c_0 = 0 and K of 2 or more nothing leads to q of the empty history, and it can go. *)
Definition nonempty : finite := of_finType [finType of {h : k.-bseq S | h != [bseq]}].
Definition kept (q : history + nonempty) : history + history := match q with inl h => inl h | inr h => inr (val h) end.
Definition appendix_A_without_q_0 : wfa K S (sum_finite history nonempty) :=
  let A := appendix_A (remembered [::] : history) remember_more 0 (fun h x => f (rcons h x)) (fun h x => u (rcons h x)) in
  @Wfa K S (sum_finite history nonempty)
    (fun q => initial A (kept q)) (fun x p q => transition A x (kept p) (kept q)) (fun q => final A (kept q)).

Lemma sum_towards_nonempty (h : k.-bseq S) weight (F : k.-bseq S -> K) :
  (h == [bseq] -> weight = 0) -> \sum_(q : nonempty) towards (h : history) (val q) weight * F (val q) = weight * F h.
Proof.
move=> no_weight; have [empty|full] := boolP (h == [bseq]).
  rewrite no_weight // times0w -[RHS](sum0 K nonempty); apply: eq_sum => q.
  by rewrite /towards; case: ifP => _; rewrite times0w.
rewrite (sum_at (p := exist _ h full : nonempty)) /towards /= ?eqxx // => q ne.
by rewrite ifN ?times0w //; apply: contra ne => /eqP eq; apply/eqP/val_inj.
Qed.

Theorem proposition_11_without_q_0 : (0 < k)%N -> c_0 = 0 -> commutative (@times K) -> forall w, score appendix_A_without_q_0 w = windowed w.
Proof.
move=> some zero timesC w; rewrite windowed_is_summing zero.
pose next := @summing_next K S history remember_more (fun h x => f (rcons h x)) (fun h x => u (rcons h x)).
have never (h : history) x : remember_more h x == [bseq] = false.
  by rewrite -val_eqE /= -size_eq0 size_drop size_rcons -minnE gtn_eqF // leq_min some.
pose zero_if_empty (state : history * K) := state.1 == [bseq] -> state.2 = 0.
have on state x : zero_if_empty state -> zero_if_empty (next state x) by rewrite /zero_if_empty /= never.
rewrite (score_is_inv_reached (next := next) (start := (remembered [::] : history, 0))
  (reached := zero_if_empty) (inv := fun state q => at_summary state (kept q))) => [|||[]|[h c] x [h'|h']] //.
- rewrite sum_sum (eq_sum (fun q => timesw0 _)) sum0 plus0w.
  apply: etrans (sum_towards_nonempty (fun=> 1) _) _; last exact: timesw1.
  by apply: (is_reached (reached := zero_if_empty)).
- by move=> _; rewrite sum_sum sum_towards (eq_sum (fun q => timesw0 _)) sum0 plusw0 times1w.
move=> zero_c; rewrite sum_sum sum_towards times1w.
rewrite (_ : \sum_(p : nonempty) _ = c * towards (remember_more h x : history) (val h') (f (rcons h x))); last first.
  exact: (sum_towards_nonempty (fun q => towards (remember_more q x : history) (val h') (f (rcons q x))) zero_c).
by rewrite /= /towards; case: eqP => // _; rewrite ?timesw0 ?plusw0 // plusC timesC.
Qed.

(* Fewer states: 1 (None), and for each word of at most K - 1 symbols what c is after reading it next. *)
Definition ahead : wfa K S (option_finite history) :=
  @Wfa K S (option_finite history)
    (fun q => if q is Some v then (run windowed_next ([::], c_0) (v : k.-bseq S)).2 else 1)
    (fun x p q => match p, q with
       | None, None => 1
       | None, Some v => if (size v < k)%N then 0 else u (x :: v)
       | Some t, Some v => if (t : k.-bseq S) == (if (size v < k)%N then x :: v else belast x v) :> seq S
                           then (if (size v < k)%N then 1 else f (x :: v)) else 0
       | Some _, None => 0
       end)
    (fun q => if q is Some v then (if v == [::] :> seq S then 1 else 0) else 0).

Definition after_reading (state : seq S * K) (q : option history) : K :=
  if q is Some v then (run windowed_next state (v : k.-bseq S)).2 else 1.

Lemma reads state w : (run windowed_next state w).1 = state.1 ++ w.
Proof. by elim/last_ind: w => [|w x IH]; rewrite ?cats0 // run_rcons /= IH rcons_cat. Qed.

(* They suffice: the smaller automaton scores every word as the network does. *)
Theorem proposition_11_with_fewer_states : commutative (@times K) -> forall w, score ahead w = windowed w.
Proof.
move=> timesC w; rewrite (score_is_inv (next := windowed_next) (start := ([::], c_0)) (inv := after_reading)) => [|[]|[p c] x [v|]] //.
- rewrite sum_option timesw0 plus0w (sum_at (p := [bseq] : history)) /= ?timesw1 // => v.
  by rewrite -val_eqE /= => /negbTE ->; rewrite timesw0.
- rewrite sum_option times1w [RHS]/=.
  have v_k: (size v <= k)%N := valP (v : k.-bseq S).
  have [t def_t]: exists t : k.-bseq S, t = (if (size v < k)%N then x :: v else belast x v) :> seq S.
    have b_k: (size (belast x v) <= k)%N by rewrite size_belast.
    by case: ifP => lt; [exists (Bseq (lt : (size (x :: v) <= k)%N)) | exists (Bseq b_k)].
  rewrite (sum_at (p := t : history)) => [|t' ne]; last first.
    by rewrite /= -def_t ifN ?timesw0 //; apply: contra ne => /eqP/val_inj ->.
  rewrite /= def_t eqxx; case: ifP => lt; first by rewrite plus0w timesw1.
  have def_k : size v = k by apply/eqP; rewrite eqn_leq v_k leqNgt lt.
  have -> : run windowed_next (windowed_next (p, c) x) v = run windowed_next (p, c) (rcons (belast x v) (last x v)) by rewrite -lastI.
  rewrite run_rcons [in RHS]/windowed_next /=.
  have -> : rcons (run windowed_next (p, c) (belast x v)).1 (last x v) = p ++ x :: v.
    by rewrite reads /= lastI rcons_cat.
  have -> : last_of k.+1 (p ++ x :: v) = x :: v.
    by rewrite /last_of size_cat /= def_k addnK drop_size_cat.
  by rewrite plusC timesC.
by rewrite sum_option times1w (eq_sum (fun q => timesw0 _)) sum0 plusw0.
Qed.

(* How many states there are, with s symbols: 2 (s + ... + s^(K-1)) + 1 in appendix A, and 2 + s + ... + s^(K-1). *)
Theorem states_of_proposition_11 :
  card (sum_finite history nonempty) = (2 * (\sum_(1 <= i < k.+1) #|S| ^ i) + 1)%N /\
  card (option_finite history) = (2 + \sum_(1 <= i < k.+1) #|S| ^ i)%N.
Proof.
have histories : #|{: k.-bseq S}| = (1 + \sum_(1 <= i < k.+1) #|S| ^ i)%N.
  by rewrite card_bseq -(big_mkord xpredT (fun i => #|S| ^ i)%N) big_ltn // expn0.
have others : #|{: {h : k.-bseq S | h != [bseq]}}| = (\sum_(1 <= i < k.+1) #|S| ^ i)%N.
  have := cardC1 ([bseq] : k.-bseq S); rewrite histories add1n /= card_sig => <-.
  exact: eq_card.
split; last by rewrite card_option card_finType histories.
by rewrite card_sum !card_finType histories others mul2n -addnn addnAC add1n addn1 addSn.
Qed.



End Windows.
