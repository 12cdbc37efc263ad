(* Corollary 10, the structurally constrained network SCRN (Peng et al. 2018, section 4.1), in a ring: its context units. *)

From mathcomp Require Import all_ssreflect all_algebra.
From ratproof Require Import semiring sums automaton instances.
From ratproof.rational_recurrences Require Import proposition_7.
Import GRing.Theory.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Local Open Scope ring_scope.

Section Corollary10.
Variables (R : comRingType) (S : Type) (c_0 : R) (alpha : R) (z : S -> R).

(* s_t = (1 - alpha) z_t + alpha s_{t-1}, with z = B v: a context unit of SCRN. *)
Definition context_unit := run (fun s x => (1 - alpha) * z x + alpha * s) c_0.

(* Figure 1 with phi = alpha and mu = (1 - alpha) z scores every word as a context unit does. *)
Theorem corollary_10_scrn w : score (figure_1 (fun _ : S => alpha : of_ring R) (fun x => (1 - alpha) * z x) c_0) w = context_unit w.
Proof.
rewrite proposition_7; last exact: of_ring_commutes.
elim/last_ind: w => // w x IH; rewrite /unit /context_unit !run_rcons -/(unit _ _ _ w) -/(context_unit w) IH.
exact: addrC.
Qed.
End Corollary10.
