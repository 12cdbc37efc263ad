(* Gates that read a window of the last K symbols (Peng et al. 2018, section 4.1 and appendix A), and the two automata that remember the window. *)

From mathcomp Require Import all_ssreflect.
From ratproof Require Import semiring sums automaton.
From ratproof.rational_recurrences.shared Require Import appendix_A rational.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

(* The last n symbols of a word, fewer at its start. *)
Definition last_of (S : Type) n (w : seq S) : seq S := drop (size w - n) w.

Lemma last_of_rcons (S : Type) n (w : seq S) x : last_of n.+1 (rcons w x) = rcons (last_of n w) x.
Proof. by rewrite /last_of size_rcons subSS drop_rcons // leq_subr. Qed.

(* Windows: the last K = k + 1 symbols. At the start of a word, a window is shorter; padding stands before the word. *)
Section Windows.
Variables (K : semiring) (S : finType) (k : nat) (c_0 : K) (f u : seq S -> K).

(* c_t = f_t c_{t-1} + u_t, with gates that read the last K symbols, including x_t. The network's state contains the symbols so far. *)
Definition windowed_next (state : seq S * K) (x : S) : seq S * K :=
  let read := rcons state.1 x in (read, f (last_of k.+1 read) * state.2 + u (last_of k.+1 read)).
Definition windowed (w : seq S) : K := (run windowed_next ([::], c_0) w).2.

(* A history: at most K - 1 symbols. *)
Definition history : finite := of_finType (bseq_finType k S).

Lemma last_of_size (w : seq S) : (size (last_of k w) <= k)%N.
Proof. by rewrite size_drop leq_subLR addnC -leq_subLR. Qed.
Definition remembered (w : seq S) : k.-bseq S := Bseq (last_of_size w).
Definition remember_more (h : k.-bseq S) (x : S) : k.-bseq S := remembered (rcons h x).

Lemma last_of_last (w : seq S) x : last_of k (rcons (last_of k w) x) = last_of k (rcons w x).
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

(* For any window, appendix A with tau(q_0, q_b, b) = mu_pad(b) gives every word the same score as the network. *)
Lemma windowed_is_appendix_A : commutative (@times K) -> forall w,
  score (appendix_A (remembered [::] : history) remember_more c_0 (fun h x => f (rcons h x)) (fun h x => u (rcons h x))) w = windowed w.
Proof. by move=> timesC w; rewrite windowed_is_summing appendix_A_is_summing. Qed.

(* If c_0 = 0 and K >= 2, no transition enters the state q of the empty history, so it is removed. *)
Definition nonempty : finite := of_finType [finType of {h : k.-bseq S | h != [bseq]}].
Definition included (q : history + nonempty) : history + history := match q with inl h => inl h | inr h => inr (val h) end.
Definition appendix_A_without_q_0 : wfa K S (sum_finite history nonempty) :=
  let A := appendix_A (remembered [::] : history) remember_more 0 (fun h x => f (rcons h x)) (fun h x => u (rcons h x)) in
  @Wfa K S (sum_finite history nonempty)
    (fun q => initial A (included q)) (fun x p q => transition A x (included p) (included q)) (fun q => final A (included q)).

Lemma sum_towards_nonempty (h : k.-bseq S) weight (F : k.-bseq S -> K) :
  (h == [bseq] -> weight = 0) -> \sum_(q : nonempty) towards (h : history) (val q) weight * F (val q) = weight * F h.
Proof.
move=> no_weight; have [empty|full] := boolP (h == [bseq]).
  rewrite no_weight // times0w -[RHS](sum0 K nonempty); apply: eq_sum => q.
  by rewrite /towards; case: ifP => _; rewrite times0w.
rewrite (sum_at (p := exist _ h full : nonempty)) /towards /= ?eqxx // => q ne.
by rewrite ifN ?times0w //; apply: contra ne => /eqP eq; apply/eqP/val_inj.
Qed.

Lemma windowed_is_without_q_0 : (0 < k)%N -> c_0 = 0 -> commutative (@times K) -> forall w,
  score appendix_A_without_q_0 w = windowed w.
Proof.
move=> some zero timesC w; rewrite windowed_is_summing zero.
pose next := @summing_next K S history remember_more (fun h x => f (rcons h x)) (fun h x => u (rcons h x)).
have never (h : history) x : remember_more h x == [bseq] = false.
  by rewrite -val_eqE /= -size_eq0 size_drop size_rcons -minnE gtn_eqF // leq_min some.
pose zero_if_empty (state : history * K) := state.1 == [bseq] -> state.2 = 0.
have on state x : zero_if_empty state -> zero_if_empty (next state x) by rewrite /zero_if_empty /= never.
rewrite (score_is_inv_reached (next := next) (start := (remembered [::] : history, 0))
  (reached := zero_if_empty) (inv := fun state q => at_summary state (included q))) => [|||[]|[h c] x [h'|h']] //.
- rewrite sum_sum (eq_sum (fun q => timesw0 _)) sum0 plus0w.
  apply: etrans (sum_towards_nonempty (fun=> 1) _) _; last exact: timesw1.
  by apply: (is_reached (reached := zero_if_empty)).
- by move=> _; rewrite sum_sum sum_towards (eq_sum (fun q => timesw0 _)) sum0 plusw0 times1w.
move=> zero_c; rewrite sum_sum sum_towards times1w.
rewrite (_ : \sum_(p : nonempty) _ = c * towards (remember_more h x : history) (val h') (f (rcons h x))); last first.
  exact: (sum_towards_nonempty (fun q => towards (remember_more q x : history) (val h') (f (rcons q x))) zero_c).
by rewrite /= /towards; case: eqP => // _; rewrite ?timesw0 ?plusw0 // plusC timesC.
Qed.

(* Fewer states: 1 (None), and for each word of at most K - 1 symbols the value of c after this word is read next. *)
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

(* The smaller automaton also gives every word the same score as the network. *)
Lemma windowed_is_ahead : commutative (@times K) -> forall w, score ahead w = windowed w.
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
End Windows.

(* Appendix A as printed, with c_0 = 0, gives a word of one symbol the score 0, but the network is u of this window. *)
Lemma windowed_is_not_as_printed (K : semiring) (S : finType) k (f u : seq S -> K) x : u [:: x] <> 0 ->
  score (appendix_A_as_printed (remembered k [::] : history S k) (@remember_more _ k) 0 (fun h x => f (rcons h x)) (fun h x => u (rcons h x)))
    [:: x] <> windowed k 0 f u [:: x].
Proof. by move=> not_0; rewrite windowed_is_summing; apply: appendix_A_as_printed_is_refuted. Qed.

(* d units with gates that read windows are rational (Definition 8). *)
Theorem windowed_is_rational (K : semiring) (S : finType) d k (c_0 : 'I_d -> K) (f u : 'I_d -> seq S -> K) :
  commutative (@times K) -> rational (fun w i => windowed k (c_0 i) (f i) (u i) w).
Proof.
by move=> timesC; exists (fun=> option_finite (history S k)), (fun i => ahead k (c_0 i) (f i) (u i)) => w i; rewrite windowed_is_ahead.
Qed.
