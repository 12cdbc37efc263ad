(* Equation 10 (Jiang et al. 2020): the factors of two networks, combined in blocks. *)

From mathcomp Require Import all_ssreflect.
From ratproof Require Import semiring sums automaton.
From ratproof.fa_rnn Require Import eq_5.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Section Equation10.
Variables (K : semiring) (S : Type) (Q Q' C C' : finite).
Variables (alpha_0 alpha_inf : Q -> K) (alpha_0' alpha_inf' : Q' -> K).
Variables (D_1 D_2 : Q -> C -> K) (D_1' D_2' : Q' -> C' -> K) (E_R : S -> C -> K) (E_R' : S -> C' -> K).

Definition beside (u : Q -> K) (v : Q' -> K) (q : Q + Q') : K := match q with inl i => u i | inr i => v i end.
Definition in_blocks (D : Q -> C -> K) (D' : Q' -> C' -> K) (q : Q + Q') (s : C + C') : K :=
  match q, s with inl i, inl t => D i t | inr i, inr t => D' i t | _, _ => 0 end.
Definition both_rows (x : S) (s : C + C') : K := match s with inl t => E_R x t | inr t => E_R' x t end.

Definition merged_next := next_5 (Q := sum_finite Q Q') (C := sum_finite C C') (in_blocks D_1 D_1') (in_blocks D_2 D_2') both_rows.

Lemma merged_splits w q : run merged_next (beside alpha_0 alpha_0') w q =
  beside (run (next_5 D_1 D_2 E_R) alpha_0 w) (run (next_5 D_1' D_2' E_R') alpha_0' w) q.
Proof.
elim/last_ind: w q => // w x IH q; rewrite !run_rcons /merged_next /next_5 sum_sum.
have left s : \sum_(i : sum_finite Q Q') run merged_next (beside alpha_0 alpha_0') w i * in_blocks D_1 D_1' i (inl s) =
    \sum_(i : Q) run (next_5 D_1 D_2 E_R) alpha_0 w i * D_1 i s.
  rewrite sum_sum (eq_sum (fun i => timesw0 _)) sum0 plusw0; by apply: eq_sum => i; rewrite IH.
have right s : \sum_(i : sum_finite Q Q') run merged_next (beside alpha_0 alpha_0') w i * in_blocks D_1 D_1' i (inr s) =
    \sum_(i : Q') run (next_5 D_1' D_2' E_R') alpha_0' w i * D_1' i s.
  rewrite sum_sum (eq_sum (fun i => timesw0 _)) sum0 plus0w; by apply: eq_sum => i; rewrite IH.
case: q => j /=.
  rewrite [X in _ + X](eq_sum (fun s => timesw0 _)) sum0 plusw0; by apply: eq_sum => s; rewrite left.
rewrite [X in X + _](eq_sum (fun s => timesw0 _)) sum0 plus0w; by apply: eq_sum => s; rewrite right.
Qed.

(* With the initial weights of both networks, and with final weights of each set of rules that are zero for the states of the other set, each set
   has the same score as in its own network. *)
Theorem eq_10 w :
  score_5 (Q := sum_finite Q Q') (C := sum_finite C C') (beside alpha_0 alpha_0') (beside alpha_inf (fun _ => 0))
    (in_blocks D_1 D_1') (in_blocks D_2 D_2') both_rows w = score_5 alpha_0 alpha_inf D_1 D_2 E_R w /\
  score_5 (Q := sum_finite Q Q') (C := sum_finite C C') (beside alpha_0 alpha_0') (beside (fun _ => 0) alpha_inf')
    (in_blocks D_1 D_1') (in_blocks D_2 D_2') both_rows w = score_5 alpha_0' alpha_inf' D_1' D_2' E_R' w.
Proof.
rewrite /score_5 !sum_sum; split.
  rewrite [X in _ + X](eq_sum (fun s => timesw0 _)) sum0 plusw0; by apply: eq_sum => i; rewrite merged_splits.
rewrite [X in X + _](eq_sum (fun s => timesw0 _)) sum0 plus0w; by apply: eq_sum => i; rewrite merged_splits.
Qed.

(* With word vectors and an interpolation (equation 6): the rows are beta E_R + (1 - beta) E_w G, with the same word vectors for both networks and the
   matrices G and G' side by side. Here 1 - beta is any weight gamma. *)
Variables (D : finite) (word_vector : S -> D -> K) (G : D -> C -> K) (G' : D -> C' -> K) (beta gamma : K).
Definition mixed_rows (C0 : finite) (E : S -> C0 -> K) (M : D -> C0 -> K) (x : S) (s : C0) : K :=
  beta * E x s + gamma * \sum_(i : D) word_vector x i * M i s.
Definition both_columns (i : D) (s : C + C') : K := match s with inl t => G i t | inr t => G' i t end.
End Equation10.

Theorem eq_10_embeddings (K : semiring) (S : Type) (Q Q' C C' D : finite) (alpha_0 alpha_inf : Q -> K) (alpha_0' alpha_inf' : Q' -> K)
    (D_1 D_2 : Q -> C -> K) (D_1' D_2' : Q' -> C' -> K) (E_R : S -> C -> K) (E_R' : S -> C' -> K)
    (word_vector : S -> D -> K) (G : D -> C -> K) (G' : D -> C' -> K) (beta gamma : K) w :
  let rows := mixed_rows word_vector beta gamma (C0 := sum_finite C C') (both_rows E_R E_R') (both_columns G G') in
  score_5 (Q := sum_finite Q Q') (C := sum_finite C C') (beside alpha_0 alpha_0') (beside alpha_inf (fun _ => 0))
    (in_blocks D_1 D_1') (in_blocks D_2 D_2') rows w = score_5 alpha_0 alpha_inf D_1 D_2 (mixed_rows word_vector beta gamma E_R G) w /\
  score_5 (Q := sum_finite Q Q') (C := sum_finite C C') (beside alpha_0 alpha_0') (beside (fun _ => 0) alpha_inf')
    (in_blocks D_1 D_1') (in_blocks D_2 D_2') rows w = score_5 alpha_0' alpha_inf' D_1' D_2' (mixed_rows word_vector beta gamma E_R' G') w.
Proof.
move=> rows; have [<- <-] := eq_10 alpha_0 alpha_inf alpha_0' alpha_inf' D_1 D_2 D_1' D_2'
  (mixed_rows word_vector beta gamma E_R G) (mixed_rows word_vector beta gamma E_R' G') w.
have same : forall ends, score_5 (Q := sum_finite Q Q') (C := sum_finite C C') (beside alpha_0 alpha_0') ends (in_blocks D_1 D_1') (in_blocks D_2 D_2') rows w =
    score_5 (Q := sum_finite Q Q') (C := sum_finite C C') (beside alpha_0 alpha_0') ends (in_blocks D_1 D_1') (in_blocks D_2 D_2')
      (both_rows (mixed_rows word_vector beta gamma E_R G) (mixed_rows word_vector beta gamma E_R' G')) w.
  move=> ends; apply: eq_sum => q; congr (_ * _); elim/last_ind: w q => // v x IH q; rewrite !run_rcons.
  by apply: eq_sum => -[s|s]; congr (_ * _ * _); apply: eq_sum => i; rewrite IH.
by rewrite !same.
Qed.

(* The new states share the existing columns: D_1 and D_1', and D_2 and D_2', are stacked, and the row of a word is the sum of both rows. *)
Section SharedColumns.
Variables (K : semiring) (S : Type) (Q Q' C : finite) (D_1 D_2 : Q -> C -> K) (D_1' D_2' : Q' -> C -> K) (E_R E_R' : S -> C -> K).

Definition below (D : Q -> C -> K) (D' : Q' -> C -> K) (q : Q + Q') (s : C) : K := match q with inl i => D i s | inr i => D' i s end.
Definition summed_rows (x : S) (s : C) : K := E_R x s + E_R' x s.
Definition score_in_shared_columns (alpha_0 alpha_inf : Q + Q' -> K) (w : seq S) : K :=
  score_5 (Q := sum_finite Q Q') alpha_0 alpha_inf (below D_1 D_1') (below D_2 D_2') summed_rows w.
End SharedColumns.

(* With shared columns, the states of one rule reach those of the other. If D_1, D_2' and the row of the new network are 1, the new rule gives the word
   of one symbol the score 1, but it gives the score 0 in its own network. *)
Theorem without_own_columns_is_refuted (K : semiring) : 1 <> 0 :> K ->
  ~ (forall (S : Type) (Q Q' C : finite) (alpha_0 alpha_inf : Q -> K) (alpha_0' alpha_inf' : Q' -> K)
       (D_1 D_2 : Q -> C -> K) (D_1' D_2' : Q' -> C -> K) (E_R E_R' : S -> C -> K) w,
     score_in_shared_columns D_1 D_2 D_1' D_2' E_R E_R' (beside alpha_0 alpha_0') (beside alpha_inf (fun _ => 0)) w =
       score_5 alpha_0 alpha_inf D_1 D_2 E_R w /\
     score_in_shared_columns D_1 D_2 D_1' D_2' E_R E_R' (beside alpha_0 alpha_0') (beside (fun _ => 0) alpha_inf') w =
       score_5 alpha_0' alpha_inf' D_1' D_2' E_R' w).
Proof.
move=> nontrivial all; apply: nontrivial; pose some (_ _ : 'I_1) : K := 1; pose none (_ _ : 'I_1) : K := 0.
have [_] := all unit (place 1) (place 1) (place 1) (fun _ => 1) (fun _ => 1) (fun _ => 1) (fun _ => 1) some none none some
  (fun _ _ => 0) (fun _ _ => 1) [:: tt].
by rewrite /score_in_shared_columns /score_5 /next_5 /run /= /below /summed_rows /some /none; written_out.
Qed.
