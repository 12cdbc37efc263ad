(* Gated linear attention in chunks (Yang et al. 2024, section 4.2), with cumulated gates, for chunks of every size. *)

From mathcomp Require Import all_ssreflect ssralg.
From ratproof Require Import semiring sums automaton instances.
From ratproof.linear_recurrences.shared Require Import affine chunks.
From ratproof.linear_recurrences Require Import gla.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Section Chunks.
Variables (K : semiring) (S : Type) (d : nat) (alpha q k : S -> 'I_d -> K) (v : S -> K).
Implicit Types (s p : 'I_d -> K) (chunk : seq S).

(* The list of a chunk's tokens begins with the last token. The elementwise product of the gates of all tokens: *)
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

(* In chunks of any size C, the layer equals the recurrence, and therefore the automaton of d + 2 states. The last chunk may be shorter. *)
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

(* As printed: the gates between two tokens are quotients b_r / b_i of products from the chunk's start. *)
Section Quotients.
Import GRing.Theory.
Variables (F : fieldType) (S : Type) (d : nat) (alpha q k : S -> 'I_d -> of_ring F) (v : S -> of_ring F).
Implicit Types (s p : 'I_d -> of_ring F) (chunk : seq S).

(* b_r: the product of the gates of all tokens of the chunk. *)
Definition product_of_gates chunk (j : 'I_d) : F := gates alpha chunk j.

Definition quotient (b : F) chunk (j : 'I_d) : of_ring F := (b / product_of_gates chunk j)%R.

Fixpoint written_by_quotients (b : F) chunk (j : 'I_d) : of_ring F :=
  if chunk is x :: earlier then quotient b chunk j * (k x j * v x) + written_by_quotients b earlier j else 0.
Fixpoint attended_by_quotients p (b : 'I_d -> F) chunk : of_ring F :=
  if chunk is x :: earlier
  then (\sum_(j : place d) (p j * (quotient (b j) chunk j * k x j))) * v x + attended_by_quotients p b earlier else 0.
Definition hand_over_by_quotients s chunk (j : 'I_d) : of_ring F := gates alpha chunk j * s j + written_by_quotients (product_of_gates chunk j) chunk j.
Definition output_by_quotients s chunk (x : S) : of_ring F :=
  (\sum_(j : place d) (q x j * (gates alpha chunk j * s j))) + attended_by_quotients (q x) (product_of_gates chunk) chunk.

Definition chunked_by_quotients := chunked hand_over_by_quotients output_by_quotients.

Hypothesis nonzero : forall x j, alpha x j != 0%R :> F.

Lemma gates_nonzero chunk j : product_of_gates chunk j != 0%R.
Proof. by elim: chunk => [|x chunk IH]; [exact: oner_neq0|exact: mulf_neq0]. Qed.

Lemma quotient_of_one_more (b : F) x chunk j : quotient b (x :: chunk) j * alpha x j = quotient b chunk j.
Proof. by rewrite /quotient /product_of_gates /= invfM mulrA mulrAC divfK. Qed.

Lemma written_by_quotientsE (b : F) chunk j : written_by_quotients b chunk j = written alpha k v (quotient b chunk j) chunk j.
Proof.
have one_more (g : of_ring F) x c : written alpha k v g (x :: c) j = g * (k x j * v x) + written alpha k v (g * alpha x j) c j by [].
elim: chunk => // x chunk IH; rewrite one_more quotient_of_one_more -IH //.
Qed.

Lemma attended_one_more p (g : 'I_d -> of_ring F) x chunk : attended alpha k v p g (x :: chunk) =
  (\sum_(j : place d) (p j * (g j * k x j))) * v x + attended alpha k v p (fun j => g j * alpha x j) chunk.
Proof. by []. Qed.

Lemma attended_same p (g g' : 'I_d -> of_ring F) chunk : (forall j, g j = g' j) -> attended alpha k v p g chunk = attended alpha k v p g' chunk.
Proof.
elim: chunk g g' => // x chunk IH g g' same; rewrite !attended_one_more; congr (_ * _ + _); first by apply: eq_sum => j; rewrite same.
by apply: IH => j; rewrite same.
Qed.

Lemma attended_by_quotientsE p (b : 'I_d -> F) chunk :
  attended_by_quotients p b chunk = attended alpha k v p (fun j => quotient (b j) chunk j) chunk.
Proof.
elim: chunk => // x chunk IH; rewrite attended_one_more (@attended_same p _ (fun j => quotient (b j) chunk j) chunk) -?IH // => j.
exact: quotient_of_one_more.
Qed.

Lemma hand_over_by_quotientsE s chunk j : hand_over_by_quotients s chunk j = hand_over alpha k v s chunk j.
Proof. by rewrite /hand_over_by_quotients written_by_quotientsE /quotient divff ?gates_nonzero. Qed.

Lemma output_by_quotientsE s chunk x : output_by_quotients s chunk x = chunk_output alpha q k v s chunk x.
Proof.
by rewrite /output_by_quotients attended_by_quotientsE; congr (_ + _); apply: attended_same => j; rewrite /quotient divff ?gates_nonzero.
Qed.

(* If no gate is 0, the layer also equals the recurrence in this form. *)
Theorem gla_chunks_quotients (C : nat) (s_0 : 'I_d -> of_ring F) w : score (gla_automaton s_0 alpha q k v) w = chunked_by_quotients C s_0 w.
Proof.
have timesC := @of_ring_commutes F; rewrite gla //; apply/esym/chunked_is_after => [s j|s chunk x j|s t x eq j|s t x eq|s chunk x].
- by rewrite hand_over_by_quotientsE no_token.
- rewrite !hand_over_by_quotientsE one_more_token // /gla_next; by rewrite hand_over_by_quotientsE.
- by rewrite /gla_next eq.
- by apply: eq_sum => i; rewrite eq.
rewrite output_by_quotientsE -reads_hand_over; by apply: eq_sum => j; rewrite hand_over_by_quotientsE.
Qed.
End Quotients.
