(* Laws of the network's program over the real numbers. *)

From Coq Require Import Reals ZArith QArith Qreals List Lia Lra.
From ratproof_reals Require Import intervals functions network.
Import ListNotations.
Open Scope R_scope.

Notation rdot := (dot (K := reals)).
Notation rapply := (apply (K := reals)).

Lemma nth_map_seq {T} (f : nat -> T) n i d : (i < n)%nat -> nth i (map f (seq 0 n)) d = f i.
Proof.
intros H. rewrite nth_indep with (d' := f 0%nat) by now rewrite map_length, seq_length.
rewrite map_nth, seq_nth; auto.
Qed.

Lemma rdot_sum (f g : nat -> R) : forall n s alpha,
  rdot (map (fun i => f i + g i) (seq s n)) alpha = rdot (map f (seq s n)) alpha + rdot (map g (seq s n)) alpha.
Proof. induction n as [|n IH]; intros s [|x alpha]; cbn; try lra. rewrite IH. ring. Qed.

Lemma rdot_scaled (f : nat -> R) x : forall n s alpha,
  rdot (map (fun i => x * f i) (seq s n)) alpha = x * rdot (map f (seq s n)) alpha.
Proof. induction n as [|n IH]; intros s [|y alpha]; cbn; try lra. rewrite IH. ring. Qed.

Lemma rdot_zero : forall n s alpha, rdot (map (fun _ => 0) (seq s n)) alpha = 0.
Proof. induction n as [|n IH]; intros s [|y alpha]; cbn; try rewrite IH; lra. Qed.

Lemma entries (row : list R) : map (fun i => nth i row 0) (seq 0 (length row)) = row.
Proof.
induction row as [|x row IH]; [reflexivity|]. cbn. f_equal. rewrite <- seq_shift, map_map. exact IH.
Qed.

(* u (S alpha) = (u S) alpha *)
Lemma dot_of_product n u : forall S alpha, List.Forall (fun row => length row = n) S ->
  rdot u (rapply S alpha) = rdot (map (fun i => rdot u (map (fun row => nth i row 0) S)) (seq 0 n)) alpha.
Proof.
induction u as [|x u IH]; intros S alpha H.
- cbn. now rewrite rdot_zero.
- destruct H as [|row S E H]; [cbn; now rewrite rdot_zero|].
  cbn. rewrite (rdot_sum (fun i => x * nth i row 0)), (rdot_scaled (fun i => nth i row 0)).
  rewrite <- IH by assumption. rewrite <- E at 1. now rewrite entries.
Qed.

Lemma product_applied n U S alpha : List.Forall (fun row => length row = n) S ->
  rapply (map (fun u => map (fun i => rdot u (map (fun row => nth i row 0) S)) (seq 0 n)) U) alpha = rapply U (rapply S alpha).
Proof. intros H. unfold apply. rewrite map_map. apply map_ext. intros u. symmetry. now apply dot_of_product. Qed.

(* Differences of similarities. *)
Lemma dot_of_difference t i l u : forall S,
  rdot (map (fun row => (nth i row 0 - nth l row 0) * t) S) u
  = rdot u (map (fun row => nth i row 0) S) * t - rdot u (map (fun row => nth l row 0) S) * t.
Proof.
induction u as [|x u IH]; intros [|row S]; cbn; try lra. cbn in IH. rewrite IH. ring.
Qed.

(* The softmax depends on differences only. *)
Lemma total_scaled x xs : total (map (Rmult x) xs) = x * total xs.
Proof. unfold total. induction xs as [|y xs IH]; cbn; try rewrite IH; ring. Qed.

Lemma total_exp_positive xs : xs <> [] -> 0 < total (map exp xs).
Proof.
unfold total. destruct xs as [|x xs]; [easy|]. intros _. cbn. pose proof (exp_pos x).
enough (0 <= fold_right Rplus 0 (map exp xs)) by lra. clear. induction xs as [|y xs IH]; cbn; [lra|]. pose proof (exp_pos y). lra.
Qed.

Lemma softmax_of_differences l xs : softmax (map (fun x => x - l) xs) = softmax xs.
Proof.
unfold softmax. rewrite !map_map. destruct xs as [|y xs]; [reflexivity|].
assert (E : map (fun x => exp (x - l)) (y :: xs) = map (Rmult (exp (- l))) (map exp (y :: xs))).
{ rewrite map_map. apply map_ext. intros x. unfold Rminus. rewrite exp_plus. ring. }
pose proof (total_exp_positive (y :: xs) ltac:(easy)) as T. pose proof (exp_pos (- l)) as L.
rewrite E, total_scaled. apply map_ext. intros x. unfold Rminus. rewrite exp_plus. field. lra.
Qed.

Lemma total_divided t xs : total (map (fun x => x / t) xs) = total xs / t.
Proof. unfold total. induction xs as [|y xs IH]; cbn; [unfold Rdiv; ring|]. rewrite IH. unfold Rdiv. ring. Qed.

Lemma softmax_sums_to_1 xs : xs <> [] -> total (softmax xs) = 1.
Proof.
intros H. unfold softmax.
replace (map (fun x => exp x / total (map exp xs)) xs) with (map (fun y => y / total (map exp xs)) (map exp xs)) by now rewrite map_map.
rewrite total_divided. field. pose proof (total_exp_positive xs H). lra.
Qed.

Lemma softmax_length xs : length (softmax xs) = length xs.
Proof. apply map_length. Qed.
