(* An LSTM whose gates read only the symbol (Peng et al. 2018, section 4.3): its cell state is the unit of Proposition 7. *)

From mathcomp Require Import all_ssreflect.
From ratproof Require Import semiring sums automaton instances.
From ratproof.rational_recurrences Require Import proposition_7.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

(* c_t = f_t c_{t-1} + i_t g_t. *)
Definition input_only_lstm (K : semiring) (S : Type) (c_0 : K) (f i g : S -> K) : seq S -> K := run (fun c x => f x * c + i x * g x) c_0.

Theorem section_4_3 (K : semiring) (S : Type) (c_0 : K) (f i g : S -> K) : commutative (@times K) -> forall w,
  score (figure_1 f (fun x => i x * g x) c_0) w = input_only_lstm c_0 f i g w.
Proof. by move=> timesC w; rewrite proposition_7. Qed.
