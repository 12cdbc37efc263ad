(* Networks of one unit with gates that are no automata, with any number of states, over any field that contains the real numbers. *)

From Coq Require Import Reals List Lra Classical.
From mathcomp Require Import all_ssreflect ssralg.
From ratproof Require Import semiring sums automaton instances.
From ratproof.rational_recurrences.shared Require Import no_automaton.
From ratproof_reals Require Import gates orbits.
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

(* What is left of the sequences without their part along the first one, which is not 0 at s. *)
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

(* Sequences of real numbers that depend on each other over the field depend on each other over the real numbers. *)
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

(* The sequence and the n - 1 that it becomes without its first numbers. *)
Fixpoint shifts n (c : nat -> R) : seq (nat -> R) := if n is n.+1 then c :: shifts n (fun t => c t.+1) else [::].

Lemma size_shifts n c : size (shifts n c) = n.
Proof. by elim: n c => //= n IH c; rewrite IH. Qed.

Lemma field_shifts n (a : 'I_n -> F) c t :
  field_combination [seq a k | k <- enum 'I_n] (shifts n c) t = (\sum_k a k * of_real (c (k + t)%N))%R.
Proof.
elim: n a c => [|n IH] a c; first by rewrite big_ord0 (size0nil (size_enum_ord 0)).
rewrite enum_ordSl /= -map_comp big_ord_recl IH add0n; congr (_ + _)%R.
Qed.

Lemma real_shifts n phi b (c : nat -> R) t : (forall m, c m.+1 = phi (c m)) -> (size b <= n)%N ->
  real_combination b (shifts n c) t = combination b phi (c t).
Proof. by move=> orbit; elim: n b c orbit => [|n IH] [|u b] c orbit //= size_b; rewrite (IH _ (fun t => c t.+1)) ?orbit. Qed.

(* An automaton gives the values a linear recurrence over the real numbers. *)
Lemma recurrence (S : eqType) (Q : finite) (A : wfa (of_ring F) S Q) first x phi c :
  (forall m, c m.+1 = phi (c m)) -> (forall m, score A (first ++ nseq m x) = of_real (c m)) ->
  exists b, (forall n, combination b phi (c n) = R0) /\ exists u, In u b /\ u <> R0.
Proof.
move=> orbit scores; have [a [k a_k] depend] := rows_depend A first x 1%R.
have [||t||b size_b [zero [u [ub u0]]]] := @depend_over_reals (card Q).+1 (shifts (card Q).+1 c) [seq a k | k <- enum 'I_(card Q).+1].
- by rewrite size_shifts.
- by rewrite size_map size_enum_ord.
- by rewrite field_shifts -[RHS](depend t); apply: eq_bigr => i _; rewrite mul1r scores.
- by exists (a k) => //; apply: map_f; rewrite mem_enum.
exists b; split=> [n|]; last by exists u.
by rewrite -[RHS](zero n) (@real_shifts _ phi).
Qed.
End Field.

(* No automaton with any number of states, over any field that contains the real numbers, computes the unit. *)
Definition no_automaton (S : eqType) (unit : seq S -> R) : Prop :=
  forall (F : fieldType) (of_real : R -> F) (Q : finite) (A : wfa (of_ring F) S Q),
    contains_reals of_real -> ~ forall w, score A w = of_real (unit w).

Section Letter.
Variables (S : eqType) (next : R -> S -> R) (c_0 : R) (first : seq S) (x : S).
Let c m := run next c_0 (first ++ nseq m x).

Lemma orbit_of_letter m : c m.+1 = next (c m) x.
Proof. by rewrite /c one_more run_rcons. Qed.

(* If, on one letter, the next value is a function of the last one that is made of gates and bounded on numbers of any size, and the values after
   some word are bounded and never repeat, the unit is no automaton of any size. *)
Theorem never_repeating_is_no_automaton M : made_of_gates (next^~ x) -> stays_bounded (next^~ x) ->
  (forall m, Rabs (c m) <= M) -> (forall m n, c m = c n -> m = n) -> no_automaton (run next c_0).
Proof.
move=> gates far bounded apart F of_real Q A field scores.
have [|m|b [zero [u [ub u0]]]] := @recurrence F of_real field S Q A first x (next^~ x) c.
- exact: orbit_of_letter.
- exact: scores.
by apply: u0; apply: (@no_recurrence (next^~ x) c M) zero _ ub => //; apply: orbit_of_letter.
Qed.

(* The same, if that function maps an interval that contains the value after the word into itself and is strictly monotone there, and the value
   does not return after two steps. *)
Theorem monotone_is_no_automaton low high : made_of_gates (next^~ x) -> stays_bounded (next^~ x) ->
  (forall t, low <= t <= high -> low <= next t x <= high) -> strictly_monotone (fun t => low <= t <= high) (next^~ x) ->
  low <= run next c_0 first <= high -> run next c_0 (first ++ [:: x; x]) <> run next c_0 first -> no_automaton (run next c_0).
Proof.
move=> gates far into mono start two; have c0 : c 0 = run next c_0 first by rewrite /c cats0.
have inside m : low <= c m <= high by elim: m => [|m IH]; [rewrite c0|rewrite orbit_of_letter; apply: into].
apply: (@never_repeating_is_no_automaton (Rmax (Rabs low) (Rabs high))) => // [m|].
  by have := inside m; rewrite /Rmax; case: Rle_dec; split_Rabs; lra.
by apply: (never_repeats _ _ _ orbit_of_letter inside mono); rewrite c0.
Qed.
End Letter.
