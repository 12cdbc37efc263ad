(* Extracting a DFA (Wang & Niepert 2019, section 3.1, Algorithm 1): by evaluating the cell, and by counts over data. *)

From mathcomp Require Import all_ssreflect all_algebra.
From ratproof Require Import semiring sums automaton paths instances deterministic.
From ratproof.state_regularized.shared Require Import integer_network.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

(* All words with fewer symbols than a length. *)
Definition shorter (S : finite) (length : nat) : seq (seq S) := flatten [seq sequences S k | k <- iota 0 length].

Lemma in_sequences (S : finite) k (w : seq S) : (w \in sequences S k) = (size w == k).
Proof.
elim: k w => [|k IH] w; first by rewrite inE; case: w.
apply/allpairsP/eqP => [[[x v] /= [_ in_v ->]]|]; first by move: in_v; rewrite IH => /eqP <-.
by case: w => // x v [size_v]; exists (x, v); rewrite in_elements IH size_v eqxx.
Qed.

Lemma in_shorter (S : finite) length (w : seq S) : (w \in shorter S length) = (size w < length)%N.
Proof.
apply/flatten_mapP/idP => [[k]|small]; last by exists (size w); rewrite ?in_sequences ?eqxx // mem_iota.
by rewrite mem_iota in_sequences => small /eqP ->.
Qed.

Lemma largest_in (s : seq nat) : (0 < foldr maxn 0 s)%N -> foldr maxn 0%N s \in s.
Proof.
elim: s => //= v s IH; rewrite inE; case: (leqP (foldr maxn 0%N s) v) => _; first by rewrite eqxx.
by move=> /IH ->; rewrite orbT.
Qed.

Lemma up_to_largest (s : seq nat) v : v \in s -> (v <= foldr maxn 0 s)%N.
Proof. by elim: s => //= u s IH; rewrite inE => /predU1P[->|/IH le]; rewrite ?leq_maxl // leq_max le orbT. Qed.

Section Extraction.
Variables (K : semiring) (H : eqType) (S : finite) (n : nat) (centroid : 'I_n.+1 -> H) (most : H -> S -> 'I_n.+1).

