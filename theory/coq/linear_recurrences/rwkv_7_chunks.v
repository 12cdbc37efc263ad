(* RWKV-7 in chunks (Peng et al. 2025, section 4.1): a diagonal decay and a term of rank one per token, whose values are computed by
   substitution, for chunks of every size. *)

From mathcomp Require Import all_ssreflect.
From ratproof Require Import semiring sums automaton.
From ratproof.linear_recurrences.shared Require Import affine chunks.
From ratproof.linear_recurrences Require Import rwkv_7.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Section Chunks.
Variables (K : semiring) (S : Type) (d : nat) (minus : K) (w kappa a k q : S -> 'I_d -> K) (v : S -> K).
Implicit Types (s : 'I_d -> K) (chunk : seq S) (written : seq (S * K)).

(* The lists of a chunk's tokens, and of the values that they read, begin with the last token. The elementwise product of the decays of all tokens: *)
Fixpoint decays chunk (j : 'I_d) : K := if chunk is x :: earlier then w x j * decays earlier j else 1.

(* the vector that token y writes if its removal key reads u: *)
Definition writes (y : S) (u : K) (j : 'I_d) : K := minus * (a y j * kappa y j) * u + k y j * v y.

(* the sum over tokens i of the written vector, times the decays of the tokens after i (and g): *)
Fixpoint cumulated (g : K) written (j : 'I_d) : K :=
  if written is (y, u) :: earlier then g * writes y u j + cumulated (g * w y j) earlier j else 0.

(* the sum over tokens i of p^T (the decays after i, and g, times the written vector): *)
Fixpoint attended (p g : 'I_d -> K) written : K :=
  if written is (y, u) :: earlier then (\sum_(j : place d) (p j * (g j * writes y u j))) + attended p (fun j => g j * w y j) earlier else 0.

(* the values u_r = kappa_r^T (the decays of the tokens before r, times s) + the sum over i < r of kappa_r^T (the decays between i and r, times the
   vector that i writes), each computed from the earlier values: *)
Fixpoint values s chunk : seq (S * K) :=
  if chunk is x :: earlier then
    let before := values s earlier in
    (x, (\sum_(j : place d) (kappa x j * (decays earlier j * s j))) + attended (kappa x) (fun _ => 1) before) :: before
  else [::].

(* the state after the chunk, and the output of its last token. *)
Definition hand_over s chunk (j : 'I_d) : K := decays chunk j * s j + cumulated 1 (values s chunk) j.
Definition chunk_output s chunk (x : S) : K :=
  (\sum_(j : place d) (q x j * (decays chunk j * s j))) + attended (q x) (fun _ => 1) (values s chunk).
Definition chunked_rwkv_7 := chunked hand_over chunk_output.

Hypothesis timesC : commutative (@times K).

Lemma times_cumulated b g written j : b * cumulated g written j = cumulated (b * g) written j.
Proof. by elim: written g => [|[y u] written IH] g /=; rewrite ?timesw0 // timesDr IH !timesA. Qed.

Lemma reads_cumulated (p g : 'I_d -> K) written : \sum_(j : place d) (p j * cumulated (g j) written j) = attended p g written.
Proof.
elim: written g => [|[y u] written IH] g /=; first by rewrite (eq_sum (fun j => timesw0 _)) sum0.
by rewrite -IH (eq_sum (fun j => timesDr (p j) _ _)) sumD.
Qed.

Lemma reads_hand_over (p : 'I_d -> K) s chunk :
  \sum_(j : place d) (p j * hand_over s chunk j) = (\sum_(j : place d) (p j * (decays chunk j * s j))) + attended p (fun _ => 1) (values s chunk).
Proof. by rewrite (eq_sum (fun j => timesDr (p j) _ _)) sumD (reads_cumulated p (fun _ => 1)). Qed.

(* In chunks of any size, the layer equals the recurrence, and therefore the automaton of d + 2 states. *)
Theorem rwkv_7_chunks (C : nat) (s_0 : 'I_d -> K) word : score (rwkv_7_automaton s_0 minus w kappa a k q v) word = chunked_rwkv_7 C s_0 word.
Proof.
rewrite rwkv_7 //; apply/esym/chunked_is_after => [s j|s chunk x j|s t x eq j|s t x eq|s chunk x].
- by rewrite /hand_over /= times1w plusw0.
- rewrite /rwkv_7_next reads_hand_over {1}/hand_over /= !times1w /hand_over timesDr times_cumulated timesw1 /writes !timesA -!plusA.
  by congr (_ + _); rewrite plusA plusC.
- by rewrite /rwkv_7_next eq (eq_sum (fun i => congr1 _ (eq i))).
- by rewrite (eq_sum (fun i => congr1 _ (eq i))).
exact: reads_hand_over.
Qed.
End Chunks.
