(* Functions made of gates: if one vanishes at points that accumulate, it vanishes everywhere. *)

From Coq Require Import Reals Lra Lia Classical FunctionalExtensionality.
From Coquelicot Require Import Coquelicot.
Open Scope R_scope.

(* Functions with all derivatives. *)
Inductive smooth : (R -> R) -> Prop :=
| smooth_const c : smooth (fun _ => c)
| smooth_id : smooth (fun x => x)
| smooth_plus f g : smooth f -> smooth g -> smooth (fun x => f x + g x)
| smooth_mult f g : smooth f -> smooth g -> smooth (fun x => f x * g x)
| smooth_exp f : smooth f -> smooth (fun x => exp (f x))
| smooth_inv f : smooth f -> (forall x, f x <> 0) -> smooth (fun x => / f x).

Lemma same (P : (R -> R) -> Prop) f g : P f -> (forall x, f x = g x) -> P g.
Proof. intros H e. now replace g with f by now extensionality x. Qed.

Lemma derivative f f' : (forall x, is_derive f x (f' x)) -> Derive f = f'.
Proof. intros H. extensionality x. now apply is_derive_unique. Qed.

Lemma smooth_derive f : smooth f -> smooth (Derive f) /\ forall x, is_derive f x (Derive f x).
Proof.
intros H.
enough (exists f', smooth f' /\ forall x, is_derive f x (f' x)) as [f' [S D]] by now rewrite (derivative _ _ D).
induction H as [c| |f g _ [f' [F Df]] _ [g' [G Dg]]|f g Sf [f' [F Df]] Sg [g' [G Dg]]|f Sf [f' [F Df]]|f Sf [f' [F Df]] N].
- exists (fun _ => 0). split; [apply smooth_const|intros x; apply (is_derive_const c)].
- exists (fun _ => 1). split; [apply smooth_const|intros x; apply (is_derive_id (K := R_AbsRing))].
- exists (fun x => f' x + g' x). split; [now constructor|intros x; now apply (is_derive_plus f g)].
- exists (fun x => f' x * g x + f x * g' x). split; [repeat (assumption || constructor)|].
  intros x. apply (is_derive_mult f g); auto. apply Rmult_comm.
- exists (fun x => f' x * exp (f x)). split; [repeat (assumption || constructor)|].
  intros x. apply (is_derive_comp exp f); [apply is_derive_exp|auto].
- exists (fun x => -1 * (f' x * (/ f x * / f x))). split; [repeat (assumption || constructor)|].
  intros x. replace (-1 * _) with (- f' x / f x ^ 2) by now field. now apply is_derive_inv.
Qed.

Lemma derive_const c : Derive (fun _ => c) = fun _ => 0.
Proof. apply derivative. intros x. apply (is_derive_const c). Qed.

Ltac smooth := repeat first [assumption | apply smooth_const | apply smooth_id | apply smooth_plus | apply smooth_mult | apply smooth_exp].

Section Rules.
Variables f g : R -> R.
Hypotheses (F : smooth f) (G : smooth g).
Let Df := proj2 (smooth_derive f F).
Let Dg := proj2 (smooth_derive g G).

Lemma derive_plus : Derive (fun x => f x + g x) = fun x => Derive f x + Derive g x.
Proof. apply derivative. intros x. now apply (is_derive_plus f g). Qed.

Lemma derive_mult : Derive (fun x => f x * g x) = fun x => Derive f x * g x + f x * Derive g x.
Proof. apply derivative. intros x. apply (is_derive_mult f g); auto. apply Rmult_comm. Qed.

Lemma derive_exp : Derive (fun x => exp (f x)) = fun x => Derive f x * exp (f x).
Proof. apply derivative. intros x. apply (is_derive_comp exp f); [apply is_derive_exp|auto]. Qed.

Lemma continues x : continuous f x.
Proof. apply (ex_derive_continuous f x). now exists (Derive f x). Qed.

(* The mean value theorem, with a point strictly between a and b. *)
Lemma mean a b : a <> b -> exists c, Rmin a b < c < Rmax a b /\ f b - f a = Derive f c * (b - a).
Proof.
assert (forall c, derivable_pt_lim f c (Derive f c)) as D by (intros c; apply is_derive_Reals, Df).
intros N. destruct (Rdichotomy _ _ N) as [L|L].
- destruct (MVT_cor2 f (Derive f) a b L) as [c [E ?]]; [auto|].
  exists c. rewrite Rmin_left, Rmax_right by lra. auto.
- destruct (MVT_cor2 f (Derive f) b a L) as [c [E ?]]; [auto|].
  exists c. rewrite Rmin_right, Rmax_left by lra. split; [auto|lra].
Qed.
End Rules.

(* The value at p and the first k - 1 derivatives at p are 0. *)
Fixpoint vanish k (f : R -> R) (p : R) := match k with O => True | S k => f p = 0 /\ vanish k (Derive f) p end.
Definition flat f p := forall k, vanish k f p.
Definition near (f : R -> R) (p : R) := locally p (fun x => f x = 0).

Lemma near_imp f g h p : (forall x, f x = 0 -> g x = 0 -> h x = 0) -> near f p -> near g p -> near h p.
Proof. intros H F G. unfold near. apply (filter_imp (fun x => f x = 0 /\ g x = 0)); [intros x []; auto|now apply filter_and]. Qed.

Lemma flat_value f p : flat f p -> f p = 0.
Proof. intros H. apply (H 1%nat). Qed.

Lemma flat_derive f p : flat f p -> flat (Derive f) p.
Proof. intros H k. apply (H (S k)). Qed.

Lemma vanish_less k : forall f p, vanish (S k) f p -> vanish k f p.
Proof. induction k as [|k IH]; [constructor|]. intros f p [H D]. split; auto. Qed.

Lemma vanish_plus k : forall f g p, smooth f -> smooth g -> vanish k f p -> vanish k g p -> vanish k (fun x => f x + g x) p.
Proof.
induction k as [|k IH]; [constructor|]. intros f g p F G [f0 f'] [g0 g']. split; [lra|].
rewrite derive_plus by easy. apply IH; auto; now apply smooth_derive.
Qed.

Lemma vanish_mult k : forall f g p, smooth f -> smooth g -> vanish k f p -> vanish k (fun x => f x * g x) p.
Proof.
induction k as [|k IH]; [constructor|]. intros f g p F G V. pose proof (vanish_less _ _ _ V). destruct V as [f0 f'].
split; [rewrite f0; ring|]. rewrite derive_mult by easy.
apply vanish_plus; try apply IH; try constructor; auto; now apply smooth_derive.
Qed.

Lemma flat_plus f g p : smooth f -> smooth g -> flat f p -> flat g p -> flat (fun x => f x + g x) p.
Proof. intros F G f0 g0 k. now apply vanish_plus. Qed.

Lemma flat_mult f g p : smooth f -> smooth g -> flat f p -> flat (fun x => f x * g x) p.
Proof. intros F G f0 k. now apply vanish_mult. Qed.

Lemma between p x c (e : posreal) : Rmin p x < c < Rmax p x -> ball p e x -> ball p e c.
Proof.
unfold ball; simpl; unfold AbsRing_ball, abs, minus, plus, opp; simpl.
unfold Rmin, Rmax, Rabs. destruct Rle_dec; repeat destruct Rcase_abs; lra.
Qed.

Ltac flat := repeat first [assumption | apply flat_plus | apply flat_mult]; smooth.

(* If some derivative is not 0 at p, the function has no zero around p, except perhaps p. *)
Lemma isolated f p : smooth f -> ~ flat f p -> locally' p (fun x => f x <> 0).
Proof.
intros F H. apply not_all_ex_not in H as [k H]. revert f F H. induction k as [|k IH]; intros f F H; [now elim H|].
destruct (Req_dec (f p) 0) as [Z|Z].
- destruct (IH (Derive f)) as [e He]; [now apply smooth_derive|intros V; now apply H|].
  exists e. intros x B N E. destruct (mean f F p x) as [c [C D]]; [auto|].
  apply (He c).
  + now apply (between p x).
  + revert C. unfold Rmin, Rmax. destruct Rle_dec; lra.
  + rewrite E, Z in D. apply (Rmult_eq_reg_r (x - p)); lra.
- destruct (continues f F p (fun y => y <> 0)) as [e He]; [now apply (open_neq 0)|].
  exists e. intros x B _. now apply He.
Qed.

Lemma accumulate f p : smooth f -> (forall eps : posreal, exists x, x <> p /\ Rabs (x - p) < eps /\ f x = 0) -> flat f p.
Proof.
intros F H. apply NNPP. intros N. destruct (isolated f p F N) as [e He].
destruct (H e) as [x [X [B Z]]]. now apply (He x).
Qed.

(* A ring of functions that contains their derivatives. A function that is 0 at a point, with all its derivatives, is 0 around this point. *)
Record ring (A : (R -> R) -> Prop) : Prop := {
  ring_smooth f : A f -> smooth f;
  ring_const c : A (fun _ => c);
  ring_plus f g : A f -> A g -> A (fun x => f x + g x);
  ring_mult f g : A f -> A g -> A (fun x => f x * g x);
  ring_derive f : A f -> A (Derive f);
  ring_near f p : A f -> flat f p -> near f p
}.

(* Polynomials: some derivative is 0. *)
Fixpoint poly k f := match k with O => forall x, f x = 0 | S k => smooth f /\ poly k (Derive f) end.

Lemma poly_smooth k f : poly k f -> smooth f.
Proof. destruct k; [|now intros [H _]]. intros Z. apply (same smooth (fun _ => 0)); [constructor|intros x; now rewrite Z]. Qed.

Lemma poly_derive k : forall f, poly k f -> poly k (Derive f).
Proof.
induction k as [|k IH]; intros f; [|now intros [_ H]; split; [apply (poly_smooth k)|apply IH]].
intros Z x. replace f with (fun _ : R => 0) by now extensionality y. now rewrite derive_const.
Qed.

Lemma poly_more k : forall f, poly k f -> poly (S k) f.
Proof. intros f H. split; [now apply (poly_smooth k)|now apply poly_derive]. Qed.

Lemma poly_plus k : forall f g, poly k f -> poly k g -> poly k (fun x => f x + g x).
Proof.
induction k as [|k IH]; intros f g.
- intros F G x. rewrite F, G. ring.
- intros [F f'] [G g']. split; [now constructor|]. rewrite derive_plus by easy. auto.
Qed.

Lemma poly_zero k : poly k (fun _ => 0).
Proof. induction k; [easy|now apply poly_more]. Qed.

Lemma poly_mult n : forall j k f g, (j + k = n)%nat -> poly j f -> poly k g -> poly n (fun x => f x * g x).
Proof.
induction n as [|n IH]; intros [|j] [|k] f g E F G; try lia;
  try (apply (same (poly _) (fun _ => 0)); [apply poly_zero|intros x; simpl in F, G; rewrite ?F, ?G; ring]).
destruct F as [F f'], G as [G g']. split; [now constructor|]. rewrite derive_mult by easy. apply poly_plus.
- apply (IH j (S k)); [lia|easy|now split].
- apply (IH (S j) k); [lia|now split|easy].
Qed.

Lemma poly_up j k f : poly k f -> poly (j + k) f.
Proof. intros F. induction j as [|j IH]; [easy|now apply poly_more]. Qed.

Lemma poly_id : poly 2 (fun x => x).
Proof.
assert (Derive (fun x => x) = fun _ => 1) as D by (apply derivative; intros x; apply (is_derive_id (K := R_AbsRing))).
split; [constructor|]. rewrite D. split; [constructor|]. intros x. now rewrite derive_const.
Qed.

Lemma poly_near k : forall f p, poly k f -> flat f p -> near f p.
Proof.
induction k as [|k IH]; intros f p F V; [now exists (mkposreal 1 Rlt_0_1)|].
destruct F as [F f'], (IH _ p f' (flat_derive _ _ V)) as [e He].
exists e. intros x B. destruct (Req_dec p x) as [<-|N]; [now apply flat_value|].
destruct (mean f F p x N) as [c [C D]]. rewrite (flat_value f p V), He in D; [lra|now apply (between p x)].
Qed.

Lemma polynomials : ring (fun f => exists k, poly k f).
Proof.
split.
- intros f [k F]. now apply (poly_smooth k).
- intros c. exists 1%nat. split; [constructor|]. intros x. now rewrite derive_const.
- intros f g [j F] [k G]. exists (j + k)%nat. apply poly_plus; [rewrite Nat.add_comm|]; now apply poly_up.
- intros f g [j F] [k G]. exists (j + k)%nat. now apply (poly_mult (j + k) j k).
- intros f [k F]. exists k. now apply poly_derive.
- intros f p [k F]. now apply (poly_near k).
Qed.

(* The ring with the exponential e of one of its functions added: a_0 + a_1 e + ... + a_d e^d. *)
Section Exponential.
Variables (A : (R -> R) -> Prop) (g : R -> R).
Hypotheses (HA : ring A) (G : A g).
Let Ag := ring_smooth A HA g G.

Inductive terms : nat -> (R -> R) -> Prop :=
| terms_base a : A a -> terms 0 a
| terms_step d a f : A a -> terms d f -> terms (S d) (fun x => a x + exp (g x) * f x).

Lemma terms_smooth d f : terms d f -> smooth f.
Proof.
assert (forall a, A a -> smooth a) as AS by apply (ring_smooth A HA).
induction 1; repeat (apply AS; assumption) || (constructor; auto).
Qed.

Lemma terms_derive_step a f : A a -> smooth f ->
  Derive (fun x => a x + exp (g x) * f x) = fun x => Derive a x + exp (g x) * (Derive g x * f x + Derive f x).
Proof.
intros HA' F. assert (smooth a) by now apply (ring_smooth A HA).
rewrite derive_plus, derive_mult, derive_exp by smooth. extensionality x. ring.
Qed.

Lemma terms_plus d f h : terms d f -> terms d h -> terms d (fun x => f x + h x).
Proof.
intros F. revert h. induction F as [a a'|d a f a' F IH]; intros h H; inversion H as [b b'|? b k b' K]; subst.
- constructor. now apply HA.
- apply (same (terms _) (fun x => (a x + b x) + exp (g x) * (f x + k x))); [|intros x; ring].
  constructor; [now apply HA|auto].
Qed.

Lemma terms_scale b d f : A b -> terms d f -> terms d (fun x => b x * f x).
Proof.
intros B F. induction F as [a a'|d a f a' F IH]; [constructor; now apply HA|].
apply (same (terms _) (fun x => b x * a x + exp (g x) * (b x * f x))); [|intros x; ring].
constructor; [now apply HA|auto].
Qed.

Lemma terms_more j d f : terms d f -> terms (j + d) f.
Proof.
intros F. induction j as [|j IH]; [easy|]. simpl. clear F. induction IH as [a a'|d' a f a' F IH]; [|now constructor].
apply (same (terms _) (fun x => a x + exp (g x) * 0)); [|intros x; ring].
constructor; [easy|]. constructor. apply HA.
Qed.

Lemma terms_mult d f j h : terms d f -> terms j h -> terms (d + j) (fun x => f x * h x).
Proof.
intros F H. induction F as [a a'|d a f a' F IH]; [now apply terms_scale|].
apply (same (terms _) (fun x => a x * h x + (0 + exp (g x) * (f x * h x)))); [|intros x; ring].
apply terms_plus; [apply (terms_more (S d)); now apply terms_scale|].
apply (terms_step _ (fun _ => 0)); [apply HA|easy].
Qed.

Lemma terms_derive d f : terms d f -> terms d (Derive f).
Proof.
intros F. induction F as [a a'|d a f a' F IH]; [constructor; now apply HA|].
rewrite terms_derive_step by (auto; now apply (terms_smooth d)).
constructor; [now apply HA|]. apply terms_plus; [|easy]. apply terms_scale; [now apply HA|easy].
Qed.

(* Let f' a = f a' around p. If all derivatives of f are 0 at p, but not those of a, then f is 0 around p: f / a is constant on each side of p. *)
Lemma proportional a f p : smooth a -> smooth f -> flat f p -> ~ flat a p ->
  near (fun x => Derive f x * a x + -1 * (f x * Derive a x)) p -> near f p.
Proof.
intros SA F f0 a0 [e W]. destruct (isolated a p SA a0) as [d Z].
assert (0 < Rmin e d) as E by (apply Rmin_pos; apply cond_pos).
exists (mkposreal _ E). intros x B. destruct (Req_dec x p) as [->|N]; [now apply flat_value|].
assert (forall y, Rabs (y - p) <= Rabs (x - p) -> y <> p -> a y <> 0 /\ Derive f y * a y + -1 * (f y * Derive a y) = 0) as H.
{ intros y Y M. change (Rabs (x - p) < Rmin e d) in B. pose proof (Rmin_l e d). pose proof (Rmin_r e d).
  split; [apply Z; [|easy]|apply W]; change (Rabs (y - p) < e) || change (Rabs (y - p) < d); lra. }
destruct (Req_dec (f x) 0) as [|NZ]; [easy|exfalso].
set (c := f x / a x).
assert (c <> 0) as C by (apply Rmult_integral_contrapositive_currified; [easy|apply Rinv_neq_0_compat, H; [lra|easy]]).
apply a0.
enough (flat (fun y => f y + (- c) * a y) p) as r0.
{ apply (same (fun h => flat h p) (fun y => (f y + (- c) * a y) * (- / c) + f y * / c)); [|intros y; now field].
  flat. }
apply accumulate; [smooth|]. intros eps.
set (s := Rmin (/ 2) (eps / 2 / Rabs (x - p))).
assert (0 < Rabs (x - p)) as X by (apply Rabs_pos_lt; lra).
assert (0 < s <= / 2 /\ s * Rabs (x - p) < eps) as [S SE].
{ assert (0 < eps / 2 / Rabs (x - p)) by (apply Rdiv_lt_0_compat; [apply is_pos_div_2|easy]).
  unfold s. split; [unfold Rmin; destruct Rle_dec; lra|].
  apply Rle_lt_trans with (eps / 2 / Rabs (x - p) * Rabs (x - p)); [apply Rmult_le_compat_r; [lra|apply Rmin_r]|].
  replace (eps / 2 / Rabs (x - p) * Rabs (x - p)) with (eps / 2) by (field; lra). pose proof (cond_pos eps). lra. }
set (y := p + s * (x - p)).
assert (forall z, Rmin y x <= z <= Rmax y x -> Rabs (z - p) <= Rabs (x - p) /\ z <> p) as inside.
{ assert ((x - p > 0 /\ 0 < s * (x - p) <= x - p) \/ (x - p < 0 /\ 0 < s * (p - x) <= p - x)) by nra.
  intros z. unfold y, Rmin, Rmax, Rabs. destruct Rle_dec; repeat destruct Rcase_abs; lra. }
assert (Rmin y x <= y <= Rmax y x) as Y by (split; [apply Rmin_l|apply Rmax_l]).
exists y. repeat split; [now apply inside|unfold y; replace (p + s * (x - p) - p) with (s * (x - p)) by ring;
  rewrite Rabs_mult, (Rabs_pos_eq s); lra|].
assert (forall z, Rmin y x <= z <= Rmax y x -> is_derive (fun z => f z / a z) z 0) as D.
{ intros z Hz. destruct (inside z Hz) as [I1 I2], (H z I1 I2) as [nz w].
  replace 0 with ((Derive f z * a z - f z * Derive a z) / a z ^ 2) by (apply (Rmult_eq_reg_r (a z ^ 2)); [field_simplify; lra|now apply pow_nonzero]).
  now apply is_derive_div; [apply smooth_derive|apply smooth_derive|]. }
destruct (MVT_gen (fun z => f z / a z) y x (fun _ => 0)) as [z [_ E']].
- intros z Hz. apply D. lra.
- intros z Hz. apply continuity_pt_filterlim, (ex_derive_continuous (fun z => f z / a z)). exists 0. now apply D.
- destruct (inside y Y) as [I1 I2], (H y I1 I2) as [nz _].
  replace (f y) with (f y / a y * a y) by now field. fold c in E'. replace (f y / a y) with c by lra. ring.
Qed.

Lemma terms_near d : forall f p, terms d f -> flat f p -> near f p.
Proof.
induction d as [|d IH]; intros f p F V; inversion F as [a a'|? a h a' H]; subst; [now apply (ring_near A HA)|].
assert (smooth a) as SA by now apply (ring_smooth A HA).
assert (smooth h) as SH by now apply (terms_smooth d).
assert (smooth (fun x => exp (-1 * g x))) as SE by smooth.
assert (forall x, exp (-1 * g x) * exp (g x) = 1) as E.
{ intros x. rewrite <- exp_plus. replace (-1 * g x + g x) with 0 by ring. apply exp_0. }
assert (smooth (fun x => a x + exp (g x) * h x)) as SF by smooth.
destruct (classic (flat a p)) as [a0|a0].
- assert (flat h p) as h0.
  { apply (same (fun k => flat k p) (fun x => (a x + exp (g x) * h x + a x * -1) * exp (-1 * g x)));
      [|intros x; transitivity (h x * (exp (-1 * g x) * exp (g x))); [ring|rewrite E; ring]].
    flat. }
  apply (near_imp a h); [intros x -> ->; ring|now apply (ring_near A HA)|now apply IH].
- apply (proportional a); auto.
  set (q := fun x => Derive g x * h x * a x + (Derive h x * a x + -1 * (h x * Derive a x))).
  assert (terms d q) as Q.
  { assert (terms d (Derive h)) by now apply terms_derive.
    assert (A (Derive a)) by now apply HA. assert (A (Derive g)) by now apply HA.
    apply (same (terms d) (fun x => a x * (Derive g x * h x) + (a x * Derive h x + (-1 * Derive a x) * h x))); [|intros x; unfold q; ring].
    repeat apply terms_plus; repeat apply terms_scale; try easy. apply HA; [apply HA|easy]. }
  assert (smooth (Derive a)) by now apply smooth_derive.
  assert (smooth (Derive h)) by now apply smooth_derive.
  assert (smooth (Derive g)) by now apply smooth_derive.
  assert (flat q p) as q0.
  { set (f := fun x => a x + exp (g x) * h x) in *.
    apply (same (fun k => flat k p) (fun x => (Derive f x * a x + -1 * (f x * Derive a x)) * exp (-1 * g x))).
    - assert (flat (Derive f) p) by now apply flat_derive. assert (smooth (Derive f)) by now apply smooth_derive.
      apply flat_mult; [smooth..|]. apply flat_plus; [smooth..|flat|].
      apply (same (fun k => flat k p) (fun x => f x * (-1 * Derive a x))); [|intros x; ring]. flat.
    - intros x. unfold f, q. rewrite terms_derive_step by easy.
      match goal with |- _ = ?r => transitivity (r * (exp (-1 * g x) * exp (g x))); [ring|rewrite E; ring] end. }
  apply (near_imp q q); auto. intros x Z _. rewrite terms_derive_step by easy.
  transitivity (exp (g x) * q x); [unfold q; ring|rewrite Z; ring].
Qed.

Lemma with_exponential : ring (fun f => exists d, terms d f).
Proof.
split.
- intros f [d F]. now apply (terms_smooth d).
- intros c. exists 0%nat. constructor. apply HA.
- intros f h [d F] [j H]. exists (j + d)%nat. apply terms_plus; [|rewrite Nat.add_comm]; now apply terms_more.
- intros f h [d F] [j H]. exists (d + j)%nat. now apply terms_mult.
- intros f [d F]. exists d. now apply terms_derive.
- intros f p [d F]. now apply (terms_near d).
Qed.
End Exponential.

(* The ring with quotients added whose denominators are nowhere 0. *)
Section Quotients.
Variable A : (R -> R) -> Prop.
Hypothesis HA : ring A.
Definition quotients f := smooth f /\ exists s, A s /\ (forall x, s x <> 0) /\ A (fun x => f x * s x).

Lemma quotient f s : A f -> A s -> (forall x, s x <> 0) -> quotients (fun x => f x * / s x).
Proof.
intros F S N. split; [apply smooth_mult; [|apply smooth_inv; [|easy]]; now apply (ring_smooth A HA)|].
exists s. split; [easy|split; [easy|]]. apply (same A f); [easy|]. intros x. now field.
Qed.

Lemma contains f : A f -> quotients f.
Proof.
intros F. apply (same quotients (fun x => f x * / 1)); [|intros x; field].
apply (quotient f (fun _ => 1)); [easy|apply HA|intros x; apply R1_neq_R0].
Qed.

Lemma with_quotients : ring quotients.
Proof.
assert (forall f g, A f -> A g -> A (fun x => f x * g x)) as mult by apply HA.
split.
- now intros f [F _].
- intros c. apply contains, HA.
- intros f g [F [s [S [s0 fs]]]] [G [t [T [t0 gt]]]]. split; [smooth|]. exists (fun x => s x * t x).
  split; [auto|split; [intros x; now apply Rmult_integral_contrapositive_currified|]].
  apply (same A (fun x => f x * s x * t x + g x * t x * s x)); [|intros x; ring]. apply HA; auto.
- intros f g [F [s [S [s0 fs]]]] [G [t [T [t0 gt]]]]. split; [smooth|]. exists (fun x => s x * t x).
  split; [auto|split; [intros x; now apply Rmult_integral_contrapositive_currified|]].
  apply (same A (fun x => f x * s x * (g x * t x))); [auto|intros x; ring].
- intros f [F [s [S [s0 fs]]]]. split; [now apply smooth_derive|]. exists (fun x => s x * s x).
  split; [auto|split; [intros x; now apply Rmult_integral_contrapositive_currified|]].
  apply (same A (fun x => Derive (fun x => f x * s x) x * s x + (f x * s x) * (-1 * Derive s x))).
  + assert (A (fun x => -1 * Derive s x)) by (apply (mult (fun _ => -1)); now apply HA).
    apply HA; apply mult; auto. now apply HA.
  + intros x. rewrite derive_mult by (auto; now apply (ring_smooth A HA)). ring.
- intros f p [F [s [S [s0 fs]]]] V. assert (smooth s) by now apply (ring_smooth A HA).
  assert (near (fun x => f x * s x) p) as N by (apply (ring_near A HA); [easy|flat]).
  apply (near_imp (fun x => f x * s x) (fun x => f x * s x)); auto.
  intros x Z _. now apply (Rmult_eq_reg_r (s x)); [rewrite Z; ring|].
Qed.
End Quotients.

Definition sigmoid x := / (1 + exp (- x)).

(* A sigmoid of a function of a ring is in a larger ring. *)
Lemma with_sigmoid A g : ring A -> A g ->
  exists B : (R -> R) -> Prop, ring B /\ (forall f, A f -> B f) /\ B (fun x => sigmoid (g x)).
Proof.
intros HA G. set (E := fun f => exists d, terms A g d f). assert (ring E) as HE by now apply with_exponential.
assert (forall a, A a -> E a) as AE by (intros a Ha; exists 0%nat; now constructor).
exists (quotients E). split; [now apply with_quotients|split].
- intros f F. apply contains; auto.
- assert (E (fun x => exp (g x))) as e.
  { exists 1%nat. apply (same (terms A g 1) (fun x => 0 + exp (g x) * 1)); [|intros x; ring].
    apply (terms_step A g 0 (fun _ => 0) (fun _ => 1)); [apply HA|constructor; apply HA]. }
  apply (same (quotients E) (fun x => exp (g x) * / (1 + exp (g x)))).
  + apply (quotient E HE (fun x => exp (g x)) (fun x => 1 + exp (g x))); [easy|apply HE; [apply HE|easy]|].
    intros x. pose proof (exp_pos (g x)). lra.
  + intros x. unfold sigmoid. rewrite exp_Ropp. pose proof (exp_pos (g x)). field. lra.
Qed.

(* Functions of one variable and real numbers, by sums, products and sigmoids. *)
Inductive made_of_gates : (R -> R) -> Prop :=
| gates_const c : made_of_gates (fun _ => c)
| gates_id : made_of_gates (fun x => x)
| gates_plus f g : made_of_gates f -> made_of_gates g -> made_of_gates (fun x => f x + g x)
| gates_mult f g : made_of_gates f -> made_of_gates g -> made_of_gates (fun x => f x * g x)
| gates_sigmoid f : made_of_gates f -> made_of_gates (fun x => sigmoid (f x)).

(* A function that is made of gates, applied to a function of a ring, is in a larger ring. *)
Lemma with_gates phi : made_of_gates phi -> forall A g, ring A -> A g ->
  exists B : (R -> R) -> Prop, ring B /\ (forall f, A f -> B f) /\ B (fun x => phi (g x)).
Proof.
induction 1 as [c| |f h _ F _ H|f h _ F _ H|f _ F]; intros A g HA G.
- exists A. repeat split; auto; apply HA.
- exists A. repeat split; auto; apply HA.
- destruct (F A g HA G) as [B [HB [AB Bf]]], (H B g HB (AB g G)) as [C [HC [BC Ch]]].
  exists C. split; [easy|split; [auto|apply HC; auto]].
- destruct (F A g HA G) as [B [HB [AB Bf]]], (H B g HB (AB g G)) as [C [HC [BC Ch]]].
  exists C. split; [easy|split; [auto|apply HC; auto]].
- destruct (F A g HA G) as [B [HB [AB Bf]]], (with_sigmoid B _ HB Bf) as [C [HC [BC Ch]]].
  exists C. split; [easy|split; auto].
Qed.
