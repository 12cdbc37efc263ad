(* Second-order networks with a steep sigmoid follow a deterministic automaton on strings of every length (Omlin and Giles 1996). *)

From mathcomp Require Import all_ssreflect ssralg ssrnum.
From ratproof Require Import automaton.
Import Order.TTheory GRing.Theory Num.Theory.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Local Open Scope ring_scope.

Section Sigmoid.
Variables (R : realFieldType) (S : Type) (Q : finType) (delta : Q -> S -> Q) (g : R -> R) (H e : R) (n : nat).

(* A unit for each state: the weight H from the states that lead to it, -H from itself unless it leads to itself, and the bias -H/2. *)
Definition input (h : Q -> R) (x : S) (i : Q) : R := \sum_(j | delta j x == i) h j - (if delta i x == i then 0 else h i).
Definition next_units (h : Q -> R) (x : S) (i : Q) : R := g (H * (input h x i - 2%:R^-1)).

(* The unit of the state is at least 1 - e, and all others are at most e. *)
Definition close (h : Q -> R) (q : Q) : Prop := forall i, 0 <= h i /\ if i == q then 1 - e <= h i else h i <= e.

(* Any increasing function with g(-z) = 1 - g(z) that is not negative, such as the sigmoid. *)
Hypotheses (increasing : {homo g : a b / a <= b}) (symmetric : forall z, g (- z) = 1 - g z) (nonnegative : forall z, 0 <= g z).
(* A letter leads at most n states to one state, and the gain H is so large that e is mapped below itself. *)
Hypotheses (H0 : 0 <= H) (e0 : 0 <= e) (two : (1 < n)%N) (most : forall x i, (#|[pred j | delta j x == i]| <= n)%N).
Hypothesis steep : g (H * (n%:R * e - 2%:R^-1)) <= e.

Lemma one_minus_half : 1 - 2%:R^-1 = 2%:R^-1 :> R.
Proof. by rewrite [X in X - _]splitr div1r addrK. Qed.

Lemma next_close h q x : close h q -> close (next_units h x) (delta q x).
Proof.
move=> near i; split; first exact: nonnegative.
have positive j : 0 <= h j by case: (near j).
have small j : j != q -> h j <= e by case: (near j) => _; case: eqP.
case: eqP => [->|/eqP off].
  apply: (le_trans (y := 1 - g (H * (n%:R * e - 2%:R^-1)))); first by rewrite ler_sub.
  rewrite -symmetric; apply: increasing; rewrite -mulrN; apply: ler_wpmul2l => //.
  have state: 1 - e <= \sum_(j | delta j x == delta q x) h j.
    rewrite (bigD1 q) //=; apply: (le_trans (y := h q)); first by case: (near q); rewrite eqxx.
    by rewrite ler_addl sumr_ge0.
  have self: (if delta (delta q x) x == delta q x then 0 else h (delta q x)) <= e.
    by case: eqP => // moves; apply: small; apply/eqP => same; apply: moves; rewrite {1}same.
  have twice: e + e <= n%:R * e by rewrite -mulr2n -[e *+ 2]mulr_natl ler_wpmul2r // ler_nat.
  rewrite opprB; apply: (le_trans (y := 2%:R^-1 - (e + e))); first by rewrite ler_sub.
  by rewrite -[X in X - (e + e)]one_minus_half addrAC ler_sub // opprD addrA /input ler_sub.
apply: le_trans steep; apply: increasing; apply: ler_wpmul2l => //; rewrite ler_sub //.
apply: (le_trans (y := \sum_(j | delta j x == i) h j)).
  by rewrite /input ler_subl_addr ler_addl; case: eqP.
apply: (le_trans (y := \sum_(j | delta j x == i) e)).
  by apply: ler_sum => j leads; apply: small; apply: contraNneq off => <-; rewrite eq_sym.
by rewrite sumr_const -[e *+ _]mulr_natl ler_wpmul2r // ler_nat most.
Qed.

Theorem omlin_giles h q w : close h q -> close (run next_units h w) (run delta q w).
Proof. by elim/last_ind: w => // w x IH near; rewrite !run_rcons; apply: next_close; apply: IH. Qed.

(* So the units above 1/2 show the state of the automaton after every string. *)
Theorem omlin_giles_run h q w i : e < 2%:R^-1 -> close h q -> (2%:R^-1 < run next_units h w i) = (i == run delta q w).
Proof.
move=> half /(omlin_giles w) /(_ i) [_]; case: eqP => _ bound; last by apply/negbTE; rewrite -leNgt (le_trans bound) ?ltW.
by apply: lt_le_trans bound; rewrite -[X in X < _]one_minus_half ltr_add2l ltr_opp2.
Qed.
End Sigmoid.
