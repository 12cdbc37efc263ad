(* Numbers that a program may compute in binary32 arithmetic, and enclosures of their errors. *)

From Coq Require Import Reals ZArith QArith Qreals List Lia Lra Bool Permutation.
From ratproof_reals Require Import intervals functions.
Import ListNotations.
Open Scope R_scope.

(* Half a unit in the last place, a bound on what underflow changes, and half the power at which binary32 overflows. *)
Definition half_unit : R := / IZR (2 ^ 24).
Definition least : R := / IZR (2 ^ 100).
Definition large : R := IZR (2 ^ 127).

(* The number y is x after rounding. Nothing is known about y if the operation may overflow. Rounding to nearest satisfies this
   (ieee754.v), exact arithmetic does, and so do fused operations. Subnormal results may be replaced by 0, and subnormal operands
   if the other factor of a product is at most 2^25. *)
Definition near (x y : R) : Prop := Rabs x <= large -> Rabs (y - x) <= half_unit * Rabs x + least.
(* The number y is f(x), for f = tanh or the sigmoid, with an absolute error of at most 8 * 2^-24. *)
Definition computes (f : R -> R) (x y : R) : Prop := Rabs (y - f x) <= 8 * half_unit.

(* The number s is the sum of products x y, computed in some order. *)
Inductive sum_of : list (R * R) -> R -> Prop :=
| product x y s : near (x * y) s -> sum_of [(x, y)] s
| sum l m a b s : sum_of l a -> sum_of m b -> near (a + b) s -> sum_of (l ++ m) s
| reordered l m s : Permutation l m -> sum_of l s -> sum_of m s.

(* Exact results are computed ones. *)
Lemma near_exact x : near x x.
Proof.
intros _. replace (x - x) with 0 by ring. rewrite Rabs_R0. pose proof (Rabs_pos x).
assert (0 <= half_unit /\ 0 <= least) as [? ?] by (split; unfold half_unit, least; cbn; lra). nra.
Qed.

Lemma computes_exact f x : computes f x (f x).
Proof. unfold computes. replace (f x - f x) with 0 by ring. rewrite Rabs_R0. unfold half_unit. cbn. lra. Qed.

Definition exact_sum (l : list (R * R)) : R := fold_right (fun xy s => fst xy * snd xy + s) 0 l.
Definition absolute_sum (l : list (R * R)) : R := fold_right (fun xy s => Rabs (fst xy * snd xy) + s) 0 l.

Lemma sum_exact l : l <> [] -> sum_of l (exact_sum l).
Proof.
induction l as [|[x y] [|xy l] IH]; intros N; [easy|cbn..].
- replace (x * y + 0) with (x * y) by ring. apply product, near_exact.
- apply (sum [(x, y)] (xy :: l) (x * y) (exact_sum (xy :: l))); [apply product, near_exact|now apply IH|apply near_exact].
Qed.

(* The error of a sum. *)
Lemma exact_sum_app l m : exact_sum (l ++ m) = exact_sum l + exact_sum m.
Proof. unfold exact_sum. induction l as [|xy l IH]; cbn; [ring|]. rewrite IH. ring. Qed.

Lemma absolute_sum_app l m : absolute_sum (l ++ m) = absolute_sum l + absolute_sum m.
Proof. unfold absolute_sum. induction l as [|xy l IH]; cbn; [ring|]. rewrite IH. ring. Qed.

Lemma exact_sum_permutation l m : Permutation l m -> exact_sum l = exact_sum m /\ absolute_sum l = absolute_sum m.
Proof. unfold exact_sum, absolute_sum. induction 1; cbn; split; try easy; try (destruct IHPermutation; lra); try lra; intuition congruence. Qed.

Lemma absolute_sum_positive l : 0 <= absolute_sum l.
Proof. unfold absolute_sum. induction l as [|xy l IH]; cbn; [lra|]. pose proof (Rabs_pos (fst xy * snd xy)). lra. Qed.

Lemma exact_below_absolute l : Rabs (exact_sum l) <= absolute_sum l.
Proof.
unfold exact_sum, absolute_sum. induction l as [|xy l IH]; cbn; [rewrite Rabs_R0; lra|].
pose proof (Rabs_triang (fst xy * snd xy) (fold_right (fun xy s => fst xy * snd xy + s) 0 l)). lra.
Qed.

