(* A unit that reads its previous state through the softsign g(z) = z / (1 + |z|): no automaton with any number of states computes it. *)

From Coq Require Import QArith Qcanon.
From mathcomp Require Import all_ssreflect ssralg ssrnum.
From ratproof Require Import semiring sums automaton instances.
From ratproof.rational_recurrences.shared Require Import no_automaton.
Import GRing.Theory Num.Theory.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Local Open Scope ring_scope.

(* g(z) = z / (1 + |z|), which exact numbers can compute. *)
Definition softsign (F : numFieldType) (z : F) : F := z / (1 + `|z|).

(* The softsign over the rational numbers with which Coq computes. *)
Definition rational_softsign (z : rationals) : rationals := Qcdiv z (Qcplus (Q2Qc 1) (if Qle_bool (this z) 0 then Qcopp z else z)).

(* A value that is g(1) = 1/2 after a first symbol, and to which each further symbol applies g: 1/2, 1/3, 1/4, .... *)
Lemma softsign_is_no_automaton (F : numFieldType) (Q : finite) (A : wfa (of_ring F) bool_eqType Q) (value : seq bool -> F) :
  value [:: true] = softsign 1 -> (forall w, value (rcons w false) = softsign (value w)) -> ~ (forall w, score A w = value w).
Proof.
move=> begin go_on same; apply: (@reciprocals_are_no_automaton _ _ _ A [:: true] false 1) => m; rewrite mul1r same.
elim: m => [|m IH]; first by rewrite begin /softsign normr1 mul1r.
rewrite one_more go_on IH /softsign ger0_norm ?invr_ge0 ?ler0n // -invfM mulrDr mulr1 mulfV ?pnatr_eq0 //.
by rewrite -[1]/(1%:R) -natrD addn1.
Qed.
