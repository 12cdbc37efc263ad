(* Enclosures of a function over a box, by its slopes from the middle of the box. *)

From Coq Require Import Reals ZArith QArith Qreals List Lia Lra Psatz.
From Coquelicot Require Import Coquelicot.
From ratproof_reals Require Import intervals functions.
Import ListNotations.

Local Open Scope R_scope.

(* The mean value theorem, for functions of one variable. *)
Lemma mean_value f f' a b : (forall c, is_derive f c (f' c)) ->
  exists c, Rmin a b <= c <= Rmax a b /\ f b - f a = f' c * (b - a).
Proof.
intros D. apply (MVT_gen f a b f').
- intros c _. apply D.
- intros c _. apply continuity_pt_filterlim. apply (ex_derive_continuous f). now exists (f' c).
Qed.

(* Taylor's theorem of second order: the slope from a to b. *)
Lemma taylor f f' f'' a b : (forall c, is_derive f c (f' c)) -> (forall c, is_derive f' c (f'' c)) -> a <> b ->
  exists c, Rmin a b <= c <= Rmax a b /\ (f b - f a) / (b - a) = f' a + f'' c / 2 * (b - a).
Proof.
intros D D' N. set (K := (f b - f a - f' a * (b - a)) / ((b - a) * (b - a))).
assert (Q : (b - a) * (b - a) <> 0) by (apply Rmult_integral_contrapositive; lra).
set (g := fun t => f b - f t - f' t * (b - t) - K * ((b - t) * (b - t))).
set (g' := fun t => (b - t) * (2 * K - f'' t)).
assert (G : forall t, derivable_pt_lim g t (g' t)).
{ intros t. apply is_derive_Reals. unfold g, g'. pose proof (D t) as T. pose proof (D' t) as T'.
  assert (E : ex_derive f t) by now exists (f' t). assert (E' : ex_derive f' t) by now exists (f'' t).
  auto_derive; [easy|]. replace (Derive (fun x : R => f x) t) with (f' t) by (symmetry; apply is_derive_unique, T).
  replace (Derive (fun x : R => f' x) t) with (f'' t) by (symmetry; apply is_derive_unique, T'). ring. }
assert (A : g a = 0) by (unfold g, K; field; lra).
assert (B : g b = 0) by (unfold g; ring).
assert (S : forall c, (a < c < b \/ b < c < a) -> g' c = 0 -> exists c, Rmin a b <= c <= Rmax a b /\ (f b - f a) / (b - a) = f' a + f'' c / 2 * (b - a)).
{ intros c C Z. exists c. split; [unfold Rmin, Rmax; destruct Rle_dec; lra|].
  apply Rmult_integral in Z as [Z|Z]; [lra|]. replace (f'' c / 2) with K by lra. unfold K. field. lra. }
destruct (Rtotal_order a b) as [L|[E|L]]; [|lra|].
- destruct (MVT_cor2 g g' a b L (fun c _ => G c)) as (c & E & C). apply (S c); [now left|].
  rewrite A, B in E. apply Rmult_eq_reg_r with (b - a); lra.
- destruct (MVT_cor2 g g' b a L (fun c _ => G c)) as (c & E & C). apply (S c); [now right|].
  rewrite A, B in E. apply Rmult_eq_reg_r with (a - b); lra.
Qed.

Lemma derive_exp c : is_derive exp c (exp c).
Proof. auto_derive; [easy|ring]. Qed.

Lemma derive_sigmoid c : is_derive sigmoid c (1 / 4 - (sigmoid c - 1 / 2) * (sigmoid c - 1 / 2)).
Proof. unfold sigmoid. auto_derive; pose proof (exp_pos (- c)); [lra|field; lra]. Qed.

Lemma derive_tanh c : is_derive tanh c (1 - tanh c * tanh c).
Proof.
apply (is_derive_ext (fun x => sigmoid (x + x) + sigmoid (x + x) - 1)); [intros; symmetry; apply tanh_is_sigmoid|].
rewrite tanh_is_sigmoid. unfold sigmoid. auto_derive; pose proof (exp_pos (- (c + c))); [lra|field; lra].
Qed.

Section Slopes.
Variable bits : positive.
Notation interval := interval (only parsing).
Notation contains := (contains bits).
Notation add := add. Notation sub := sub. Notation mul := (mul bits). Notation div := (div bits).
Notation zero := zero. Notation one := (one bits).

(* A point of the box: differences from the middle, and intervals that contain them. Probabilities sum to 1, so their differences
   are balanced: they sum to 0. *)
Variables (balanced : bool) (box : list interval) (point : list R).
Hypothesis point_in_box : Forall2 contains box point.
Hypothesis middle_in_box : List.Forall (fun D => contains D 0) box.

Definition total (xs : list R) : R := fold_right Rplus 0 xs.
Hypothesis sum_is_zero : balanced = true -> total point = 0.

(* Slopes; a list that is too short ends in zeros. *)
Fixpoint along (slopes : list R) (differences : list R) : R :=
  match slopes, differences with
  | s :: slopes', d :: differences' => s * d + along slopes' differences'
  | _, _ => 0
  end.

(* A function over the box. If tight, then its slopes do not imply a smaller range. *)
Record form := Form { middle : interval; range : interval; slope : list interval; tight : bool }.
Definition represents (f : form) (a b : R) : Prop :=
  contains (middle f) a /\ contains (range f) a /\ contains (range f) b /\
  exists s, Forall2 contains (slope f) s /\ b - a = along s point.

(* The bound from the slopes. If the differences sum to 0, any number can be subtracted from all slopes. *)
Fixpoint reach_less (less : interval) (slopes box : list interval) : interval :=
  match slopes, box with
  | s :: slopes', D :: box' => add (mul (sub s less) D) (reach_less less slopes' box')
  | [], D :: box' => add (mul (negated less) D) (reach_less less [] box')
  | _, [] => zero
  end.
Definition center (I : interval) : interval :=
  match I with Some (a, b) => intervals.point (Z.shiftr (a + b) 1) | None => zero end.
(* The best numbers to subtract. The upper bound is the sum of max ((s - l) D) over the slopes s and their differences D. It is convex in the
   number l, and least at a slope s where the widths of the differences of the slopes up to s add up to at least the sum of the upper ends of
   all differences. For the lower bound, the same holds with the lower ends, negated. *)
Definition key (I : interval) : Z := match I with Some (a, b) => a + b | None => 0 end.
Definition ends (D : interval) : Z * Z := match D with Some ab => ab | None => (0, 0)%Z end.
Notation weighted := (interval * (Z * Z))%type (only parsing).
Fixpoint insert (x : weighted) (sorted : list weighted) : list weighted :=
  match sorted with y :: rest => if (key (fst x) <=? key (fst y))%Z then x :: sorted else y :: insert x rest | [] => [x] end.
Fixpoint sort (slopes box : list interval) : list weighted :=
  match box, slopes with
  | D :: box', s :: slopes' => insert (s, ends D) (sort slopes' box')
  | D :: box', [] => insert (zero, ends D) (sort [] box')
  | [], _ => []
  end.
Fixpoint median (limit : Z) (sorted : list weighted) : interval :=
  match sorted with
  | [] => zero
  | [(s, _)] => s
  | (s, (low, high)) :: rest => let left := (limit - (high - low))%Z in if (left <=? 0)%Z then s else median left rest
  end.
Definition best_numbers (slopes : list interval) : list interval :=
  let sorted := sort slopes box in
  let sum (f : Z * Z -> Z) := fold_right (fun x => Z.add (f (snd x))) 0%Z sorted in
  [center (median (sum snd) sorted); center (median (- sum fst) sorted)].
Definition reach (f : form) : interval :=
  fold_left (fun I l => meet I (add (middle f) (reach_less l (slope f) box)))
    (if balanced then best_numbers (slope f) else [zero]) (range f).
Definition tighten (f : form) : form :=
  if tight f then f else Form (middle f) (reach f) (slope f) true.

Lemma contains_reach_less (less : interval) l slopes s : contains less l -> Forall2 contains slopes s ->
  forall B d, Forall2 contains B d -> contains (reach_less less slopes B) (along s d - l * total d).
Proof.
intros L S B d H. revert slopes s S.
induction H as [|D y B d Y H IH]; intros slopes s S.
- replace (along s [] - l * total []) with 0 by (destruct s; simpl; lra).
  destruct S; apply contains_zero.
- destruct S as [|I x slopes s X S]; cbn [reach_less along].
  + replace (0 - l * total (y :: d)) with ((0 - l) * y + (along [] d - l * total d))
      by (unfold total; destruct d; simpl; ring).
    apply contains_add; [|apply IH; constructor].
    apply contains_mul; [apply contains_sub; [apply contains_zero|assumption]|assumption].
  + replace (x * y + along s d - l * total (y :: d)) with ((x - l) * y + (along s d - l * total d))
      by (unfold total; simpl; ring).
    apply contains_add; [|now apply IH]. apply contains_mul; [|assumption]. now apply contains_sub.
Qed.

Lemma contains_center I : exists l, contains (center I) l.
Proof.
destruct I as [[a b]|]; [|exists 0; apply contains_zero]. unfold center.
exists (IZR (Z.shiftr (a + b) 1) / scale bits). apply contains_point.
field. pose proof (scale_positive bits). lra.
Qed.

Lemma along_zeros s : forall B : list interval, along s (map (fun _ => 0) B) = 0.
Proof. induction s as [|x s IH]; intros [|D B]; cbn; try rewrite IH; lra. Qed.

Lemma total_zeros : forall B : list interval, total (map (fun _ => 0) B) = 0.
Proof. unfold total. induction B as [|D B IH]; cbn; try rewrite IH; lra. Qed.

Lemma zeros_in B : List.Forall (fun D => contains D 0) B -> Forall2 contains B (map (fun _ => 0) B).
Proof. induction 1; constructor; assumption. Qed.

Lemma contains_reach f a b : represents f a b -> contains (reach f) a /\ contains (reach f) b.
Proof.
intros (A & RA & RB & s & S & E).
enough (H : forall d x, Forall2 contains box d -> (balanced = true -> total d = 0) -> x = a + along s d ->
  contains (range f) x -> contains (reach f) x).
{ split; [apply (H (map (fun _ => 0) box))|apply (H point)]; try assumption.
  - now apply zeros_in.
  - intros _. apply total_zeros.
  - rewrite along_zeros. ring.
  - lra. }
intros d x D T X R. unfold reach.
assert (B : forall I l, contains I l -> l * total d = 0 -> contains (add (middle f) (reach_less I (slope f) box)) x).
{ intros I l L Z. replace x with (a + (along s d - l * total d)) by lra.
  apply contains_add; [assumption|]. now apply contains_reach_less. }
destruct balanced; cbn [fold_left best_numbers].
- assert (C : forall I, contains (add (middle f) (reach_less (center I) (slope f) box)) x).
  { intros I. destruct (contains_center I) as [l L]. apply (B _ l L). rewrite T by reflexivity. ring. }
  now repeat apply contains_meet.
- apply contains_meet; [assumption|]. apply (B zero 0); [apply contains_zero|ring].
Qed.

Lemma represents_tighten f a b : represents f a b -> represents (tighten f) a b.
Proof.
intros H. destruct (contains_reach _ _ _ H) as [RA RB]. unfold tighten.
destruct f as [m r s []]; [assumption|]. destruct H as (A & _ & _ & S). repeat split; assumption.
Qed.

(* Operations on slopes. *)
Definition times_slope (c : interval) (s : list interval) : list interval := map (mul c) s.
Fixpoint plus_slope (s t : list interval) : list interval :=
  match s, t with
  | [], _ => t
  | _, [] => s
  | x :: s', y :: t' => add x y :: plus_slope s' t'
  end.

Lemma contains_times_slope c x S s : contains c x -> Forall2 contains S s ->
  Forall2 contains (times_slope c S) (map (Rmult x) s).
Proof. intros C H. induction H; constructor; [now apply contains_mul|assumption]. Qed.

Lemma along_times x : forall s d, along (map (Rmult x) s) d = x * along s d.
Proof. induction s as [|y s IH]; intros [|e d]; cbn; try rewrite IH; ring. Qed.

Lemma contains_plus_slope S s : Forall2 contains S s -> forall T t, Forall2 contains T t ->
  exists u, Forall2 contains (plus_slope S T) u /\ forall d, along u d = along s d + along t d.
Proof.
induction 1 as [|I x S s X H IH]; intros T t HT.
- exists t. split; [destruct HT; now try constructor|]. intros [|e d]; cbn; ring.
- destruct HT as [|J y T t Y HT].
  + exists (x :: s). split; [now constructor|]. intros [|e d]; cbn; ring.
  + destruct (IH _ _ HT) as (u & U & E). exists (x + y :: u). split.
    * constructor; [now apply contains_add|assumption].
    * intros [|e d]; cbn; [ring|]. rewrite E. ring.
Qed.

(* Operations on forms. *)
Definition constant (I : interval) : form := Form I I [] true.
Definition plus (f g : form) : form :=
  Form (add (middle f) (middle g)) (add (range f) (range g)) (plus_slope (slope f) (slope g))
    match slope f, slope g with [], _ => tight g | _, [] => tight f | _, _ => false end.
Definition times (f g : form) : form :=
  match slope f, slope g with
  | [], [] => constant (mul (range f) (range g))
  | [], _ => Form (mul (middle f) (middle g)) (mul (range f) (range g)) (times_slope (range f) (slope g)) (tight g)
  | _, _ =>
    let f := tighten f in let g := tighten g in
    Form (mul (middle f) (middle g)) (mul (range f) (range g))
         (plus_slope (times_slope (range f) (slope g)) (times_slope (middle g) (slope f))) false
  end.
Definition between (z n h : form) : form :=
  let z := tighten z in
  let difference := sub (middle h) (middle n) in
  let rest := sub one (range z) in
  Form (add (middle n) (mul (middle z) difference)) (add (mul rest (range n)) (mul (range z) (range h)))
       (plus_slope (plus_slope (times_slope rest (slope n)) (times_slope (range z) (slope h))) (times_slope difference (slope z))) false.
Definition quotient (f g : form) : form :=
  let q := div (middle f) (middle g) in
  Form q (div (range f) (range g))
       (map (fun s => div s (range g)) (plus_slope (slope f) (times_slope (negated q) (slope g)))) false.
(* A function of one variable. From an enclosure of its value, derivative encloses its derivative, and curvature encloses half of its
   second derivative. The slope is in two intervals: the derivatives in the range, and the derivative at the middle plus the curvature
   times the distance from the middle. *)
Definition applied (function derivative curvature : interval -> interval) (f : form) : form :=
  let f := tighten f in
  let values := function (range f) in
  match slope f with
  | [] => constant values
  | _ =>
  let at_middle := function (middle f) in
  let slopes := meet (derivative values) (add (derivative at_middle) (mul (curvature values) (sub (range f) (middle f)))) in
  Form at_middle values (times_slope slopes (slope f)) true
  end.

(* max (0, x). Its slopes are between 0 and 1. *)
Definition positive_part_slope (I : interval) : interval :=
  match I with
  | Some (low, high) => if (0 <=? low)%Z then one else if (high <=? 0)%Z then zero else Some (0%Z, unit bits)
  | None => Some (0%Z, unit bits)
  end.
Definition of_positive_part (f : form) : form :=
  let f := tighten f in
  match slope f with
  | [] => constant (positive_part_of (range f))
  | _ => Form (positive_part_of (middle f)) (positive_part_of (range f)) (times_slope (positive_part_slope (range f)) (slope f)) true
  end.

Lemma represents_constant I x : contains I x -> represents (constant I) x x.
Proof. intros H. repeat split; try assumption. exists []. split; [constructor|]. cbn. ring. Qed.

Lemma represents_one_number f a b : slope f = [] -> represents f a b -> a = b.
Proof. intros C (_ & _ & _ & s & S & E). rewrite C in S. inversion S; subst. cbn in E. lra. Qed.

Ltac slopes H := let s := fresh "s" in let S := fresh "S" in let E := fresh "E" in
  let A := fresh "A" in let RA := fresh "RA" in let RB := fresh "RB" in destruct H as (A & RA & RB & s & S & E).

Lemma represents_plus f g a b c d : represents f a b -> represents g c d -> represents (plus f g) (a + c) (b + d).
Proof.
intros F G. slopes F. slopes G. repeat split; try (now apply contains_add).
destruct (contains_plus_slope _ _ S _ _ S0) as (u & U & EU). exists u. split; [assumption|]. rewrite EU. lra.
Qed.

Lemma represents_times f g a b c d : represents f a b -> represents g c d -> represents (times f g) (a * c) (b * d).
Proof.
intros F G. unfold times. destruct (slope f) eqn:constant_f.
{ pose proof (represents_one_number _ _ _ constant_f F); subst a. destruct (slope g) eqn:constant_g.
  - pose proof (represents_one_number _ _ _ constant_g G); subst c. slopes F. slopes G. now apply represents_constant, contains_mul.
  - rewrite <- constant_g. slopes F. slopes G. repeat split; try (now apply contains_mul).
    exists (map (Rmult b) s0). split; [now apply contains_times_slope|]. rewrite along_times, <- E0. ring. }
apply represents_tighten in F. apply represents_tighten in G. slopes F. slopes G.
repeat split; try (now apply contains_mul).
destruct (contains_plus_slope _ _ (contains_times_slope _ _ _ _ RB S0) _ _ (contains_times_slope _ _ _ _ A0 S)) as (u & U & EU).
exists u. split; [exact U|]. rewrite EU, !along_times, <- E, <- E0. ring.
Qed.

Lemma represents_between z n h az bz an bn ah bh : represents z az bz -> represents n an bn -> represents h ah bh ->
  represents (between z n h) ((1 - az) * an + az * ah) ((1 - bz) * bn + bz * bh).
Proof.
intros Z N H. apply represents_tighten in Z. slopes Z. slopes N. slopes H.
assert (RestA : contains (sub one (range (tighten z))) (1 - az)) by (apply contains_sub; [apply contains_one|assumption]).
assert (RestB : contains (sub one (range (tighten z))) (1 - bz)) by (apply contains_sub; [apply contains_one|assumption]).
assert (Difference : contains (sub (middle h) (middle n)) (ah - an)) by now apply contains_sub.
repeat split.
- replace ((1 - az) * an + az * ah) with (an + az * (ah - an)) by ring.
  apply contains_add; [assumption|]. now apply contains_mul.
- apply contains_add; now apply contains_mul.
- apply contains_add; now apply contains_mul.
- destruct (contains_plus_slope _ _ (contains_times_slope _ _ _ _ RestB S0) _ _ (contains_times_slope _ _ _ _ RB S1)) as (u & U & EU).
  destruct (contains_plus_slope _ _ U _ _ (contains_times_slope _ _ _ _ Difference S)) as (v & V & EV).
  exists v. split; [exact V|]. rewrite EV, EU, !along_times, <- E, <- E0, <- E1. ring.
Qed.

Lemma represents_quotient f g a b c d : represents f a b -> represents g c d -> (d <> 0) -> (c <> 0) ->
  represents (quotient f g) (a / c) (b / d).
Proof.
intros F G D C. slopes F. slopes G. repeat split; try (now apply contains_div).
assert (Q : contains (negated (div (middle f) (middle g))) (0 - a / c)) by (apply contains_sub; [apply contains_zero|now apply contains_div]).
destruct (contains_plus_slope _ _ S _ _ (contains_times_slope _ _ _ _ Q S0)) as (u & U & EU).
exists (map (Rmult (/ d)) u). split.
- cbn. clear -U RB0. revert u U. induction (plus_slope _ _) as [|I T IH]; intros u U; inversion U; subst; constructor.
  + rewrite Rmult_comm. now apply contains_div.
  + now apply IH.
- rewrite along_times, EU, along_times, <- E, <- E0. field. lra.
Qed.

Lemma represents_applied (function derivative curvature : interval -> interval) (h h' h'' : R -> R) :
  (forall I x, contains I x -> contains (function I) (h x)) ->
  (forall V x, contains V (h x) -> contains (derivative V) (h' x)) ->
  (forall V x, contains V (h x) -> contains (curvature V) (h'' x / 2)) ->
  (forall x, is_derive h x (h' x)) -> (forall x, is_derive h' x (h'' x)) ->
  forall f a b, represents f a b -> represents (applied function derivative curvature f) (h a) (h b).
Proof.
intros Function Derivative Curvature D D' f a b F. apply represents_tighten in F. unfold applied. cbn zeta.
destruct (slope (tighten f)) eqn:C.
{ pose proof (represents_one_number _ _ _ C F); subst a. slopes F. now apply represents_constant, Function. }
rewrite <- C. clear C. slopes F. repeat split; try (now apply Function).
assert (Between : forall c, Rmin a b <= c <= Rmax a b -> contains (range (tighten f)) c).
{ intros c C. destruct (range (tighten f)) as [[low high]|]; [|easy]. cbn in *. pose proof (scale_positive bits).
  unfold Rmin, Rmax in C. destruct Rle_dec; split; nra. }
assert (M : exists t, h b - h a = t * (b - a) /\
  (exists c, Rmin a b <= c <= Rmax a b /\ t = h' c) /\
  (exists c, Rmin a b <= c <= Rmax a b /\ t = h' a + h'' c / 2 * (b - a))).
{ destruct (Req_dec a b) as [->|N].
  - exists (h' b). split; [ring|]. split; exists b; (split; [apply conj; [apply Rmin_l|apply Rmax_l]|ring]).
  - exists ((h b - h a) / (b - a)). split; [field; lra|]. split; [|now apply taylor].
    destruct (mean_value h h' a b D) as (c & C & E'). exists c. split; [assumption|]. rewrite E'. field. lra. }
destruct M as (t & T & (c & C & E1) & (c' & C' & E2)).
exists (map (Rmult t) s). split.
- apply contains_times_slope; [|assumption]. apply contains_meet.
  + rewrite E1. now apply Derivative, Function, Between.
  + rewrite E2. apply contains_add; [now apply Derivative, Function|].
    apply contains_mul; [now apply Curvature, Function, Between|now apply contains_sub].
- now rewrite along_times, <- E.
Qed.

Lemma positive_part_between a b : exists t, 0 <= t <= 1 /\ Rmax 0 b - Rmax 0 a = t * (b - a).
Proof.
destruct (Rle_dec 0 a) as [A|A], (Rle_dec 0 b) as [B|B].
- exists 1. rewrite !Rmax_right by lra. lra.
- exists (a / (a - b)). rewrite (Rmax_left 0 b), (Rmax_right 0 a) by lra. split; [|field; lra].
  split; [apply Rmult_le_pos; [lra|left; apply Rinv_0_lt_compat; lra]|]. apply Rmult_le_reg_r with (a - b); [lra|].
  unfold Rdiv. rewrite Rmult_assoc, Rinv_l; lra.
- exists (b / (b - a)). rewrite (Rmax_left 0 a), (Rmax_right 0 b) by lra. split; [|field; lra].
  split; [apply Rmult_le_pos; [lra|left; apply Rinv_0_lt_compat; lra]|]. apply Rmult_le_reg_r with (b - a); [lra|].
  unfold Rdiv. rewrite Rmult_assoc, Rinv_l; lra.
- exists 0. rewrite !Rmax_left by lra. lra.
Qed.

Lemma positive_part_slope_contains I a b : contains I a -> contains I b ->
  exists t, contains (positive_part_slope I) t /\ Rmax 0 b - Rmax 0 a = t * (b - a).
Proof.
intros A B. pose proof (scale_positive bits) as S.
assert (Any : exists t, contains (Some (0%Z, unit bits)) t /\ Rmax 0 b - Rmax 0 a = t * (b - a)).
{ destruct (positive_part_between a b) as (t & T & E). exists t. split; [|exact E]. cbn. fold (scale bits). nra. }
destruct I as [[low high]|]; [|exact Any]. cbn [positive_part_slope contains] in *.
destruct (Z.leb_spec 0 low) as [L%IZR_le|_].
- exists 1. split; [apply contains_one|]. rewrite !Rmax_right by nra. ring.
- destruct (Z.leb_spec high 0) as [H%IZR_le|_]; [|exact Any].
  exists 0. split; [apply contains_zero|]. rewrite !Rmax_left by nra. ring.
Qed.

Lemma represents_positive_part f a b : represents f a b -> represents (of_positive_part f) (Rmax 0 a) (Rmax 0 b).
Proof.
intros F. apply represents_tighten in F. unfold of_positive_part. cbn zeta. destruct (slope (tighten f)) eqn:C.
{ pose proof (represents_one_number _ _ _ C F); subst a. slopes F. now apply represents_constant, contains_positive_part. }
rewrite <- C. clear C. slopes F. repeat split; try (now apply contains_positive_part).
destruct (positive_part_slope_contains _ _ _ RA RB) as (t & T & Et).
exists (map (Rmult t) s). split; [now apply contains_times_slope|]. now rewrite along_times, <- E.
Qed.

Definition half : interval := of_rational bits (1 # 2).
Definition sigmoid_slope (V : interval) : interval := sub (of_rational bits (1 # 4)) (square bits (sub V half)).
Definition sigmoid_curvature (V : interval) : interval := mul (sigmoid_slope V) (sub half V).
Definition tanh_slope (V : interval) : interval := sub one (square bits V).
Definition tanh_curvature (V : interval) : interval := mul (negated V) (tanh_slope V).
Definition of_exp := applied (exponential bits) (fun V => V) (fun V => mul V half).
Definition of_sigmoid := applied (sigmoid_of bits) sigmoid_slope sigmoid_curvature.
Definition of_tanh := applied (tanh_of bits) tanh_slope tanh_curvature.

Lemma contains_half : contains half (1 / 2).
Proof. replace (1 / 2) with (Q2R (1 # 2)) by (unfold Q2R; cbn; lra). apply contains_rational. Qed.

Lemma contains_sigmoid_slope V x : contains V (sigmoid x) ->
  contains (sigmoid_slope V) (1 / 4 - (sigmoid x - 1 / 2) * (sigmoid x - 1 / 2)).
Proof.
intros X. apply contains_sub; [exact (contains_rational bits (1 # 4))|].
apply contains_square, contains_sub; [assumption|apply contains_half].
Qed.

Lemma contains_tanh_slope V x : contains V (tanh x) -> contains (tanh_slope V) (1 - tanh x * tanh x).
Proof. intros X. apply contains_sub; [apply contains_one|]. now apply contains_square. Qed.

Lemma represents_exp f a b : represents f a b -> represents (of_exp f) (exp a) (exp b).
Proof.
apply represents_applied with exp exp; [exact (contains_exponential bits)|easy| |exact derive_exp|exact derive_exp].
intros V x X. unfold Rdiv. apply contains_mul; [assumption|]. replace (/ 2) with (1 / 2) by lra. apply contains_half.
Qed.

Lemma represents_sigmoid f a b : represents f a b -> represents (of_sigmoid f) (sigmoid a) (sigmoid b).
Proof.
apply represents_applied with (fun x => 1 / 4 - (sigmoid x - 1 / 2) * (sigmoid x - 1 / 2))
  (fun x => 2 * ((1 / 4 - (sigmoid x - 1 / 2) * (sigmoid x - 1 / 2)) * (1 / 2 - sigmoid x))).
- exact (contains_sigmoid bits).
- exact contains_sigmoid_slope.
- intros V x X. unfold Rdiv at 1. rewrite Rmult_comm, <- Rmult_assoc, Rinv_l, Rmult_1_l by lra.
  apply contains_mul; [now apply contains_sigmoid_slope|]. apply contains_sub; [apply contains_half|assumption].
- exact derive_sigmoid.
- intros x. pose proof (derive_sigmoid x) as D. assert (E : ex_derive sigmoid x) by (eexists; exact D).
  auto_derive; [easy|]. replace (Derive (fun x : R => sigmoid x) x) with (1 / 4 - (sigmoid x - 1 / 2) * (sigmoid x - 1 / 2)) by (symmetry; apply is_derive_unique, D). field.
Qed.

Lemma represents_tanh f a b : represents f a b -> represents (of_tanh f) (tanh a) (tanh b).
Proof.
apply represents_applied with (fun x => 1 - tanh x * tanh x) (fun x => 2 * ((0 - tanh x) * (1 - tanh x * tanh x))).
- exact (contains_tanh bits).
- exact contains_tanh_slope.
- intros V x X. unfold Rdiv at 1. rewrite Rmult_comm, <- Rmult_assoc, Rinv_l, Rmult_1_l by lra.
  apply contains_mul; [|now apply contains_tanh_slope]. apply contains_sub; [apply contains_zero|assumption].
- exact derive_tanh.
- intros x. pose proof (derive_tanh x) as D. assert (E : ex_derive tanh x) by (eexists; exact D).
  auto_derive; [easy|]. replace (Derive (fun x : R => tanh x) x) with (1 - tanh x * tanh x) by (symmetry; apply is_derive_unique, D). ring.
Qed.

End Slopes.
