(* Intervals with ends that are integers in units of 2^-bits, rounded outwards. *)

From Coq Require Import Reals ZArith QArith Qreals List Lia Lra Psatz.
From Coquelicot Require Import Coquelicot.
From Flocq Require Import Raux.
From Interval Require Import Xreal Interval Basic Specific_ops Specific_stdz Float_full Float.
Import ListNotations.

Module Floats := SpecificFloat StdZRadix2.
Module Enclosures := FloatIntervalFull Floats.

Local Open Scope Z_scope.
Local Open Scope R_scope.

(* None is the whole line. *)
Definition interval := option (Z * Z).

Section Intervals.
Variable bits : positive.

Definition unit : Z := Z.pow_pos 2 bits.
Definition scale : R := IZR unit.

Lemma scale_positive : 0 < scale.
Proof. apply IZR_lt. unfold unit. rewrite Z.pow_pos_fold. apply Z.pow_pos_nonneg; lia. Qed.

Definition contains (I : interval) (x : R) : Prop :=
  match I with None => True | Some (low, high) => IZR low <= x * scale <= IZR high end.

Definition floor (n : Z) : Z := Z.shiftr n (Z.pos bits).
Definition ceiling (n : Z) : Z := (- Z.shiftr (- n) (Z.pos bits))%Z.

Lemma unit_is_power : unit = (2 ^ Z.pos bits)%Z.
Proof. unfold unit. now rewrite Z.pow_pos_fold. Qed.

Lemma division_below a b : (0 < b)%Z -> IZR (a / b) * IZR b <= IZR a.
Proof. intros H. rewrite <- mult_IZR. apply IZR_le. rewrite Z.mul_comm. now apply Z.mul_div_le. Qed.

Lemma unit_positive : (0 < unit)%Z.
Proof. rewrite unit_is_power. apply Z.pow_pos_nonneg; lia. Qed.

Lemma floor_below n : IZR (floor n) * scale <= IZR n.
Proof.
unfold floor, scale. rewrite Z.shiftr_div_pow2 by lia. rewrite <- unit_is_power.
apply division_below, unit_positive.
Qed.

Lemma ceiling_above n : IZR n <= IZR (ceiling n) * scale.
Proof. unfold ceiling. rewrite opp_IZR. pose proof (floor_below (- n)) as H. unfold floor in H. rewrite opp_IZR in H. lra. Qed.

(* Constants. *)
Definition point (n : Z) : interval := Some (n, n).
Definition of_rational (q : Q) : interval :=
  let n := Z.shiftl (Qnum q) (Z.pos bits) in
  Some ((n / Z.pos (Qden q))%Z, (- (- n / Z.pos (Qden q)))%Z).

Lemma contains_point n x : x * scale = IZR n -> contains (point n) x.
Proof. simpl. lra. Qed.

Lemma contains_rational q : contains (of_rational q) (Q2R q).
Proof.
destruct q as [n d]. unfold of_rational, Q2R. cbn [Qnum Qden contains].
rewrite Z.shiftl_mul_pow2 by lia. rewrite <- unit_is_power.
assert (D : (0 < Z.pos d)%Z) by lia.
assert (P : 0 < IZR (Z.pos d)) by now apply IZR_lt.
pose proof (division_below (n * unit) _ D) as H1. pose proof (division_below (- (n * unit)) _ D) as H2.
rewrite ?opp_IZR, ?mult_IZR in *. fold scale in *.
assert (E : IZR n * / IZR (Z.pos d) * scale * IZR (Z.pos d) = IZR n * scale) by (field; lra).
split; nra.
Qed.

(* Arithmetic. *)
Definition lift (f : Z * Z -> Z * Z -> interval) (I J : interval) : interval :=
  match I, J with Some a, Some b => f a b | _, _ => None end.

