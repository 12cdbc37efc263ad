(* A cell's program maps related numbers to related numbers. *)

From Coq Require Import Reals List.
From ratproof_reals Require Import intervals functions network.
Import ListNotations.
Open Scope R_scope.

Inductive all3 {A : Type} (P : A -> R -> R -> Prop) : list A -> list R -> list R -> Prop :=
| all3_nil : all3 P [] [] []
| all3_cons f a b fs xs ys : P f a b -> all3 P fs xs ys -> all3 P (f :: fs) (a :: xs) (b :: ys).
Inductive rows3 {A : Type} (P : A -> R -> R -> Prop) : list (list A) -> list (list R) -> list (list R) -> Prop :=
| rows3_nil : rows3 P [] [] []
| rows3_cons f a b fs xs ys : all3 P f a b -> rows3 P fs xs ys -> rows3 P (f :: fs) (a :: xs) (b :: ys).

Lemma all3_length {A : Type} (P : A -> R -> R -> Prop) xs u v : all3 P xs u v -> length xs = length u /\ length xs = length v.
Proof. induction 1; cbn; intuition congruence. Qed.

Section Related.
Variables (K : arithmetic) (P : K -> R -> R -> Prop).
Hypothesis P_nothing : P (nothing K) 0 0.
Hypothesis P_plus : forall f g a b c d, P f a b -> P g c d -> P (plus K f g) (a + c) (b + d).
Hypothesis P_times : forall f g a b c d, P f a b -> P g c d -> P (times K f g) (a * c) (b * d).
Hypothesis P_between : forall z n h az bz an bn ah bh, P z az bz -> P n an bn -> P h ah bh ->
  P (between K z n h) ((1 - az) * an + az * ah) ((1 - bz) * bn + bz * bh).
Hypothesis P_squash : forall f a b, P f a b -> P (squash K f) (sigmoid a) (sigmoid b).
Hypothesis P_tangent : forall f a b, P f a b -> P (tangent K f) (tanh a) (tanh b).
Hypothesis P_positive_part : forall f a b, P f a b -> P (positive_part K f) (Rmax 0 a) (Rmax 0 b).

Lemma all3_map (f : K -> K) (h : R -> R) : (forall x a b, P x a b -> P (f x) (h a) (h b)) ->
  forall xs u v, all3 P xs u v -> all3 P (map f xs) (map h u) (map h v).
Proof. intros H xs u v. induction 1; cbn; constructor; auto. Qed.

Lemma all3_each (f : K -> K -> K) (h : R -> R -> R) :
  (forall x y a b c d, P x a b -> P y c d -> P (f x y) (h a c) (h b d)) ->
  forall xs u v, all3 P xs u v -> forall ys s t, all3 P ys s t ->
  all3 P (each f xs ys) (each (K := reals) h u s) (each (K := reals) h v t).
Proof. intros H xs u v. induction 1 as [|f0 a0 b0 fs0 xs0 ys0 X0 Xs0 IH0]; intros ys s t Y; destruct Y; cbn; constructor; auto. Qed.

Lemma all3_between xs u v : all3 P xs u v -> forall ys s t, all3 P ys s t -> forall zs p q, all3 P zs p q ->
  all3 P (each3 (between K) xs ys zs) (each3 (between reals) u s p) (each3 (between reals) v t q).
Proof. induction 1 as [|f0 a0 b0 fs0 xs0 ys0 X0 Xs0 IH0]; intros ys s t Y zs p q Z; destruct Y, Z; cbn; constructor; auto. Qed.

Lemma all3_dot xs u v : all3 P xs u v -> forall ys s t, all3 P ys s t ->
  P (dot xs ys) (dot (K := reals) u s) (dot (K := reals) v t).
Proof. induction 1 as [|f0 a0 b0 fs0 xs0 ys0 X0 Xs0 IH0]; intros ys s t Y; destruct Y; cbn; auto. Qed.

Lemma all3_apply M u v : rows3 P M u v -> forall xs s t, all3 P xs s t ->
  all3 P (apply M xs) (apply (K := reals) u s) (apply (K := reals) v t).
Proof. induction 1 as [|f0 a0 b0 fs0 xs0 ys0 X0 Xs0 IH0]; intros xs' s t X; cbn; constructor; [now apply all3_dot|exact (IH0 _ _ _ X)]. Qed.

Lemma all3_skipn n : forall xs u v, all3 P xs u v -> all3 P (skipn n xs) (skipn n u) (skipn n v).
Proof. induction n as [|n IH]; intros xs u v H; [assumption|]. destruct H; cbn; [constructor|now apply IH]. Qed.

Lemma all3_firstn n : forall xs u v, all3 P xs u v -> all3 P (firstn n xs) (firstn n u) (firstn n v).
Proof. induction n as [|n IH]; intros xs u v H; [constructor|]. destruct H; cbn; constructor; [assumption|now apply IH]. Qed.

Lemma all3_app xs u v ys s t : all3 P xs u v -> all3 P ys s t -> all3 P (xs ++ ys) (u ++ s) (v ++ t).
Proof. induction 1; cbn; intros; [assumption|]. constructor; auto. Qed.

Lemma all3_rest xs u v hs h h' : all3 P xs u v -> all3 P hs h h' ->
  all3 P (skipn (length xs) hs) (skipn (length u) h) (skipn (length v) h').
Proof. intros X H. destruct (all3_length _ _ _ _ X) as [<- <-]. now apply all3_skipn. Qed.

Lemma all3_update kind reads ru rv : rows3 P reads ru rv -> forall recurrents su sv, rows3 P recurrents su sv ->
  forall h hu hv, all3 P h hu hv ->
  all3 P (update kind reads recurrents h) (update (K := reals) kind ru su hu) (update (K := reals) kind rv sv hv).
Proof.
intros Reads recurrents su sv Recurrents h hu hv H.
destruct kind; destruct Reads as [|? ? ? ? ? ? Read_1 [|? ? ? ? ? ? Read_2 [|? ? ? ? ? ? Read_3 [|? ? ? ? ? ? Read_4 []]]]];
try (constructor; fail);
destruct Recurrents as [|? ? ? ? ? ? Rec_1 [|? ? ? ? ? ? Rec_2 [|? ? ? ? ? ? Rec_3 [|? ? ? ? ? ? Rec_4 []]]]]; cbn [update];
try (constructor; fail);
repeat first
  [ apply all3_app
  | apply all3_rest
  | apply all3_between
  | apply (all3_map (tangent K) tanh P_tangent)
  | apply (all3_map (positive_part K) (Rmax 0) P_positive_part)
  | apply (all3_map (squash K) sigmoid P_squash)
  | apply (all3_each (plus K) Rplus P_plus)
  | apply (all3_each (times K) Rmult P_times)
  | assumption ].
Qed.
End Related.
