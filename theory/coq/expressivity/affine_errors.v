(* Affine networks transport errors along the directions that separate their states, as the automaton transports the states (Chung et al. 2026). *)

From mathcomp Require Import all_ssreflect ssralg matrix.
Import GRing.Theory.
From ratproof Require Import semiring sums automaton.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Section Affine.
Variables (K : semiring) (S : Type) (D Q : finite) (A : S -> D -> D -> K) (b : S -> D -> K) (vector : Q -> D -> K) (delta : S -> Q -> Q).
Variables (a : Q -> K) (omega : D -> K).

(* h_t = h_{t-1} A(x_t) + b(x_t). The network starts in the combination of the states' vectors with the weights a. *)
Definition affine_next (h : D -> K) (x : S) (j : D) : K := \sum_(i : D) h i * A x i j + b x j.
Definition combination (j : D) : K := \sum_(q : Q) a q * vector q j.
Definition affine_score (w : seq S) : K := \sum_(j : D) run affine_next combination w j * omega j.

(* The automaton that starts in each state with this state's weight in the combination. *)
Definition transported : wfa K S Q :=
  Wfa a (fun x q q' => if q' == delta x q then 1 else 0) (fun q => \sum_(j : D) vector q j * omega j).

Hypotheses (total : \sum_(q : Q) a q = 1) (preserved : forall x q j, affine_next (vector q) x j = vector (delta x q) j).

Lemma transported_step w x (F : Q -> K) : \sum_(q : Q) forward transported (rcons w x) q * F q = \sum_(q : Q) forward transported w q * F (delta x q).
Proof.
under eq_sum do rewrite forward_rcons sum_times.
rewrite exchange_sum; apply: eq_sum => q; rewrite (sum_at (p := delta x q)) => [|q' /negbTE ne] /=; last by rewrite ne timesw0 times0w.
by rewrite eqxx timesw1.
Qed.

Lemma transported_total w : \sum_(q : Q) forward transported w q = 1.
Proof.
elim/last_ind: w => [|w x IH] //; have := transported_step w x (fun=> 1).
by rewrite (eq_sum (G := forward transported (rcons w x))) => [->|q]; rewrite ?timesw1 // -[RHS]IH; apply: eq_sum => q; rewrite timesw1.
Qed.

Lemma transported_vector w j : run affine_next combination w j = \sum_(q : Q) forward transported w q * vector q j.
Proof.
elim/last_ind: w j => [|w x IH] j //; rewrite run_rcons transported_step /affine_next.
transitivity (\sum_(q : Q) (forward transported w q * (\sum_(i : D) vector q i * A x i j) + forward transported w q * b x j)); last first.
  by apply: eq_sum => q; rewrite -timesDr -preserved.
rewrite sumD -sum_times transported_total times1w; congr (_ + _).
under eq_sum do rewrite IH sum_times.
by rewrite exchange_sum; apply: eq_sum => q; rewrite times_sum; apply: eq_sum => i; rewrite timesA.
Qed.

(* In every semiring, a network that maps the states' vectors as the automaton maps the states also maps every combination of these vectors to the
   same combination of the next states' vectors. *)
Theorem affine_errors w : score transported w = affine_score w.
Proof.
rewrite /affine_score; under [RHS]eq_sum do rewrite transported_vector sum_times.
by rewrite exchange_sum; apply: eq_sum => q; rewrite times_sum; apply: eq_sum => j; rewrite timesA.
Qed.
End Affine.

(* A word that maps every state to itself maps every combination of the states' vectors to itself, however often it is read. *)
Theorem affine_errors_return (K : semiring) (S : Type) (D Q : finite) (A : S -> D -> D -> K) (b : S -> D -> K) (vector : Q -> D -> K)
    (delta : S -> Q -> Q) (a : Q -> K) u n j :
  \sum_(q : Q) a q = 1 -> (forall x q j, affine_next A b (vector q) x j = vector (delta x q) j) ->
  (forall q, run (fun q x => delta x q) q u = q) -> run (affine_next A b) (combination vector a) (flatten (nseq n u)) j = combination vector a j.
Proof.
move=> total preserved returns; rewrite (transported_vector (fun=> 0) total preserved) /combination.
set A' := transported _ _ _ _.
have moved w (F : Q -> K) : \sum_(q : Q) forward A' w q * F q = \sum_(q : Q) a q * F (run (fun q x => delta x q) q w).
  by elim/last_ind: w F => [|w x IH] F //; rewrite transported_step (IH (fun q => F (delta x q))); apply: eq_sum => q; rewrite run_rcons.
rewrite moved; apply: eq_sum => q; congr (_ * vector _ j).
by elim: n => //= n IH; rewrite /run foldl_cat -/(run _ _ u) returns.
Qed.


(* Over every ring, and from every vector h: an error along differences of the states' vectors becomes the same combination of differences. *)
Section Differences.
Variables (R : ringType) (S : Type) (k : nat) (A : S -> 'M[R]_k) (b : S -> 'rV[R]_k) (Q : Type) (vector : Q -> 'rV[R]_k) (delta : S -> Q -> Q).
Local Open Scope ring_scope.
Definition next_row (h : 'rV[R]_k) (x : S) : 'rV[R]_k := h *m A x + b x.
Definition next_of (q : Q) (x : S) : Q := delta x q.
Hypothesis preserved : forall x q, next_row (vector q) x = vector (delta x q).

Definition error (c : seq (R * (Q * Q))) : 'rV[R]_k := \sum_(t <- c) t.1 *: (vector t.2.1 - vector t.2.2).

Theorem affine_errors_differences h c w :
  run next_row (h + error c) w = run next_row h w + error [seq (t.1, (run next_of t.2.1 w, run next_of t.2.2 w)) | t <- c].
Proof.
elim: w h c => [|x w IH] h c; first by congr (_ + _); rewrite /error big_map.
rewrite /run /= -!/(run _ _ _).
have -> : next_row (h + error c) x = next_row h x + error [seq (t.1, (delta x t.2.1, delta x t.2.2)) | t <- c].
  rewrite /next_row mulmxDl addrAC; congr (_ + _); rewrite /error big_map mulmx_suml; apply: eq_bigr => t _ /=.
  by rewrite -scalemxAl mulmxBl -!preserved /next_row opprD addrACA subrr addr0.
by rewrite IH -map_comp.
Qed.
End Differences.
