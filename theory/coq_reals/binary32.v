(* The operations of IEEE 754's binary32, with rounding to nearest, satisfy what rounding.v supposes of them. *)

From Coq Require Import Reals ZArith Lra.
From Flocq Require Import Core Relative BinarySingleNaN Binary Bits.
From ratproof_reals Require Import rounding.
Open Scope R_scope.

Notation value := (B2R 24 128).
Notation finite := (is_finite 24 128).
Notation rounded_to_nearest := (round radix2 (FLT_exp (-149) 24) ZnearestE).

#[local] Instance precision : Prec_gt_0 24. Proof. reflexivity. Qed.

Lemma rounding_is_near x : near x (rounded_to_nearest x).
Proof.
intros _. destruct (error_N_FLT radix2 (-149) 24 ltac:(easy) (fun n => negb (Z.even n)) x) as (e & t & E & T & _ & ->).
replace (x * (1 + e) + t - x) with (x * e + t) by ring.
eapply Rle_trans; [apply Rabs_triang|]. rewrite Rabs_mult. pose proof (Rabs_pos x).
assert (A : / 2 * bpow radix2 (- (24) + 1) = half_unit) by (unfold half_unit; cbn; lra).
assert (B : / 2 * bpow radix2 (-149) <= least).
{ unfold least. apply Rle_trans with (bpow radix2 (-149)); [pose proof (bpow_gt_0 radix2 (-149)); lra|].
  change (/ IZR (2 ^ 126)) with (bpow radix2 (-126)). now apply bpow_le. }
rewrite A in E. nra.
Qed.

Lemma rounding_does_not_overflow x : Rabs x <= large -> Rlt_bool (Rabs (rounded_to_nearest x)) (bpow radix2 128) = true.
Proof.
intros X. apply Rlt_bool_true. apply Rle_lt_trans with large.
- unfold large in *. change (IZR (2 ^ 127)) with (bpow radix2 127) in *.
  apply abs_round_le_generic; [apply FLT_exp_valid; typeclasses eauto|typeclasses eauto| |assumption]. now apply generic_format_bpow.
- unfold large. change (IZR (2 ^ 127)) with (bpow radix2 127). now apply bpow_lt.
Qed.

(* From Flocq's theorem about an operation. *)
Ltac from_flocq theorem := pose proof theorem as H; cbn zeta in H; change (SpecFloat.fexp 24 128) with (FLT_exp (-149) 24) in H;
  cbn [round_mode] in H; rewrite rounding_does_not_overflow in H by assumption; destruct H as (V & F & _);
  repeat match type of F with context [andb (finite ?x) (finite ?y)] => replace (finite x) with true in F; replace (finite y) with true in F end;
  split; [exact F|]; unfold b32_plus, b32_minus, b32_mult, b32_fma; rewrite V; apply rounding_is_near.

(* An operation on finite numbers has a finite result near the exact one if the exact one is not larger than half the power at
   which binary32 overflows. *)
Section Operations.
Variables x y z : binary32.
Hypothesis x_finite : finite x = true.
Hypothesis y_finite : finite y = true.
Hypothesis z_finite : finite z = true.
Definition is_computed (exact : R) (result : binary32) : Prop := finite result = true /\ near exact (value result).

Theorem addition_is_near : Rabs (value x + value y) <= large -> is_computed (value x + value y) (b32_plus mode_NE x y).
Proof. intros L. from_flocq (Bplus_correct 24 128 eq_refl eq_refl binop_nan_pl32 mode_NE x y x_finite y_finite). Qed.

Theorem subtraction_is_near : Rabs (value x - value y) <= large -> is_computed (value x - value y) (b32_minus mode_NE x y).
Proof. intros L. from_flocq (Bminus_correct 24 128 eq_refl eq_refl binop_nan_pl32 mode_NE x y x_finite y_finite). Qed.

Theorem multiplication_is_near : Rabs (value x * value y) <= large -> is_computed (value x * value y) (b32_mult mode_NE x y).
Proof. intros L. from_flocq (Bmult_correct 24 128 eq_refl eq_refl binop_nan_pl32 mode_NE x y). Qed.

(* This is the addition of an exact product. *)
Theorem fused_operation_is_near : Rabs (value x * value y + value z) <= large ->
  is_computed (value x * value y + value z) (b32_fma mode_NE x y z).
Proof. intros L. from_flocq (Bfma_correct 24 128 eq_refl eq_refl ternop_nan_pl32 mode_NE x y z x_finite y_finite z_finite). Qed.
End Operations.
