(* The operations of IEEE 754, with rounding to nearest, satisfy the hypotheses of rounding.v and running_bound.v about computed numbers. *)

From Coq Require Import Reals QArith Qreals ZArith Lia Lra.
From Flocq Require Import Core Relative Plus_error BinarySingleNaN Binary Bits.
From ratproof_reals Require Import rounding running_bound.
Open Scope R_scope.

(* A format with a precision and an exponent of overflow: 24 and 128 for binary32, 53 and 1024 for binary64. *)
Section Format.
Variables precision overflow : Z.
Context (precision_positive : Prec_gt_0 precision) (precision_below : Prec_lt_emax precision overflow).
Notation float := (binary_float precision overflow).
Notation value := (B2R precision overflow).
Notation finite := (is_finite precision overflow).
Definition least_exponent : Z := (3 - overflow - precision)%Z.
Notation exponent := (FLT_exp least_exponent precision).
Definition rounded (x : R) : R := round radix2 exponent ZnearestE x.
Definition unit_roundoff : R := bpow radix2 (- precision).

Lemma rounding_error x : Rabs (rounded x - x) <= unit_roundoff * Rabs x + bpow radix2 (least_exponent - 1).
Proof.
destruct (error_N_FLT radix2 least_exponent precision precision_positive (fun n => negb (Z.even n)) x) as (e & t & E & T & _ & H).
unfold rounded. rewrite H. replace (x * (1 + e) + t - x) with (x * e + t) by ring.
eapply Rle_trans; [apply Rabs_triang|]. rewrite Rabs_mult. pose proof (Rabs_pos x).
assert (Half : forall n, / 2 * bpow radix2 n = bpow radix2 (n - 1)) by (intros n; unfold Z.sub; rewrite bpow_plus; cbn; lra).
rewrite Half in E, T. replace (- precision + 1 - 1)%Z with (- precision)%Z in E by ring. unfold unit_roundoff. nra.
Qed.

Definition in_range (x : R) : Prop := Rabs x <= bpow radix2 (overflow - 1).
Lemma no_overflow x : in_range x -> Rlt_bool (Rabs (rounded x)) (bpow radix2 overflow) = true.
Proof.
intros X. apply Rlt_bool_true. apply Rle_lt_trans with (bpow radix2 (overflow - 1)); [|apply bpow_lt; lia].
apply abs_round_le_generic; [now apply FLT_exp_valid|typeclasses eauto| |assumption].
apply generic_format_FLT_bpow; [assumption|]. unfold least_exponent, Prec_lt_emax, Prec_gt_0 in *. lia.
Qed.

