(* A unit whose update is weighted by the complement of its forget gate (Peng et al. 2018, sections 3.2, 4.1 and 5.2 and appendix D), in a
   ring: the common part of SRU, T-RNN and RRNN(B). *)

From mathcomp Require Import all_ssreflect ssralg ssrnum.
From ratproof Require Import semiring sums automaton instances.
From ratproof.rational_recurrences Require Import proposition_7.
From ratproof.rational_recurrences.shared Require Import rational.
Import GRing.Theory.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Local Open Scope ring_scope.

(* The input z, weighted by the complement of the forget gate f. *)
Definition weighed (R : ringType) (f z : R) : R := (1 - f) * z.

(* c_t = f_t c_{t-1} + (1 - f_t) z_t. *)
Definition complemented (R : ringType) (S : Type) (c_0 : R) (f z : S -> R) := run (fun c x => f x * c + weighed (f x) (z x)) c_0.

(* Figure 1 with phi = f, mu = (1 - f) z and lambda(q_1) = c_0 gives every word the same score as the unit. *)
Lemma complemented_is_figure_1 (R : comRingType) (S : Type) (c_0 : R) (f z : S -> R) w :
  score (figure_1 (f : S -> of_ring R) (fun x => weighed (f x) (z x)) c_0) w = complemented c_0 f z w.
Proof. by rewrite proposition_7 //; apply: of_ring_commutes. Qed.

(* With mu = z, the word of one symbol has the score 1 if f = 1, z = 1 and c_0 = 0, but the unit is 0. *)
Lemma complemented_is_not_without_complement (R : comRingType) :
  let one := fun _ : Datatypes.unit => 1 : of_ring R in score (figure_1 one one 0) [:: tt] <> complemented 0 one one [:: tt].
Proof.
move=> one; evaluated; rewrite /complemented /run /= /weighed subrr mul0r mulr0 addr0.
rewrite /entries /entry /= /one !(mul0r, mul1r, mulr0, mulr1, add0r, addr0) => /eqP.
by rewrite oner_eq0.
Qed.

(* d such units are rational (Definition 8). *)
Theorem complemented_is_rational (R : comRingType) (S : Type) d (c_0 : 'I_d -> R) (f z : 'I_d -> S -> R) :
  @rational (of_ring R) S d (fun w i => complemented (c_0 i) (f i) (z i) w).
Proof.
exists (fun=> place 2), (fun i => figure_1 (f i : S -> of_ring R) (fun x => weighed (f i x) (z i x)) (c_0 i)) => w i.
by rewrite complemented_is_figure_1.
Qed.
