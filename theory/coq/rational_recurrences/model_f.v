(* RRNN(F) (Peng et al. 2018, section 5.1 and appendix D): the four-state automaton of Figure 4, with its epsilon transition. *)

From mathcomp Require Import all_ssreflect ssralg ssrnum.
From ratproof Require Import semiring sums automaton paths instances.
From ratproof.rational_recurrences.shared Require Import rational complement.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Section ModelF.
Variables (K : semiring) (S : eqType) (c1_0 c2_0 p1 p2 r : K) (f1 u1 f2 u2 : S -> K).

(* c1 = c1 f1 + u1 (equation 19a), and c2 = c2 f2 + (c1 + r) u2 (equation 19b), from the values at t - 1. *)
Definition pair_next (c : K * K) (x : S) : K * K := (c.1 * f1 x + u1 x, c.2 * f2 x + (c.1 + r) * u2 x).
Definition pair := run pair_next (c1_0, c2_0).

(* c = p1 c1 + p2 c2 (equation 19c). *)
Definition rrnn_f (w : seq S) : K := p1 * (pair w).1 + p2 * (pair w).2.

(* Figure 4: Figure 2 with q_1 as another final state, and with q_3. An epsilon transition of weight gamma = r leads from q_0 to q_3, and mu_2 leads
   from q_3 to q_2. *)
Definition figure_4 : wfa K S (place 4) :=
  of_lists 4 [:: 1; c1_0; c2_0; 0]
    (fun x => [:: [:: 1; u1 x; 0; 0]; [:: 0; f1 x; u2 x; 0]; [:: 0; 0; f2 x; 0]; [:: 0; 0; u2 x; 0]]) [:: 0; p1; p2; 0].
