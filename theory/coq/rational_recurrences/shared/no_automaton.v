(* Sequences that are not the scores of an automaton over a field, with any number of states: 2, 4, 16, 256, ..., and 1/2, 1/3, 1/4, .... *)

From mathcomp Require Import all_ssreflect ssralg ssrnum poly zmodp matrix mxalgebra.
From ratproof Require Import semiring sums automaton paths instances hankel.
Import GRing.Theory Num.Theory.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Local Open Scope ring_scope.

Lemma one_more (S : Type) (first : seq S) m x : first ++ nseq m.+1 x = rcons (first ++ nseq m x) x.
Proof. by rewrite rcons_cat; congr (_ ++ _); elim: m => //= m <-. Qed.

Section RowsDepend.
Variables (F : fieldType) (S : eqType) (Q : finite) (A : wfa (of_ring F) S Q) (first : seq S) (x : S) (d : F).
Let n := (card Q).+1.

(* If there are more rows than states, some combination of rows is 0 in every column. *)
Lemma rows_depend : exists2 c : 'I_n -> F, exists k, c k != 0 & forall m, \sum_k c k * (d * score A (first ++ nseq (k + m) x)) = 0.
Proof.
pose state (j : 'I_(card Q)) := tnth (in_tuple (elements Q)) j.
pose M : 'M[F]_(n, card Q) := \matrix_(k, j) forward A (first ++ nseq k x) (state j).
have /rowV0Pn[c /sub_kermxP c_M /rV0Pn[k c_k]] : kermx M != 0.
  by rewrite -mxrank_eq0 mxrank_ker subn_eq0 -ltnNge ltnS rank_leq_col.
exists (fun k => c 0 k); first by exists k.
move=> m; transitivity (d * \sum_j (c *m M) 0 j * from A (fun _ _ => zero) 0 (nseq m x) (state j)); last first.
  by rewrite big1 ?mulr0 // => j _; rewrite c_M mxE mul0r.
rewrite mulr_sumr; under [RHS]eq_bigr do rewrite mxE mulr_suml mulr_sumr; rewrite exchange_big; apply: eq_bigr => i _ /=.
rewrite nseqD catA score_cat sumE big_tnth mulrCA mulr_sumr mulr_sumr; apply: eq_bigr => j _.
by rewrite mxE !mulrA.
Qed.
End RowsDepend.

Section NoAutomaton.
Variables (F : numFieldType) (S : eqType) (Q : finite) (A : wfa (of_ring F) S Q) (first : seq S) (x : S) (d : F).
Let n := (card Q).+1.

(* A polynomial with infinitely many roots is 0. *)
Lemma zero_everywhere (P : {poly F}) (place : nat -> F) : injective place -> (forall m, P.[place m] = 0) -> P = 0.
Proof.
move=> apart roots; apply: (@roots_geq_poly_eq0 _ P (map place (iota 0 (size P)))); last by rewrite size_map size_iota.
  by apply/allP => _ /mapP[m _ ->]; apply/eqP.
by rewrite map_inj_uniq ?iota_uniq.
Qed.

(* Each number is the square of the previous one. *)
Lemma squares_are_no_automaton : ~ (forall m, d * score A (first ++ nseq m x) = 2%:R ^+ (2 ^ m)).
Proof.
move=> squares; have [c [k c_k] depend] := rows_depend A first x d.
have P_0 : \sum_k c k *: 'X^(2 ^ k) = 0 :> {poly F}.
  apply: (zero_everywhere (place := fun m => 2%:R ^+ (2 ^ m))) => [i j /eqP|m].
    by rewrite -!natrX eqr_nat !eqn_exp2l // => /eqP.
  rewrite horner_sum -[RHS](depend m); apply: eq_bigr => i _.
  by rewrite squares hornerZ hornerXn -exprM -expnD addnC.
have := congr1 (fun P : {poly F} => P`_(2 ^ k)) P_0; rewrite coef0 coef_sum (bigD1 k) //= big1 => [|i ne].
  by rewrite coefZ coefXn eqxx mulr1 addr0 => /eqP; rewrite (negbTE c_k).
by rewrite coefZ coefXn eqn_exp2l // eq_sym val_eqE (negbTE ne) mulr0.
Qed.

(* The reciprocals of the numbers from 2 on. *)
Lemma reciprocals_are_no_automaton : ~ (forall m, d * score A (first ++ nseq m x) = m.+2%:R^-1).
Proof.
move=> reciprocals; have [c [k c_k] depend] := rows_depend A first x d.
pose others (k : 'I_n) : {poly F} := \prod_(j | j != k) ('X + (j.+2)%:R%:P).
have value i (y : F) : (others i).[y] = \prod_(j | j != i) (y + (j.+2)%:R).
  by rewrite horner_prod; apply: eq_bigr => j _; rewrite hornerD hornerX hornerC.
have P_0 : \sum_k c k *: others k = 0.
  apply: (zero_everywhere (place := fun m => m%:R)) => [i j /eqP|m]; first by rewrite eqr_nat => /eqP.
  rewrite horner_sum -[RHS](mulr0 (\prod_(j : 'I_n) (m%:R + (j.+2)%:R))) -[X in _ * X](depend m) mulr_sumr; apply: eq_bigr => i _.
  rewrite reciprocals hornerZ value [in RHS](bigD1 i) //= mulrCA; congr (_ * _).
  by rewrite mulrAC -natrD addnS addnS addnC mulfV ?mul1r // pnatr_eq0.
have := congr1 (fun P => P.[- (k.+2)%:R]) P_0; rewrite horner0 horner_sum (bigD1 k) //= big1 => [|i ne].
  rewrite addr0 hornerZ value => /eqP; rewrite mulf_eq0 (negbTE c_k) => /prodf_eq0[j ne].
  by rewrite addrC subr_eq0 eqr_nat !eqSS val_eqE (negbTE ne).
by rewrite hornerZ value (bigD1 k) 1?eq_sym //= addNr mul0r mulr0.
Qed.
End NoAutomaton.
