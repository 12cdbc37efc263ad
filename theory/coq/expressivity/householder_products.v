(* Products of Householder matrices permute and scale one-hot states (Grazzi et al. 2025): I - (e_p - e_q)(e_p - e_q)^T swaps the states p and q. *)

From mathcomp Require Import all_ssreflect ssralg ssrnum zmodp matrix.
From ratproof Require Import semiring sums automaton.
From ratproof.expressivity Require Import pd_ssm_emulation nonnegative_gates.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Section Products.
Variables (K : semiring) (Q S : finite) (minus : K).
Implicit Types (h : Q -> K) (p q : Q).

(* h <- h - beta k (k h), for a pair of beta and k, and the layer that takes these steps for each symbol. The product k h is computed once. *)
Definition reflect h (f : K * (Q -> K)) : Q -> K := let read := \sum_(i : Q) f.2 i * h i in fun j => h j + minus * (f.1 * (f.2 j * read)).
Definition product_layer (factors : S -> seq (K * (Q -> K))) (x_0 c : Q -> K) (w : seq S) : K :=
  \sum_(j : Q) c j * run (fun h x => foldl reflect h (factors x)) x_0 w j.

(* The key e_q, with which beta = 1 - d scales a component by d. *)
Definition one_hot q (i : Q) : K := if i == q then 1 else 0.
Definition scales (d : Q -> K) : seq (K * (Q -> K)) := [seq (1 + minus * d q, one_hot q) | q <- elements Q].

(* The key e_p - e_q; it is 0 if p is q. *)
Definition difference (pq : Q * Q) (i : Q) : K := one_hot pq.1 i + minus * one_hot pq.2 i.
Definition swap p q (i : Q) : Q := if i == p then q else if i == q then p else i.

(* The swaps of a permutation, at most one for each state of a list. The swap of a state with its image comes after those of the later states. *)
Fixpoint sorting (s : seq Q) (sigma : Q -> Q) : seq (Q * Q) :=
  if s is q :: s' then rcons (sorting s' (fun i => swap q (sigma q) (sigma i))) (q, sigma q) else [::].
Definition permutes (sigma : Q -> Q) : seq (K * (Q -> K)) := [seq (1, difference pq) | pq <- sorting (behead (elements Q)) sigma].

(* There is one step fewer than there are states. *)
Lemma size_permutes sigma : size (permutes sigma) = (card Q).-1.
Proof.
rewrite size_map /card -size_behead; elim: (behead _) sigma => //= q s IH sigma.
by rewrite size_rcons IH.
Qed.

Hypotheses (timesC : commutative (@times K)) (opposite : 1 + minus = 0).

Lemma sum_one_hot q h : \sum_(i : Q) one_hot q i * h i = h q.
Proof. by rewrite (sum_at (p := q)) /one_hot ?eqxx ?times1w // => i /negbTE ->; apply: times0w. Qed.

Lemma minus_twice (a : K) : minus * (minus * a) = a.
Proof. by rewrite -[RHS]plusw0 -(cancelled opposite (minus * a)) plusA cancelled // plus0w. Qed.

Lemma reflect_scale h q d j : reflect h (1 + minus * d, one_hot q) j = if j == q then d * h j else h j.
Proof.
rewrite /reflect /= sum_one_hot /one_hot; case: eqP => [->|_]; last by rewrite times0w !timesw0 plusw0.
by rewrite times1w timesDl times1w timesDr plusA cancelled // plus0w -timesA minus_twice.
Qed.

Lemma reflect_swap h p q j : reflect h (1, difference (p, q)) j = h (swap p q j).
Proof.
rewrite /reflect /difference /= times1w.
have -> : \sum_(i : Q) (one_hot p i + minus * one_hot q i) * h i = h p + minus * h q.
  under eq_sum do rewrite timesDl -timesA.
  by rewrite sumD -times_sum !sum_one_hot.
rewrite /one_hot /swap; case: (eqVneq j p) => [->|not_p]; case: (eqVneq _ q) => [<-|not_q].
- by rewrite timesw1 opposite times0w timesw0 plusw0.
- by rewrite timesw0 plusw0 times1w timesDr plusA cancelled // plus0w minus_twice.
- by rewrite timesw1 plus0w minus_twice plusC -plusA (plusC _ (h j)) cancelled // plusw0.
by rewrite timesw0 plus0w times0w timesw0 plusw0.
Qed.

