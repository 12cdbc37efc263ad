(* Proposition 11, the strongly-typed T-GRU (Peng et al. 2018, section 4.1 and appendix A), in a ring: its update is computed from
   gates that read the same window. *)

From mathcomp Require Import all_ssreflect ssralg ssrnum.
From ratproof Require Import semiring sums automaton instances.
From ratproof.rational_recurrences Require Import proposition_11_qrnn.
From ratproof.rational_recurrences.shared Require Import appendix_A windows.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Local Open Scope ring_scope.

Section Proposition11.
Variables (R : comRingType) (S : finType) (k : nat) (c_0 : R) (f z o : seq S -> R).
Let K := of_ring R.

(* h_t = f_t h_{t-1} + u_t with u_t = z_t o_t. *)
Definition update (window : seq S) : R := z window * o window.
Definition t_gru := windowed k (c_0 : K) f update.

(* Appendix A with tau(q_0, q_b, b) = mu_pad(b) gives every word the same score as the unit. *)
Theorem proposition_11_t_gru w :
  score (appendix_A (remembered k [::] : history S k) (@remember_more _ k) (c_0 : K) (fun h x => f (rcons h x))
    (fun h x => update (rcons h x))) w = t_gru w.
Proof. by rewrite windowed_is_appendix_A //; apply: of_ring_commutes. Qed.

(* The automaton with 2 + s + ... + s^(K-1) states, for s symbols, also gives every word the same score as the unit. *)
Theorem proposition_11_t_gru_with_fewer_states w : score (ahead k (c_0 : K) f update) w = t_gru w.
Proof. by rewrite windowed_is_ahead //; apply: of_ring_commutes. Qed.
End Proposition11.

(* Appendix A as printed, with c_0 = 0, gives a word of one symbol the score 0, but the unit is z o, which need not be 0. *)
Theorem printed_is_refuted (R : comRingType) (S : finType) k (f z o : seq S -> R) x : update z o [:: x] <> 0 ->
  score (appendix_A_as_printed (remembered k [::] : history S k) (@remember_more _ k) (0 : of_ring R) (fun h x => f (rcons h x))
    (fun h x => update z o (rcons h x))) [:: x] <> t_gru k 0 f z o [:: x].
Proof. exact: (@windowed_is_not_as_printed (of_ring R)). Qed.

(* The caption of Table 1 adds this network to the row of the automaton B, with two states: for windows of 2 or more symbols, no automaton with
   fewer than three states computes the unit. *)
Theorem printed_table_1_is_refuted (F : numFieldType) k : (0 < k)%N ->
  ~ (forall (S : finType) (f z o : seq S -> F),
     exists (Q : finite) (A : wfa (of_ring F) S Q), (card Q < 3)%N /\ forall w, score A w = t_gru k (0 : F) f z o w).
Proof.
move=> some all; have [Q [A [few same]]] := all [finType of unit] (fun _ => 0) (fun w => if size w == k.+1 then 1 else 0) (fun _ => 1).
move: few; rewrite ltnNge (complete_windows_need_three_states some _ _ same) // => w.
by rewrite /update GRing.mulr1.
Qed.