Definition sum_bound (l : list (R * R)) : R :=
  17 / 16 * INR (length l) * half_unit * absolute_sum l + (4 * INR (length l) - 2) * least.

Lemma sum_not_empty l s : sum_of l s -> 1 <= INR (length l).
Proof.
intros H. induction H; cbn; try lra.
- rewrite app_length, plus_INR. lra.
- now rewrite <- (Permutation_length H).
Qed.

Lemma sum_error l s : sum_of l s -> INR (length l) <= 65536 -> absolute_sum l <= IZR (2 ^ 100) ->
  Rabs (s - exact_sum l) <= sum_bound l.
Proof.
intros H. induction H as [x y s N|l m a b s A IA B IB N|l m s P H IH]; intros L S.
- unfold sum_bound, exact_sum, absolute_sum in *. cbn [length INR fold_right fst snd] in *.
  assert (Z : Rabs (x * y) <= large) by (unfold large; cbn in *; lra). specialize (N Z).
  rewrite !Rplus_0_r in *. unfold half_unit, least in *. cbn in *. pose proof (Rabs_pos (x * y)). lra.
- unfold near, sum_bound in *. rewrite app_length, plus_INR in *. rewrite exact_sum_app, absolute_sum_app in *.
  pose proof (sum_not_empty _ _ A) as LA. pose proof (sum_not_empty _ _ B) as LB.
  pose proof (absolute_sum_positive l) as PA. pose proof (absolute_sum_positive m) as PB.
  specialize (IA ltac:(lra) ltac:(lra)). specialize (IB ltac:(lra) ltac:(lra)).
  pose proof (exact_below_absolute l) as EA. pose proof (exact_below_absolute m) as EB.
  set (p := INR (length l)) in *. set (q := INR (length m)) in *.
  set (u := half_unit) in *. set (t := least) in *.
  assert (U : u = / 16777216) by (unfold u, half_unit; cbn; lra).
  assert (T : 0 < t <= 1) by (unfold t, least; cbn; lra).
  set (SA := absolute_sum l) in *. set (SB := absolute_sum m) in *.
  set (D := (a - exact_sum l) + (b - exact_sum m)).
  set (bound := 17 / 16 * p * u * SA + (4 * p - 2) * t + (17 / 16 * q * u * SB + (4 * q - 2) * t)).
  assert (DB : Rabs D <= bound).
  { unfold D. eapply Rle_trans; [apply Rabs_triang|]. unfold bound. lra. }
  assert (AB : Rabs (a + b) <= SA + SB + bound).
  { replace (a + b) with (exact_sum l + exact_sum m + D) by (unfold D; ring).
    eapply Rle_trans; [apply Rabs_triang|]. pose proof (Rabs_triang (exact_sum l) (exact_sum m)). lra. }
  assert (pu : p * u <= / 256) by (rewrite U; lra). assert (qu : q * u <= / 256) by (rewrite U; lra).
  assert (Small : bound <= SA + SB + 4 * 65536).
  { unfold bound. assert (p * u * SA <= / 256 * SA /\ q * u * SB <= / 256 * SB) by (split; apply Rmult_le_compat_r; lra).
    assert ((4 * p - 2) * t <= (4 * p - 2) * 1 /\ (4 * q - 2) * t <= (4 * q - 2) * 1) by (split; apply Rmult_le_compat_l; lra). lra. }
  assert (Large : 2 * IZR (2 ^ 100) + 262144 <= large) by (unfold large; rewrite <- mult_IZR, <- plus_IZR; now apply IZR_le).
  specialize (N ltac:(lra)).
  replace (s - (exact_sum l + exact_sum m)) with ((s - (a + b)) + D) by (unfold D; ring).
  eapply Rle_trans; [apply Rabs_triang|].
  assert (UP : 0 <= u) by (rewrite U; lra). pose proof (Rmult_le_compat_l u _ _ UP AB) as UAB.
  apply Rle_trans with (u * (SA + SB + bound) + t + bound); [lra|].
  (* (1 + u) bound + u (SA + SB) + t is below the bound of both together. *)
  assert (0 <= u * SA /\ 0 <= u * SB) as [USA USB] by (split; apply Rmult_le_pos; lra).
  assert (X : u * bound <= 17 / 16 * / 256 * u * (SA + SB) + t / 16).
  { unfold bound. assert (p * u * (u * SA) <= / 256 * (u * SA) /\ q * u * (u * SB) <= / 256 * (u * SB)) by (split; apply Rmult_le_compat_r; lra).
    assert (u * (4 * p - 2 + (4 * q - 2)) * t <= / 16 * t) by (apply Rmult_le_compat_r; [|rewrite U]; lra). lra. }
  assert (Y : 1 * (u * SB) <= p * (u * SB)) by (apply Rmult_le_compat_r; lra).
  assert (Z : 1 * (u * SA) <= q * (u * SA)) by (apply Rmult_le_compat_r; lra).
  unfold bound in *. lra.
