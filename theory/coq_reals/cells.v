(* One step of a cell over a box, with a proof that it encloses the step over the real numbers. *)

From Coq Require Import Reals ZArith QArith Qreals List Lia Lra Bool.
From ratproof_reals Require Import intervals functions slopes network parametricity algebra.
Import ListNotations.
Open Scope R_scope.

Definition interval_arithmetic (bits : positive) : arithmetic :=
  Arithmetic interval zero add (mul bits)
    (fun z n h => add (mul bits (sub (one bits) z) n) (mul bits z h)) (sigmoid_of bits) (tanh_of bits) positive_part_of.

(* A cell over a box. *)
Section Cell.
Variables (bits : positive) (balanced : bool) (box : list interval) (kind : cell) (enclosed : list (gate interval)).
Notation ivs := (interval_arithmetic bits).

Definition forms : arithmetic :=
  Arithmetic form (constant zero) slopes.plus (slopes.times bits balanced box) (slopes.between bits balanced box)
    (of_sigmoid bits balanced box) (of_tanh bits balanced box) (of_positive_part bits balanced box).
Notation constants := (map constant).

(* The parts of the gates that read a token, and those that read the state, from matrices for each gate. The latter are tightened once for
   all tokens. *)
Definition read_parts (token : list interval) : list (list interval) :=
  map (fun g => each (K := ivs) add (apply (K := ivs) (W g) token) (b g)) enclosed.
Definition recurrent (matrices : list (list (list interval))) (h : list form) : list (list form) :=
  map (fun Uc => map (tighten bits balanced box)
      (each (K := forms) slopes.plus (apply (K := forms) (map constants (fst Uc)) h) (constants (snd Uc))))
    (combine matrices (map c enclosed)).
Definition new_state (reads : list (list interval)) (recurrents : list (list form)) (h : list form) : list form :=
  update (K := forms) kind (map constants reads) recurrents h.
End Cell.
Definition is_negative (f : form) : bool := match range f with Some (_, high) => (high <? 0)%Z | None => false end.
Definition is_positive (f : form) : bool := match range f with Some (low, _) => (0 <? low)%Z | None => false end.
(* All forms are between two bounds, in units of 2^-bits. *)
Definition within (lows highs : list Z) (forms : list form) : bool :=
  forallb (fun abf => match abf with (a, b, f) =>
    match range f with Some (x, y) => (a <=? x)%Z && (y <=? b)%Z | None => false end end)
    (combine (combine lows highs) forms).

Section Sound.
Variables (bits : positive) (gates : list (gate Q)).
Notation contains := (contains bits).
Notation ivs := (interval_arithmetic bits).
Notation enclosed := (map (map_gate (of_rational bits)) gates).

(* Enclosures of numbers. *)
Definition encloses (J : interval) (a b : R) : Prop := contains J a /\ a = b.

Lemma encloses_map v : all3 encloses (map (of_rational bits) v) (map Q2R v) (map Q2R v).
Proof. induction v as [|q v IH]; cbn; constructor; [split; [apply contains_rational|reflexivity]|assumption]. Qed.

Lemma encloses_rows M : rows3 encloses (map (map (of_rational bits)) M) (map (map Q2R) M) (map (map Q2R) M).
Proof. induction M as [|v M IH]; cbn; constructor; [apply encloses_map|assumption]. Qed.

Lemma encloses_plus f g a b c d : encloses f a b -> encloses g c d -> encloses (add f g) (a + c) (b + d).
Proof. intros [F ->] [G ->]. split; [now apply contains_add|reflexivity]. Qed.

Lemma encloses_times f g a b c d : encloses f a b -> encloses g c d -> encloses (mul bits f g) (a * c) (b * d).
Proof. intros [F ->] [G ->]. split; [now apply contains_mul|reflexivity]. Qed.

Lemma encloses_zero : encloses zero 0 0.
Proof. split; [apply contains_zero|reflexivity]. Qed.

Lemma all3_nth {T} (P : T -> R -> R -> Prop) d xs u v i : P d 0 0 -> all3 P xs u v -> P (nth i xs d) (nth i u 0) (nth i v 0).
Proof. intros D H. revert i. induction H; intros [|i]; cbn; auto. Qed.

Lemma rows3_nth {T} (P : T -> R -> R -> Prop) xs u v i : rows3 P xs u v -> all3 P (nth i xs []) (nth i u []) (nth i v []).
Proof. intros H. revert i. induction H; intros [|i]; cbn; auto; constructor. Qed.

Lemma rows3_map {S T} (P : T -> R -> R -> Prop) (f : S -> list T) (g h : S -> list R) xs :
  (forall x, In x xs -> all3 P (f x) (g x) (h x)) -> rows3 P (map f xs) (map g xs) (map h xs).
