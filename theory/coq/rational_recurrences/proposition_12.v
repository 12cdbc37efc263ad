(* Proposition 12 (Peng et al. 2018, section 4.2 and appendix B): the n-gram RCNN is a chain of n + 1 states. *)

From mathcomp Require Import all_ssreflect.
From ratproof Require Import semiring sums automaton.
From ratproof.rational_recurrences.shared Require Import rational.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Section Proposition12.
Variables (K : semiring) (S : Type) (n : nat) (c_0 : nat -> K) (lambda : S -> K) (u : S -> nat -> K).

(* c^(1) = c^(1) lambda + u^(1) (equation 14a), and c^(j) = c^(j) lambda + c^(j-1) u^(j) (equation 14b), from those at t - 1. *)
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

(* What Forward's vector is: 1 at q_0, and c^(j) at q_j. *)
Definition one_and (c : nat -> K) (q : 'I_n.+1) : K := if q == 0%N :> nat then 1 else c q.

(* The chain scores every word as the unit c^(n) does, for every n of 1 or more, in every semiring. *)
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

(* The same with a constant lambda. *)
Theorem proposition_12_constant_lambda (K : semiring) (S : Type) n (c_0 : nat -> K) (lambda : K) (u : S -> nat -> K) w :
  (1 <= n)%N -> score (chain n c_0 (fun=> lambda) u) w = rcnn c_0 (fun=> lambda) u w n.
Proof. exact: proposition_12. Qed.

(* It is 0 on the word of one symbol, for n = 1, lambda = 0 and u = 1, and the unit is 1. *)
Theorem printed_is_refuted (K : semiring) : 1 <> 0 :> K ->
  let lambda := fun _ : unit => 0 in let u := fun (_ : unit) (_ : nat) => 1 in
  program 1 lambda u [:: tt] <> rcnn (fun _ => 0) lambda u [:: tt] 1 :> K.
Proof. by move=> nontrivial lambda u; rewrite /program /rcnn /run /= /rcnn_next /=; written_out => /esym. Qed.

(* With z = 0 at every t the program gives 0 to every word, the one of one symbol too. *)
Theorem printed_at_every_t_is_refuted (K : semiring) : 1 <> 0 :> K ->
  let lambda := fun _ : unit => 0 in let u := fun (_ : unit) (_ : nat) => 1 in
  0 <> rcnn (fun _ => 0) lambda u [:: tt] 1 :> K.
Proof. by move=> nontrivial lambda u; rewrite /rcnn /run /= /rcnn_next /=; written_out => /esym. Qed.

(* d units of the RCNN are rational (Definition 8). *)
Theorem rcnn_is_rational (K : semiring) (S : Type) d n (c_0 : 'I_d -> nat -> K) (lambda : 'I_d -> S -> K) (u : 'I_d -> S -> nat -> K) :
  (1 <= n)%N -> rational (fun w i => rcnn (c_0 i) (lambda i) (u i) w n).
Proof. by move=> some; exists (fun=> place n.+1), (fun i => chain n (c_0 i) (lambda i) (u i)) => w i; rewrite proposition_12. Qed.
