(* DeltaNet (Schlag et al. 2021, section 4.2). *)

From mathcomp Require Import all_ssreflect.
From ratproof Require Import semiring sums automaton.
From ratproof.linear_recurrences.shared Require Import affine.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Section Column.
Variables (K : semiring) (S : Type) (d : nat) (s_0 : 'I_d -> K) (minus : K) (beta : S -> K) (q k : S -> 'I_d -> K) (v : S -> K).

(* One column of S: s_j + beta k_j (v - k^T s), with minus for -1. *)
Definition delta_net_next (s : 'I_d -> K) (x : S) (j : 'I_d) : K := s j + beta x * (k x j * (v x + minus * (\sum_(i : place d) (k x i * s i)))).
Definition delta_net_output := output_after delta_net_next (fun x s => \sum_(i : place d) (q x i * s i)) s_0.

(* The automaton of d + 2 states. *)
Definition delta_net_automaton :=
  reading_after s_0 (fun x j => 1) (one_term (fun x j => minus * (beta x * k x j))) (one_term (fun x i => k x i))
    (fun x j => beta x * (k x j * v x)) q (fun x => 0).

(* The automaton gives every word the same score as the layer, for every size, if weights commute. *)
Theorem delta_net : commutative (@times K) -> forall w, score delta_net_automaton w = delta_net_output w.
Proof.
move=> timesC w; apply: reading_after_is_output => // [s x j|x s]; last by rewrite plusw0.
rewrite /affine sum_one_term times1w /one_term /= -plusA; congr (_ + _).
rewrite !timesDr plusC; congr (_ + _).
by rewrite !timesA -(timesA minus) (timesC minus).
Qed.
End Column.
