(* SR Theorem 3.1 (Wang & Niepert 2019, section 3, equation 4): a memory-less state-regularized network that samples its next centroid is
   a probabilistic automaton.

   The cell is any function: alpha h x j is the probability of the centroid j where the hidden state is h and the symbol x. No law of
   probability is needed; the theorem holds for weights of any semiring. *)

From Coq Require Import QArith Qcanon Lqa.
From mathcomp Require Import all_ssreflect ssrint.
From ratproof Require Import semiring sums automaton paths instances.
From ratproof.state_regularized.shared Require Import integer_network.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Section Sampling.
Variables (K : semiring) (S : eqType) (H : Type) (k : nat) (alpha : H -> S -> 'I_k -> K) (centroid : 'I_k -> H).

(* The probability of a trajectory, the centroids after each symbol: the product of what the cell gives to each. *)
Fixpoint likelihood (h : H) (w : seq S) (trajectory : seq 'I_k) : K :=
  match w, trajectory with
  | x :: w', j :: rest => alpha h x j * likelihood (centroid j) w' rest
  | _, _ => 1
  end.

(* The centroid at the end, from one at the start (None: a vector that is no centroid). *)
Definition arrives (start : option 'I_k) (trajectory : seq 'I_k) (j : 'I_k) : bool := last start (map Some trajectory) == Some j.

(* The probability to be at the centroid j after the word: the sum over all trajectories that arrive there. *)
Definition sampled (h : H) (start : option 'I_k) (w : seq S) (j : 'I_k) : K :=
  \big[@plus K/0]_(t <- sequences (place k) (size w) | arrives start t j) likelihood h w t.

(* The same sum, so that it computes. *)
Definition computed_sampled (h : H) (start : option 'I_k) (w : seq S) (j : 'I_k) : K :=
  foldr (fun t total => (if arrives start t j then likelihood h w t else 0) + total) 0 (sequences (place k) (size w)).

Theorem computed_sampled_is_sampled h start w j : computed_sampled h start w j = sampled h start w j.
Proof. by rewrite /computed_sampled /sampled big_mkcond unlock /reducebig; elim: (sequences _ _) => //= t r ->. Qed.

(* From state i to state j with the probability that the cell gives to j at the centroid i. *)
Definition k_states (initial : 'I_k -> K) (j : 'I_k) : wfa K S (place k) :=
  @Wfa K S (place k) initial (fun x i i' => alpha (centroid i) x i') (fun i => if i == j then 1 else 0).

(* k + 1 states: another one for h_0 (None), which nothing leads to. *)
Definition with_one_more_state (h_0 : H) (j : 'I_k) : wfa K S (option_finite (place k)) :=
  @Wfa K S (option_finite (place k))
    (fun q => if q is None then 1 else 0)
    (fun x p q => if q is Some i' then alpha (if p is Some i then centroid i else h_0) x i' else 0)
    (fun q => if q == Some j then 1 else 0).

(* From the end: what an automaton without epsilon gives to the rest of a word. *)
Definition rest (Q : finite) (A : wfa K S Q) : seq S -> Q -> K := from A (fun _ _ => 0) 0.

Lemma score_is_rest (Q : finite) (A : wfa K S Q) w : score A w = \sum_(q : Q) initial A q * rest A w q.
Proof. by rewrite -score_without_epsilon score_from. Qed.

Lemma sampled_cons h start x w j :
  sampled h start (x :: w) j = \sum_(i : place k) alpha h x i * sampled (centroid i) (Some i) w j.
Proof.
rewrite /sampled big_mkcond [sequences _ _]/= big_allpairs_dep sumE; apply: eq_bigr => i _.
rewrite [in RHS]big_mkcond big_distrr; apply: eq_bigr => t _.
by rewrite -[arrives _ (i :: t) j]/(arrives (Some i) t j) /=; case: ifP; rewrite ?timesw0.
Qed.

Lemma sampled_nil h start j : sampled h start [::] j = if start == Some j then 1 else 0.
Proof. by rewrite /sampled big_mkcond big_seq1. Qed.

Lemma rest_of_k_states initial j w i : rest (k_states initial j) w i = sampled (centroid i) (Some i) w j.
Proof.
elim: w i => [|x w IH] i; last by rewrite sampled_cons; apply: eq_sum => i'; rewrite -IH.
by rewrite sampled_nil (inj_eq (@Some_inj _)).
Qed.

(* From a centroid: k states, of which the first is sure. *)
Theorem theorem_3_1 i j w :
  score (k_states (fun i' => if i' == i then 1 else 0) j) w = sampled (centroid i) (Some i) w j.
Proof.
rewrite score_is_rest (sum_at (p := i : place k)) /= ?eqxx ?times1w ?rest_of_k_states // => i' /negbTE ->.
by rewrite times0w.
Qed.

(* From any vector, after a start token: the token's probabilities are the initial law. *)
Theorem theorem_3_1_start_token h_0 token j w :
  score (k_states (alpha h_0 token) j) w = sampled h_0 None (token :: w) j.
Proof. by rewrite score_is_rest sampled_cons; apply: eq_sum => i; rewrite rest_of_k_states. Qed.

(* From any vector that is no centroid: k + 1 states. *)
Theorem theorem_3_1_one_more_state h_0 j w : score (with_one_more_state h_0 j) w = sampled h_0 None w j.
Proof.
have centroids v i : rest (with_one_more_state h_0 j) v (Some i) = sampled (centroid i) (Some i) v j.
  elim: v i => [|x v IH] i; first by rewrite sampled_nil.
  by rewrite sampled_cons /rest /= /reached sum_option /= times0w plus0w; apply: eq_sum => i'; rewrite -IH.
rewrite score_is_rest sum_option /= times1w (eq_sum (fun i => times0w _)) sum0 plusw0.
case: w => [|x w]; first by rewrite sampled_nil.
by rewrite sampled_cons /rest /= /reached sum_option /= times0w plus0w; apply: eq_sum => i; rewrite -centroids.
Qed.
End Sampling.

(* From a vector that is no centroid, with k states, there is no initial law: with s_1 = 0, s_2 = -1, h_0 = 1 and u = h, the network is at s_1 after
   one symbol with the probability 2/3; from s_1 the automaton is there with 1/2, from s_2 with 1/3, and from both with a number between. *)
Theorem without_centroid_start_is_refuted :
  ~ (forall (S : eqType) n d (N : network S n d) (h_0 : vector), distinct N -> (forall i, h_0 <> centroid N i) ->
     exists initial : 'I_n.+1 -> rationals,
       [/\ forall i, (Q2Qc 0 <= initial i)%Qc, \sum_(i : place n.+1) initial i = 1 &
           forall w j, w <> [::] -> score (k_states (soft_cell N) (centroid N) initial j) w = sampled (soft_cell N) (centroid N) h_0 None w j]).
Proof.
pose N := Network (S := unit) (n := 1) (d := 1) false 1 (fun i _ => if i == ord0 then Posz 0 else Negz 0) (fun _ _ => Posz 1) (fun _ _ => Posz 0).
move=> all; case: (all unit_eqType 1%N 1%N N [:: Posz 1]) => [||initial [not_negative one same]].
- by move=> [[|[|i]] lt_i] [[|[|j]] lt_j] // _; apply: val_inj.
- by move=> [[|[|i]] lt_i].
have := same [:: tt] ord0 (fun no => ltac:(discriminate no)); rewrite -computed_sampled_is_sampled.
have -> : computed_sampled (soft_cell N) (centroid N) [:: Posz 1] None [:: tt] ord0 = Q2Qc (2 # 3) by apply: Qc_is_canon; vm_compute.
have half : soft_cell N (centroid N ord0) tt ord0 = Q2Qc (1 # 2) by apply: Qc_is_canon; vm_compute.
have third : soft_cell N (centroid N (lift ord0 ord0)) tt ord0 = Q2Qc (1 # 3) by apply: Qc_is_canon; vm_compute.
have between (a b c d : Qc) : (Q2Qc 0 <= a -> Q2Qc 0 <= b -> a + (b + Q2Qc 0) = 1 ->
    (a * Q2Qc (1 # 2) + (b * Q2Qc (1 # 3) + Q2Qc 0)) * 1 + (c * Q2Qc 0 + d * Q2Qc 0) = Q2Qc (2 # 3) -> False)%Qc.
  move=> a_ge0 b_ge0 sum_is_1 sum_is_2_3.
  have : Qeq (this (a + (b + Q2Qc 0))%Qc) (this 1%Qc) by rewrite sum_is_1; apply: Qeq_refl.
  have : Qeq (this ((a * Q2Qc (1 # 2) + (b * Q2Qc (1 # 3) + Q2Qc 0)) * 1 + (c * Q2Qc 0 + d * Q2Qc 0))%Qc) (this (Q2Qc (2 # 3))).
    by rewrite sum_is_2_3; apply: Qeq_refl.
  move: a_ge0 b_ge0; rewrite /Qcle /Qcplus /Qcmult /Q2Qc /this !Qred_correct; lra.
by evaluated; rewrite half third; apply: (between _ _ _ (Q2Qc 0)).
Qed.
