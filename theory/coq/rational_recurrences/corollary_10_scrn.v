(* Corollary 10 for the context units of the structurally constrained network SCRN (Peng et al. 2018, section 4.1), in a ring. *)

From mathcomp Require Import all_ssreflect ssralg ssrnum.
From ratproof Require Import semiring sums automaton instances.
From ratproof.rational_recurrences Require Import proposition_7.
From ratproof.rational_recurrences.shared Require Import softsign.
Import GRing.Theory Num.Theory.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Local Open Scope ring_scope.

Section Corollary10.
Variables (R : comRingType) (S : Type) (c_0 : R) (alpha : R) (z : S -> R).

(* s_t = (1 - alpha) z_t + alpha s_{t-1}, with z = B v: a context unit of SCRN. *)
Definition context_unit := run (fun s x => (1 - alpha) * z x + alpha * s) c_0.

(* Figure 1 with phi = alpha and mu = (1 - alpha) z gives every word the same score as a context unit. *)
Theorem corollary_10_scrn w : score (figure_1 (fun _ : S => alpha : of_ring R) (fun x => (1 - alpha) * z x) c_0) w = context_unit w.
Proof.
rewrite proposition_7; last exact: of_ring_commutes.
elim/last_ind: w => // w x IH; rewrite /unit /context_unit !run_rcons -/(unit _ _ _ w) -/(context_unit w) IH.
exact: addrC.
Qed.
End Corollary10.

(* h_t = g(z(x_t) + r h_{t-1}): a hidden unit of SCRN, without context. *)
Definition hidden_unit (K : semiring) (S : Type) (g : K -> K) (h_0 r : K) (z : S -> K) : seq S -> K := run (fun h x => g (z x + r * h)%W) h_0.

(* No automaton with any number of states computes hidden units with g(z) = z / (1 + |z|): for r = 1, and z = 1 at one symbol and 0 at another,
   they are 1/2, 1/3, 1/4, .... *)
Theorem printed_is_refuted (F : numFieldType) :
  ~ (forall (S : eqType) (r : F) (z : S -> F),
     exists (Q : finite) (A : wfa (of_ring F) S Q), forall w, score A w = hidden_unit (@softsign F : of_ring F -> of_ring F) 0 r z w).
Proof.
move=> all; pose z (x : bool) : F := if x then 1 else 0; have [Q [A]] := all bool_eqType 1 z.
apply: softsign_is_no_automaton => [|w]; first by rewrite /hidden_unit /run /= mulr0 addr0.
by rewrite /hidden_unit run_rcons /= mul1r add0r.
Qed.
