(* Kimi Delta Attention (Kimi Team 2025, equation 1). *)

From mathcomp Require Import all_ssreflect.
From ratproof Require Import semiring sums automaton.
From ratproof.linear_recurrences.shared Require Import affine.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Section Column.
Variables (K : semiring) (S : Type) (d : nat) (s_0 : 'I_d -> K) (minus : K) (alpha : S -> 'I_d -> K) (beta : S -> K) (q k : S -> 'I_d -> K) (v : S -> K).

(* One column of S: alpha_j s_j - beta k_j (sum of k_i alpha_i s_i) + beta k_j v, with minus for -1. *)
Definition kda_next (s : 'I_d -> K) (x : S) (j : 'I_d) : K :=
  alpha x j * s j + minus * (beta x * k x j) * (\sum_(i : place d) (k x i * (alpha x i * s i))) + beta x * (k x j * v x).
Definition kda_output := output_after kda_next (fun x s => \sum_(i : place d) (q x i * s i)) s_0.

(* The automaton of d + 2 states. *)
Definition kda_automaton :=
  reading_after s_0 (fun x j => alpha x j) (one_term (fun x j => minus * (beta x * k x j))) (one_term (fun x i => k x i * alpha x i))
    (fun x j => beta x * (k x j * v x)) q (fun x => 0).

(* The automaton gives every word the same score as the layer, for every size, if weights commute. *)
Theorem kda : commutative (@times K) -> forall w, score kda_automaton w = kda_output w.
Proof.
move=> timesC w; apply: reading_after_is_output => // [s x j|x s]; last by rewrite plusw0.
by rewrite /kda_next /affine sum_one_term /one_term (eq_sum (fun i => timesA _ _ _)).
Qed.
End Column.
