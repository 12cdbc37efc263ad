(* A bounded orbit that never repeats, of a function made of gates that is bounded on a half-line, satisfies no linear recurrence. *)

From Coq Require Import Reals List Lra Lia Classical FunctionalExtensionality.
From Coquelicot Require Import Coquelicot.
From ratproof_reals Require Import gates.
Open Scope R_scope.

(* A function of a ring that is flat at a point is 0 everywhere. *)
Lemma everywhere A f p : ring A -> A f -> flat f p -> forall x, f x = 0.
Proof.
intros HA F f0 x. assert (smooth f) as SF by now apply (ring_smooth A HA).
set (at_ r := p + r * (x - p)).
set (E s := 0 <= s <= 1 /\ forall r, 0 <= r <= s -> f (at_ r) = 0).
assert (E 0) as E0.
{ split; [lra|]. intros r Hr. replace (at_ r) with p by (unfold at_; replace r with 0 by lra; ring). now apply flat_value. }
destruct (completeness E) as [m [up least]]; [exists 1; intros s [Hs _]; lra|now exists 0|].
assert (0 <= m <= 1) as M by (split; [now apply up|apply least; intros s [Hs _]; lra]).
assert (forall r, 0 <= r < m -> f (at_ r) = 0) as before.
{ intros r Hr. apply NNPP. intros N. enough (m <= r) by lra. apply least. intros s [Hs Z].
  apply Rnot_lt_le. intros L. apply N, Z. lra. }
destruct (Req_dec x p) as [->|NE]; [now apply flat_value|].
assert (0 < Rabs (x - p)) as X by (apply Rabs_pos_lt; lra).
assert (flat f (at_ m)) as Fm.
{ destruct (Req_dec m 0) as [->|m0]; [replace (at_ 0) with p by (unfold at_; ring); easy|].
  apply accumulate; [easy|]. intros eps.
  assert (0 < eps / 2 / Rabs (x - p)) as D by (apply Rdiv_lt_0_compat; [apply is_pos_div_2|easy]).
  set (d := Rmin m (eps / 2 / Rabs (x - p))).
  assert (0 < d <= m) as dm by (unfold d, Rmin; destruct Rle_dec; lra).
  exists (at_ (m - d)).
  assert (at_ (m - d) - at_ m = - (d * (x - p))) as diff by (unfold at_; ring).
  repeat split.
  - intros E'. rewrite E', Rminus_eq_0 in diff. symmetry in diff. apply Ropp_eq_0_compat in diff.
    rewrite Ropp_involutive in diff. apply Rmult_integral in diff. lra.
  - rewrite diff, Rabs_Ropp, Rabs_mult, (Rabs_pos_eq d) by lra.
    apply Rle_lt_trans with (eps / 2 / Rabs (x - p) * Rabs (x - p)); [apply Rmult_le_compat_r; [lra|apply Rmin_r]|].
    replace (eps / 2 / Rabs (x - p) * Rabs (x - p)) with (eps / 2) by (field; lra). pose proof (cond_pos eps). lra.
  - apply before. lra. }
destruct (ring_near A HA f (at_ m) F Fm) as [e He].
set (d := e / 2 / Rabs (x - p)).
assert (0 < d) as D by (apply Rdiv_lt_0_compat; [apply is_pos_div_2|easy]).
assert (forall r, m <= r <= m + d -> f (at_ r) = 0) as after.
{ intros r Hr. apply He. change (Rabs (at_ r - at_ m) < e).
  replace (at_ r - at_ m) with ((r - m) * (x - p)) by (unfold at_; ring). rewrite Rabs_mult, (Rabs_pos_eq (r - m)) by lra.
  apply Rle_lt_trans with (d * Rabs (x - p)); [apply Rmult_le_compat_r; lra|].
  unfold d. replace (e / 2 / Rabs (x - p) * Rabs (x - p)) with (e / 2) by (field; lra). pose proof (cond_pos e). lra. }
assert (E (Rmin (m + d) 1)) as Em.
{ split; [unfold Rmin; destruct Rle_dec; lra|]. intros r Hr.
  pose proof (Rmin_l (m + d) 1). destruct (Rlt_le_dec r m); [apply before|apply after]; lra. }
specialize (up _ Em). replace x with (at_ 1) by (unfold at_; ring).
apply Em. revert up. unfold Rmin. destruct Rle_dec; lra.
Qed.

(* phi applied i times. *)
Fixpoint iterate (phi : R -> R) i t := match i with O => t | S i => iterate phi i (phi t) end.

Lemma iterate_plus phi i j t : iterate phi (i + j) t = iterate phi j (iterate phi i t).
Proof. revert t. induction i as [|i IH]; intros t; [easy|apply IH]. Qed.

Lemma iterate_last phi i t : iterate phi (S i) t = phi (iterate phi i t).
Proof. now rewrite <- (Nat.add_1_r i), iterate_plus. Qed.

