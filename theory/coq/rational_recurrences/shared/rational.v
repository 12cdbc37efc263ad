(* Definition 8 (Peng et al. 2018, section 3.2): which recurrences of d units are rational. *)

From mathcomp Require Import all_ssreflect.
From ratproof Require Import semiring sums automaton.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

(* Definition 8: c : S* -> K^d is rational if there are d weighted automata A_1, ..., A_d with [c(x)]_i = A_i[x] for all words x
   (equation 9). *)
Definition rational (K : semiring) (S : Type) d (c : seq S -> 'I_d -> K) : Prop :=
  exists (Q : 'I_d -> finite) (A : forall i, wfa K S (Q i)), forall x i, c x i = score (A i) x.
