(* RRNN(C) (Peng et al. 2018, section 4.2 and appendix D): the three-state automaton of Figure 2. *)

From mathcomp Require Import all_ssreflect ssralg ssrnum.
From ratproof Require Import semiring sums automaton instances.
From ratproof.rational_recurrences.shared Require Import rational complement.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Section ModelC.
Variables (K : semiring) (S : Type) (c1_0 c2_0 : K) (f1 u1 f2 u2 : S -> K).

(* c1 = c1 f1 + u1 (equation 25c), and c2 = c2 f2 + c1 u2 (equation 25d), from the values at t - 1. *)
Definition pair_next (c : K * K) (x : S) : K * K := (c.1 * f1 x + u1 x, c.2 * f2 x + c.1 * u2 x).
Definition rrnn_c (w : seq S) : K := (run pair_next (c1_0, c2_0) w).2.

(* Figure 2 with mu_j = u_j and phi_j = f_j, and lambda(q_j) = cj_0. *)
Definition figure_2 : wfa K S (place 3) :=
  of_lists 3 [:: 1; c1_0; c2_0] (fun x => [:: [:: 1; u1 x; 0]; [:: 0; f1 x; u2 x]; [:: 0; 0; f2 x]]) [:: 0; 0; 1].

(* Figure 2 gives every word the same score as the network, in every semiring. *)
Theorem model_c w : score figure_2 w = rrnn_c w.
Proof.
rewrite (score_is_inv (next := pair_next) (start := (c1_0, c2_0)) (inv := fun c (q : 'I_3) => entry [:: 1; c.1; c.2] q)).
- by written_out.
- by case=> [[|[|[|]]]].
by move=> c x [[|[|[|]]]] //= _; written_out; rewrite // plusC.
Qed.
End ModelC.

(* With mu_j = z_j = W_u v instead of (1 - f_j) z_j, as in section 6.1, the word of two symbols has the score 1 if f2 = z1 = z2 = 1 and everything
   else is 0, but the network is 0. *)
Theorem printed_section_6_1_is_refuted (R : ringType) :
  ~ (forall (S : Type) (f1 z1 f2 z2 : S -> of_ring R) w,
     score (figure_2 0 0 f1 z1 f2 z2) w =
     rrnn_c 0 0 f1 (fun x => weighed (f1 x) (z1 x)) f2 (fun x => weighed (f2 x) (z2 x)) w).
Proof.
move=> all; have := all unit (fun _ => 0) (fun _ => 1) (fun _ => 1) (fun _ => 1) [:: tt; tt].
rewrite model_c /rrnn_c /run /= /weighed.
rewrite !(GRing.subrr, GRing.subr0, GRing.mulr0, GRing.mul0r, GRing.mulr1, GRing.mul1r, GRing.add0r, GRing.addr0) => /eqP.
by rewrite GRing.oner_eq0.
Qed.

(* d units of RRNN(C) are rational (Definition 8). *)
Theorem rrnn_c_is_rational (K : semiring) (S : Type) d (c1_0 c2_0 : 'I_d -> K) (f1 u1 f2 u2 : 'I_d -> S -> K) :
  rational (fun w i => rrnn_c (c1_0 i) (c2_0 i) (f1 i) (u1 i) (f2 i) (u2 i) w).
Proof.
by exists (fun=> place 3), (fun i => figure_2 (c1_0 i) (c2_0 i) (f1 i) (u1 i) (f2 i) (u2 i)) => w i; rewrite model_c.
Qed.
