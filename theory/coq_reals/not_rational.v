(* One-unit networks with gates that no automaton with any number of states computes, over any field that contains the real numbers. *)

From Coq Require Import Reals List Lra.
From mathcomp Require Import all_ssreflect ssralg.
From ratproof Require Import semiring sums automaton instances.
From ratproof.rational_recurrences.shared Require Import no_automaton.
From ratproof_reals Require Import gates orbits real_factors.
Import GRing.Theory.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Section Field.
Variables (F : fieldType) (of_real : R -> F).
Hypothesis field : contains_reals of_real.

(* The sequence, and the n - 1 sequences without its first 1, 2, ..., n - 1 numbers. *)
Fixpoint shifts n (c : nat -> R) : seq (nat -> R) := if n is n.+1 then c :: shifts n (fun t => c t.+1) else [::].

Lemma size_shifts n c : size (shifts n c) = n.
Proof. by elim: n c => //= n IH c; rewrite IH. Qed.

Lemma field_shifts n (a : 'I_n -> F) c t :
  field_combination of_real [seq a k | k <- enum 'I_n] (shifts n c) t = (\sum_k a k * of_real (c (k + t)%N))%R.
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
have [||t||b size_b [zero [u [ub u0]]]] := @depend_over_reals F of_real field (card Q).+1 (shifts (card Q).+1 c) [seq a k | k <- enum 'I_(card Q).+1].
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

(* On one letter, let the next value be a function of the previous one that is made of gates and bounded on numbers of any size. If the values
   after some word are bounded and never repeat, no automaton of any size computes the unit. *)
Theorem never_repeating_is_no_automaton M : made_of_gates (next^~ x) -> stays_bounded (next^~ x) ->
  (forall m, Rabs (c m) <= M) -> (forall m n, c m = c n -> m = n) -> no_automaton (run next c_0).
Proof.
move=> gates far bounded apart F of_real Q A field scores.
have [|m|b [zero [u [ub u0]]]] := @recurrence F of_real field S Q A first x (next^~ x) c.
- exact: orbit_of_letter.
- exact: scores.
by apply: u0; apply: (@no_recurrence (next^~ x) c M) zero _ ub => //; apply: orbit_of_letter.
Qed.

(* The conclusion also holds if that function maps an interval into itself and is strictly monotone there, if the interval contains the value after
   the word, and if this value does not return after two steps. *)
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
