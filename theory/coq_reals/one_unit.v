(* Elman networks, SRU with feedback, RCNNs of unigrams, and GRUs, of one unit, are no automata of any size. *)

From Coq Require Import Reals List Lra.
From mathcomp Require Import all_ssreflect ssralg.
From ratproof Require Import semiring sums automaton.
From ratproof.rational_recurrences.shared Require Import no_automaton.
From ratproof_reals Require Import gates orbits real_factors not_rational.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Open Scope R_scope.

Lemma sigmoid_between t : 0 < sigmoid t < 1.
Proof.
rewrite /sigmoid; have := exp_pos (- t) => e.
split; first by apply: Rinv_0_lt_compat; lra.
by rewrite -Rinv_1; apply: Rinv_lt_contravar; lra.
Qed.

Lemma sigmoid_increasing s t : s < t -> sigmoid s < sigmoid t.
Proof.
move=> st; rewrite /sigmoid; have := exp_pos (- t); have := exp_pos (- s) => es et.
apply: Rinv_lt_contravar; first by apply: Rmult_lt_0_compat; lra.
by have := exp_increasing (- t) (- s); lra.
Qed.

Lemma tanh_is_sigmoid t : tanh t = 2 * sigmoid (2 * t) + - 1.
Proof.
rewrite /tanh /sinh /cosh /sigmoid; have -> : - (2 * t) = - t + - t by ring.
rewrite exp_plus exp_Ropp; have e := exp_pos t; field; split; nra.
Qed.

Lemma tanh_between t : - 1 < tanh t < 1.
Proof. rewrite tanh_is_sigmoid; have := sigmoid_between (2 * t); lra. Qed.

Lemma tanh_increasing s t : s < t -> tanh s < tanh t.
Proof. move=> st; rewrite !tanh_is_sigmoid; have := @sigmoid_increasing (2 * s) (2 * t); lra. Qed.

Lemma gates_affine u v : made_of_gates (fun t => u * t + v).
Proof. by apply: gates_plus (gates_const _); apply: gates_mult (gates_const _) gates_id. Qed.

Lemma gates_tanh f : made_of_gates f -> made_of_gates (fun t => tanh (f t)).
Proof.
move=> gf; apply: (@same made_of_gates (fun t => 2 * sigmoid (2 * f t) + - 1)) => [|t]; last by rewrite tanh_is_sigmoid.
by apply: gates_plus (gates_const _); apply: gates_mult (gates_const _) _; apply: gates_sigmoid; apply: gates_mult (gates_const _) gf.
Qed.

Section Elman.
Variables (S : eqType) (u : R) (v : S -> R) (c_0 : R).

(* c_t = tanh(u c_(t-1) + v_t). *)
Definition elman (w : seq S) : R := run (fun c x => tanh (u * c + v x)) c_0 w.

(* If u is not 0, and if reading some letter twice after some word changes the state, no automaton of any size computes an Elman network with
   one unit. *)
Theorem elman_is_no_automaton first x : u <> 0 -> elman (first ++ [:: x; x]) <> elman first -> no_automaton elman.
Proof.
move=> u0 two; set M := Rmax 1 (Rabs (elman first)).
have M1 : 1 <= M by apply: Rmax_l.
apply: (@monotone_is_no_automaton S (fun c x => tanh (u * c + v x)) c_0 first x (- M) M) => //.
- by apply/gates_tanh/gates_affine.
- by exists (fun t => 0 <= t); split; [exact: right_half_line|exists 1] => t _; have := tanh_between (u * t + v x); split_Rabs; lra.
- by move=> t _; have := tanh_between (u * t + v x); lra.
- case: (Rdichotomy _ _ u0) => sign; [right|left] => s t _ _ st; apply: tanh_increasing; nra.
- have : Rabs (elman first) <= M by apply: Rmax_r.
  by rewrite -/(elman first); split_Rabs; lra.
Qed.
End Elman.

