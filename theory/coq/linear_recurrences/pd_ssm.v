(* PD-SSM (Terzic et al. 2025): N complex numbers, a matrix P for each token, and the output of the LRU. *)

From mathcomp Require Import all_ssreflect.
From ratproof Require Import semiring sums automaton.
From ratproof.linear_recurrences.shared Require Import affine complex.
From ratproof.linear_recurrences Require Import lru.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Section Output.
Variables (K : semiring) (S : Type) (d : nat) (minus : K) (re_0 im_0 c e : 'I_d -> K) (P : S -> 'I_d -> 'I_d -> K) (a b p r : S -> 'I_d -> K) (Du : S -> K).
Let only (m : 'I_1) (x : S) : 'I_1 := ord0.

(* P times the diagonal a + ib, and the token's p + ir, with separate real and imaginary parts. *)
Definition pd_ssm_next (z : complex K d) (x : S) : complex K d :=
  (fun j => (\sum_(i : place d) (P x j i * (a x i * z.1 i + minus * (b x i * z.2 i)))) + p x j,
   fun j => (\sum_(i : place d) (P x j i * (b x i * z.1 i + a x i * z.2 i))) + r x j).
Definition pd_ssm_output := output_after pd_ssm_next (fun x z => real_part minus c e z + Du x) (re_0, im_0).

(* The automaton of 2 N + 2 states. *)
Definition pd_ssm_matrix x (i j : 'I_d + 'I_d) : K :=
  match i, j with
  | inl i, inl j => P x j i * a x i
  | inl i, inr j => P x j i * b x i
  | inr i, inl j => P x j i * (minus * b x i)
  | inr i, inr j => P x j i * a x i
  end.
Definition pd_ssm_automaton :=
  @remembering_after K S (place 1) (parts d) ord0 only (part (re_0, im_0)) (fun _ => pd_ssm_matrix)
    (fun _ x => part (p x, r x)) (fun _ _ => part (c, fun i => minus * e i)) (fun _ => Du).

(* The automaton gives every word the same score as the layer, for every size, if weights commute. *)
Theorem pd_ssm : commutative (@times K) -> forall w, score pd_ssm_automaton w = pd_ssm_output w.
Proof.
move=> timesC w; apply: (remembering_after_is_output (memory := fun=> ord0) (number := @part K d)) => // [z x [j|j]|z x].
- by rewrite sum_sum /= -sumD; congr (_ + _); apply: eq_sum => i; rewrite timesDr !timesA !(timesC _ (z.1 i)) !(timesC _ (z.2 i)) !timesA.
- by rewrite sum_sum /= -sumD; congr (_ + _); apply: eq_sum => i; rewrite timesDr !timesA !(timesC _ (z.1 i)) !(timesC _ (z.2 i)) !timesA.
by congr (_ + _); rewrite /real_part sum_sum sumD; congr (_ + _); apply: eq_sum => i; apply: timesA.
Qed.
End Output.
