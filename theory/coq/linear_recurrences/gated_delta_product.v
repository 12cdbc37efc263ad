(* Gated DeltaProduct (Siems et al. 2025) with two steps per token. *)

From mathcomp Require Import all_ssreflect.
From ratproof Require Import semiring sums automaton.
From ratproof.linear_recurrences.shared Require Import affine.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Section Column.
Variables (K : semiring) (S : Type) (d : nat) (s_0 : 'I_d -> K) (minus : K) (g beta1 : S -> K) (k1 : S -> 'I_d -> K) (v1 beta2 : S -> K) (k2 : S -> 'I_d -> K) (v2 : S -> K) (q : S -> 'I_d -> K).
Let only (m : 'I_1) (x : S) : 'I_1 := ord0.

(* One step of one column: decay s_j - beta k_j (sum of k_i decay s_i) + beta k_j v, with minus for -1. *)
Definition delta_step (decay beta : S -> K) (k : S -> 'I_d -> K) (v : S -> K) (s : 'I_d -> K) (x : S) (j : 'I_d) : K :=
  decay x * s j + minus * (beta x * k x j) * (\sum_(i : place d) (k x i * (decay x * s i))) + beta x * (k x j * v x).
Definition gated_delta_product_next (s : 'I_d -> K) (x : S) : 'I_d -> K :=
  delta_step (fun=> 1) beta2 k2 v2 (delta_step g beta1 k1 v1 s x) x.
Definition gated_delta_product_output := output_after gated_delta_product_next (fun x s => \sum_(i : place d) (q x i * s i)) s_0.

(* The matrix and the update of one step. *)
Definition delta_matrix (decay beta : S -> K) (k : S -> 'I_d -> K) (x : S) (i j : 'I_d) : K :=
  move (fun x j => decay x) (one_term (fun x j => minus * (beta x * k x j))) (one_term (fun x i => k x i * decay x)) x i j.
Definition delta_update (beta : S -> K) (k : S -> 'I_d -> K) (v : S -> K) (x : S) (j : 'I_d) : K := beta x * (k x j * v x).

(* The automaton of d + 2 states, with the product of both matrices. *)
Definition gated_delta_product_automaton :=
  @remembering_after K S (place 1) (place d) ord0 only s_0
    (fun _ x i j => \sum_(l : place d) (delta_matrix g beta1 k1 x i l * delta_matrix (fun=> 1) beta2 k2 x l j))
    (fun _ x j => (\sum_(l : place d) (delta_update beta1 k1 v1 x l * delta_matrix (fun=> 1) beta2 k2 x l j)) + delta_update beta2 k2 v2 x j)
    (fun _ => q) (fun _ _ => 0).

Hypothesis timesC : commutative (@times K).

Lemma delta_step_is_affine decay beta k v s x j :
  delta_step decay beta k v s x j = (\sum_(i : place d) (s i * delta_matrix decay beta k x i j)) + delta_update beta k v x j.
Proof. by rewrite /delta_matrix moved // sum_one_term /delta_step /one_term (eq_sum (fun i => timesA _ _ _)). Qed.

(* The automaton gives every word the same score as the layer, for every size, if weights commute. *)
Theorem gated_delta_product word : score gated_delta_product_automaton word = gated_delta_product_output word.
Proof.
apply: (remembering_after_is_output (memory := fun=> ord0) (number := id)) => // [s x j|s x]; last by rewrite plusw0.
rewrite /gated_delta_product_next delta_step_is_affine plusA; congr (_ + _).
transitivity (\sum_(l : place d) ((\sum_(i : place d) (s i * delta_matrix g beta1 k1 x i l) + delta_update beta1 k1 v1 x l) * delta_matrix (fun=> 1) beta2 k2 x l j)).
  by apply: eq_sum => l; rewrite delta_step_is_affine.
rewrite (eq_sum (fun l => timesDl _ _ _)) sumD; congr (_ + _).
rewrite (eq_sum (fun l => sum_times _ _)) exchange_sum; apply: eq_sum => i.
by rewrite times_sum; apply: eq_sum => l; rewrite timesA.
Qed.
End Column.
