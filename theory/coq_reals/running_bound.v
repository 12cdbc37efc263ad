(* The running error bound of ratproof's sampled comparisons (automata/rounding): a theorem about floats with any order of sums.

   It holds for the Forward algorithm of a weighted automaton over the rationals, with a format that has the unit roundoff u, the
   least normal number tiny and the largest number largest. *)

From Coq Require Import Reals QArith Qreals Qabs Qminmax List Lia Lra Psatz Bool Permutation.
Import ListNotations.
Open Scope R_scope.

Section Format.
Variables u tiny largest : Q.
Hypothesis u_positive : (0 < u)%Q.
Hypothesis u_small : (u <= 1 # 16)%Q.
Hypothesis tiny_positive : (0 < tiny)%Q.

(* What a program computes. Products and sums of numbers are rounded, unless they overflow. Products with 0, 1 and -1 and sums with 0 are exact. *)
Definition fits (x : R) : Prop := Rabs x <= Q2R largest / 2.
Definition multiplied (x y p : R) : Prop :=
  (fits (x * y) -> Rabs (p - x * y) <= Q2R u * Rabs (x * y) + Q2R tiny / 2) /\
  (x = 0 \/ Rabs x = 1 \/ y = 0 \/ Rabs y = 1 -> p = x * y).
Definition added (x y s : R) : Prop :=
  (fits (x + y) -> Rabs (s - (x + y)) <= Q2R u * Rabs (x + y)) /\ (x = 0 \/ y = 0 -> s = x + y).
(* The sum of the products of the entries of two vectors, in any order. *)
Inductive products : list R -> list R -> list R -> Prop :=
| no_products : products [] [] []
| more_products x y p xs ys ps : multiplied x y p -> products xs ys ps -> products (x :: xs) (y :: ys) (p :: ps).
Inductive sum_of : list R -> R -> Prop :=
| empty_sum : sum_of [] 0
| single p : sum_of [p] p
| larger ps qs a b s : sum_of ps a -> sum_of qs b -> added a b s -> sum_of (ps ++ qs) s
| reordered ps qs s : Permutation ps qs -> sum_of ps s -> sum_of qs s.
Definition computed_sum (xs ys : list R) (s : R) : Prop := exists ps, products xs ys ps /\ sum_of ps s.

(* The bound. Numbers are pairs of an exact value and a bound on the error of the computed one. *)
Definition number : Type := Q * Q.
Definition size (x : number) : Q := (Qabs (fst x) + snd x)%Q.
Definition is (q r : Q) : bool := Qeq_bool q r.
Definition present (xy : number * number) : bool := negb (is (size (fst xy)) 0) && negb (is (size (snd xy)) 0).
Definition is_unit (x : number) : bool := is (Qabs (fst x)) 1 && is (snd x) 0.
Definition is_rounded (xy : number * number) : bool := present xy && negb (is_unit (fst xy) || is_unit (snd xy)).
Definition gamma (r : nat) : Q := (let ru := inject_Z (Z.of_nat r) * u in ru / (1 - ru))%Q.
Definition term_bound (terms : nat) (xy : number * number) : Q :=
  let (x, y) := xy in
  let rounded := is_rounded xy in
  (snd x * Qabs (fst y) + size x * snd y +
   (if present xy then size x * size y * gamma ((if rounded then 1 else 0) + (terms - 2))%nat else 0) + (if rounded then tiny else 0))%Q.
Definition total {T} (f : T -> Q) (xs : list T) : Q := fold_right (fun x t => f x + t)%Q 0%Q xs.
Definition exact_sum : list (number * number) -> Q := total (fun xy => fst (fst xy) * fst (snd xy))%Q.
Definition sum_of_sizes : list (number * number) -> Q := total (fun xy => size (fst xy) * size (snd xy))%Q.
Definition before_last (xys : list (number * number)) : Q := total (term_bound (length (filter present xys))) xys.
Definition error_of_sum (xys : list (number * number)) : Q :=
  (before_last xys + (if Nat.ltb 1 (length (filter present xys)) then u * (Qabs (exact_sum xys) + before_last xys) else 0))%Q.
Definition sum_with_bound (xys : list (number * number)) : option number :=
  if Qle_bool (inject_Z (Z.of_nat (length (filter present xys))) * u) (1 # 16) &&
     Qle_bool (sum_of_sizes xys + error_of_sum xys) (largest / inject_Z 4)
  then Some (Qred (exact_sum xys), Qred (error_of_sum xys)) else None.

(* The rationals in the reals. *)
Lemma real_abs q : Q2R (Qabs q) = Rabs (Q2R q).
Proof.
apply Qabs_case; intros H; apply Qle_Rle in H; rewrite RMicromega.Q2R_0 in H.
- now rewrite Rabs_right by lra.
- rewrite Q2R_opp, Rabs_left1; lra.
Qed.
Lemma real_total {T} (f : T -> Q) xs : Q2R (total f xs) = fold_right (fun x t => Q2R (f x) + t) 0 xs.
Proof. induction xs as [|x xs IH]; cbn; [apply RMicromega.Q2R_0|]. rewrite Q2R_plus. f_equal. exact IH. Qed.
Lemma is_equal q r : is q r = true -> Q2R q = Q2R r.
Proof. intros H. apply Qeq_eqR. now apply Qeq_bool_iff. Qed.
Lemma is_different q r : is q r = false -> Q2R q <> Q2R r.
Proof. intros H E. apply eqR_Qeq, Qeq_bool_iff in E. unfold is in H. congruence. Qed.

Notation U := (Q2R u).
Notation T := (Q2R tiny).
Lemma real_u : 0 < U <= / 16.
Proof.
pose proof (Qlt_Rlt _ _ u_positive) as P. pose proof (Qle_Rle _ _ u_small) as S. rewrite RMicromega.Q2R_0 in P.
unfold Q2R at 2 in S. cbn in S. lra.
Qed.
Lemma real_tiny : 0 < T.
Proof. pose proof (Qlt_Rlt _ _ tiny_positive) as P. now rewrite RMicromega.Q2R_0 in P. Qed.

(* Powers of 1 + u. *)
Definition growth (n : nat) : R := (1 + U) ^ n - 1.
Lemma growth_positive n : 0 <= growth n.
Proof. unfold growth. pose proof real_u. assert (1 <= (1 + U) ^ n) by (apply pow_R1_Rle; lra). lra. Qed.
Lemma growth_monotone m n : (m <= n)%nat -> growth m <= growth n.
Proof. intros L. unfold growth. pose proof real_u. assert ((1 + U) ^ m <= (1 + U) ^ n) by (apply Rle_pow; [lra|assumption]). lra. Qed.
Lemma growth_next n : growth (S n) = growth n + U * (1 + growth n).
Proof. unfold growth. cbn. ring. Qed.
Lemma growth_below n : INR n * U <= / 8 -> growth n <= INR n * U / (1 - INR n * U).
Proof.
pose proof real_u as [P _]. induction n as [|n IH].
- intros _. unfold growth. cbn. unfold Rdiv. lra.
- rewrite S_INR. intros L. assert (L' : INR n * U <= / 8) by nra. specialize (IH L'). rewrite growth_next.
  set (x := INR n * U) in *. replace ((INR n + 1) * U) with (x + U) in * by (unfold x; ring).
  assert (X : 0 <= x) by (unfold x; pose proof (pos_INR n); nra).
  apply Rle_trans with (x / (1 - x) + U * (1 + x / (1 - x))); [nra|].
  replace (x / (1 - x) + U * (1 + x / (1 - x))) with ((x + U) / (1 - x)) by (field; lra).
  unfold Rdiv. apply Rmult_le_compat_l; [lra|]. apply Rinv_le_contravar; lra.
Qed.
Lemma growth_small k : INR k * U <= / 16 -> growth k <= / 8.
Proof.
intros L. pose proof (growth_below k ltac:(lra)) as G. pose proof (pos_INR k). pose proof real_u. set (x := INR k * U) in *.
assert (0 <= x) by (unfold x; nra). apply Rle_trans with (1 := G). apply Rmult_le_reg_r with (1 - x); [lra|].
unfold Rdiv. rewrite Rmult_assoc, Rinv_l; lra.
Qed.
Lemma real_gamma n : INR n * U <= / 8 -> growth n <= Q2R (gamma n).
Proof.
intros L. unfold gamma. assert (E : Q2R (inject_Z (Z.of_nat n) * u) = INR n * U).
{ rewrite Q2R_mult. f_equal. unfold Q2R. cbn. rewrite <- INR_IZR_INZ. lra. }
rewrite Q2R_div.
- rewrite Q2R_minus, E. replace (Q2R 1) with 1 by (unfold Q2R; cbn; lra). now apply growth_below.
- intros H. apply Qeq_eqR in H. rewrite Q2R_minus, E, RMicromega.Q2R_0 in H. replace (Q2R 1) with 1 in H by (unfold Q2R; cbn; lra). lra.
Qed.

(* Sums in any order, in which the additions of 0 do not count. *)
Definition sum_real (ps : list R) : R := fold_right Rplus 0 ps.
Definition sum_abs (ps : list R) : R := fold_right (fun p t => Rabs p + t) 0 ps.
Fixpoint nonzero (ps : list R) : nat := match ps with [] => 0 | p :: ps => (if Req_EM_T p 0 then 0 else 1) + nonzero ps end.

Lemma sum_app ps qs : sum_real (ps ++ qs) = sum_real ps + sum_real qs /\ sum_abs (ps ++ qs) = sum_abs ps + sum_abs qs /\
  nonzero (ps ++ qs) = (nonzero ps + nonzero qs)%nat.
Proof.
unfold sum_real, sum_abs. induction ps as [|p ps (A & B & C)]; cbn; [repeat split; ring|]. rewrite A, B, C. repeat split; ring || lia.
Qed.
Lemma sum_permutation ps qs : Permutation ps qs -> sum_real ps = sum_real qs /\ sum_abs ps = sum_abs qs /\ nonzero ps = nonzero qs.
Proof.
unfold sum_real, sum_abs. induction 1; cbn.
- now repeat split.
- destruct IHPermutation as (A & B & C). now rewrite A, B, C.
- repeat split; ring || lia.
- intuition congruence.
Qed.
Lemma sum_abs_positive ps : 0 <= sum_abs ps.
Proof. unfold sum_abs. induction ps as [|p ps IH]; cbn; [lra|]. pose proof (Rabs_pos p). lra. Qed.
Lemma sum_below ps : Rabs (sum_real ps) <= sum_abs ps.
Proof.
unfold sum_real, sum_abs. induction ps as [|p ps IH]; cbn; [rewrite Rabs_R0; lra|]. pose proof (Rabs_triang p (fold_right Rplus 0 ps)). lra.
Qed.
Lemma all_zero ps : nonzero ps = 0%nat -> sum_real ps = 0 /\ sum_abs ps = 0.
Proof.
unfold sum_real, sum_abs. induction ps as [|p ps IH]; cbn; [easy|]. destruct (Req_EM_T p 0) as [->|]; [|discriminate].
intros E. destruct (IH E) as [-> ->]. rewrite Rabs_R0. split; ring.
Qed.

(* The error before the last addition, and the last addition. *)
Lemma sum_error ps s : sum_of ps s -> INR (nonzero ps) * U <= / 16 -> 9 / 8 * sum_abs ps <= Q2R largest / 2 ->
  (nonzero ps = 0%nat -> s = 0) /\
  Rabs (s - sum_real ps) <= growth (nonzero ps - 1) * sum_abs ps /\
  exists t, Rabs (t - sum_real ps) <= growth (nonzero ps - 2) * sum_abs ps /\
    Rabs (s - t) <= (if Nat.ltb 1 (nonzero ps) then U * Rabs t else 0).
Proof.
assert (Exact : forall x, Rabs (x - x) = 0) by (intros x; replace (x - x) with 0 by ring; apply Rabs_R0).
induction 1 as [|p|ps qs a b s A IA B IB S|ps qs s P H IH]; intros K L.
- unfold sum_real, sum_abs. cbn. rewrite Exact. split; [easy|]. split; [lra|]. exists 0. rewrite Exact. lra.
- unfold sum_real, sum_abs in *. cbn. destruct (Req_EM_T p 0) as [->|N]; cbn.
  + split; [easy|]. unfold growth. cbn. rewrite !Rplus_0_r, Exact. split; [lra|]. exists 0. rewrite Exact. lra.
  + split; [easy|]. unfold growth. cbn. rewrite !Rplus_0_r, Exact. split; [lra|]. exists p. rewrite Exact. lra.
- destruct (sum_app ps qs) as (E1 & E2 & E3). rewrite E1, E2, E3 in *. rewrite plus_INR in K.
  set (m := nonzero ps) in *. set (n := nonzero qs) in *.
  pose proof (sum_abs_positive ps) as PA. pose proof (sum_abs_positive qs) as PB.
  pose proof (pos_INR m). pose proof (pos_INR n). pose proof real_u as [UP _].
  specialize (IA ltac:(nra) ltac:(lra)). specialize (IB ltac:(nra) ltac:(lra)).
  destruct IA as (ZA & EA & tA & TA & LA). destruct IB as (ZB & EB & tB & TB & LB).
  destruct S as [Rounds Zero].
  destruct (Nat.eq_dec m 0) as [M|M]; [|destruct (Nat.eq_dec n 0) as [N|N]].
  + rewrite M in *. destruct (all_zero ps M) as [SA AA]. rewrite (ZA eq_refl) in *. rewrite (Zero (or_introl eq_refl)).
    rewrite SA, AA, !Rplus_0_l. cbn [Nat.add]. split; [exact ZB|]. split; [exact EB|]. now exists tB.
  + rewrite N in *. destruct (all_zero qs N) as [SB AB]. rewrite (ZB eq_refl) in *. rewrite (Zero (or_intror eq_refl)).
    rewrite SB, AB, !Rplus_0_r, Nat.add_0_r. split; [exact ZA|]. split; [exact EA|]. now exists tA.
  + assert (Before : Rabs (a + b - (sum_real ps + sum_real qs)) <= growth (m + n - 2) * (sum_abs ps + sum_abs qs)).
    { replace (a + b - (sum_real ps + sum_real qs)) with ((a - sum_real ps) + (b - sum_real qs)) by ring.
      eapply Rle_trans; [apply Rabs_triang|].
      pose proof (Rmult_le_compat_r _ _ _ PA (growth_monotone (m - 1) (m + n - 2) ltac:(lia))).
      pose proof (Rmult_le_compat_r _ _ _ PB (growth_monotone (n - 1) (m + n - 2) ltac:(lia))). lra. }
    assert (G : growth (m + n - 2) <= / 8).
    { apply growth_small. apply Rle_trans with (INR (m + n) * U); [|rewrite plus_INR; lra]. apply Rmult_le_compat_r; [lra|]. apply le_INR. lia. }
    pose proof (sum_below ps). pose proof (sum_below qs).
    assert (AB : Rabs (a + b) <= (1 + growth (m + n - 2)) * (sum_abs ps + sum_abs qs)).
    { replace (a + b) with ((a + b - (sum_real ps + sum_real qs)) + (sum_real ps + sum_real qs)) by ring.
      eapply Rle_trans; [apply Rabs_triang|]. pose proof (Rabs_triang (sum_real ps) (sum_real qs)). lra. }
    assert (F : fits (a + b)).
    { unfold fits. apply Rle_trans with (1 := AB), Rle_trans with ((1 + / 8) * (sum_abs ps + sum_abs qs)); [apply Rmult_le_compat_r|]; lra. }
    specialize (Rounds F).
    split; [lia|]. split.
    * replace (m + n - 1)%nat with (S (m + n - 2)) by lia. rewrite growth_next.
      replace (s - (sum_real ps + sum_real qs)) with ((s - (a + b)) + (a + b - (sum_real ps + sum_real qs))) by ring.
      eapply Rle_trans; [apply Rabs_triang|].
      assert (U * Rabs (a + b) <= U * ((1 + growth (m + n - 2)) * (sum_abs ps + sum_abs qs))) by (apply Rmult_le_compat_l; lra). lra.
    * exists (a + b). split; [exact Before|]. destruct (Nat.ltb_spec 1 (m + n)); [exact Rounds|lia].
- destruct (sum_permutation _ _ P) as (E1 & E2 & E3). rewrite <- E1, <- E2, <- E3 in *. now apply IH.
Qed.

(* One sum. *)
Definition close (v : number) (x : R) : Prop := Rabs (x - Q2R (fst v)) <= Q2R (snd v).
Lemma close_reduced q e x : close (q, e) x -> close (Qred q, Qred e) x.
Proof. unfold close, fst, snd. now rewrite !(Qeq_eqR _ _ (Qred_correct _)). Qed.
Definition real_size (x : number) : R := Rabs (Q2R (fst x)) + Q2R (snd x).
Lemma real_size_is x : Q2R (size x) = real_size x.
Proof. unfold size, real_size. now rewrite Q2R_plus, real_abs. Qed.

Lemma zero_of_abs z : Rabs z <= 0 -> z = 0.
Proof. intros H. destruct (Req_dec z 0) as [|N]; [assumption|]. pose proof (Rabs_pos_lt z N). lra. Qed.

Section Term.
Variables (X Y : number) (x y p : R).
Hypothesis close_x : close X x.
Hypothesis close_y : close Y y.
Hypothesis computed : multiplied x y p.
Let inherited := Q2R (snd X) * Rabs (Q2R (fst Y)) + real_size X * Q2R (snd Y).

Lemma size_bounds v z : close v z -> Rabs z <= real_size v /\ 0 <= Q2R (snd v).
Proof.
unfold close, real_size. intros C. pose proof (Rabs_pos (z - Q2R (fst v))). split; [|lra].
replace z with ((z - Q2R (fst v)) + Q2R (fst v)) by ring. pose proof (Rabs_triang (z - Q2R (fst v)) (Q2R (fst v))). lra.
Qed.

Lemma before_rounding : Rabs (x * y - Q2R (fst X) * Q2R (fst Y)) <= inherited /\ Rabs (x * y) <= real_size X * real_size Y.
Proof.
destruct (size_bounds _ _ close_x) as [SX PX]. destruct (size_bounds _ _ close_y) as [SY PY]. split.
- replace (x * y - Q2R (fst X) * Q2R (fst Y)) with ((x - Q2R (fst X)) * Q2R (fst Y) + x * (y - Q2R (fst Y))) by ring.
  eapply Rle_trans; [apply Rabs_triang|]. rewrite !Rabs_mult. unfold inherited. unfold close in *.
  pose proof (Rabs_pos (Q2R (fst Y))). pose proof (Rabs_pos x). pose proof (Rabs_pos (y - Q2R (fst Y))). apply Rplus_le_compat; nra.
- rewrite Rabs_mult. pose proof (Rabs_pos x). pose proof (Rabs_pos y). nra.
Qed.

Lemma absent : present (X, Y) = false -> p = 0.
Proof.
unfold present. cbn [fst snd]. destruct (size_bounds _ _ close_x) as [SX _]. destruct (size_bounds _ _ close_y) as [SY _].
pose proof (Rabs_pos x). pose proof (Rabs_pos y). intros [Z|Z]%andb_false_elim; apply negb_false_iff, is_equal in Z;
rewrite real_size_is, RMicromega.Q2R_0 in Z.
- assert (x = 0) by (apply zero_of_abs; lra). destruct computed as [_ E]. rewrite E by auto. subst. ring.
- assert (y = 0) by (apply zero_of_abs; lra). destruct computed as [_ E]. rewrite E by auto. subst. ring.
Qed.

Lemma unit_is_exact v z : close v z -> is_unit v = true -> Rabs z = 1.
Proof.
unfold is_unit, close. intros C [A%is_equal B%is_equal]%andb_prop. rewrite real_abs in A. rewrite RMicromega.Q2R_0 in B.
replace (Q2R 1) with 1 in A by (unfold Q2R; cbn; lra). rewrite B in C. pose proof (Rabs_pos (z - Q2R (fst v))).
assert (z - Q2R (fst v) = 0) by (apply zero_of_abs; lra). replace z with (Q2R (fst v)) by lra. exact A.
Qed.

Hypothesis in_range : real_size X * real_size Y <= Q2R largest / 2.
Let own := if is_rounded (X, Y) then U * (real_size X * real_size Y) + T / 2 else 0.
Lemma rounded_term : Rabs (p - Q2R (fst X) * Q2R (fst Y)) <= inherited + own /\
  Rabs p <= (if present (X, Y) then real_size X * real_size Y else 0) + own.
Proof.
destruct before_rounding as [B L]. pose proof real_tiny. pose proof real_u. unfold own.
assert (Positive : 0 <= real_size X * real_size Y) by (pose proof (Rabs_pos (x * y)); lra).
destruct (present (X, Y)) eqn:P.
2: { rewrite (absent P) in *. unfold is_rounded. rewrite P. cbn [andb]. rewrite Rabs_R0.
  assert (E : x * y = 0) by (destruct computed as [_ E]; destruct (Req_dec x 0) as [->|N]; [ring|]; destruct (Req_dec y 0) as [->|N']; [ring|];
    exfalso; revert P; unfold present; cbn [fst snd]; destruct (size_bounds _ _ close_x) as [SX _]; destruct (size_bounds _ _ close_y) as [SY _];
    intros [Z|Z]%andb_false_elim; apply negb_false_iff, is_equal in Z; rewrite real_size_is, RMicromega.Q2R_0 in Z;
    [pose proof (Rabs_pos_lt x N)|pose proof (Rabs_pos_lt y N')]; lra).
  rewrite E in B. split; [lra|lra]. }
unfold is_rounded. rewrite P. cbn [andb fst snd].
destruct (is_unit X || is_unit Y) eqn:E; cbn [negb].
- assert (Exact : p = x * y).
  { destruct computed as [_ Exact]. apply Exact. apply orb_prop in E as [E|E]; [right; left|right; right; right]; eapply unit_is_exact; eauto. }
  rewrite Exact. split; lra.
- destruct computed as [Rounds _]. specialize (Rounds ltac:(unfold fits; lra)).
  assert (UL : U * Rabs (x * y) <= U * (real_size X * real_size Y)) by (apply Rmult_le_compat_l; lra). split.
  + replace (p - Q2R (fst X) * Q2R (fst Y)) with ((p - x * y) + (x * y - Q2R (fst X) * Q2R (fst Y))) by ring.
    eapply Rle_trans; [apply Rabs_triang|]. lra.
  + replace p with ((p - x * y) + x * y) by ring. eapply Rle_trans; [apply Rabs_triang|]. lra.
Qed.
End Term.

(* A whole sum, term by term. *)
Definition product_of (xy : number * number) : R := Q2R (fst (fst xy)) * Q2R (fst (snd xy)).
Definition largest_product (xy : number * number) : R := real_size (fst xy) * real_size (snd xy).
Definition real_term (n : nat) (xy : number * number) : R := Q2R (term_bound n xy).
Definition real_sum {A} (f : A -> R) (l : list A) : R := fold_right (fun a t => f a + t) 0 l.

Lemma term_bound_suffices n X Y x y p : (INR (S (n - 2)) * U <= / 16) -> close X x -> close Y y -> multiplied x y p ->
  largest_product (X, Y) <= Q2R largest / 2 ->
  Rabs (p - product_of (X, Y)) + growth (n - 2) * Rabs p <= real_term n (X, Y) /\
  16 / 17 * Rabs p <= largest_product (X, Y) + (if is_rounded (X, Y) then T / 2 else 0).
Proof.
intros N CX CY M F. destruct (rounded_term X Y x y p CX CY M F) as [A B]. unfold product_of, largest_product, real_term, term_bound in *.
cbn [fst snd] in *. pose proof real_tiny as TP. pose proof real_u as UP. pose proof (growth_positive (n - 2)) as GP.
assert (N2 : INR (n - 2) * U <= / 16) by (rewrite S_INR in N; lra).
pose proof (growth_small _ N2) as GS. pose proof (real_gamma (n - 2) ltac:(lra)) as G. pose proof (real_gamma (S (n - 2)) ltac:(lra)) as G'.
rewrite growth_next in G'.
destruct (size_bounds _ _ CX) as [SX PX]. destruct (size_bounds _ _ CY) as [SY PY]. pose proof (Rabs_pos x). pose proof (Rabs_pos y).
assert (LP : 0 <= real_size X * real_size Y) by nra.
set (L := real_size X * real_size Y) in *. set (inherited := Q2R (snd X) * Rabs (Q2R (fst Y)) + real_size X * Q2R (snd Y)) in *.
assert (E : forall q, Q2R (snd X * Qabs (fst Y) + size X * snd Y + q) = inherited + Q2R q)
  by (intros q; rewrite !Q2R_plus, !Q2R_mult, real_abs, real_size_is; reflexivity).
rewrite !Q2R_plus, !Q2R_mult, real_abs, real_size_is. fold inherited.
destruct (present (X, Y)) eqn:P.
- destruct (is_rounded (X, Y)) eqn:R.
  + rewrite !Q2R_mult, !real_size_is. fold L. cbn [Nat.add]. split.
    * assert (growth (n - 2) * Rabs p <= growth (n - 2) * (L + (U * L + T / 2))) by (apply Rmult_le_compat_l; lra).
      assert (L * (growth (n - 2) + U * (1 + growth (n - 2))) <= L * Q2R (gamma (S (n - 2)))) by (apply Rmult_le_compat_l; lra).
      assert (growth (n - 2) * (T / 2) <= / 8 * (T / 2)) by nra. nra.
    * assert (U * L <= / 16 * L) by nra. lra.
  + rewrite !Q2R_mult, !real_size_is. fold L. cbn [Nat.add]. rewrite RMicromega.Q2R_0. split.
    * assert (growth (n - 2) * Rabs p <= growth (n - 2) * L) by (apply Rmult_le_compat_l; lra).
      assert (L * growth (n - 2) <= L * Q2R (gamma (n - 2))) by (apply Rmult_le_compat_l; lra). nra.
    * lra.
- assert (R : is_rounded (X, Y) = false) by (unfold is_rounded; now rewrite P). rewrite R in *. rewrite RMicromega.Q2R_0.
  pose proof (Rabs_pos p). assert (Z : Rabs p = 0) by lra. rewrite Z in *. split; lra.
Qed.

Lemma own_error_below n X Y x y : INR (S (n - 2)) * U <= / 16 -> close X x -> close Y y ->
  (if is_rounded (X, Y) then T else 0) <= real_term n (X, Y).
Proof.
intros N CX CY. unfold real_term, term_bound. pose proof real_tiny. pose proof real_u.
destruct (size_bounds _ _ CX) as [SX PX]. destruct (size_bounds _ _ CY) as [SY PY]. pose proof (Rabs_pos x). pose proof (Rabs_pos y).
pose proof (Rabs_pos (Q2R (fst Y))).
assert (G : forall k, (k <= S (n - 2))%nat -> 0 <= Q2R (gamma k)).
{ intros k K. assert (INR k * U <= INR (S (n - 2)) * U) by (apply Rmult_le_compat_r; [lra|now apply le_INR]).
  pose proof (real_gamma k ltac:(lra)). pose proof (growth_positive k). lra. }
rewrite !Q2R_plus, !Q2R_mult, real_abs, real_size_is.
assert (0 <= Q2R (snd X) * Rabs (Q2R (fst Y))) by nra. assert (0 <= real_size X * Q2R (snd Y)) by nra.
assert (LP : 0 <= real_size X * real_size Y) by nra.
destruct (present (X, Y)) eqn:P.
- rewrite !Q2R_mult, !real_size_is.
  assert (0 <= real_size X * real_size Y * Q2R (gamma ((if is_rounded (X, Y) then 1 else 0) + (n - 2)))).
  { apply Rmult_le_pos; [assumption|]. apply G. destruct (is_rounded (X, Y)); lia. }
  destruct (is_rounded (X, Y)); rewrite ?RMicromega.Q2R_0; lra.
- unfold is_rounded. rewrite P. cbn [andb]. rewrite !RMicromega.Q2R_0. lra.
Qed.

Lemma all_terms n xys : (INR (S (n - 2)) * U <= / 16) -> List.Forall (fun xy => largest_product xy <= Q2R largest / 2) xys ->
  forall xs ys ps, Forall2 close (map fst xys) xs -> Forall2 close (map snd xys) ys -> products xs ys ps ->
  Rabs (sum_real ps - real_sum product_of xys) + growth (n - 2) * sum_abs ps <= real_sum (real_term n) xys /\
  16 / 17 * sum_abs ps <= real_sum largest_product xys + real_sum (real_term n) xys / 2 /\
  (nonzero ps <= length (filter present xys))%nat.
Proof.
intros N. unfold sum_real, sum_abs, real_sum.
induction 1 as [|[X Y] xys F Fs IH]; intros xs ys ps CX CY P; inversion CX; subst; inversion CY; subst; inversion P; subst; cbn [fold_right nonzero filter length map].
- replace (0 - 0) with 0 by ring. rewrite Rabs_R0. repeat split; try lra. lia.
- match goal with H : Forall2 close (map fst xys) _, H' : Forall2 close (map snd xys) _, H'' : products _ _ ?qs |- _ =>
    destruct (IH _ _ _ H H' H'') as (A & B & C); rename qs into qs0 end.
  cbn [fst snd] in *.
  match goal with H : close X ?x, H' : close Y ?y, M : multiplied ?x ?y ?p |- _ =>
    destruct (term_bound_suffices n X Y x y p N H H' M F) as [D E]; pose proof (absent X Y x y p H H' M) as Z; rename p into p0 end.
  set (Sq := fold_right Rplus 0 qs0) in *. set (Sp := fold_right (fun a t => product_of a + t) 0 xys) in *.
  pose proof (Rabs_triang (p0 - product_of (X, Y)) (Sq - Sp)) as Tri.
  replace (p0 - product_of (X, Y) + (Sq - Sp)) with (p0 + Sq - (product_of (X, Y) + Sp)) in Tri by ring.
  pose proof real_tiny as TP. pose proof (growth_positive (n - 2)) as GP. pose proof (Rabs_pos p0) as PP.
  pose proof (Rabs_pos (p0 - product_of (X, Y))) as PQ. assert (0 <= growth (n - 2) * Rabs p0) by nra.
  split; [lra|]. split.
  + enough ((if is_rounded (X, Y) then T / 2 else 0) <= real_term n (X, Y) / 2) by lra.
    match goal with H : close X ?x, H' : close Y ?y |- _ => pose proof (own_error_below n X Y x y N H H') as O end.
    destruct (is_rounded (X, Y)); lra.
  + destruct (present (X, Y)) eqn:Pr; cbn [length].
    * destruct (Req_EM_T p0 0); lia.
    * rewrite (Z eq_refl). destruct (Req_EM_T 0 0); [lia|easy].
Qed.

Lemma real_sum_positive {A} (f : A -> R) l : List.Forall (fun a => 0 <= f a) l ->
  0 <= real_sum f l /\ List.Forall (fun a => f a <= real_sum f l) l.
Proof.
unfold real_sum. induction 1 as [|a l H Hs [IH IH']]; cbn [fold_right].
- split; [apply Rle_refl|constructor].
- split; [lra|]. constructor; [lra|]. refine (Forall_impl _ _ IH'). intros b B. cbn beta in B. lra.
Qed.

Theorem sum_bound xys xs ys s v : Forall2 close (map fst xys) xs -> Forall2 close (map snd xys) ys -> computed_sum xs ys s ->
  sum_with_bound xys = Some v -> close v s.
Proof.
intros CX CY (ps & P & Sum). unfold sum_with_bound.
destruct (_ && _) eqn:Checks; [|discriminate]. intros V.
assert (E : v = (Qred (exact_sum xys), Qred (error_of_sum xys))) by congruence. rewrite E. clear V E v.
apply andb_prop in Checks as [Terms%Qle_bool_iff Range%Qle_bool_iff]. apply Qle_Rle in Terms, Range.
set (n := length (filter present xys)) in *.
assert (RT : INR n * U <= / 16).
{ rewrite Q2R_mult in Terms. unfold Q2R in Terms at 1 3. cbn in Terms. rewrite <- INR_IZR_INZ in Terms. lra. }
assert (RR : Q2R (sum_of_sizes xys) + Q2R (error_of_sum xys) <= Q2R largest / 4).
{ rewrite Q2R_plus in Range. unfold Qdiv in Range. rewrite Q2R_mult in Range. replace (Q2R (/ inject_Z 4)) with (/ 4) in Range by (unfold Q2R; cbn; lra). lra. }
clear Terms Range.
assert (Value : Q2R (exact_sum xys) = real_sum product_of xys).
{ unfold exact_sum. rewrite real_total. unfold real_sum, product_of. clear. induction xys as [|xy xys IH]; cbn; [reflexivity|]. now rewrite IH, Q2R_mult. }
assert (Before : Q2R (before_last xys) = real_sum (real_term n) xys) by (unfold before_last; now rewrite real_total).
assert (Sizes : Q2R (sum_of_sizes xys) = real_sum largest_product xys).
{ unfold sum_of_sizes. rewrite real_total. unfold real_sum, largest_product. clear. induction xys as [|xy xys IH]; cbn; [reflexivity|].
  now rewrite IH, Q2R_mult, !real_size_is. }
pose proof real_u as UP.
assert (Error : Q2R (error_of_sum xys) = Q2R (before_last xys) + (if Nat.ltb 1 n then U * (Rabs (Q2R (exact_sum xys)) + Q2R (before_last xys)) else 0)).
{ unfold error_of_sum. fold n. rewrite Q2R_plus. f_equal. destruct (Nat.ltb 1 n); [|apply RMicromega.Q2R_0]. now rewrite Q2R_mult, Q2R_plus, real_abs. }
assert (N : INR (S (n - 2)) * U <= / 16).
{ destruct (Nat.le_gt_cases 1 n) as [L|L].
  - apply Rle_trans with (INR n * U); [|assumption]. destruct (Nat.eq_dec n 1) as [->|D]; [cbn; lra|].
    apply Rmult_le_compat_r; [lra|]. apply le_INR. lia.
  - replace n with 0%nat by lia. cbn. lra. }
assert (Positive : List.Forall (fun xy => 0 <= largest_product xy /\ 0 <= real_term n xy) xys).
{ clearbody n. clear -CX CY N tiny_positive u_positive u_small. revert xs ys CX CY.
  induction xys as [|[X Y] xys IH]; intros xs ys CX CY; [constructor|]. inversion CX; inversion CY; subst.
  constructor; [|eapply IH; eassumption].
  cbn [map fst snd] in *. match goal with H : close X ?x, H' : close Y ?y |- _ =>
    destruct (size_bounds _ _ H) as [A _]; destruct (size_bounds _ _ H') as [B _]; pose proof (Rabs_pos x); pose proof (Rabs_pos y);
    pose proof (own_error_below n X Y x y N H H') end.
  unfold largest_product. cbn [fst snd]. split; [nra|]. pose proof real_tiny. destruct (is_rounded (X, Y)); lra. }
destruct (real_sum_positive largest_product xys) as [LP Below]; [refine (Forall_impl _ _ Positive); now intros ? []|].
destruct (real_sum_positive (real_term n) xys) as [BL _]; [refine (Forall_impl _ _ Positive); now intros ? []|].
assert (BP : 0 <= Q2R (error_of_sum xys)).
{ rewrite Error, Before. pose proof (Rabs_pos (Q2R (exact_sum xys))). destruct (Nat.ltb 1 n); nra. }
assert (Each : List.Forall (fun xy => largest_product xy <= Q2R largest / 2) xys).
{ refine (Forall_impl _ _ Below). cbn beta. intros xy H. lra. }
destruct (all_terms n xys N Each xs ys ps CX CY P) as (A & B & C). fold n in C.
pose proof (sum_abs_positive ps) as SP. pose proof (growth_positive (n - 2)) as GP.
assert (K : INR (nonzero ps) * U <= / 16).
{ apply Rle_trans with (INR n * U); [|assumption]. apply Rmult_le_compat_r; [lra|]. now apply le_INR. }
assert (R : 9 / 8 * sum_abs ps <= Q2R largest / 2).
{ rewrite Sizes in RR. rewrite Error, Before in RR.
  assert (0 <= (if Nat.ltb 1 n then U * (Rabs (Q2R (exact_sum xys)) + real_sum (real_term n) xys) else 0)).
  { pose proof (Rabs_pos (Q2R (exact_sum xys))). destruct (Nat.ltb 1 n); nra. }
  lra. }
destruct (sum_error ps s Sum K R) as (_ & _ & t & Tt & St).
assert (T' : Rabs (t - Q2R (exact_sum xys)) <= Q2R (before_last xys)).
{ rewrite Value, Before. replace (t - real_sum product_of xys) with ((t - sum_real ps) + (sum_real ps - real_sum product_of xys)) by ring.
  eapply Rle_trans; [apply Rabs_triang|]. pose proof (growth_monotone (nonzero ps - 2) (n - 2) ltac:(lia)).
  assert (growth (nonzero ps - 2) * sum_abs ps <= growth (n - 2) * sum_abs ps) by (apply Rmult_le_compat_r; lra). lra. }
apply close_reduced. unfold close, fst, snd. rewrite Error.
replace (s - Q2R (exact_sum xys)) with ((t - Q2R (exact_sum xys)) + (s - t)) by ring.
eapply Rle_trans; [apply Rabs_triang|]. apply Rplus_le_compat; [assumption|].
eapply Rle_trans; [exact St|]. destruct (Nat.ltb_spec 1 (nonzero ps)), (Nat.ltb_spec 1 n); try lia; try lra.
- apply Rmult_le_compat_l; [lra|]. replace t with ((t - Q2R (exact_sum xys)) + Q2R (exact_sum xys)) by ring.
  eapply Rle_trans; [apply Rabs_triang|]. lra.
- pose proof (Rabs_pos (Q2R (exact_sum xys))). pose proof (Rabs_pos (t - Q2R (exact_sum xys))). nra.
Qed.

(* The Forward algorithm. A matrix is a list of its columns; its entries are weights with bounds on their deviation. *)
Definition all {A} (os : list (option A)) : option (list A) :=
  fold_right (fun o rest => match o, rest with Some a, Some l => Some (a :: l) | _, _ => None end) (Some []) os.
Definition step (columns : list (list number)) (state : list number) : option (list number) :=
  all (map (fun column => sum_with_bound (combine state column)) columns).
Fixpoint forward (state : list number) (word : list (list (list number))) : option (list number) :=
  match word with
  | [] => Some state
  | columns :: rest => match step columns state with Some state => forward state rest | None => None end
  end.
Definition score (initial final : list number) (word : list (list (list number))) : option number :=
  match forward initial word with Some state => sum_with_bound (combine state final) | None => None end.

(* What a program may compute, with weights that deviate by at most their bounds. *)
Definition computed_step (columns : list (list number)) (state next : list R) : Prop :=
  Forall2 (fun column y => exists weights, Forall2 close column weights /\ computed_sum state weights y) columns next.
Inductive computed_forward : list R -> list (list (list number)) -> list R -> Prop :=
| at_end state : computed_forward state [] state
| after_step state next columns word last : computed_step columns state next -> computed_forward next word last ->
  computed_forward state (columns :: word) last.
Definition computed_score (initial final : list number) (word : list (list (list number))) (y : R) : Prop :=
  exists first last weights, Forall2 close initial first /\ computed_forward first word last /\
  Forall2 close final weights /\ computed_sum last weights y.

(* Vectors of different lengths are cut to the shorter one, so lengths must agree. *)
Definition square (n : nat) (word : list (list (list number))) : bool :=
  forallb (fun columns => Nat.eqb (length columns) n && forallb (fun column => Nat.eqb (length column) n) columns) word.

Lemma combined (state column : list number) xs ys : length state = length column -> Forall2 close state xs -> Forall2 close column ys ->
  Forall2 close (map fst (combine state column)) xs /\ Forall2 close (map snd (combine state column)) ys.
Proof.
intros L CX CY. revert column ys L CY. induction CX as [|X x state xs C CX IH]; intros [|Y column] ys L CY; try discriminate; inversion CY; subst; cbn.
- split; constructor.
- destruct (IH column l' ltac:(now injection L) ltac:(assumption)). split; constructor; assumption.
Qed.

Lemma step_bound state xs columns ys : Forall2 close state xs -> List.Forall (fun column => length column = length state) columns ->
  computed_step columns xs ys -> forall next, step columns state = Some next -> Forall2 close next ys /\ length next = length columns.
Proof.
intros CX Lengths Computed. unfold step, all. induction Computed as [|column y columns ys (weights & CW & S) Computed IH]; cbn [map fold_right]; intros next E.
- injection E as <-. now split.
- inversion Lengths as [|? ? L Ls]; subst. destruct (sum_with_bound (combine state column)) as [v|] eqn:V; [|discriminate].
  destruct (fold_right _ _ _) as [rest|]; [|discriminate]. injection E as <-. destruct (IH Ls rest eq_refl) as [C LR].
  destruct (combined state column xs weights (eq_sym L) CX CW) as [A B].
  split; [constructor; [exact (sum_bound _ _ _ _ _ A B S V)|assumption]|cbn; now rewrite LR].
Qed.

Lemma forward_bound n word xs last : computed_forward xs word last -> square n word = true ->
  forall state final, Forall2 close state xs -> length state = n -> forward state word = Some final -> Forall2 close final last /\ length final = n.
Proof.
induction 1 as [xs|xs ys columns word last Computed _ IH]; intros Square state final C L; cbn [forward].
- intros [= <-]. now split.
- cbn [square forallb] in Square. apply andb_prop in Square as [Square Rest]. apply andb_prop in Square as [LC%Nat.eqb_eq Columns].
  destruct (step columns state) as [next|] eqn:E; [|discriminate].
  destruct (step_bound state xs columns ys C) with (next := next) as [CN LN]; [|assumption..|].
  { apply Forall_forall. intros column I. rewrite forallb_forall in Columns. rewrite L. now apply Nat.eqb_eq, Columns. }
  apply IH; [assumption..|congruence].
Qed.

(* Every computed score is within the bound of the exact one. *)
Theorem running_bound initial final word v y : square (length initial) word = true -> length final = length initial ->
  computed_score initial final word y -> score initial final word = Some v -> Rabs (y - Q2R (fst v)) <= Q2R (snd v).
Proof.
intros Square L (first & last & weights & CI & Run & CF & S). unfold score.
destruct (forward initial word) as [state|] eqn:E; [|discriminate]. intros V.
destruct (forward_bound _ _ _ _ Run Square _ _ CI eq_refl E) as [C LS].
destruct (combined state final last weights ltac:(congruence) C CF) as [A B].
exact (sum_bound _ _ _ _ _ A B S V).
Qed.
End Format.
