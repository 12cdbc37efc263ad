(* A layer with nonnegative gates does not recognise parity: if it has m units, the sign of its score of a^n changes at most m + 1 times. *)

From mathcomp Require Import all_ssreflect all_algebra.
From ratproof Require Import semiring sums automaton instances.
From ratproof.one_layer Require Import class_changes.
Import Order.TTheory GRing.Theory Num.Theory.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Local Open Scope ring_scope.

(* The score of a^n: c_0 plus the sum of c_i h_i(n), where h_i(n + 1) = r_i h_i(n) + b_i. *)
Section Layer.
Variables (R : comRingType) (m : nat) (r b h_0 c : 'I_m -> R) (c_0 : R).

Definition next_gated (h : 'I_m -> R) (i : 'I_m) : R := r i * h i + b i.
Definition state_gated (n : nat) : 'I_m -> R := iter n next_gated h_0.
Definition score_gated (n : nat) : R := c_0 + \sum_(i < m) c i * state_gated n i.

(* A unit's state changes by a geometric sequence. *)
Lemma state_difference n i : state_gated n.+1 i - state_gated n i = (r i * h_0 i + b i - h_0 i) * r i ^+ n.
Proof.
elim: n => [|n IH]; first by rewrite mulr1.
rewrite exprS mulrCA -IH mulrBr.
have next k : state_gated k.+1 i = r i * state_gated k i + b i by [].
by rewrite [state_gated n.+2 i]next {2}next opprD addrACA subrr addr0.
Qed.
End Layer.

Section Gates.
Variables (R : realDomainType) (m : nat) (r b h_0 c : 'I_m -> R) (c_0 : R).
Let score := score_gated r b h_0 c c_0.

(* A sum of geometric sequences is annihilated by the factors E - r_i. *)
Lemma sum_annihilated (s : seq ('I_m)) (a : 'I_m -> R) (u : nat -> R) :
  (forall k, u k = \sum_(i <- s) a i * r i ^+ k) -> annihilated (map r s) u.
Proof.
elim: s a u => [|i s IH] a u is_sum k /=; first by rewrite is_sum big_nil.
apply: (IH (fun j => a j * (r j - r i))) => {}k.
rewrite /without !is_sum !big_cons mulrDr opprD addrACA exprS mulrCA subrr add0r mulr_sumr -sumrB.
by apply: eq_bigr => j _; rewrite exprS mulrBr mulrBl !mulrA [r i * a j]mulrC.
Qed.

(* The score of a layer is annihilated by E - 1 and by E - r_i for each unit. *)
Lemma score_annihilated : annihilated (1 :: map r (enum 'I_m)) score.
Proof.
apply: (@sum_annihilated _ (fun i => c i * (r i * h_0 i + b i - h_0 i))) => k.
rewrite /without mul1r /score /score_gated opprD addrACA subrr add0r -sumrB big_enum /=.
by apply: eq_bigr => i _; rewrite -mulrBr state_difference mulrA.
Qed.

(* With m units and gates r_i >= 0, the score of a^n is positive or not positive with at most m + 1 changes. *)
Theorem layer_changes n : (forall i, 0 <= r i) -> (changes score n <= m.+1)%N.
Proof.
move=> gates; have := class_changes (rs := 1 :: map r (enum 'I_m)) n _ score_annihilated.
rewrite /= size_map size_enum_ord; apply; rewrite ler01 /=; apply/allP => x /mapP [i _ ->]; exact: gates.
Qed.

(* So no such layer has positive scores for exactly the even numbers. *)
Theorem no_parity : (forall i, 0 <= r i) -> ~ (forall n, positive score n = ~~ odd n).
Proof.
move=> gates parity; have := layer_changes m.+2 gates; rewrite /changes (eq_count (a2 := predT)) ?count_predT ?size_iota ?ltnn //.
by move=> k; rewrite !parity /= negbK; case: (odd k).
Qed.
End Gates.