- destruct (exact_sum_permutation _ _ P) as [E A]. rewrite (Permutation_length P) in IH.
  unfold sum_bound in *. rewrite <- E, <- A in *. rewrite <- (Permutation_length P) in *. apply IH; lra.
Qed.

(* A number and its computed value: an enclosure of the number, and one of the error. *)
Definition approximation : Type := interval * interval.

Section Approximations.
Variable bits : positive.
Notation contains := (contains bits).

Definition approximates (a : approximation) (x y : R) : Prop := contains (fst a) x /\ contains (snd a) (y - x).
Definition symmetric (n : Z) : interval := Some (- n, n)%Z.
(* The least number of units that is certainly above n 2^-k units. *)
Definition above (k n : Z) : Z := (Z.shiftr n k + 1)%Z.
Definition magnitude (low high : Z) : Z := Z.max (- low) high.

Definition rounding_error (I : interval) : interval :=
  match I with
  | Some (low, high) =>
    let size := magnitude low high in
    if (size <=? 2 ^ 127 * unit bits)%Z then symmetric (above 24 size + above 100 (unit bits)) else None
  | None => None
  end.
Definition computed (a : approximation) : interval := add (fst a) (snd a).
Definition rounded (a : approximation) : approximation := (fst a, add (snd a) (rounding_error (computed a))).

Definition sum_approximation (a b : approximation) : approximation := rounded (add (fst a) (fst b), add (snd a) (snd b)).
Definition difference_approximation (a b : approximation) : approximation := rounded (sub (fst a) (fst b), sub (snd a) (snd b)).
Definition product_approximation (a b : approximation) : approximation :=
  rounded (mul bits (fst a) (fst b), add (mul bits (snd a) (computed b)) (mul bits (fst a) (snd b))).

(* A sum of products in any order. *)
Definition absolute_bound (I : interval) : interval :=
  match I with Some (low, high) => Some (0%Z, magnitude low high) | None => None end.
Definition total_of (f : interval -> interval) (products : list interval) : interval :=
  fold_right (fun I total => add (f I) total) zero products.
Definition sum_of_products (terms : list (interval * interval)) : approximation :=
  let products := map (fun IJ => mul bits (fst IJ) (snd IJ)) terms in
  let n := Z.of_nat (length terms) in
  (total_of (fun I => I) products,
   match total_of absolute_bound products with
   | Some (_, size) =>
     if (n <=? 65536)%Z && (size <=? 2 ^ 100 * unit bits)%Z then
       symmetric (above 28 (17 * n * size) + above 100 (4 * n * unit bits))
     else None
   | None => None
   end).

Definition hull (I J : interval) : interval :=
  match I, J with Some (a, b), Some (c, d) => Some (Z.min a c, Z.max b d) | _, _ => None end.

Lemma contains_hull I J y : contains I y \/ contains J y -> contains (hull I J) y.
Proof.
destruct I as [[a b]|], J as [[a' b']|]; cbn; try easy. rewrite IZR_min, IZR_max.
pose proof (Rmin_l (IZR a) (IZR a')). pose proof (Rmin_r (IZR a) (IZR a')).
pose proof (Rmax_l (IZR b) (IZR b')). pose proof (Rmax_r (IZR b) (IZR b')). intros [H3|H3]; lra.
Qed.

Lemma contains_symmetric n x : Rabs x * scale bits <= IZR n -> contains (symmetric n) x.
Proof.
pose proof (scale_positive bits) as S. intros H. cbn. rewrite opp_IZR. unfold Rabs in H. destruct (Rcase_abs x); nra.
Qed.