Proof. induction xs as [|x xs IH]; cbn; constructor; auto. Qed.

Lemma all3_map_list {S T} (P : T -> R -> R -> Prop) (f : S -> T) (g h : S -> R) xs :
  (forall x, In x xs -> P (f x) (g x) (h x)) -> all3 P (map f xs) (map g xs) (map h xs).
Proof. induction xs as [|x xs IH]; cbn; constructor; auto. Qed.

Lemma encloses_dot xs u v ys s t : all3 encloses xs u v -> all3 encloses ys s t ->
  encloses (dot (K := ivs) xs ys) (rdot u s) (rdot v t).
Proof. intros X Y. apply (all3_dot ivs encloses encloses_zero encloses_plus encloses_times); assumption. Qed.

Lemma encloses_read token g : 
  all3 encloses (each (K := ivs) add (apply (K := ivs) (map (map (of_rational bits)) (W g)) (map (of_rational bits) token)) (map (of_rational bits) (b g)))
    (each (K := reals) Rplus (rapply (map (map Q2R) (W g)) (map Q2R token)) (map Q2R (b g)))
    (each (K := reals) Rplus (rapply (map (map Q2R) (W g)) (map Q2R token)) (map Q2R (b g))).
Proof.
apply (all3_each ivs encloses add Rplus encloses_plus).
- apply (all3_apply ivs encloses encloses_zero encloses_plus encloses_times); [apply encloses_rows|apply encloses_map].
- apply encloses_map.
Qed.

Definition reads (token : list R) : list (list R) :=
  map (fun g => each (K := reals) Rplus (rapply (W g) token) (b g)) (map (map_gate Q2R) gates).

Lemma encloses_reads token :
  rows3 encloses (read_parts bits enclosed (map (of_rational bits) token)) (reads (map Q2R token)) (reads (map Q2R token)).
Proof.
unfold read_parts, reads. cbn. rewrite !map_map. apply rows3_map. intros g _. apply encloses_read.
Qed.

Section AtPoint.
Variables (balanced : bool) (box : list interval) (point : list R).
Hypothesis point_in_box : Forall2 contains box point.
Hypothesis middle_in_box : List.Forall (fun D => contains D 0) box.
Hypothesis sum_is_zero : balanced = true -> slopes.total point = 0.
Notation represents := (represents bits point).
Notation forms := (forms bits balanced box).

Lemma represents_encloses J a b : encloses J a b -> represents (constant J) a b.
Proof. intros [H <-]. now apply represents_constant. Qed.

Lemma represents_all xs u v : all3 encloses xs u v -> all3 represents (map constant xs) u v.
Proof. induction 1; cbn; constructor; [now apply represents_encloses|assumption]. Qed.

Lemma represents_rows xs u v : rows3 encloses xs u v -> rows3 represents (map (map constant) xs) u v.
Proof. induction 1; cbn; constructor; [now apply represents_all|assumption]. Qed.

Lemma represents_zero : represents (nothing forms) 0 0.
Proof. apply represents_constant, contains_zero. Qed.
Lemma forms_plus f g a b c d : represents f a b -> represents g c d -> represents (network.plus forms f g) (a + c) (b + d).
Proof. apply represents_plus. Qed.
Lemma forms_times f g a b c d : represents f a b -> represents g c d -> represents (network.times forms f g) (a * c) (b * d).
Proof. now apply represents_times. Qed.
Lemma forms_between z n h az bz an bn ah bh : represents z az bz -> represents n an bn -> represents h ah bh ->
  represents (network.between forms z n h) ((1 - az) * an + az * ah) ((1 - bz) * bn + bz * bh).
Proof. now apply represents_between. Qed.
Lemma forms_squash f a b : represents f a b -> represents (squash forms f) (sigmoid a) (sigmoid b).
Proof. now apply represents_sigmoid. Qed.
Lemma forms_tangent f a b : represents f a b -> represents (tangent forms f) (tanh a) (tanh b).
Proof. now apply represents_tanh. Qed.

Lemma forms_positive_part f a b : represents f a b -> represents (positive_part forms f) (Rmax 0 a) (Rmax 0 b).
Proof. now apply represents_positive_part. Qed.

Lemma forms_dot xs u v ys s t : all3 represents xs u v -> all3 represents ys s t ->
  represents (dot (K := forms) xs ys) (rdot u s) (rdot v t).
Proof. intros X Y. apply (all3_dot forms represents represents_zero forms_plus forms_times); assumption. Qed.

