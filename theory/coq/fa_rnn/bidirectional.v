(* The bidirectional network (Jiang et al. 2020, section 3.4): the mean of the rules' scores in both directions. *)

From mathcomp Require Import all_ssreflect all_algebra.
From ratproof Require Import semiring sums automaton paths instances deterministic evaluation.
From ratproof.fa_rnn.shared Require Import accepting_paths matches.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Definition mean (K : semiring) (half a b : K) : K := half * (a + b).

Section Rules.
Variables (K : semiring) (half : K) (S : eqType) (Q : finite) (begins accepts : Q -> bool) (moves : S -> Q -> Q -> bool).
Hypothesis two_halves : half + half = 1.

(* The reversed rule. *)
Definition backwards (x : S) (p q : Q) : bool := moves x q p.

Lemma matched_backwards w : matched accepts begins backwards (rev w) = matched begins accepts moves w.
Proof. by rewrite /matched -!boolean_score_is_match; apply: (score_turned (weighted begins accepts moves booleans) w booleans_commute). Qed.

(* Let A be the deterministic automaton of the rule, and B that of the reversed rule. The mean of A(w) and B(rev w) is 1 if w matches, else 0. *)
Theorem bidirectional w :
  mean half (score (on_sets begins accepts moves K) w) (score (on_sets accepts begins backwards K) (rev w)) = bit K (matched begins accepts moves w).
Proof.
rewrite !on_sets_is_match matched_backwards /mean timesDr; case: (matched _ _ _ w) => /=; first by rewrite !timesw1.
by rewrite !timesw0 plusw0.
Qed.
End Rules.

(* Section 3.5 adds a start state s_0 (None), from which only BOS (None) leads to the automaton's initial states. *)
Section StartState.
Variables (K : semiring) (S : Type) (Q : finite) (A : wfa K S Q).
Definition with_start_state : wfa K (option S) (option_finite Q) := @Wfa K (option S) (option_finite Q)
  (fun q => if q is None then 1 else 0)
  (fun x p q => match x, p, q with
                | None, None, Some q' => initial A q'
                | Some x', Some p', Some q' => transition A x' p' q'
                | _, _, _ => 0
                end)
  (fun q => if q is Some q' then final A q' else 0).

(* A sentence begins with BOS. *)
Definition with_bos (w : seq S) : seq (option S) := None :: map Some w.

Lemma score_with_bos w : score with_start_state (with_bos w) = score A w.
Proof.
have forward_with_bos q : forward with_start_state (with_bos w) q = if q is Some q' then forward A w q' else 0.
  elim/last_ind: w q => [|w x IH] q; first by rewrite /with_bos /forward /run /= /forward_step sum_option times1w; case: q => [q|] /=;
    rewrite (eq_sum (fun p => times0w _)) sum0 plusw0.
  rewrite /with_bos map_rcons -rcons_cons -/(with_bos w) forward_rcons sum_option IH times0w plus0w.
  case: q => [q|]; first by rewrite forward_rcons; apply: eq_sum => p; rewrite IH.
  by rewrite -[RHS](sum0 K Q); apply: eq_sum => p; rewrite timesw0.
by rewrite /score sum_option forward_with_bos times0w plus0w; apply: eq_sum => q; rewrite forward_with_bos.
Qed.

Lemma score_without_bos_first x v : score with_start_state (Some x :: v) = 0.
Proof.
have nowhere q : forward with_start_state (Some x :: v) q = 0.
  elim/last_ind: v q => [|v y IH] q; last by rewrite -rcons_cons forward_rcons -[RHS](sum0 K (option_finite Q)); apply: eq_sum => p; rewrite IH times0w.
  rewrite /forward /run /= /forward_step sum_option (eq_sum (fun p => times0w _)) sum0 plusw0.
  by case: q => [q|]; rewrite timesw0.
by rewrite /score -[RHS](sum0 K (option_finite Q)); apply: eq_sum => q; rewrite nowhere times0w.
Qed.
End StartState.

(* Sentences begin with BOS, the only symbol that leaves the start state. If both directions read BOS first, the mean is 1 on matches and 0
   otherwise. *)
Theorem bidirectional_bos (K : semiring) (half : K) (S : eqType) (Q : finite) (begins accepts : Q -> bool) (moves : S -> Q -> Q -> bool) w :
  half + half = 1 ->
  mean half (score (with_start_state (on_sets begins accepts moves K)) (with_bos w))
    (score (with_start_state (on_sets accepts begins (backwards moves) K)) (with_bos (rev w))) = bit K (matched begins accepts moves w).
Proof. by move=> two_halves; rewrite !score_with_bos bidirectional. Qed.

(* If the backward direction reads the reversed sentence, with BOS last, its score is 0 for every sentence that has a word, and the mean is one
   half if the word of one symbol matches. *)
Theorem printed_bos_is_refuted (R : ringType) (half : R) : (half + half)%R = 1%R ->
  (forall (S : eqType) (Q : finite) (A : wfa (of_ring R) S Q) w, w <> [::] -> score (with_start_state A) (rev (with_bos w)) = 0) /\
  ~ (forall (S : eqType) (Q : finite) (begins accepts : Q -> bool) (moves : S -> Q -> Q -> bool) w,
     mean (half : of_ring R) (score (with_start_state (on_sets begins accepts moves (of_ring R))) (with_bos w))
       (score (with_start_state (on_sets accepts begins (backwards moves) (of_ring R))) (rev (with_bos w))) = bit _ (matched begins accepts moves w)).
Proof.
move=> two_halves; have none (S : eqType) (Q : finite) (A : wfa (of_ring R) S Q) w : w <> [::] -> score (with_start_state A) (rev (with_bos w)) = 0.
  case/lastP: w => // w x _; rewrite /with_bos rev_cons map_rcons rev_rcons rcons_cons; exact: score_without_bos_first.
split=> // all; have := all unit_eqType (place 1) xpredT xpredT (fun _ _ => xpredT) [:: tt].
rewrite none // score_with_bos on_sets_is_match.
have -> : matched (Q := place 1) xpredT xpredT (fun _ : unit => fun _ => xpredT) [:: tt] by vm_compute.
rewrite /mean /= GRing.addr0 GRing.mulr1 => half_is_1; move: two_halves => /eqP; rewrite half_is_1.
by rewrite -[X in _ == X]GRing.addr0 (inj_eq (GRing.addrI _)) GRing.oner_eq0.
Qed.

(* If one of the automata counts paths, the mean is one and a half on a word of one symbol that has two paths. *)
Theorem without_deterministic_is_refuted (R : ringType) (half : R) : (half + half)%R = 1%R ->
  ~ (forall (S : eqType) (Q : finite) (begins accepts : Q -> bool) (moves : S -> Q -> Q -> bool) w,
     mean (half : of_ring R) (score (weighted begins accepts moves (of_ring R)) w) (score (on_sets accepts begins (backwards moves) (of_ring R)) (rev w)) =
     bit _ (matched begins accepts moves w)).
Proof.
pose first (q : 'I_2) := q == ord0; pose moves (_ : unit) (p _ : 'I_2) := first p.
move=> two_halves all; have := all unit_eqType (place 2) first xpredT moves [:: tt].
rewrite score_counts_paths_in_rings on_sets_is_match matched_backwards.
have -> : size (accepting_paths first xpredT moves [:: tt] : seq (seq 'I_2)) = 2 by vm_compute.
have -> : matched first xpredT moves [:: tt] by vm_compute.
rewrite -[RHS]GRing.addr0 /mean /= [(half * _)%R]GRing.mulrDr GRing.mulrDr GRing.mulr1 two_halves => /GRing.addrI eq.
by move: two_halves => /eqP; rewrite eq GRing.add0r eq_sym GRing.oner_eq0.
Qed.

(* The mean of both vectors, zero-padded to equal length, times the first automaton's final weights. *)
Definition mean_of_vectors (K : semiring) (half : K) (S : Type) n m (A : wfa K S (place n)) (B : wfa K S (place m)) (w : seq S) : K :=
  \sum_(i : place (maxn n m)) mean half (entry (tabulated (forward A w)) i) (entry (tabulated (forward B (rev w))) i) * entry (tabulated (final A)) i.

(* As printed, for deterministic automata of a rule and of the reversed rule. If the rule matches b a a ... and the empty sentence, the first
   automaton has two states and the second three. After a, which does not match, the mean is one half. *)
Theorem printed_is_refuted (K : semiring) (half : K) : 1 <> 0 :> K -> half + half = 1 ->
  ~ (forall (S : Type) n m (start : 'I_n) (start' : 'I_m) next next' accept accept',
     let A := partial K (D := place n) start next accept in let B := partial K (D := place m) start' next' accept' in
     (forall w : seq S, score B (rev w) = score A w) -> forall w, mean_of_vectors half A B w = score A w).
Proof.
move=> nontrivial two_halves all; apply: nontrivial.
pose one := lift ord0 ord0 : 'I_2; pose second := lift ord0 ord0 : 'I_3; pose third := lift ord0 (lift ord0 ord0) : 'I_3.
(* b is true, and a is false *)
pose next (q : 'I_2) (b : bool) := if (q == ord0) == b then Some one else None.
pose next' (q : 'I_3) (b : bool) := if q == third then None else Some (if b then third else second).
have same (w : seq bool) : score (partial K (D := place 3) ord0 next' (fun q => q != second)) (rev w) =
    score (partial K (D := place 2) ord0 next xpredT) w.
  rewrite !partial_score; congr (bit K _).
  pose from_first (d : option 'I_3) := if d is Some d' then d' != second else false; pose from_one (d : option 'I_3) := if d is Some d' then d' != third else false.
  pose ends (d : option 'I_2) := if d is Some _ then true else false.
  have step d b : from_first (go_on next' d b) = b && from_one d /\ from_one (go_on next' d b) = ~~ b && from_one d.
    by case: d => [[[|[|[|]]]]|] //; case: b.
  have lost (v : seq bool) : ends (run (go_on next) None v) = false by elim: v.
  suff [] : from_first (run (go_on next') (Some ord0) (rev w)) = ends (run (go_on next) (Some ord0) w) /\
            from_one (run (go_on next') (Some ord0) (rev w)) = ends (run (go_on next) (Some one) w) by [].
  elim: w => [|b w [_ IH]] //; rewrite rev_cons run_rcons !(step _ b).1 (step _ b).2 IH.
  by case: b; rewrite /run /= /next /= -/(run (go_on next) None w) ?lost.
have := all bool 2 3 ord0 ord0 next next' xpredT (fun q => q != second) same [:: false].
rewrite /mean_of_vectors partial_score /=; written_out; rewrite /mean; evaluated.
by move=> eq; rewrite -two_halves eq plus0w.
Qed.
