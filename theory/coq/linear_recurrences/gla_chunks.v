(* Gated linear attention in chunks (Yang et al. 2024, section 4.2), with cumulated gates, for chunks of every size. *)

From mathcomp Require Import all_ssreflect.
From ratproof Require Import semiring sums automaton.
From ratproof.linear_recurrences.shared Require Import affine chunks.
From ratproof.linear_recurrences Require Import gla.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Section Chunks.
Variables (K : semiring) (S : Type) (d : nat) (alpha q k : S -> 'I_d -> K) (v : S -> K).
Implicit Types (s p : 'I_d -> K) (chunk : seq S).

(* A chunk's tokens are a list whose first is the last token. The gates of all tokens multiplied, place by place: *)
Fixpoint gates chunk (j : 'I_d) : K := if chunk is x :: earlier then alpha x j * gates earlier j else 1.

(* the sum over tokens i of k_ij v_i, times the gates of the tokens after i (and g): *)
Fixpoint written (g : K) chunk (j : 'I_d) : K :=
  if chunk is x :: earlier then g * (k x j * v x) + written (g * alpha x j) earlier j else 0.

(* the sum over tokens i of (p^T (the gates after i, and g) k_i) v_i: *)
Fixpoint attended p (g : 'I_d -> K) chunk : K :=
  if chunk is x :: earlier then (\sum_(j : place d) (p j * (g j * k x j))) * v x + attended p (fun j => g j * alpha x j) earlier else 0.

(* the state after the chunk, and the output of its last token. *)
Definition hand_over s chunk (j : 'I_d) : K := gates chunk j * s j + written 1 chunk j.
Definition chunk_output s chunk (x : S) : K :=
  (\sum_(j : place d) (q x j * (gates chunk j * s j))) + attended (q x) (fun _ => 1) chunk.

Definition chunked_gla := chunked hand_over chunk_output.

Hypothesis timesC : commutative (@times K).

Lemma times_written (a g : K) chunk j : a * written g chunk j = written (a * g) chunk j.
Proof. by elim: chunk g => [|x chunk IH] g /=; rewrite ?timesw0 // timesDr IH !timesA. Qed.

Lemma reads_written p (g : 'I_d -> K) chunk : \sum_(j : place d) (p j * written (g j) chunk j) = attended p g chunk.
Proof.
elim: chunk g => [|x chunk IH] g /=; first by rewrite (eq_sum (fun j => timesw0 _)) sum0.
rewrite -IH (eq_sum (fun j => timesDr (p j) _ _)) sumD; congr (_ + _).
by rewrite sum_times; apply: eq_sum => j; rewrite !timesA.
Qed.

Lemma reads_hand_over x s chunk : \sum_(j : place d) (q x j * hand_over s chunk j) = chunk_output s chunk x.
Proof. by rewrite (eq_sum (fun j => timesDr (q x j) _ _)) sumD (reads_written (q x) (fun _ => 1)). Qed.

(* One more token of a chunk is one step of the recurrence. *)
Lemma one_more_token s chunk x j : hand_over s (x :: chunk) j = gla_next alpha k v (hand_over s chunk) x j.
Proof.
rewrite /gla_next {1}/hand_over /= !times1w /hand_over timesDr times_written timesw1 !timesA -!plusA; congr (_ + _).
exact: plusC.
Qed.

Lemma no_token s j : hand_over s [::] j = s j.
Proof. by rewrite /hand_over /= times1w plusw0. Qed.

(* In chunks of any size C, the last of which may be shorter, the layer equals the recurrence, and therefore the automaton of d + 2 states. *)
Theorem gla_chunks (C : nat) (s_0 : 'I_d -> K) w : score (gla_automaton s_0 alpha q k v) w = chunked_gla C s_0 w.
Proof.
rewrite gla //; apply/esym/chunked_is_after => [s j|s chunk x j|s t x eq j|s t x eq|s chunk x].
- exact: no_token.
- exact: one_more_token.
- by rewrite /gla_next eq.
- by apply: eq_sum => i; rewrite eq.
exact: reads_hand_over.
Qed.
End Chunks.
