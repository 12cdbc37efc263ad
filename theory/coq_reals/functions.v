(* Enclosures of exp, the sigmoid and tanh. *)

From Coq Require Import Reals ZArith QArith Qreals List Lia Lra Psatz.
From Coquelicot Require Import Coquelicot.
From Flocq Require Import Raux.
From Interval Require Import Xreal Interval Basic Specific_ops Specific_stdz Float_full Float.
From ratproof_reals Require Import intervals.
Import ListNotations.

Module Floats := SpecificFloat StdZRadix2.
Module Enclosures := FloatIntervalFull Floats.

Local Open Scope Z_scope.
Local Open Scope R_scope.

Section Slow.
Variable bits : positive.
Notation contains := (contains bits).
Notation scale := (scale bits).
Notation unit := (unit bits).

(* From coq-interval. *)
Definition as_float (n : Z) : Floats.type := Specific_ops.Float n (Z.neg bits).
Definition scaled_floor (x : Floats.type) : option Z :=
  match x with Specific_ops.Fnan => None | Specific_ops.Float m e => Some (Z.shiftl m (e + Z.pos bits)) end.
Definition scaled_ceiling (x : Floats.type) : option Z :=
  match x with Specific_ops.Fnan => None | Specific_ops.Float m e => Some (- Z.shiftl (- m) (e + Z.pos bits))%Z end.
Definition slow_exponential (I : interval) : interval :=
  match I with
  | None => None
  | Some (low, high) =>
    match Enclosures.exp (Z.pos (bits + 6)) (Ibnd (as_float low) (as_float high)) with
    | Float.Inan => None
    | Ibnd a b => match scaled_floor a, scaled_ceiling b with Some c, Some d => Some (c, d) | _, _ => None end
    end
  end.

Lemma as_float_value n : Floats.toX (as_float n) = Xreal (IZR n / scale).
Proof.
unfold as_float, Floats.toX, Floats.toF, scale, unit. destruct n; simpl; unfold Rdiv; try rewrite Rmult_0_l; reflexivity.
Qed.

Lemma float_value m e v : Floats.toX (Specific_ops.Float m e) = Xreal v -> v = IZR m * bpow Zaux.radix2 e.
Proof.
unfold Floats.toX, Floats.toF.
destruct m as [|m|m]; cbn -[FtoR]; intros H; injection H as <-; [now rewrite Rmult_0_l|..];
destruct e; unfold FtoR; cbn -[Z.mul Z.pow_pos IZR]; rewrite ?Rmult_1_r, ?mult_IZR; reflexivity.
Qed.

Lemma scale_is_power : scale = bpow Zaux.radix2 (Z.pos bits).
Proof. reflexivity. Qed.

(* A number of units, from a float. *)
Lemma shifted_below m e : IZR (Z.shiftl m (e + Z.pos bits)) <= IZR m * bpow Zaux.radix2 e * scale.
Proof.
rewrite scale_is_power, Rmult_assoc, <- bpow_plus. destruct (Z.leb_spec 0 (e + Z.pos bits)) as [E|E].
- rewrite Z.shiftl_mul_pow2, mult_IZR by lia. rewrite <- (IZR_Zpower Zaux.radix2) by lia. apply Rle_refl.
- rewrite Z.shiftl_div_pow2 by lia. set (n := (- (e + Z.pos bits))%Z).
  assert (N : (0 < 2 ^ n)%Z) by (apply Z.pow_pos_nonneg; unfold n; lia).
  pose proof (division_below m _ N) as H. apply IZR_lt in N.
  replace (e + Z.pos bits)%Z with (- n)%Z by (unfold n; lia).
  rewrite bpow_opp, <- (IZR_Zpower Zaux.radix2) by (unfold n; lia). simpl Zaux.radix_val.
  apply Rmult_le_reg_r with (IZR (2 ^ n)); [assumption|]. rewrite Rmult_assoc, Rinv_l; lra.
Qed.