(* The network is moved to its most probable centroid after each symbol (section 3.1's text). Its output is 1 for the centroid at which it is. *)
Definition moved (h : H) (x : S) : H := centroid (most h x).
Definition hard_run : seq S -> H := run moved (centroid ord0).
Definition is_at (h : option H) (j : 'I_n.+1) : K := if h == Some (centroid j) then 1 else 0.

(* The transition function from evaluating the cell at every centroid for every symbol, and its DFA. *)
Definition asked (i : 'I_n.+1) (x : S) : 'I_n.+1 := most (centroid i) x.
Definition dfa (delta : 'I_n.+1 -> S -> 'I_n.+1) (j : 'I_n.+1) : wfa K S (place n.+1) :=
  deterministic K (D := place n.+1) ord0 delta (fun i => i == j).

(* The labelled transitions of a run: a centroid, a symbol, and the next centroid. *)
Definition label (h : H) : 'I_n.+1 := nth ord0 (places n.+1) (index h (map centroid (places n.+1))).
Fixpoint taken (h : H) (w : seq S) : seq ('I_n.+1 * S * 'I_n.+1) :=
  if w is x :: w' then let after := moved h x in (label h, x, label after) :: taken after w' else [::].

(* argmax_j T[i, x, j] for the transitions that were taken; if counts are equal, the first j. *)
Definition most_counted (data : seq ('I_n.+1 * S * 'I_n.+1)) (i : 'I_n.+1) (x : S) : 'I_n.+1 :=
  let numbers := [seq count_mem (i, x, j) data | j <- places n.+1] in nth ord0 (places n.+1) (index (foldr maxn 0%N numbers) numbers).

(* Counts of hard runs over all words of at most longest symbols. *)
Variable longest : nat.
Definition data_transitions : seq ('I_n.+1 * S * 'I_n.+1) := flatten [seq taken (centroid ord0) w | w <- shorter S longest.+1].
Definition counts (i : 'I_n.+1) (x : S) (j : 'I_n.+1) : nat := count_mem (i, x, j) data_transitions.
Definition by_counts : 'I_n.+1 -> S -> 'I_n.+1 := most_counted data_transitions.

(* The DFA with transitions only for the pairs that occur in the data. *)
Definition seen (i : 'I_n.+1) (x : S) : bool := has (fun t => (t.1.1 == i) && (t.1.2 == x)) data_transitions.
Definition seen_next (i : 'I_n.+1) (x : S) : option 'I_n.+1 := if seen i x then Some (by_counts i x) else None.
Definition seen_dfa (j : 'I_n.+1) : wfa K S (place n.+1) := partial K (D := place n.+1) ord0 seen_next (fun i => i == j).

(* Algorithm 1 as printed: the network is run once, before the loop over the words, so it continues from the state after the previous word; but each
   word's first transition is counted from the first centroid. For a pair that is never counted, the cell is evaluated. *)
Fixpoint taken_from (i : 'I_n.+1) (h : H) (w : seq S) : seq ('I_n.+1 * S * 'I_n.+1) :=
  if w is x :: w' then let after := moved h x in (i, x, label after) :: taken_from (label after) after w' else [::].
Fixpoint without_reset (h : H) (words : seq (seq S)) : seq ('I_n.+1 * S * 'I_n.+1) :=
  if words is w :: words' then taken_from ord0 h w ++ without_reset (run moved h w) words' else [::].
Definition by_counts_without_reset (i : 'I_n.+1) (x : S) : 'I_n.+1 :=
  let data := without_reset (centroid ord0) (shorter S longest.+1) in
  if has (fun t => (t.1.1 == i) && (t.1.2 == x)) data then most_counted data i x else asked i x.

(* The network restricted to the data: a step is possible only from a hidden state that fewer than longest symbols reach. Otherwise, there is no output
   from then on. *)
Definition covered_next (h : option H) (x : S) : option H :=
  if h is Some h' then if has (fun v => hard_run v == h') (shorter S longest) then Some (moved h' x) else None else None.
Definition covered_run : seq S -> option H := run covered_next (Some (centroid ord0)).

Hypothesis distinct : injective centroid.

Lemma label_centroid i : label (centroid i) = i.
Proof. by rewrite /label index_map // nth_index // (in_elements (Q := place n.+1)). Qed.

Lemma hard_run_is_dfa w : hard_run w = centroid (run asked ord0 w).
Proof. by elim/last_ind: w => // w x IH; rewrite /hard_run !run_rcons -/(hard_run w) IH. Qed.

(* The network that is moved to its most probable centroid is the DFA that the cell defines. *)
Theorem extraction w j : score (dfa asked j) w = is_at (Some (hard_run w)) j.
Proof. by rewrite deterministic_score hard_run_is_dfa /is_at !(inj_eq (@Some_inj _)) (inj_eq distinct). Qed.

Lemma taken_at i w t : t \in taken (centroid i) w -> exists2 v, (size v < size w)%N &
  t = (run asked i v, t.1.2, asked (run asked i v) t.1.2).
Proof.
elim: w i => //= x w IH i; rewrite inE => /predU1P[->|/IH[v small ->]].
  by exists [::]; rewrite //= /moved !label_centroid.
by exists (x :: v); rewrite //= /moved -/(asked i x) label_centroid.
Qed.

Lemma last_is_taken i v x : (run asked i v, x, asked (run asked i v) x) \in taken (centroid i) (rcons v x).
Proof. by elim: v i => [|y v IH] i /=; rewrite inE /moved ?label_centroid ?eqxx // IH orbT. Qed.

Lemma in_data t : t \in data_transitions -> exists2 v, (size v < longest)%N & t = (run asked ord0 v, t.1.2, asked (run asked ord0 v) t.1.2).
Proof. by case/flatten_mapP => w; rewrite in_shorter => small /taken_at[v lt ->]; exists v => //; apply: leq_trans lt small. Qed.

Lemma seen_is_reached i x : seen i x = has (fun v => hard_run v == centroid i) (shorter S longest).
Proof.
apply/hasP/hasP => [[t /in_data[v small ->] /andP[/= /eqP at_i _]]|[v]].
  by exists v; rewrite ?in_shorter // hard_run_is_dfa at_i.
rewrite in_shorter hard_run_is_dfa (inj_eq distinct) => small /eqP at_i.
exists (run asked ord0 v, x, asked (run asked ord0 v) x); last by rewrite /= at_i !eqxx.
by apply/flatten_mapP; exists (rcons v x); rewrite ?in_shorter ?size_rcons // last_is_taken.
Qed.

Lemma seen_by_counts i x : seen i x -> by_counts i x = asked i x.
Proof.
have others j : j != asked i x -> counts i x j = 0%N.
  move=> ne; apply/eqP; rewrite -leqn0 leqNgt -has_count; apply/hasPn => t /in_data[v _ def_t]; apply: contra ne => /eqP at_t.
  by move: def_t; rewrite at_t => -[-> ->].
case/hasP => t in_t /andP[/eqP at_i /eqP at_x].
have some : (0 < counts i x (asked i x))%N.
  rewrite -has_count; apply/hasP; exists t => //; case: (in_data in_t) => v _ def_t.
  by move: at_i; rewrite def_t /= at_x => <-; rewrite eqxx.
rewrite /by_counts /most_counted -/(counts i x); set numbers := map _ _.
have in_numbers : counts i x (asked i x) \in numbers by apply: map_f; apply: (in_elements (Q := place n.+1)).
have top_in : foldr maxn 0%N numbers \in numbers by apply: largest_in; apply: leq_trans some (up_to_largest in_numbers).
apply/eqP; apply: contraT => /others none; have := up_to_largest in_numbers; rewrite -[X in (_ <= X)%N](nth_index 0%N top_in).
rewrite (nth_map ord0) -/(counts i x _); last by rewrite -(size_map (fun j => count_mem (i, x, j) data_transitions)) index_mem.
by rewrite none leqNgt some.
Qed.

Lemma covered_is_seen w : covered_run w = omap centroid (run (go_on (D := place n.+1) seen_next) (Some ord0) w).
Proof.
elim/last_ind: w => // w x IH; rewrite /covered_run !run_rcons -/(covered_run w) IH.
case: (run _ _ w) => [i|] //=; rewrite -(seen_is_reached i x) /go_on /= /seen_next.
by case: ifP => // /seen_by_counts ->.
Qed.

(* The DFA from counts of hard runs, for the pairs that occur in the data, is the network restricted to the data. *)
Theorem extraction_seen_pairs w j : score (seen_dfa j) w = is_at (covered_run w) j.
Proof.
rewrite partial_score covered_is_seen /is_at; case: (run _ _ w) => [i|] //=.
by rewrite (inj_eq (@Some_inj _)) (inj_eq distinct).
Qed.
End Extraction.

(* A pair that never occurs leads to the first centroid. Let s_1 = 0, s_2 = 1 and u = 1, so every symbol leads to s_2. In the data, which are the words
   of one symbol, s_2 has no transition. After two symbols, the network is at s_2, and the automaton is at s_1. *)
Theorem printed_hard_run_is_refuted :
  ~ (forall (S : finite) n d (N : network S n d) longest, distinct N -> no_ties N -> forall w j,
     score (dfa rationals (by_counts (centroid N) (most_probable N) longest) j) w =
     is_at rationals (centroid N) (Some (hard_run (centroid N) (most_probable N) w)) j).
Proof.
pose N := Network (S := 'I_1) (n := 1) (d := 1) false 1 (fun i _ => Posz i) (fun _ _ => Posz 0) (fun _ _ => Posz 1).
move=> all; have := all (place 1) 1%N 1%N N 1%N _ _ [:: ord0; ord0] ord0; rewrite deterministic_score /is_at.
set right := _ == Some _; have -> : right = false by vm_compute.
set left := _ == ord0; have -> : left by vm_compute.
move=> eq; have : (1 <> 0 :> rationals)%W by []; apply; apply: eq => [i j|i x].
  by move: i j => [[|[|i]] lt_i] [[|[|j]] lt_j] //= _; apply: val_inj.
by move: i x => [[|[|i]] lt_i] x; vm_compute.
Qed.

(* The network is not reset between words. Let s_1 = -1, s_2 = 1 and u = -h, so every symbol leads from each centroid to the other. The word a
   leads to s_2, and the word b continues from there to s_1. But this transition is counted from s_1, from which b leads to s_2. *)
Theorem printed_without_reset_is_refuted :
  ~ (forall (S : finite) n d (N : network S n d) longest, distinct N -> no_ties N -> forall w j,
     score (dfa rationals (by_counts_without_reset (centroid N) (most_probable N) longest) j) w =
     is_at rationals (centroid N) (Some (hard_run (centroid N) (most_probable N) w)) j).
Proof.
pose N := Network (S := 'I_2) (n := 1) (d := 1) false 1 (fun i _ => if i == ord0 then Negz 0 else Posz 1) (fun _ _ => Negz 0) (fun _ _ => Posz 0).
move=> all; have := all (place 2) 1%N 1%N N 1%N _ _ [:: lift ord0 ord0] ord0; rewrite deterministic_score /is_at.
set right := _ == Some _; have -> : right = false by vm_compute.
set left := _ == ord0; have -> : left by vm_compute.
move=> eq; have : (1 <> 0 :> rationals)%W by []; apply; apply: eq => [i j|i x].
  by move: i j => [[|[|i]] lt_i] [[|[|j]] lt_j] //= _; apply: val_inj.
by move: i x => [[|[|i]] lt_i] x; vm_compute.
Qed.
