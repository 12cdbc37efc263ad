(* A softmax at a temperature, and its bounds by the gaps between the similarities (Wang & Niepert 2019, equation 3 and appendix A.2). *)

From mathcomp Require Import all_ssreflect all_algebra.
From ratproof Require Import semiring sums instances exponential.
Import Order.TTheory GRing.Theory Num.Theory.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Local Open Scope ring_scope.

(* A sum over indices, in a ring, is mathcomp's sum. *)
Lemma sum_ord (R : ringType) k (F : 'I_k -> R) : sum (K := of_ring R) (fun i : place k => F i) = \sum_(i < k) F i.
Proof. by elim: k F => [|k IH] F; rewrite ?big_ord0 // sum_place big_ord_recl IH. Qed.

Section Softmax.
Variables (R : realFieldType) (e : exponential R) (n : nat) (b : 'I_n.+1 -> R) (tau : R).
Hypothesis tau_positive : 0 < tau.

(* alpha_i = exp(b_i / tau) / sum_j exp(b_j / tau), for k = n + 1 similarities b. *)
Definition softmax (i : 'I_n.+1) : R := e (b i / tau) / \sum_(j < n.+1) e (b j / tau).

(* The lower bound 1 / (1 + (k - 1) exp(- gap / tau)) if the similarity of M exceeds all others by the gap; and the upper bound
   1 / (1 + exp(- most / tau)) if it exceeds another one by at most most. *)
Definition margin_bound (gap : R) : R := (1 + n%:R * e (- (gap / tau)))^-1.
Definition margin_ceiling (most : R) : R := (1 + e (- (most / tau)))^-1.

Lemma sum_positive : 0 < \sum_(j < n.+1) e (b j / tau).
Proof. by rewrite big_ord_recl ltr_paddr ?exp_positive // sumr_ge0 // => j _; apply: exp_ge0. Qed.

Lemma softmax_ge0 i : 0 <= softmax i.
Proof. by rewrite divr_ge0 ?exp_ge0 // ltW ?sum_positive. Qed.

Lemma sum_softmax : \sum_(i < n.+1) softmax i = 1.
Proof. by rewrite -mulr_suml divff // lt0r_neq0 // sum_positive. Qed.

Lemma margin_bound_ge0 gap : 0 <= margin_bound gap.
Proof. by rewrite invr_ge0 addr_ge0 ?ler01 ?mulr_ge0 ?ler0n ?exp_ge0. Qed.

Lemma margin_ceiling_below_1 most : 0 < margin_ceiling most < 1.
Proof.
have more : 0 < e (- (most / tau)) by apply: exp_positive.
by rewrite invr_gt0 invf_lt1 ?addr_gt0 ?ltr01 // ltr_addl more.
Qed.

(* The lower bound, if the similarity of M exceeds all others by the gap. *)
Theorem softmax_is_at_least M gap : (forall j, j != M -> b j + gap <= b M) -> margin_bound gap <= softmax M.
Proof.
move=> leads; rewrite /softmax ler_pdivl_mulr ?sum_positive // mulrC ler_pdivr_mulr; last first.
  by rewrite ltr_spaddl ?ltr01 ?mulr_ge0 ?ler0n ?exp_ge0.
rewrite (bigD1 M) //= mulrDr mulr1 ler_add2l mulrCA -exp_adds.
apply: le_trans (ler_sum _ (_ : forall j, j != M -> _ <= e (b M / tau + - (gap / tau)))) _ => [j ne|].
  by apply: exp_le; rewrite -mulrBl ler_pmul2r ?invr_gt0 // ler_subr_addr leads.
by rewrite sumr_const cardC1 card_ord mulr_natl.
Qed.

(* The upper bound, if the similarity of M exceeds another one by at most most. *)
Theorem softmax_is_at_most M j most : j != M -> b M - most <= b j -> softmax M <= margin_ceiling most.
Proof.
move=> ne follows; rewrite /softmax ler_pdivr_mulr ?sum_positive // [X in _ <= X]mulrC ler_pdivl_mulr; last first.
  by rewrite addr_gt0 ?ltr01 ?exp_positive.
rewrite (bigD1 M) //= mulrDr mulr1 ler_add2l -exp_adds (bigD1 j) //= -[X in X <= _]addr0.
rewrite ler_add ?sumr_ge0 // => [|i _]; last exact: exp_ge0.
by apply: exp_le; rewrite -mulrBl ler_pmul2r ?invr_gt0.
Qed.
End Softmax.
