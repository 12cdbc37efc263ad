(* The states and the decisions of an ordinary network that a program may compute in binary32, and enclosures of their errors. *)

From Coq Require Import Reals ZArith QArith Qreals List Lia Lra Bool.
From Coquelicot Require Import Coquelicot.
From ratproof_reals Require Import intervals functions slopes network parametricity algebra cells ordinary rounding.
Import ListNotations.
Open Scope R_scope.

(* The terms of the sums in unit i of a gate: of W v + b, and of U h + c. *)
Section Terms.
Context {T : Type} (nothing one : T).
Definition read_terms (g : gate T) (v : list T) (i : nat) : list (T * T) := combine (nth i (W g) []) v ++ [(nth i (b g) nothing, one)].
Definition recurrent_terms (g : gate T) (h : list T) (i : nat) : list (T * T) :=
  combine (nth i (U g) []) h ++ [(nth i (c g) nothing, one)].
Definition all_terms (g : gate T) (v h : list T) (i : nat) : list (T * T) := read_terms g v i ++ recurrent_terms g h i.
Definition output_terms (rows : list (list T)) (bias : list T) (h : list T) (i : nat) : list (T * T) :=
  combine (nth i rows []) h ++ [(nth i bias nothing, one)].
End Terms.

(* (1 - z) n + z h, computed as written or as n + z (h - n). *)
Definition blended (z n h y : R) : Prop :=
  (exists d p, near (h - n) d /\ near (z * d) p /\ near (n + p) y) \/
  (exists r p q, near (1 - z) r /\ near (r * n) p /\ near (z * h) q /\ near (p + q) y).

(* The value y of unit i after a step that reads the vector v in state h, for one of the cells, with these gates. *)
Definition computed_unit (kind : cell) (gates : list (gate R)) (v h : list R) (i : nat) (y : R) : Prop :=
  match kind, gates with
  | Elman, [g] => exists s, sum_of (all_terms 0 1 g v h i) s /\ computes tanh s y
  | ReLU, [g] => exists s, sum_of (all_terms 0 1 g v h i) s /\ near (Rmax 0 s) y
  | GRU, [gr; gz; gn] => exists sr r sz z inner s n,
    sum_of (all_terms 0 1 gr v h i) sr /\ computes sigmoid sr r /\
    sum_of (all_terms 0 1 gz v h i) sz /\ computes sigmoid sz z /\
    sum_of (recurrent_terms 0 1 gn h i) inner /\ sum_of (read_terms 0 1 gn v i ++ [(r, inner)]) s /\
    computes tanh s n /\ blended z n (nth i h 0) y
  | LSTM, [gi; gf; gg; go] =>
    let n := length (c gi) in
    let memory j y := exists si i sf f sg g a b,
      sum_of (all_terms 0 1 gi v h j) si /\ computes sigmoid si i /\ sum_of (all_terms 0 1 gf v h j) sf /\ computes sigmoid sf f /\
      sum_of (all_terms 0 1 gg v h j) sg /\ computes tanh sg g /\
      near (f * nth (n + j) h 0) a /\ near (i * g) b /\ near (a + b) y in
    if Nat.ltb i n then exists so o m t, sum_of (all_terms 0 1 go v h i) so /\ computes sigmoid so o /\
      memory i m /\ computes tanh m t /\ near (o * t) y
    else memory (i - n)%nat y
  | _, _ => False
  end.

Section Computed.
Variable N : ordinary R.
Definition computed_layer (gates : list (gate R)) (v h h' : list R) : Prop :=
  length h' = entries_of_layer N /\
  forall i, (i < entries_of_layer N)%nat -> computed_unit (cell_kind N) gates v h i (nth i h' 0).
