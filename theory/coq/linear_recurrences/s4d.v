(* S4D (Gu et al. 2022) after its discretisation: numbers in conjugate pairs; one number of each pair is stored. *)

From mathcomp Require Import all_ssreflect.
From ratproof Require Import semiring sums automaton.
From ratproof.linear_recurrences.shared Require Import affine complex.
From ratproof.linear_recurrences Require Import lru.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Section Output.
Variables (K : semiring) (S : Type) (d : nat) (minus : K) (re_0 im_0 a b c e : 'I_d -> K) (p r : S -> 'I_d -> K) (Du : S -> K).

(* The step of the LRU, and the output 2 Re((c + ie) z) + Du. *)
Definition s4d_output :=
  output_after (lru_next minus a b p r) (fun x z => real_part minus c e z + real_part minus c e z + Du x) (re_0, im_0).

(* The automaton of 2 N + 2 states: that of the LRU, with twice the output weights. *)
Definition s4d_automaton := lru_automaton minus re_0 im_0 a b (fun i => c i + c i) (fun i => e i + e i) p r Du.

(* The automaton gives every word the same score as the layer, for every size, if weights commute. *)
Theorem s4d : commutative (@times K) -> forall w, score s4d_automaton w = s4d_output w.
Proof.
move=> timesC w; apply: (remembering_after_is_output (memory := fun=> ord0) (number := @part K d)) => // [z x j|z x].
  exact: rotated.
congr (_ + _); move: (lru_next _ _ _ _ _ z x) => {}z; rewrite /real_part sum_sum !sumD.
rewrite (eq_sum (fun i => timesDl (c i) (c i) (z.1 i))) sumD.
rewrite [X in _ = _ + X](_ : _ = \sum_(i : place d) (minus * (e i * z.2 i)) + \sum_(i : place d) (minus * (e i * z.2 i))).
  by rewrite -!plusA; congr (_ + _); rewrite plusC -!plusA; congr (_ + _); apply: plusC.
by rewrite -sumD; apply: eq_sum => i; rewrite /= timesDr timesDl !timesA.
Qed.
End Output.
