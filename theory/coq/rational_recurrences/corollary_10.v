(* Corollary 10, RRNN(B) and the networks of Proposition 11 (Peng et al. 2018, sections 3.2, 4.1, 5.2 and appendix D), in a ring: an
   update that is weighed by the complement of the forget gate. *)

From mathcomp Require Import all_ssreflect all_algebra.
From ratproof Require Import semiring sums automaton instances.
From ratproof.rational_recurrences Require Import proposition_7 proposition_11.
Import GRing.Theory.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Local Open Scope ring_scope.

(* The input z, weighed by the complement of the forget gate f. *)
Definition weighed (R : ringType) (f z : R) : R := (1 - f) * z.

Section Corollary10.
Variables (R : comRingType) (S : Type) (c_0 : R) (f z : S -> R).
Let K := of_ring R.

(* c_t = f_t c_{t-1} + (1 - f_t) z_t: SRU's cell, T-RNN's hidden unit, RRNN(B). *)
Definition complemented := run (fun c x => f x * c + weighed (f x) (z x)) c_0.

(* Figure 1 with phi = f, mu = (1 - f) z and lambda(q_1) = c_0 scores every word as the unit does. *)
Theorem corollary_10 w : score (figure_1 (f : S -> K) (fun x => weighed (f x) (z x)) c_0) w = complemented w.
Proof. by rewrite proposition_7 //; apply: of_ring_commutes. Qed.

(* s_t = (1 - alpha) z_t + alpha s_{t-1}, with z = B v: a context unit of SCRN. *)
Definition context_unit (alpha : R) := run (fun s x => weighed alpha (z x) + alpha * s) c_0.

(* Figure 1 with phi = alpha and mu = (1 - alpha) z scores every word as a context unit does. *)
Theorem corollary_10_scrn alpha w : score (figure_1 (fun _ : S => alpha : K) (fun x => weighed alpha (z x)) c_0) w = context_unit alpha w.
Proof.
rewrite proposition_7; last exact: of_ring_commutes.
elim/last_ind: w => // w x IH; rewrite /unit /context_unit !run_rcons -/(unit _ _ _ w) -/(context_unit _ w) IH.
exact: addrC.
Qed.
End Corollary10.

(* With mu = z, as section 4.1 says of inputs, the word of one symbol is 1, where f = 1, z = 1 and c_0 = 0, and the unit is 0. *)
Theorem input_representation_is_refuted (R : comRingType) :
  let one := fun _ : Datatypes.unit => 1 : of_ring R in score (figure_1 one one 0) [:: tt] <> complemented 0 one one [:: tt].
Proof.
move=> one; evaluated; rewrite /complemented /run /= /weighed subrr mul0r mulr0 addr0.
rewrite /entries /entry /= /one !(mul0r, mul1r, mulr0, mulr1, add0r, addr0) => /eqP.
by rewrite oner_eq0.
Qed.

(* Proposition 11's networks: their update is made of gates that read the same window. *)
Section Windows.
Variables (R : comRingType) (S : finType) (k : nat) (c_0 : R) (f z o : seq S -> R).
Let K := of_ring R.

(* T-LSTM: c_t = f_t c_{t-1} + (1 - f_t) z_t. *)
Definition t_lstm := windowed k (c_0 : K) f (fun window => weighed (f window) (z window)).
(* T-GRU: h_t = f_t h_{t-1} + z_t o_t. *)
Definition t_gru := windowed k (c_0 : K) f (fun window => GRing.mul (z window) (o window)).

(* They are Appendix A's automata, and the smaller ones. *)
Theorem t_lstm_is_appendix_A w :
  score (appendix_A (remembered k [::] : history S k) (@remember_more _ k) (c_0 : K)
    (fun h x => f (rcons h x)) (fun h x => weighed (f (rcons h x)) (z (rcons h x)))) w = t_lstm w.
Proof. by rewrite /t_lstm /t_gru -proposition_11_windows //; apply: of_ring_commutes. Qed.
Theorem t_lstm_is_ahead w : score (ahead k (c_0 : K) f (fun window => weighed (f window) (z window))) w = t_lstm w.
Proof. by rewrite proposition_11_with_fewer_states //; apply: of_ring_commutes. Qed.
Theorem t_gru_is_appendix_A w :
  score (appendix_A (remembered k [::] : history S k) (@remember_more _ k) (c_0 : K)
    (fun h x => f (rcons h x)) (fun h x => GRing.mul (z (rcons h x)) (o (rcons h x)))) w = t_gru w.
Proof. by rewrite /t_lstm /t_gru -proposition_11_windows //; apply: of_ring_commutes. Qed.
Theorem t_gru_is_ahead w : score (ahead k (c_0 : K) f (fun window => GRing.mul (z window) (o window))) w = t_gru w.
Proof. by rewrite proposition_11_with_fewer_states //; apply: of_ring_commutes. Qed.
End Windows.