Definition add := lift (fun x y => Some (fst x + fst y, snd x + snd y)%Z).
Definition sub := lift (fun x y => Some (fst x - snd y, snd x - fst y)%Z).
(* The least and the largest product, with two multiplications in most cases. *)
Definition products (x y : Z * Z) : Z * Z :=
  let (a, b) := x in let (c, d) := y in
  if ((a =? b) && (c =? d))%Z%bool then let p := (a * c)%Z in (p, p) else
  if (0 <=? a)%Z then ((if 0 <=? c then a else b) * c, (if 0 <=? d then b else a) * d)%Z else
  if (b <=? 0)%Z then ((if 0 <=? d then a else b) * d, (if 0 <=? c then b else a) * c)%Z else
  if (0 <=? c)%Z then (a * d, b * d)%Z else
  if (d <=? 0)%Z then (b * c, a * c)%Z else (Z.min (a * d) (b * c), Z.max (a * c) (b * d)).
Definition mul := lift (fun x y => let (low, high) := products x y in Some (floor low, ceiling high)).
Definition square (I : interval) : interval :=
  match I with
  | None => None
  | Some (low, high) =>
    let size := Z.max (- low) high in
    let least := Z.max 0 (Z.max low (- high)) in
    Some (floor (least * least), ceiling (size * size))
  end.
Definition div := lift (fun x y =>
  if (0 <? fst y)%Z then
    Some ((Z.shiftl (fst x) (Z.pos bits) / (if 0 <=? fst x then snd y else fst y))%Z,
          (- (Z.shiftl (- snd x) (Z.pos bits) / (if 0 <=? snd x then fst y else snd y)))%Z)
  else None).
Definition meet (I J : interval) : interval :=
  match I, J with
  | Some x, Some y => Some (Z.max (fst x) (fst y), Z.min (snd x) (snd y))
  | None, _ => J
  | _, None => I
  end.

Lemma contains_add I J x y : contains I x -> contains J y -> contains (add I J) (x + y).
Proof. destruct I as [[]|], J as [[]|]; simpl; try easy. intros. rewrite !plus_IZR. lra. Qed.

Lemma contains_sub I J x y : contains I x -> contains J y -> contains (sub I J) (x - y).
Proof. destruct I as [[]|], J as [[]|]; simpl; try easy. intros. rewrite !minus_IZR. lra. Qed.

Lemma IZR_min a b : IZR (Z.min a b) = Rmin (IZR a) (IZR b).
Proof. destruct (Z.min_spec a b) as [[H ->]|[H ->]]; [apply IZR_lt in H|apply IZR_le in H]; unfold Rmin; destruct Rle_dec; lra. Qed.

Lemma IZR_max a b : IZR (Z.max a b) = Rmax (IZR a) (IZR b).
Proof. destruct (Z.max_spec a b) as [[H ->]|[H ->]]; [apply IZR_lt in H|apply IZR_le in H]; unfold Rmax; destruct Rle_dec; lra. Qed.

Lemma product_bounds a b c d x y : IZR a <= x <= IZR b -> IZR c <= y <= IZR d ->
  IZR (fst (products (a, b) (c, d))) <= x * y <= IZR (snd (products (a, b) (c, d))).
Proof.
intros X Y. unfold products. cbn iota beta. destruct ((a =? b) && (c =? d))%bool eqn:E.
{ apply andb_prop in E as [AB%Z.eqb_eq CD%Z.eqb_eq]. subst. cbn [fst snd]. rewrite mult_IZR.
  replace x with (IZR b) by lra. replace y with (IZR d) by lra. lra. }
repeat match goal with |- context [(?m <=? ?n)%Z] => destruct (Z.leb_spec m n) as [?%IZR_le|?%IZR_lt] end;
cbn [fst snd]; rewrite ?IZR_min, ?IZR_max, ?mult_IZR; unfold Rmin, Rmax; repeat destruct Rle_dec; split; try nra.
all: destruct (Rle_dec 0 x), (Rle_dec 0 y); nra.
Qed.

Lemma down n x : IZR n <= x * scale * scale -> IZR (floor n) <= x * scale.
Proof. intros H. pose proof (floor_below n). pose proof scale_positive. nra. Qed.

