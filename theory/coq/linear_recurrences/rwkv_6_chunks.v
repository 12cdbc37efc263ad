(* RWKV-6 in chunks (Peng et al. 2024, section 4.2.2): cumulated gates, and outputs that read the state before their token, for chunks of
   every size. RWKV-5 is the special case in which all tokens have the same gates. *)

From mathcomp Require Import all_ssreflect.
From ratproof Require Import semiring sums automaton.
From ratproof.linear_recurrences.shared Require Import affine chunks.
From ratproof.linear_recurrences Require Import gla gla_chunks rwkv_6.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Section Chunks.
Variables (K : semiring) (S : Type) (d : nat) (u : 'I_d -> K) (w r k : S -> 'I_d -> K) (v : S -> K).

(* The state after the chunk is that of gated linear attention. The last token's output consists of the value read from the state after the earlier
   tokens, and of the token's own bonus. *)
Definition output_before_last (s : 'I_d -> K) (chunk : seq S) (x : S) : K :=
  (if chunk is _ :: earlier then (\sum_(j : place d) (r x j * (gates w earlier j * s j))) + attended w k v (r x) (fun _ => 1) earlier else 0)
  + \sum_(j : place d) (r x j * (u j * (k x j * v x))).
Definition chunked_rwkv_6 := chunked (hand_over w k v) output_before_last.

Hypothesis timesC : commutative (@times K).

(* In chunks of any size, the layer equals the recurrence, and therefore the automaton of d + 2 states. *)
Theorem rwkv_6_chunks (C : nat) (s_0 : 'I_d -> K) word : score (rwkv_6_automaton s_0 u w r k v) word = chunked_rwkv_6 C s_0 word.
Proof.
rewrite rwkv_6 //; apply/esym/chunked_is_before => [s j|s chunk x j|s t x eq j|s t x eq|s chunk x].
- exact: no_token.
- exact: one_more_token.
- by rewrite /rwkv_6_next eq.
- by apply: eq_sum => i; rewrite eq.
by rewrite (eq_sum (fun j => timesDr (r x j) _ _)) sumD; congr (_ + _); apply: reads_hand_over.
Qed.
End Chunks.
