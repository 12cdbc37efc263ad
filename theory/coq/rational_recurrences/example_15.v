(* Example 15 (Peng et al. 2018, section 5.2): Proposition 7 over the max-plus semiring. *)

From mathcomp Require Import all_ssreflect ssralg ssrnum.
From ratproof Require Import semiring sums automaton instances exponential.
From ratproof.rational_recurrences Require Import proposition_7.
Import Order.TTheory GRing.Theory Num.Theory.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Local Open Scope ring_scope.

Section Example15.
Variables (R : realDomainType) (S : Type).
Let K := max_plus R.

(* c_t = max(f_t + c_{t-1}, u_t) (equation 21c): Some c is the number c, and None is minus infinity. *)
Definition max_plus_unit (c_0 : option R) (f u : S -> option R) : seq S -> option R :=
  run (fun c x => match f x, c, u x with
    | Some f', Some c', Some u' => Some (Num.max (f' + c') u')
    | Some f', Some c', None => Some (f' + c')
    | _, _, u' => u'
    end) c_0.

(* Figure 1 over max-plus, with lambda(q_1) = c_0, gives every word the same score as the unit, including for weights of minus infinity. *)
Theorem example_15 c_0 (f u : S -> K) w : score (figure_1 f u c_0) w = max_plus_unit c_0 f u w.
Proof.
rewrite (proposition_7 _ _ _ (@max_plus_commutes R)).
elim/last_ind: w => // w x IH; rewrite /unit /max_plus_unit !run_rcons -/(unit _ _ _ w) -/(max_plus_unit _ _ _ w) IH.
rewrite /unit_next; case: (max_plus_unit c_0 f u w) (f x) (u x) => [c|] [a|] [b|] //=.
by rewrite /larger /= maxEle.
Qed.

(* Figure 1 as drawn, with c_0 = 0, gives minus infinity on the empty word, but the unit is 0. *)
Theorem printed_is_refuted (f u : S -> K) : score (figure_1 f u zero) [::] <> max_plus_unit (Some 0) f u [::].
Proof. by evaluated. Qed.
End Example15.

(* Figure 1 as drawn, with c_0 = 0, gives -1 on the word of one symbol if f = 0 and u = -1, but the unit is 0. *)
Theorem printed_nonempty_is_refuted (R : realDomainType) :
  let f := fun _ : Datatypes.unit => Some 0 : max_plus R in let u := fun _ : Datatypes.unit => Some (- 1) : max_plus R in
  score (figure_1 f u zero) [:: tt] <> max_plus_unit (Some 0) f u [:: tt].
Proof.
move=> f u; rewrite /score /forward /run /= /forward_step.
rewrite !(sum_place, sum_no_place) /entries /entry /= /greatest /along /max_plus_unit /run /= addr0 /larger /=.
rewrite add0r addr0 max_l ?oppr_le0 ?ler01 // => -[] /eqP; by rewrite oppr_eq0 oner_eq0.
Qed.

(* Section 5.2: with mu = log(1 - f) for a forget gate f, the logarithm of a sigmoid, instead of the logarithm of the complement, log(1 - exp f),
   the word of one symbol has a different score, for any f. *)
Theorem printed_section_5_2_is_refuted (R : realFieldType) (e : exponential R) (f printed complement : R) :
  f < 0 -> e printed = 1 - f -> e complement = 1 - e f ->
  let f_t := fun _ : Datatypes.unit => Some f : max_plus R in
  score (figure_1 f_t (fun _ => Some printed : max_plus R) zero) [:: tt] <> max_plus_unit None f_t (fun _ => Some complement) [:: tt].
Proof.
move=> neg log_printed log_complement f_t.
rewrite example_15 /max_plus_unit /run /= => -[eq]; move: log_complement; rewrite -eq log_printed => /addrI/oppr_inj same.
by have := exp_positive e f; rewrite -same ltNge (ltW neg).
Qed.
