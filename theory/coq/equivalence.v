(* A certificate that two automata are equivalent, and one that an automaton is minimal. *)

From mathcomp Require Import all_ssreflect ssralg matrix mxalgebra.
From ratproof Require Import semiring sums automaton paths instances.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

(* A matrix X with lambda_A = lambda_B X, M_B(a) X = X M_A(a) and X rho_A = rho_B shows that A and B give every word the same score, over any
   semiring: after every word, the Forward vector of A is the Forward vector of B times X. *)
Section Certificate.
Variables (K : semiring) (S : Type) (Q P : finite) (A : wfa K S Q) (B : wfa K S P) (X : P -> Q -> K).
Hypothesis initial_X : forall q, initial A q = \sum_(p : P) initial B p * X p q.
Hypothesis transition_X : forall a p q,
  \sum_(p' : P) transition B a p p' * X p' q = \sum_(q' : Q) X p q' * transition A a q' q.
Hypothesis final_X : forall p, \sum_(q : Q) X p q * final A q = final B p.

Lemma forward_X w q : forward A w q = \sum_(p : P) forward B w p * X p q.
Proof.
elim/last_ind: w q => [|w a IH] q; first exact: initial_X.
rewrite forward_rcons (eq_sum (fun q' => congr1 (fun v => v * _) (IH q'))).
rewrite (eq_sum (fun q' => sum_times _ _)) exchange_sum.
rewrite [in RHS](eq_sum (fun p => congr1 (fun v => v * _) (forward_rcons B w a p))).
rewrite [in RHS](eq_sum (fun p => sum_times _ _)) [RHS]exchange_sum; apply: eq_sum => p.
transitivity (forward B w p * \sum_(q' : Q) X p q' * transition A a q' q).
  by rewrite times_sum; apply: eq_sum => q'; rewrite timesA.
by rewrite -transition_X times_sum; apply: eq_sum => p'; rewrite timesA.
Qed.

Theorem certificate_is_sound w : score A w = score B w.
Proof.
rewrite /score (eq_sum (fun q => congr1 (fun v => v * _) (forward_X w q))) (eq_sum (fun q => sum_times _ _)) exchange_sum.
by apply: eq_sum => p; rewrite -final_X times_sum; apply: eq_sum => q; rewrite timesA.
Qed.
End Certificate.

(* The certificate if A has epsilon transitions E, which lead only upwards in an order of N + 1 ranks: lambda_B X = lambda_A + lambda_B X E, M_B(a) X
   = X M_A(a) + M_B(a) X E and X rho_A = rho_B. *)
Section CertificateWithEpsilon.
Variables (K : semiring) (S : eqType) (Q P : finite) (A : wfa K S Q) (epsilon : Q -> Q -> K) (B : wfa K S P) (X : P -> Q -> K).
Variables (N : nat) (rank : Q -> nat).
Hypothesis most : forall q, (rank q <= N)%N.
Hypothesis upwards : forall p q, (rank q <= rank p)%N -> epsilon p q = 0.

Lemma silent_in_the_end m (y : Q -> K) q : (rank q < m)%N -> iter m (epsilon_step epsilon) y q = 0.
Proof.
elim: m q => // m IH q; rewrite ltnS iterS /epsilon_step => le_m.
rewrite -[RHS](sum0 K Q); apply: eq_sum => p.
have [/upwards ->|lt] := leqP (rank q) (rank p); first by rewrite timesw0.
by rewrite IH ?times0w // (leq_trans lt).
Qed.

Lemma eq_epsilon_step (v y : Q -> K) : v =1 y -> epsilon_step epsilon v =1 epsilon_step epsilon y.
Proof. by move=> eq q; apply: eq_sum => p; rewrite eq. Qed.

Lemma closed_and_tail m (v y : Q -> K) :
  (forall q, y q = v q + epsilon_step epsilon y q) -> forall q, y q = closed epsilon m v q + iter m.+1 (epsilon_step epsilon) y q.
Proof.
elim: m v y => [|m IH] v y solves q; first exact: solves.
rewrite {1}solves [closed _ _ _]/= -plusA iterSr -(IH (epsilon_step epsilon v) (epsilon_step epsilon y)) // => p.
by rewrite (eq_epsilon_step solves) -sumD; apply: eq_sum => r; rewrite timesDl.
Qed.

Lemma solution_is_closed (v y : Q -> K) : (forall q, y q = v q + epsilon_step epsilon y q) -> forall q, y q = closed epsilon N v q.
Proof. by move=> solves q; rewrite (closed_and_tail N solves) silent_in_the_end ?plusw0 // ltnS. Qed.

Lemma eq_closed m (v y : Q -> K) : v =1 y -> closed epsilon m v =1 closed epsilon m y.
Proof. by elim: m v y => //= m IH v y eq q; rewrite eq (IH _ _ (eq_epsilon_step eq)). Qed.

Hypothesis initial_X : forall q,
  \sum_(p : P) initial B p * X p q = initial A q + epsilon_step epsilon (fun q' => \sum_(p : P) initial B p * X p q') q.
Hypothesis transition_X : forall a p q,
  \sum_(p' : P) transition B a p p' * X p' q =
  (\sum_(q' : Q) X p q' * transition A a q' q) + epsilon_step epsilon (fun q' => \sum_(p' : P) transition B a p p' * X p' q') q.
Hypothesis final_X : forall p, \sum_(q : Q) X p q * final A q = final B p.

Lemma epsilon_forward_X w q : epsilon_forward A epsilon N w q = \sum_(p : P) forward B w p * X p q.
Proof.
elim/last_ind: w q => [|w a IH] q; first exact/esym/(solution_is_closed initial_X).
rewrite /epsilon_forward run_rcons -/(epsilon_forward A epsilon N w) /epsilon_next.
have moved q' : forward_step A (epsilon_forward A epsilon N w) a q' = \sum_(p : P) forward B w p * \sum_(r : Q) X p r * transition A a r q'.
  rewrite /forward_step (eq_sum (fun r => congr1 (fun v => v * _) (IH r))) (eq_sum (fun r => sum_times _ _)) exchange_sum.
  by apply: eq_sum => p; rewrite times_sum; apply: eq_sum => r; rewrite timesA.
have stepped q' : \sum_(p' : P) forward B (rcons w a) p' * X p' q' = \sum_(p : P) forward B w p * \sum_(p' : P) transition B a p p' * X p' q'.
  rewrite (eq_sum (fun p' => congr1 (fun v => v * _) (forward_rcons B w a p'))) (eq_sum (fun p' => sum_times _ _)) exchange_sum.
  by apply: eq_sum => p; rewrite times_sum; apply: eq_sum => p'; rewrite timesA.
rewrite (eq_closed _ moved); apply/esym; apply: (solution_is_closed (y := fun q' => \sum_(p : P) forward B (rcons w a) p * X p q')) => {}q; rewrite stepped.
rewrite (eq_sum (fun p => congr1 (fun v => _ * v) (transition_X a p q))) (eq_sum (fun p => timesDr _ _ _)) sumD; congr (_ + _).
rewrite [in RHS]/epsilon_step (eq_sum (fun q' => congr1 (fun v => v * _) (stepped q'))) [in RHS](eq_sum (fun q' => sum_times _ _)).
rewrite [RHS]exchange_sum; apply: eq_sum => p; rewrite /epsilon_step times_sum.
by apply: eq_sum => q'; rewrite timesA.
Qed.

Theorem certificate_with_epsilon_is_sound w : score B w = epsilon_score A epsilon N w.
Proof.
rewrite /epsilon_score (eq_sum (fun q => congr1 (fun v => v * _) (epsilon_forward_X w q))) (eq_sum (fun q => sum_times _ _)) exchange_sum.
by apply: eq_sum => p; rewrite -final_X times_sum; apply: eq_sum => q; rewrite timesA.
Qed.
End CertificateWithEpsilon.

(* The Hankel matrix of a function has the value of the word uv in the row of u and the column of v. If a block with n rows and n columns,
   over a field, is regular, no automaton with fewer than n states computes the function. *)
Section Minimality.
Variables (F : fieldType) (S : Type) (Q : finite) (A : wfa (of_ring F) S Q) (n : nat) (rows columns : 'I_n -> seq S).

Definition hankel (value : seq S -> F) : 'M[F]_n := (\matrix_(i < n, j < n) value (rows i ++ columns j))%R.

Definition starting (p : Q) : Q -> of_ring F := fun q => if p == q then 1 else 0.
Definition reading (v : Q -> of_ring F) (w : seq S) : Q -> of_ring F := run (forward_step A) v w.

Lemma reading_adds (v : Q -> of_ring F) w q :
  reading v w q = \sum_(p : Q) v p * reading (starting p) w q.
Proof.
elim/last_ind: w q => [|w a IH] q.
  rewrite /reading /= (sum_at (p := q)) /starting => [|p /negbTE ->]; last exact: GRing.mulr0.
  by rewrite eqxx GRing.mulr1.
rewrite /reading run_rcons [LHS]/forward_step -/(reading v w).
rewrite (eq_sum (fun p => congr1 (fun u => u * _) (IH p))) (eq_sum (fun p => sum_times _ _)) exchange_sum.
apply: eq_sum => p; rewrite run_rcons [in RHS]/forward_step times_sum; apply: eq_sum => p'.
by rewrite -timesA.
Qed.

Lemma score_cat u w : score A (u ++ w) = \sum_(p : Q) forward A u p * score (Wfa (starting p) (transition A) (final A)) w.
Proof.
rewrite /score /forward /run foldl_cat -/(run _ _ u) -/(forward A u).
rewrite (eq_sum (fun q => congr1 (fun v => v * _) (reading_adds _ w q))) (eq_sum (fun q => sum_times _ _)) exchange_sum.
by apply: eq_sum => p; rewrite times_sum; apply: eq_sum => q; rewrite timesA.
Qed.

Theorem hankel_rank : (\rank (hankel (score A)) <= card Q)%N.
Proof.
pose state (i : 'I_(card Q)) : Q := tnth (in_tuple (elements Q)) i.
pose past : 'M[F]_(n, card Q) := (\matrix_(i, k) forward A (rows i) (state k))%R.
pose future : 'M[F]_(card Q, n) := (\matrix_(k, j) score (Wfa (starting (state k)) (transition A) (final A)) (columns j))%R.
suff -> : hankel (score A) = (past *m future)%R by apply: leq_trans (mxrankM_maxr _ _) (rank_leq_row _).
apply/matrixP => i j; rewrite !mxE.
rewrite score_cat sumE (big_tnth _ _ (elements Q)); apply: eq_bigr => k _.
by rewrite !mxE.
Qed.

(* If a block of n rows and columns is regular, the automaton has at least n states. *)
Theorem minimal : hankel (score A) \in unitmx -> (n <= card Q)%N.
Proof. by rewrite -row_free_unit -row_leq_rank => full; apply: leq_trans full hankel_rank. Qed.
End Minimality.