(* t sigmoid(a t + b) is bounded where a t + b tends to minus infinity. *)
Lemma sigmoid_vanishes a b : a <> 0 -> stays_bounded (fun t => sigmoid (a * t + b) * t).
Proof.
have bound d s : 0 < d -> 0 <= s -> sigmoid (b - d * s) * s <= exp b / d.
  move=> d0 s0; have pos := exp_pos (d * s - b); have eb := exp_pos b.
  apply: (Rle_trans _ (/ exp (d * s - b) * s)).
    apply: Rmult_le_compat_r => //; rewrite /sigmoid; have -> : - (b - d * s) = d * s - b by ring.
    by apply: Rinv_le_contravar; lra.
  have -> : exp (d * s - b) = exp (d * s) * / exp b by rewrite -exp_Ropp -exp_plus; congr exp; ring.
  have big : 1 + d * s <= exp (d * s) by case: (Req_dec (d * s) 0) => [->|ne]; [rewrite exp_0; lra|have := exp_ineq1 (d * s); lra].
  have ds : 0 <= d * s by apply: Rmult_le_pos; lra.
  apply: (Rmult_le_reg_r (d * exp (d * s))); first by apply: Rmult_lt_0_compat; lra.
  have -> : / (exp (d * s) * / exp b) * s * (d * exp (d * s)) = exp b * (d * s) by field; lra.
  have -> : exp b / d * (d * exp (d * s)) = exp b * exp (d * s) by field; lra.
  by apply: Rmult_le_compat_l; lra.
move=> a0; case: (Rdichotomy _ _ a0) => sign.
  exists (fun t => 0 <= t); split; [exact: right_half_line|exists (exp b / - a) => t t0].
  have pos := sigmoid_between (a * t + b); rewrite Rabs_pos_eq; last by apply: Rmult_le_pos; lra.
  by rewrite (_ : a * t + b = b - - a * t); [apply: bound; lra|ring].
exists (fun t => t <= 0); split; [exact: left_half_line|exists (exp b / a) => t t0].
have pos := sigmoid_between (a * t + b); rewrite -Rabs_Ropp Ropp_mult_distr_r Rabs_pos_eq; last by apply: Rmult_le_pos; lra.
by rewrite (_ : a * t + b = b - a * - t); [apply: bound; lra|ring].
Qed.

(* c_t = f_t c_(t-1) + (1 - f_t) n_t with f_t = sigmoid(v c_(t-1) + w_t), where n_t may depend on c_(t-1) and is bounded. *)
Section Mixed.
Variables (S : eqType) (v : R) (w : S -> R) (n : R -> S -> R) (c_0 : R).

Definition mixed (word : seq S) : R :=
  run (fun c x => sigmoid (v * c + w x) * c + (1 - sigmoid (v * c + w x)) * n c x) c_0 word.

Lemma mixed_rcons word x : mixed (rcons word x) =
  sigmoid (v * mixed word + w x) * mixed word + (1 - sigmoid (v * mixed word + w x)) * n (mixed word) x.
Proof. exact: run_rcons. Qed.

(* If v is not 0, n_t is made of gates, and the values on one letter after some word never repeat, no automaton of any size computes the unit. *)
Theorem mixed_is_no_automaton first x K : v <> 0 -> made_of_gates (n^~ x) -> (forall t, Rabs (n t x) <= K) ->
  (forall i j, mixed (first ++ nseq i x) = mixed (first ++ nseq j x) -> i = j) -> no_automaton mixed.
Proof.
move=> v0 gates small apart; have K0 : 0 <= K by apply: Rle_trans (small 0); apply: Rabs_pos.
have inside f c b : 0 < f < 1 -> Rabs (n c x) <= K -> K <= b -> Rabs c <= b -> Rabs (f * c + (1 - f) * n c x) <= b.
  by move=> f01 nK Kb cb; apply: Rabs_le; move: nK cb; split_Rabs; split; nra.
apply: (@never_repeating_is_no_automaton S _ c_0 first x (Rmax (Rabs (mixed first)) K)) => //.
- have f : made_of_gates (fun t => sigmoid (v * t + w x)) by apply/gates_sigmoid/gates_affine.
  apply: gates_plus; first by apply: gates_mult f gates_id.
  apply: (@gates_mult (fun t => 1 - sigmoid (v * t + w x)) (n^~ x)) => //.
  apply: (@same made_of_gates (fun t => 1 + - 1 * sigmoid (v * t + w x))) => [|t]; last by ring.
  by apply: gates_plus (gates_const _) _; apply: gates_mult (gates_const _) f.
