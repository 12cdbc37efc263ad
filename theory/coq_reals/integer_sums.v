(* Sums of integers over lists, and lists of the first natural numbers. *)

From Coq Require Import ZArith NArith List Lia Permutation.
Import ListNotations.
Open Scope Z_scope.

Definition indices (n : N) : list N := map N.of_nat (seq 0 (N.to_nat n)).
Definition sum_over {A} (l : list A) (f : A -> Z) : Z := fold_right (fun q s => f q + s) 0 l.
Definition count (q : N) (l : list N) : Z := sum_over l (fun k => if N.eqb q k then 1 else 0).

Lemma sum_cons {A} q (l : list A) f : sum_over (q :: l) f = f q + sum_over l f.
Proof. reflexivity. Qed.
Lemma sum_app {A} (l m : list A) f : sum_over (l ++ m) f = sum_over l f + sum_over m f.
Proof. induction l as [|q l IH]; [reflexivity|]. rewrite <- app_comm_cons, !sum_cons, IH. ring. Qed.
Lemma sum_ext {A} (l : list A) f g : (forall q, In q l -> f q = g q) -> sum_over l f = sum_over l g.
Proof. induction l as [|q l IH]; intros H; [reflexivity|]. rewrite !sum_cons, H, IH; [reflexivity|intros; apply H; now right|now left]. Qed.
Lemma sum_plus {A} (l : list A) f g : sum_over l (fun q => f q + g q) = sum_over l f + sum_over l g.
Proof. induction l as [|q l IH]; [reflexivity|]. rewrite !sum_cons, IH. ring. Qed.
Lemma sum_scale {A} (l : list A) f c : sum_over l (fun q => c * f q) = c * sum_over l f.
Proof. induction l as [|q l IH]; [now rewrite Z.mul_0_r|]. rewrite !sum_cons, IH. ring. Qed.
Lemma sum_scale_right {A} (l : list A) f c : sum_over l (fun q => f q * c) = sum_over l f * c.
Proof. rewrite Z.mul_comm, <- sum_scale. apply sum_ext. intros. ring. Qed.
Lemma sum_zero {A} (l : list A) : sum_over l (fun _ => 0) = 0.
Proof. induction l as [|q l IH]; [reflexivity|]. now rewrite sum_cons, IH. Qed.
Lemma sum_swap {A B} (l : list A) (m : list B) f : sum_over l (fun a => sum_over m (f a)) = sum_over m (fun b => sum_over l (fun a => f a b)).
Proof.
induction l as [|a l IH]; [symmetry; apply (sum_zero m)|]. rewrite sum_cons, IH, <- sum_plus. apply sum_ext. reflexivity.
Qed.
Lemma sum_monotone {A} (l : list A) f g : (forall q, In q l -> f q <= g q) -> sum_over l f <= sum_over l g.
Proof.
induction l as [|q l IH]; intros H; [easy|]. rewrite !sum_cons. pose proof (H q (or_introl eq_refl)). specialize (IH (fun k K => H k (or_intror K))). lia.
Qed.
Lemma sum_positive {A} (l : list A) f : (forall q, In q l -> 0 <= f q) -> 0 <= sum_over l f.
Proof. intros H. rewrite <- (sum_zero l). now apply sum_monotone. Qed.
Lemma sum_member {A} (l : list A) f q : (forall k, In k l -> 0 <= f k) -> In q l -> f q <= sum_over l f.
Proof.
intros P. induction l as [|k l IH]; [easy|]. rewrite sum_cons. assert (0 <= sum_over l f) by (apply sum_positive; intros; apply P; now right).
pose proof (P k (or_introl eq_refl)). intros [->|I]; [lia|]. specialize (IH (fun q Q => P q (or_intror Q)) I). lia.
Qed.
Lemma sum_permutation {A} (l m : list A) f : Permutation l m -> sum_over l f = sum_over m f.
Proof. induction 1; rewrite ?sum_cons; lia. Qed.
Lemma sum_map {A B} (h : A -> B) l f : sum_over (map h l) f = sum_over l (fun a => f (h a)).
Proof. induction l as [|a l IH]; [reflexivity|]. cbn [map]. now rewrite !sum_cons, IH. Qed.
Lemma sum_concat {A B} (h : A -> list B) l f : sum_over (flat_map h l) f = sum_over l (fun a => sum_over (h a) f).
Proof. induction l as [|a l IH]; [reflexivity|]. cbn [flat_map]. now rewrite sum_app, sum_cons, IH. Qed.

