(* A diagonal step of complex numbers, which are pairs of weights: (a + ib) (re + i im) + p + ir at each of d places. *)

From mathcomp Require Import all_ssreflect.
From ratproof Require Import semiring sums automaton.
From ratproof.linear_recurrences.shared Require Import affine.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Section Complex.
Variables (K : semiring) (S : Type) (d : nat) (minus : K) (re_0 im_0 : 'I_d -> K) (a b p r : S -> 'I_d -> K).

(* A complex state: a pair of real and imaginary parts. The variable minus is -1. *)
Definition complex : Type := ('I_d -> K) * ('I_d -> K).
Definition complex_next (z : complex) (x : S) : complex :=
  (fun j => a x j * z.1 j + minus * (b x j * z.2 j) + p x j, fun j => b x j * z.1 j + a x j * z.2 j + r x j).

(* The 2 d numbers of a state, and the matrix by which a token changes them. *)
Definition parts : finite := sum_finite (place d) (place d).
Definition part (z : complex) (i : 'I_d + 'I_d) : K := match i with inl i => z.1 i | inr i => z.2 i end.
Definition rotation x (i j : 'I_d + 'I_d) : K :=
  match i, j with
  | inl i, inl j => if i == j then a x j else 0
  | inl i, inr j => if i == j then b x j else 0
  | inr i, inl j => if i == j then minus * b x j else 0
  | inr i, inr j => if i == j then a x j else 0
  end.

Lemma states_of_complex : card (option_finite (prod_finite (place 1) (option_finite parts))) = (2 * d).+2.
Proof. by rewrite states_of_output card_sum !card_place mul1n mul2n addnn. Qed.
Lemma states_of_complex_unit : card (option_finite parts) = (2 * d).+1.
Proof. by rewrite card_option card_sum !card_place mul2n addnn. Qed.

Hypothesis timesC : commutative (@times K).

Lemma at_place (F : 'I_d -> K) (j : 'I_d) c : \sum_(i : place d) (F i * (if i == j then c else 0)) = c * F j.
Proof. by rewrite (sum_at (p := j : place d)) ?eqxx 1?timesC // => i /negbTE ->; apply: timesw0. Qed.

Lemma rotated z x j : part (complex_next z x) j = (\sum_(i : parts) (part z i * rotation x i j)) + part (p x, r x) j.
Proof. by case: j => j; rewrite sum_sum /= !at_place ?timesA. Qed.
End Complex.