Definition gamma (p q : 'I_4) : K := entries [:: [:: 0; 0; 0; r]] p q.

(* Without epsilon and without q_3: q_0 goes directly to q_2, with gamma mu_2. *)
Definition three_states : wfa K S (place 3) :=
  of_lists 3 [:: 1; c1_0; c2_0] (fun x => [:: [:: 1; u1 x; r * u2 x]; [:: 0; f1 x; u2 x]; [:: 0; 0; f2 x]]) [:: 0; p1; p2].

Lemma pair_in_figure_4 w (q : 'I_4) : epsilon_forward figure_4 gamma 1 w q = entry [:: 1; (pair w).1; (pair w).2; r] q.
Proof.
elim/last_ind: w q => [|w x IH] q.
  case: q => [[|[|[|[|]]]]] //= ?; rewrite /epsilon_forward /= /epsilon_step; written_out; rewrite // /gamma; written_out.
rewrite /epsilon_forward run_rcons -/(epsilon_forward figure_4 gamma 1 w) /epsilon_next [LHS]/= /epsilon_step.
have after p : forward_step figure_4 (epsilon_forward figure_4 gamma 1 w) x p =
    entry [:: 1; (pair_next (pair w) x).1; (pair_next (pair w) x).2; 0] p.
  rewrite /forward_step (eq_sum (fun q' => congr1 (fun v => v * _) (IH q'))).
  case: p => [[|[|[|[|]]]]] //= ?; written_out => //; first by rewrite plusC.
  by rewrite timesDl !plusA [(pair w).1 * _ + _]plusC.
rewrite after (eq_sum (fun p => congr1 (fun v => v * _) (after p))) /pair run_rcons -/(pair w).
by case: q => [[|[|[|[|]]]]] //= ?; rewrite /gamma; written_out.
Qed.

Section Commuting.
Hypothesis timesC : commutative (@times K).

(* Figure 4 is the network, with at most one consecutive epsilon transition or with more. Weights must commute: the network computes p c, and a path
   computes c p. *)
Theorem model_f N w : (1 <= N)%N -> epsilon_score figure_4 gamma N w = rrnn_f w.
Proof.
move=> some; rewrite (@independent_of_cap _ _ _ figure_4 gamma 1 (fun q : 'I_4 => nat_of_bool (3 <= q)%N)) //.
- rewrite /epsilon_score (eq_sum (fun q => congr1 (fun v => v * _) (pair_in_figure_4 w q))).
  by written_out; rewrite /rrnn_f timesC (timesC p2).
- by move=> q; case: leqP.
by case=> [[|[|[|[|p]]]] p_4] [[|[|[|[|q]]]] q_4].
Qed.

(* Three states without epsilon transitions are also the network. *)
Theorem model_f_with_fewer_states w : score three_states w = rrnn_f w.
Proof.
rewrite (score_is_inv (next := pair_next) (start := (c1_0, c2_0)) (inv := fun c (q : 'I_3) => entry [:: 1; c.1; c.2] q)).
- by written_out; rewrite /rrnn_f timesC (timesC p2).
- by case=> [[|[|[|]]]].
move=> c x [[|[|[|]]]] //= _; written_out => //; first by rewrite plusC.
by rewrite timesDl [r * _ + _]plusC !plusA [c.1 * _ + _]plusC.
Qed.
End Commuting.

(* The program of section 5.1, with any numbers before the first symbol: z0 = 1, z1, z2 and z3 = gamma, with z1 = z1 phi_1 + z0 mu_1 and
   z2 = z2 phi_2 + (z1 + z3) mu_2, from the values at t - 1; the output is rho_1 z1 + rho_2 z2. *)
Definition program_next (z : K * K * K * K) (x : S) : K * K * K * K :=
  let: (z0, z1, z2, z3) := z in (1, z1 * f1 x + z0 * u1 x, z2 * f2 x + (z1 + z3) * u2 x, r).
Definition program (start : K * K * K * K) (w : seq S) : K :=
  let: (_, z1, z2, _) := run program_next start w in p1 * z1 + p2 * z2.

(* Equation 26g in one version of the appendix: c = p1 c2 + p2 c2. *)
Definition rrnn_f_26g (w : seq S) : K := p1 * (pair w).2 + p2 * (pair w).2.
End ModelF.

(* As printed, the program starts with z = 0: the word of one symbol has the score 0 if p1 = u1 = 1 and everything else is 0, but the network is 1. *)
Theorem printed_is_refuted (K : semiring) : 1 <> 0 :> K ->
  let none := fun _ : unit_eqType => 0 in let one := fun _ : unit_eqType => 1 in
  program 1 0 0 none one none none (0, 0, 0, 0) [:: tt] <> rrnn_f 0 0 1 0 0 none one none none [:: tt] :> K.
Proof.
by move=> nontrivial none one; rewrite /program /rrnn_f /pair /run /= /none /one !(timesw0, times0w, times1w, timesw1, plus0w, plusw0) => /esym.
Qed.

(* With only z0 = 1, the word of one symbol has the score 0 if p2 = r = u2 = 1 and everything else is 0, but the network is 1. *)
Theorem printed_with_one_start_is_refuted (K : semiring) : 1 <> 0 :> K ->
  let none := fun _ : unit_eqType => 0 in let one := fun _ : unit_eqType => 1 in
  program 0 1 1 none none none one (1, 0, 0, 0) [:: tt] <> rrnn_f 0 0 0 1 1 none none none one [:: tt] :> K.
Proof.
by move=> nontrivial none one; rewrite /program /rrnn_f /pair /run /= /none /one !(timesw0, times0w, times1w, timesw1, plus0w, plusw0) => /esym.
Qed.

(* With equation 26g, the word of one symbol has the score 0 if p1 = u1 = 1 and everything else is 0, but Figure 4 gives 1. *)
Theorem printed_equation_26g_is_refuted (K : semiring) : 1 <> 0 :> K ->
  let none := fun _ : unit_eqType => 0 in let one := fun _ : unit_eqType => 1 in
  epsilon_score (figure_4 0 0 1 0 none one none none) (gamma 0) 1 [:: tt] <> rrnn_f_26g 0 0 1 0 0 none one none none [:: tt] :> K.
Proof.
move=> nontrivial none one.
rewrite /epsilon_score (eq_sum (fun q => congr1 (fun v => v * _) (pair_in_figure_4 _ _ _ _ _ _ _ _ _ _ q))).
by written_out; rewrite /rrnn_f_26g /pair /run /=; written_out.
Qed.

(* With mu_j = z_j = W_u v instead of (1 - f_j) z_j, as in section 6.1, the word of one symbol has the score 1 if p1 = f1 = z1 = 1 and everything
   else is 0, but the network is 0. *)
Theorem printed_section_6_1_is_refuted (R : ringType) :
  ~ (forall (S : eqType) (p1 p2 r : of_ring R) (f1 z1 f2 z2 : S -> of_ring R) w,
     epsilon_score (figure_4 0 0 p1 p2 f1 z1 f2 z2) (gamma r) 1 w =
     rrnn_f 0 0 p1 p2 r f1 (fun x => weighed (f1 x) (z1 x)) f2 (fun x => weighed (f2 x) (z2 x)) w).
Proof.
move=> all; have := all unit_eqType 1 0 0 (fun _ => 1) (fun _ => 1) (fun _ => 0) (fun _ => 0) [:: tt].
rewrite /epsilon_score (eq_sum (fun q => congr1 (fun v => v * _) (pair_in_figure_4 _ _ _ _ _ _ _ _ _ _ q))).
rewrite /rrnn_f /pair /run /= /weighed; written_out.
rewrite !(GRing.subrr, GRing.subr0, GRing.mulr0, GRing.mul0r, GRing.mulr1, GRing.mul1r, GRing.add0r, GRing.addr0) => /eqP.
by rewrite GRing.oner_eq0.
Qed.

(* d units of RRNN(F) are rational (Definition 8). *)
Theorem rrnn_f_is_rational (K : semiring) (S : eqType) d (c1_0 c2_0 p1 p2 r : 'I_d -> K) (f1 u1 f2 u2 : 'I_d -> S -> K) :
  commutative (@times K) -> rational (fun w i => rrnn_f (c1_0 i) (c2_0 i) (p1 i) (p2 i) (r i) (f1 i) (u1 i) (f2 i) (u2 i) w).
Proof.
move=> timesC; exists (fun=> place 3), (fun i => three_states (c1_0 i) (c2_0 i) (p1 i) (p2 i) (r i) (f1 i) (u1 i) (f2 i) (u2 i)) => w i.
by rewrite model_f_with_fewer_states.
Qed.
