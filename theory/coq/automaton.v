(* Weighted automata, the Forward algorithm, networks, and the induction which shows that an automaton computes a network. *)

From mathcomp Require Import all_ssreflect.
From ratproof Require Import semiring sums.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

(* Definition 1 (Peng et al. 2018): states Q, symbols S, initial weights lambda, transition weights tau, final weights rho. Without
   epsilon; with it, see paths.v. *)
Record wfa (K : semiring) (S : Type) (Q : finite) := Wfa {
  initial : Q -> K;
  transition : S -> Q -> Q -> K;
  final : Q -> K
}.

(* The state of a recurrence with states C after a word, which is read symbol by symbol. *)
Definition run (S C : Type) (next : C -> S -> C) (start : C) (w : seq S) : C := foldl next start w.

Lemma run_rcons S C (next : C -> S -> C) start w x : run next start (rcons w x) = next (run next start w) x.
Proof. by rewrite /run foldl_rcons. Qed.

Section Forward.
Variables (K : semiring) (S : Type) (Q : finite) (A : wfa K S Q).

(* Equation 3b (with x_{i+1}). *)
Definition forward_step (omega : Q -> K) (x : S) : Q -> K :=
  fun q => \sum_(p : Q) omega p * transition A x p q.

(* Equations 3a and 3b. *)
Definition forward (w : seq S) : Q -> K := run forward_step (initial A) w.

(* Equation 3c. *)
Definition score (w : seq S) : K := \sum_(q : Q) forward w q * final A q.

Lemma forward_rcons w x q : forward (rcons w x) q = \sum_(p : Q) forward w p * transition A x p q.
Proof. by rewrite /forward run_rcons. Qed.

(* The induction that proves every claim. If the Forward vector is inv of the network's state before the first symbol, and each symbol preserves
   this, then it is so after every word. If the read-out of inv is also the network's output, the network equals the automaton. *)
Section Invariant.
Variables (C : Type) (next : C -> S -> C) (start : C) (reached : C -> Prop) (inv : C -> Q -> K).
Hypothesis first : reached start.
Hypothesis on : forall c x, reached c -> reached (next c x).
Hypothesis base : forall q, initial A q = inv start q.
Hypothesis step : forall c x q, reached c -> \sum_(p : Q) inv c p * transition A x p q = inv (next c x) q.

Lemma is_reached w : reached (run next start w).
Proof. by elim/last_ind: w => // w x IH; rewrite run_rcons; apply: on. Qed.

Lemma forward_is_inv w q : forward w q = inv (run next start w) q.
Proof.
elim/last_ind: w q => [|w x IH] q; first exact: base.
rewrite forward_rcons run_rcons -step; last exact: is_reached.
by apply: eq_sum => p; rewrite IH.
Qed.

Lemma score_is_inv_reached w : score w = \sum_(q : Q) inv (run next start w) q * final A q.
Proof. by apply: eq_sum => q; rewrite forward_is_inv. Qed.
End Invariant.

(* The induction if the step preserves the invariant for all states of the network, not only for those that are reached. *)
Lemma score_is_inv C (next : C -> S -> C) start (inv : C -> Q -> K) :
  (forall q, initial A q = inv start q) ->
  (forall c x q, \sum_(p : Q) inv c p * transition A x p q = inv (next c x) q) ->
  forall w, score w = \sum_(q : Q) inv (run next start w) q * final A q.
Proof. by move=> base step w; apply: (score_is_inv_reached (reached := fun=> True)). Qed.
End Forward.

(* An automaton from lists: its vectors and matrices are lists, which are continued with 0. *)
Definition entry (K : semiring) (v : seq K) (i : nat) : K := nth 0 v i.
Definition entries (K : semiring) (m : seq (seq K)) (i j : nat) : K := entry (nth [::] m i) j.
Definition of_lists (K : semiring) (S : Type) n (initial : seq K) (matrix : S -> seq (seq K)) (final : seq K) : wfa K S (place n) :=
  @Wfa K S (place n) (fun q : 'I_n => entry initial q) (fun x (p q : 'I_n) => entries (matrix x) p q) (fun q : 'I_n => entry final q).

(* Write out the sums over the states of a concrete automaton, and remove zeros and ones. *)
Ltac written_out :=
  rewrite ?(sum_place, sum_no_place, sum_option, sum_sum) /entries /entry /= ?(timesw0, times0w, times1w, timesw1, plus0w, plusw0).

(* The score of a concrete word is computed. *)
Ltac evaluated := rewrite /score /forward /run /= /forward_step; written_out.
