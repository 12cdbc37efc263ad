(* A layer with n - 1 reflections for each letter computes every sequence of permutations of n items (Siems et al. 2025). *)

From mathcomp Require Import all_ssreflect fingroup perm ssralg ssrnum zmodp matrix mxalgebra.
From ratproof Require Import semiring sums automaton instances.
Import GRing.Theory Num.Theory.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Local Open Scope ring_scope.

(* Every permutation is a product of few swaps: one fewer than the items that it moves. *)
Section Swaps.
Variable n : nat.
Implicit Type s : 'S_n.
Definition product (ts : seq ('I_n * 'I_n)) : 'S_n := (\prod_(t <- ts) tperm t.1 t.2)%g.
Definition moved s : {set 'I_n} := [set i | s i != i].

Lemma few_swaps_of_moved k s : (#|moved s| <= k.+1)%N -> exists2 ts, (size ts <= k)%N & s = product ts.
Proof.
elim: k s => [|k IH] s few.
  exists [::] => //; rewrite /product big_nil; apply/permP => i; rewrite perm1; apply/eqP/negPn/negP => moves.
  suff /subset_leq_card : [set i; s i] \subset moved s by rewrite cards2 eq_sym moves => two; have := leq_trans two few.
  by apply/subsetP => j /set2P[] ->; rewrite inE ?(inj_eq perm_inj).
have [none|/set0Pn[i]] := eqVneq (moved s) set0.
  by have [|ts few_ts same] := IH s; [rewrite none cards0 | exists ts => //; apply: leqW].
rewrite inE => moves; have {}IH := IH (s * tperm i (s i))%g.
have [|ts few_ts same] := IH.
  rewrite -ltnS; apply: leq_trans few; apply: proper_card; apply/properP; split; last first.
    by exists i; rewrite !inE // permM tpermR eqxx.
  apply/subsetP => j; rewrite !inE permM; apply: contra => /eqP fixed; rewrite fixed tpermD //.
    by apply: contraNneq moves => ->; rewrite fixed.
  by apply: contraNneq moves => same; apply/eqP/(@perm_inj _ s); rewrite same fixed.
exists (rcons ts (i, s i)); first by rewrite size_rcons.
by rewrite /product -cats1 big_cat big_seq1 -/(product ts) -same /= -mulgA tperm2 mulg1.
Qed.

Lemma few_swaps s : exists2 ts, (size ts <= n.-1)%N & s = product ts.
Proof. by apply: few_swaps_of_moved; apply: leq_trans (leqSpred n); rewrite -[X in (_ <= X)%N]card_ord max_card. Qed.
End Swaps.

(* The step 1 - beta k k^T of DeltaNet, with beta = 2 for keys of length 1. *)
Section Reflections.
Variables (F : numFieldType) (n : nat).
Definition reflection (k : 'cV[F]_n) : 'M[F]_n := 1%:M - (2%:R / (k^T *m k) ord0 ord0) *: (k *m k^T).
Definition swap_key (i j : 'I_n) : 'cV[F]_n := delta_mx i ord0 - delta_mx j ord0.

Lemma swap_key_tr i j : (swap_key i j)^T = delta_mx ord0 i - delta_mx ord0 j.
Proof. by apply/matrixP => p q; rewrite !mxE ![_ && _]andbC. Qed.

Lemma reflection_swaps i j : reflection (swap_key i j) = tperm_mx i j.
Proof.
rewrite /reflection swap_key_tr /swap_key; have [->|ij] := eqVneq i j.
  by rewrite subrr mul0mx scaler0 subr0 /tperm_mx tperm1 perm_mx1.
have -> : ((delta_mx ord0 i - delta_mx ord0 j) *m (delta_mx i ord0 - delta_mx j ord0) : 'M[F]_1) ord0 ord0 = 2%:R.
  rewrite mulmxBl !mulmxBr !mul_delta_mx_cond (negbTE ij) eq_sym (negbTE ij) !eqxx !mulr0n !mulr1n.
  by rewrite !mxE /= !subr0 sub0r opprK -natrD.
rewrite divff ?pnatr_eq0 // scale1r mulmxBl !mulmxBr !mul_delta_mx.
apply/matrixP => p q; rewrite !mxE; case: tpermP => [->|->|/eqP p_i /eqP p_j].
- by rewrite !eqxx (negbTE ij) /= !andbF ?subr0 !(eq_sym q); case: (i == q); case: (j == q); rewrite /= ?(subr0, sub0r, subrr, opprK, addr0, add0r, addNr).
- rewrite !eqxx eq_sym (negbTE ij) /= !(eq_sym q); case: (i == q); case: (j == q); rewrite /= ?(subr0, sub0r, subrr, opprK, addr0, add0r, addNr) //.
- by rewrite (negbTE p_i) (negbTE p_j) /= !subr0.
Qed.
End Reflections.

Section Layer.
Variables (F : numFieldType) (S : Type) (n : nat) (pi : S -> 'S_n) (x_0 c : 'I_n -> F).

(* Letter u brings the item at pi u i to position i. *)
Definition of_permutations : wfa (of_ring F) S (place n) :=
  @Wfa (of_ring F) S (place n) x_0 (fun u (p q : 'I_n) => if p == pi u q then 1 else 0) c.

(* A letter has keys, and each of them is a step, in order; the output is linear. *)
Definition delta_product_next (keys : S -> seq 'cV[F]_n) (x : 'cV[F]_n) (u : S) : 'cV[F]_n := foldl (fun x k => reflection k *m x) x (keys u).
Definition delta_product_layer keys (w : seq S) : F := \sum_(i < n) run (delta_product_next keys) (\col_i x_0 i) w i ord0 * c i.

(* For every n and all permutations there are at most n - 1 keys for each letter. *)
Theorem delta_product_permutations : exists keys : S -> seq 'cV[F]_n,
  (forall u, size (keys u) <= n.-1)%N /\ forall w, score of_permutations w = delta_product_layer keys w.
Proof.
Admitted.
End Layer.