Lemma count_positive q l : 0 <= count q l.
Proof. apply sum_positive. intros k _. now destruct (N.eqb q k). Qed.
Lemma count_in q l : 0 < count q l <-> In q l.
Proof.
split; intros H.
- unfold count in *. induction l as [|k l IH]; [easy|]. rewrite sum_cons in H. destruct (N.eqb_spec q k) as [->|]; [now left|]. right. now apply IH.
- apply Z.lt_le_trans with 1; [lia|]. pose proof (sum_member l (fun k => if N.eqb q k then 1 else 0) q) as S. cbn beta in S. rewrite N.eqb_refl in S.
  apply S; [|assumption]. intros k _. now destruct (N.eqb q k).
Qed.

Lemma indices_in n i : In i (indices n) <-> (i < n)%N.
Proof.
unfold indices. rewrite in_map_iff. split.
- intros (k & <- & K). apply in_seq in K. lia.
- intros I. exists (N.to_nat i). split; [lia|]. apply in_seq. lia.
Qed.
Lemma indices_distinct n : NoDup (indices n).
Proof. apply FinFun.Injective_map_NoDup; [intros a b; lia|apply seq_NoDup]. Qed.

(* A sum over a list, written as a sum over all indices. *)
Lemma sum_one q l : NoDup l -> forall f, sum_over l (fun k => (if N.eqb q k then 1 else 0) * f k) = if in_dec N.eq_dec q l then f q else 0.
Proof.
induction 1 as [|k l K D IH]; intros f; [reflexivity|].
rewrite sum_cons, IH.
destruct (N.eqb_spec q k) as [->|E].
- destruct (in_dec N.eq_dec k l); [easy|]. destruct (in_dec N.eq_dec k (k :: l)) as [|F]; [ring|]. exfalso. apply F. now left.
- destruct (in_dec N.eq_dec q l), (in_dec N.eq_dec q (k :: l)) as [I|I]; try ring; [|destruct I; congruence].
  exfalso. apply I. now right.
Qed.
Lemma sum_by_count n l f : (forall q, In q l -> (q < n)%N) -> sum_over (indices n) (fun k => count k l * f k) = sum_over l f.
Proof.
intros R. transitivity (sum_over l (fun q => sum_over (indices n) (fun k => (if N.eqb q k then 1 else 0) * f k))).
- rewrite sum_swap. apply sum_ext. intros k _. unfold count. rewrite <- sum_scale_right. apply sum_ext. intros q _. now rewrite N.eqb_sym.
- apply sum_ext. intros q Q. rewrite sum_one by apply indices_distinct.
  destruct (in_dec N.eq_dec q (indices n)) as [|F]; [reflexivity|]. exfalso. apply F. apply indices_in. now apply R.
Qed.

Lemma sum_is_positive {A} (l : list A) f : (forall q, 0 <= f q) -> 0 < sum_over l f <-> exists q, In q l /\ 0 < f q.
Proof.
intros P. split.
- induction l as [|q l IH]; [easy|]. rewrite sum_cons. intros S. pose proof (P q). destruct (Z.eq_dec (f q) 0) as [E|].
  + destruct IH as (k & K & L); [lia|]. exists k. split; [now right|assumption].
  + exists q. split; [now left|lia].
- intros (q & Q & L). apply Z.lt_le_trans with (1 := L). apply sum_member; auto.
Qed.

Lemma number_of_indices n : sum_over (indices n) (fun _ => 1) = Z.of_N n.
Proof.
unfold indices. rewrite sum_map. assert (Length : forall l : list nat, sum_over l (fun _ => 1) = Z.of_nat (length l)).
{ induction l as [|a l IH]; [reflexivity|]. rewrite sum_cons, IH. cbn [length]. lia. }
rewrite Length, seq_length. lia.
Qed.
