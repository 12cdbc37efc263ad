(* RWKV-5 (Peng et al. 2024, section 4.1.2). *)

From mathcomp Require Import all_ssreflect.
From ratproof Require Import semiring sums automaton.
From ratproof.linear_recurrences.shared Require Import affine.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Section Column.
Variables (K : semiring) (S : Type) (d : nat) (s_0 : 'I_d -> K) (w u : 'I_d -> K) (r k : S -> 'I_d -> K) (v : S -> K).

(* One column of S: w_j s_j + k_j v. The output reads the column before this step, and the token by its bonus u. *)
Definition rwkv_5_next (s : 'I_d -> K) (x : S) (j : 'I_d) : K := w j * s j + k x j * v x.
Definition rwkv_5_output := output_before rwkv_5_next (fun x s => \sum_(i : place d) (r x i * (s i + u i * (k x i * v x)))) s_0.

(* The automaton of d + 2 states. *)
Definition rwkv_5_automaton :=
  reading_before s_0 (fun x j => w j) (@no_term K S d) (@no_term K S d)
    (fun x j => k x j * v x) r (fun x => \sum_(i : place d) (r x i * (u i * (k x i * v x)))).

(* The automaton gives every word the same score as the layer, for every size, if weights commute. *)
Theorem rwkv_5 : commutative (@times K) -> forall word, score rwkv_5_automaton word = rwkv_5_output word.
Proof.
move=> timesC word; apply: reading_before_is_output => // [s x j|x s]; last by rewrite -sumD; apply: eq_sum => i; rewrite timesDr.
by rewrite /affine sum_no_term plusw0.
Qed.
End Column.
