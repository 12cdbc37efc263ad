(* The properties of the exponential that proofs use: it is positive, increasing, and a homomorphism. It is over any ordered field, so no axiom is
   needed. *)

From mathcomp Require Import all_ssreflect ssralg ssrnum.
Import Order.TTheory GRing.Theory Num.Theory.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Local Open Scope ring_scope.

Record exponential (R : realFieldType) := Exponential {
  exp :> R -> R;
  exp_positive : forall x, 0 < exp x;
  exp_increasing : forall x y, x < y -> exp x < exp y;
  exp_adds : forall x y, exp (x + y) = exp x * exp y
}.

Section Exponential.
Variables (R : realFieldType) (e : exponential R).

Lemma exp0 : e 0 = 1.
Proof. by apply: (mulfI (lt0r_neq0 (exp_positive e 0))); rewrite -exp_adds addr0 mulr1. Qed.

Lemma exp_ge0 x : 0 <= e x.
Proof. exact: ltW (exp_positive e x). Qed.

Lemma exp_le x y : x <= y -> e x <= e y.
Proof. by rewrite le_eqVlt => /predU1P[->|/(exp_increasing e)/ltW]. Qed.

Lemma expN x : e (- x) = (e x)^-1.
Proof. by apply: (mulfI (lt0r_neq0 (exp_positive e x))); rewrite -exp_adds subrr exp0 divff ?lt0r_neq0 ?exp_positive. Qed.

Lemma expM x n : e (x *+ n) = e x ^+ n.
Proof. by elim: n => [|n IH]; rewrite ?exp0 // mulrS exp_adds IH exprS. Qed.
End Exponential.
