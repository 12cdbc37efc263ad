(* Appendix A (Peng et al. 2018, equation 22): the automaton that remembers a summary of the earlier symbols, for a unit whose gates read
   this summary and the symbol. *)

From mathcomp Require Import all_ssreflect.
From ratproof Require Import semiring sums automaton.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

(* For any finite summary h of the earlier symbols. *)
Section Summary.
Variables (K : semiring) (S : Type) (H : finite) (h_0 : H) (remember : H -> S -> H) (c_0 : K) (f u : H -> S -> K).

(* c_t = f_t c_{t-1} + u_t (equation 5c), where f_t and u_t read x_t and the summary of the earlier symbols. *)
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

(* The Forward vector: 1 at p_h and c at q_h, where h is the current summary. *)
Definition at_summary (state : H * K) (q : H + H) : K :=
  match q with inl h => towards state.1 h 1 | inr h => towards state.1 h state.2 end.

Lemma sum_towards h (weight : K) (F : H -> K) : \sum_(q : H) towards h q weight * F q = weight * F h.
Proof. by rewrite (sum_at (p := h)) /towards ?eqxx // => q /negbTE ->; rewrite times0w. Qed.

(* The automaton gives every word the same score as the network, for any summary. Weights must commute: the network computes f c, and a path computes
   c f. *)
Theorem appendix_A_is_summing : commutative (@times K) -> forall w, score appendix_A w = summing w.
Proof.
move=> timesC w; rewrite (score_is_inv (next := summing_next) (start := (h_0, c_0)) (inv := at_summary)) => [|[]|[h c] x [h'|h']] //.
- by rewrite sum_sum (eq_sum (fun q => timesw0 _)) sum0 plus0w sum_towards timesw1.
- by rewrite sum_sum sum_towards (eq_sum (fun q => timesw0 _)) sum0 plusw0 times1w.
rewrite sum_sum !sum_towards /= times1w /towards; case: eqP => // _; last by rewrite timesw0 plusw0.
by rewrite plusC timesC.
Qed.

(* Appendix A as printed: tau(q_0, p_a, a) = 1 is the only transition from q_0, which is p of the empty history. *)
Definition appendix_A_as_printed : wfa K S (sum_finite H H) :=
  @Wfa K S (sum_finite H H) (initial appendix_A)
    (fun x p q => match p, q with inl h, inr h' => if h == h_0 then 0 else transition appendix_A x p q | _, _ => transition appendix_A x p q end)
    (final appendix_A).
End Summary.

(* The printed automaton gives a word of one symbol the score 0 if c_0 = 0, but the network is u, which need not be 0. *)
Theorem appendix_A_as_printed_is_refuted (K : semiring) (S : Type) (H : finite) (h_0 : H) (remember : H -> S -> H) (f u : H -> S -> K) x :
  u h_0 x <> 0 -> score (appendix_A_as_printed h_0 remember 0 f u) [:: x] <> summing h_0 remember 0 f u [:: x].
Proof.
rewrite /summing /= timesw0 plus0w => not_0; suff -> : score (appendix_A_as_printed h_0 remember 0 f u) [:: x] = 0 by apply/nesym.
rewrite /score sum_sum (eq_sum (fun q => timesw0 _)) sum0 plus0w -[RHS](sum0 K H); apply: eq_sum => h' /=.
rewrite timesw1 /forward /= /forward_step sum_sum /= sum_towards eqxx timesw0 plus0w.
by rewrite sum_towards times0w.
Qed.
