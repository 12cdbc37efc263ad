(* Sums of products that a program may compute in binary32, with Flocq's operations, from numbers that are at least 0 and weights 0 and 1. *)

From Coq Require Import Reals ZArith List Lia Lra Bool Permutation.
From Flocq Require Import Core BinarySingleNaN Binary Bits.
Import ListNotations.
Open Scope R_scope.

#[local] Instance positive : Prec_gt_0 24 := eq_refl.
#[local] Instance below : Prec_lt_emax 24 128 := eq_refl.
Notation value := (B2R 24 128).
Notation finite := (is_finite 24 128).
Definition zero : binary32 := B754_zero 24 128 false.
Definition is_zero (x : binary32) : bool := match x with B754_zero _ _ _ => true | _ => false end.

(* The results of IEEE 754's operations, in any rounding mode, and with any NaN where the result is not a number. *)
Definition added (x y s : binary32) : Prop := exists nan mode, s = Bplus 24 128 positive below nan mode x y.
Definition multiplied (x y p : binary32) : Prop := exists nan mode,
  p = Bmult 24 128 positive below nan mode x y \/ p = Bmult 24 128 positive below nan mode y x.
Definition multiplied_and_added (x y a s : binary32) : Prop := exists nan mode,
  s = Bfma 24 128 positive below nan mode x y a \/ s = Bfma 24 128 positive below nan mode y x a.

(* The number s is the sum of products x y, computed in some order, with or without fused operations. A program may begin with 0,
   and may leave out products with a zero. *)
Inductive sum_of : list (binary32 * binary32) -> binary32 -> Prop :=
| nothing : sum_of [] zero
| product x y p : multiplied x y p -> sum_of [(x, y)] p
| sum l m a b s : sum_of l a -> sum_of m b -> added a b s -> sum_of (l ++ m) s
| fused x y l a s : sum_of l a -> multiplied_and_added x y a s -> sum_of ((x, y) :: l) s
| left_out x y l s : is_zero x || is_zero y = true -> sum_of l s -> sum_of ((x, y) :: l) s
| reordered l m s : Permutation l m -> sum_of l s -> sum_of m s.

(* Some program computes every sum. *)
Lemma sum_exists l : exists s, sum_of l s.
Proof.
induction l as [|[x y] l [a IH]]; [exists zero; apply nothing|].
assert (N : exists n : binary32, is_nan 24 128 n = true) by (exists (proj1_sig default_nan_pl32); exact (proj2_sig default_nan_pl32)).
destruct N as [n N].
eexists. eapply (sum [(x, y)] l); [apply product|exact IH|].
- exists (fun _ _ => exist _ n N), mode_NE. now left.
- exists (fun _ _ => exist _ n N), mode_NE. reflexivity.
Qed.

Notation in_format := (generic_format radix2 (FLT_exp (-149) 24)).
Lemma scaled_integer_in_format n m : (0 <= n < 2 ^ 24)%Z -> (0 <= m)%Z -> in_format (IZR n * bpow radix2 m).
Proof.
intros N M. apply generic_format_FLT. exists (Float radix2 n m); [reflexivity|cbn; rewrite Z.abs_eq; lia|cbn; lia].
Qed.
Lemma integer_in_format n : (0 <= n < 2 ^ 24)%Z -> in_format (IZR n).
Proof. intros N. replace (IZR n) with (IZR n * bpow radix2 0) by (cbn; ring). apply scaled_integer_in_format; lia. Qed.

(* The number x stands for the integer n: x is finite, x is 0 if n is 0, x is at least n or at least cap, and x is at most e 2^m. *)
Section Range.
Variables cap m : Z.
Hypothesis cap_range : (1 <= cap < 2 ^ 24)%Z.
Hypothesis m_range : (0 <= m <= 103)%Z.
Definition low (n : Z) : R := IZR (Z.min n cap).
Definition high (e : Z) : R := IZR e * bpow radix2 m.
Definition enclosed (n e : Z) (x : R) : Prop := (n = 0%Z -> x = 0) /\ low n <= x <= high e.
Definition represents (n e : Z) (x : binary32) : Prop := (0 <= n /\ 0 <= e)%Z /\ finite x = true /\ enclosed n e (value x).

Lemma rounding_keeps mode n e x : (0 <= n)%Z -> (0 <= e < 2 ^ 24)%Z -> enclosed n e x ->
  enclosed n e (round radix2 (FLT_exp (-149) 24) (round_mode mode) x) /\
  Rlt_bool (Rabs (round radix2 (FLT_exp (-149) 24) (round_mode mode) x)) (bpow radix2 128) = true.
Proof.
intros N E (Z & L & H).
assert (L' : low n <= round radix2 (FLT_exp (-149) 24) (round_mode mode) x).
{ apply round_ge_generic; try typeclasses eauto; [|exact L]. apply integer_in_format. lia. }
assert (H' : round radix2 (FLT_exp (-149) 24) (round_mode mode) x <= high e).
{ apply round_le_generic; try typeclasses eauto; [|exact H]. apply scaled_integer_in_format; lia. }
repeat split; try assumption.
- intros N0. rewrite (Z N0). apply round_0. typeclasses eauto.
- apply Rlt_bool_true. assert (0 <= low n) by (apply IZR_le; lia). rewrite Rabs_pos_eq by lra.
  apply Rle_lt_trans with (1 := H'). unfold high. apply Rlt_le_trans with (bpow radix2 24 * bpow radix2 m).
  + apply Rmult_lt_compat_r; [apply bpow_gt_0|]. rewrite <- (IZR_Zpower radix2) by easy. apply IZR_lt. cbn. lia.
  + rewrite <- bpow_plus. apply bpow_le. lia.
Qed.

Lemma low_sum n k : (0 <= n)%Z -> (0 <= k)%Z -> low (n + k) <= low n + low k.
Proof. intros N K. unfold low. rewrite <- plus_IZR. apply IZR_le. lia. Qed.

Lemma enclosed_sum n k e f x y : (0 <= n)%Z -> (0 <= k)%Z -> enclosed n e x -> enclosed k f y -> enclosed (n + k) (e + f) (x + y).
Proof.
intros N K (Zx & Lx & Hx) (Zy & Ly & Hy). pose proof (low_sum n k N K). repeat split.
- intros S. rewrite Zx, Zy by lia. ring.
- lra.
- unfold high in *. rewrite plus_IZR. lra.
Qed.

Lemma enclosed_product n e x w : (w = 0 \/ w = 1)%Z -> (0 <= n)%Z -> enclosed n e x -> enclosed (n * w) (e * w) (x * IZR w).
Proof.
intros [->| ->] N (Zx & L & H); unfold enclosed, low, high in *; rewrite ?Z.mul_0_r, ?Z.mul_1_r, ?Rmult_0_r, ?Rmult_1_r.
- rewrite Z.min_l by lia. repeat split; lra.
- tauto.
Qed.

Lemma represents_zero : represents 0 0 zero.
Proof. repeat split; try easy; cbn; unfold low, high; rewrite ?Z.min_l by lia; cbn; lra. Qed.

Definition weighs (w : Z) (y : binary32) : Prop := (w = 0 \/ w = 1)%Z /\ finite y = true /\ value y = IZR w.

Lemma represents_sum n k e f x y s : represents n e x -> represents k f y -> (e + f < 2 ^ 24)%Z -> added x y s ->
  represents (n + k) (e + f) s.
Proof.
intros ((N & E) & Fx & Ex) ((K & F) & Fy & Ey) S (nan & mode & ->).
destruct (rounding_keeps mode (n + k) (e + f) (value x + value y)) as [Keep Below]; try lia; [now apply enclosed_sum|].
pose proof (Bplus_correct 24 128 positive below nan mode x y Fx Fy) as H. cbn zeta in H.
change (SpecFloat.fexp 24 128) with (FLT_exp (-149) 24) in H. rewrite Below in H. destruct H as (V & G & _).
split; [lia|]. split; [exact G|]. now rewrite V.
Qed.

Lemma represents_product n e w x y p : represents n e x -> weighs w y -> (e < 2 ^ 24)%Z -> multiplied x y p ->
  represents (n * w) (e * w) p.
Proof.
intros ((N & E) & Fx & Ex) (W & Fy & Vy) S (nan & mode & H).
destruct (rounding_keeps mode (n * w) (e * w) (value x * value y)) as [Keep Below]; try nia; [rewrite Vy; now apply enclosed_product|].
destruct H as [->| ->].
- pose proof (Bmult_correct 24 128 positive below nan mode x y) as H.
  change (SpecFloat.fexp 24 128) with (FLT_exp (-149) 24) in H. rewrite Below in H. destruct H as (V & G & _).
  split; [nia|]. split; [now rewrite G, Fx, Fy|]. now rewrite V.
- pose proof (Bmult_correct 24 128 positive below nan mode y x) as H. rewrite (Rmult_comm (value y)) in H.
  change (SpecFloat.fexp 24 128) with (FLT_exp (-149) 24) in H. rewrite Below in H. destruct H as (V & G & _).
  split; [nia|]. split; [now rewrite G, Fx, Fy|]. now rewrite V.
Qed.

Lemma represents_fused n k e f w x y a s : represents n e x -> weighs w y -> represents k f a -> (e * w + f < 2 ^ 24)%Z ->
  multiplied_and_added x y a s -> represents (n * w + k) (e * w + f) s.
Proof.
intros ((N & E) & Fx & Ex) (W & Fy & Vy) ((K & F) & Fa & Ea) S (nan & mode & H).
destruct (rounding_keeps mode (n * w + k) (e * w + f) (value x * value y + value a)) as [Keep Below]; try nia.
{ apply enclosed_sum; try nia; [|assumption]. rewrite Vy. now apply enclosed_product. }
destruct H as [->| ->].
- pose proof (Bfma_correct 24 128 positive below nan mode x y a Fx Fy Fa) as H. cbn zeta in H.
  change (SpecFloat.fexp 24 128) with (FLT_exp (-149) 24) in H. rewrite Below in H. destruct H as (V & G & _).
  split; [nia|]. split; [exact G|]. now rewrite V.
- pose proof (Bfma_correct 24 128 positive below nan mode y x a Fy Fx Fa) as H. cbn zeta in H. rewrite (Rmult_comm (value y)) in H.
  change (SpecFloat.fexp 24 128) with (FLT_exp (-149) 24) in H. rewrite Below in H. destruct H as (V & G & _).
  split; [nia|]. split; [exact G|]. now rewrite V.
Qed.

(* A sum of products, whose terms x y stand for n w. *)
Definition term : Type := Z * Z * Z.
Definition integer (t : term) : Z := let '(n, _, w) := t in (n * w)%Z.
Definition budget (t : term) : Z := let '(_, e, w) := t in (e * w)%Z.
Definition total_of (f : term -> Z) (ts : list term) : Z := fold_right (fun t s => f t + s)%Z 0%Z ts.
Definition stands_for (xy : binary32 * binary32) (t : term) : Prop :=
  let '(n, e, w) := t in represents n e (fst xy) /\ (e < 2 ^ 24)%Z /\ weighs w (snd xy).

Lemma total_app f ts us : total_of f (ts ++ us) = (total_of f ts + total_of f us)%Z.
Proof. induction ts as [|t ts IH]; cbn; [reflexivity|]. unfold total_of in *. cbn. rewrite IH. ring. Qed.

Lemma total_permutation f ts us : Permutation ts us -> total_of f ts = total_of f us.
Proof. unfold total_of. induction 1; cbn; lia. Qed.

Lemma totals_positive l ts : Forall2 stands_for l ts -> (0 <= total_of integer ts /\ 0 <= total_of budget ts)%Z.
Proof.
unfold total_of. induction 1 as [|xy [[n e] w] l ts (((N & E) & _) & _ & W & _) _ IH]; cbn; [lia|]. nia.
Qed.

Lemma permuted_terms l l' : Permutation l l' -> forall ts, Forall2 stands_for l' ts ->
  exists ts', Forall2 stands_for l ts' /\ Permutation ts' ts.
Proof.
induction 1 as [|xy l l' P IH|a b l|l l' l'' P IH Q IH']; intros ts T.
- inversion T. exists []. split; constructor.
- inversion T as [|? t ? us A B]; subst. destruct (IH us B) as (us' & C & D). exists (t :: us'). split; now constructor.
- inversion T as [|? t ? us A B]; subst. inversion B as [|? t' ? vs C D]; subst. exists (t' :: t :: vs).
  split; [now repeat constructor|apply perm_swap].
- destruct (IH' ts T) as (us & A & B). destruct (IH us A) as (vs & C & D). exists vs. split; [assumption|]. now apply perm_trans with us.
Qed.

Theorem sum_represents l s : sum_of l s -> forall ts, Forall2 stands_for l ts -> (total_of budget ts < 2 ^ 24)%Z ->
  represents (total_of integer ts) (total_of budget ts) s.
Proof.
induction 1 as [|x y p M|l k a b s A IA B IB P|x y l a s A IH M|x y l s Zero A IH|l k s P A IH]; intros ts T L.
- inversion T. apply represents_zero.
- inversion T as [|? [[n e] w] ? us (R & E & W) B]; subst. inversion B; subst. cbn in *. rewrite !Z.add_0_r in *.
  now apply represents_product with x y.
- apply Forall2_app_inv_l in T. destruct T as (us & vs & U & V & ->). rewrite !total_app in *.
  pose proof (totals_positive _ _ U). pose proof (totals_positive _ _ V).
  apply represents_sum with a b; [apply IA|apply IB| |]; trivial; lia.
- inversion T as [|? [[n e] w] ? us (R & E & W) B]; subst. cbn in *. pose proof (totals_positive _ _ B). fold (total_of integer us) (total_of budget us) in *.
  assert (0 <= e * w)%Z by (destruct R as ((? & ?) & _); destruct W; nia).
  apply represents_fused with x y a; trivial. apply IH; trivial; lia.
- inversion T as [|? [[n e] w] ? us (R & E & W) B]; subst. cbn in *. pose proof (totals_positive _ _ B). fold (total_of integer us) (total_of budget us) in *.
  assert (Pos : (0 <= n * w /\ 0 <= e * w)%Z) by (destruct R as ((? & ?) & _); destruct W; nia).
  specialize (IH us B ltac:(lia)). destruct IH as ((N & K) & F & Zero' & Low & High).
  assert (Nothing : (n * w = 0)%Z).
  { destruct W as (W & _ & Vy), R as ((N' & _) & _ & _ & Low' & _). cbn in *. destruct (is_zero x) eqn:X.
    - destruct x; try discriminate. cbn in Low'. unfold low in Low'. apply le_IZR in Low'. nia.
    - destruct (is_zero y) eqn:Y; try discriminate. destruct y; try discriminate. cbn in Vy. apply eq_IZR in Vy. nia. }
  split; [lia|]. split; [assumption|]. rewrite Nothing, Z.add_0_l. repeat split; trivial.
  apply Rle_trans with (1 := High). unfold high. apply Rmult_le_compat_r; [apply bpow_ge_0|apply IZR_le; lia].
- destruct (permuted_terms _ _ P _ T) as (us & U & Q).
  rewrite <- (total_permutation integer _ _ Q), <- (total_permutation budget _ _ Q) in *. now apply IH.
Qed.
End Range.