Lemma up n x : x * scale * scale <= IZR n -> x * scale <= IZR (ceiling n).
Proof. intros H. pose proof (ceiling_above n). pose proof scale_positive. nra. Qed.

Lemma contains_mul I J x y : contains I x -> contains J y -> contains (mul I J) (x * y).
Proof.
destruct I as [[a b]|], J as [[c d]|]; cbn [contains]; try easy. intros X Y.
pose proof (product_bounds _ _ _ _ _ _ X Y) as H.
unfold mul, lift. destruct (products (a, b) (c, d)) as [low high]. cbn [fst snd] in H.
replace (x * scale * (y * scale)) with (x * y * scale * scale) in H by ring.
split; [apply down|apply up]; apply H.
Qed.

Lemma contains_square I x : contains I x -> contains (square I) (x * x).
Proof.
destruct I as [[a b]|]; cbn [square contains]; try easy. intros X.
split; [apply down|apply up]; rewrite mult_IZR, ?IZR_max, opp_IZR;
replace (x * x * scale * scale) with ((x * scale) * (x * scale)) by ring;
unfold Rmax; repeat destruct Rle_dec; simpl in *; nra.
Qed.

Lemma quotient_below a y z : 0 < y -> 0 < z -> (IZR a <= y * z) -> IZR a / z <= y.
Proof. intros. apply Rmult_le_reg_r with z; [assumption|]. unfold Rdiv. rewrite Rmult_assoc, Rinv_l; lra. Qed.

Lemma low_quotient a b c d x y : (0 < c)%Z -> IZR a <= x * scale <= IZR b -> IZR c <= y * scale <= IZR d ->
  IZR (Z.shiftl a (Z.pos bits) / (if 0 <=? a then d else c)) <= x / y * scale.
