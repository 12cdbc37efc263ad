(* Executable scores: Forward on lists, so each number is computed once. *)

From mathcomp Require Import all_ssreflect.
From ratproof Require Import semiring sums automaton paths.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Section Evaluation.
Variables (K : semiring) (S : Type) (Q : finite) (A : wfa K S Q).

Definition tabulated (F : Q -> K) : seq K := map F (elements Q).
Definition looked_up (v : seq K) (q : Q) : K := nth 0 v (index q (elements Q)).
Definition computed_next (v : seq K) (x : S) : seq K := tabulated (forward_step A (looked_up v) x).
Definition computed_score (w : seq S) : K :=
  \sum_(q : Q) looked_up (run computed_next (tabulated (initial A)) w) q * final A q.

Lemma looked_up_tabulated F q : looked_up (tabulated F) q = F q.
Proof. by rewrite /looked_up /tabulated (nth_map q) ?nth_index ?index_mem ?in_elements. Qed.

(* The computed score is the score. *)
Theorem computed_score_is_score w : computed_score w = score A w.
Proof.
apply: eq_sum => q; congr (_ * _); elim/last_ind: w q => [|w x IH] q; first by rewrite looked_up_tabulated.
rewrite run_rcons /computed_next looked_up_tabulated forward_rcons.
by apply: eq_sum => p; rewrite IH.
Qed.
End Evaluation.

(* Executable scores with at most N consecutive epsilon transitions. *)
Section EvaluationWithEpsilon.
Variables (K : semiring) (S : eqType) (Q : finite) (A : wfa K S Q) (epsilon : Q -> Q -> K) (N : nat).

Fixpoint computed_closed m (v : seq K) : seq K :=
  if m is m'.+1 then
    let after := computed_closed m' (tabulated (epsilon_step epsilon (looked_up v))) in tabulated (fun q : Q => looked_up v q + looked_up after q)
  else v.
Definition computed_epsilon_next (v : seq K) (x : S) : seq K := computed_closed N (computed_next A v x).
Definition computed_epsilon_score (w : seq S) : K :=
  \sum_(q : Q) looked_up (run computed_epsilon_next (computed_closed N (tabulated (initial A))) w) q * final A q.

Lemma looked_up_closed m v F : looked_up v =1 F -> looked_up (computed_closed m v) =1 closed epsilon m F.
Proof.
elim: m v F => //= m IH v F eq q; rewrite looked_up_tabulated eq; congr (_ + _); apply: IH => p.
by rewrite looked_up_tabulated; apply: eq_sum => r; rewrite eq.
Qed.

(* The computed score with epsilon transitions is the score. *)
Theorem computed_epsilon_score_is_score w : computed_epsilon_score w = epsilon_score A epsilon N w.
Proof.
apply: eq_sum => q; congr (_ * _); elim/last_ind: w q => [|w x IH]; first by apply: looked_up_closed; apply: looked_up_tabulated.
rewrite /epsilon_forward !run_rcons; apply: looked_up_closed => {}q.
by rewrite looked_up_tabulated; apply: eq_sum => p; rewrite IH.
Qed.
End EvaluationWithEpsilon.

(* The entry of a list at the letter x, of a vector at a place, and of a matrix at two. *)
Definition by_letter (T : Type) (default : T) (values : seq T) (x : nat) : T := nth default values x.
Definition by_place (K : semiring) n (values : seq K) (i : 'I_n) : K := entry values i.
Definition by_places (K : semiring) n m (values : seq (seq K)) (i : 'I_n) (j : 'I_m) : K := entries values i j.
