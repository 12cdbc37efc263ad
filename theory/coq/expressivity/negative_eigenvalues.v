(* Real eigenvalues of at least 0 do not recognise parity, and real eigenvalues do not count modulo 3 (Grazzi et al. 2025). One key of DeltaNet has the
   eigenvalue 1 - beta |k|^2. *)

From mathcomp Require Import all_ssreflect all_algebra.
From ratproof Require Import semiring sums automaton instances.
From ratproof.one_layer Require Import class_changes.
From ratproof.linear_recurrences Require Import delta_net.
From ratproof.linear_recurrences.shared Require Import affine.
From ratproof.expressivity Require Import second_order nonnegative_gates.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Section Key.
Variables (K : semiring) (S : Type) (d : nat) (minus : K) (s_0 k : 'I_d -> K) (beta v : S -> K).

(* A column of DeltaNet with one key k for all symbols, and the output k s. *)
Definition with_key (q s : 'I_d -> K) : K := \sum_(i : place d) q i * s i.
Definition one_key (w : seq S) : K := with_key k (run (delta_net_next minus beta (fun=> k) v) s_0 w).

(* The automaton with the states 1 and k s. *)
Definition eigenvalue : wfa K S (option_finite (place 1)) :=
  number_alone (P := place 1) (fun _ => with_key k s_0) (fun x _ _ => 1 + minus * (beta x * with_key k k)) (fun x _ => beta x * (with_key k k * v x)) ord0.

Theorem negative_eigenvalues : commutative (@times K) -> forall w, score eigenvalue w = one_key w.
Proof.
move=> timesC w; apply: (number_alone_is_unit (number := fun s _ => with_key k s)) => // s x j.
rewrite sum_place sum_no_place plusw0 timesDr timesw1 {1}/with_key /delta_net_next.
under eq_sum do rewrite timesDr.
rewrite sumD -plusA; congr (_ + _); under eq_sum do rewrite -/(with_key k s) !timesDr.
rewrite sumD plusC; congr (_ + _).
  rewrite /with_key; move: (\sum_(i : place d) k i * s i) => y; rewrite !times_sum; apply: eq_sum => i.
  move: (k i) (beta x) => a b; rewrite (timesC y) !timesA; congr (_ * y); rewrite (timesC _ minus) !timesA; congr (_ * a).
  by rewrite -timesA (timesC a) timesA.
rewrite /with_key sum_times times_sum; apply: eq_sum => i.
by rewrite timesA (timesC (k i)) -!timesA.
Qed.
End Key.

(* With |k| = 1, beta = 2 for the letter true and 0 for the other one, and no values, its score after n letters true
   is (-1)^n times the score of the empty word. *)
Theorem negative_eigenvalues_parity (R : comRingType) d (s_0 k : 'I_d -> of_ring R) w : with_key k k = GRing.one R ->
  one_key (K := of_ring R) (GRing.opp (GRing.one R)) s_0 k (fun x => if x then GRing.natmul (GRing.one R) 2 else GRing.zero R) (fun _ => GRing.zero R) w =
  (with_key k s_0 * score (sign R) w)%R.
Proof.
move=> unit; rewrite -negative_eigenvalues; last exact: of_ring_commutes.
rewrite /score sum_option !sum_place !sum_no_place !plusw0 !timesw1 timesw0 plus0w.
elim/last_ind: w => [|w x IH]; first by rewrite /= GRing.mulr1.
rewrite !forward_rcons sum_option !sum_place !sum_no_place !plusw0 IH.
rewrite /= !unit /plus /times /zero /= !GRing.mulr0 GRing.add0r -GRing.mulrA; congr (_ * (_ * _))%R.
rewrite GRing.mulr1 GRing.mulN1r; case: x; last by rewrite GRing.subr0.
by rewrite GRing.mulr2n GRing.opprD GRing.addrA GRing.subrr GRing.add0r.
Qed.

(* The scores of a^n of a layer with the matrix A of a: q A^n x. *)
Local Open Scope ring_scope.
Import Order.TTheory GRing.Theory Num.Theory.

Section Eigenvalues.
Variables (R : realDomainType) (n : nat) (A : 'M[R]_n.+1) (q : 'rV[R]_n.+1) (x : 'cV[R]_n.+1).
Definition power_score (B : 'M[R]_n.+1) (k : nat) : R := (q *m (B * A ^+ k) *m x) 0 0.
Definition linear_score := power_score 1.

Lemma without_eigenvalue B r : without r (power_score B) =1 power_score (B * (A - r%:M)).
Proof.
move=> k; rewrite /without /power_score mulrBr mulrBl -mulrA -exprS mulmxBr mulmxBl [RHS]mxE [X in _ = _ + X]mxE; congr (_ - _).
by rewrite -scalemx1 -scalerAr mulr1 -scalerAl -scalemxAr -scalemxAl [RHS]mxE.
Qed.

Lemma annihilates (u v : nat -> R) rs : u =1 v -> annihilated rs u -> annihilated rs v.
Proof.
elim: rs u v => [|r rs IH] u v same /= zero k; first by rewrite /= -same; apply: zero.
by apply: (IH (without r u) (without r v)) => // j; rewrite /without !same.
Qed.

Lemma annihilated_by_roots rs : horner_mx A (\prod_(r <- rs) ('X - r%:P)) = 0 -> annihilated rs linear_score.
Proof.
suff general B : B * horner_mx A (\prod_(r <- rs) ('X - r%:P)) = 0 -> annihilated rs (power_score B).
  by move=> zero; apply: general; rewrite zero mulr0.
elim: rs B => [|r rs IH] B.
  by rewrite big_nil rmorph1 mulr1 => -> k; rewrite /= /power_score mul0r mulmx0 mul0mx mxE.
rewrite big_cons rmorphM rmorphB /= horner_mx_X horner_mx_C mulrA => /IH.
by apply: annihilates => k; rewrite without_eigenvalue.
Qed.

Variable rs : seq R.
Hypothesis eigenvalues : char_poly A = \prod_(r <- rs) ('X - r%:P).

Lemma by_eigenvalues : horner_mx A (\prod_(r <- rs) ('X - r%:P)) = 0.
Proof. by rewrite -eigenvalues Cayley_Hamilton. Qed.

(* No layer with such a matrix, of any size, recognises parity. *)
Theorem without_negative_eigenvalues_is_refuted : all (fun r => 0 <= r) rs -> ~ (forall k, (0 < linear_score k) = ~~ odd k).
Proof.
move=> nonnegative parity; have := class_changes (size rs).+1 nonnegative (annihilated_by_roots by_eigenvalues).
rewrite /changes (eq_count (a2 := predT)) ?count_predT ?size_iota ?ltnn // => k.
by rewrite /positive !parity /= negbK; case: (odd k).
Qed.
End Eigenvalues.

(* The squares of real eigenvalues are not negative, so the answers on a^(2 i) change finitely often. *)
Section RealEigenvalues.
Variables (R : realDomainType) (n : nat) (A : 'M[R]_n.+1) (q : 'rV[R]_n.+1) (x : 'cV[R]_n.+1) (rs : seq R).
Hypothesis eigenvalues : char_poly A = \prod_(r <- rs) ('X - r%:P).
Let squares := [seq r ^+ 2 | r <- rs].

Lemma squares_annihilate : horner_mx (A ^+ 2) (\prod_(r <- squares) ('X - r%:P)) = 0.
Proof.
have -> : horner_mx (A ^+ 2) (\prod_(r <- squares) ('X - r%:P)) = horner_mx A (\prod_(r <- rs) (('X - r%:P) * ('X + r%:P))).
  rewrite /squares big_map; elim: (rs) => [|r s IH]; first by rewrite !big_nil !rmorph1.
  rewrite !big_cons (rmorphM (horner_mx_rmorphism (A ^+ 2))) (rmorphM (horner_mx_rmorphism A)) /= IH; congr (_ * _).
  rewrite -subr_sqr (rmorphB (horner_mx_rmorphism (A ^+ 2))) (rmorphB (horner_mx_rmorphism A)) /=.
  by rewrite horner_mx_X horner_mx_C !(rmorphX (horner_mx_rmorphism A)) /= horner_mx_X horner_mx_C [r ^+ 2]expr2 scalar_mxM [r%:M ^+ 2]expr2.
rewrite big_split (rmorphM (horner_mx_rmorphism A)) /= by_eigenvalues ?mul0r //; exact: eigenvalues.
Qed.

(* No layer with a matrix with real eigenvalues only, of any size, counts modulo 3. *)
Theorem without_rotations_is_refuted : ~ (forall k, (0 < linear_score A q x k) = (3 %| k)%N).
Proof.
move=> counts; have nonnegative : all (fun r => 0 <= r) squares by apply/allP => _ /mapP [r _ ->]; exact: sqr_ge0.
have even k : linear_score (A ^+ 2) q x k = linear_score A q x (2 * k) by rewrite /linear_score /power_score -exprM.
have := class_changes (3 * (size squares).+1) nonnegative (annihilated_by_roots q x squares_annihilate).
have next k : positive (linear_score (A ^+ 2) q x) k = (3 %| k)%N by rewrite /positive even counts Gauss_dvdr.
have many m : changes (linear_score (A ^+ 2) q x) (m * 3) = (m * 2)%N.
  elim: m => [|m IH] //; have next_three j : (3 %| m * 3 + j)%N = (3 %| j)%N by rewrite dvdn_addr // dvdn_mull.
  have one : (3 %| (m * 3).+1)%N = false by rewrite -[(m * 3).+1]addn1 next_three.
  have two : (3 %| (m * 3).+2)%N = false by rewrite -[(m * 3).+2]addn2 next_three.
  have three : (3 %| (m * 3).+3)%N by rewrite -[(m * 3).+3]addn3 next_three.
  have zero : (3 %| m * 3)%N by rewrite -[X in (_ %| X)%N]addn0 next_three.
  by rewrite mulSn -[(3 + _)%N]/((m * 3).+3) !changes_next IH !next three two one zero mulSn addn1 addn0 addn1.
rewrite mulnC many size_map => /(leq_trans (leq_pmulr _ (isT : 0 < 2)%N)); by rewrite ltnn.
Qed.
End RealEigenvalues.

(* A triangular matrix has its diagonal as its eigenvalues. *)
Theorem no_triangular_layer_counts_modulo_three (R : realDomainType) n (A : 'M[R]_n.+1) q x :
  is_trig_mx A -> ~ (forall k, (0 < linear_score A q x k) = (3 %| k)%N).
Proof.
move=> triangular; apply: (@without_rotations_is_refuted _ _ A q x [seq A i i | i <- enum 'I_n.+1]).
by rewrite char_poly_trig // big_map big_enum.
Qed.
