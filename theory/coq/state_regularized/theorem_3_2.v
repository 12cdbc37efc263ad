(* SR Theorem 3.2 (Wang & Niepert 2019, section 3 and appendix A.2): at low temperatures a state-regularized network is a DFA.

   The exponential is any positive, increasing homomorphism; the field is any ordered one, Archimedean for the limit. *)

From mathcomp Require Import all_ssreflect all_algebra.
From ratproof Require Import semiring sums automaton paths instances exponential deterministic.
From ratproof.state_regularized Require Import theorem_3_1.
From ratproof.state_regularized.shared Require Import limit_network softmax integer_network.
Import Order.TTheory GRing.Theory Num.Theory.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Local Open Scope ring_scope.

(* In the limit, if the greatest similarity is unique at every reachable state, the probability of being at j after a word is 1 for the state of
   the DFA, and 0 for every other state. *)
Theorem theorem_3_2 (R : realFieldType) (S : eqType) k (b : 'I_k -> S -> 'I_k -> R) (delta : 'I_k -> S -> 'I_k) (start : 'I_k) :
  (forall i x j, (exists w : seq S, run delta start w = i) -> j != delta i x -> b i x j < b i x (delta i x)) ->
  forall w j, sampled (K := of_ring R) (fun i x => in_the_limit (b i x)) id start (Some start) w j = (if run delta start w == j then 1 else 0) :> R.
Proof. exact: equation_4_is_dfa. Qed.

(* If there is a tie, the limit network is not a DFA: if two centroids are equally probable, the network is at each with probability 1/2, and the DFA
   is at the first. *)
Theorem printed_is_refuted :
  ~ (forall (S : eqType) n d (N : network S n d), distinct N -> forall w j,
     sampled (limit_cell N) (centroid N) (centroid N ord0) (Some ord0) w j =
     score (deterministic rationals (D := place n.+1) ord0 (fun i => most_probable N (centroid N i)) (fun i => i == j)) w).
Proof.
pose N := Network (S := unit) (n := 1) (d := 1) false 1 (fun i _ => Posz i) (fun _ _ => Posz 0) (fun _ _ => Posz 0).
have apart : distinct N by move=> [[|[|i]] lt_i] [[|[|j]] lt_j] // _; apply: val_inj.
move=> all; have := congr1 Qcanon.this (all unit_eqType 1%N 1%N N apart [:: tt] ord0).
by rewrite deterministic_score -computed_sampled_is_sampled; vm_compute.
Qed.

(* The DFA delta whose transitions have the cell's probabilities as weights: its score is the likelihood of its trajectory. *)
Section Weighted.
Variables (K : semiring) (S : eqType) (n : nat) (alpha : 'I_n.+1 -> S -> 'I_n.+1 -> K) (delta : 'I_n.+1 -> S -> 'I_n.+1).

Fixpoint path_of (q : 'I_n.+1) (w : seq S) : seq 'I_n.+1 := if w is x :: w' then delta q x :: path_of (delta q x) w' else [::].
Definition weighted_dfa (q_0 : 'I_n.+1) : wfa K S (place n.+1) :=
  @Wfa K S (place n.+1) (fun q => if q == q_0 then 1 else 0)%W (fun x p q => if q == delta p x then alpha p x q else 0)%W (fun _ => 1%W).

Lemma weighted_dfa_score q_0 w : score (weighted_dfa q_0) w = likelihood alpha id q_0 w (path_of q_0 w).
Proof.
rewrite -score_without_epsilon score_from (sum_at (p := q_0 : place n.+1)) => [|q /negbTE ne]; last by rewrite /= ne times0w.
rewrite [initial _ _]/= eqxx times1w; suff rest q : from (weighted_dfa q_0) (fun _ _ => 0%W) 0 w q = likelihood alpha id q w (path_of q w) by [].
elim: w q => // x w IH q.
rewrite [LHS]/= /paths.reached (sum_at (p := delta q x : place n.+1)) => [|p /negbTE ne]; last by rewrite /= ne times0w.
by rewrite /= eqxx IH.
Qed.
End Weighted.

Section Following.
Variables (R : realFieldType) (e : exponential R) (S : eqType) (n : nat).
Variables (b : 'I_n.+1 -> S -> 'I_n.+1 -> R) (delta : 'I_n.+1 -> S -> 'I_n.+1) (tau : R).
Hypothesis tau_positive : 0 < tau.

(* Equation 4 at the centroids: b q x are the similarities from the centroid q with the symbol x. The run that the DFA delta takes. *)
Definition dfa_path : 'I_n.+1 -> seq S -> seq 'I_n.+1 := path_of delta.

(* The probability of following the DFA, which is the likelihood of this trajectory (Theorem 3.1). *)
Definition follows (q : 'I_n.+1) (w : seq S) : R :=
  likelihood (K := of_ring R) (fun q' x j => softmax e (b q' x) tau j) id q w (dfa_path q w).

Definition reached_from (q_0 q : 'I_n.+1) : Prop := exists w, run delta q_0 w = q.

Lemma reached_next q_0 q x : reached_from q_0 q -> reached_from q_0 (delta q x).
Proof. by case=> w <-; exists (rcons w x); rewrite run_rcons. Qed.

(* If each reachable state and symbol has its own gap, the probability is at least the product of the bounds along the word. *)
Fixpoint bound_along (gap : 'I_n.+1 -> S -> R) (q : 'I_n.+1) (w : seq S) : R :=
  if w is x :: w' then margin_bound e n tau (gap q x) * bound_along gap (delta q x) w' else 1.

Theorem theorem_3_2_bound gap q_0 :
  (forall q x j, reached_from q_0 q -> j != delta q x -> b q x j + gap q x <= b q x (delta q x)) ->
  forall w, bound_along gap q_0 w <= follows q_0 w.
Proof.
move=> leads; suff all w q : reached_from q_0 q -> 0 <= bound_along gap q w <= follows q w.
  by move=> w; have /andP[] := all w q_0 (ex_intro _ [::] erefl).
rewrite /follows; elim: w q => [|x w IH] q reach_q; first by rewrite ler01 lexx.
have /andP[ge0 le] := IH _ (reached_next x reach_q).
rewrite /= mulr_ge0 ?margin_bound_ge0 //=; apply: ler_pmul; rewrite ?margin_bound_ge0 //.
by apply: softmax_is_at_least => // j; apply: leads.
Qed.

(* If one gap, which must be assumed, holds at all reachable states and symbols, the probability is at least the bound to the power of the length. *)
Theorem follows_at_least gap q_0 :
  (forall q x j, reached_from q_0 q -> j != delta q x -> b q x j + gap <= b q x (delta q x)) ->
  forall w, margin_bound e n tau gap ^+ size w <= follows q_0 w.
Proof.
move=> leads; suff all w q : reached_from q_0 q -> margin_bound e n tau gap ^+ size w <= follows q w.
  by move=> w; apply: all; exists [::].
rewrite /follows; elim: w q => [|x w IH] q reach_q; first by rewrite expr0.
rewrite exprS; apply: ler_pmul; rewrite ?exprn_ge0 ?margin_bound_ge0 //; last exact/IH/reached_next.
by apply: softmax_is_at_least => // j; apply: leads.
Qed.

(* The limit is not uniform in the length: at every temperature the probability falls at least as fast as a power of a number below 1. *)
Theorem follows_at_most most q_0 :
  (forall q x, reached_from q_0 q -> exists2 j, j != delta q x & b q x (delta q x) - most <= b q x j) ->
  margin_ceiling e tau most < 1 /\ forall w, follows q_0 w <= margin_ceiling e tau most ^+ size w.
Proof.
move=> near; have /andP[positive below] := margin_ceiling_below_1 e tau most; split=> // w.
suff all q : reached_from q_0 q -> follows q w <= margin_ceiling e tau most ^+ size w by apply: all; exists [::].
rewrite /follows; elim: w q => [|x w IH] q reach_q; first by rewrite expr0.
have [j ne close] := near q x reach_q.
rewrite exprS; apply: ler_pmul; rewrite ?softmax_ge0 //; last exact/IH/reached_next.
  elim: {IH} w (delta q x) => [|y w IH] q' /=; first exact: ler01.
  by apply: mulr_ge0 => //; apply: softmax_ge0.
exact: softmax_is_at_most ne close.
Qed.
End Following.

(* The limit as the temperature tends to 0: for each word and each epsilon, the probability is at least 1 - epsilon at all low enough temperatures. *)
Section Limit.
Variables (R : archiFieldType) (e : exponential R) (S : eqType) (n : nat).
Variables (b : 'I_n.+1 -> S -> 'I_n.+1 -> R) (delta : 'I_n.+1 -> S -> 'I_n.+1) (q_0 : 'I_n.+1) (gap : R).
Hypothesis gap_positive : 0 < gap.
Hypothesis leads : forall q x j, reached_from delta q_0 q -> j != delta q x -> b q x j + gap <= b q x (delta q x).

Lemma bernoulli (x : R) m : 0 <= x -> 1 + x *+ m <= (1 + x) ^+ m.
Proof.
move=> x_ge0; elim: m => [|m IH]; first by rewrite expr0 mulr0n addr0.
rewrite exprSr mulrDr mulr1; apply: le_trans (_ : _ <= (1 + x *+ m) + x) _; first by rewrite mulrSr addrA.
rewrite ler_add // ler_pemull // exprn_ege1 // ler_addl.
by [].
Qed.

Lemma bernoulli_down (y : R) m : 0 <= y <= 1 -> 1 - y *+ m <= (1 - y) ^+ m.
Proof.
case/andP=> y_ge0 y_le1; elim: m => [|m IH]; first by rewrite expr0 mulr0n subr0.
rewrite exprSr mulrBr mulr1 mulrSr opprD addrA ler_sub // ler_pimull // exprn_ile1 ?subr_ge0 // ler_subl_addr ler_addl.
by [].
Qed.

Lemma exp_unbounded (most : R) : exists N, most <= e N.+1%:R.
Proof.
have d_positive : 0 < e 1 - 1 by rewrite subr_gt0 -[X in X < _](exp0 e); apply: exp_increasing; apply: ltr01.
exists (Num.bound (`|most| / (e 1 - 1))); set N := Num.bound _.
have enough : `|most| <= (e 1 - 1) *+ N.+1.
  rewrite -mulr_natr mulrC -ler_pdivr_mulr //; apply: le_trans (ltW (archi_boundP _)) _.
    by rewrite divr_ge0 ?normr_ge0 ?ltW.
  by rewrite ler_nat.
apply: le_trans (ler_norm _) (le_trans enough _).
have -> : e N.+1%:R = (1 + (e 1 - 1)) ^+ N.+1 by rewrite [1 + _]addrC subrK -expM.
by apply: le_trans (bernoulli _ (ltW d_positive)); rewrite ler_addr ler01.
Qed.

(* So no temperature works for all lengths: from some length on, the probability is below one half. *)
Theorem printed_uniform_is_refuted tau most : 0 < tau ->
  (forall q x, reached_from delta q_0 q -> exists2 j, j != delta q x & b q x (delta q x) - most <= b q x j) ->
  exists m, forall w, (m <= size w)%N -> follows e b delta tau q_0 w < 2^-1.
Proof.
move=> tau_positive near; have [below falls] := follows_at_most e tau_positive near.
set more := e (- (most / tau)); have more_positive : 0 < more by apply: exp_positive.
exists (Num.bound more^-1).+1 => w long; apply: le_lt_trans (falls w) _.
apply: le_lt_trans (_ : margin_ceiling e tau most ^+ (Num.bound more^-1).+1 < _).
  have /andP[/ltW ge0 /ltW le1] := margin_ceiling_below_1 e tau most.
  exact: ler_wiexpn2l ge0 le1 _ _ long.
rewrite /margin_ceiling -/more exprVn ltf_pinv ?posrE ?exprn_gt0 ?addr_gt0 ?ltr01 //.
apply: lt_le_trans (bernoulli _ (ltW more_positive)).
rewrite -[2]/(1 + 1) ltr_add2l mulrSr -mulr_natr.
apply: lt_le_trans (_ : more * (Num.bound more^-1)%:R <= _); last by rewrite ler_addl ltW.
by rewrite mulrC -ltr_pdivr_mulr // div1r archi_boundP // invr_ge0 ltW.
Qed.

Theorem follows_in_the_limit epsilon w : 0 < epsilon ->
  exists2 tau_0, 0 < tau_0 & forall tau, 0 < tau <= tau_0 -> 1 - epsilon <= follows e b delta tau q_0 w.
Proof.
move=> eps_positive; have [N large] := exp_unbounded ((n * size w)%:R / epsilon + n%:R).
exists (gap / N.+1%:R); first by rewrite divr_gt0 ?ltr0n.
move=> tau /andP[tau_positive tau_small]; apply: le_trans (follows_at_least e tau_positive leads w).
set g := e (- (gap / tau)).
have g_small : ((n * size w)%:R / epsilon + n%:R) * g <= 1.
  rewrite /g expN ler_pdivr_mulr ?exp_positive // mul1r; apply: le_trans large _; apply: exp_le.
  by rewrite ler_pdivl_mulr // mulrC -ler_pdivl_mulr ?ltr0n.
have g_ge0 : 0 <= g by apply: exp_ge0.
have a_ge0 : 0 <= n%:R * g by rewrite mulr_ge0 ?ler0n.
have a_le1 : n%:R * g <= 1.
  by apply: le_trans g_small; rewrite mulrDl ler_addr mulr_ge0 // divr_ge0 ?ler0n ?ltW.
have all_le : n%:R * g *+ size w <= epsilon.
  rewrite -mulr_natr mulrAC -natrM -[X in _ <= X]mul1r -ler_pdivr_mulr // mulrAC; apply: le_trans g_small.
  by rewrite mulrDl ler_addl.
apply: le_trans (_ : (1 - n%:R * g) ^+ size w <= _).
  by apply: le_trans (bernoulli_down _ _); rewrite ?a_ge0 // ler_sub.
rewrite ler_expn2r ?nnegrE ?subr_ge0 ?margin_bound_ge0 //.
rewrite /margin_bound -/g -[X in _ <= X]mul1r ler_pdivl_mulr ?ltr_spaddl ?ltr01 // mulrBl mul1r mulrDr mulr1 opprD.
by rewrite addrA addrK ler_subl_addr ler_addl mulr_ge0.
Qed.
End Limit.

(* The greatest similarity, if it is unique, exceeds all others by a gap. *)
Lemma gap_of_greatest (R : realFieldType) n (b : 'I_n.+1 -> R) M : (forall j, j != M -> b j < b M) ->
  exists2 gap, 0 < gap & forall j, j != M -> b j + gap <= b M.
Proof.
move=> greatest; pose total := 1 + \sum_(j | j != M) (b M - b j)^-1.
have term j : j != M -> 0 <= (b M - b j)^-1 by move/greatest => less; rewrite invr_ge0 subr_ge0 ltW.
have positive : 0 < total by rewrite ltr_paddr ?ltr01 // sumr_ge0.
exists total^-1 => [|j ne]; first by rewrite invr_gt0.
rewrite -ler_subr_addl -[X in _ <= X]invrK lef_pinv ?posrE ?invr_gt0 ?subr_gt0 ?greatest //.
by rewrite /total (bigD1 j) //= addrCA ler_addl addr_ge0 ?ler01 // sumr_ge0 // => k /andP[/term].
Qed.

(* As the temperature tends to 0, the softmax tends to the probabilities of the limit network, if the greatest similarity is unique. *)
Theorem softmax_in_the_limit (R : archiFieldType) (e : exponential R) n (b : 'I_n.+1 -> R) M epsilon :
  (forall j, j != M -> b j < b M) -> 0 < epsilon ->
  exists2 tau_0, 0 < tau_0 & forall tau, 0 < tau <= tau_0 -> forall j, `|softmax e b tau j - in_the_limit b j| <= epsilon.
Proof.
move=> greatest epsilon_positive; have [gap gap_positive leads] := gap_of_greatest greatest.
have [tau_0 positive near] : exists2 tau_0, 0 < tau_0 & forall tau, 0 < tau <= tau_0 -> 1 - epsilon <= softmax e b tau M.
  have [tau_0 positive near] := @follows_in_the_limit R e unit_eqType n (fun _ _ => b) (fun _ _ => M) M gap gap_positive (fun _ _ j _ => leads j) epsilon [:: tt] epsilon_positive.
  by exists tau_0 => // tau /near; rewrite /follows /= mulr1.
exists tau_0 => // tau small j; have at_least := near tau small.
have := sum_softmax e b tau; rewrite (bigD1 M) //=; set others := \sum_(_ | _) _ => total.
have rest : 1 - softmax e b tau M = others by rewrite -total addrAC subrr add0r.
have few : others <= epsilon by rewrite -rest ler_subl_addr -ler_subl_addl.
rewrite (in_the_limit_unique greatest); have [->|ne] := eqVneq j M.
  by rewrite distrC rest ger0_norm // sumr_ge0 // => k _; apply: softmax_ge0.
rewrite subr0 ger0_norm ?softmax_ge0 //; apply: le_trans few.
by rewrite /others (bigD1 j) //= ler_addl sumr_ge0 // => k _; apply: softmax_ge0.
Qed.

(* With equation 4, the probability that the run follows the DFA is the product of the alpha_M along the run: the score of the DFA with these
   transition weights. It is at least a power of the bound, and for each word it tends to 1 as the temperature tends to 0. *)
Theorem theorem_3_2_eq_4 (R : archiFieldType) (e : exponential R) (S : eqType) n (b : 'I_n.+1 -> S -> 'I_n.+1 -> R) (delta : 'I_n.+1 -> S -> 'I_n.+1)
    (q_0 : 'I_n.+1) (gap : R) :
  0 < gap -> (forall q x j, reached_from delta q_0 q -> j != delta q x -> b q x j + gap <= b q x (delta q x)) ->
  (forall tau, 0 < tau -> forall w,
     score (weighted_dfa (K := of_ring R) (fun q x j => softmax e (b q x) tau j) delta q_0) w = follows e b delta tau q_0 w /\
     margin_bound e n tau gap ^+ size w <= follows e b delta tau q_0 w) /\
  (forall epsilon w, 0 < epsilon -> exists2 tau_0, 0 < tau_0 & forall tau, 0 < tau <= tau_0 -> 1 - epsilon <= follows e b delta tau q_0 w).
Proof.
move=> gap_positive leads; split=> [tau tau_positive w|epsilon w]; last exact: follows_in_the_limit gap_positive leads epsilon w.
by split; [apply: weighted_dfa_score|apply: follows_at_least leads w].
Qed.
