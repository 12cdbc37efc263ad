(* A PD-SSM layer with N components is any automaton with N states in which a symbol leads from each state to one state (Terzic et al. 2025). *)

From mathcomp Require Import all_ssreflect ssralg matrix mxalgebra.
From ratproof Require Import semiring sums automaton instances hankel.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Section Emulation.
Variables (K : semiring) (Q S : finite) (delta : S -> Q -> Q) (d : S -> Q -> K) (x_0 c : Q -> K).

(* Symbol x leads from state q to delta x q with the weight d x q. *)
Definition of_maps : wfa K S Q := Wfa x_0 (fun x q q' => if q' == delta x q then d x q else 0) c.

(* The layer x_t = P(u_t) D(u_t) x_{t-1}: column i of P has one 1, in row delta u i. *)
Definition column_one_hot (u : S) (j i : Q) : K := if j == delta u i then 1 else 0.
Definition pd_next (h : Q -> K) (u : S) (j : Q) : K := \sum_(i : Q) column_one_hot u j i * (d u i * h i).
Definition pd_layer (w : seq S) : K := \sum_(j : Q) c j * run pd_next x_0 w j.

(* The layer and the automaton are equal for every number of states and any weights, if weights commute. *)
Theorem pd_ssm_emulation : commutative (@times K) -> forall w, score of_maps w = pd_layer w.
Proof.
move=> timesC w; rewrite (score_is_inv (next := pd_next) (start := x_0) (inv := fun h => h)) // => [|h u j].
  by apply: eq_sum => j; apply: timesC.
apply: eq_sum => i; rewrite /= /column_one_hot; case: (_ == _); last by rewrite timesw0 times0w.
by rewrite times1w timesC.
Qed.
End Emulation.

(* No linear layer with fewer than N components, whatever its matrices, counts a letter modulo N. *)
Theorem without_size_is_refuted (F : fieldType) N (Q : finite) (A : wfa (of_ring F) bool Q) :
  (card Q < N)%N -> ~ (forall w, score A w = if (N %| count id w)%N then GRing.one F else GRing.zero F).
Proof.
move=> few counts; pose prefix (i : 'I_N) := nseq i true; pose suffix (j : 'I_N) := nseq (N - j) true.
have block : hankel A prefix suffix = 1%:M%R.
  apply/matrixP => i j; rewrite !mxE counts count_cat !count_nseq /= !mul1n.
  suff -> : (N %| i + (N - j)) = (i == j) by case: (_ == _).
  have [ij|ji] := leqP j i.
    rewrite addnBA ?(ltnW (ltn_ord j)) // addnC -addnBA // dvdn_addr //.
    apply/idP/eqP => [divides|->]; last by rewrite subnn.
    have : (i - j < N)%N by apply: leq_ltn_trans (leq_subr _ _) (ltn_ord i).
    by case: (posnP (i - j)) => [/eqP|positive]; [rewrite subn_eq0 => ji _; apply/val_inj/anti_leq/andP | rewrite ltnNge dvdn_leq].
  apply/idP/eqP => [|same]; last by rewrite same ltnn in ji.
  by move/dvdn_leq; rewrite addn_gt0 subn_gt0 ltn_ord orbT => /(_ isT); rewrite leqNgt addnC -ltn_subRL subKn ?ji // ltnW.
by have := hankel_rank A prefix suffix; rewrite block mxrank1 leqNgt few.
Qed.
