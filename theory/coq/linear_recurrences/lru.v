(* The LRU (Orvieto et al. 2023): N complex numbers, and an output that reads their real and imaginary parts. *)

From mathcomp Require Import all_ssreflect.
From ratproof Require Import semiring sums automaton.
From ratproof.linear_recurrences.shared Require Import affine complex.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Section Output.
Variables (K : semiring) (S : Type) (d : nat) (minus : K) (re_0 im_0 a b c e : 'I_d -> K) (p r : S -> 'I_d -> K) (Du : S -> K).

(* Lambda = a + ib, the token's p + ir, and the output Re((c + ie) z) + Du. *)
Definition lru_next := complex_next minus (fun=> a) (fun=> b) p r.
Definition real_part (z : complex K d) : K := \sum_(i : place d) (c i * z.1 i + minus * (e i * z.2 i)).
Definition lru_output := output_after lru_next (fun x z => real_part z + Du x) (re_0, im_0).

(* The automaton of 2 N + 2 states. *)
Definition lru_automaton :=
  @remembering_after K S (place 1) (parts d) ord0 (fun _ _ => ord0) (part (re_0, im_0)) (fun _ => rotation minus (fun=> a) (fun=> b))
    (fun _ x => part (p x, r x)) (fun _ _ => part (c, fun i => minus * e i)) (fun _ => Du).

(* The automaton gives every word the same score as the layer, for every size, if weights commute. *)
Theorem lru : commutative (@times K) -> forall w, score lru_automaton w = lru_output w.
Proof.
move=> timesC w; apply: (remembering_after_is_output (memory := fun=> ord0) (number := @part K d)) => // [z x j|z x].
  exact: rotated.
by congr (_ + _); rewrite /real_part sum_sum sumD; congr (_ + _); apply: eq_sum => i; apply: timesA.
Qed.
End Output.
