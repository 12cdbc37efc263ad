(* Recurrences that are automata only under a hypothesis. With tanh or the sigmoid of the previous state, no automaton of any size computes them,
   over any field that contains the real numbers. *)

From Coq Require Import Reals List Lra.
From mathcomp Require Import all_ssreflect ssralg.
From ratproof Require Import semiring sums automaton instances.
From ratproof_reals Require Import gates orbits real_factors not_rational one_unit.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Open Scope R_scope.

(* Some automaton, over some field that contains the real numbers, computes the unit. *)
Definition rational (S : eqType) (unit : seq S -> R) : Prop :=
  exists (F : fieldType) (of_real : R -> F) (Q : finite) (A : wfa (of_ring F) S Q),
    contains_reals of_real /\ forall w, score A w = of_real (unit w).

Lemma not_rational (S : eqType) (unit : seq S -> R) : no_automaton unit -> ~ rational unit.
Proof. by move=> no [F [of_real [Q [A [field scores]]]]]; apply: (no F of_real Q A). Qed.

Lemma rational_same (S : eqType) (f g : seq S -> R) : f =1 g -> rational f -> rational g.
Proof. by move=> fg [F [of_real [Q [A [field scores]]]]]; exists F, of_real, Q, A; split=> // w; rewrite -fg. Qed.

Lemma tanh0 : tanh 0 = 0.
Proof. by rewrite tanh_is_sigmoid /sigmoid Rmult_0_r Ropp_0 exp_0; field. Qed.

Lemma tanh_positive t : 0 < t -> 0 < tanh t.
Proof. by move/tanh_increasing; rewrite tanh0. Qed.

(* Corollary 14 without linearity, and section 4.3: an Elman network, for every nonzero weight of the previous state. *)
Theorem elman_networks_are_not_rational u : u <> 0 -> ~ forall (S : eqType) (v : S -> R), rational (elman u v 0).
Proof.
move=> u0 all; have := all unit_eqType (fun _ => 1 + Rabs u); apply/not_rational/(@elman_is_no_automaton _ _ _ _ [::] tt) => //.
rewrite /elman /run /= Rmult_0_r Rplus_0_l; apply/Rgt_not_eq/tanh_positive.
have pos : 0 < tanh (1 + Rabs u) by apply: tanh_positive; have := Rabs_pos u; lra.
by have := tanh_between (1 + Rabs u); move: pos; set t := tanh _ => pos less; split_Rabs; nra.
Qed.

(* If the gate also reads the previous state, as in the later SRU, with any nonzero weight, no automaton with any number of states computes the unit.
   This refutes Proposition 7 and its corollaries without memoryless gates, and Proposition 12 without input-only lambda, for unigrams. *)
Theorem gates_that_read_the_state_are_not_rational w : w <> 0 -> ~ forall (S : eqType) (f u : S -> R), rational (gated_feedback w f u 0).
Proof.
move=> w0 all; have := all unit_eqType (fun _ => 0) (fun _ => 1).
by apply/not_rational/(@gated_feedback_is_no_automaton _ _ _ _ _ [::] tt) => //; apply/Rlt_not_eq/Rlt_0_1.
Qed.

(* A GRU whose candidate does not read the state. *)
Lemma gru_without_reset (S : eqType) u_z (n : S -> R) :
  gru 0 u_z 0 0 (fun _ => 0) (fun _ => 0) n 0 =1 gated_feedback u_z (fun _ => 0) (fun x => tanh (n x)) 0.
Proof.
elim/last_ind=> [|w x IH] //; rewrite /gru /gated_feedback !mixed_rcons -/(gated_feedback _ _ _ _ _) -IH.
by rewrite !Rmult_0_l !Rplus_0_l Rmult_0_r !Rplus_0_r.
Qed.

(* Section 4.3: a GRU of one unit, for every nonzero weight of the previous state in the update gate. *)
Theorem grus_are_not_rational u_z : u_z <> 0 ->
  ~ forall (S : eqType) (u_r u_m b_m : R) (r z n : S -> R), rational (gru u_r u_z u_m b_m r z n 0).
Proof.
move=> z0 all; have := all unit_eqType 0 0 0 (fun _ => 0) (fun _ => 0) (fun _ => 1).
move/(rational_same (gru_without_reset _ _)); apply/not_rational/(@gated_feedback_is_no_automaton _ _ _ _ _ [::] tt) => //.
by apply/Rlt_not_eq/tanh_positive/Rlt_0_1.
Qed.

(* Corollary 10 for SCRN: h_t = sigmoid(z_t + r h_(t-1)), a hidden unit whose context is 0, for every nonzero weight of the previous state. *)
Definition scrn_hidden (S : Type) (r : R) (z : S -> R) (w : seq S) : R := run (fun h x => sigmoid (r * h + z x)) 0 w.

Theorem hidden_units_of_scrn_are_not_rational r : r <> 0 -> ~ forall (S : eqType) (z : S -> R), rational (scrn_hidden r z).
Proof.
move=> r0 all; have := all unit_eqType (fun _ => 0); apply/not_rational.
apply: (@monotone_is_no_automaton _ (fun h x => sigmoid (r * h + 0)) 0 [::] tt 0 1) => //=.
- by apply/gates_sigmoid/gates_affine.
- by exists (fun t => 0 <= t); split; [exact: right_half_line|exists 1] => t _; have := sigmoid_between (r * t + 0); split_Rabs; lra.
- by move=> t _; have := sigmoid_between (r * t + 0); lra.
- by case: (Rdichotomy _ _ r0) => sign; [right|left] => s t _ _ st; apply: sigmoid_increasing; nra.
- lra.
- by have := sigmoid_between (r * sigmoid (r * 0 + 0) + 0); rewrite /run /=; lra.
Qed.
