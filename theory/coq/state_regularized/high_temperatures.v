(* High temperatures (Wang & Niepert 2019, section 3, equations 2 and 3): alpha becomes uniform. The exponential is any positive, increasing homomorphism. *)

From mathcomp Require Import all_ssreflect all_algebra.
From ratproof Require Import semiring sums automaton instances exponential.
From ratproof.state_regularized Require Import theorem_3_1 theorem_3_2.
From ratproof.state_regularized.shared Require Import softmax.
Import Order.TTheory GRing.Theory Num.Theory.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Local Open Scope ring_scope.

(* k = n + 1 similarities that differ by at most their spread. *)
Section Bound.
Variables (R : realFieldType) (e : exponential R) (n : nat) (b : 'I_n.+1 -> R) (spread tau : R).
Hypothesis tau_positive : 0 < tau.
Hypothesis close : forall i j, b i <= b j + spread.

(* k alpha_i is between exp(- spread / tau) and exp(spread / tau). *)
Theorem high_temperatures_bound i : e (- (spread / tau)) <= n.+1%:R * softmax e b tau i <= e (spread / tau).
Proof.
have each (i' j : 'I_n.+1) : e (b i' / tau) <= e (spread / tau) * e (b j / tau).
  by rewrite -exp_adds exp_le // -mulrDl ler_pmul2r ?invr_gt0 // addrC.
have total_of (x : R) : \sum_(j < n.+1) x = n.+1%:R * x by rewrite sumr_const card_ord mulr_natl.
rewrite /softmax mulrA ler_pdivl_mulr ?sum_positive // ler_pdivr_mulr ?sum_positive // !mulr_sumr -!total_of; apply/andP; split.
  apply: ler_sum => j _; rewrite expN [_^-1 * _]mulrC ler_pdivr_mulr ?exp_positive // [X in _ <= X]mulrC; exact: each.
by apply: ler_sum => j _; apply: each.
Qed.
End Bound.

(* As the temperature grows, alpha tends to the uniform distribution: every alpha_i to 1 / k. *)
Theorem high_temperatures_limit (R : archiFieldType) (e : exponential R) n (b : 'I_n.+1 -> R) (epsilon : R) : 0 < epsilon ->
  exists2 tau_0, 0 < tau_0 & forall tau, tau_0 <= tau -> forall i, `|softmax e b tau i - n.+1%:R^-1| <= epsilon.
Proof.
move=> eps_positive; pose total := \sum_(i < n.+1) `|b i|; pose spread := total + total.
have at_most_total i : `|b i| <= total by rewrite /total (bigD1 i) //= ler_addl sumr_ge0.
have total_ge0 : 0 <= total by apply: sumr_ge0.
have spread_ge0 : 0 <= spread by apply: addr_ge0.
have close i j : b i <= b j + spread.
  apply: le_trans (ler_norm _) (le_trans (at_most_total i) _); rewrite addrA ler_addr -ler_subl_addl sub0r.
  by apply: le_trans (ler_norm _) _; rewrite normrN.
pose N := Num.bound ((e 1 - 1) / epsilon).
have d_positive : 0 < e 1 - 1 by rewrite subr_gt0 -[X in X < _](exp0 e); apply: exp_increasing; apply: ltr01.
have small : e (N.+1%:R^-1) - 1 <= epsilon.
  have N_positive : 0 < N.+1%:R :> R by rewrite ltr0n.
  have grows : 1 + (e (N.+1%:R^-1) - 1) *+ N.+1 <= e 1.
    have ge0 : 0 <= e (N.+1%:R^-1) - 1 by rewrite subr_ge0 -[X in X <= _](exp0 e) exp_le // invr_ge0 ler0n.
    apply: le_trans (bernoulli _ ge0) _; rewrite [1 + _]addrC subrK -expM -[_ *+ N.+1]mulr_natr mulVf //; exact: lt0r_neq0.
  rewrite -(ler_pmul2r N_positive) mulr_natr; apply: le_trans (_ : e 1 - 1 <= _); first by rewrite ler_subr_addl.
  rewrite mulrC -ler_pdivr_mulr //; apply: ltW; apply: lt_le_trans (archi_boundP _) _; first by rewrite divr_ge0 // ltW.
  by rewrite ler_nat.
exists ((spread + 1) * N.+1%:R); first by rewrite mulr_gt0 ?ltr0n // ltr_paddl ?ltr01.
move=> tau large i; have tau_positive : 0 < tau by apply: lt_le_trans large; rewrite mulr_gt0 ?ltr0n // ltr_paddl ?ltr01.
have /andP[low high] := high_temperatures_bound e tau_positive close i.
set g := e (spread / tau) in low high *; have g_positive : 0 < g by apply: exp_positive.
have g_small : g - 1 <= epsilon.
  apply: le_trans small; rewrite ler_add2r exp_le // ler_pdivr_mulr // mulrC ler_pdivl_mulr ?ltr0n //.
  by apply: le_trans large; rewrite ler_pmul2r ?ltr0n // ler_addl ler01.
have k_positive : 0 < n.+1%:R :> R by rewrite ltr0n.
have -> : softmax e b tau i - n.+1%:R^-1 = (n.+1%:R * softmax e b tau i - 1) / n.+1%:R.
  by rewrite mulrBl mul1r mulrAC divff ?mul1r // lt0r_neq0.
rewrite normrM normfV [`|n.+1%:R|]ger0_norm ?ler0n // ler_pdivr_mulr //.
apply: le_trans (_ : epsilon <= _); last by rewrite ler_pmulr // ler1n.
rewrite ler_norml; apply/andP; split; last by apply: le_trans g_small; rewrite ler_add2r.
have lower : 1 - epsilon <= g^-1.
  apply: le_trans (_ : 1 - (g - 1) <= _); first by rewrite ler_add2l ler_opp2.
  rewrite -(ler_pmul2r g_positive) mulVf ?lt0r_neq0 // -subr_ge0.
  have -> : 1 - (1 - (g - 1)) * g = (g - 1) ^+ 2 by rewrite sqrrB1 !mulrBl !mul1r !opprB addrC expr2 mulr2n opprD addrA.
  exact: sqr_ge0.
rewrite ler_subr_addl; apply: le_trans lower _; rewrite -expN; exact: low.
Qed.

(* In the limit, with equation 4, the run is at every centroid with probability 1 / k after every nonempty word: an automaton with two states. *)
Definition two_states (K : semiring) (S : Type) (share : K) (first : bool) : wfa K S (place 2) := @Wfa K S (place 2)
  (fun q => if q == ord0 then 1 else 0)%W (fun _ _ q => if q == ord0 then 0 else 1)%W
  (fun q => if q == ord0 then if first then 1 else 0 else share)%W.

Theorem high_temperatures (R : numFieldType) (S : eqType) n (start j : 'I_n.+1) (w : seq S) : let share : of_ring R := n.+1%:R^-1 in
  score (two_states S share (start == j)) w = sampled (fun (_ : 'I_n.+1) (_ : S) (_ : 'I_n.+1) => share) id start (Some start) w j.
Proof.
move=> share; rewrite -theorem_3_1; set A := k_states _ _ _ _; pose k : R := n.+1%:R; have k_ne0 : k != 0 by rewrite pnatr_eq0.
have total_1 v : sum (K := of_ring R) (fun q : place n.+1 => forward A v q) = 1.
  elim/last_ind: v => [|v x IH]; first by rewrite (sum_at (p := start : place n.+1)) => [|q /negbTE ne]; rewrite /forward /run /= ?eqxx ?ne.
  rewrite (eq_sum (G := fun _ => k^-1 : of_ring R)) => [|q]; last by rewrite forward_rcons -sum_times IH; exact: mul1r.
  by rewrite sum_ord sumr_const card_ord -mulr_natl divff.
have last_of v x q : forward A (rcons v x) q = k^-1 by rewrite forward_rcons -sum_times total_1; exact: mul1r.
have final_at v : score A v = forward A v j.
  rewrite /score (sum_at (p := j : place n.+1)) /= ?eqxx => [|q /negbTE ->]; [exact: mulr1|exact: mulr0].
rewrite final_at; case/lastP: w => [|w x].
  by evaluated; rewrite /= eq_sym; case: ifP => _; rewrite /= !(mul1r, mul0r, addr0).
have ends v q : forward (two_states S share (start == j)) (rcons v x) q = if q == ord0 then 0 else 1.
  have total_2 : forall v, sum (K := of_ring R) (fun q : place 2 => forward (two_states S share (start == j)) v q) = 1.
    elim/last_ind => [|u y IH]; first by rewrite /forward /run /=; written_out; rewrite /= ?addr0.
    rewrite (eq_sum (G := fun q : 'I_2 => (if q == ord0 then 0 else 1) : of_ring R)) => [|p]; last by rewrite forward_rcons -sum_times IH; exact: mul1r.
    by written_out; rewrite /= add0r addr0.
  by rewrite forward_rcons -sum_times total_2; exact: mul1r.
rewrite last_of /score (eq_sum (G := fun q : 'I_2 => (if q == ord0 then 0 else k^-1) : of_ring R)) => [|q]; last first.
  by rewrite ends /=; case: ifP => _; [exact: mul0r|exact: mul1r].
by written_out; rewrite /= add0r addr0.
Qed.

(* At any temperature above 0, alpha is not uniform if two similarities differ. *)
Theorem without_limit_is_refuted (R : realFieldType) (e : exponential R) (tau : R) : 0 < tau ->
  ~ (forall n (b : 'I_n.+1 -> R) i, softmax e b tau i = n.+1%:R^-1).
Proof.
move=> tau_positive all; pose b (i : 'I_2) : R := if i == ord0 then 0 else 1.
have := all 1%N b ord0; rewrite -(all 1%N b (lift ord0 ord0)) /softmax => /(mulIf (invr_neq0 (lt0r_neq0 (sum_positive e b tau)))) same.
by have := exp_increasing e (_ : 0 / tau < 1 / tau); rewrite same ltxx mul0r divr_gt0 ?ltr01 // => /(_ erefl).
Qed.