Fixpoint computed_layers (layers : list (list (gate R))) (v h h' : list R) : Prop :=
  match layers with
  | [] => h' = []
  | gates :: above => exists new rest, h' = new ++ rest /\
    computed_layer gates v (firstn (entries_of_layer N) h) new /\ computed_layers above new (skipn (entries_of_layer N) h) rest
  end.
Definition computed_step (h : list R) (x : nat) (h' : list R) : Prop := computed_layers (layers N) (nth x (embeddings N) []) h h'.
Inductive computed_state : list nat -> list R -> Prop :=
| at_first : computed_state [] (repeat 0 (entries_of_state N))
| after_step word x h h' : computed_state word h -> computed_step h x h' -> computed_state (word ++ [x]) h'.
Definition computed_scores (h : list R) (values : list R) : Prop := exists outputs,
  length outputs = length (readout_bias N) /\
  (forall i, (i < length outputs)%nat -> sum_of (output_terms 0 1 (readout N) (readout_bias N) (last_layer N h) i) (nth i outputs 0)) /\
  values = match outputs with [output] => [threshold N; output] | _ => outputs end.
(* The computed decision is this one, for every order of the sums and for all rounding errors. *)
Definition computes_decision (word : list nat) (decision : nat) : Prop :=
  forall h values, computed_state word h -> computed_scores h values -> is_largest values decision.
End Computed.

(* The exact value of a unit. *)
Definition unit_value (kind : cell) (gates : list (gate R)) (v h : list R) (i : nat) : R :=
  match kind, gates with
  | Elman, [g] => tanh (exact_sum (all_terms 0 1 g v h i))
  | ReLU, [g] => Rmax 0 (exact_sum (all_terms 0 1 g v h i))
  | GRU, [gr; gz; gn] =>
    let r := sigmoid (exact_sum (all_terms 0 1 gr v h i)) in
    let z := sigmoid (exact_sum (all_terms 0 1 gz v h i)) in
    let n := tanh (exact_sum (read_terms 0 1 gn v i) + r * exact_sum (recurrent_terms 0 1 gn h i)) in
    (1 - z) * n + z * nth i h 0
  | LSTM, [gi; gf; gg; go] =>
    let n := length (c gi) in
    let memory j := sigmoid (exact_sum (all_terms 0 1 gf v h j)) * nth (n + j) h 0 +
      sigmoid (exact_sum (all_terms 0 1 gi v h j)) * tanh (exact_sum (all_terms 0 1 gg v h j)) in
    if Nat.ltb i n then sigmoid (exact_sum (all_terms 0 1 go v h i)) * tanh (memory i) else memory (i - n)%nat
  | _, _ => 0
  end.

Definition number_of_gates (kind : cell) : nat := match kind with Elman | ReLU => 1 | GRU => 3 | LSTM => 4 end.

Lemma exact_sum_combine u : forall v, exact_sum (combine u v) = rdot u v.
Proof. induction u as [|x u IH]; intros [|y v]; try reflexivity. unfold exact_sum in *. cbn. now rewrite IH. Qed.

Lemma exact_affine u v y : exact_sum (combine u v ++ [(y, 1)]) = rdot u v + y.
Proof. rewrite exact_sum_app, exact_sum_combine. unfold exact_sum. cbn. ring. Qed.

Lemma exact_all g v h i :
  exact_sum (all_terms 0 1 g v h i) = exact_sum (read_terms 0 1 g v i) + exact_sum (recurrent_terms 0 1 g h i).
Proof. apply exact_sum_app. Qed.

(* Entries of vectors. *)
Lemma length_each (f : R -> R -> R) u : forall v, length (each (K := reals) f u v) = Nat.min (length u) (length v).
Proof. induction u as [|x u IH]; intros [|y v]; cbn; auto. Qed.

Lemma nth_each (f : R -> R -> R) u : forall v i, (i < length u)%nat -> (i < length v)%nat ->
  nth i (each (K := reals) f u v) 0 = f (nth i u 0) (nth i v 0).
Proof. induction u as [|x u IH]; intros [|y v] [|i] L M; cbn in *; try lia; [reflexivity|]. apply IH; lia. Qed.

Lemma length_each3 (f : R -> R -> R -> R) u : forall v w,
  length (each3 (K := reals) f u v w) = Nat.min (length u) (Nat.min (length v) (length w)).
Proof. induction u as [|x u IH]; intros [|y v] [|z w]; cbn; auto. Qed.

Lemma nth_each3 (f : R -> R -> R -> R) u : forall v w i, (i < length u)%nat -> (i < length v)%nat -> (i < length w)%nat ->
  nth i (each3 (K := reals) f u v w) 0 = f (nth i u 0) (nth i v 0) (nth i w 0).
Proof. induction u as [|x u IH]; intros [|y v] [|z w] [|i] L M K; cbn in *; try lia; [reflexivity|]. apply IH; lia. Qed.

Lemma least_of_equals m n k : m = k -> n = k -> Nat.min m n = k.
Proof. lia. Qed.

Lemma nth_map_in (f : R -> R) u i : (i < length u)%nat -> nth i (map f u) 0 = f (nth i u 0).
Proof. intros L. rewrite nth_indep with (d' := f 0) by now rewrite map_length. apply map_nth. Qed.

Lemma nth_skipn n : forall (u : list R) i, nth i (skipn n u) 0 = nth (n + i) u 0.
Proof. induction n as [|n IH]; intros [|x u] i; cbn; try reflexivity; [now destruct i|apply IH]. Qed.

Lemma nth_apply M v i : nth i (rapply M v) 0 = rdot (nth i M []) v.
Proof. revert i. unfold apply. induction M as [|row M IH]; intros [|i]; cbn; auto. Qed.

Section Entries.
Variables (kind : cell) (gates : list (gate R)) (size : nat).
Definition gate_shaped {T} (size : nat) (g : gate T) : Prop :=
  length (W g) = size /\ length (b g) = size /\ length (U g) = size /\ length (c g) = size.
Hypothesis shaped : List.Forall (gate_shaped size) gates.
Variables (v h : list R).

Notation read g := (each (K := reals) Rplus (rapply (W g) v) (b g)).
Notation recurrent g := (each (K := reals) Rplus (rapply (U g) h) (c g)).
Definition step_of : list R := @update reals kind (map (fun g => read g) gates) (map (fun g => recurrent g) gates) h.

Lemma length_read g : gate_shaped size g -> length (read g) = size.
Proof. intros (A & B & _). rewrite length_each. unfold apply. rewrite map_length. lia. Qed.
Lemma length_recurrent g : gate_shaped size g -> length (recurrent g) = size.
Proof. intros (_ & _ & A & B). rewrite length_each. unfold apply. rewrite map_length. lia. Qed.
Lemma nth_read g i : gate_shaped size g -> (i < size)%nat -> nth i (read g) 0 = exact_sum (read_terms 0 1 g v i).
Proof.
intros (A & B & _) L. rewrite nth_each by (unfold apply; rewrite ?map_length; lia). rewrite nth_apply.
unfold read_terms. now rewrite exact_affine.
Qed.
Lemma nth_recurrent g i : gate_shaped size g -> (i < size)%nat -> nth i (recurrent g) 0 = exact_sum (recurrent_terms 0 1 g h i).
Proof.
intros (_ & _ & A & B) L. rewrite nth_each by (unfold apply; rewrite ?map_length; lia). rewrite nth_apply.
unfold recurrent_terms. now rewrite exact_affine.
Qed.

(* Lists of numbers of the real arithmetic are lists of R up to conversion only, so rewrite and lia do not see their lengths. *)
Ltac length_is := repeat match goal with
  | _ => first [assumption | apply length_read; assumption | apply length_recurrent; assumption]
  | |- length (map _ _) = _ => etransitivity; [apply map_length|]
  | |- length (each _ _ _) = _ => etransitivity; [apply length_each|apply least_of_equals]
  | |- length (each3 _ _ _ _) = _ => etransitivity; [apply length_each3|apply least_of_equals; [|apply least_of_equals]]
  end.
Ltac in_range := eapply Nat.lt_le_trans; [eassumption|apply Nat.eq_le_incl; symmetry; length_is].

Hypothesis length_h : length h = state_size kind size.
Hypothesis number : length gates = number_of_gates kind.
Lemma step_entries : length step_of = state_size kind size /\
  forall i, (i < state_size kind size)%nat -> nth i step_of 0 = unit_value kind gates v h i.
Proof.
unfold step_of, unit_value.
destruct kind; destruct gates as [|g1 [|g2 [|g3 [|g4 [|g5 gs]]]]]; try discriminate; clear number; cbn [map update state_size] in *.
- inversion_clear shaped as [|? ? G _]. change (tangent reals) with tanh. change (plus reals) with Rplus.
  assert (L : length (map tanh (each (K := reals) Rplus (read g1) (recurrent g1))) = size) by length_is.
  split; [exact L|]. intros i I.
  etransitivity; [apply nth_map_in; in_range|]. f_equal. etransitivity; [apply nth_each; in_range|].
  rewrite nth_read, nth_recurrent by assumption. now rewrite exact_all.
- inversion_clear shaped as [|? ? G _]. change (positive_part reals) with (Rmax 0). change (plus reals) with Rplus.
  assert (L : length (map (Rmax 0) (each (K := reals) Rplus (read g1) (recurrent g1))) = size) by length_is.
  split; [exact L|]. intros i I.
  etransitivity; [apply nth_map_in; in_range|]. f_equal. etransitivity; [apply nth_each; in_range|].
  rewrite nth_read, nth_recurrent by assumption. now rewrite exact_all.
- inversion_clear shaped as [|? ? G1 S1]. inversion_clear S1 as [|? ? G2 S2]. inversion_clear S2 as [|? ? G3 _].
  change (squash reals) with sigmoid. change (tangent reals) with tanh. change (plus reals) with Rplus. change (times reals) with Rmult.
  set (r := map sigmoid (each (K := reals) Rplus (read g1) (recurrent g1))).
  set (z := map sigmoid (each (K := reals) Rplus (read g2) (recurrent g2))).
  set (n := map tanh (each (K := reals) Rplus (read g3) (each (K := reals) Rmult r (recurrent g3)))).
  assert (Lr : length r = size) by (unfold r; length_is).
  assert (Lz : length z = size) by (unfold z; length_is).
  assert (Ln : length n = size) by (unfold n; length_is).
  assert (L : length (each3 (K := reals) (between reals) z n h) = size) by length_is.
  split; [exact L|]. intros i I.
  etransitivity; [apply nth_each3; in_range|].
  assert (E : forall f g, gate_shaped size g ->
    nth i (map f (each (K := reals) Rplus (read g) (recurrent g))) 0 = f (exact_sum (all_terms 0 1 g v h i))).
  { intros f g G. etransitivity; [apply nth_map_in; in_range|]. f_equal. etransitivity; [apply nth_each; in_range|].
    rewrite nth_read, nth_recurrent by assumption. now rewrite exact_all. }
  assert (Er : nth i r 0 = sigmoid (exact_sum (all_terms 0 1 g1 v h i))) by now apply E.
  assert (Ez : nth i z 0 = sigmoid (exact_sum (all_terms 0 1 g2 v h i))) by now apply E.
  assert (En : nth i n 0 = tanh (exact_sum (read_terms 0 1 g3 v i) + nth i r 0 * exact_sum (recurrent_terms 0 1 g3 h i))).
  { etransitivity; [apply nth_map_in; in_range|]. f_equal. etransitivity; [apply nth_each; in_range|].
    rewrite nth_read by assumption. f_equal. etransitivity; [apply nth_each; in_range|]. now rewrite nth_recurrent. }
  transitivity ((1 - nth i z 0) * nth i n 0 + nth i z 0 * nth i h 0); [reflexivity|]. now rewrite Ez, En, Er.
- inversion_clear shaped as [|? ? G1 S1]. inversion_clear S1 as [|? ? G2 S2]. inversion_clear S2 as [|? ? G3 S3]. inversion_clear S3 as [|? ? G4 _].
  change (squash reals) with sigmoid. change (tangent reals) with tanh. change (plus reals) with Rplus. change (times reals) with Rmult.
  set (ig := map sigmoid (each (K := reals) Rplus (read g1) (recurrent g1))).
  set (f := map sigmoid (each (K := reals) Rplus (read g2) (recurrent g2))).
  set (g := map tanh (each (K := reals) Rplus (read g3) (recurrent g3))).
  set (o := map sigmoid (each (K := reals) Rplus (read g4) (recurrent g4))).
  assert (Li : length ig = size) by (unfold ig; length_is).
  assert (Lf : length f = size) by (unfold f; length_is).
  assert (Lg : length g = size) by (unfold g; length_is).
  assert (Lo : length o = size) by (unfold o; length_is).
  assert (Lm : length (skipn (length f) h) = size) by (rewrite skipn_length, Lf, length_h; lia).
  set (memory := each (K := reals) Rplus (each (K := reals) Rmult f (skipn (length f) h)) (each (K := reals) Rmult ig g)).
  assert (LM : length memory = size) by (unfold memory; length_is).
  assert (Lh : length (each (K := reals) Rmult o (map tanh memory)) = size) by length_is.
  assert (E : forall F g0, gate_shaped size g0 -> forall j, (j < size)%nat ->
    nth j (map F (each (K := reals) Rplus (read g0) (recurrent g0))) 0 = F (exact_sum (all_terms 0 1 g0 v h j))).
  { intros F g0 G j J. etransitivity; [apply nth_map_in; in_range|]. f_equal. etransitivity; [apply nth_each; in_range|].
    rewrite nth_read, nth_recurrent by assumption. now rewrite exact_all. }
  assert (M : forall j, (j < size)%nat -> nth j memory 0 = sigmoid (exact_sum (all_terms 0 1 g2 v h j)) * nth (size + j) h 0 +
    sigmoid (exact_sum (all_terms 0 1 g1 v h j)) * tanh (exact_sum (all_terms 0 1 g3 v h j))).
  { intros j J. etransitivity; [apply nth_each; in_range|].
    transitivity (nth j f 0 * nth j (skipn (length f) h) 0 + nth j ig 0 * nth j g 0).
    - f_equal; apply nth_each; in_range.
    - rewrite nth_skipn, Lf. unfold f, ig, g. now rewrite !E by assumption. }
  split; [etransitivity; [apply app_length|]; f_equal; assumption|]. intros i I.
  assert (Size : length (c g1) = size) by apply G1. rewrite Size. destruct (Nat.ltb_spec i size) as [L|L].
  + etransitivity; [apply app_nth1; in_range|]. etransitivity; [apply nth_each; in_range|].
    transitivity (nth i o 0 * tanh (nth i memory 0)); [f_equal; apply nth_map_in; in_range|]. unfold o. now rewrite E, M.
  + etransitivity; [apply app_nth2; eapply Nat.le_trans; [apply Nat.eq_le_incl; exact Lh|exact L]|].
    transitivity (nth (i - size) memory 0); [f_equal; f_equal; exact Lh|]. apply M. lia.
Qed.
End Entries.

(* Enclosures of a unit and of its error. *)
Section Approximations.
Variable bits : positive.
Notation contains := (contains bits).
Notation approximates := (approximates bits).
Notation sums := (sum_of_products bits).
Notation one := (one bits).

Definition exactly (I : interval) : approximation := (I, zero).
Definition blend_approximation (z n h : approximation) : approximation :=
  let in_steps := sum_approximation bits n (product_approximation bits z (difference_approximation bits h n)) in
  let as_printed := sum_approximation bits
    (product_approximation bits (difference_approximation bits (exactly one) z) n) (product_approximation bits z h) in
  (fst in_steps, hull (snd in_steps) (snd as_printed)).
(* tanh and the sigmoid. From an enclosure of the values between x and the computed x, derivative encloses the derivatives there. *)
Definition function_approximation (function derivative : interval -> interval) (a : approximation) : approximation :=
  let values := function (hull (fst a) (computed a)) in
  (values, add (mul bits (derivative values) (snd a)) (symmetric (above 21 (unit bits)))).
Definition sigmoid_approximation := function_approximation (sigmoid_of bits) (sigmoid_slope bits).
Definition tanh_approximation := function_approximation (tanh_of bits) (tanh_slope bits).
(* max (0, x) increases a distance by a factor between 0 and 1. *)
Definition positive_part_approximation (a : approximation) : approximation :=
  rounded bits (positive_part_of (fst a), hull zero (snd a)).
(* The sum of terms and of a product of computed numbers. *)
Definition sum_with_product (terms : list (interval * interval)) (a b : approximation) : approximation :=
  (add (fst (sums terms)) (mul bits (fst a) (fst b)),
   add (snd (sums (terms ++ [(computed a, computed b)]))) (add (mul bits (snd a) (computed b)) (mul bits (fst a) (snd b)))).
Definition unit_approximation (kind : cell) (gates : list (gate interval)) (v h : list interval) (i : nat) : approximation :=
  match kind, gates with
  | Elman, [g] => tanh_approximation (sums (all_terms zero one g v h i))
  | ReLU, [g] => positive_part_approximation (sums (all_terms zero one g v h i))
  | GRU, [gr; gz; gn] =>
    let r := sigmoid_approximation (sums (all_terms zero one gr v h i)) in
    let z := sigmoid_approximation (sums (all_terms zero one gz v h i)) in
    let n := tanh_approximation (sum_with_product (read_terms zero one gn v i) r (sums (recurrent_terms zero one gn h i))) in
    blend_approximation z n (exactly (nth i h zero))
  | LSTM, [gi; gf; gg; go] =>
    let n := length (c gi) in
    let memory j := sum_approximation bits
      (product_approximation bits (sigmoid_approximation (sums (all_terms zero one gf v h j))) (exactly (nth (n + j) h zero)))
      (product_approximation bits (sigmoid_approximation (sums (all_terms zero one gi v h j)))
        (tanh_approximation (sums (all_terms zero one gg v h j)))) in
    if Nat.ltb i n then
      product_approximation bits (sigmoid_approximation (sums (all_terms zero one go v h i))) (tanh_approximation (memory i))
    else memory (i - n)%nat
  | _, _ => (None, None)
  end.

Lemma exactly_approximates I x : contains I x -> approximates (exactly I) x x.
Proof. intros H. split; [assumption|]. cbn [exactly snd]. replace (x - x) with 0 by ring. apply contains_zero. Qed.

Lemma function_approximates (f f' : R -> R) function derivative a x x' y :
  (forall I u, contains I u -> contains (function I) (f u)) -> (forall V u, contains V (f u) -> contains (derivative V) (f' u)) ->
  (forall u, is_derive f u (f' u)) ->
  approximates a x x' -> computes f x' y -> approximates (function_approximation function derivative a) (f x) y.
Proof.
intros Function Derivative D A C. set (J := hull (fst a) (computed a)).
assert (X : contains J x) by (apply contains_hull; left; apply A).
assert (X' : contains J x') by (apply contains_hull; right; now apply (contains_computed bits a x)).
split; [now apply Function|]. cbn [function_approximation snd]. fold J.
replace (y - f x) with ((f x' - f x) + (y - f x')) by ring. apply contains_add.
- destruct (mean_value f f' x x' D) as (c & Between & E). rewrite E. apply contains_mul; [|apply A].
  apply Derivative, Function. destruct J as [[low high]|]; [|easy]. cbn in *. pose proof (scale_positive bits).
  unfold Rmin, Rmax in Between. destruct (Rle_dec x x'); split; nra.
- apply contains_symmetric. unfold computes in C. pose proof (above_bound 21 (unit bits) ltac:(lia)) as B.
  fold (scale bits) in B. pose proof (scale_positive bits).
  apply Rle_trans with (8 * half_unit * scale bits); [now apply Rmult_le_compat_r; [lra|]|].
  refine (Rle_trans _ _ _ _ B). unfold half_unit. cbn. lra.
Qed.

Lemma sigmoid_approximates a x x' y : approximates a x x' -> computes sigmoid x' y -> approximates (sigmoid_approximation a) (sigmoid x) y.
Proof. eapply function_approximates; [exact (contains_sigmoid bits)|exact (contains_sigmoid_slope bits)|exact derive_sigmoid]. Qed.

Lemma tanh_approximates a x x' y : approximates a x x' -> computes tanh x' y -> approximates (tanh_approximation a) (tanh x) y.
Proof. eapply function_approximates; [exact (contains_tanh bits)|exact (contains_tanh_slope bits)|exact derive_tanh]. Qed.

Lemma positive_part_approximates a x x' y : approximates a x x' -> near (Rmax 0 x') y ->
  approximates (positive_part_approximation a) (Rmax 0 x) y.
Proof.
intros [A D] N. apply (rounded_approximates bits) with (Rmax 0 x'); [|assumption]. split; [now apply contains_positive_part|].
cbn [snd]. destruct (positive_part_between x x') as (t & T & E). rewrite E.
destruct (snd a) as [[low high]|]; [|easy]. cbn in *. rewrite IZR_min, IZR_max. pose proof (scale_positive bits).
unfold Rmin, Rmax. repeat destruct Rle_dec; nra.
Qed.

Lemma sum_with_product_approximates terms l a b x x' y y' s : contain_terms bits terms l -> approximates a x x' -> approximates b y y' ->
  sum_of (l ++ [(x', y')]) s -> approximates (sum_with_product terms a b) (exact_sum l + x * y) s.
Proof.
intros C A B S. pose proof (contains_computed bits _ _ _ A) as A'. pose proof (contains_computed bits _ _ _ B) as B'.
assert (C' : contain_terms bits (terms ++ [(computed a, computed b)]) (l ++ [(x', y')])).
{ apply contain_terms_app; [assumption|]. constructor; [assumption..|constructor]. }
pose proof (sum_of_products_approximates bits _ _ _ C' S) as [_ E]. rewrite exact_sum_app in E. unfold exact_sum at 2 in E. cbn [fold_right fst snd] in E.
split; cbn [sum_with_product fst snd].
- apply contains_add; [|apply contains_mul; [apply A|apply B]]. now apply contains_exact_sum.
- replace (s - (exact_sum l + x * y)) with ((s - (exact_sum l + (x' * y' + 0))) + ((x' - x) * y' + x * (y' - y))) by ring.
  apply contains_add; [exact E|]. apply contains_add; apply contains_mul; try assumption; [apply A|apply A|apply B].
Qed.

Lemma blend_approximates z n h z0 n0 h0 z1 n1 y : approximates z z0 z1 -> approximates n n0 n1 -> approximates h h0 h0 ->
  blended z1 n1 h0 y -> approximates (blend_approximation z n h) ((1 - z0) * n0 + z0 * h0) y.
Proof.
intros Z N H B.
assert (E : forall d p y, near (h0 - n1) d -> near (z1 * d) p -> near (n1 + p) y ->
  approximates (sum_approximation bits n (product_approximation bits z (difference_approximation bits h n))) (n0 + z0 * (h0 - n0)) y).
{ intros d p y' D P Y. eapply sum_approximates; [exact N| |exact Y]. eapply product_approximates; [exact Z| |exact P].
  eapply difference_approximates; [exact H|exact N|exact D]. }
replace ((1 - z0) * n0 + z0 * h0) with (n0 + z0 * (h0 - n0)) by ring.
pose proof (E _ _ _ (near_exact _) (near_exact _) (near_exact _)) as [In _].
split; [exact In|]. cbn [blend_approximation snd]. apply contains_hull. destruct B as [(d & p & D & P & Y)|(r & p & q & R' & P & Q & Y)].
- left. exact (proj2 (E _ _ _ D P Y)).
- right. replace (n0 + z0 * (h0 - n0)) with ((1 - z0) * n0 + z0 * h0) by ring.
  refine (proj2 (sum_approximates bits _ _ _ _ _ _ _ _ _ Y)).
  + eapply product_approximates; [|exact N|exact P].
    eapply difference_approximates; [apply exactly_approximates, contains_one|exact Z|exact R'].
  + eapply product_approximates; [exact Z|exact H|exact Q].
Qed.

(* The terms of the sums. *)
Lemma contain_combine row : forall J v, Forall2 contains J v ->
  contain_terms bits (combine (map (of_rational bits) row) J) (combine (map Q2R row) v).
Proof.
induction row as [|q row IH]; intros J v H; [constructor|]. destruct H; cbn; [constructor|].
constructor; [apply contains_rational|assumption|now apply IH].
Qed.

Lemma contain_affine row J v bs i : Forall2 contains J v ->
  contain_terms bits (combine (map (of_rational bits) row) J ++ [(nth i (map (of_rational bits) bs) zero, one)])
    (combine (map Q2R row) v ++ [(nth i (map Q2R bs) 0, 1)]).
Proof.
intros H. apply contain_terms_app; [now apply contain_combine|]. constructor; [|apply contains_one|constructor].
revert i. induction bs as [|q bs IH]; intros [|i]; cbn [map nth]; [apply contains_zero..|apply contains_rational|apply IH].
Qed.

Lemma nth_rows {S T} (f : S -> T) (M : list (list S)) i : nth i (map (map f) M) [] = map f (nth i M []).
Proof. change (@nil T) with (map f []). apply map_nth. Qed.

Section Gates.
Variables (V H : list interval) (v h : list R).
Hypothesis V_contains : Forall2 contains V v.
Hypothesis H_contains : Forall2 contains H h.

Lemma contain_entry i : contains (nth i H zero) (nth i h 0).
Proof. revert i. clear -H_contains. induction H_contains; intros [|i]; cbn [nth]; auto using contains_zero. Qed.
Lemma contain_read g i : contain_terms bits (read_terms zero one (map_gate (of_rational bits) g) V i) (read_terms 0 1 (map_gate Q2R g) v i).
Proof. unfold read_terms. cbn [W b map_gate]. rewrite !nth_rows. now apply contain_affine. Qed.
Lemma contain_recurrent g i :
  contain_terms bits (recurrent_terms zero one (map_gate (of_rational bits) g) H i) (recurrent_terms 0 1 (map_gate Q2R g) h i).
Proof. unfold recurrent_terms. cbn [U c map_gate]. rewrite !nth_rows. now apply contain_affine. Qed.
Lemma contain_all g i : contain_terms bits (all_terms zero one (map_gate (of_rational bits) g) V H i) (all_terms 0 1 (map_gate Q2R g) v h i).
Proof. apply contain_terms_app; [apply contain_read|apply contain_recurrent]. Qed.
Lemma contain_output rows bias i : contain_terms bits
  (output_terms zero one (map (map (of_rational bits)) rows) (map (of_rational bits) bias) H i)
  (output_terms 0 1 (map (map Q2R) rows) (map Q2R bias) h i).
Proof. unfold output_terms. rewrite !nth_rows. now apply contain_affine. Qed.

Lemma sums_approximate g i s : sum_of (all_terms 0 1 (map_gate Q2R g) v h i) s ->
  approximates (sums (all_terms zero one (map_gate (of_rational bits) g) V H i)) (exact_sum (all_terms 0 1 (map_gate Q2R g) v h i)) s.
Proof. intros S. apply sum_of_products_approximates; [apply contain_all|assumption]. Qed.

Lemma unit_approximates kind gates i y : computed_unit kind (map (map_gate Q2R) gates) v h i y ->
  approximates (unit_approximation kind (map (map_gate (of_rational bits)) gates) V H i) (unit_value kind (map (map_gate Q2R) gates) v h i) y.
Proof.
unfold computed_unit, unit_approximation, unit_value.
destruct kind; destruct gates as [|g1 [|g2 [|g3 [|g4 [|g5 gs]]]]]; cbn [map]; try (intros F; destruct F; fail).
- intros (s & S & C). eapply tanh_approximates; [|exact C]. now apply sums_approximate.
- intros (s & S & C). eapply positive_part_approximates; [|exact C]. now apply sums_approximate.
- intros (sr & r & sz & z & inner & s & n & Sr & Cr & Sz & Cz & Si & S & Cn & B).
  eapply blend_approximates; [| | |exact B].
  + eapply sigmoid_approximates; [|exact Cz]. now apply sums_approximate.
  + eapply tanh_approximates; [|exact Cn].
    eapply sum_with_product_approximates; [apply contain_read| | |exact S].
    * eapply sigmoid_approximates; [|exact Cr]. now apply sums_approximate.
    * apply sum_of_products_approximates; [apply contain_recurrent|exact Si].
  + apply exactly_approximates, contain_entry.
- cbn [c map_gate]. rewrite !map_length. set (n := length (c g1)).
  set (memory := fun j => sum_approximation bits
      (product_approximation bits (sigmoid_approximation (sums (all_terms zero one (map_gate (of_rational bits) g2) V H j))) (exactly (nth (n + j) H zero)))
      (product_approximation bits (sigmoid_approximation (sums (all_terms zero one (map_gate (of_rational bits) g1) V H j)))
        (tanh_approximation (sums (all_terms zero one (map_gate (of_rational bits) g3) V H j))))).
  assert (M : forall j z, (exists si i sf f sg g a b,
      sum_of (all_terms 0 1 (map_gate Q2R g1) v h j) si /\ computes sigmoid si i /\
      sum_of (all_terms 0 1 (map_gate Q2R g2) v h j) sf /\ computes sigmoid sf f /\
      sum_of (all_terms 0 1 (map_gate Q2R g3) v h j) sg /\ computes tanh sg g /\
      near (f * nth (n + j) h 0) a /\ near (i * g) b /\ near (a + b) z) ->
    approximates (memory j) (sigmoid (exact_sum (all_terms 0 1 (map_gate Q2R g2) v h j)) * nth (n + j) h 0 +
      sigmoid (exact_sum (all_terms 0 1 (map_gate Q2R g1) v h j)) * tanh (exact_sum (all_terms 0 1 (map_gate Q2R g3) v h j))) z).
  { intros j z (si & ig & sf & f & sg & g & a & b & Si & Ci & Sf & Cf & Sg & Cg & A & B & Z).
    eapply sum_approximates; [| |exact Z].
    - eapply product_approximates; [|apply exactly_approximates, contain_entry|exact A].
      eapply sigmoid_approximates; [|exact Cf]. now apply sums_approximate.
    - eapply product_approximates; [| |exact B].
      + eapply sigmoid_approximates; [|exact Ci]. now apply sums_approximate.
      + eapply tanh_approximates; [|exact Cg]. now apply sums_approximate. }
  destruct (Nat.ltb i n); [|apply M]. intros (so & o & m & t & So & Co & Memory & Ct & Y).
  eapply product_approximates; [| |exact Y].
  + eapply sigmoid_approximates; [|exact Co]. now apply sums_approximate.
  + eapply tanh_approximates; [|exact Ct]. now apply M.
Qed.

(* The exact value of a unit is one of its computed values. *)
Lemma exact_is_computed kind gates i : length gates = number_of_gates kind ->
  computed_unit kind gates v h i (unit_value kind gates v h i).
Proof.
assert (S : forall g j, sum_of (all_terms 0 1 g v h j) (exact_sum (all_terms 0 1 g v h j))).
{ intros g j. apply sum_exact. unfold all_terms, read_terms. intros E. now destruct (combine _ v). }
assert (A : forall row w x, sum_of (combine row w ++ [(x, 1)]) (exact_sum (combine row w ++ [(x, 1)]))).
{ intros row w x. apply sum_exact. intros E. now destruct (combine row w). }
unfold computed_unit, unit_value.
destruct kind; destruct gates as [|g1 [|g2 [|g3 [|g4 [|g5 gs]]]]]; try discriminate; intros _.
- exists (exact_sum (all_terms 0 1 g1 v h i)). split; [apply S|apply computes_exact].
- exists (exact_sum (all_terms 0 1 g1 v h i)). split; [apply S|apply near_exact].
- assert (P : forall g r p, sum_of (read_terms 0 1 g v i ++ [(r, p)]) (exact_sum (read_terms 0 1 g v i) + r * p)).
  { intros g r p. replace (exact_sum (read_terms 0 1 g v i) + r * p) with (exact_sum (read_terms 0 1 g v i ++ [(r, p)])).
    - apply sum_exact. intros E. now destruct (read_terms 0 1 g v i).
    - rewrite exact_sum_app. unfold exact_sum at 2. cbn. ring. }
  do 7 eexists. split; [apply S|]. split; [apply computes_exact|]. split; [apply S|]. split; [apply computes_exact|].
  split; [apply A|]. split; [apply P|]. split; [apply computes_exact|].
  right. do 3 eexists. repeat split; apply near_exact.
- destruct (Nat.ltb i (length (c g1))).
  + do 4 eexists. split; [apply S|]. split; [apply computes_exact|]. split; [|split; [apply computes_exact|apply near_exact]].
    do 8 eexists. repeat split; try apply S; try apply near_exact; apply computes_exact.
  + do 8 eexists. repeat split; try apply S; try apply near_exact; apply computes_exact.
Qed.
End Gates.
End Approximations.
