(* Proposition 12 (Peng et al. 2018, section 4.2 and appendix B): the n-gram RCNN is a chain of n + 1 states. *)

From mathcomp Require Import all_ssreflect ssralg ssrnum.
From ratproof Require Import semiring sums automaton instances.
From ratproof.rational_recurrences.shared Require Import rational no_automaton.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Section Proposition12.
Variables (K : semiring) (S : Type) (n : nat) (c_0 : nat -> K) (lambda : S -> K) (u : S -> nat -> K).

(* c^(1) = c^(1) lambda + u^(1) (equation 14a), and c^(j) = c^(j) lambda + c^(j-1) u^(j) (equation 14b), from the values at t - 1. *)
Definition rcnn_next (c : nat -> K) (x : S) (j : nat) : K :=
  c j * lambda x + (if j == 1%N then u x 1%N else c j.-1 * u x j).
Definition rcnn := run rcnn_next c_0.

(* States 0 to n: q_0 loops with 1, the others loop with phi = lambda, and q_{j-1} goes to q_j with mu_j = u^(j) (equation 15). Initial
   weights are 1 at q_0 and c^(j)_0 at q_j; q_n is final. *)
Definition chain : wfa K S (place n.+1) :=
  @Wfa K S (place n.+1)
    (fun q : 'I_n.+1 => if q == 0%N :> nat then 1 else c_0 q)
    (fun x (p q : 'I_n.+1) =>
       if p == q :> nat then (if q == 0%N :> nat then 1 else lambda x) else if p.+1 == q :> nat then u x q else 0)
    (fun q : 'I_n.+1 => if q == n :> nat then 1 else 0).

(* The Forward vector: 1 at q_0, and c^(j) at q_j. *)
Definition one_and (c : nat -> K) (q : 'I_n.+1) : K := if q == 0%N :> nat then 1 else c q.

(* The chain gives every word the same score as the unit c^(n), for every n of 1 or more, in every semiring. *)
Theorem proposition_12 w : (1 <= n)%N -> score chain w = rcnn w n.
Proof.
move=> some; rewrite (score_is_inv (next := rcnn_next) (start := c_0) (inv := one_and)) => [||c x [[|j] j_n]] //.
- rewrite (sum_at (p := ord_max : place n.+1)) => [|q]; last by rewrite /= -val_eqE /= => /negbTE ->; rewrite timesw0.
  by rewrite /= eqxx timesw1 /one_and /=; case: n some.
- rewrite (sum_at (p := Ordinal j_n : place n.+1)) => [|q]; rewrite /one_and /= ?timesw1 //.
  by rewrite -val_eqE /= => /negbTE ->; rewrite timesw0.
have j_n' : (j < n.+1)%N by apply: ltnW.
rewrite (sum_at_two (p := Ordinal j_n : place n.+1) (r := Ordinal j_n' : place n.+1)) => [||q].
- rewrite /one_and /= ?eqnE ?eqSS eqxx /rcnn_next (ltn_eqF (ltnSn j)); congr (_ + _).
  by case: j {j_n j_n'} => //=; rewrite times1w.
- by rewrite -val_eqE /= ltn_eqF.
by rewrite /= -!val_eqE /= ?eqnE ?eqSS => /negbTE -> /negbTE ->; rewrite timesw0.
Qed.

(* The Forward algorithm as appendix B prints it: z^(0) = 1 for t >= 1, z^(j) = z^(j) phi + z^(j-1) mu_j, and z = 0 before the first symbol. *)
Definition program_next (z : nat -> K) (x : S) (j : nat) : K :=
  if j is j'.+1 then z j * lambda x + z j' * u x j else 1.
Definition program (w : seq S) : K := run program_next (fun _ => 0) w n.
End Proposition12.

(* Proposition 12 with a constant lambda. *)
Theorem proposition_12_constant_lambda (K : semiring) (S : Type) n (c_0 : nat -> K) (lambda : K) (u : S -> nat -> K) w :
  (1 <= n)%N -> score (chain n c_0 (fun=> lambda) u) w = rcnn c_0 (fun=> lambda) u w n.
Proof. exact: proposition_12. Qed.

(* The printed program gives 0 on the word of one symbol, for n = 1, lambda = 0 and u = 1, but the unit is 1. *)
Theorem printed_is_refuted (K : semiring) : 1 <> 0 :> K ->
  let lambda := fun _ : unit => 0 in let u := fun (_ : unit) (_ : nat) => 1 in
  program 1 lambda u [:: tt] <> rcnn (fun _ => 0) lambda u [:: tt] 1 :> K.
Proof. by move=> nontrivial lambda u; rewrite /program /rcnn /run /= /rcnn_next /=; written_out => /esym. Qed.

(* With z = 0 at every t, the program gives every word the score 0, including the word of one symbol. *)
Theorem printed_at_every_t_is_refuted (K : semiring) : 1 <> 0 :> K ->
  let lambda := fun _ : unit => 0 in let u := fun (_ : unit) (_ : nat) => 1 in
  0 <> rcnn (fun _ => 0) lambda u [:: tt] 1 :> K.
Proof. by move=> nontrivial lambda u; rewrite /rcnn /run /= /rcnn_next /=; written_out => /esym. Qed.

(* d units of the RCNN are rational (Definition 8). *)
Theorem rcnn_is_rational (K : semiring) (S : Type) d n (c_0 : 'I_d -> nat -> K) (lambda : 'I_d -> S -> K) (u : 'I_d -> S -> nat -> K) :
  (1 <= n)%N -> rational (fun w i => rcnn (c_0 i) (lambda i) (u i) w n).
Proof. by move=> some; exists (fun=> place n.+1), (fun i => chain n (c_0 i) (lambda i) (u i)) => w i; rewrite proposition_12. Qed.

(* The unit whose lambda also reads the state before it, lambda_t = f(x_t) + w c^(n)_{t-1}, from 0. *)
Definition rcnn_with_feedback_next (K : semiring) (S : Type) n (w : K) (f : S -> K) (u : S -> nat -> K) (c : nat -> K) (x : S) : nat -> K :=
  rcnn_next (fun y => f y + w * c n) u c x.
Definition rcnn_with_feedback (K : semiring) (S : Type) n (w : K) (f : S -> K) (u : S -> nat -> K) :=
  run (rcnn_with_feedback_next n w f u) (fun _ => 0).

(* No automaton with any number of states computes the unit, for any n of at least 1 and any w other than 0. Counterexample: f = 0, u^(j) = 1 but
   u^(n) = 2 / w at one symbol, which is read n times, and u = 0 at another. Then w c^(n) is 2, 4, 16, 256, ... *)
Theorem without_input_only_lambda_is_refuted (F : numFieldType) n (w : F) : (1 <= n)%N -> w != 0%R ->
  ~ (forall (S : eqType) (f : S -> F) (u : S -> nat -> F),
     exists (Q : finite) (A : wfa (of_ring F) S Q), forall v, score A v = rcnn_with_feedback n (w : of_ring F) f u v n).
Proof.
move=> some w_ne0 all; pose u (x : bool) (j : nat) : F := (if x then if j == n then 2%:R / w else 1 else 0)%R.
pose none (_ : bool) : F := 0%R; pose c := rcnn_with_feedback n (w : of_ring F) none u.
have [Q [A same]] := all bool_eqType none u.
have seeds t j : (t <= n)%N -> (0 < j)%N -> c (nseq t true) j = (if (j <= t)%N then u true j else 0%R).
  elim: t j => [|t IH] [|j] // lt_n _; rewrite -[in LHS](cat0s (nseq _ _)) one_more /c /rcnn_with_feedback run_rcons -/(rcnn_with_feedback _ _ _ _) -/c.
  rewrite /rcnn_with_feedback_next /rcnn_next (IH n) ?(ltnW lt_n) // leqNgt lt_n /= !(GRing.mulr0, GRing.add0r).
  case: j => [|j] //=; rewrite (IH j.+1) ?(ltnW lt_n) // ltnS; case: ifP => [lt_j|_]; last exact: GRing.mul0r.
  by rewrite /u (ltn_eqF (leq_ltn_trans lt_j lt_n)) GRing.mul1r.
apply: (@squares_are_no_automaton _ _ _ A (nseq n true) false w) => m; rewrite same -/c.
elim: m => [|m IH]; first by rewrite cats0 seeds // leqnn /u eqxx GRing.mulrC GRing.divfK.
rewrite one_more /c /rcnn_with_feedback run_rcons -/(rcnn_with_feedback _ _ _ _) -/c /rcnn_with_feedback_next /rcnn_next.
have -> : (if n == 1%N then u false 1%N else c (nseq n true ++ nseq m false) n.-1 * u false n) = 0%R :> of_ring F by case: ifP; rewrite ?timesw0 //; exact: GRing.mulr0.
by rewrite /= GRing.addr0 GRing.add0r expnSr GRing.exprM -IH GRing.expr2 GRing.mulrA.
Qed.
