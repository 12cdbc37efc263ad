(* Gated DeltaNet (Yang et al. 2025, section 3.1). *)

From mathcomp Require Import all_ssreflect.
From ratproof Require Import semiring sums automaton.
From ratproof.linear_recurrences.shared Require Import affine.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Section Column.
Variables (K : semiring) (S : Type) (d : nat) (s_0 : 'I_d -> K) (minus : K) (alpha beta : S -> K) (q k : S -> 'I_d -> K) (v : S -> K).

(* One column of S: alpha (s_j - beta k_j (k^T s)) + beta k_j v, with minus for -1. *)
Definition gated_delta_net_next (s : 'I_d -> K) (x : S) (j : 'I_d) : K := alpha x * (s j + minus * (beta x * k x j) * (\sum_(i : place d) (k x i * s i))) + beta x * (k x j * v x).
Definition gated_delta_net_output := output_after gated_delta_net_next (fun x s => \sum_(i : place d) (q x i * s i)) s_0.

(* The automaton of d + 2 states. *)
Definition gated_delta_net_automaton :=
  reading_after s_0 (fun x j => alpha x) (one_term (fun x j => alpha x * (minus * (beta x * k x j)))) (one_term (fun x i => k x i))
    (fun x j => beta x * (k x j * v x)) q (fun x => 0).

(* The automaton gives every word the same score as the layer, for every size, if weights commute. *)
Theorem gated_delta_net : commutative (@times K) -> forall w, score gated_delta_net_automaton w = gated_delta_net_output w.
Proof.
move=> timesC w; apply: reading_after_is_output => // [s x j|x s]; last by rewrite plusw0.
by rewrite /gated_delta_net_next /affine sum_one_term /one_term /= timesDr !timesA.
Qed.
End Column.
