(* SR Theorem 3.1 (Wang & Niepert 2019, section 3, equation 4): a memory-less state-regularized network that samples its next centroid is
   a probabilistic automaton.

   The cell is any function: alpha h x j is the probability of the centroid j if the hidden state is h and the symbol is x. The theorem needs no
   property of probabilities; it holds for weights of any semiring. *)

From Coq Require Import QArith Qcanon Lqa.
From mathcomp Require Import all_ssreflect all_algebra.
From ratproof Require Import semiring sums automaton paths instances hankel exponential.
From ratproof.state_regularized.shared Require Import integer_network softmax.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Section Sampling.
Variables (K : semiring) (S : eqType) (H : Type) (k : nat) (alpha : H -> S -> 'I_k -> K) (centroid : 'I_k -> H).

(* The probability of a trajectory, which lists the centroids after each symbol: the product of the cell's probabilities of these centroids. *)
Fixpoint likelihood (h : H) (w : seq S) (trajectory : seq 'I_k) : K :=
  match w, trajectory with
  | x :: w', j :: rest => alpha h x j * likelihood (centroid j) w' rest
  | _, _ => 1
  end.

(* Whether a trajectory ends at the centroid j. The start is a centroid, or None for a vector that is no centroid. *)
Definition arrives (start : option 'I_k) (trajectory : seq 'I_k) (j : 'I_k) : bool := last start (map Some trajectory) == Some j.

(* The probability of being at the centroid j after the word: the sum over all trajectories that end at j. *)
Definition sampled (h : H) (start : option 'I_k) (w : seq S) (j : 'I_k) : K :=
  \big[@plus K/0]_(t <- sequences (place k) (size w) | arrives start t j) likelihood h w t.

(* The probability as a sum that Coq can compute. *)
Definition computed_sampled (h : H) (start : option 'I_k) (w : seq S) (j : 'I_k) : K :=
  foldr (fun t total => (if arrives start t j then likelihood h w t else 0) + total) 0 (sequences (place k) (size w)).

Theorem computed_sampled_is_sampled h start w j : computed_sampled h start w j = sampled h start w j.
Proof. by rewrite /computed_sampled /sampled big_mkcond unlock /reducebig; elim: (sequences _ _) => //= t r ->. Qed.

(* The transition from state i to state j has the probability that the cell gives to j at the centroid i. *)
Definition k_states (initial : 'I_k -> K) (j : 'I_k) : wfa K S (place k) :=
  @Wfa K S (place k) initial (fun x i i' => alpha (centroid i) x i') (fun i => if i == j then 1 else 0).

(* k + 1 states: there is one more state for h_0 (None), to which no transition leads. *)
Definition with_one_more_state (h_0 : H) (j : 'I_k) : wfa K S (option_finite (place k)) :=
  @Wfa K S (option_finite (place k))
    (fun q => if q is None then 1 else 0)
    (fun x p q => if q is Some i' then alpha (if p is Some i then centroid i else h_0) x i' else 0)
    (fun q => if q == Some j then 1 else 0).

(* The score that an automaton without epsilon gives to the rest of a word, from each state. *)
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

(* From a centroid: k states, with initial probability 1 at this centroid. *)
Theorem theorem_3_1 i j w :
  score (k_states (fun i' => if i' == i then 1 else 0) j) w = sampled (centroid i) (Some i) w j.
Proof.
rewrite score_is_rest (sum_at (p := i : place k)) /= ?eqxx ?times1w ?rest_of_k_states // => i' /negbTE ->.
by rewrite times0w.
Qed.

(* From any vector, after a start token: the probabilities after the token are the initial distribution. *)
Theorem theorem_3_1_start_token h_0 token j w :
  score (k_states (alpha h_0 token) j) w = sampled h_0 None (token :: w) j.
Proof. by rewrite score_is_rest sampled_cons; apply: eq_sum => i; rewrite rest_of_k_states. Qed.

(* From any vector that is not a centroid: k + 1 states. *)
Theorem theorem_3_1_one_more_state h_0 j w : score (with_one_more_state h_0 j) w = sampled h_0 None w j.
Proof.
have centroids v i : rest (with_one_more_state h_0 j) v (Some i) = sampled (centroid i) (Some i) v j.
  elim: v i => [|x v IH] i; first by rewrite sampled_nil.
  by rewrite sampled_cons /rest /= /reached sum_option /= times0w plus0w; apply: eq_sum => i'; rewrite -IH.
rewrite score_is_rest sum_option /= times1w (eq_sum (fun i => times0w _)) sum0 plusw0.
case: w => [|x w]; first by rewrite sampled_nil.
by rewrite sampled_cons /rest /= /reached sum_option /= times0w plus0w; apply: eq_sum => i; rewrite -centroids.
Qed.

(* After the word, the cell reads an end token at the centroid where the run is, without the stochastic component, and a classifier of its output gives
   a value: the expected value is the score with these values as final weights. *)
Variable value_at_end : H -> K.
Definition expected_value (h : H) (start : option 'I_k) (w : seq S) : K :=
  \sum_(j : place k) sampled h start w j * value_at_end (centroid j).
Definition with_values_at_end (initial : 'I_k -> K) : wfa K S (place k) :=
  @Wfa K S (place k) initial (fun x i i' => alpha (centroid i) x i') (fun i => value_at_end (centroid i)).

Theorem theorem_3_1_end_token i w :
  score (with_values_at_end (fun i' => if i' == i then 1 else 0)) w = expected_value (centroid i) (Some i) w.
Proof.
apply: eq_sum => j; rewrite -theorem_3_1; congr (_ * _); rewrite /score (sum_at (p := j : place k)) /= ?eqxx ?timesw1 // => q /negbTE ->.
by rewrite timesw0.
Qed.
End Sampling.

(* If the cell's answers are a softmax at a temperature above 0, the automaton is probabilistic: its initial weights, and the weights of the transitions
   from each state for each symbol, are nonnegative and sum to 1. *)
Theorem theorem_3_1_probabilistic (R : realFieldType) (e : exponential R) (S : eqType) (H : Type) n (similarity : H -> S -> 'I_n.+1 -> R)
    (centroid : 'I_n.+1 -> H) (tau : R) (i j : 'I_n.+1) : (0 < tau)%R ->
  let A := k_states (K := of_ring R) (fun h x => softmax e (similarity h x) tau) centroid (fun i' => if i' == i then 1 else 0)%W j in
  [/\ forall q, (0 <= initial A q)%R, \sum_(q : place n.+1) initial A q = 1,
      forall x p q, (0 <= transition A x p q)%R & forall x p, \sum_(q : place n.+1) transition A x p q = 1].
Proof.
move=> tau_positive A; rewrite /A /=; split=> [q||x p q|x p]; first by case: ifP => _; [apply: Num.Theory.ler01|apply: Order.POrderTheory.lexx].
- by rewrite (sum_at (p := i : place n.+1)) ?eqxx // => q /negbTE ->.
- exact: softmax_ge0.
by rewrite sum_ord; apply: sum_softmax.
Qed.

(* Two layers that both sample: the second layer reads the new centroid of the first. If there are more layers, all but the last count as the first. *)
Section Layers.
Variables (K : semiring) (S : eqType) (H H' : Type) (Q Q' : finite) (centroid : Q -> H) (centroid' : Q' -> H').
Variables (alpha : H -> S -> Q -> K) (alpha' : H' -> H -> Q' -> K).

(* The probability of a trajectory, which lists the pairs of centroids after each symbol. *)
Fixpoint likelihood_of_both (h : H) (h' : H') (w : seq S) (trajectory : seq (Q * Q')) : K :=
  match w, trajectory with
  | x :: w', (j, j') :: rest => alpha h x j * alpha' h' (centroid j) j' * likelihood_of_both (centroid j) (centroid' j') w' rest
  | _, _ => 1
  end.

(* The probability of being at the pair p after the word: the sum over all trajectories that end at p. *)
Definition both_sampled (start : Q * Q') (w : seq S) (p : Q * Q') : K :=
  foldr (fun t total => (if last start t == p then likelihood_of_both (centroid start.1) (centroid' start.2) w t else 0) + total)
    0 (sequences (prod_finite Q Q') (size w)).

(* There is a state for each pair. The weight of a transition is the first layer's probability for the symbol, times the second layer's probability for
   the first layer's new centroid. *)
Definition product_automaton (start p : Q * Q') : wfa K S (prod_finite Q Q') := @Wfa K S (prod_finite Q Q')
  (fun q => if q == start then 1 else 0)
  (fun x q r => alpha (centroid q.1) x r.1 * alpha' (centroid' q.2) (centroid r.1) r.2)
  (fun q => if q == p then 1 else 0).

Lemma both_sampled_cons start x w p :
  both_sampled start (x :: w) p =
  \sum_(q : prod_finite Q Q') alpha (centroid start.1) x q.1 * alpha' (centroid' start.2) (centroid q.1) q.2 * both_sampled q w p.
Proof.
have as_big start' v : both_sampled start' v p =
    \big[@plus K/0]_(t <- sequences (prod_finite Q Q') (size v) | last start' t == p) likelihood_of_both (centroid start'.1) (centroid' start'.2) v t.
  by rewrite /both_sampled big_mkcond unlock /reducebig; elim: (sequences _ _) => //= t r ->.
rewrite as_big big_mkcond [sequences _ _]/= big_allpairs_dep sumE; apply: eq_bigr => -[j j'] _.
rewrite as_big [in RHS]big_mkcond big_distrr; apply: eq_bigr => t _ /=; by case: ifP; rewrite ?timesw0.
Qed.

(* The network is the product automaton. *)
Theorem theorem_3_1_layers start p w : score (product_automaton start p) w = both_sampled start w p.
Proof.
have from_there v q : rest (product_automaton start p) v q = both_sampled q v p.
  elim: v q => [|x v IH] q; first by rewrite /both_sampled /= plusw0.
  by rewrite both_sampled_cons; apply: eq_sum => r; rewrite -IH.
rewrite score_is_rest (sum_at (p := start : prod_finite Q Q')) /= ?eqxx ?times1w ?from_there // => q /negbTE ->.
by rewrite times0w.
Qed.
End Layers.

(* From a vector that is not a centroid, with k states, no initial distribution is correct: with s_1 = 0, s_2 = -1, h_0 = 1 and u = h, the network is
   at s_1 after one symbol with probability 2/3. The automaton is there with probability 1/2 from s_1, 1/3 from s_2, and a probability in between
   from a mixture. *)
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

(* A cell with memory: alpha also depends on a cell state c, which each step passes to the next. *)
Section Memory.
Variables (K : semiring) (S : eqType) (H C : Type) (k : nat) (alpha : H -> C -> S -> 'I_k -> K) (next_c : H -> C -> S -> C) (centroid : 'I_k -> H).

Fixpoint likelihood_with_memory (h : H) (c : C) (w : seq S) (trajectory : seq 'I_k) : K :=
  match w, trajectory with
  | x :: w', j :: rest => alpha h c x j * likelihood_with_memory (centroid j) (next_c h c x) w' rest
  | _, _ => 1
  end.
Definition sampled_with_memory (h : H) (c : C) (start : option 'I_k) (w : seq S) (j : 'I_k) : K :=
  foldr (fun t total => (if arrives start t j then likelihood_with_memory h c w t else 0) + total) 0 (sequences (place k) (size w)).

Lemma sampled_with_memory_cons h c start x w j :
  sampled_with_memory h c start (x :: w) j = \sum_(i : place k) alpha h c x i * sampled_with_memory (centroid i) (next_c h c x) (Some i) w j.
Proof.
have as_big h' c' start' v : sampled_with_memory h' c' start' v j =
    \big[@plus K/0]_(t <- sequences (place k) (size v) | arrives start' t j) likelihood_with_memory h' c' v t.
  by rewrite /sampled_with_memory big_mkcond unlock /reducebig; elim: (sequences _ _) => //= t r ->.
rewrite as_big big_mkcond [sequences _ _]/= big_allpairs_dep sumE; apply: eq_bigr => i _.
rewrite as_big [in RHS]big_mkcond big_distrr; apply: eq_bigr => t _.
by rewrite -[arrives _ (i :: t) j]/(arrives (Some i) t j) /=; case: ifP; rewrite ?timesw0.
Qed.
End Memory.

(* c = c + V h + W_x and u = hardtanh(U h + c), with integers; the softmax at a temperature 1 / (m ln 2), by sums and an inverse. *)
Section CellState.
Local Open Scope ring_scope.
Variables (K : semiring) (inverse : K -> K) (S : eqType) (n d : nat) (N : network S n d) (V : 'I_d -> 'I_d -> int).
Definition next_cell (h c : vector) (x : S) : vector := [seq nth 0 c (i : 'I_d) + inner (map (V i) (places d)) h + input N x i | i <- places d].
Definition component_with_cell (h c : vector) : vector := [seq clipped (inner (map (recurrent N i) (places d)) h + nth 0 c (i : 'I_d)) | i <- places d].
Definition power_of_2 (b : seq int) (i : nat) : K :=
  iter (inverse_temperature N * absz (nth 0 b i - foldr Num.min (head 0 b) b)%R) (fun a => a + a)%W 1%W.
Definition softmax_with (b : seq int) (i : 'I_n.+1) : K := (power_of_2 b i * inverse (\sum_(j : place n.+1) power_of_2 b j))%W.
Definition cell_with_memory (h c : vector) (x : S) : 'I_n.+1 -> K := softmax_with (similarities N (component_with_cell h (next_cell h c x))).

(* From the first centroid and the cell state 0. *)
Definition cell_at_0 : vector := nseq d 0.
Definition with_cell_state : seq S -> 'I_n.+1 -> K :=
  sampled_with_memory cell_with_memory next_cell (centroid N) (centroid N ord0) cell_at_0 (Some ord0).
End CellState.

Import GRing.Theory Num.Theory.
Local Open Scope ring_scope.

(* Let c be the number of one symbol minus that of the other, s_1 = 0, s_2 = 1 and u = hardtanh(c), which is closer to s_2 if c is positive. No
   automaton with any number of states gives each word the probability of being at s_1. *)
Theorem without_memoryless_is_refuted (F : numFieldType) :
  ~ (forall (S : eqType) n d (N : network S n d) (V : 'I_d -> 'I_d -> int), distinct N ->
     exists (Q : finite) (A : wfa (of_ring F) S Q), forall w, score A w = with_cell_state (K := of_ring F) GRing.inv N V w ord0).
Proof.
pose step (x : bool) : int := if x then 1 else - 1.
pose N := Network (S := bool_eqType) (n := 1) (d := 1) true 1 (fun i _ => Posz i) (fun _ _ => 0) (fun x _ => step x).
pose V (_ _ : 'I_1) : int := 0; pose third : F := 3%:R^-1.
have third_ne0 : third != 0 by rewrite invr_eq0 pnatr_eq0.
pose value (c : int) : F := if 0 < c then third else third + third.
have no_input (h : vector) : inner [:: 0] h = 0 by case: h => [|a [|b h]] //; rewrite /inner /= mul0r.
have next h c x : next_cell N V h [:: c] x = [:: c + step x] by rewrite /next_cell /= /V no_input addr0.
have clipped_is z : clipped z = if 0 < z then 1 else if z == 0 then 0 else - 1.
  by case: z => [[|z]|z] //; rewrite /clipped (Order.POrderTheory.min_l (_ : 1 <= Posz z.+1)).
have thirds : third + third + third = 1.
  by rewrite -[1](divff (_ : 3%:R != 0 :> F)) ?pnatr_eq0 // !mulrS mulr0n addr0 !mulrDl !mul1r addrA.
have softmax_is b p q i : power_of_2 (of_ring F) N b 0 = p -> power_of_2 (of_ring F) N b 1 = q -> p + q = 3%:R ->
    softmax_with (K := of_ring F) GRing.inv N b i = (if i == ord0 then p else q) * third.
  move=> p_is q_is total; rewrite /softmax_with !sum_place sum_no_place /= -[bump 0 0]/(1%N) p_is q_is addr0 total.
  by case: i => [[|[|i]] lt_i] //=; rewrite ?p_is ?q_is.
have cell h c x i : cell_with_memory (K := of_ring F) GRing.inv N V h [:: c] x i = if i == ord0 then value (c + step x) else 1 - value (c + step x).
  have -> : cell_with_memory (K := of_ring F) GRing.inv N V h [:: c] x i =
      softmax_with (K := of_ring F) GRing.inv N (similarities N [:: clipped (c + step x)]) i.
    by rewrite /cell_with_memory next /component_with_cell /= no_input add0r.
  rewrite clipped_is /value; case: ifP => _.
    have -> : similarities N [:: 1] = [:: - 1; 0] by vm_compute.
    rewrite (softmax_is _ 1 (1 + 1)) //; case: ifP => _; rewrite ?mul1r //.
    by rewrite mulrDl mul1r -thirds addrK.
  have sums : (if i == ord0 then 1 + 1 else 1) * third = (if i == ord0 then third + third else 1 - (third + third)).
    by case: ifP => _; [rewrite mulrDl mul1r|rewrite mul1r -thirds addrC addKr].
  by rewrite (softmax_is _ (1 + 1) 1) -?sums 1?addrC //; case: ifP.
have total h c x : sum (fun i : place 2 => cell_with_memory (K := of_ring F) GRing.inv N V h [:: c] x i) = 1%W :> of_ring F.
  by rewrite !sum_place sum_no_place !cell /= addr0 addrC subrK.
pose weight (w : seq bool) : int := foldr (fun x z => step x + z) 0 w.
have law w h c start : w <> [::] ->
    sampled_with_memory (K := of_ring F) (cell_with_memory (K := of_ring F) GRing.inv N V) (next_cell N V) (centroid N) h [:: c] start w ord0 =
    value (c + weight w).
  elim: w h c start => // x w IH h c start _; rewrite sampled_with_memory_cons; case: w IH => [|y w] IH.
    rewrite (sum_at (p := ord0 : place 2)) => [|i /negbTE ne].
      by rewrite cell /sampled_with_memory /= /weight /= !addr0; apply: mulr1.
    by rewrite /sampled_with_memory /arrives /= (inj_eq (@Some_inj _)) ne addr0; apply: mulr0.
  rewrite (eq_sum (G := fun i => cell_with_memory (K := of_ring F) GRing.inv N V h [:: c] x i * value (c + weight [:: x, y & w])%R)%W) => [|i].
    by rewrite -sum_times total; apply: mul1r.
  by rewrite next IH // -addrA.
have weight_is a b : weight (nseq a true ++ nseq b false) = Posz a - Posz b.
  elim: a => [|a IH] /=; last by rewrite IH addrA -PoszD add1n.
  by elim: b => //= b ->; rewrite sub0r sub0r -opprD -PoszD add1n.
move=> all; have [] := all bool_eqType 1%N 1%N N V.
  by move=> [[|[|i]] lt_i] [[|[|j]] lt_j] // _; apply: val_inj.
move=> Q [A same]; suff: ((card Q).+1 <= card Q)%N by rewrite ltnn.
pose prefix (i : 'I_(card Q).+1) := nseq i.+1 true.
apply: (differences_exclude (A := A) (prefix := prefix) (suffix := fun j => nseq j.+1 false) (suffix' := fun j => nseq j false) third_ne0) => i j.
rewrite !same /with_cell_state /cell_at_0 !law ?add0r ?weight_is ?/value ?subr_gt0 ?ltz_nat ?ltnS //.
by rewrite -val_eqE /= eq_sym; case: ltngtP => _; rewrite ?subrr ?addrK.
Qed.