Lemma above_bound k n : (0 <= k)%Z -> IZR n * / IZR (2 ^ k) <= IZR (above k n).
Proof.
intros K. unfold above. rewrite Z.shiftr_div_pow2 by assumption. assert (P : (0 < 2 ^ k)%Z) by (apply Z.pow_pos_nonneg; lia).
pose proof (Z.mul_succ_div_gt n (2 ^ k) P) as H. apply IZR_lt in H. rewrite mult_IZR in H. apply IZR_lt in P.
apply Rmult_le_reg_r with (IZR (2 ^ k)); [assumption|]. rewrite Rmult_assoc, Rinv_l, Rmult_1_r by lra.
unfold Z.succ in H. lra.
Qed.

Lemma magnitude_bound low high x : IZR low <= x * scale bits <= IZR high -> Rabs x * scale bits <= IZR (magnitude low high).
Proof.
intros H. unfold magnitude. rewrite IZR_max, opp_IZR. unfold Rmax, Rabs. destruct (Rle_dec _ _), (Rcase_abs x); lra.
Qed.

Lemma near_contains I x y : near x y -> contains I x -> contains (rounding_error I) (y - x).
Proof.
intros N. destruct I as [[low high]|]; [|easy]. cbn [rounding_error]. intros H%magnitude_bound.
destruct (Z.leb_spec (magnitude low high) (2 ^ 127 * unit bits)) as [L|]; [|easy].
apply IZR_le in L. rewrite mult_IZR in L. fold (scale bits) in L. pose proof (scale_positive bits) as S.
assert (X : Rabs x <= large) by (unfold large; apply Rmult_le_reg_r with (scale bits); lra).
apply contains_symmetric. specialize (N X). rewrite plus_IZR.
pose proof (above_bound 24 (magnitude low high) ltac:(lia)) as A. pose proof (above_bound 100 (unit bits) ltac:(lia)) as B.
fold (scale bits) in B. fold half_unit in A. fold least in B.
assert (U : 0 <= half_unit) by (unfold half_unit; cbn; lra).
apply Rle_trans with ((half_unit * Rabs x + least) * scale bits); [apply Rmult_le_compat_r; lra|]. nra.
Qed.

Lemma contains_computed a x y : approximates a x y -> contains (computed a) y.
Proof. intros [A B]. replace y with (x + (y - x)) by ring. now apply contains_add. Qed.

Lemma rounded_approximates a x y z : approximates a x y -> near y z -> approximates (rounded a) x z.
Proof.
intros A N. split; [apply A|]. cbn [rounded snd]. replace (z - x) with ((y - x) + (z - y)) by ring.
apply contains_add; [apply A|]. apply near_contains; [assumption|]. now apply (contains_computed a x).
Qed.

Lemma sum_approximates a b x x' y y' s : approximates a x x' -> approximates b y y' -> near (x' + y') s ->
  approximates (sum_approximation a b) (x + y) s.
Proof.
intros [A A'] [B B'] N. apply rounded_approximates with (x' + y'); [|assumption]. split; cbn [fst snd]; [now apply contains_add|].
replace (x' + y' - (x + y)) with ((x' - x) + (y' - y)) by ring. now apply contains_add.
Qed.

Lemma difference_approximates a b x x' y y' s : approximates a x x' -> approximates b y y' -> near (x' - y') s ->
  approximates (difference_approximation a b) (x - y) s.
Proof.
intros [A A'] [B B'] N. apply rounded_approximates with (x' - y'); [|assumption]. split; cbn [fst snd]; [now apply contains_sub|].
replace (x' - y' - (x - y)) with ((x' - x) - (y' - y)) by ring. now apply contains_sub.
Qed.

Lemma product_approximates a b x x' y y' s : approximates a x x' -> approximates b y y' -> near (x' * y') s ->
  approximates (product_approximation a b) (x * y) s.
