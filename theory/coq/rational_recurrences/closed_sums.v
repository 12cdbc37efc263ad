(* Equations 4, 6 and 13 (Peng et al. 2018, sections 2, 3.1 and 4.2): scores and units as sums over the times at which a path leaves its first loop. *)

From mathcomp Require Import all_ssreflect.
From ratproof Require Import semiring sums automaton.
From ratproof.rational_recurrences Require Import proposition_7 model_c.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Section ClosedSum.
Variables (K : semiring) (S : Type) (u f : S -> K).

(* The sum over the positions j of u(x_j) f(x_{j+1}) ... f(x_t); it is 0 for the empty word. *)
Fixpoint closed_sum (w : seq S) : K := if w is x :: w' then foldl (fun term y => term * f y) (u x) w' + closed_sum w' else 0.

Lemma closed_sum_rcons w x : closed_sum (rcons w x) = closed_sum w * f x + u x.
Proof. by elim: w => [|y w IH] /=; rewrite ?times0w ?plusw0 ?plus0w // foldl_rcons IH timesDl plusA. Qed.
End ClosedSum.

(* Equation 4: B[x] in the weights of the automaton itself, mu from q_0 to q_1 and phi at q_1. *)
Definition equation_4 (K : semiring) (S : Type) (B : wfa K S (place 2)) (w : seq S) : K :=
  closed_sum (fun x => transition B x ord0 ord_max) (fun x => transition B x ord_max ord_max) w.

(* Equation 6 is the score of Figure 1, in every semiring. *)
Theorem closed_sums_equation_6 (K : semiring) (S : Type) (f u : S -> K) w : closed_sum u f w = score (figure_1 f u 0) w.
Proof.
rewrite (score_is_inv (next := fun c x => c * f x + u x) (start := 0) (inv := fun c (q : 'I_2) => entry [:: 1; c] q)).
- by written_out; elim/last_ind: w => // w x IH; rewrite closed_sum_rcons run_rcons IH.
- by case=> [[|[|]]].
by move=> c x [[|[|]]] //= _; written_out; rewrite // plusC.
Qed.

(* Equation 4 with the weights of B is the unit of Example 6, with c_0 = 0. Weights must commute, because the unit computes f c and the sum u f. *)
Theorem closed_sums (K : semiring) (S : Type) (f u : S -> K) w :
  commutative (@times K) -> equation_4 (figure_1 f u 0) w = unit 0 f u w.
Proof. by move=> timesC; rewrite -proposition_7 // -closed_sums_equation_6. Qed.

(* Figure 2 with the final state q_1, and with the initial weight 0 at q_1 and q_2. *)
Definition to_q_1 (K : semiring) (S : Type) (f1 u1 f2 u2 : S -> K) : wfa K S (place 3) :=
  let C := figure_2 0 0 f1 u1 f2 u2 in @Wfa K S (place 3) (initial C) (transition C) (fun q : 'I_3 => entry [:: 0; 1; 0] q).

(* Equation 13 is the score of the paths that end in q_1 of Figure 2, in every semiring. *)
Theorem closed_sums_equation_13 (K : semiring) (S : Type) (f1 u1 f2 u2 : S -> K) w : closed_sum u1 f1 w = score (to_q_1 f1 u1 f2 u2) w.
Proof.
rewrite (score_is_inv (next := pair_next f1 u1 f2 u2) (start := (0, 0)) (inv := fun c (q : 'I_3) => entry [:: 1; c.1; c.2] q)).
- by written_out; elim/last_ind: w => // w x IH; rewrite closed_sum_rcons run_rcons IH.
- by case=> [[|[|[|]]]].
by move=> c x [[|[|[|]]]] //= _; written_out; rewrite // plusC.
Qed.

(* For a unit that starts in c_0 = 1, equation 6 is wrong on the empty word, on which Figure 1 with lambda(q_1) = c_0 gives 1. *)
Theorem without_zero_start_is_refuted (K : semiring) (S : Type) (f u : S -> K) :
  1 <> 0 :> K -> score (figure_1 f u 1) [::] <> closed_sum u f [::].
Proof. by move=> nontrivial; evaluated. Qed.