Lemma scaled_floor_below x n v : Floats.toX x = Xreal v -> scaled_floor x = Some n -> IZR n <= v * scale.
Proof.
destruct x as [|m e]; [easy|]. intros V N. injection N as <-. rewrite (float_value _ _ _ V). apply shifted_below.
Qed.

Lemma scaled_ceiling_above x n v : Floats.toX x = Xreal v -> scaled_ceiling x = Some n -> v * scale <= IZR n.
Proof.
destruct x as [|m e]; [easy|]. intros V N. injection N as <-. rewrite (float_value _ _ _ V).
pose proof (shifted_below (- m) e) as H. rewrite !opp_IZR in *. lra.
Qed.

Lemma float_of_finite x n : scaled_floor x = Some n -> exists v, Floats.toX x = Xreal v.
Proof.
destruct x as [|m e]; [easy|]. intros _. unfold Floats.toX, Floats.toF. destruct m; simpl; eauto.
Qed.

Lemma contains_slow_exponential I x : contains I x -> contains (slow_exponential I) (exp x).
Proof.
destruct I as [[low high]|]; [|easy]. intros X. unfold slow_exponential.
pose proof (Enclosures.exp_correct (Z.pos (bits + 6)) (Ibnd (as_float low) (as_float high)) (Xreal x)) as E.
destruct (Enclosures.exp _ _) as [|a b]; [easy|].
destruct (scaled_floor a) as [c|] eqn:A; [|easy]. destruct (scaled_ceiling b) as [d|] eqn:B; [|easy].
assert (H : Interval.contains (Enclosures.convert (Ibnd (as_float low) (as_float high))) (Xreal x)).
{ unfold Enclosures.convert. cbn -[Floats.toX]. rewrite !as_float_value. pose proof (scale_positive bits) as S. simpl in X.
  split; apply Rmult_le_reg_r with scale; try assumption; unfold Rdiv; rewrite Rmult_assoc, Rinv_l; lra. }
specialize (E H). unfold Enclosures.convert in E. destruct (_ && _)%bool; [|simpl in E; lra].
destruct (float_of_finite _ _ A) as [v V].
assert (exists w, Floats.toX b = Xreal w) as [w W].
{ destruct b as [|m e]; [easy|]. unfold Floats.toX, Floats.toF. destruct m; simpl; eauto. }
rewrite V, W in E. simpl in E. pose proof (scale_positive bits) as S. simpl. split.
- apply Rle_trans with (1 := scaled_floor_below _ _ _ V A). nra.
- apply Rle_trans with (2 := scaled_ceiling_above _ _ _ W B). nra.
Qed.

End Slow.

(* From units of 2^-from to units of 2^-bits. *)
Definition rounded (from bits : positive) (I : interval) : interval :=
  match I with
  | Some (a, b) => let s := (Z.pos from - Z.pos bits)%Z in Some (Z.shiftr a s, - Z.shiftr (- b) s)%Z
  | None => None
  end.

Lemma scales from bits : (Z.pos bits <= Z.pos from)%Z -> scale from = IZR (2 ^ (Z.pos from - Z.pos bits)) * scale bits.
Proof. intros L. unfold scale. rewrite !unit_is_power, <- mult_IZR, <- Z.pow_add_r by lia. do 2 f_equal. lia. Qed.

Lemma contains_rounded from bits I x : (Z.pos bits <= Z.pos from)%Z -> contains from I x -> contains bits (rounded from bits I) x.
Proof.
intros L. destruct I as [[a b]|]; [|easy]. unfold rounded, contains. rewrite (scales from bits L).
set (s := (Z.pos from - Z.pos bits)%Z). assert (S : (0 <= s)%Z) by (unfold s; lia). intros X.
assert (P : (0 < 2 ^ s)%Z) by (apply Z.pow_pos_nonneg; lia). cbv zeta.
rewrite !Z.shiftr_div_pow2 by assumption. pose proof (division_below a _ P). pose proof (division_below (- b) _ P).
apply IZR_lt in P. rewrite !opp_IZR in *. split; apply Rmult_le_reg_r with (IZR (2 ^ s)); lra.
Qed.

