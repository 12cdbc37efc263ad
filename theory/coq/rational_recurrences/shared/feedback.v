(* A unit whose forget gate also reads the previous state: no automaton with any number of states computes the unit. *)

From mathcomp Require Import all_ssreflect ssralg ssrnum.
From ratproof Require Import semiring sums automaton instances.
From ratproof.rational_recurrences.shared Require Import no_automaton.
Import GRing.Theory Num.Theory.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Local Open Scope ring_scope.

(* c_t = (f_t + w c_{t-1}) c_{t-1} + u_t, from 0. *)
Definition feedback_next (K : semiring) (S : Type) (w : K) (f u : S -> K) (c : K) (x : S) : K := ((f x + w * c) * c + u x)%W.
Definition feedback (K : semiring) (S : Type) (w : K) (f u : S -> K) : seq S -> K := run (feedback_next w f u) 0%W.

(* With any w other than 0, no automaton with any number of states computes the unit: for f = 0, and u = 2 / w at one symbol and 0 at another, w c is 2,
   4, 16, 256, .... *)
Lemma feedback_is_no_automaton (F : numFieldType) (w : F) : w != 0 ->
  ~ (forall (S : eqType) (f u : S -> F),
     exists (Q : finite) (A : wfa (of_ring F) S Q), forall v, score A v = feedback (w : of_ring F) f u v).
Proof.
move=> w_ne0 all; pose u (x : bool) : F := if x then 2%:R / w else 0.
have [Q [A same]] := all bool_eqType (fun _ => 0) u.
apply: (@squares_are_no_automaton _ _ _ A [:: true] false w) => m; rewrite same.
elim: m => [|m IH]; first by rewrite /feedback /run /= /feedback_next /= !(mulr0, add0r) mulrC divfK.
rewrite one_more /feedback run_rcons -/(feedback _ _ _ _) /feedback_next /= addr0 add0r expnSr exprM -IH expr2 !mulrA; congr (_ * _).
exact: mulrAC.
Qed.
