(* A layer in chunks of C tokens: each output is computed from the state at the chunk's start and the chunk's tokens. At the end of the chunk, the
   state is passed to the next chunk. If this state is the one at the chunk's start, updated by the chunk's tokens, then the layer equals its
   recurrence, for chunks of every size. *)

From mathcomp Require Import all_ssreflect.
From ratproof Require Import semiring sums automaton.
From ratproof.linear_recurrences.shared Require Import affine.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Section Chunks.
Variables (K : semiring) (S : Type) (d : nat).
Implicit Types (s t : 'I_d -> K) (chunk : seq S).

(* The list of a chunk's tokens begins with the last token. A state has the chunk so far, the state at the chunk's start, and the last output. *)
Variables (hand_over : ('I_d -> K) -> seq S -> 'I_d -> K) (chunk_output : ('I_d -> K) -> seq S -> S -> K).
Definition chunked_next (C : nat) (state : seq S * (('I_d -> K) * K)) (x : S) : seq S * (('I_d -> K) * K) :=
  let chunk := x :: state.1 in let s := state.2.1 in let o := chunk_output s chunk x in
  if size chunk == C then ([::], (hand_over s chunk, o)) else (chunk, (s, o)).
Definition chunked (C : nat) (s_0 : 'I_d -> K) (w : seq S) : K := (run (chunked_next C) ([::], (s_0, 0)) w).2.2.

Variables (next : ('I_d -> K) -> S -> 'I_d -> K) (out : S -> ('I_d -> K) -> K).
Hypothesis no_token : forall s, hand_over s [::] =1 s.
Hypothesis one_more_token : forall s chunk x, hand_over s (x :: chunk) =1 next (hand_over s chunk) x.
Hypothesis same_next : forall s t x, s =1 t -> next s x =1 next t x.
Hypothesis same_out : forall s t x, s =1 t -> out x s = out x t.

(* The state of the recurrence is the state at the chunk's start, updated by the chunk's tokens, and the outputs are equal. *)
Let moved_on (state : ('I_d -> K) * K) (chunks : seq S * (('I_d -> K) * K)) :=
  state.1 =1 hand_over chunks.2.1 chunks.1 /\ state.2 = chunks.2.2.

Lemma first s_0 : moved_on (s_0, 0) ([::], (s_0, 0)).
Proof. by split=> // j; rewrite no_token. Qed.

Lemma moved_on_by x C state chunks o :
  moved_on state chunks -> o = chunk_output chunks.2.1 (x :: chunks.1) x -> moved_on (next state.1 x, o) (chunked_next C chunks x).
Proof.
case: state chunks => [s o'] [chunk [start o'']] [/= state _] ->; rewrite /chunked_next /=.
have moved : next s x =1 hand_over start (x :: chunk) by move=> j; rewrite one_more_token; apply: same_next.
by case: ifP => _; split=> // j; rewrite /= moved ?no_token.
Qed.

Lemma chunked_is_after C s_0 w :
  (forall s chunk x, out x (hand_over s (x :: chunk)) = chunk_output s (x :: chunk) x) -> chunked C s_0 w = output_after next out s_0 w.
Proof.
move=> reads; rewrite /output_after /output_before /chunked; suff [_ ->] : moved_on (run (after_step next out) (s_0, 0) w) (run (chunked_next C) ([::], (s_0, 0)) w) by [].
elim/last_ind: w => [|w x IH]; rewrite ?run_rcons; first exact: first.
apply: moved_on_by => //; rewrite -reads; apply: same_out => j; rewrite one_more_token; apply: same_next.
by case: IH.
Qed.

Lemma chunked_is_before C s_0 w :
  (forall s chunk x, out x (hand_over s chunk) = chunk_output s (x :: chunk) x) -> chunked C s_0 w = output_before next out s_0 w.
Proof.
move=> reads; rewrite /output_after /output_before /chunked; suff [_ ->] : moved_on (run (before_step next out) (s_0, 0) w) (run (chunked_next C) ([::], (s_0, 0)) w) by [].
elim/last_ind: w => [|w x IH]; rewrite ?run_rcons; first exact: first.
by apply: moved_on_by => //; rewrite -reads; apply: same_out; case: IH.
Qed.
End Chunks.
