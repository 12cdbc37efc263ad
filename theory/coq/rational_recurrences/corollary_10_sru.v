(* Corollary 10, the simple recurrent unit SRU (Peng et al. 2018, section 4.1), in a ring. *)

From mathcomp Require Import all_ssreflect ssralg ssrnum.
From ratproof Require Import semiring sums automaton instances.
From ratproof.rational_recurrences Require Import proposition_7.
From ratproof.rational_recurrences.shared Require Import complement.
From ratproof.rational_recurrences.shared Require Import feedback.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Local Open Scope ring_scope.

(* c_t = f_t c_{t-1} + (1 - f_t) z_t, with z = W v: a cell of SRU. *)
Definition sru (R : ringType) (S : Type) (c_0 : R) (f z : S -> R) : seq S -> R := run (fun c x => f x * c + (1 - f x) * z x) c_0.

(* Figure 1 with phi = f, mu = (1 - f) z and lambda(q_1) = c_0 gives every word the same score as the cell. *)
Theorem corollary_10_sru (R : comRingType) (S : Type) (c_0 : R) (f z : S -> R) w :
  score (figure_1 (f : S -> of_ring R) (fun x => (1 - f x) * z x) c_0) w = sru c_0 f z w.
Proof. exact: complemented_is_figure_1. Qed.

(* With mu = z, as in section 4.1 for inputs, the word of one symbol has the score 1 if f = 1, z = 1 and c_0 = 0, but the cell is 0. *)
Theorem printed_input_representation_is_refuted (R : comRingType) :
  let one := fun _ : Datatypes.unit => 1 : of_ring R in score (figure_1 one one 0) [:: tt] <> sru 0 one one [:: tt].
Proof. exact: complemented_is_not_without_complement. Qed.

(* If the forget gate also reads the previous state, with any weight w other than 0, no automaton with any number of states computes the unit. *)
Theorem without_memoryless_gates_is_refuted (F : numFieldType) (w : F) : w != 0%R ->
  ~ (forall (S : eqType) (f u : S -> F),
     exists (Q : finite) (A : wfa (of_ring F) S Q), forall v, score A v = feedback (w : of_ring F) f u v).
Proof. exact: feedback_is_no_automaton. Qed.