Lemma eq_reflects h h' fs : h =1 h' -> foldl reflect h fs =1 foldl reflect h' fs.
Proof.
elim: fs h h' => //= f fs IH h h' same; apply: IH => j; rewrite /reflect same.
by congr (_ + minus * (_ * (_ * _))); apply: eq_sum => i; rewrite same.
Qed.

Lemma scaled h d j : foldl reflect h (scales d) j = d j * h j.
Proof.
suff general s : uniq s -> foldl reflect h [seq (1 + minus * d q, one_hot q) | q <- s] j = if j \in s then d j * h j else h j.
  by rewrite general ?elements_uniq // in_elements.
elim: s h => //= q s IH h /andP [new rest]; rewrite IH // reflect_scale in_cons.
by case: eqP => [->|_] //=; rewrite (negbTE new).
Qed.

Lemma swap_involutive p q : involutive (swap p q).
Proof.
move=> i; rewrite /swap; case: (eqVneq i p) => [->|not_p]; first by rewrite eqxx; case: eqP.
by case: (eqVneq i q) => [->|not_q]; rewrite ?eqxx // (negbTE not_p) (negbTE not_q).
Qed.

(* If a permutation fixes all states other than p and those of a list, the swaps of the list are the permutation. *)
Lemma sorted s sigma p h i : injective sigma -> (forall j, j \notin s -> j != p -> sigma j = j) ->
  foldl reflect h [seq (1, difference pq) | pq <- sorting s sigma] (sigma i) = h i.
Proof.
elim: s sigma i => [|q s IH] sigma i inj fixes /=.
  suff -> : sigma i = i by [].
  have [->|other] := eqVneq i p; last exact: fixes.
  by have [|other] := eqVneq (sigma p) p => //; apply: inj; rewrite fixes.
