(* FA-RNN (Jiang et al. 2020): equations 4, 5, 9 and 10, for any number K of states and any number r of columns. *)

From mathcomp Require Import all_ssreflect.
From ratproof Require Import semiring sums automaton.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Section FaRnn.
Variables (K : semiring) (S : Type) (Q C : finite).
Variables (alpha_0 alpha_inf : Q -> K).

(* Equation 4: h_t = h_{t-1} T[x_t], a row; the score is h_N alpha_inf. *)
Definition next_4 (T : S -> Q -> Q -> K) (h : Q -> K) (x : S) (j : Q) : K := \sum_(i : Q) h i * T x i j.
Definition score_4 (T : S -> Q -> Q -> K) (w : seq S) : K := \sum_(i : Q) run (next_4 T) alpha_0 w i * alpha_inf i.

(* The automaton <alpha_0, T, alpha_inf>. *)
Definition automaton_of (T : S -> Q -> Q -> K) : wfa K S Q := Wfa alpha_0 T alpha_inf.

(* Equation 4 is its Forward score. *)
Theorem equation_4 T w : score (automaton_of T) w = score_4 T w.
Proof. by rewrite (score_is_inv (next := next_4 T) (start := alpha_0) (inv := fun h => h)). Qed.

(* Equation 5: a = (h_{t-1} D_1) o v_t, and h_t = a D_2^T, with a column s of D_1, E_R and D_2 for each s. *)
Variables (D_1 D_2 : Q -> C -> K) (E_R : S -> C -> K).
Definition next_5 (h : Q -> K) (x : S) (j : Q) : K :=
  \sum_(s : C) ((\sum_(i : Q) h i * D_1 i s) * E_R x s) * D_2 j s.
Definition score_5 (w : seq S) : K := \sum_(i : Q) run next_5 alpha_0 w i * alpha_inf i.

(* The tensor that the factors give: T[x, i, j] is the sum over s of D_1[i, s] E_R[x, s] D_2[j, s]. *)
Definition of_factors (x : S) (i j : Q) : K := \sum_(s : C) D_1 i s * E_R x s * D_2 j s.

Lemma next_5_is_next_4 h x j : \sum_(i : Q) h i * of_factors x i j = next_5 h x j.
Proof.
rewrite /next_5 (eq_sum (fun i => times_sum _ _)) exchange_sum; apply: eq_sum => s.
by rewrite !sum_times; apply: eq_sum => i; rewrite !timesA.
Qed.

(* Equation 5 is the Forward score of that automaton: whatever K and r are, in every semiring. *)
Theorem equation_5 w : score (automaton_of of_factors) w = score_5 w.
Proof. by rewrite (score_is_inv (next := next_5) (start := alpha_0) (inv := fun h => h)) // => h x j; rewrite -next_5_is_next_4. Qed.
End FaRnn.

(* With h as a column, h_t = T[x_t] h_{t-1}, the transition from state 0 to state 1 leads from 1 to 0, and the score of a word is lost. *)
Definition column_next (K : semiring) (S : Type) (Q : finite) (T : S -> Q -> Q -> K) (h : Q -> K) (x : S) (i : Q) : K := \sum_(j : Q) T x i j * h j.
Theorem columns_are_refuted (K : semiring) : 1 <> 0 :> K ->
  let A := of_lists 2 [:: 1; 0] (fun _ : unit => [:: [:: 0; 1]; [:: 0; 0]]) [:: 0; 1] : wfa K unit (place 2) in
  score A [:: tt] <> \sum_(i : place 2) run (column_next (transition A)) (initial A) [:: tt] i * final A i.
Proof. by move=> nontrivial A; evaluated; rewrite /column_next; written_out. Qed.