(* Tables of exp (- i / 2^n) for i < 64, in units of 2^-48. They are powers of exp (- 1 / 2^n), computed with 64 bits. *)
Fixpoint powers (length : nat) (I power : interval) : list interval :=
  match length with O => [] | S rest => power :: powers rest I (mul 64 I power) end.
Definition table (n : Z) : list interval :=
  map (rounded 64 48) (powers 64 (slow_exponential 64 (point (- Z.shiftl 1 (64 - n)))) (one 64)).
Definition table_0 : list interval := Eval vm_compute in table 0.
Definition table_6 : list interval := Eval vm_compute in table 6.
Definition table_12 : list interval := Eval vm_compute in table 12.

Lemma table_0_is : table_0 = table 0. Proof. vm_cast_no_check (eq_refl table_0). Qed.
Lemma table_6_is : table_6 = table 6. Proof. vm_cast_no_check (eq_refl table_6). Qed.
Lemma table_12_is : table_12 = table 12. Proof. vm_cast_no_check (eq_refl table_12). Qed.

Lemma powers_contain length : forall i I power x y, contains 64 I x -> contains 64 power y ->
  contains 64 (nth i (powers length I power) None) (x ^ i * y).
Proof.
induction length as [|rest IH]; intros [|i] I power x y X Y; try exact Logic.I; cbn [powers nth pow].
- now rewrite Rmult_1_l.
- replace (x * x ^ i * y) with (x ^ i * (x * y)) by ring. apply IH; [assumption|]. now apply contains_mul.
Qed.

Lemma power_of_exp x i : exp x ^ i = exp (INR i * x).
Proof.
induction i as [|i IH]; [now rewrite Rmult_0_l, exp_0|]. rewrite S_INR, Rmult_plus_distr_r, exp_plus, Rmult_1_l.
simpl. rewrite IH. apply Rmult_comm.
Qed.

Lemma table_contains n i : (0 <= n <= 48)%Z -> contains 48 (nth i (table n) None) (exp (- (INR i / IZR (2 ^ n)))).
Proof.
intros N. unfold table. change None with (rounded 64 48 None). rewrite map_nth. apply contains_rounded; [lia|].
replace (exp (- (INR i / IZR (2 ^ n)))) with (exp (- (1 / IZR (2 ^ n))) ^ i * 1)
  by (rewrite power_of_exp, Rmult_1_r; f_equal; unfold Rdiv; ring).
apply powers_contain; [|apply contains_one]. apply contains_slow_exponential, contains_point.
rewrite opp_IZR, Z.shiftl_mul_pow2, mult_IZR by lia.
unfold scale. rewrite unit_is_power. replace (2 ^ Z.pos 64)%Z with (2 ^ n * 2 ^ (64 - n))%Z by (rewrite <- Z.pow_add_r by lia; f_equal; lia).
rewrite mult_IZR. field. apply IZR_neq. apply Z.pow_nonzero; lia.
Qed.