rewrite map_rcons foldl_rcons reflect_swap.
apply: (IH (fun i => swap q (sigma q) (sigma i))) => [j k /(can_inj (swap_involutive _ _))/inj //|j not_in not_p].
have [->|not_q] := eqVneq j q; first by rewrite /swap eqxx; case: eqP.
rewrite (fixes j) ?in_cons ?negb_or ?not_q // /swap (negbTE not_q).
case: eqP => // j_is; case/eqP: (not_q); apply: inj; rewrite -j_is; apply: fixes => //.
by rewrite in_cons negb_or not_q.
Qed.

Lemma permuted h sigma i : injective sigma -> foldl reflect h (permutes sigma) (sigma i) = h i.
Proof.
rewrite /permutes; have := in_elements i; case elements_are: (elements Q) => [//|p s] _ inj.
apply: (sorted (p := p)) => // j not_in not_p; have := in_elements j.
by rewrite elements_are in_cons (negbTE not_p) (negbTE not_in).
Qed.

Lemma reached_by (sigma : Q -> Q) j : injective sigma -> exists i, j = sigma i.
Proof.
move=> inj; have [|i _||_ same] := @uniq_min_size _ (map sigma (elements Q)) (elements Q).
- by rewrite map_inj_uniq ?elements_uniq.
- exact: in_elements.
- by rewrite size_map.
by have := in_elements j; rewrite -same => /mapP [i _ ->]; exists i.
Qed.

Variables (delta : S -> Q -> Q) (d : S -> Q -> K) (x_0 c : Q -> K).

(* A layer whose steps lead from each state i to delta i with the weight d i is the automaton of these transitions. *)
Lemma permutation_layer (factors : S -> seq (K * (Q -> K))) : (forall x, injective (delta x)) ->
  (forall x h i, foldl reflect h (factors x) (delta x i) = d x i * h i) ->
  forall w, score (of_maps delta d x_0 c) w = product_layer factors x_0 c w.
Proof.
move=> inj steps w; rewrite pd_ssm_emulation //; apply: eq_sum => j; congr (_ * _).
elim/last_ind: w j => [|w x IH] j //; rewrite !run_rcons.
have [i ->] := reached_by j (inj x); rewrite steps -IH /pd_next (sum_at (p := i)) => [|k other].
  by rewrite /column_one_hot eqxx times1w.
by rewrite /column_one_hot (inj_eq (inj x)) eq_sym (negbTE other) times0w.
Qed.

(* Every automaton whose symbols permute the states, with any weights, is such a layer, with 2 N - 1 factors for N states. *)
Theorem householder_products w : (forall x, injective (delta x)) ->
  score (of_maps delta d x_0 c) w = product_layer (fun x => scales (d x) ++ permutes (delta x)) x_0 c w.
Proof.
move=> inj; apply: permutation_layer => // x h i.
by rewrite foldl_cat permuted // scaled.
Qed.
End Products.

(* No product of any number of Householder matrices with |k| = 1 and beta in [0, 2] merges two one-hot states, because it makes no vector longer. *)
Section Norm.
Variables (R : realDomainType) (n : nat).
Local Open Scope ring_scope.
Import Order.TTheory GRing.Theory Num.Theory.
Implicit Types (x k : 'rV[R]_n) (f : R * 'rV[R]_n).

Definition inner k x : R := \sum_(i < n) k 0 i * x 0 i.
Definition shrink x f : 'rV[R]_n := x - (f.1 * inner f.2 x) *: f.2.
Definition allowed f : bool := (0 <= f.1 <= 2%:R) && (inner f.2 f.2 == 1).

Lemma inner_add k x y : inner k (x + y) = inner k x + inner k y.
Proof. by rewrite -big_split; apply: eq_bigr => i _; rewrite mxE mulrDr. Qed.

Lemma not_longer x f : allowed f -> inner (shrink x f) (shrink x f) <= inner x x.
Proof.
case: f => beta k /andP [/andP [beta0 beta2] /eqP unit]; rewrite /= in unit beta0 beta2.
pose t := inner k x; pose c := beta * t.
have -> : inner (shrink x (beta, k)) (shrink x (beta, k)) = inner x x - (c * t) *+ 2 + c ^+ 2.
  rewrite -[c ^+ 2]mulr1 -unit [in X in _ = X]/t /inner !mulr_sumr -sumrMnl -sumrB -big_split; apply: eq_bigr => i _.
  rewrite /shrink !mxE /= -/t -/c -!expr2 sqrrB exprMn; congr (_ - _ *+ 2 + _).
  by rewrite mulrCA [x 0 i * _]mulrC.
rewrite -addrA ger_addl addrC subr_le0 /c exprMn expr2 -!mulrA -expr2 -mulrnAr ler_wpmul2l //.
by rewrite -[_ *+ 2]mulr_natl ler_wpmul2r // sqr_ge0.
Qed.

Lemma products_not_longer x fs : all allowed fs -> inner (foldl shrink x fs) (foldl shrink x fs) <= inner x x.
Proof. by elim: fs x => //= f fs IH x /andP [one rest]; apply: le_trans (IH _ rest) (not_longer x one). Qed.

Lemma products_add x y fs : foldl shrink (x + y) fs = foldl shrink x fs + foldl shrink y fs.
Proof.
elim: fs x y => //= f fs IH x y; rewrite -IH; congr (foldl _ _ _).
by rewrite /shrink inner_add mulrDr scalerDl opprD addrACA.
Qed.

Lemma inner_one_hot (p q : 'I_n) : inner (delta_mx 0 p) (delta_mx 0 q) = (p == q)%:R.
Proof.
rewrite /inner (bigD1 p) //= big1 => [|i other]; last by rewrite !mxE eqxx /= (negbTE other) mul0r.
by rewrite !mxE !eqxx mul1r addr0.
Qed.

Theorem without_permutations_is_refuted fs (p q r : 'I_n) : all allowed fs -> p != q ->
  ~ (foldl shrink (delta_mx 0 p) fs = delta_mx 0 r /\ foldl shrink (delta_mx 0 q) fs = delta_mx 0 r).
Proof.
move=> all_allowed p_q [to_r too]; have := products_not_longer (delta_mx 0 p + delta_mx 0 q) all_allowed.
have twice (x y : 'rV[R]_n) : inner (x + y) (x + y) = inner x x + inner y y + (inner x y + inner y x).
  rewrite inner_add; have addl u v w : inner (u + v) w = inner u w + inner v w.
    by rewrite -big_split; apply: eq_bigr => i _; rewrite mxE mulrDl.
  by rewrite !addl [X in _ + X = _]addrC addrACA [X in _ + X = _]addrC.
rewrite products_add to_r too !twice !inner_one_hot !eqxx [q == p]eq_sym (negbTE p_q) !addr0.
by rewrite ger_addl leNgt addr_gt0 ?ltr01.
Qed.
End Norm.
