(* Momentum DeltaNet (Huang et al. 2026). *)

From mathcomp Require Import all_ssreflect.
From ratproof Require Import semiring sums automaton.
From ratproof.linear_recurrences.shared Require Import affine momentum.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Section Column.
Variables (K : semiring) (S : Type) (d : nat) (s_0 m_0 : 'I_d -> K) (minus : K) (alpha mu beta eta : S -> K) (p k q : S -> 'I_d -> K) (v : S -> K).

(* One column: the momentum mu m_j - eta k_j (v - p^T s), with minus for -1, and the memory alpha s_j - beta m_j. *)
Definition new_momentum (state : ('I_d -> K) * ('I_d -> K)) (x : S) (j : 'I_d) : K :=
  mu x * state.2 j + minus * (eta x * k x j * (v x + minus * (\sum_(i : place d) (p x i * state.1 i)))).
Definition momentum_delta_net_next state (x : S) : ('I_d -> K) * ('I_d -> K) :=
  (fun j => alpha x * state.1 j + minus * (beta x * new_momentum state x j), new_momentum state x).
Definition momentum_delta_net_output :=
  output_after momentum_delta_net_next (fun x state => \sum_(i : place d) (q x i * state.1 i)) (s_0, m_0).

(* The automaton of 2 d + 2 states. *)
Definition momentum_delta_net_automaton :=
  momentum_after s_0 m_0 mu alpha (fun x => minus * beta x) (fun x j => minus * (eta x * k x j * minus)) p
    (fun x j => minus * (eta x * k x j * v x)) q.

(* The automaton gives every word the same score as the layer, for every size, if weights commute. *)
Theorem momentum_delta_net : commutative (@times K) -> forall w, score momentum_delta_net_automaton w = momentum_delta_net_output w.
Proof.
move=> timesC w; apply: momentum_after_is_output => // [s x j|s x j] /=; last by rewrite timesA.
by rewrite /new_momentum !timesDr !timesA -!plusA; congr (_ + _); rewrite plusC.
Qed.
End Column.
