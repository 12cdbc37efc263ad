(* Elman networks with the Heaviside function compute deterministic probabilistic automata, by Minsky's construction (Minsky 1954; Svete and
   Cotterell 2023). *)

From mathcomp Require Import all_ssreflect.
From ratproof Require Import semiring sums automaton.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Section Elman.
Variables (K : semiring) (Q S : finite) (q_0 : Q) (delta : S -> Q -> Q) (p : S -> Q -> K) (rho : Q -> K).

(* A word's weight is the product of p at its transitions, and of rho at its end. *)
Definition pfsa : wfa K S Q := Wfa (fun q => if q == q_0 then 1 else 0) (fun x q q' => if q' == delta x q then p x q else 0) rho.

(* A unit for each pair of a state and the last symbol, and one for the start. *)
Definition units : finite := option_finite (prod_finite Q S).
Definition state_of (c : units) : Q := if c is Some qy then qy.1 else q_0.

(* The unit of q and y is 1 if its input is positive: one for each unit that is 1 and from which y leads to q, one if y is the symbol that is
   read, and the bias -1. *)
Definition fires (h : units -> bool) (x : S) (c : units) : bool :=
  if c is Some qy then (1 < count (fun c' => h c' && (delta qy.2 (state_of c') == qy.1)) (elements units) + (qy.2 == x))%N else false.

(* Probabilities are linear in the units; the network multiplies the probabilities of the symbols that it reads. *)
Definition reads (h : units -> bool) (F : Q -> K) : K := \sum_(c : units) if h c then F (state_of c) else 0.
Definition step (hk : (units -> bool) * K) (x : S) : (units -> bool) * K := (fires hk.1 x, hk.2 * reads hk.1 (p x)).
Definition elman (w : seq S) : K := let hk := run step (fun c => c == None, 1) w in hk.2 * reads hk.1 rho.

(* After every word one unit is 1. *)
Definition next_unit (c : units) (x : S) : units := Some (delta x (state_of c), x).

Lemma fires_one h c x : h =1 (fun c' => c' == c) -> fires h x =1 (fun c' => c' == next_unit c x).
Proof.
move=> one [[q y]|] //; rewrite /fires /next_unit.
have -> : count (fun c' => h c' && (delta (q, y).2 (state_of c') == (q, y).1)) (elements units) = (delta y (state_of c) == q).
  rewrite (eq_count (a2 := fun c' => (c' == c) && (delta y (state_of c) == q))) => [|c']; last by rewrite one; case: eqP => [->|].
  case: (delta y (state_of c) == q); last by rewrite (eq_count (a2 := pred0)) ?count_pred0 // => c'; rewrite andbF.
  by rewrite (eq_count (a2 := pred1 c)) ?count_uniq_mem ?elements_uniq ?in_elements // => c'; rewrite andbT.
rewrite (inj_eq (@Some_inj _)) xpair_eqE.
by case: (y =P x) => [->|_]; rewrite ?andbT ?andbF ?addn1 ?addn0 ?ltnS ?lt0b ?[q == _]eq_sym //; case: (_ == _).
Qed.

Lemma reads_one h c (F : Q -> K) : h =1 (fun c' => c' == c) -> reads h F = F (state_of c).
Proof. by move=> one; rewrite /reads (sum_at (p := c)) => [|c' /negbTE ne]; rewrite one ?eqxx ?ne. Qed.

(* Any network with finitely many vectors of units: a state and a product, which do not depend on how the next state is computed. *)
Definition next_state (qk : Q * K) (x : S) : Q * K := (delta x qk.1, qk.2 * p x qk.1).
Definition product_of (w : seq S) : K := let qk := run next_state (q_0, 1) w in qk.2 * rho qk.1.

Theorem heaviside_elman_converse w : score pfsa w = product_of w.
Proof.
rewrite (score_is_inv (next := next_state) (start := (q_0, 1)) (inv := fun qk q => if q == qk.1 then qk.2 else 0)) => [||qk x q] //.
  by rewrite (sum_at (p := (run next_state (q_0, 1) w).1)) => [|q /negbTE ->]; rewrite ?eqxx ?times0w.
rewrite (sum_at (p := qk.1)) => [|q' /negbTE ->]; rewrite ?eqxx ?times0w //=.
by case: eqP; rewrite ?timesw0.
Qed.

(* The network's output is the automaton's score, in every semiring. *)
Theorem heaviside_elman w : score pfsa w = elman w.
Proof.
pose follow (ck : units * K) x := (next_unit ck.1 x, ck.2 * p x (state_of ck.1)).
have same v : [/\ (run step (fun c => c == None, 1) v).1 =1 (fun c => c == (run follow (None, 1) v).1),
    (run step (fun c => c == None, 1) v).2 = (run follow (None, 1) v).2,
    state_of (run follow (None, 1) v).1 = (run next_state (q_0, 1) v).1 & (run follow (None, 1) v).2 = (run next_state (q_0, 1) v).2].
  elim/last_ind: v => [|v x [ones values states products]] //; rewrite !run_rcons /=; split; first exact: fires_one.
  - by rewrite values (reads_one _ ones).
  - by rewrite states.
  - by rewrite states products.
have [ones values states products] := same w.
by rewrite /elman values (reads_one _ ones) states products heaviside_elman_converse.
Qed.
End Elman.
