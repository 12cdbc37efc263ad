(* A convolution with max-pooling over time (Peng et al. 2018, section 1, after Schwartz et al. 2018). *)

From mathcomp Require Import all_ssreflect.
From ratproof Require Import semiring sums automaton.
From ratproof.rational_recurrences.shared Require Import windows.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Section MaxPooled.
Variables (K : semiring) (S : Type) (n : nat) (f : S -> nat -> K) (b : K) (padded : bool).

(* The score of a window's symbols from position j + 1 on: b + f_{j+1}(x_{j+1}) + f_{j+2}(x_{j+2}) + ... over max-plus, where times is +. *)
Definition of_window (j : nat) (window : seq S) : K := (foldl (fun scored x => (scored.1.+1, scored.2 * f x scored.1.+1)) (j, b) window).2.

(* c_t = max(c_{t-1}, the score of the last n symbols), where plus is the maximum; the network's state contains the symbols so far. With fewer than n
   symbols there is no window, unless there is padding, which adds nothing: then only the last positions of the window have symbols. Before the first
   symbol, c is 0. *)
Definition pooled_next (state : seq S * K) (x : S) : seq S * K :=
  let read := rcons state.1 x in
  let window := last_of n read in
  (read, if padded || (n <= size read)%N then state.2 + of_window (n - size window) window else state.2).
Definition pooled (w : seq S) : K := (run pooled_next ([::], 0) w).2.

(* States 0 to n: a path waits in 0, reads a window, and stays in n. With padding it may begin in any state but the last. *)
Definition chain : wfa K S (place n.+1) :=
  @Wfa K S (place n.+1)
    (fun q : 'I_n.+1 => if q == 0%N :> nat then 1 else if padded && (q < n)%N then b else 0)
    (fun x (p q : 'I_n.+1) =>
       if p == q :> nat then (if (q == 0%N :> nat) || (q == n :> nat) then 1 else 0)
       else if p.+1 == q :> nat then (if p == 0%N :> nat then b * f x 1 else f x q) else 0)
    (fun q : 'I_n.+1 => if q == n :> nat then 1 else 0).

(* The Forward vector: 1, for each j below n the score of a window's first j positions with the last j symbols, and c. *)
Definition begun (read : seq S) (j : nat) : K :=
  if padded || (j <= size read)%N then of_window (j - size (last_of j read)) (last_of j read) else 0.
Definition in_chain (state : seq S * K) (q : 'I_n.+1) : K :=
  if q == 0%N :> nat then 1 else if (q < n)%N then begun state.1 q else state.2.

Lemma of_window_rcons j window x : of_window j (rcons window x) = of_window j window * f x (j + size window).+1.
Proof.
rewrite /of_window foldl_rcons /=; set scored := foldl _ _ _; suff -> : scored.1 = (j + size window)%N by [].
by rewrite /scored; elim/last_ind: window {scored} => [|v y IH]; rewrite ?addn0 // foldl_rcons /= IH size_rcons addnS.
Qed.

Lemma size_last j (w : seq S) : size (last_of j w) = minn j (size w).
Proof. by rewrite size_drop -[LHS]/(size w - (size w - j))%N -minnE minnC. Qed.

(* A window grows by the symbol read. *)
Lemma begun_rcons read x j : begun (rcons read x) j.+1 = begun read j * f x j.+1.
Proof.
rewrite /begun last_of_rcons !size_rcons ltnS of_window_rcons subSS; case: ifP; rewrite ?times0w // => _.
by rewrite subnK // size_last geq_minl.
Qed.

Lemma begun_0 read : begun read 0 = b.
Proof. by rewrite /begun leq0n orbT /last_of subn0 drop_size. Qed.

Lemma chain_is_pooled w : (0 < n)%N -> score chain w = pooled w.
Proof.
move=> some; rewrite (score_is_inv (next := pooled_next) (start := ([::], 0)) (inv := in_chain)) => [|q|[read c] x [[|j] lt_j]].
- rewrite (sum_at (p := ord_max : place n.+1)) => [|q]; first by rewrite /= eqxx timesw1 /in_chain /= gtn_eqF ?ltnn.
  by rewrite -val_eqE /= => /negbTE ->; rewrite timesw0.
- rewrite /in_chain /begun /=; case: eqP => // /eqP; rewrite -lt0n => pos; case: ltnP; rewrite ?andbF // andbT => _.
  by rewrite leqn0 (gtn_eqF pos) orbF.
- rewrite (sum_at (p := Ordinal lt_j : place n.+1)) => [|q]; rewrite /in_chain /= ?timesw1 //.
  by rewrite -val_eqE /= => /negbTE ->; rewrite timesw0.
have lt_j' : (j < n.+1)%N by apply: ltnW.
rewrite (sum_at_two (p := Ordinal lt_j' : place n.+1) (r := Ordinal lt_j : place n.+1)) => [||q].
- rewrite /in_chain /= ?eqnE ?eqSS eqxx (ltn_eqF (ltnSn j)) (lt_j : j < n)%N.
  have -> : (if j == 0%N then 1 else begun read j) * (if j == 0%N then b * f x 1 else f x j.+1) = begun (rcons read x) j.+1.
    by rewrite begun_rcons; case: eqP => // ->; rewrite begun_0 times1w.
  have [lt|le] := ltnP j.+1 n; first by rewrite (ltn_eqF lt) timesw0 plusw0.
  have -> : j.+1 = n by apply/eqP; rewrite eqn_leq le andbT.
  by rewrite eqxx timesw1 plusC /begun; case: ifP; rewrite ?plusw0.
- by rewrite -val_eqE /= gtn_eqF.
by rewrite /= -!val_eqE /= ?eqnE ?eqSS => /negbTE -> /negbTE ->; rewrite timesw0.
Qed.
End MaxPooled.

(* A chain of n + 1 states gives every word the same score as complete windows of n symbols, for every n of 1 or more, in every semiring: over
   max-plus, the maximum over all windows. *)
Theorem cnn_max_pooled (K : semiring) (S : Type) n (f : S -> nat -> K) b w :
  (0 < n)%N -> score (chain n f b false) w = pooled n f b false w.
Proof. exact: chain_is_pooled. Qed.

(* With padding that adds nothing, a path may begin in any state except the last. *)
Theorem cnn_max_pooled_padding (K : semiring) (S : Type) n (f : S -> nat -> K) b w :
  (0 < n)%N -> score (chain n f b true) w = pooled n f b true w.
Proof. exact: chain_is_pooled. Qed.

(* With padding before the word, the network is not the automaton of complete windows: for n = 2, b = 1 and f = 1, the word of one symbol has no window
   and the score 0, but with padding it has the score 1. *)
Theorem without_whole_windows_is_refuted (K : semiring) : 1 <> 0 :> K ->
  let one := fun (_ : unit) (_ : nat) => 1 in score (chain 2 one 1 false) [:: tt] <> pooled 2 one 1 true [:: tt] :> K.
Proof.
move=> nontrivial one; rewrite chain_is_pooled // /pooled /run /= /of_window /= plus0w timesw1.
exact: nesym.
Qed.
