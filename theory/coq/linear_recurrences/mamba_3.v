(* Mamba-3 with one input and one output (Lahoti et al. 2026, Propositions 1 and 2). *)

From mathcomp Require Import all_ssreflect.
From ratproof Require Import semiring sums automaton.
From ratproof.linear_recurrences.shared Require Import affine complex.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Section Output.
Variables (K : semiring) (S : Type) (d : nat) (minus : K) (re_0 im_0 last_re_0 last_im_0 : 'I_d -> K).
Variables (a b : S -> 'I_d -> K) (beta gamma : S -> K) (p r c e : S -> 'I_d -> K).
Let only (m : 'I_1) (x : S) : 'I_1 := ord0.

(* The state h and the previous token's input: a h + beta a input + gamma (p + ir), in which a + ib is exp(Delta A). *)
Definition plus_last (x : S) (z last : complex K d) : complex K d := (fun j => z.1 j + beta x * last.1 j, fun j => z.2 j + beta x * last.2 j).
Definition mamba_3_next (state : complex K d * complex K d) (x : S) : complex K d * complex K d :=
  (complex_next minus a b (fun x j => gamma x * p x j) (fun x j => gamma x * r x j) (plus_last x state.1 state.2) x, (p x, r x)).
Definition mamba_3_output :=
  output_after mamba_3_next (fun x state => \sum_(i : place d) (c x i * state.1.1 i + e x i * state.1.2 i)) ((re_0, im_0), (last_re_0, last_im_0)).

(* The automaton of 4 d + 2 states: the numbers of the state (inl) and of the input (inr). *)
Definition with_last : finite := sum_finite (parts d) (parts d).
Definition of_state (state : complex K d * complex K d) (i : ('I_d + 'I_d) + ('I_d + 'I_d)) : K :=
  match i with inl i => part state.1 i | inr i => part state.2 i end.
Definition mamba_3_matrix x (i j : ('I_d + 'I_d) + ('I_d + 'I_d)) : K :=
  match i, j with
  | inl i, inl j => rotation minus a b x i j
  | inr i, inl j => beta x * rotation minus a b x i j
  | _, inr _ => 0
  end.
Definition mamba_3_update x : ('I_d + 'I_d) + ('I_d + 'I_d) -> K :=
  of_state ((fun j => gamma x * p x j, fun j => gamma x * r x j), (p x, r x)).
Definition mamba_3_automaton :=
  @remembering_after K S (place 1) with_last ord0 only (of_state ((re_0, im_0), (last_re_0, last_im_0))) (fun _ => mamba_3_matrix)
    (fun _ => mamba_3_update) (fun _ x => of_state ((c x, e x), (fun=> 0, fun=> 0))) (fun _ _ => 0).

Lemma states_of_mamba_3 : card (option_finite (prod_finite (place 1) (option_finite with_last))) = (4 * d).+2.
Proof. by rewrite states_of_output !card_sum !card_place mul1n -[4]/(2 * 2)%N -mulnA !mul2n !addnn. Qed.

(* The automaton gives every word the same score as the layer, for every size, if weights commute. *)
Theorem mamba_3 : commutative (@times K) -> forall w, score mamba_3_automaton w = mamba_3_output w.
Proof.
move=> timesC w; apply: (remembering_after_is_output (memory := fun=> ord0) (number := of_state)) => // [s x [j|j]|s x].
- rewrite sum_sum [LHS]/= rotated //; congr (_ + _); rewrite -sumD; apply: eq_sum => i /=.
  rewrite timesA (timesC (part s.2 i)) -timesDl; congr (_ * _); by case: i.
- by rewrite sum_sum /= !(eq_sum (fun i => timesw0 _)) !sum0 !plus0w; case: j.
rewrite plusw0 !sum_sum /= !(eq_sum (fun i => times0w _)) !sum0 !plusw0 sumD; congr (_ + _).
Qed.
End Output.