(* The Taylor polynomials of exp (- x) bound it from below and from above in turn, because their differences from it increase. *)
Lemma increases_from_0 (f f' : R -> R) : f 0 = 0 -> (forall x, is_derive f x (f' x)) -> (forall x, 0 <= x -> 0 <= f' x) ->
  forall x, 0 <= x -> 0 <= f x.
Proof.
intros Z D P x X. destruct (MVT_gen f 0 x f') as (c & [C _] & E).
- intros y _. apply D.
- intros y _. apply continuity_pt_filterlim, (ex_derive_continuous f). now exists (f' y).
- rewrite Rmin_left in C by assumption. specialize (P c C). rewrite Z, !Rminus_0_r in E. rewrite E. now apply Rmult_le_pos.
Qed.

Lemma degree_1 x : 0 <= exp (- x) - (1 - x).
Proof. pose proof (exp_ineq1_le (- x)). lra. Qed.

Lemma degree_2 x : 0 <= x -> 0 <= 1 - x * (1 - x * (1 / 2)) - exp (- x).
Proof.
apply (increases_from_0 (fun x => 1 - x * (1 - x * (1 / 2)) - exp (- x)) (fun x => exp (- x) - (1 - x))).
- rewrite Ropp_0, exp_0. lra.
- intros y. auto_derive; [easy|]. field.
- intros y _. apply degree_1.
Qed.

Lemma degree_3 x : 0 <= x -> 0 <= exp (- x) - (1 - x * (1 - x * (1 / 2 - x * (1 / 6)))).
Proof.
apply (increases_from_0 (fun x => exp (- x) - (1 - x * (1 - x * (1 / 2 - x * (1 / 6))))) (fun x => 1 - x * (1 - x * (1 / 2)) - exp (- x))).
- rewrite Ropp_0, exp_0. lra.
- intros y. auto_derive; [easy|]. field.
- intros y Y. now apply degree_2.
Qed.

Lemma degree_4 x : 0 <= x -> 0 <= 1 - x * (1 - x * (1 / 2 - x * (1 / 6 - x * (1 / 24)))) - exp (- x).
Proof.
apply (increases_from_0 (fun x => 1 - x * (1 - x * (1 / 2 - x * (1 / 6 - x * (1 / 24)))) - exp (- x))
  (fun x => exp (- x) - (1 - x * (1 - x * (1 / 2 - x * (1 / 6)))))).
- rewrite Ropp_0, exp_0. lra.
- intros y. auto_derive; [easy|]. field.
- intros y Y. now apply degree_3.
Qed.

Lemma near_taylor r : 0 <= r <= 1 / 4096 -> - / 2 ^ 48 <= exp (- r) - (1 - r * (1 - r * (1 / 2 - r * (1 / 6)))) <= / 2 ^ 48.
Proof.
intros R. pose proof (degree_3 r ltac:(lra)). pose proof (degree_4 r ltac:(lra)).
assert (r * r <= 1 / 16777216) by nra. assert (r * r * (r * r) <= / 2 ^ 48) by (simpl; nra).
assert (0 < / 2 ^ 48) by (simpl; lra). split; nra.
Qed.

Lemma power_of_2 n : 2 ^ n <= exp (INR n).
Proof.
induction n as [|n IH]; [simpl; rewrite exp_0; lra|]. rewrite S_INR, exp_plus. pose proof (exp_ineq1_le 1).
assert (0 < 2 ^ n) by (apply pow_lt; lra). simpl. nra.
Qed.

Lemma tiny x : 64 <= x -> exp (- x) <= / 2 ^ 48.
Proof.
intros X. rewrite exp_Ropp. apply Rinv_le_contravar; [apply pow_lt; lra|]. apply Rle_trans with (1 := power_of_2 48).
left. apply exp_increasing. rewrite INR_IZR_INZ. simpl. lra.
Qed.

Section Fast.
Variable bits : positive.
Notation contains := (contains bits).
Notation scale := (scale bits).
Notation one := (one bits).
Notation mul := (mul bits).
Notation div := (div bits).
Notation scale_positive := (scale_positive bits).

(* The exponential of - x, for x of at least 0 and 12 to 48 bits. With x = i + j / 64 + k / 4096 + r, it is the product of three entries of
   the tables and exp (- r), which is near a Taylor polynomial. *)
Definition lookup (entries : list interval) (i : Z) : interval := rounded 48 bits (nth (Z.to_nat i) entries None).
Definition polynomial (r : Z) : interval :=
  let R := point r in
  add (sub one (mul R (sub one (mul R (sub (of_rational bits (1 # 2)) (mul R (of_rational bits (1 # 6)))))))) (Some (-1, 1)%Z).
Definition exp_minus (x : Z) : interval :=
  let y := Z.shiftr x (Z.pos bits - 12) in let r := (x - Z.shiftl y (Z.pos bits - 12))%Z in
  let z := Z.shiftr y 6 in let k := (y - 64 * z)%Z in
  let i := Z.shiftr z 6 in let j := (z - 64 * i)%Z in
  if (64 <=? i)%Z then Some (0, 1)%Z else
  mul (mul (lookup table_0 i) (lookup table_6 j)) (mul (lookup table_12 k) (polynomial r)).

Section Precision.
Hypothesis precision : (12 <= Z.pos bits <= 48)%Z.

Lemma unit_is_coarser : / 2 ^ 48 * scale <= 1.
Proof.
unfold scale. rewrite unit_is_power. replace 1 with (/ 2 ^ 48 * IZR (2 ^ 48)) by (simpl; lra).
apply Rmult_le_compat_l; [simpl; lra|]. apply IZR_le, Z.pow_le_mono_r; lia.
Qed.

Lemma contains_lookup n i : (0 <= n <= 48)%Z -> (0 <= i)%Z -> contains (lookup (table n) i) (exp (- (IZR i / IZR (2 ^ n)))).
Proof.
intros N I. pose proof (table_contains n (Z.to_nat i) N) as T. rewrite INR_IZR_INZ, Z2Nat.id in T by assumption. now apply contains_rounded.
Qed.

Lemma contains_polynomial r x : x * scale = IZR r -> 0 <= x <= 1 / 4096 -> contains (polynomial r) (exp (- x)).
Proof.
intros E X. unfold polynomial. set (d := exp (- x) - (1 - x * (1 - x * (1 / 2 - x * (1 / 6))))).
replace (exp (- x)) with (1 - x * (1 - x * (1 / 2 - x * (1 / 6))) + d) by (unfold d; ring).
pose proof (contains_rational bits (1 # 2)) as Half. pose proof (contains_rational bits (1 # 6)) as Sixth. unfold Q2R in Half, Sixth. cbn in Half, Sixth.
rewrite Rmult_1_l in Half, Sixth. rewrite <- (Rmult_1_l (/ 2)) in Half. rewrite <- (Rmult_1_l (/ 6)) in Sixth.
apply contains_add.
- repeat first [apply contains_sub|apply contains_mul|apply contains_one|exact Half|exact Sixth|apply contains_point, E].
- pose proof (near_taylor x X) as D. fold d in D. pose proof unit_is_coarser as U. pose proof scale_positive as S. cbn.
  nra.
Qed.

Lemma contains_exp_minus X x : x * scale = IZR X -> 0 <= x -> contains (exp_minus X) (exp (- x)).
Proof.
intros E X0. unfold exp_minus. set (m := (Z.pos bits - 12)%Z). assert (M : (0 <= m)%Z) by (unfold m; lia).
set (y := Z.shiftr X m). set (r := (X - Z.shiftl y m)%Z). set (z := Z.shiftr y 6). set (k := (y - 64 * z)%Z).
set (i := Z.shiftr z 6). set (j := (z - 64 * i)%Z).
assert (X1 : (0 <= X)%Z). { apply le_IZR. rewrite <- E. pose proof scale_positive. nra. }
assert (P : (0 < 2 ^ m)%Z) by (apply Z.pow_pos_nonneg; lia).
assert (R : (0 <= r < 2 ^ m)%Z). { unfold r, y. rewrite Z.shiftr_div_pow2, Z.shiftl_mul_pow2, Z.mul_comm, <- Z.mod_eq by lia. now apply Z.mod_pos_bound. }
assert (Y : (0 <= y)%Z) by now apply Z.shiftr_nonneg.
assert (K : (0 <= k)%Z). { unfold k, z. rewrite Z.shiftr_div_pow2 by lia. change (2 ^ 6)%Z with 64%Z. pose proof (Z.mod_pos_bound y 64 ltac:(lia)). rewrite Z.mod_eq in * by lia. lia. }
assert (Z0 : (0 <= z)%Z) by now apply Z.shiftr_nonneg.
assert (J : (0 <= j)%Z). { unfold j, i. rewrite Z.shiftr_div_pow2 by lia. change (2 ^ 6)%Z with 64%Z. pose proof (Z.mod_pos_bound z 64 ltac:(lia)). rewrite Z.mod_eq in * by lia. lia. }
assert (I : (0 <= i)%Z) by now apply Z.shiftr_nonneg.
assert (D : scale = 4096 * IZR (2 ^ m)).
{ unfold scale. rewrite unit_is_power, <- mult_IZR. f_equal. change 4096%Z with (2 ^ 12)%Z. rewrite <- Z.pow_add_r by lia. f_equal. unfold m. lia. }
assert (P' := P). apply IZR_lt in P'.
assert (S : x = IZR i + IZR j / 64 + IZR k / 4096 + IZR r / scale).
{ apply Rmult_eq_reg_r with scale; [|pose proof scale_positive; lra]. rewrite E.
  unfold r. rewrite minus_IZR, Z.shiftl_mul_pow2, mult_IZR by lia. unfold k, j. rewrite !minus_IZR, !mult_IZR. rewrite D. field. lra. }
destruct (Z.leb_spec 64 i) as [L|L].
- apply IZR_le in L. pose proof (exp_pos (- x)) as Positive. pose proof scale_positive as SP.
  assert (64 <= x).
  { rewrite S. apply IZR_le in J, K. destruct R as [R _]. apply IZR_le in R. assert (0 <= IZR r / scale) by (apply Rdiv_le_0_compat; lra). lra. }
  pose proof (tiny x ltac:(assumption)) as T. cbn. split; [nra|].
  apply Rle_trans with (/ 2 ^ 48 * scale); [nra|]. exact unit_is_coarser.
- rewrite S. replace (- (IZR i + IZR j / 64 + IZR k / 4096 + IZR r / scale)) with
    ((- (IZR i / IZR (2 ^ 0)) + - (IZR j / IZR (2 ^ 6))) + (- (IZR k / IZR (2 ^ 12)) + - (IZR r / scale))) by (cbn; field; pose proof scale_positive; lra).
  rewrite !exp_plus. rewrite table_0_is, table_6_is, table_12_is.
  repeat apply contains_mul; try (apply contains_lookup; lia).
  apply contains_polynomial; [field; pose proof scale_positive; lra|].
  destruct R as [R1%IZR_le R2%IZR_lt]. rewrite D. split.
  + apply Rdiv_le_0_compat; lra.
  + apply Rmult_le_reg_r with (4096 * IZR (2 ^ m)); [lra|]. field_simplify; lra.
Qed.

End Precision.
End Fast.

Section Functions.
Variable bits : positive.
Notation contains := (contains bits).
Notation scale := (scale bits).
Notation one := (one bits).
Notation div := (div bits).
Notation scale_positive := (scale_positive bits).

(* An increasing function, from enclosures of its values at the ends of the interval. *)
Definition increasing (f : Z -> interval) (I : interval) : interval :=
  match I with
  | None => None
  | Some (a, b) => if (a =? b)%Z then f a else match f a, f b with Some (c, _), Some (_, d) => Some (c, d) | _, _ => None end
  end.

Lemma contains_increasing f (g : R -> R) I x : (forall n y, y * scale = IZR n -> contains (f n) (g y)) ->
  (forall y z, y <= z -> g y <= g z) -> contains I x -> contains (increasing f I) (g x).
Proof.
intros F G. destruct I as [[a b]|]; [|easy]. cbn. intros X. pose proof scale_positive as S.
assert (At : forall n, n / scale * scale = n) by (intros; field; lra).
destruct (Z.eqb_spec a b) as [->|_]; [apply F; lra|].
pose proof (F a _ (At _)) as A. pose proof (F b _ (At _)) as B. destruct (f a) as [[c c']|], (f b) as [[d' d]|]; try easy. cbn in *.
pose proof (G (IZR a / scale) x) as GA. pose proof (G x (IZR b / scale)) as GB.
assert (IZR a / scale <= x) by (apply Rmult_le_reg_r with scale; [lra|]; rewrite At; lra).
assert (x <= IZR b / scale) by (apply Rmult_le_reg_r with scale; [lra|]; rewrite At; lra). nra.
Qed.

(* The products in exp_minus are computed with 48 bits, so that their rounding does not matter. *)
Definition exp_at (n : Z) : interval :=
  if ((n <=? 0) && (12 <=? Z.pos bits) && (Z.pos bits <=? 48))%bool%Z
  then rounded 48 bits (exp_minus 48 (Z.shiftl (- n) (48 - Z.pos bits)))
  else slow_exponential bits (point n).
Definition exponential : interval -> interval := increasing exp_at.

Lemma contains_exp_at n x : x * scale = IZR n -> contains (exp_at n) (exp x).
Proof.
intros E. unfold exp_at. destruct (_ && _ && _)%bool eqn:G; [|apply contains_slow_exponential, contains_point, E].
apply andb_prop in G as [[N%Z.leb_le%IZR_le L%Z.leb_le]%andb_prop H%Z.leb_le]. rewrite <- (Ropp_involutive x).
apply contains_rounded; [lia|]. apply contains_exp_minus; [lia| |pose proof scale_positive; nra].
rewrite (scales 48 bits) by lia. rewrite Z.shiftl_mul_pow2, mult_IZR, opp_IZR by lia. rewrite <- E. ring.
Qed.

Lemma contains_exponential I x : contains I x -> contains (exponential I) (exp x).
Proof.
apply contains_increasing; [exact contains_exp_at|]. intros y z [L| ->]; [left; now apply exp_increasing|apply Rle_refl].
Qed.

(* sigmoid x = 1 / (1 + exp (- x)) and tanh. *)
Definition sigmoid (x : R) : R := 1 / (1 + exp (- x)).
Definition sigmoid_at (n : Z) : interval :=
  let s := div one (add one (exp_at (- Z.abs n))) in if (0 <=? n)%Z then s else sub one s.
Definition sigmoid_of : interval -> interval := increasing sigmoid_at.
Definition tanh_of (I : interval) : interval := sub (doubled (sigmoid_of (doubled I))) one.

Lemma sigmoid_of_opposite x : sigmoid x = 1 - sigmoid (- x).
Proof. unfold sigmoid. rewrite Ropp_involutive, exp_Ropp. pose proof (exp_pos x). field. lra. Qed.

Lemma contains_sigmoid_at n x : x * scale = IZR n -> contains (sigmoid_at n) (sigmoid x).
Proof.
intros E.
assert (S : forall m y, y * scale = IZR m -> contains (div one (add one (exp_at (- m)))) (sigmoid y)).
{ intros m y Y. apply contains_div; [apply contains_one|]. apply contains_add; [apply contains_one|]. apply contains_exp_at. rewrite opp_IZR. lra. }
unfold sigmoid_at. destruct (Z.leb_spec 0 n).
- rewrite Z.abs_eq by assumption. now apply S.
- rewrite Z.abs_neq by lia. rewrite sigmoid_of_opposite. apply contains_sub; [apply contains_one|]. apply S. rewrite opp_IZR. lra.
Qed.

Lemma sigmoid_increases x y : x <= y -> sigmoid x <= sigmoid y.
Proof.
intros L. unfold sigmoid, Rdiv. rewrite !Rmult_1_l. pose proof (exp_pos (- x)). pose proof (exp_pos (- y)).
apply Rinv_le_contravar; [lra|]. apply Rplus_le_compat_l. destruct L as [L| ->]; [left; apply exp_increasing; lra|apply Rle_refl].
Qed.

Lemma contains_sigmoid I x : contains I x -> contains (sigmoid_of I) (sigmoid x).
Proof. apply contains_increasing; [exact contains_sigmoid_at|exact sigmoid_increases]. Qed.

Lemma tanh_is_sigmoid x : tanh x = sigmoid (x + x) + sigmoid (x + x) - 1.
Proof.
unfold tanh, sinh, cosh, sigmoid. replace (- (x + x)) with (- x + - x) by ring.
rewrite exp_plus, exp_Ropp. pose proof (exp_pos x). field. split; nra.
Qed.

Lemma contains_tanh I x : contains I x -> contains (tanh_of I) (tanh x).
Proof.
intros X. rewrite tanh_is_sigmoid. unfold tanh_of, doubled.
repeat first [apply contains_sub | apply contains_add | apply contains_sigmoid | apply contains_one | assumption].
Qed.
End Functions.
