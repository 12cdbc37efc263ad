(* Corollary 14 (Peng et al. 2018, section 4.3): an Elman network without its nonlinearity is rational. *)

From mathcomp Require Import all_ssreflect.
From ratproof Require Import semiring sums automaton.
From ratproof.rational_recurrences Require Import proposition_13.
From ratproof.rational_recurrences.shared Require Import rational.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

(* c_t = W_c c_{t-1} + v_t, with W_v times the symbol's vector plus b_c for v: an ISAN whose matrix no symbol changes. *)
Definition linear_elman_next (K : semiring) (S : Type) d (W_c : 'I_d -> 'I_d -> K) (v : S -> 'I_d -> K) (c : 'I_d -> K) (x : S) (i : 'I_d) : K :=
  (\sum_(j : place d) W_c i j * c j) + v x i.
Definition linear_elman (K : semiring) (S : Type) d (c_0 : 'I_d -> K) (W_c : 'I_d -> 'I_d -> K) (v : S -> 'I_d -> K) :=
  run (linear_elman_next W_c v) c_0.

(* One state for the number 1 and one for each unit: d + 1 states are the unit i. *)
Theorem corollary_14 (K : semiring) (S : Type) d (c_0 : 'I_d -> K) (W_c : 'I_d -> 'I_d -> K) (v : S -> 'I_d -> K) i w :
  commutative (@times K) -> score (with_one_more_state c_0 (fun _ => W_c) v i) w = linear_elman c_0 W_c v w i.
Proof. by move=> timesC; rewrite proposition_13_with_fewer_states. Qed.

(* Its d units are rational (Definition 8). *)
Theorem linear_elman_is_rational (K : semiring) (S : Type) d (c_0 : 'I_d -> K) W_c (v : S -> 'I_d -> K) :
  commutative (@times K) -> rational (linear_elman c_0 W_c v).
Proof. by move=> timesC; exact: isan_is_rational. Qed.
