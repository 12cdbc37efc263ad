(* Mamba (Gu and Dao 2023, section 3.2), without its convolution, and with it. *)

From mathcomp Require Import all_ssreflect.
From ratproof Require Import semiring sums automaton.
From ratproof.rational_recurrences.shared Require Import windows.
From ratproof.linear_recurrences.shared Require Import affine.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Section Column.
Variables (K : semiring) (S : Type) (d : nat) (h_0 : 'I_d -> K) (D : K) (a B C : S -> 'I_d -> K) (input : S -> K).

(* A channel: a_j h_j + B_j x, and the output C^T h + D x. *)
Definition mamba_next (s : 'I_d -> K) (x : S) (j : 'I_d) : K := a x j * s j + B x j * input x.
Definition mamba_output := output_after mamba_next (fun x s => (\sum_(i : place d) (C x i * s i)) + D * input x) h_0.

(* The automaton of d + 2 states. *)
Definition mamba_automaton :=
  reading_after h_0 (fun x j => a x j) (@no_term K S d) (@no_term K S d)
    (fun x j => B x j * input x) C (fun x => D * input x).

(* The automaton gives every word the same score as the layer, for every size, if weights commute. *)
Theorem mamba_without_convolution : commutative (@times K) -> forall w, score mamba_automaton w = mamba_output w.
Proof.
move=> timesC w; apply: reading_after_is_output => // s x j.
by rewrite /affine sum_no_term plusw0.
Qed.
End Column.

(* With weights that also depend on a finite memory of the earlier tokens: the states 1 and h for each memory, and the output. *)
Definition mamba_with_memory (K : semiring) (S : Type) (M : finite) (m_0 : M) (remember : M -> S -> M) d (h_0 : 'I_d -> K) (D : K)
    (a B C : M -> S -> 'I_d -> K) (input : M -> S -> K) :=
  @remembering_after K S M (place d) m_0 remember h_0 (fun m => move (a m) (@no_term K S d) (@no_term K S d))
    (fun m x j => B m x j * input m x) C (fun m x => D * input m x).

(* After a convolution of width w = k + 1, all weights are functions of the last w tokens. *)
Section Convolution.
Variables (K : semiring) (S : finType) (k d : nat) (h_0 : 'I_d -> K) (D : K) (a B C : seq S -> 'I_d -> K) (input : seq S -> K).

(* The network reads its word from the start. *)
Definition convolved_next (state : seq S * ('I_d -> K)) (x : S) : seq S * ('I_d -> K) :=
  let read := rcons state.1 x in (read, mamba_next a B input state.2 (last_of k.+1 read)).
Definition convolved_mamba := output_after convolved_next
  (fun x state => let window := last_of k.+1 state.1 in (\sum_(i : place d) (C window i * state.2 i)) + D * input window) ([::], h_0).

(* The automaton remembers k tokens. *)
Definition convolved_mamba_automaton :=
  mamba_with_memory (remembered k [::] : history S k) (@remember_more S k) h_0 D
    (fun h x => a (rcons h x)) (fun h x => B (rcons h x)) (fun h x => C (rcons h x)) (fun h x => input (rcons h x)).

(* The automaton gives every word the same score as the layer, for every width and size, if weights commute. *)
Theorem mamba : commutative (@times K) -> forall w, score convolved_mamba_automaton w = convolved_mamba w.
Proof.
move=> timesC w.
apply: (remembering_after_is_output (memory := fun state => remembered k state.1 : history S k) (number := fun state => state.2)) => // [[read h] x|[read h] x j|[read h] x].
- by apply: val_inj; rewrite /= last_of_last.
- by rewrite /= moved // sum_no_term plusw0 /mamba_next last_of_rcons.
by rewrite /= last_of_rcons.
Qed.

(* The number of states, with s symbols: (1 + s + ... + s^(w-1)) (d + 1) + 1. *)
Theorem states_of_mamba :
  card (option_finite (prod_finite (history S k) (option_finite (place d)))) = ((\sum_(0 <= i < k.+1) #|S| ^ i) * d.+1).+1%N.
Proof. by rewrite states_of_output card_place card_finType card_bseq big_mkord. Qed.
End Convolution.
