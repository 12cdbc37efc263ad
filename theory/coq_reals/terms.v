(* Cells whose next state is given by terms, run on real numbers and on intervals. *)

From Coq Require Import Reals ZArith QArith Qreals List Lra.
From ratproof_reals Require Import intervals functions.
Import ListNotations.
Open Scope R_scope.

(* A number of the state, a constant, or an operation on terms. *)
Inductive term :=
| Var (i : nat) | Num (q : Q) | Plus (s t : term) | Minus (s t : term) | Times (s t : term) | Sigmoid (t : term) | Tanh (t : term).

Fixpoint value (state : list R) (t : term) : R :=
  match t with
  | Var i => nth i state 0
  | Num q => Q2R q
  | Plus s t => value state s + value state t
  | Minus s t => value state s - value state t
  | Times s t => value state s * value state t
  | Sigmoid t => sigmoid (value state t)
  | Tanh t => tanh (value state t)
  end.

(* A cell: for each letter, a term for each number of the next state. *)
Definition cell := list (list term).
Definition step (C : cell) (state : list R) (x : nat) : list R := map (value state) (nth x C []).
(* The state after a word, from zeros, and the number of the unit in it. *)
Definition after (C : cell) (size : nat) (word : list nat) : list R := fold_left (step C) word (repeat 0 size).
Definition unit_after (C : cell) (size unit : nat) (word : list nat) : R := nth unit (after C size word) 0.

Lemma map_related {A B D} (P : A -> B -> Prop) (f : D -> A) (g : D -> B) xs :
  (forall x, P (f x) (g x)) -> Forall2 P (map f xs) (map g xs).
Proof. intros H. induction xs; constructor; auto. Qed.

Section Intervals.
Variable bits : positive.
Notation contains := (contains bits).

Fixpoint enclosure (state : list interval) (t : term) : interval :=
  match t with
  | Var i => nth i state zero
  | Num q => of_rational bits q
  | Plus s t => add (enclosure state s) (enclosure state t)
  | Minus s t => sub (enclosure state s) (enclosure state t)
  | Times s t => mul bits (enclosure state s) (enclosure state t)
  | Sigmoid t => sigmoid_of bits (enclosure state t)
  | Tanh t => tanh_of bits (enclosure state t)
  end.
Definition step_of (C : cell) (state : list interval) (x : nat) : list interval := map (enclosure state) (nth x C []).
Definition run_of (C : cell) (word : list nat) (state : list interval) : list interval := fold_left (step_of C) word state.

Lemma nth_contains I s i : Forall2 contains I s -> contains (nth i I zero) (nth i s 0).
Proof. intros H. revert i. induction H; intros [|i]; simpl; auto; apply contains_zero. Qed.

Lemma enclosure_contains I s t : Forall2 contains I s -> contains (enclosure I t) (value s t).
Proof.
intros H. induction t; simpl.
- now apply nth_contains.
- apply contains_rational.
- now apply contains_add.
- now apply contains_sub.
- now apply contains_mul.
- now apply contains_sigmoid.
- now apply contains_tanh.
Qed.

Lemma run_contains C word : forall I s, Forall2 contains I s -> Forall2 contains (run_of C word I) (fold_left (step C) word s).
Proof.
induction word as [|x word IH]; intros I s H; [exact H|]. apply IH. unfold step_of, step.
apply map_related. intros t. now apply enclosure_contains.
Qed.

Fixpoint dot_of (u v : list interval) : interval :=
  match u, v with x :: u, y :: v => add (mul bits x y) (dot_of u v) | _, _ => zero end.
Fixpoint dot (u v : list R) : R := match u, v with x :: u, y :: v => x * y + dot u v | _, _ => 0 end.

Lemma dot_contains I u : Forall2 contains I u -> forall J v, Forall2 contains J v -> contains (dot_of I J) (dot u v).
Proof.
induction 1; intros J v H'; [apply contains_zero|]. destruct H'; [apply contains_zero|]. simpl.
apply contains_add; auto. now apply contains_mul.
Qed.

(* A Hankel block, over the real numbers and in intervals. *)
Section Block.
Variables (C : cell) (size unit : nat) (prefixes suffixes : list (list nat)).
Definition row (prefix : list nat) : list R := map (fun suffix => unit_after C size unit (prefix ++ suffix)) suffixes.
Definition rows_of : list (list interval) :=
  map (fun prefix => let state := run_of C prefix (repeat zero size) in
                     map (fun suffix => nth unit (run_of C suffix state) zero) suffixes) prefixes.

Lemma rows_contain : Forall2 (Forall2 contains) rows_of (map row prefixes).
Proof.
apply map_related. intros p. apply map_related. intros s. unfold unit_after, after. rewrite fold_left_app.
apply nth_contains, run_contains, run_contains. induction size; constructor; [apply contains_zero|easy].
Qed.

(* The k-th column of the product of the block and a matrix of integers in units of 2^-bits, given by its columns: the number on the diagonal is
   larger than all others of the column together. *)
