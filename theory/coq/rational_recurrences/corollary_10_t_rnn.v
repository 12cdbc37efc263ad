(* Corollary 10, the strongly-typed network T-RNN (Peng et al. 2018, section 4.1), in a ring. *)

From mathcomp Require Import all_ssreflect ssralg ssrnum.
From ratproof Require Import semiring sums automaton instances.
From ratproof.rational_recurrences Require Import proposition_7.
From ratproof.rational_recurrences.shared Require Import complement.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Local Open Scope ring_scope.

(* h_t = f_t h_{t-1} + (1 - f_t) z_t, with z = W v: a hidden unit of T-RNN. *)
Definition t_rnn (R : ringType) (S : Type) (c_0 : R) (f z : S -> R) : seq S -> R := run (fun c x => f x * c + (1 - f x) * z x) c_0.

(* Figure 1 with phi = f, mu = (1 - f) z and lambda(q_1) = c_0 gives every word the same score as the unit. *)
Theorem corollary_10_t_rnn (R : comRingType) (S : Type) (c_0 : R) (f z : S -> R) w :
  score (figure_1 (f : S -> of_ring R) (fun x => (1 - f x) * z x) c_0) w = t_rnn c_0 f z w.
Proof. exact: complemented_is_figure_1. Qed.

(* With mu = z, as in section 4.1 for inputs, the word of one symbol has the score 1 if f = 1, z = 1 and c_0 = 0, but the unit is 0. *)
Theorem printed_input_representation_is_refuted (R : comRingType) :
  let one := fun _ : Datatypes.unit => 1 : of_ring R in score (figure_1 one one 0) [:: tt] <> t_rnn 0 one one [:: tt].
Proof. exact: complemented_is_not_without_complement. Qed.
