(* Definition 8 and Corollary 9 (Peng et al. 2018, section 3.2): which recurrences of d units are rational. *)

From mathcomp Require Import all_ssreflect all_algebra.
From ratproof Require Import semiring sums automaton paths instances.
From ratproof.rational_recurrences Require Import proposition_7 proposition_11 proposition_12 proposition_13 model_c model_f corollary_10.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

(* Definition 8: c : S* -> K^d is rational where there are d weighted automata A_1, ..., A_d with [c(x)]_i = A_i[x] for all words x
   (equation 9). *)
Definition rational (K : semiring) (S : Type) d (c : seq S -> 'I_d -> K) : Prop :=
  exists (Q : 'I_d -> finite) (A : forall i, wfa K S (Q i)), forall x i, c x i = score (A i) x.

(* Corollary 9: d gated units (equation 5c), each with gates of its own. *)
Definition layer_next (K : semiring) (S : Type) d (f u : S -> 'I_d -> K) (c : 'I_d -> K) (x : S) (i : 'I_d) : K := f x i * c i + u x i.
Definition layer (K : semiring) (S : Type) d (c_0 : 'I_d -> K) (f u : S -> 'I_d -> K) := run (layer_next f u) c_0.

Lemma layer_is_units (K : semiring) (S : Type) d (c_0 : 'I_d -> K) f u (w : seq S) i :
  layer c_0 f u w i = unit (c_0 i) (f^~ i) (u^~ i) w.
Proof. by elim/last_ind: w => // w x IH; rewrite /layer /unit !run_rcons -/(unit _ _ _ w) -IH. Qed.

Definition figures (K : semiring) (S : Type) d (c_0 : 'I_d -> K) (f u : S -> 'I_d -> K) (i : 'I_d) : wfa K S (place 2) :=
  figure_1 (f^~ i) (u^~ i) (c_0 i).

(* The layer's units are the scores of d automata of Figure 1 with lambda(q_1) = c_0. *)
Theorem corollary_9 (K : semiring) (S : Type) d (c_0 : 'I_d -> K) (f u : S -> 'I_d -> K) :
  commutative (@times K) -> forall w i, score (figures c_0 f u i) w = layer c_0 f u w i.
Proof. by move=> timesC w i; rewrite layer_is_units proposition_7. Qed.

Theorem layer_is_rational (K : semiring) (S : Type) d (c_0 : 'I_d -> K) (f u : S -> 'I_d -> K) :
  commutative (@times K) -> rational (layer c_0 f u).
Proof. by move=> timesC; exists (fun=> place 2), (figures c_0 f u) => w i; rewrite corollary_9. Qed.

(* As drawn in Figure 1 the automata are wrong on the empty word, where the network starts in c_0 = 1. *)
Theorem printed_is_refuted (K : semiring) (S : Type) d (f u : S -> 'I_d -> K) i :
  1 <> 0 :> K -> score (figures (fun _ => 0) f u i) [::] <> layer (fun _ => 1) f u [::] i.
Proof. by move=> nontrivial; rewrite layer_is_units; apply: proposition_7.printed_is_refuted. Qed.

(* The networks of Propositions 12 and 13 and of Corollary 14, with d units. *)
Theorem isan_is_rational (K : semiring) (S : Type) d (c_0 : 'I_d -> K) W (b : S -> 'I_d -> K) :
  commutative (@times K) -> rational (isan c_0 W b).
Proof.
by move=> timesC; exists (fun=> option_finite (place d)), (with_one_more_state c_0 W b) => w i; rewrite proposition_13_with_fewer_states.
Qed.

Theorem linear_elman_is_rational (K : semiring) (S : Type) d (c_0 : 'I_d -> K) W_c (v : S -> 'I_d -> K) :
  commutative (@times K) -> rational (linear_elman c_0 W_c v).
Proof. by move=> timesC; exact: isan_is_rational. Qed.

Theorem rcnn_is_rational (K : semiring) (S : Type) d n (c_0 : 'I_d -> nat -> K) (lambda : 'I_d -> S -> K) (u : 'I_d -> S -> nat -> K) :
  (1 <= n)%N -> rational (fun w i => rcnn (c_0 i) (lambda i) (u i) w n).
Proof. by move=> some; exists (fun=> place n.+1), (fun i => chain n (c_0 i) (lambda i) (u i)) => w i; rewrite proposition_12. Qed.

(* Corollary 10, over a ring: d units whose updates are weighed by the complements of their forget gates (SRU, T-RNN, RRNN(B)). *)
Theorem complemented_is_rational (R : comRingType) (S : Type) d (c_0 : 'I_d -> R) (f z : 'I_d -> S -> R) :
  @rational (of_ring R) S d (fun w i => complemented (c_0 i) (f i) (z i) w).
Proof.
exists (fun=> place 2), (fun i => figure_1 (f i : S -> of_ring R) (fun x => weighed (f i x) (z i x)) (c_0 i)) => w i.
by rewrite corollary_10.
Qed.

(* Proposition 11, with d units. *)
Theorem windowed_is_rational (K : semiring) (S : finType) d k (c_0 : 'I_d -> K) (f u : 'I_d -> seq S -> K) :
  commutative (@times K) -> rational (fun w i => windowed k (c_0 i) (f i) (u i) w).
Proof.
by move=> timesC; exists (fun=> option_finite (history S k)), (fun i => ahead k (c_0 i) (f i) (u i)) => w i; rewrite proposition_11_with_fewer_states.
Qed.

(* RRNN(C) and RRNN(F), with d units. *)
Theorem model_c_is_rational (K : semiring) (S : Type) d (c1_0 c2_0 : 'I_d -> K) (f1 u1 f2 u2 : 'I_d -> S -> K) :
  rational (fun w i => model_c (c1_0 i) (c2_0 i) (f1 i) (u1 i) (f2 i) (u2 i) w).
Proof.
by exists (fun=> place 3), (fun i => figure_2 (c1_0 i) (c2_0 i) (f1 i) (u1 i) (f2 i) (u2 i)) => w i; rewrite model_c_is_figure_2.
Qed.

Theorem model_f_is_rational (K : semiring) (S : eqType) d (c1_0 c2_0 p1 p2 r : 'I_d -> K) (f1 u1 f2 u2 : 'I_d -> S -> K) :
  commutative (@times K) -> rational (fun w i => model_f (c1_0 i) (c2_0 i) (p1 i) (p2 i) (r i) (f1 i) (u1 i) (f2 i) (u2 i) w).
Proof.
move=> timesC; exists (fun=> place 3), (fun i => three_states (c1_0 i) (c2_0 i) (p1 i) (p2 i) (r i) (f1 i) (u1 i) (f2 i) (u2 i)) => w i.
by rewrite model_f_is_three_states.
Qed.
