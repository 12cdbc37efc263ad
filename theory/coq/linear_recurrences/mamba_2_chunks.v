(* Mamba-2 in chunks (Dao and Gu 2024, section 6): the block form of SSD, for chunks of every size. *)

From mathcomp Require Import all_ssreflect.
From ratproof Require Import semiring sums automaton.
From ratproof.linear_recurrences.shared Require Import affine chunks.
From ratproof.linear_recurrences Require Import mamba_2 delta_chunks.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Section Chunks.
Variables (K : semiring) (S : Type) (d : nat) (D : K) (a : S -> K) (B C : S -> 'I_d -> K) (input : S -> K).
Implicit Types (h : 'I_d -> K) (chunk : seq S).

(* The tokens of a chunk write their inputs. The state after the chunk, and the output of its last token, are computed from the state before the
   chunk and from the chunk itself. *)
Definition inputs chunk : seq (S * K) := [seq (y, input y) | y <- chunk].
Definition hand_over h chunk (j : 'I_d) : K := gates a chunk * h j + cumulated a 1 (inputs chunk) (fun y => B y j).
Definition block_output h chunk (x : S) : K :=
  gates a chunk * dot (C x) h + cumulated a 1 (inputs chunk) (fun y => dot (C x) (B y)) + D * input x.
Definition chunked_mamba_2 := chunked hand_over block_output.

Hypothesis timesC : commutative (@times K).

(* In chunks of any size, the layer equals the recurrence, and therefore the automaton of d + 2 states. *)
Theorem mamba_2_chunks (n : nat) (h_0 : 'I_d -> K) w : score (mamba_2_automaton h_0 D a B C input) w = chunked_mamba_2 n h_0 w.
Proof.
rewrite mamba_2 //; apply/esym/chunked_is_after => [h j|h chunk x j|h t x eq j|h t x eq|h chunk x].
- by rewrite /hand_over /= times1w plusw0.
- rewrite /mamba_2_next {1}/hand_over /= !times1w /hand_over timesDr times_cumulated timesw1 !timesA -!plusA; congr (_ + _).
  by rewrite plusC.
- by rewrite /mamba_2_next eq.
- by rewrite (eq_sum (fun i => congr1 _ (eq i))).
congr (_ + _); rewrite (eq_sum (fun i => timesDr (C x i) _ _)) sumD (dot_cumulated _ _ timesC); congr (_ + _).
by move: (gates a _) => g; rewrite /dot times_sum; apply: eq_sum => i; rewrite !timesA (timesC (C x i)).
Qed.
End Chunks.
