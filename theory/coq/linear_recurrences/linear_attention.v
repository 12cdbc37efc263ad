(* Linear attention without its normaliser (Katharopoulos et al. 2020, equation 18). *)

From mathcomp Require Import all_ssreflect ssralg ssrnum.
From ratproof Require Import semiring sums automaton instances.
From ratproof.rational_recurrences.shared Require Import no_automaton.
From ratproof.linear_recurrences.shared Require Import affine.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Section Column.
Variables (K : semiring) (S : Type) (d : nat) (s_0 : 'I_d -> K) (q k : S -> 'I_d -> K) (v : S -> K).

(* One column of S: s_j + k_j v. *)
Definition linear_attention_next (s : 'I_d -> K) (x : S) (j : 'I_d) : K := s j + k x j * v x.
Definition linear_attention_output := output_after linear_attention_next (fun x s => \sum_(i : place d) (q x i * s i)) s_0.

(* The automaton of d + 2 states. *)
Definition linear_attention_automaton :=
  reading_after s_0 (fun x j => 1) (@no_term K S d) (@no_term K S d)
    (fun x j => k x j * v x) q (fun x => 0).

(* The automaton gives every word the same score as the layer, for every size, if weights commute. *)
Theorem linear_attention : commutative (@times K) -> forall w, score linear_attention_automaton w = linear_attention_output w.
Proof.
move=> timesC w; apply: reading_after_is_output => // [s x j|x s]; last by rewrite plusw0.
by rewrite /affine sum_no_term plusw0 times1w.
Qed.
End Column.

(* With its normaliser: the output divided by q^T z, where z is the sum of the keys. *)
Definition normalised (K : semiring) (S : Type) d (divide : K -> K -> K) (q k : S -> 'I_d -> K) (v : S -> K) (w : seq S) : K :=
  divide (linear_attention_output (fun=> 0) q k v w) (linear_attention_output (fun=> 0) q k (fun=> 1) w).

Section Normaliser.
Import GRing.Theory Num.Theory.
Variable F : numFieldType.
Notation K := (of_ring F).
Let ones (x : bool) (i : 'I_1) : K := one.
Let first : seq bool := [:: true; false].

(* With one number per key, and all keys and queries 1, the output is a sum of values. *)
Lemma sum_of_values (v : bool -> K) m :
  linear_attention_output (fun=> zero) ones ones v (first ++ nseq m false) = (v true + v false *+ m.+1)%R :> F.
Proof.
rewrite /linear_attention_output /output_after.
set state := run _ _ _; suff [_ ->] : (state.1 ord0 : F) = (v true + v false *+ m.+1)%R /\ (state.2 : F) = (v true + v false *+ m.+1)%R by [].
rewrite {}/state; elim: m => [|m [IH _]].
  by rewrite /run /= /after_step /= /linear_attention_next /= sum_one_term /= !mul1r !add0r mulr1n.
rewrite one_more run_rcons; move: (run _ _ _) IH => [s o] /= IH.
by rewrite /after_step /= sum_one_term /linear_attention_next /ones /= !mul1r IH -addrA -mulrSr.
Qed.

Definition quotient (a b : K) : K := ((a : F) / (b : F))%R.

(* No automaton of any size computes linear attention with its normaliser: the mean of 1 and zeros is 1/2, 1/3, 1/4, .... *)
Theorem without_unnormalised_output_is_refuted :
  ~ (forall (S : eqType) d (q k : S -> 'I_d -> K) (v : S -> K),
     (forall x i, (0 < (q x i : F))%R /\ (0 < (k x i : F))%R) ->
     exists (Q : finite) (A : wfa K S Q), forall w, score A w = normalised quotient q k v w).
Proof.
move=> /(_ bool_eqType 1%N ones ones (fun x => if x then one else zero)) [|Q [A same]]; first by split; apply: ltr01.
apply: (@reciprocals_are_no_automaton F bool_eqType Q A first false 1%R) => m.
by rewrite mul1r same /normalised /quotient !sum_of_values /= mul0rn addr0 mul1r.
Qed.
End Normaliser.
