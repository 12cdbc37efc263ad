(* Retention (Sun et al. 2023, section 2.1). *)

From mathcomp Require Import all_ssreflect.
From ratproof Require Import semiring sums automaton.
From ratproof.linear_recurrences.shared Require Import affine.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Section Column.
Variables (K : semiring) (S : Type) (d : nat) (s_0 : 'I_d -> K) (gamma : K) (q k : S -> 'I_d -> K) (v : S -> K).

(* One column of S: gamma s_j + k_j v. *)
Definition retnet_next (s : 'I_d -> K) (x : S) (j : 'I_d) : K := gamma * s j + k x j * v x.
Definition retnet_output := output_after retnet_next (fun x s => \sum_(i : place d) (q x i * s i)) s_0.

(* The automaton of d + 2 states. *)
Definition retnet_automaton :=
  reading_after s_0 (fun x j => gamma) (@no_term K S d) (@no_term K S d)
    (fun x j => k x j * v x) q (fun x => 0).

(* The automaton gives every word the same score as the layer, for every size, if weights commute. *)
Theorem retnet : commutative (@times K) -> forall w, score retnet_automaton w = retnet_output w.
Proof.
move=> timesC w; apply: reading_after_is_output => // [s x j|x s]; last by rewrite plusw0.
by rewrite /affine sum_no_term plusw0.
Qed.
End Column.
