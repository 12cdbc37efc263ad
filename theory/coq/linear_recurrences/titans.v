(* The linear memory of Titans (Behrouz et al. 2024, section 3.1). *)

From mathcomp Require Import all_ssreflect.
From ratproof Require Import semiring sums automaton.
From ratproof.linear_recurrences.shared Require Import affine momentum.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Section Row.
Variables (K : semiring) (S : Type) (d : nat) (m_0 s_0 : 'I_d -> K) (minus : K) (alpha eta theta : S -> K) (k q : S -> 'I_d -> K) (v : S -> K).

(* One row of the memory: the gradient 2 (m^T k - v) k_j, with minus for -1, the momentum, and 1 - alpha as the memory's decay. *)
Definition gradient (m : 'I_d -> K) (x : S) (j : 'I_d) : K := (1 + 1) * (((\sum_(i : place d) (k x i * m i)) + minus * v x) * k x j).
Definition surprise (state : ('I_d -> K) * ('I_d -> K)) (x : S) (j : 'I_d) : K :=
  eta x * state.2 j + minus * (theta x * gradient state.1 x j).
Definition titans_next state (x : S) : ('I_d -> K) * ('I_d -> K) :=
  (fun j => (1 + minus * alpha x) * state.1 j + surprise state x j, surprise state x).
Definition titans_output := output_after titans_next (fun x state => \sum_(i : place d) (q x i * state.1 i)) (m_0, s_0).

(* The automaton of 2 d + 2 states. *)
Definition descent (x : S) (j : 'I_d) : K := minus * ((1 + 1) * (theta x * k x j)).
Definition titans_automaton :=
  momentum_after m_0 s_0 eta (fun x => 1 + minus * alpha x) (fun=> 1) descent k (fun x j => descent x j * (minus * v x)) q.

(* The automaton gives every word the same score as the layer, for every size, if weights commute. *)
Theorem titans : commutative (@times K) -> forall w, score titans_automaton w = titans_output w.
Proof.
move=> timesC w; apply: momentum_after_is_output => // [s x j|s x j] /=; last by rewrite times1w.
rewrite /surprise /gradient -plusA; congr (_ + _); rewrite -timesDr /descent -!timesA; congr (_ * _).
by rewrite (timesC _ (k x j)) !timesA; congr (_ * _ * _); apply: timesC.
Qed.
End Row.
