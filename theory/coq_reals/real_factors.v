(* If sequences of real numbers are linearly dependent over a field that contains the real numbers, they are so over the real numbers. *)

From Coq Require Import Reals List Classical.
From mathcomp Require Import all_ssreflect ssralg.
Import GRing.Theory.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Section Field.
Variables (F : fieldType) (of_real : R -> F).
(* F contains the real numbers. *)
Definition contains_reals : Prop :=
  of_real (IZR 1) = 1%R /\ (forall x y, of_real (Rplus x y) = (of_real x + of_real y)%R) /\
  (forall x y, of_real (Rmult x y) = (of_real x * of_real y)%R).
Hypothesis field : contains_reals.
Let one' : of_real (IZR 1) = 1%R := proj1 field.
Let plus' := proj1 (proj2 field).
Let times' := proj2 (proj2 field).

(* Combinations of sequences, with factors of either field. *)
Fixpoint field_combination (a : seq F) (xs : seq (nat -> R)) t : F :=
  match a, xs with u :: a, x :: xs => (u * of_real (x t) + field_combination a xs t)%R | _, _ => 0%R end.
Fixpoint real_combination (b : seq R) (xs : seq (nat -> R)) t : R :=
  match b, xs with u :: b, x :: xs => Rplus (Rmult u (x t)) (real_combination b xs t) | _, _ => R0 end.

Lemma of_real0 : of_real R0 = 0%R.
Proof. by apply: (addrI (of_real R0)); rewrite -plus' Rplus_0_r addr0. Qed.

Lemma of_real_ne0 x : x <> R0 -> of_real x != 0%R.
Proof.
move=> ne; apply/eqP => x0; have /eqP := one'; rewrite -(Rinv_l x ne) times' x0 mulr0 eq_sym; exact/negP/oner_neq0.
Qed.

(* The sequences minus the multiples of f that make them 0 at s, where f is not 0. *)
Definition reduced (f : nat -> R) s := map (fun x t => Rplus (x t) (Ropp (Rmult (Rmult (x s) (Rinv (f s))) (f t)))).

Lemma field_reduced f s a xs t :
  field_combination a (reduced f s xs) t = (field_combination a xs t - field_combination a xs s * of_real (Rmult (/ f s) (f t)))%R.
Proof.
have opp x : of_real (Ropp x) = (- of_real x)%R by apply: (addrI (of_real x)); rewrite -plus' Rplus_opp_r of_real0 subrr.
elim: a xs => [|u a IH] [|x xs] //=; rewrite ?mul0r ?subr0 // IH plus' opp !times'.
by rewrite mulrBr mulrDl opprD addrACA !mulrA.
Qed.

Lemma real_reduced f s b xs t :
  real_combination b (reduced f s xs) t = Rplus (Rmult (Ropp (Rmult (real_combination b xs s) (/ f s))) (f t)) (real_combination b xs t).
Proof. elim: b xs => [|u b IH] [|x xs] /=; rewrite ?IH; ring. Qed.

Lemma field_zero a xs t : ~~ has (fun v => v != 0%R) a -> field_combination a xs t = 0%R.
Proof. by elim: a xs => [|u a IH] [|x xs] //=; rewrite negb_or negbK => /andP[/eqP-> no]; rewrite IH // mul0r addr0. Qed.

(* Sequences of real numbers that are linearly dependent over the field are linearly dependent over the real numbers. *)
Lemma depend_over_reals n : forall xs a, size xs = n -> size a = n ->
  (forall t, field_combination a xs t = 0%R) -> (exists2 u, u \in a & u != 0%R) ->
  exists2 b, (size b <= n)%N & (forall t, real_combination b xs t = R0) /\ exists u, In u b /\ u <> R0.
Proof.
elim: n => [|n IH] [|f xs] [|u a] //=; first by move=> _ _ _ [].
move=> [size_xs] [size_a] zero nonzero.
case: (classic (exists s, f s <> R0)) => [[s fs]|no]; last first.
  exists [:: R1] => //; split=> [t /=|]; last by exists R1; split; [left|exact: R1_neq_R0].
  have -> : f t = R0 by apply: NNPP => ne; apply: no; exists t.
  ring.
have a_s : (field_combination a xs s = - (u * of_real (f s)))%R by apply/eqP; rewrite -addr_eq0 addrC zero.
have u_alone : has (fun v => v != 0%R) a.
  case: nonzero => v; rewrite inE => /orP[/eqP->|va] v0; last by apply/hasP; exists v.
  apply: contraT => no; have := a_s; rewrite field_zero // => /esym/eqP.
  by rewrite oppr_eq0 mulf_eq0 (negbTE v0) (negbTE (of_real_ne0 fs)).
have [||t||b size_b [zero_b [v [vb v0]]]] := IH (reduced f s xs) a.
- by rewrite size_map.
- by [].
- rewrite field_reduced a_s mulNr opprK -mulrA -times' -Rmult_assoc Rinv_r // Rmult_1_l.
  by apply/eqP; rewrite addrC zero.
- by have /hasP[v va v0] := u_alone; exists v.
exists (Ropp (Rmult (real_combination b xs s) (/ f s)) :: b); first exact: size_b.
split=> [t /=|]; last by exists v; split; [right|].
by rewrite -real_reduced.
Qed.
End Field.
