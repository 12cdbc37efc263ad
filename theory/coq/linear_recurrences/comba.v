(* Comba (Hu et al. 2025). *)

From mathcomp Require Import all_ssreflect.
From ratproof Require Import semiring sums automaton.
From ratproof.linear_recurrences.shared Require Import affine.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Section Column.
Variables (K : semiring) (S : Type) (d : nat) (s_0 : 'I_d -> K) (minus correction : K) (alpha erase beta : S -> K) (q k : S -> 'I_d -> K) (v : S -> K).

(* One row of S: alpha s_j - erase k_j (k^T s) + beta k_j v, with minus for -1, and the query q - d k. *)
Definition comba_next (s : 'I_d -> K) (x : S) (j : 'I_d) : K :=
  alpha x * s j + minus * (erase x * k x j) * (\sum_(i : place d) (k x i * s i)) + beta x * (k x j * v x).
Definition comba_query (x : S) (i : 'I_d) : K := q x i + minus * (correction * k x i).
Definition comba_output := output_after comba_next (fun x s => \sum_(i : place d) (comba_query x i * s i)) s_0.

(* The automaton of d + 2 states. *)
Definition comba_automaton :=
  reading_after s_0 (fun x j => alpha x) (one_term (fun x j => minus * (erase x * k x j))) (one_term (fun x i => k x i))
    (fun x j => beta x * (k x j * v x)) comba_query (fun x => 0).

(* The automaton gives every word the same score as the layer, for every size, if weights commute. *)
Theorem comba : commutative (@times K) -> forall w, score comba_automaton w = comba_output w.
Proof.
move=> timesC w; apply: reading_after_is_output => // [s x j|x s]; last by rewrite plusw0.
by rewrite /affine sum_one_term.
Qed.
End Column.
