(* Intervals with ends that are integers in units of 2^-bits, rounded outwards. *)

From Coq Require Import Reals ZArith QArith Qreals List Lia Lra Psatz.
Import ListNotations.

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
(* The least and the largest product. *)
Definition extremes (x y : Z * Z) : Z * Z :=
  let (a, b) := x in let (c, d) := y in
  if (0 <=? a)%Z then ((if 0 <=? c then a else b) * c, (if 0 <=? d then b else a) * d)%Z else
  if (b <=? 0)%Z then ((if 0 <=? d then a else b) * d, (if 0 <=? c then b else a) * c)%Z else
  if (0 <=? c)%Z then (a * d, b * d)%Z else
  if (d <=? 0)%Z then (b * c, a * c)%Z else (Z.min (a * d) (b * c), Z.max (a * c) (b * d)).
(* The same numbers. The second one is computed from the first one, because multiplication by the width of a narrow interval is fast. *)
Definition products (x y : Z * Z) : Z * Z :=
  let (a, b) := x in let (c, d) := y in
  let v := (b - a)%Z in let w := (d - c)%Z in
  if (0 <=? a)%Z then
    if (0 <=? c)%Z then let p := (a * c)%Z in (p, p + w * a + v * d)%Z else
    if (0 <=? d)%Z then (b * c, b * d)%Z else let p := (b * c)%Z in (p, p + w * b - v * d)%Z
  else if (b <=? 0)%Z then
    if (0 <=? c)%Z then let p := (b * c)%Z in (p - v * c + w * a, p)%Z else
    if (0 <=? d)%Z then (a * d, a * c)%Z else let p := (b * d)%Z in (p, p - v * d - w * a)%Z
  else extremes x y.
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
Definition positive_part_of (I : interval) : interval :=
  match I with Some (low, high) => Some (Z.max 0 low, Z.max 0 high) | None => None end.
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

Lemma products_are a b c d : (c <= d)%Z -> products (a, b) (c, d) = extremes (a, b) (c, d).
Proof.
intros L. unfold products, extremes.
destruct (Z.leb_spec 0 a), (Z.leb_spec b 0), (Z.leb_spec 0 c), (Z.leb_spec 0 d); try lia; try reflexivity; f_equal; ring.
Qed.

Lemma product_bounds a b c d x y : IZR a <= x <= IZR b -> IZR c <= y <= IZR d ->
  IZR (fst (products (a, b) (c, d))) <= x * y <= IZR (snd (products (a, b) (c, d))).
Proof.
intros X Y. rewrite products_are by (apply le_IZR; lra). unfold extremes. cbn iota beta.
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

Lemma contains_positive_part I x : contains I x -> contains (positive_part_of I) (Rmax 0 x).
Proof.
destruct I as [[a b]|]; [|easy]. cbn [positive_part_of contains]. rewrite !IZR_max. pose proof scale_positive.
unfold Rmax. repeat destruct Rle_dec; nra.
Qed.

Lemma contains_meet I J x : contains I x -> contains J x -> contains (meet I J) x.
Proof.
destruct I as [[a b]|], J as [[c d]|]; simpl; try easy. intros X Y. rewrite IZR_min, IZR_max.
split; [apply Rmax_lub|apply Rmin_glb]; lra.
Qed.

Definition one : interval := point unit.
Definition zero : interval := point 0.
Definition negated (I : interval) : interval := sub zero I.
Definition doubled (I : interval) : interval := add I I.

Lemma contains_one : contains one 1.
Proof. apply contains_point. unfold scale. lra. Qed.

Lemma contains_zero : contains zero 0.
Proof. apply contains_point. simpl. lra. Qed.
End Intervals.
