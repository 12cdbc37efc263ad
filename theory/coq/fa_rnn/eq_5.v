(* Equation 5 (Jiang et al. 2020): if its tensor is decomposed into three factors, the network is the same automaton. *)

From mathcomp Require Import all_ssreflect.
From ratproof Require Import semiring sums automaton instances.
From ratproof.fa_rnn Require Import eq_4.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Section Equation5.
Variables (K : semiring) (S : Type) (Q C : finite) (alpha_0 alpha_inf : Q -> K).

(* a = (h_{t-1} D_1) o v_t, and h_t = a D_2^T, with a column s of D_1, E_R and D_2 for each s. *)
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

(* Equation 5 is the Forward score of that automaton, for any K and r, in every semiring. *)
Theorem eq_5 w : score (automaton_of alpha_0 alpha_inf of_factors) w = score_5 w.
Proof. by rewrite (score_is_inv (next := next_5) (start := alpha_0) (inv := fun h => h)) // => h x j; rewrite -next_5_is_next_4. Qed.
End Equation5.

(* Isolated states: rows of zeros below D_1 and D_2, and initial weights 0. Their final weights are arbitrary. *)
Section IsolatedStates.
Variables (K : semiring) (S : Type) (Q Q' C : finite) (alpha_0 alpha_inf : Q -> K) (alpha_inf' : Q' -> K).
Variables (D_1 D_2 : Q -> C -> K) (E_R : S -> C -> K).
Definition with_zeros (u : Q -> K) (q : Q + Q') : K := if q is inl i then u i else 0.
Definition with_rows_of_zeros (D : Q -> C -> K) (q : Q + Q') (s : C) : K := if q is inl i then D i s else 0.
Definition with_other_ends (q : Q + Q') : K := match q with inl i => alpha_inf i | inr i => alpha_inf' i end.

Lemma isolated_states_stay_0 w q :
  run (next_5 (Q := sum_finite Q Q') (with_rows_of_zeros D_1) (with_rows_of_zeros D_2) E_R) (with_zeros alpha_0) w q =
  with_zeros (run (next_5 D_1 D_2 E_R) alpha_0 w) q.
Proof.
elim/last_ind: w q => // w x IH [j|j]; rewrite !run_rcons /next_5 /=; last by rewrite (eq_sum (fun s => timesw0 _)) sum0.
apply: eq_sum => s; congr (_ * _ * _); rewrite sum_sum (eq_sum (fun i => timesw0 _)) sum0 plusw0.
by apply: eq_sum => i; rewrite IH.
Qed.

(* Isolated states do not change any score. *)
Theorem eq_5_isolated_states w :
  score_5 (Q := sum_finite Q Q') (with_zeros alpha_0) with_other_ends (with_rows_of_zeros D_1) (with_rows_of_zeros D_2) E_R w =
  score_5 alpha_0 alpha_inf D_1 D_2 E_R w.
Proof.
rewrite /score_5 sum_sum [X in _ + X](eq_sum (G := fun _ => 0)) => [|i]; last by rewrite isolated_states_stay_0 times0w.
by rewrite sum0 plusw0; apply: eq_sum => i; rewrite isolated_states_stay_0.
Qed.
End IsolatedStates.

(* Factors by construction, for any tensor: D_1, E_R and D_2. *)
Record factors (K : semiring) (S : Type) (Q : finite) := Factors {
  columns : finite;
  before : Q -> columns -> K;
  of_word : S -> columns -> K;
  after : Q -> columns -> K
}.
Arguments before {K S Q} _.
Arguments of_word {K S Q} _.
Arguments after {K S Q} _.

Section Construction.
Variables (K : semiring) (S Q : finite) (T : S -> Q -> Q -> K).

(* There is a column for each word and source state, or for each source and target state. *)
Definition by_words : factors K S Q := @Factors K S Q (prod_finite S Q)
  (fun i c => if i == c.2 then 1 else 0) (fun x c => if x == c.1 then 1 else 0) (fun j c => T c.1 c.2 j).
Definition by_pairs : factors K S Q := @Factors K S Q (prod_finite Q Q)
  (fun i c => if i == c.1 then 1 else 0) (fun x c => T x c.1 c.2) (fun j c => if j == c.2 then 1 else 0).
(* The factors with fewer columns. *)
Definition by_construction : factors K S Q := if (card S <= card Q)%N then by_words else by_pairs.

Definition score_of (alpha_0 alpha_inf : Q -> K) (F : factors K S Q) (w : seq S) : K := score_5 alpha_0 alpha_inf (before F) (after F) (of_word F) w.

Lemma construction_is_exact x i j : of_factors (before by_construction) (after by_construction) (of_word by_construction) x i j = T x i j.
Proof.
have one_of (P : finite) (p : P) (F : P -> K) : \sum_(p' : P) (if p == p' then 1 else 0) * F p' = F p.
  by rewrite (sum_at (p := p)) ?eqxx ?times1w // => p'; rewrite eq_sym => /negbTE ->; rewrite times0w.
rewrite /by_construction; case: ifP => _; rewrite /of_factors sum_prod /=.
  rewrite exchange_sum -[RHS](one_of Q i (fun i' => T x i' j)); apply: eq_sum => i'.
  rewrite -[in RHS](one_of S x (fun x' => T x' i' j)) times_sum; apply: eq_sum => x'; by rewrite timesA.
rewrite -[RHS](one_of Q i (fun i' => T x i' j)); apply: eq_sum => i'; rewrite (sum_at (p := j)) ?eqxx ?timesw1 // => j'.
by rewrite eq_sym => /negbTE ->; rewrite timesw0.
Qed.

(* min(V K, K^2) columns are enough: with these factors, the network gives every word the same score as the automaton of the tensor. *)
Theorem eq_5_large_enough :
  card (columns by_construction) = minn (card S * card Q) (card Q * card Q) /\
  forall alpha_0 alpha_inf w, score (automaton_of alpha_0 alpha_inf T) w = score_of alpha_0 alpha_inf by_construction w.
Proof.
split=> [|alpha_0 alpha_inf w].
  rewrite /by_construction; case: leqP => [le|/ltnW le]; rewrite card_prod; apply/esym.
    by apply/minn_idPl; rewrite leq_mul2r le orbT.
  by apply/minn_idPr; rewrite leq_mul2r le orbT.
rewrite /score_of -eq_5; apply: eq_sum => q; congr (_ * _).
by elim/last_ind: w q => // w x IH q; rewrite !forward_rcons; apply: eq_sum => p; rewrite IH /= construction_is_exact.
Qed.
End Construction.

(* The same factors without their last column. *)
Definition but_last (C : finite) (s : 'I_(card C).-1) : C := tnth (in_tuple (elements C)) (widen_ord (leq_pred (card C)) s).
Definition without_last_column (K : semiring) (S : Type) (Q : finite) (F : factors K S Q) : factors K S Q :=
  @Factors K S Q (place (card (columns F)).-1) (fun i s => before F i (but_last s)) (fun x s => of_word F x (but_last s)) (fun j s => after F j (but_last s)).

(* With one column less, the factors give 0 if the tensor is a single weight 1, but the automaton gives the word of one symbol the score 1. *)
Theorem without_large_enough_rank_is_refuted (K : semiring) : 1 <> 0 :> K ->
  ~ (forall (S Q : finite) (alpha_0 alpha_inf : Q -> K) (T : S -> Q -> Q -> K) w,
     score (automaton_of alpha_0 alpha_inf T) w = score_of alpha_0 alpha_inf (without_last_column (by_construction T)) w).
Proof.
move=> nontrivial all; apply: nontrivial.
have := all (place 1) (place 1) (fun _ => 1) (fun _ => 1) (fun _ _ _ => 1) [:: ord0]; evaluated => ->.
by rewrite /score_of /score_5 /next_5 /run /=; written_out.
Qed.
