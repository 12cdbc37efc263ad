(* Gated DeltaNet-2 (Hatamizadeh et al. 2026, equation 10). *)

From mathcomp Require Import all_ssreflect.
From ratproof Require Import semiring sums automaton.
From ratproof.linear_recurrences.shared Require Import affine.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Section Column.
Variables (K : semiring) (S : Type) (d : nat) (s_0 : 'I_d -> K) (minus : K) (alpha b : S -> 'I_d -> K) (w : S -> K) (q k : S -> 'I_d -> K) (v : S -> K).

(* One column of S: alpha_j s_j - k_j (sum of b_i k_i alpha_i s_i) + k_j w v, with minus for -1. *)
Definition gated_delta_net_2_next (s : 'I_d -> K) (x : S) (j : 'I_d) : K :=
  alpha x j * s j + minus * k x j * (\sum_(i : place d) (b x i * k x i * (alpha x i * s i))) + k x j * (w x * v x).
Definition gated_delta_net_2_output := output_after gated_delta_net_2_next (fun x s => \sum_(i : place d) (q x i * s i)) s_0.

(* The automaton of d + 2 states. *)
Definition gated_delta_net_2_automaton :=
  reading_after s_0 (fun x j => alpha x j) (one_term (fun x j => minus * k x j)) (one_term (fun x i => b x i * k x i * alpha x i))
    (fun x j => k x j * (w x * v x)) q (fun x => 0).

(* The automaton gives every word the same score as the layer, for every size, if weights commute. *)
Theorem gated_delta_net_2 : commutative (@times K) -> forall word, score gated_delta_net_2_automaton word = gated_delta_net_2_output word.
Proof.
move=> timesC word; apply: reading_after_is_output => // [s x j|x s]; last by rewrite plusw0.
by rewrite /gated_delta_net_2_next /affine sum_one_term /one_term (eq_sum (fun i => timesA _ _ _)).
Qed.
End Column.