(* b_0 t + b_1 phi(t) + ... *)
Fixpoint combination (b : list R) phi t :=
  match b with nil => 0 | cons x b => x * t + combination b phi (phi t) end.

(* The iterates of a function made of gates, and their combinations, are in one ring. *)
Lemma combination_in_ring phi : made_of_gates phi -> forall b A g, ring A -> A g ->
  exists B : (R -> R) -> Prop, ring B /\ (forall f, A f -> B f) /\ B (fun t => combination b phi (g t)).
Proof.
intros P. induction b as [|x b IH]; intros A g HA G; [exists A; split; [easy|split; [auto|apply (ring_const A HA 0)]]|].
destruct (with_gates phi P A g HA G) as [B [HB [AB Bg]]], (IH B _ HB Bg) as [C [HC [BC Ch]]].
exists C. split; [easy|split; [auto|]]. apply HC; [|easy].
apply (ring_mult C HC (fun _ => x)); [apply HC|auto].
Qed.

Lemma combination_smooth phi b : made_of_gates phi -> exists B, ring B /\ B (combination b phi).
Proof.
intros P. destruct (combination_in_ring phi P b _ (fun t => t) polynomials) as [B [HB [_ H]]].
- exists 2%nat. exact poly_id.
- now exists B.
Qed.

(* The absolute values of f on P have an upper bound. *)
Definition bounded_on (P : R -> Prop) (f : R -> R) := exists M, forall t, P t -> Rabs (f t) <= M.

Lemma bounded_on_interval f M : (forall t, continuous f t) -> bounded_on (fun t => Rabs t <= M) f.
Proof.
intros C. destruct (Rle_dec 0 M) as [H|H]; [|exists 0; intros t T; pose proof (Rabs_pos t); lra].
destruct (continuity_ab_maj (fun t => Rabs (f t)) (- M) M) as [top [T _]]; [lra| |].
- intros c _. apply continuity_pt_filterlim, (continuous_comp f Rabs); [easy|apply continuous_Rabs].
- exists (Rabs (f top)). intros t Ht. apply T. revert Ht. unfold Rabs. destruct Rcase_abs; lra.
Qed.

(* P contains numbers of any size, and f is bounded on P: for example on a half-line. *)
Definition stays_bounded (f : R -> R) := exists P, (forall K, exists t, P t /\ K < Rabs t) /\ bounded_on P f.

Lemma right_half_line K : exists t, 0 <= t /\ K < Rabs t.
Proof. exists (Rabs K + 1). unfold Rabs. repeat destruct Rcase_abs; lra. Qed.

Lemma left_half_line K : exists t, t <= 0 /\ K < Rabs t.
Proof. destruct (right_half_line K) as [t [T L]]. exists (- t). rewrite Rabs_Ropp. split; lra. Qed.

(* The orbit of phi is bounded, and never repeats. *)
Section Orbit.
Variables (phi : R -> R) (c : nat -> R) (M : R).
Hypotheses (gates : made_of_gates phi) (far : stays_bounded phi).
Hypotheses (orbit : forall n, c (S n) = phi (c n)) (bounded : forall n, Rabs (c n) <= M) (apart : forall m n, c m = c n -> m = n).

Lemma accumulates : exists p, forall N (eps : posreal), exists n, (N <= n)%nat /\ c n <> p /\ Rabs (c n - p) < eps.
Proof.
destruct (Bolzano_Weierstrass c _ (compact_P3 (- M) M)) as [p H].
{ intros n. specialize (bounded n). revert bounded. unfold Rabs. destruct Rcase_abs; lra. }
exists p. intros N eps.
destruct (H (disc p eps) N) as [n [Hn D]]; [now exists eps|].
destruct (Req_dec (c n) p) as [E|]; [|now exists n].
destruct (H (disc p eps) (S n)) as [k [Hk Dk]]; [now exists eps|].
exists k. split; [lia|split; [|easy]]. intros E'. assert (k = n) by (apply apart; congruence). lia.
Qed.

(* A combination that is 0 along the orbit is 0 everywhere. *)
Lemma combination_zero b N : (forall n, (N <= n)%nat -> combination b phi (c n) = 0) -> forall t, combination b phi t = 0.
Proof.
intros Z. destruct (combination_smooth phi b gates) as [B [HB F]], accumulates as [p P].
apply (everywhere B _ p HB F), accumulate; [now apply (ring_smooth B HB)|].
intros eps. destruct (P N eps) as [n [Hn [NE D]]]. exists (c n). auto.
Qed.

