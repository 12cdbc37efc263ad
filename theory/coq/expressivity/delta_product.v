(* With n - 1 steps per token, all permutations of n states are possible (Siems et al. 2025), and a cycle of n states needs n - 1 steps. *)

From mathcomp Require Import all_ssreflect ssralg zmodp matrix mxalgebra.
From ratproof Require Import semiring sums automaton.
From ratproof.expressivity Require Import pd_ssm_emulation householder_products.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

(* Every automaton whose symbols permute its states is a layer with the steps of each symbol's permutation. *)
Theorem delta_product (K : semiring) (Q S : finite) (minus : K) (delta : S -> Q -> Q) (x_0 c : Q -> K) w :
  commutative (@times K) -> 1 + minus = 0 -> (forall x, injective (delta x)) ->
  score (of_maps delta (fun _ _ => 1) x_0 c) w = product_layer minus (fun x => permutes minus (delta x)) x_0 c w.
Proof. by move=> timesC opposite inj; apply: permutation_layer => // x h i; rewrite permuted // times1w. Qed.

(* A permutation of n states has n - 1 steps. *)
Theorem delta_product_steps (K : semiring) (Q : finite) (minus : K) (sigma : Q -> Q) : size (permutes minus sigma) = (card Q).-1.
Proof. exact: size_permutes. Qed.

(* Over a field, a product of matrices 1 - beta k k^T differs from 1 by a matrix whose rank is at most their number. *)
Section Rank.
Variables (F : fieldType) (n : nat).
Local Open Scope ring_scope.
Import GRing.Theory.
Implicit Types (f : F * 'cV[F]_n) (M : 'M[F]_n).

Definition multiplied M f : 'M[F]_n := (1%:M - f.1 *: (f.2 *m f.2^T)) *m M.
Definition product_of fs : 'M[F]_n := foldl multiplied 1%:M fs.

Lemma rank_of_product fs : (\rank (product_of fs - 1%:M)%R <= size fs)%N.
Proof.
elim/last_ind: fs => [|fs f IH]; first by rewrite /product_of subrr mxrank0.
rewrite /product_of foldl_rcons -/(product_of fs) size_rcons /multiplied mulmxBl mul1mx addrAC -[(size fs).+1]addn1.
apply: leq_trans (mxrank_add _ _) (leq_add IH _); rewrite mxrank_opp -scalemxAl -mulmxA scalemxAl.
exact: leq_trans (mxrankM_maxr _ _) (rank_leq_row _).
Qed.

(* The matrix of a cycle of all n states, whose column j is e_(delta j), is no product of fewer than n - 1 such factors. *)
Theorem without_last_step_is_refuted fs (delta : 'I_n -> 'I_n) i_0 : (forall i, exists k, iter k delta i_0 = i) ->
  (forall j, product_of fs *m delta_mx j 0 = delta_mx (delta j) 0 :> 'cV[F]_n) -> (n.-1 <= size fs)%N.
Proof.
move=> cycle is_product; apply: leq_trans (rank_of_product fs); set A := product_of fs - 1%:M.
suff kernel : (kermx A <= (const_mx 1 : 'rV[F]_n))%MS.
  have := leq_trans (mxrankS kernel) (rank_leq_row _); rewrite mxrank_ker leq_subLR.
  by case: (n) (\rank A) => [|m] r //=; rewrite addn1 ltnS.
apply/row_subP => i; set v := row i (kermx A).
have fixed : v *m product_of fs = v.
  by apply/eqP; rewrite -subr_eq0 -[X in _ - X]mulmx1 -mulmxBr -row_mul mulmx_ker row0.
have same j : v 0 (delta j) = v 0 j.
  have pick (u : 'rV[F]_n) l : u *m delta_mx l (0 : 'I_1) = (u 0 l)%:M.
    by apply/rowP => z; rewrite -colE !mxE !ord1 eqxx.
  have := pick v (delta j); rewrite -is_product mulmxA fixed pick => /matrixP/(_ 0 0).
  by rewrite !mxE eqxx.
have constant l : v 0 l = v 0 i_0 by have [k <-] := cycle l; elim: k => //= k IH; rewrite same.
have -> : v = v 0 i_0 *: const_mx 1 by apply/rowP => l; rewrite (constant l) [RHS]mxE [X in _ * X]mxE mulr1.
exact: scalemx_sub.
Qed.
End Rank.
