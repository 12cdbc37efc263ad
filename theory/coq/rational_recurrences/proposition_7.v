(* Proposition 7 (Peng et al. 2018, section 3.1): a gated unit is a two-state automaton. *)

From mathcomp Require Import all_ssreflect ssralg ssrnum.
From ratproof Require Import semiring sums automaton instances.
From ratproof.rational_recurrences.shared Require Import feedback.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Section Proposition7.
Variables (K : semiring) (S : Type) (c_0 : K) (f u : S -> K).

(* c_t = f_t c_{t-1} + u_t (equation 5c), with memoryless gates. *)
Definition unit_next (c : K) (x : S) : K := f x * c + u x.
Definition unit := run unit_next c_0.

(* Figure 1 with mu = u and phi = f, and the initial weight l of q_1. *)
Definition figure_1 (l : K) : wfa K S (place 2) :=
  of_lists 2 [:: 1; l] (fun x => [:: [:: 1; u x]; [:: 0; f x]]) [:: 0; 1].

(* Figure 1 with lambda(q_1) = c_0 gives every word the same score as the unit. Weights must commute: the network computes f c, and a path computes
   c f. *)
Theorem proposition_7 : commutative (@times K) -> forall w, score (figure_1 c_0) w = unit w.
Proof.
move=> timesC w; rewrite (score_is_inv (next := unit_next) (start := c_0) (inv := fun c (q : 'I_2) => entry [:: 1; c] q)).
- by written_out.
- by case=> [[|[|]]].
by move=> c x [[|[|]]] //= _; written_out; rewrite // plusC timesC.
Qed.

(* Equation 3b as printed reads x_i instead of x_{i+1}: step i + 1 reads the previous symbol, and the first step reads none. *)
Definition late_next (Q : finite) (A : wfa K S Q) (omegas : (Q -> K) * (Q -> K)) (x : S) :=
  (omegas.2, forward_step A omegas.2 x).
Definition late_score (Q : finite) (A : wfa K S Q) (w : seq S) : K :=
  \sum_(q : Q) (run (late_next A) (initial A, initial A) w).1 q * final A q.
End Proposition7.

(* Figure 1 as drawn has lambda(q_1) = 0. With c_0 = 1 it is wrong on the empty word. *)
Theorem printed_is_refuted (K : semiring) (S : Type) (f u : S -> K) :
  1 <> 0 :> K -> score (figure_1 f u 0) [::] <> unit 1 f u [::].
Proof. by move=> nontrivial; evaluated => /esym. Qed.

(* Figure 1 as drawn, with c_0 = 1, is also wrong on the word of one symbol if f = 1 and u = 0. *)
Theorem printed_nonempty_is_refuted (K : semiring) :
  1 <> 0 :> K -> let f := fun _ : Datatypes.unit => 1 in let u := fun _ => 0 in score (figure_1 f u 0) [:: tt] <> unit 1 f u [:: tt] :> K.
Proof. by move=> nontrivial f u; evaluated; rewrite /unit /run /= /unit_next; written_out => /esym. Qed.

(* With equation 3b as printed, the word of one symbol has the score 0, but the unit is u = 1. *)
Theorem printed_equation_3b_is_refuted (K : semiring) :
  1 <> 0 :> K -> let f := fun _ : Datatypes.unit => 0 in let u := fun _ => 1 in late_score (figure_1 f u 0) [:: tt] <> unit 0 f u [:: tt] :> K.
Proof. by move=> nontrivial f u; rewrite /late_score /run /=; written_out; rewrite /unit /run /= /unit_next; written_out => /esym. Qed.

(* If the forget gate also reads the previous state, with any weight w other than 0, no automaton with any number of states computes the unit. *)
Theorem without_memoryless_gates_is_refuted (F : numFieldType) (w : F) : w != 0%R ->
  ~ (forall (S : eqType) (f u : S -> F),
     exists (Q : finite) (A : wfa (of_ring F) S Q), forall v, score A v = feedback (w : of_ring F) f u v).
Proof. exact: feedback_is_no_automaton. Qed.