Definition largest (I : interval) : option Z := option_map (fun ends => Z.max (- fst ends) (snd ends)) I.
Definition least (I : interval) : option Z := option_map (fun ends => Z.max (fst ends) (- snd ends)) I.
Fixpoint sum_of (column : list interval) : option Z :=
  match column with
  | [] => Some 0%Z
  | J :: column => match largest J, sum_of column with Some x, Some y => Some (x + y)%Z | _, _ => None end
  end.
Definition dominant (k : nat) (column : list interval) : bool :=
  match sum_of column, least (nth k column None) with Some x, Some y => (x <? 2 * y)%Z | _, _ => false end.
Definition check (inverse : list (list Z)) : bool :=
  let rows := rows_of in
  (length inverse =? length prefixes)%nat &&
  forallb (fun k => dominant k (map (fun row => dot_of row (map point (nth k inverse []))) rows)) (seq 0 (length prefixes)).

Fixpoint total (xs : list R) : R := match xs with [] => 0 | x :: xs => x + total xs end.

Lemma sum_of_contains column xs n : Forall2 contains column xs -> sum_of column = Some n -> total (map Rabs xs) * scale bits <= IZR n.
Proof.
intros H. revert n. induction H as [|I x column xs X H IH]; intros n; simpl; [intros E; injection E as <-; lra|].
destruct I as [[a b]|]; [|easy]. simpl in X |- *. destruct (sum_of column) as [m|]; [|easy]. intros E. injection E as <-.
specialize (IH m eq_refl). rewrite plus_IZR, IZR_max, opp_IZR.
assert (Rabs x * scale bits <= Rmax (- IZR a) (IZR b)); [|lra].
unfold Rmax, Rabs. destruct Rle_dec; destruct Rcase_abs; lra.
Qed.

Lemma least_contains I x n : contains I x -> least I = Some n -> IZR n <= Rabs x * scale bits.
Proof.
destruct I as [[a b]|]; [|easy]. intros X E. injection E as <-. simpl in X |- *. rewrite IZR_max, opp_IZR.
pose proof (scale_positive bits). unfold Rmax, Rabs. destruct Rle_dec; destruct Rcase_abs; nra.
Qed.

Lemma dominant_contains k column xs : Forall2 contains column xs -> dominant k column = true ->
  total (map Rabs xs) < 2 * Rabs (nth k xs 0).
Proof.
intros H. unfold dominant. destruct (sum_of column) as [n|] eqn:N; [|easy]. destruct (least _) as [m|] eqn:M; [|easy].
intros L. apply Z.ltb_lt, IZR_lt in L. rewrite mult_IZR in L.
assert (contains (nth k column None) (nth k xs 0)) as K.
{ clear - H. revert k. induction H; intros [|k]; simpl; auto; easy. }
pose proof (sum_of_contains _ _ _ H N). pose proof (least_contains _ _ _ K M). pose proof (scale_positive bits).
apply (Rmult_lt_reg_r (scale bits)); lra.
Qed.

Lemma check_contains inverse : check inverse = true -> exists columns, forall k, (k < length prefixes)%nat ->
  total (map Rabs (map (fun p => dot (row p) (nth k columns [])) prefixes)) <
  2 * Rabs (nth k (map (fun p => dot (row p) (nth k columns [])) prefixes) 0).
Proof.
intros H. apply andb_prop in H as [_ H]. rewrite forallb_forall in H.
exists (map (map (fun z => IZR z / scale bits)) inverse). intros k K.
apply (dominant_contains k) with (2 := H k (proj2 (in_seq _ _ _) (conj (Nat.le_0_l k) K))).
assert (Forall2 contains (map point (nth k inverse [])) (nth k (map (map (fun z => IZR z / scale bits)) inverse) [])) as P.
{ pose proof (map_nth (map (fun z => IZR z / scale bits)) inverse [] k) as E. simpl in E. rewrite E.
  apply map_related. intros z. apply contains_point. pose proof (scale_positive bits). field. lra. }
rewrite <- (map_map row (fun r => dot r (nth k (map (map (fun z => IZR z / scale bits)) inverse) []))).
generalize rows_contain. generalize rows_of, (map row prefixes). intros rs.
induction rs as [|r rs IH]; intros xs R; inversion R; subst; constructor; auto.
now apply dot_contains.
Qed.
End Block.
End Intervals.

(* If the sum of some numbers is 0, no absolute value is larger than the sum of all others. *)
Lemma none_dominates xs x : In x xs -> 2 * Rabs x <= Rabs (total xs) + total (map Rabs xs).
Proof.
induction xs as [|y xs IH]; simpl; [easy|].
assert (forall zs, Rabs (total zs) <= total (map Rabs zs)) as T.
{ induction zs as [|z zs IHz]; simpl; [rewrite Rabs_R0; lra|]. pose proof (Rabs_triang z (total zs)). lra. }
specialize (T xs). intros [->|H]; [|specialize (IH H)]; revert T; try revert IH; split_Rabs; lra.
Qed.