Proof.
intros [A A'] [B B'] N. apply rounded_approximates with (x' * y'); [|assumption]. split; cbn [fst snd]; [now apply contains_mul|].
replace (x' * y' - x * y) with ((x' - x) * y' + x * (y' - y)) by ring.
apply contains_add; apply contains_mul; try assumption. now apply (contains_computed b y).
Qed.

Inductive contain_terms : list (interval * interval) -> list (R * R) -> Prop :=
| contain_none : contain_terms [] []
| contain_term I J x y terms l : contains I x -> contains J y -> contain_terms terms l ->
  contain_terms ((I, J) :: terms) ((x, y) :: l).

Lemma contain_terms_app terms l : contain_terms terms l -> forall terms' l', contain_terms terms' l' ->
  contain_terms (terms ++ terms') (l ++ l').
Proof. induction 1; cbn; intros; [assumption|]. constructor; auto. Qed.

Lemma contains_absolute I x : contains I x -> contains (absolute_bound I) (Rabs x).
Proof.
destruct I as [[low high]|]; [|easy]. intros H%magnitude_bound. cbn. pose proof (Rabs_pos x). pose proof (scale_positive bits).
split; [nra|assumption].
Qed.

Lemma contains_total (f : interval -> interval) (h : R -> R) terms l : (forall I x, contains I x -> contains (f I) (h x)) ->
  contain_terms terms l ->
  contains (total_of f (map (fun IJ => mul bits (fst IJ) (snd IJ)) terms)) (fold_right (fun xy s => h (fst xy * snd xy) + s) 0 l).
Proof.
intros F C. unfold total_of. induction C as [|I J x y terms l X Y C IH]; cbn [map fold_right fst snd]; [apply contains_zero|].
apply contains_add; [|assumption]. now apply F, contains_mul.
Qed.

Lemma contains_exact_sum terms l : contain_terms terms l -> contains (fst (sum_of_products terms)) (exact_sum l).
Proof. now apply (contains_total (fun I => I) (fun x => x)). Qed.

Lemma sum_of_products_approximates terms l s : contain_terms terms l -> sum_of l s ->
  approximates (sum_of_products terms) (exact_sum l) s.
Proof.
intros C S. split; [now apply contains_exact_sum|]. pose proof (contains_total absolute_bound Rabs _ _ contains_absolute C) as A.
fold (absolute_sum l) in A. unfold sum_of_products. set (products := map _ terms) in *. cbn [snd].
destruct (total_of absolute_bound products) as [[low size]|]; [|easy].
assert (L : length terms = length l) by (clear -C; induction C; cbn; auto).
destruct (Z.leb_spec (Z.of_nat (length terms)) 65536) as [T|]; [|easy].
destruct (Z.leb_spec size (2 ^ 100 * unit bits)) as [Size|]; [|easy]. cbn [andb].
apply IZR_le in T, Size. rewrite <- INR_IZR_INZ in T. rewrite L in T. rewrite mult_IZR in Size. fold (scale bits) in Size.
pose proof (scale_positive bits) as SP. cbn in A.
assert (Absolute : absolute_sum l <= IZR (2 ^ 100)) by (apply Rmult_le_reg_r with (scale bits); lra).
pose proof (sum_error l s S T Absolute) as B. apply contains_symmetric.
apply Rle_trans with (sum_bound l * scale bits); [now apply Rmult_le_compat_r; [lra|]|].
unfold sum_bound. rewrite plus_IZR, L.
pose proof (above_bound 28 (17 * Z.of_nat (length l) * size) ltac:(lia)) as B1.
pose proof (above_bound 100 (4 * Z.of_nat (length l) * unit bits) ltac:(lia)) as B2.
rewrite !mult_IZR, <- INR_IZR_INZ in B1, B2. fold (scale bits) in B2. fold least in B2.
set (n := INR (length l)) in *. assert (N : 0 <= n) by apply pos_INR.
assert (H : IZR 17 * n * (absolute_sum l * scale bits) * / IZR (2 ^ 28) <= IZR 17 * n * IZR size * / IZR (2 ^ 28)).
{ apply Rmult_le_compat_r; [cbn; lra|]. apply Rmult_le_compat_l; [nra|lra]. }
assert (Least : 0 <= least) by (unfold least; cbn; lra).
assert (LS : 0 <= least * scale bits) by nra.
replace (17 / 16 * n * half_unit * absolute_sum l) with (IZR 17 * n * absolute_sum l * / IZR (2 ^ 28)) by (unfold half_unit; cbn; field).
nra.
Qed.
End Approximations.
