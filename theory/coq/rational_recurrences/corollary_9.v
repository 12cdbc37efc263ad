(* Corollary 9 (Peng et al. 2018, section 3.2): d gated units are rational (Definition 8). *)

From mathcomp Require Import all_ssreflect ssralg ssrnum.
From ratproof Require Import semiring sums automaton instances.
From ratproof.rational_recurrences Require Import proposition_7.
From ratproof.rational_recurrences.shared Require Import rational feedback no_automaton.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

(* d gated units (equation 5c), each with its own gates. *)
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

(* As drawn in Figure 1, the automata are wrong on the empty word if the network starts in c_0 = 1. *)
Theorem printed_is_refuted (K : semiring) (S : Type) d (f u : S -> 'I_d -> K) i :
  1 <> 0 :> K -> score (figures (fun _ => 0) f u i) [::] <> layer (fun _ => 1) f u [::] i.
Proof. by move=> nontrivial; rewrite layer_is_units; apply: proposition_7.printed_is_refuted. Qed.

(* d gated units whose forget gates also read the state before them, f_t = f(x_t) + w c_{t-1}, from 0. *)
Definition layer_with_feedback_next (K : semiring) (S : Type) d (w : 'I_d -> K) (f u : S -> 'I_d -> K) (c : 'I_d -> K) (x : S) (i : 'I_d) : K :=
  feedback_next (w i) (f^~ i) (u^~ i) (c i) x.
Definition layer_with_feedback (K : semiring) (S : Type) d (w : 'I_d -> K) (f u : S -> 'I_d -> K) :=
  run (layer_with_feedback_next w f u) (fun _ => 0).

(* If a forget gate also reads the previous state, with any w other than 0, no number of states makes the layer rational: for f = 0, and u
   = 2 / w at one symbol and 0 at another, w c is 2, 4, 16, 256, .... *)
Theorem without_memoryless_gates_is_refuted (F : numFieldType) d (w : 'I_d -> F) i : w i != 0%R ->
  ~ (forall (S : eqType) (f u : S -> 'I_d -> F), @rational (of_ring F) S d (layer_with_feedback (w : 'I_d -> of_ring F) f u)).
Proof.
move=> w_i all; pose u (x : bool) (_ : 'I_d) : F := (if x then 2%:R / w i else 0)%R.
have [Q [A same]] := all bool_eqType (fun _ _ => 0%R) u.
apply: (@squares_are_no_automaton _ _ _ (A i) [:: true] false (w i)) => m; rewrite -same.
elim: m => [|m IH].
  by rewrite /layer_with_feedback /run /= /layer_with_feedback_next /feedback_next /= !(GRing.mulr0, GRing.add0r) GRing.mulrC GRing.divfK.
rewrite one_more /layer_with_feedback run_rcons -/(layer_with_feedback _ _ _ _) /layer_with_feedback_next /feedback_next.
rewrite /= GRing.addr0 GRing.add0r expnSr GRing.exprM -IH GRing.expr2 !GRing.mulrA; congr (_ * _)%R.
exact: GRing.mulrAC.
Qed.