Lemma forms_apply M u v xs s t : rows3 represents M u v -> all3 represents xs s t ->
  all3 represents (apply (K := forms) M xs) (rapply u s) (rapply v t).
Proof. intros H X. apply (all3_apply forms represents represents_zero forms_plus forms_times); assumption. Qed.

Lemma forms_update kind rs ru rv qs su sv h hu hv :
  rows3 represents rs ru rv -> rows3 represents qs su sv -> all3 represents h hu hv ->
  all3 represents (update (K := forms) kind rs qs h) (update (K := reals) kind ru su hu) (update (K := reals) kind rv sv hv).
Proof.
intros R S H.
apply (all3_update forms represents forms_plus forms_times forms_between forms_squash forms_tangent forms_positive_part); assumption.
Qed.

Lemma all3_tighten fs u v : all3 represents fs u v -> all3 represents (map (tighten bits balanced box) fs) u v.
Proof. induction 1; cbn; constructor; [now apply represents_tighten|assumption]. Qed.

(* The recurrent parts, from matrices that enclose real matrices. *)
Lemma forms_recurrent (Ms : gate Q -> list (list interval)) (Rs : gate Q -> list (list R)) h u v :
  (forall g, rows3 encloses (Ms g) (Rs g) (Rs g)) -> all3 represents h u v ->
  rows3 represents (recurrent bits balanced box enclosed (map Ms gates) h)
    (map (fun g => each (K := reals) Rplus (rapply (Rs g) u) (map Q2R (c g))) gates)
    (map (fun g => each (K := reals) Rplus (rapply (Rs g) v) (map Q2R (c g))) gates).
Proof.
intros M H. unfold recurrent. cbn. rewrite map_map. induction gates as [|g gs IH]; cbn; constructor; [|assumption].
apply all3_tighten.
apply (all3_each forms represents slopes.plus Rplus forms_plus).
- apply forms_apply; [apply represents_rows, M|assumption].
- apply represents_all, encloses_map.
Qed.

Lemma range_contains f a b x y : represents f a b -> range f = Some (x, y) -> IZR x <= b * scale bits <= IZR y.
Proof. intros (_ & _ & H & _) E. rewrite E in H. exact H. Qed.

Lemma negative_sound f a b : represents f a b -> is_negative f = true -> b < 0.
Proof.
intros H. unfold is_negative. destruct (range f) as [[x y]|] eqn:E; [|easy]. intros L%Z.ltb_lt%IZR_lt.
pose proof (range_contains _ _ _ _ _ H E). pose proof (scale_positive bits). nra.
Qed.

Lemma positive_sound f a b : represents f a b -> is_positive f = true -> 0 < b.
Proof.
intros H. unfold is_positive. destruct (range f) as [[x y]|] eqn:E; [|easy]. intros L%Z.ltb_lt%IZR_lt.
pose proof (range_contains _ _ _ _ _ H E). pose proof (scale_positive bits). nra.
Qed.
End AtPoint.
(* Numbers between bounds. *)
Inductive bounded : list Z -> list Z -> list R -> Prop :=
| bounded_nil : bounded [] [] []
| bounded_cons x y v xs ys vs : IZR x <= v * scale bits <= IZR y -> bounded xs ys vs -> bounded (x :: xs) (y :: ys) (v :: vs).

Lemma within_sound point fs a b : all3 (represents bits point) fs a b -> forall ls hs,
  length ls = length fs -> length hs = length fs -> within ls hs fs = true -> bounded ls hs b.
Proof.
unfold within. induction 1 as [|f x y fs xs ys X H IH]; intros [|l ls] [|h hs] L K; try discriminate; [constructor|].
cbn. intros [E W]%andb_prop. destruct (range f) as [[c d]|] eqn:F; [|discriminate].
apply andb_prop in E as [E1%Z.leb_le%IZR_le E2%Z.leb_le%IZR_le].
pose proof (range_contains point f x y c d X F). constructor; [lra|]. apply IH; auto.
Qed.

Definition real_of (m : Z) : R := IZR m / scale bits.
Definition differences (ms : list Z) (vs : list R) : list R := each (K := reals) Rminus vs (map real_of ms).
Lemma real_of_scaled m : real_of m * scale bits = IZR m.
Proof. unfold real_of. field. pose proof (scale_positive bits). lra. Qed.

Lemma nth_differences ms vs j : length ms = length vs -> nth j (differences ms vs) 0 = nth j vs 0 - nth j (map real_of ms) 0.
Proof.
unfold differences. revert vs j. induction ms as [|m ms IH]; intros [|v vs] [|j] L; try discriminate; cbn; try lra.
apply IH. auto.
Qed.
End Sound.
