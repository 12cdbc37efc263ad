(* The memory of an mLSTM (Beck et al. 2024); its normaliser is the same with v = 1. *)

From mathcomp Require Import all_ssreflect.
From ratproof Require Import semiring sums automaton.
From ratproof.linear_recurrences.shared Require Import affine.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Section Column.
Variables (K : semiring) (S : Type) (d : nat) (s_0 : 'I_d -> K) (f i v : S -> K) (q k : S -> 'I_d -> K).

(* One row of C: f s_j + i (k_j v). *)
Definition mlstm_next (s : 'I_d -> K) (x : S) (j : 'I_d) : K := f x * s j + i x * (k x j * v x).
Definition mlstm_output := output_after mlstm_next (fun x s => \sum_(j : place d) (q x j * s j)) s_0.

(* The automaton of d + 2 states. *)
Definition mlstm_automaton :=
  reading_after s_0 (fun x j => f x) (@no_term K S d) (@no_term K S d)
    (fun x j => i x * (k x j * v x)) q (fun x => 0).

(* It scores every word as the layer does, for every size, where weights commute. *)
Theorem mlstm : commutative (@times K) -> forall w, score mlstm_automaton w = mlstm_output w.
Proof.
move=> timesC w; apply: reading_after_is_output => // [s x j|x s]; last by rewrite plusw0.
by rewrite /affine sum_no_term plusw0.
Qed.
End Column.
