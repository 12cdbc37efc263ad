(* Cells that no automaton with few states computes, over any field that contains the real numbers: a Hankel block has full rank. *)

From Coq Require Import Reals ZArith List Lra.
From mathcomp Require Import all_ssreflect ssralg matrix mxalgebra.
From ratproof Require Import semiring sums automaton instances hankel.
From ratproof_reals Require Import intervals functions terms real_factors.
Import GRing.Theory.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

(* Products with the numbers of a column. *)
Fixpoint against (x : nat -> R) (column : seq R) : R :=
  match column with y :: column => Rplus (Rmult (x 0%N) y) (against (fun j => x j.+1) column) | _ => R0 end.

Lemma against_zero x column : (forall j, x j = R0) -> against x column = R0.
Proof. by elim: column x => //= y column IH x zero; rewrite zero IH // Rmult_0_l Rplus_0_l. Qed.

Lemma against_plus u x z column :
  against (fun j => Rplus (Rmult u (x j)) (z j)) column = Rplus (Rmult u (against x column)) (against z column).
Proof. by elim: column x z => [|y column IH] x z /=; [|rewrite (IH (fun j => x j.+1) (fun j => z j.+1))]; ring. Qed.

Lemma dot_against row column : dot row column = against (fun j => List.nth j row R0) column.
Proof.
elim: row column => [|x row IH] [|y column] //=; last by rewrite IH.
by rewrite against_zero ?Rmult_0_l ?Rplus_0_l // => -[].
Qed.

Fixpoint products (b gs : seq R) : seq R := match b, gs with x :: b, g :: gs => Rmult x g :: products b gs | _, _ => [::] end.

Lemma total_products b xs column :
  total (products b [seq against x column | x <- xs]) = against (real_combination b xs) column.
Proof.
elim: b xs => [|u b IH] [|x xs] /=; try by rewrite against_zero.
by rewrite IH -against_plus.
Qed.

Lemma total_small b gs M : (forall x, In x b -> Rle (Rabs x) M) -> Rle 0 M ->
  Rle (total [seq Rabs x | x <- products b gs]) (Rmult M (total [seq Rabs g | g <- gs])).
Proof.
move=> + M0; elim: b gs => [|u b IH] [|g gs] small /=.
- lra.
- have : Rle 0 (total [seq Rabs x | x <- gs]) by elim: gs => /= [|h gs]; have := Rabs_pos; move=> pos; [lra|have := pos h; lra].
  by have := Rabs_pos g; nra.
- lra.
have := IH gs (fun x xb => small x (or_intror xb)); have := small u (or_introl erefl).
by rewrite Rabs_mult; have := Rabs_pos g; nra.
Qed.

Lemma nth_products b gs k : (k < size b)%N -> (k < size gs)%N -> In (Rmult (List.nth k b R0) (List.nth k gs R0)) (products b gs).
Proof. by elim: b gs k => [|u b IH] [|g gs] [|k] //= kb kg; [left|right; apply: IH]. Qed.

(* A number of the list has the largest absolute value. *)
Lemma largest_of b : (exists u, In u b /\ u <> R0) ->
  exists2 k, (k < size b)%N & List.nth k b R0 <> R0 /\ forall x, In x b -> Rle (Rabs x) (Rabs (List.nth k b R0)).