- have [P [large [M small_M]]] := sigmoid_vanishes (w x) v0; exists P; split=> //; exists (M + K) => t Pt.
  apply: Rle_trans (Rabs_triang _ _) _; apply: Rplus_le_compat; first exact: small_M.
  have := sigmoid_between (v * t + w x) => f01; rewrite Rabs_mult Rabs_pos_eq; last by lra.
  by have := small t; have := Rabs_pos (n t x); nra.
- elim=> [|m IH]; first by rewrite cats0; apply: Rmax_l.
  rewrite one_more run_rcons; apply: inside IH => //; [exact: sigmoid_between|exact: Rmax_r].
Qed.
End Mixed.

Section SRU.
Variables (S : eqType) (v : R) (w u : S -> R) (c_0 : R).

(* SRU with feedback, or an RCNN of unigrams: n_t depends on the letter only. *)
Definition gated_feedback (word : seq S) : R := mixed v w (fun _ => u) c_0 word.

(* If v is not 0, and some letter's n_t is not the state after some word, no automaton of any size computes the unit. *)
Theorem gated_feedback_is_no_automaton first x : v <> 0 -> gated_feedback first <> u x -> no_automaton gated_feedback.
Proof.
move=> v0 ne; apply: (@mixed_is_no_automaton S v w (fun _ => u) c_0 first x (Rabs (u x))) => //.
- exact: gates_const.
- by move=> _; apply: Rle_refl.
set d := fun m => gated_feedback (first ++ nseq m x) - u x.
have step m : d m.+1 = sigmoid (v * gated_feedback (first ++ nseq m x) + w x) * d m.
  by rewrite /d /gated_feedback one_more mixed_rcons; ring.
have d0 : d 0%N <> 0 by rewrite /d cats0; lra.
have dm m : d m <> 0.
  elim: m => // m IH; rewrite step; apply: Rmult_integral_contrapositive_currified => //.
  by have := sigmoid_between (v * gated_feedback (first ++ nseq m x) + w x); lra.
have smaller m k : Rabs (d (m + k.+1)%N) < Rabs (d m).
  have one i : Rabs (d i.+1) < Rabs (d i).
    have := sigmoid_between (v * gated_feedback (first ++ nseq i x) + w x); have := Rabs_pos_lt _ (dm i) => pos f01.
    by rewrite step Rabs_mult (Rabs_pos_eq (sigmoid _)); [nra|lra].
  elim: k => [|k IH]; first by rewrite addn1.
  by rewrite addnS; apply: Rlt_trans (one _) IH.
have less i j : (i < j)%N -> d i <> d j.
  by move=> ij eq; have := smaller i (j - i.+1)%N; rewrite addnS -addSn subnKC // eq; lra.
move=> i j eq; have {}eq : d i = d j by rewrite /d /gated_feedback eq.
by case: (ltngtP i j) => // ij; [case: (less _ _ ij)|case: (less _ _ ij)].
Qed.
End SRU.

Section GRU.
Variables (S : eqType) (u_r u_z u_m b_m : R) (r z n : S -> R) (h_0 : R).

(* h_t = z_t h_(t-1) + (1 - z_t) tanh(n_t + r_t (u_m h_(t-1) + b_m)). *)
Definition gru (word : seq S) : R := mixed u_z z (fun h x => tanh (n x + sigmoid (u_r * h + r x) * (u_m * h + b_m))) h_0 word.

(* If the update gate reads the state, and the values on one letter after some word never repeat, no automaton of any size computes a GRU with
   one unit. *)
Theorem gru_is_no_automaton first x : u_z <> 0 ->
  (forall i j, gru (first ++ nseq i x) = gru (first ++ nseq j x) -> i = j) -> no_automaton gru.
Proof.
move=> z0 apart; apply: mixed_is_no_automaton 1 z0 _ _ apart => [|t]; last first.
  by have := tanh_between (n x + sigmoid (u_r * t + r x) * (u_m * t + b_m)); split_Rabs; lra.
apply: gates_tanh; apply: gates_plus (gates_const _) _; apply: gates_mult (gates_affine _ _).
by apply/gates_sigmoid/gates_affine.
Qed.
End GRU.