Lemma first_is_zero x b N : (forall n, (N <= n)%nat -> combination (x :: b) phi (c n) = 0) -> x = 0.
Proof.
intros Z. pose proof (combination_zero _ _ Z) as Z'. simpl in Z'.
destruct far as [P [large [m Hm]]], (combination_smooth phi b gates) as [B [HB F]].
destruct (bounded_on_interval (combination b phi) m) as [K HK]; [intros t; now apply continues, (ring_smooth B HB)|].
apply NNPP. intros N0. assert (0 < Rabs x) as X by now apply Rabs_pos_lt.
destruct (large (K / Rabs x)) as [t [Pt L]].
apply (Rmult_lt_compat_l (Rabs x)) in L; [|easy]. replace (Rabs x * (K / Rabs x)) with K in L by (field; lra).
specialize (HK (phi t) (Hm t Pt)). replace (combination b phi (phi t)) with (- (x * t)) in HK by (specialize (Z' t); lra).
rewrite Rabs_Ropp, Rabs_mult in HK. lra.
Qed.

(* The orbit satisfies no linear recurrence: if a combination of each value and the next ones is always 0, all its factors are 0. *)
Theorem no_recurrence b : (forall n, combination b phi (c n) = 0) -> forall x, In x b -> x = 0.
Proof.
intros Z. assert (forall n, (0 <= n)%nat -> combination b phi (c n) = 0) as Z' by auto. clear Z.
revert Z'. generalize 0%nat. induction b as [|y b IH]; intros N Z x; [easy|].
assert (y = 0) as Y by now apply (first_is_zero y b N).
intros [<-|I]; [easy|]. apply (IH (S N)); [|easy]. intros [|n] Hn; [lia|].
rewrite orbit. specialize (Z n ltac:(lia)). simpl in Z. rewrite Y in Z. lra.
Qed.
End Orbit.

(* phi keeps the order of the numbers in P, or reverses it. *)
Definition strictly_monotone (P : R -> Prop) (phi : R -> R) :=
  (forall s t, P s -> P t -> s < t -> phi s < phi t) \/ (forall s t, P s -> P t -> s < t -> phi t < phi s).

(* An orbit on which phi is strictly monotone never repeats if it does not return after two steps. *)
Lemma never_repeats (P : R -> Prop) phi c : (forall n, c (S n) = phi (c n)) -> (forall n, P (c n)) -> strictly_monotone P phi ->
  c 2%nat <> c 0%nat -> forall m n, c m = c n -> m = n.
Proof.
intros orbit inside mono two.
assert (forall m n, c (S m) = c (S n) -> c m = c n) as back.
{ intros m n. rewrite !orbit. intros E. apply NNPP. intros N.
  destruct mono as [H|H], (Rdichotomy _ _ N) as [L|L]; apply H in L; auto; lra. }
assert (forall m n, c m < c n -> c (S (S m)) < c (S (S n))) as even.
{ intros m n L. rewrite !orbit. destruct mono as [H|H]; apply H; try (rewrite <- orbit; apply inside); apply H; auto. }
assert (forall k, (c 0%nat < c 2%nat -> c 0%nat < c (2 * S k)%nat) /\ (c 2%nat < c 0%nat -> c (2 * S k)%nat < c 0%nat)) as away.
{ enough (forall k, (c 0%nat < c 2%nat -> c (2 * k)%nat < c (2 * S k)%nat) /\ (c 2%nat < c 0%nat -> c (2 * S k)%nat < c (2 * k)%nat)) as H.
  - induction k as [|k IH]; [easy|]. specialize (H (S k)). split; intros L; [apply IH in L as ?|apply IH in L as ?]; apply H in L; lra.
  - induction k as [|k IH]; [easy|]. replace (2 * S (S k))%nat with (S (S (2 * S k))) by lia.
    replace (2 * S k)%nat with (S (S (2 * k))) at 1 4 by lia. split; intros L; apply even, IH, L. }
assert (forall k, c (S k) <> c 0%nat) as no.
{ intros k E. assert (forall j, c (j + S k)%nat = c j) as period.
  { induction j as [|j IH]; [easy|]. simpl. now rewrite !orbit, IH. }
  assert (c (2 * S k)%nat = c 0%nat) as E2 by (replace (2 * S k)%nat with (S k + S k)%nat by lia; now rewrite period, E).
  destruct (away k). destruct (Rdichotomy _ _ two) as [L|L]; [assert (c (2 * S k)%nat < c 0%nat)|assert (c 0%nat < c (2 * S k)%nat)]; auto; lra. }
enough (forall m k, c (m + S k)%nat <> c m) as H.
{ intros m n E. destruct (Nat.lt_trichotomy m n) as [L|[?|L]]; [elim (H m (n - m - 1)%nat)|easy|elim (H n (m - n - 1)%nat)].
  - now replace (m + S (n - m - 1))%nat with n by lia.
  - now replace (n + S (m - n - 1))%nat with m by lia. }
induction m as [|m IH]; intros k E; [now apply (no k)|now apply (IH k), back].
Qed.