Proof.
intros C X Y.
pose proof scale_positive as S.
assert (C' : 0 < IZR c) by now apply IZR_lt.
assert (Y0 : 0 < y) by nra.
rewrite Z.shiftl_mul_pow2 by lia. rewrite <- unit_is_power.
set (e := if (0 <=? a)%Z then d else c).
assert (E : (0 < e)%Z). { unfold e. destruct (0 <=? a)%Z; [apply lt_IZR; lra|assumption]. }
assert (E' : 0 < IZR e) by now apply IZR_lt.
assert (B : IZR a * (y * scale) <= x * scale * IZR e).
{ unfold e. destruct (Z.leb_spec 0 a) as [A|A]; [apply IZR_le in A|apply IZR_lt in A]; nra. }
pose proof (division_below (a * unit) e E) as D. rewrite mult_IZR in D. fold scale in D.
apply Rmult_le_reg_r with (IZR e * y); [nra|].
replace (x / y * scale * (IZR e * y)) with (x * scale * IZR e) by (field; lra).
apply Rle_trans with (IZR a * scale * y); [|lra].
replace (IZR (a * unit / e) * (IZR e * y)) with (IZR (a * unit / e) * IZR e * y) by ring. nra.
Qed.

Lemma contains_div I J x y : contains I x -> contains J y -> contains (div I J) (x / y).
Proof.
destruct I as [[a b]|], J as [[c d]|]; try easy. unfold div, lift. cbn [fst snd].
destruct (Z.ltb_spec 0 c) as [C|C]; [|easy]. cbn [contains]. intros X Y. split.
- exact (low_quotient _ _ _ _ _ _ C X Y).
- assert (X' : IZR (- b) <= - x * scale <= IZR (- a)) by (rewrite !opp_IZR; split; lra).
  pose proof (low_quotient _ _ _ _ _ _ C X' Y) as H.
  rewrite opp_IZR. replace (x / y * scale) with (- (- x / y * scale)) by (unfold Rdiv; ring).
  apply Ropp_le_contravar. refine (Rle_trans _ _ _ _ H).
  destruct (Z.eq_dec b 0) as [->|B]; [change (- 0)%Z with 0%Z; rewrite Z.shiftl_0_l, !Zdiv_0_l; lra|].
  replace (0 <=? - b)%Z with (negb (0 <=? b)%Z).
  + destruct (0 <=? b)%Z; simpl; lra.
  + destruct (Z.leb_spec 0 b), (Z.leb_spec 0 (- b)); simpl; lia.
Qed.

Lemma contains_meet I J x : contains I x -> contains J x -> contains (meet I J) x.
Proof.
destruct I as [[a b]|], J as [[c d]|]; simpl; try easy. intros X Y. rewrite IZR_min, IZR_max.
split; [apply Rmax_lub|apply Rmin_glb]; lra.
Qed.

(* The exponential, from coq-interval. *)
Definition as_float (n : Z) : Floats.type := Specific_ops.Float n (Z.neg bits).
Definition scaled_floor (x : Floats.type) : option Z :=
  match x with Specific_ops.Fnan => None | Specific_ops.Float m e => Some (Z.shiftl m (e + Z.pos bits)) end.
Definition scaled_ceiling (x : Floats.type) : option Z :=
  match x with Specific_ops.Fnan => None | Specific_ops.Float m e => Some (- Z.shiftl (- m) (e + Z.pos bits))%Z end.
Definition exponential (I : interval) : interval :=
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

Lemma contains_exponential I x : contains I x -> contains (exponential I) (exp x).
Proof.
destruct I as [[low high]|]; [|easy]. intros X. unfold exponential.
pose proof (Enclosures.exp_correct (Z.pos (bits + 6)) (Ibnd (as_float low) (as_float high)) (Xreal x)) as E.
destruct (Enclosures.exp _ _) as [|a b]; [easy|].
destruct (scaled_floor a) as [c|] eqn:A; [|easy]. destruct (scaled_ceiling b) as [d|] eqn:B; [|easy].
assert (H : Interval.contains (Enclosures.convert (Ibnd (as_float low) (as_float high))) (Xreal x)).
{ unfold Enclosures.convert. cbn -[Floats.toX]. rewrite !as_float_value. pose proof scale_positive as S. simpl in X.
  split; apply Rmult_le_reg_r with scale; try assumption; unfold Rdiv; rewrite Rmult_assoc, Rinv_l; lra. }
specialize (E H). unfold Enclosures.convert in E. destruct (_ && _)%bool; [|simpl in E; lra].
destruct (float_of_finite _ _ A) as [v V].
assert (exists w, Floats.toX b = Xreal w) as [w W].
{ destruct b as [|m e]; [easy|]. unfold Floats.toX, Floats.toF. destruct m; simpl; eauto. }
rewrite V, W in E. simpl in E. pose proof scale_positive as S. simpl. split.
- apply Rle_trans with (1 := scaled_floor_below _ _ _ V A). nra.
- apply Rle_trans with (2 := scaled_ceiling_above _ _ _ W B). nra.
Qed.

(* sigmoid x = 1 / (1 + exp (- x)) and tanh. *)
Definition sigmoid (x : R) : R := 1 / (1 + exp (- x)).
Definition one : interval := point unit.
Definition zero : interval := point 0.
Definition negated (I : interval) : interval := sub zero I.
Definition doubled (I : interval) : interval := add I I.
Definition sigmoid_of (I : interval) : interval := div one (add one (exponential (negated I))).
Definition tanh_of (I : interval) : interval := sub (doubled (sigmoid_of (doubled I))) one.

Lemma contains_one : contains one 1.
Proof. apply contains_point. unfold scale. lra. Qed.

Lemma contains_zero : contains zero 0.
Proof. apply contains_point. simpl. lra. Qed.

Lemma contains_sigmoid I x : contains I x -> contains (sigmoid_of I) (sigmoid x).
Proof.
intros X. unfold sigmoid. apply contains_div; [apply contains_one|]. apply contains_add; [apply contains_one|].
apply contains_exponential. replace (- x) with (0 - x) by ring. apply contains_sub; [apply contains_zero|assumption].
Qed.

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

End Intervals.
