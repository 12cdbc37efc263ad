(* RRNN(B) over max-plus (Peng et al. 2018, section 6.1 and appendix D): the unit of Example 15. *)

From mathcomp Require Import all_ssreflect ssralg ssrnum.
From ratproof Require Import semiring sums automaton instances.
From ratproof.rational_recurrences Require Import proposition_7 example_15.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Section ModelBMaxPlus.
Variables (R : realDomainType) (S : Type).
Let K := max_plus R.

(* c_t = max(f_t + c_{t-1}, u_t) (equation 24c): Figure 1 over max-plus, with lambda(q_1) = c_0, gives every word the same score as the unit. *)
Theorem model_b_max_plus c_0 (f u : S -> K) w : score (figure_1 f u c_0) w = max_plus_unit c_0 f u w.
Proof. exact: example_15. Qed.

(* Figure 1 as drawn, with c_0 = 0, gives minus infinity on the empty word, but the unit is 0. *)
Theorem printed_is_refuted (f u : S -> K) : score (figure_1 f u zero) [::] <> max_plus_unit (Some 0%R) f u [::].
Proof. exact: example_15.printed_is_refuted. Qed.
End ModelBMaxPlus.