Section Unfolding.
Variables (K : semiring) (S : Type) (n : nat) (C : finite) (D_1 D_2 : 'I_n -> C -> K) (E_R : S -> C -> K).

(* Equation 9: the unfolding (D_2 (.) D_1) E_R^T has K^2 rows; its row j K + i, counted from 0, is read as T[x, i, j]. *)
Lemma row_below (m : 'I_(n * n)) : (m %/ n < n)%N /\ (m %% n < n)%N.
Proof.
have some: (0 < n)%N by case: n m => [[]|].
by rewrite ltn_divLR // ltn_ord ltn_mod.
Qed.
Definition row_of (m : 'I_(n * n)) : 'I_n := Ordinal (row_below m).2.
Definition block_of (m : 'I_(n * n)) : 'I_n := Ordinal (row_below m).1.
Definition unfolding (m : 'I_(n * n)) (x : S) : K := \sum_(s : C) (D_2 (block_of m) s * D_1 (row_of m) s) * E_R x s.

Lemma row_number (i j : 'I_n) : (j * n + i < n * n)%N.
Proof. by apply: leq_trans (_ : j.+1 * n <= _)%N; rewrite ?leq_mul2r ?ltn_ord ?orbT // mulSn addnC ltn_add2r. Qed.
Definition refolded (x : S) (i j : 'I_n) : K := unfolding (Ordinal (row_number i j)) x.

(* It is the tensor of the automaton that the network is. The rows of the unfolding are products D_2 D_1: the weights commute. *)
Theorem equation_9 : commutative (@times K) -> forall x i j, refolded x i j = of_factors (Q := place n) D_1 D_2 E_R x i j.
Proof.
move=> timesC x i j; apply: eq_sum => s.
have some: (0 < n)%N by case: n i => [[]|].
have -> : block_of (Ordinal (row_number i j)) = j by apply: val_inj; rewrite /= divnMDl // divn_small ?addn0.
have -> : row_of (Ordinal (row_number i j)) = i by apply: val_inj; rewrite /= modnMDl modn_small.
by rewrite -timesA timesC.
Qed.

(* So the refolded automaton scores every word as the network does. *)
Theorem equation_9_scores (alpha_0 alpha_inf : 'I_n -> K) w : commutative (@times K) ->
  score (@Wfa K S (place n) alpha_0 refolded alpha_inf) w = score_5 (Q := place n) alpha_0 alpha_inf D_1 D_2 E_R w.
Proof.
move=> timesC; rewrite -equation_5 /score; apply: eq_sum => q; congr (_ * _).
elim/last_ind: w q => // w x IH q; rewrite !forward_rcons.
by apply: eq_sum => p; rewrite IH /= equation_9.
Qed.
End Unfolding.

(* Equation 10: the factors of two networks, put beside one another in blocks. *)
Section Blocks.
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

(* With the initial weights of both, and final weights of one set of rules that are zero for the states of the other, the score of each
   is what its own network gives. *)
Theorem equation_10 w :
  score_5 (Q := sum_finite Q Q') (C := sum_finite C C') (beside alpha_0 alpha_0') (beside alpha_inf (fun _ => 0))
    (in_blocks D_1 D_1') (in_blocks D_2 D_2') both_rows w = score_5 alpha_0 alpha_inf D_1 D_2 E_R w /\
  score_5 (Q := sum_finite Q Q') (C := sum_finite C C') (beside alpha_0 alpha_0') (beside (fun _ => 0) alpha_inf')
    (in_blocks D_1 D_1') (in_blocks D_2 D_2') both_rows w = score_5 alpha_0' alpha_inf' D_1' D_2' E_R' w.
Proof.
rewrite /score_5 !sum_sum; split.
  rewrite [X in _ + X](eq_sum (fun s => timesw0 _)) sum0 plusw0; by apply: eq_sum => i; rewrite merged_splits.
rewrite [X in X + _](eq_sum (fun s => timesw0 _)) sum0 plus0w; by apply: eq_sum => i; rewrite merged_splits.
Qed.
End Blocks.
