(* Linear second-order networks are weighted automata (Rabusseau et al. 2019), and a function whose Hankel matrix has finite rank is the score of the
   automaton that its values give (Carlyle and Paz 1971, Fliess 1974). *)

From mathcomp Require Import all_ssreflect ssralg matrix mxalgebra.
From ratproof Require Import semiring sums automaton instances equivalence.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Section SecondOrder.
Variables (K : semiring) (S : Type) (Q D : finite) (h_0 omega : Q -> K) (A : Q -> D -> Q -> K) (v : S -> D -> K).

(* Component j of h_t is the sum over i and s of h_{t-1}[i] A[i, s, j] v_t[s]; the score is h_N omega. *)
Definition next_second (h : Q -> K) (x : S) (j : Q) : K := \sum_(i : Q) \sum_(s : D) h i * (A i s j * v x s).
Definition score_second (w : seq S) : K := \sum_(i : Q) run next_second h_0 w i * omega i.

(* The automaton whose matrix of a symbol is the tensor times the symbol's vector. *)
Definition contracted (x : S) (i j : Q) : K := \sum_(s : D) A i s j * v x s.
Definition of_tensor : wfa K S Q := Wfa h_0 contracted omega.

(* The network and the automaton are equal for any number of units and any input vectors, in every semiring. *)
Theorem second_order w : score of_tensor w = score_second w.
Proof.
rewrite (score_is_inv (next := next_second) (start := h_0) (inv := fun h => h)) // => h x j.
by apply: eq_sum => i; rewrite times_sum.
Qed.
End SecondOrder.

(* A first-order linear network h_t = h_{t-1} W + b(x_t): its matrix is the same for all symbols. *)
Section FirstOrder.
Variables (R : comRingType) (S : Type) (n : nat) (h_0 : 'rV[R]_n) (W : 'M[R]_n) (b : S -> 'rV[R]_n) (omega : 'cV[R]_n).
Local Open Scope ring_scope.

Definition state_first (w : seq S) : 'rV[R]_n := foldl (fun h x => h *m W + b x) h_0 w.
Definition score_first (w : seq S) : R := (state_first w *m omega) ord0 ord0.

(* The contribution of the last symbol does not depend on the symbols before it. *)
Lemma last_symbols u x y : state_first (rcons u x) - state_first (rcons u y) = b x - b y.
Proof. by rewrite /state_first -!cats1 !foldl_cat /= GRing.opprD GRing.addrACA GRing.subrr GRing.add0r. Qed.
End FirstOrder.

(* The automaton with the weight -1 of a and 1 of b: its score is (-1)^(number of a). *)
Definition sign (R : comRingType) : wfa (of_ring R) bool (place 1) :=
  Wfa (K := of_ring R) (Q := place 1) (fun=> GRing.one R) (fun x _ _ => if x then GRing.opp (GRing.one R) else GRing.one R) (fun=> GRing.one R).

(* No first-order linear network of any size computes it: s(a) - s(b) = -2, but s(aa) - s(ab) = 2. *)
Theorem without_second_order_is_refuted (R : comRingType) :
  (4%:R != 0 :> R)%R -> forall n (h_0 : 'rV[R]_n) W (b : bool -> 'rV[R]_n) (omega : 'cV[R]_n),
  ~ (forall w, score (sign R) w = score_first h_0 W b omega w).
Proof.
move=> four n h_0 W b omega same; apply: (negP four).
have last u : (score_first h_0 W b omega (rcons u true) - score_first h_0 W b omega (rcons u false) =
    ((b true - b false) *m omega) ord0 ord0)%R.
  by rewrite -(last_symbols h_0 W b u) mulmxBl [RHS]mxE [X in _ = (_ + X)%R]mxE.
move: (last [::]) (last [:: true]); rewrite /rcons -!same => <-.
rewrite /score !sum_place !sum_no_place /forward /run /= /forward_step !sum_place !sum_no_place /=.
rewrite /plus /times /zero /= !(GRing.addr0, GRing.mulr1, GRing.mul1r, GRing.mulN1r, GRing.opprK).
by move=> two; rewrite (GRing.natrD R 2 2) -[X in (X + _)%R]/(1 + 1)%R two -GRing.opprD GRing.addNr.
Qed.

(* Let f be any function of words, with a block f(p_i s_j). The coordinates of a word u are the row f(u s_j) times the inverse of the block. *)
Section Spectral.
Variables (F : fieldType) (S : Type) (f : seq S -> F) (n : nat) (rows columns : 'I_n -> seq S).
Local Open Scope ring_scope.

Definition block : 'M[F]_n := hankel rows columns f.
Definition row_of (u : seq S) : 'rV[F]_n := \row_j f (u ++ columns j).
Definition coordinates (u : seq S) : 'rV[F]_n := row_of u *m invmx block.
Definition spectral : wfa (of_ring F) S (place n) :=
  Wfa (K := of_ring F) (Q := place n) (fun i : 'I_n => coordinates [::] ord0 i) (fun x (i j : 'I_n) => coordinates (rcons (rows i) x) ord0 j)
    (fun i : 'I_n => f (rows i)).

Lemma sum_ord m (G : 'I_m -> F) : sum (K := of_ring F) (Q := place m) G = \sum_(i < m) G i.
Proof. by elim: m G => [|m IH] G; rewrite ?sum_no_place ?big_ord0 // sum_place IH big_ord_recl. Qed.

(* If the rows of the prefixes p_i span all rows of f's Hankel matrix, f is the score of the automaton of the coordinates. *)
Theorem second_order_from_values :
  (forall u v, f (u ++ v) = \sum_(i < n) coordinates u ord0 i * f (rows i ++ v)) -> forall w, score spectral w = f w.
Proof.
move=> spans w.
rewrite (score_is_inv (K := of_ring F) (A := spectral) (next := @rcons S) (start := [::]) (inv := fun u (i : 'I_n) => coordinates u ord0 i)) //.
  have -> : run (@rcons S) [::] w = w by elim/last_ind: w => // w x IH; rewrite run_rcons IH.
  by rewrite sum_ord -[in RHS](cats0 w) spans; apply: eq_bigr => i _; rewrite cats0.
move=> u x j; rewrite sum_ord [coordinates (rcons u x)]/coordinates.
have -> : row_of (rcons u x) = \sum_(i < n) coordinates u ord0 i *: row_of (rcons (rows i) x).
  apply/rowP => k; rewrite !mxE summxE -cats1 -catA spans; apply: eq_bigr => i _.
  by rewrite !mxE -cats1 -catA.
by rewrite mulmx_suml summxE; apply: eq_bigr => i _; rewrite -scalemxAl [in RHS]mxE.
Qed.

(* The coordinates exist if f is the score of an automaton with n states and the block is regular, so n states suffice. *)
End Spectral.

Section Minimal.
Variables (F : fieldType) (S : Type) (Q : finite) (A : wfa (of_ring F) S Q).
Let n := card Q.
Variables rows columns : 'I_n -> seq S.
Local Open Scope ring_scope.
Let state (i : 'I_n) : Q := tnth (in_tuple (elements Q)) i.
Let after (u : seq S) : 'rV[F]_n := \row_k forward A u (state k).
Let from_here (v : seq S) : 'cV[F]_n := \col_k score (Wfa (@starting F Q (state k)) (transition A) (final A)) v.

Lemma score_is_product u v : score A (u ++ v) = (after u *m from_here v) ord0 ord0.
Proof. by rewrite score_cat sumE (big_tnth _ _ (elements Q)) mxE; apply: eq_bigr => k _; rewrite !mxE. Qed.

Theorem spectral_of_minimal :
  block (score A) rows columns \in unitmx -> forall w, score (spectral (score A) rows columns) w = score A w.
Proof.
pose P : 'M[F]_n := \matrix_(i, k) after (rows i) ord0 k; pose C : 'M[F]_n := \matrix_(k, j) from_here (columns j) k ord0.
have is_product : block (score A) rows columns = P *m C.
  by apply/matrixP => i j; rewrite !mxE score_is_product mxE; apply: eq_bigr => k _; rewrite !mxE.
move=> regular; apply: second_order_from_values => u v.
have [regular_P regular_C] : P \in unitmx /\ C \in unitmx by move: regular; rewrite is_product unitmx_mul => /andP.
have row_is : row_of (score A) columns u = after u *m C.
  by apply/rowP => j; rewrite !mxE score_is_product mxE; apply: eq_bigr => k _; rewrite !mxE.
have coordinates_P : coordinates (score A) rows columns u *m P = after u.
  have same_C : coordinates (score A) rows columns u *m P *m C = after u *m C.
    by rewrite -mulmxA -is_product /coordinates mulmxKV // row_is.
  by rewrite -[LHS](mulmxK regular_C) same_C mulmxK.
rewrite score_is_product -coordinates_P -mulmxA mxE; apply: eq_bigr => i _; congr (_ * _).
by rewrite score_is_product !mxE; apply: eq_bigr => k _; rewrite !mxE.
Qed.
End Minimal.