Proof.
case=> u [ub u0]; have [k kb top] : exists2 k, (k < size b)%N & forall x, In x b -> Rle (Rabs x) (Rabs (List.nth k b R0)).
  elim: b {u0} u ub => [//|y b IH] u _; case: b IH => [|z b] IH; first by exists 0%N => // x [<-|//]; apply: Rle_refl.
  have [k kb top] := IH z (or_introl erefl); case: (Rle_dec (Rabs y) (Rabs (List.nth k (z :: b) R0))) => le.
    by exists k.+1 => // x [<-|/top].
  by exists 0%N => // x [<-|/top small] /=; [apply: Rle_refl|lra].
exists k => //; split=> // k0; have := top u ub; rewrite k0 Rabs_R0; have := Rabs_pos_lt u u0; lra.
Qed.

(* If the numbers on the diagonal of a product of the block dominate their columns, the rows of the block are linearly independent. *)
Lemma independent xs (columns : nat -> seq R) b : (size b <= size xs)%N ->
  (forall k, (k < size xs)%N -> Rlt (total [seq Rabs g | g <- [seq against x (columns k) | x <- xs]])
     (Rmult 2 (Rabs (List.nth k [seq against x (columns k) | x <- xs] R0)))) ->
  (forall j, real_combination b xs j = R0) -> ~ exists u, In u b /\ u <> R0.
Proof.
move=> size_b dominant zero /largest_of[k kb [k0 top]].
have kx : (k < size xs)%N by apply: leq_trans kb size_b.
have := dominant k kx; set gs := [seq against x (columns k) | x <- xs] => dom.
have kg : (k < size gs)%N by rewrite size_map.
have : Rle (2 * Rabs (List.nth k b R0 * List.nth k gs R0)) (Rabs (total (products b gs)) + total [seq Rabs x | x <- products b gs]) :=
  none_dominates _ _ (nth_products kb kg).
rewrite total_products against_zero // Rabs_R0 Rabs_mult.
have := @total_small b gs _ top (Rabs_pos _); have := Rmult_lt_compat_l _ _ _ (Rabs_pos_lt _ k0) dom; lra.
Qed.

Lemma field_sum (F : fieldType) (of_real : R -> F) (I : Type) (r : seq I) (a : I -> F) (f : I -> nat -> R) t :
  field_combination of_real [seq a i | i <- r] [seq f i | i <- r] t = (\sum_(i <- r) a i * of_real (f i t))%R.
Proof. by elim: r => [|i r IH]; rewrite ?big_nil // big_cons -IH. Qed.

Lemma nth_map_seq (T : Type) (g : T -> R) (x0 : T) l j : (j < size l)%N -> List.nth j (List.map g l) R0 = g (seq.nth x0 l j).
Proof. by elim: l j => [|x l IH] [|j] //=; apply: IH. Qed.

(* No automaton with fewer states than the block has rows computes the cell's unit, if the checker accepts the block. *)
Theorem few_states_do_not_suffice bits C (numbers unit : nat) (prefixes suffixes : seq (seq nat)) inverse :
  check bits C numbers unit prefixes suffixes inverse = true ->
  forall (F : fieldType) (of_real : R -> F) (Q : finite) (A : wfa (of_ring F) nat_eqType Q), contains_reals of_real ->
  (forall w, score A w = of_real (unit_after C numbers unit w)) -> (size prefixes <= card Q)%N.
Proof.
move=> ok F of_real Q A field scores; rewrite leqNgt; apply/negP => few.
have [columns dominant] := check_contains _ _ _ _ _ _ _ ok.
set n := size prefixes in few *; pose p (i : 'I_n) := seq.nth [::] prefixes i; pose s (j : 'I_(size suffixes)) := seq.nth [::] suffixes j.
have : kermx (hankel A p s) != 0%R.
  by rewrite -mxrank_eq0 mxrank_ker subn_eq0 -ltnNge; apply: leq_ltn_trans few; apply: hankel_rank.
case/rowV0Pn => a /sub_kermxP a_H /rV0Pn[k a_k].
pose f (i : 'I_n) j := List.nth j (row C numbers unit suffixes (p i)) R0; pose xs := [seq f i | i <- enum 'I_n].
have [||j||b size_b [zero nonzero]] := @depend_over_reals F of_real field n xs [seq a ord0 i | i <- enum 'I_n].
- by rewrite size_map size_enum_ord.
- by rewrite size_map size_enum_ord.
- rewrite field_sum big_enum /=; case: (ltnP j (size suffixes)) => [lt|ge]; last first.
    apply: big1 => i _; rewrite /f List.nth_overflow ?(of_real0 field) ?mulr0 //.
    by apply/leP; rewrite List.map_length.
  have := congr1 (fun M : 'M_(1, _) => M ord0 (Ordinal lt)) a_H; rewrite !mxE => sum; rewrite -[RHS]sum.
  apply: eq_bigr => i _; rewrite mxE scores; congr (_ * of_real _)%R.
  by rewrite /f /row (nth_map_seq _ [::]).
- by exists (a ord0 k) => //; apply: map_f; rewrite mem_enum.
have prefixes_of : prefixes = [seq p i | i <- enum 'I_n] by rewrite -[LHS](mkseq_nth [::]) /mkseq -val_enum_ord -map_comp.
have columns_of i : [seq against x (List.nth i columns [::]) | x <- xs] =
    [seq dot (row C numbers unit suffixes q) (List.nth i columns [::]) | q <- prefixes].
  by rewrite [in RHS]prefixes_of /xs -!map_comp; apply: eq_map => j /=; rewrite dot_against.
apply: (@independent xs (fun k => List.nth k columns [::]) b) zero nonzero; rewrite size_map size_enum_ord // => i lt.
by rewrite columns_of; apply: dominant; apply/ltP.
Qed.