(* From Flocq's theorem about an operation. *)
Ltac from_flocq theorem := pose proof theorem as H; cbn zeta in H;
  change (SpecFloat.fexp precision overflow) with exponent in H; cbn [round_mode] in H; fold (rounded) in H;
  unfold rounded in H; rewrite no_overflow in H by assumption; destruct H as (V & F & _);
  repeat match type of F with context [andb (finite ?x) (finite ?y)] => replace (finite x) with true in F; replace (finite y) with true in F end;
  split; [exact F|exact V].

Section Operations.
Variables x y z : float.
Hypothesis x_finite : finite x = true.
Hypothesis y_finite : finite y = true.
Hypothesis z_finite : finite z = true.
Variable nan : float -> float -> { n : float | is_nan precision overflow n = true }.
Variable nan3 : float -> float -> float -> { n : float | is_nan precision overflow n = true }.

Definition is_rounded (exact : R) (result : float) : Prop := finite result = true /\ value result = rounded exact.

Theorem addition : in_range (value x + value y) ->
  is_rounded (value x + value y) (Bplus precision overflow precision_positive precision_below nan mode_NE x y).
Proof. intros L. from_flocq (Bplus_correct precision overflow precision_positive precision_below nan mode_NE x y x_finite y_finite). Qed.

Theorem subtraction : in_range (value x - value y) ->
  is_rounded (value x - value y) (Bminus precision overflow precision_positive precision_below nan mode_NE x y).
Proof. intros L. from_flocq (Bminus_correct precision overflow precision_positive precision_below nan mode_NE x y x_finite y_finite). Qed.

Theorem multiplication : in_range (value x * value y) ->
  is_rounded (value x * value y) (Bmult precision overflow precision_positive precision_below nan mode_NE x y).
Proof. intros L. from_flocq (Bmult_correct precision overflow precision_positive precision_below nan mode_NE x y). Qed.

Theorem fused_multiplication_and_addition : in_range (value x * value y + value z) ->
  is_rounded (value x * value y + value z) (Bfma precision overflow precision_positive precision_below nan3 mode_NE x y z).
Proof. intros L. from_flocq (Bfma_correct precision overflow precision_positive precision_below nan3 mode_NE x y z x_finite y_finite z_finite). Qed.
End Operations.

(* The hypotheses of running_bound.v. *)
Variables u tiny largest : Q.
Hypothesis u_is : Q2R u = unit_roundoff.
Hypothesis tiny_is : Q2R tiny = bpow radix2 (least_exponent + precision - 1).
Hypothesis largest_is : Q2R largest = bpow radix2 overflow.

Lemma rounded_sum x y : generic_format radix2 exponent x -> generic_format radix2 exponent y ->
  added u largest x y (rounded (x + y)).
Proof.
intros X Y. split.
- intros _. destruct (FLT_plus_error_N_ex radix2 least_exponent precision (fun n => negb (Z.even n)) x y X Y) as (e & E & H).
  unfold rounded. rewrite H. replace ((x + y) * (1 + e) - (x + y)) with (e * (x + y)) by ring. rewrite Rabs_mult, u_is.
  apply Rmult_le_compat_r; [apply Rabs_pos|]. apply Rle_trans with (1 := E). unfold u_ro, unit_roundoff.
  replace (/ 2 * bpow radix2 (- precision + 1)) with (bpow radix2 (- precision)) by (rewrite bpow_plus; cbn; lra).
  pose proof (bpow_gt_0 radix2 (- precision)) as P. apply Rmult_le_reg_r with (1 + bpow radix2 (- precision)); [lra|].
  unfold Rdiv. rewrite Rmult_assoc, Rinv_l; nra.
- intros [->| ->]; unfold rounded; [rewrite Rplus_0_l|rewrite Rplus_0_r]; now apply round_generic; [typeclasses eauto|].
Qed.

Lemma rounded_product x y : generic_format radix2 exponent x -> generic_format radix2 exponent y ->
  multiplied u tiny largest x y (rounded (x * y)).
Proof.
intros X Y. split.
- intros _. eapply Rle_trans; [apply rounding_error|]. rewrite u_is, tiny_is. apply Rplus_le_compat_l.
  replace (bpow radix2 (least_exponent + precision - 1) / 2) with (bpow radix2 (least_exponent + precision - 2)).
  + apply bpow_le. unfold Prec_gt_0 in *. lia.
  + replace (least_exponent + precision - 2)%Z with (least_exponent + precision - 1 + -1)%Z by ring. rewrite bpow_plus. cbn. lra.
- assert (Opposite : forall v, generic_format radix2 exponent v -> rounded v = v /\ rounded (- v) = - v).
  { intros v V. split; apply round_generic; try typeclasses eauto; [assumption|now apply generic_format_opp]. }
  assert (Cases : forall v, Rabs v = 1 -> v = 1 \/ v = -1) by (intros v; unfold Rabs; destruct (Rcase_abs v); lra).
  intros [->|[H|[->|H]]].
  + rewrite Rmult_0_l. unfold rounded. now rewrite round_0 by typeclasses eauto.
  + destruct (Cases x H) as [->| ->]; [rewrite Rmult_1_l; now apply Opposite|]. replace (-1 * y) with (- y) by ring. now apply Opposite.
  + rewrite Rmult_0_r. unfold rounded. now rewrite round_0 by typeclasses eauto.
  + destruct (Cases y H) as [->| ->]; [rewrite Rmult_1_r; now apply Opposite|]. replace (x * -1) with (- x) by ring. now apply Opposite.
Qed.
End Format.

(* The hypotheses of rounding.v. *)
Theorem binary32_is_near x : near x (rounded 24 128 x).
Proof.
intros _. eapply Rle_trans; [apply rounding_error; reflexivity|]. unfold unit_roundoff, least_exponent. cbn [Z.sub Z.opp Z.add Z.pos_sub].
replace (bpow radix2 (-24)) with half_unit by reflexivity. apply Rplus_le_compat_l.
change least with (bpow radix2 (-100)). apply bpow_le. lia.
Qed.

(* The constants of running_bound.v in binary32 and binary64. *)
Notation float32 := (generic_format radix2 (FLT_exp (least_exponent 24 128) 24)).
Notation float64 := (generic_format radix2 (FLT_exp (least_exponent 53 1024) 53)).

Lemma power_of_two n : (0 <= n)%Z -> IZR (2 ^ n) = bpow radix2 n.
Proof. intros N. rewrite <- (IZR_Zpower radix2) by assumption. reflexivity. Qed.
Lemma small_power n : (0 <= n)%Z -> Q2R (/ inject_Z (2 ^ n)) = bpow radix2 (- n).
Proof.
intros N. assert (P : (0 < 2 ^ n)%Z) by (apply Z.pow_pos_nonneg; lia). rewrite bpow_opp, <- power_of_two by assumption.
rewrite Q2R_inv; [f_equal; unfold Q2R; cbn; lra|]. intros H. apply Qeq_eqR in H. unfold Q2R in H. cbn in H. apply IZR_lt in P. lra.
Qed.
Lemma large_power n : (0 <= n)%Z -> Q2R (inject_Z (2 ^ n)) = bpow radix2 n.
Proof. intros N. rewrite <- power_of_two by assumption. unfold Q2R. cbn. lra. Qed.

Definition power (n : Z) : Q := if (n <? 0)%Z then / inject_Z (2 ^ (- n)) else inject_Z (2 ^ n).
Lemma power_is n : Q2R (power n) = bpow radix2 n.
Proof.
unfold power. destruct (Z.ltb_spec n 0); [|now apply large_power]. rewrite small_power by lia. f_equal. lia.
Qed.

Theorem binary32_sum x y : float32 x -> float32 y -> added (power (-24)) (power 128) x y (rounded 24 128 (x + y)).
Proof. apply rounded_sum; try reflexivity; apply power_is. Qed.
Theorem binary32_product x y : float32 x -> float32 y -> multiplied (power (-24)) (power (-126)) (power 128) x y (rounded 24 128 (x * y)).
Proof. apply rounded_product; try reflexivity; apply power_is. Qed.
Theorem binary64_sum x y : float64 x -> float64 y -> added (power (-53)) (power 1024) x y (rounded 53 1024 (x + y)).
Proof. apply rounded_sum; try reflexivity; apply power_is. Qed.
Theorem binary64_product x y : float64 x -> float64 y -> multiplied (power (-53)) (power (-1022)) (power 1024) x y (rounded 53 1024 (x * y)).
Proof. apply rounded_product; try reflexivity; apply power_is. Qed.

(* A fused operation is a product and a sum. *)
#[local] Instance precision_of_binary32 : Prec_gt_0 24 := eq_refl.
Theorem binary32_fused x y z : float32 x -> float32 y -> float32 z ->
  exists p, multiplied (power (-24)) (power (-126)) (power 128) x y p /\ added (power (-24)) (power 128) z p (rounded 24 128 (z + x * y)).
Proof.
intros X Y Z. set (s := rounded 24 128 (z + x * y)).
assert (B := binary32_product x y X Y). set (q := rounded 24 128 (x * y)) in *.
assert (Q : float32 q) by (apply generic_format_round; typeclasses eauto).
destruct (Req_dec q (x * y)) as [E|E].
{ exists q. split; [exact B|]. unfold s. rewrite <- E. now apply binary32_sum. }
destruct (Req_dec z 0) as [->|NZ].
{ exists q. split; [exact B|]. replace s with q by (unfold s, q; f_equal; ring). split.
  - intros _. replace (q - (0 + q)) with 0 by ring. rewrite Rabs_R0. apply Rmult_le_pos; [rewrite power_is; apply bpow_ge_0|apply Rabs_pos].
  - intros _. ring. }
destruct B as [_ Unit].
assert (Not : ~ (x = 0 \/ Rabs x = 1 \/ y = 0 \/ Rabs y = 1)) by (intros H; apply E; now apply Unit).
destruct (Rle_or_lt (bpow radix2 (-126)) (Rabs (z + x * y))) as [N|N].
- exists (x * y). split; [split; [|reflexivity]|split].
  + intros _. replace (x * y - x * y) with 0 by ring. rewrite Rabs_R0, !power_is. pose proof (Rabs_pos (x * y)). cbn. nra.
  + intros _. rewrite power_is. unfold s.
    pose proof (relative_error_N_FLT radix2 (least_exponent 24 128) 24 eq_refl (fun n => negb (Z.even n)) (z + x * y) N) as H.
    eapply Rle_trans; [exact H|]. cbn. lra.
  + intros [?|H]; [easy|]. exfalso. apply Not. apply Rmult_integral in H. tauto.
- exists (s - z). split; [split; [|tauto]|split].
  + intros _. replace (s - z - x * y) with (s - (z + x * y)) by ring.
    pose proof (error_N_FLT radix2 (least_exponent 24 128) 24 eq_refl (fun n => negb (Z.even n)) (z + x * y)) as (e & t & A & T & P & H).
    pose proof (ulp_FLT_small radix2 (least_exponent 24 128) 24 (z + x * y)) as U. change (least_exponent 24 128 + 24)%Z with (-125)%Z in U. specialize (U ltac:(apply Rlt_trans with (1 := N); apply bpow_lt; lia)).
    pose proof (error_le_half_ulp radix2 (FLT_exp (least_exponent 24 128) 24) (fun n => negb (Z.even n)) (z + x * y)) as H2.
    fold (rounded 24 128 (z + x * y)) in H2. fold s in H2. rewrite U in H2. rewrite !power_is.
    pose proof (Rabs_pos (x * y)). cbn in *. lra.
  + intros _. replace (s - (z + (s - z))) with 0 by ring. rewrite Rabs_R0. apply Rmult_le_pos; [rewrite power_is; apply bpow_ge_0|apply Rabs_pos].
  + intros _. ring.
Qed.
