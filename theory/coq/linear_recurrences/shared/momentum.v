(* Delta rules with momentum: the state consists of a memory and its momentum, which accumulates the changes of the memory. *)

From mathcomp Require Import all_ssreflect.
From ratproof Require Import semiring sums automaton.
From ratproof.linear_recurrences.shared Require Import affine complex.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Section Momentum.
Variables (K : semiring) (S : Type) (d : nat) (s_0 m_0 : 'I_d -> K) (mu keep amount : S -> K) (left right write q : S -> 'I_d -> K).
Let only (m : 'I_1) (x : S) : 'I_1 := ord0.

(* The parts of the state are the memory (inl) and the momentum (inr). The matrix and the update by which a token changes them: *)
Definition momentum_matrix x (i j : 'I_d + 'I_d) : K :=
  match i, j with
  | inl i, inl j => (if i == j then keep x else 0) + amount x * (left x j * right x i)
  | inl i, inr j => left x j * right x i
  | inr i, inl j => if i == j then amount x * mu x else 0
  | inr i, inr j => if i == j then mu x else 0
  end.
Definition momentum_update x (j : 'I_d + 'I_d) : K := match j with inl j => amount x * write x j | inr j => write x j end.

(* The automaton of 2 d + 2 states; the query reads the memory. *)
Definition momentum_after :=
  @remembering_after K S (place 1) (parts d) ord0 only (part (s_0, m_0)) (fun _ => momentum_matrix) (fun _ => momentum_update)
    (fun _ x => part (q x, fun=> 0)) (fun _ _ => 0).

Hypothesis timesC : commutative (@times K).

Lemma of_rank_one (F G : 'I_d -> K) c : \sum_(i : place d) (F i * (c * G i)) = c * \sum_(i : place d) (G i * F i).
Proof. by rewrite times_sum; apply: eq_sum => i; rewrite timesC -timesA. Qed.

(* A network with these steps is the automaton. *)
Variable next : ('I_d -> K) * ('I_d -> K) -> S -> ('I_d -> K) * ('I_d -> K).
Hypothesis momentum_next : forall s x j, (next s x).2 j = mu x * s.2 j + left x j * (\sum_(i : place d) (right x i * s.1 i)) + write x j.
Hypothesis memory_next : forall s x j, (next s x).1 j = keep x * s.1 j + amount x * (next s x).2 j.

Lemma momentum_after_is_output w :
  score momentum_after w = output_after next (fun x s => \sum_(i : place d) (q x i * s.1 i)) (s_0, m_0) w.
Proof.
apply: (remembering_after_is_output (memory := fun=> ord0) (number := @part K d)) => // [s x [j|j]|s x].
- rewrite sum_sum /= at_place // (eq_sum (fun i => timesDr _ _ _)) sumD at_place // memory_next momentum_next.
  rewrite (eq_sum (fun i => congr1 (times _) (timesA _ _ _))) of_rank_one !timesDr !timesA -!plusA; congr (_ + _).
  by rewrite !plusA; congr (_ + _); rewrite plusC.
- rewrite sum_sum /= at_place // of_rank_one momentum_next; congr (_ + _); exact: plusC.
by rewrite sum_sum /= (eq_sum (fun i => times0w _)) sum0 !plusw0.
Qed.
End Momentum.
