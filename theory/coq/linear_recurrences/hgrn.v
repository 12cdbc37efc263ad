(* A unit of HGRN (Qin et al. 2023): a complex number, whose real and imaginary parts are units; and one without theta, which is real. *)

From mathcomp Require Import all_ssreflect.
From ratproof Require Import semiring sums automaton.
From ratproof.rational_recurrences Require Import proposition_7.
From ratproof.linear_recurrences.shared Require Import affine complex.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

(* The next state is f exp(i theta) h + (1 - f) c. The variable minus is -1; cos and sin are those of theta. *)
Section Unit.
Variables (K : semiring) (S : Type) (minus re_0 im_0 cos sin : K) (f c_re c_im : S -> K).

Definition written (c : S -> K) x : K := (1 + minus * f x) * c x.
Definition hgrn_next (h : K * K) (x : S) : K * K :=
  (f x * (cos * h.1 + minus * (sin * h.2)) + written c_re x, f x * (sin * h.1 + cos * h.2) + written c_im x).
Definition hgrn_unit (unit : 'I_2) (w : seq S) : K := let h := run hgrn_next (re_0, im_0) w in if unit == ord0 then h.1 else h.2.

(* The automaton of three states, whose final one is the unit's part. *)
Definition which (unit : 'I_2) : 'I_1 + 'I_1 := if unit == ord0 then inl ord0 else inr ord0.
Definition hgrn_automaton (unit : 'I_2) :=
  @number_alone K S (parts 1) (part (fun=> re_0, fun=> im_0)) (rotation minus (fun x _ => f x * cos) (fun x _ => f x * sin))
    (fun x => part (fun=> written c_re x, fun=> written c_im x)) (which unit).

(* The automaton gives every word the same score as the unit, if weights commute. *)
Theorem hgrn : commutative (@times K) -> forall unit w, score (hgrn_automaton unit) w = hgrn_unit unit w.
Proof.
move=> timesC unit w; rewrite /hgrn_automaton.
rewrite (number_alone_is_unit (next := hgrn_next) (c_0 := (re_0, im_0)) (number := fun h => part (fun=> h.1, fun=> h.2))) => [||h x j].
- by rewrite /hgrn_unit /which; case: ifP.
- by case.
apply: etrans (rotated minus (fun x _ => f x * cos) (fun x _ => f x * sin) (fun x _ => written c_re x) (fun x _ => written c_im x) timesC _ x j).
case: j => j /=; rewrite timesDr !timesA //.
by rewrite (timesC (f x) minus).
Qed.
End Unit.

Section WithoutTheta.
Variables (K : semiring) (S : Type) (minus h_0 : K) (f c : S -> K).

Definition real_hgrn_next (h : K) (x : S) : K := f x * h + (1 + minus * f x) * c x.
Definition real_hgrn_unit := run real_hgrn_next h_0.

(* The automaton of Figure 1 of Rational Recurrences, with these weights. *)
Definition real_hgrn_automaton := figure_1 f (fun x => (1 + minus * f x) * c x) h_0.

Theorem hgrn_without_theta : commutative (@times K) -> forall w, score real_hgrn_automaton w = real_hgrn_unit w.
Proof. by move=> timesC w; rewrite /real_hgrn_automaton proposition_7. Qed.
End WithoutTheta.
