(* No drift (Wang & Niepert 2019, section 3, equation 5): a mixture of centroids is never longer than the longest centroid. *)

From mathcomp Require Import all_ssreflect all_algebra.
From ratproof Require Import semiring sums automaton instances exponential.
From ratproof.state_regularized.shared Require Import softmax.
Import Order.TTheory GRing.Theory Num.Theory.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Local Open Scope ring_scope.

(* n + 1 centroids of d numbers. Squares of Euclidean norms are compared, which is equivalent. *)
Section Centroids.
Variables (R : realDomainType) (n d : nat) (centroid : 'I_n.+1 -> 'I_d -> R).
Local Notation total F := (sum (K := of_ring R) F).

Definition square (h : 'I_d -> R) : R := total (fun m : place d => h m * h m).
Definition longest : R := foldr (fun i most => Num.max (square (centroid i)) most) (square (centroid ord0)) (places n.+1).
Definition no_longer (h : 'I_d -> R) : bool := square h <= longest.
Definition what_is_left (h : 'I_d -> R) : R := longest - square h.

(* Equation 5: h = sum_i alpha_i s_i, for numbers alpha that are not negative and sum to 1. *)
Definition mixture (alpha : 'I_n.+1 -> R) (m : 'I_d) : R := total (fun i : place n.+1 => alpha i * centroid i m).
Definition distribution (alpha : 'I_n.+1 -> R) : Prop := (forall i, 0 <= alpha i) /\ total (fun i : place n.+1 => alpha i) = 1.

(* The sum over i < j of alpha_i alpha_j |s_i - s_j|^2, and the sum over i of alpha_i (max |s|^2 - |s_i|^2). *)
Definition spread (alpha : 'I_n.+1 -> R) : R :=
  total (fun i : place n.+1 => total (fun j : place n.+1 => if (i < j)%N then alpha i * alpha j * square (fun m => centroid i m - centroid j m) else 0)).
Definition lack (alpha : 'I_n.+1 -> R) : R := total (fun i : place n.+1 => alpha i * (longest - square (centroid i))).

Lemma total_ge0 (Q : finite) (F : Q -> R) : (forall q, 0 <= F q) -> 0 <= total F.
Proof. by move=> F_ge0; rewrite /sum; elim: (elements Q) => //= q r; apply: addr_ge0. Qed.

Lemma square_ge0 h : 0 <= square h.
Proof. by apply: total_ge0 => m; rewrite -expr2 sqr_ge0. Qed.

Lemma centroid_no_longer i : no_longer (centroid i).
Proof.
rewrite /no_longer /longest; move: (places n.+1) (in_elements (Q := place n.+1) i : i \in places n.+1).
by elim=> //= j r IH; rewrite inE le_maxr => /predU1P[->|/IH ->]; rewrite ?lexx ?orbT.
Qed.

(* Numbers x_i with weights a_i: both orders of a pair contribute the same term. *)
Lemma sum_of_pairs (a x : 'I_n.+1 -> R) :
  (\sum_(i < n.+1) \sum_(j < n.+1) if (i < j)%N then a i * a j * (x i - x j) ^+ 2 else 0) *+ 2 =
  ((\sum_i a i * x i ^+ 2) * (\sum_i a i) - (\sum_i a i * x i) ^+ 2) *+ 2.
Proof.
pose F i j := a i * a j * (x i - x j) ^+ 2.
have F_sym i j : F i j = F j i by rewrite /F -sqrrN opprB [a i * _]mulrC.
transitivity (\sum_i \sum_j F i j).
  rewrite mulr2n [X in _ + X]exchange_big -big_split; apply: eq_bigr => i _; rewrite -big_split; apply: eq_bigr => j _ /=.
  by case: ltngtP => [_|_|/val_inj ->]; rewrite ?addr0 ?add0r -?/(F _ _) // /F subrr expr0n mulr0.
rewrite mulrnBl mulr2n {2}[_ * \sum_i a i]mulrC expr2 !big_distrlr /= -sumrMnl -big_split -sumrB; apply: eq_bigr => i _.
rewrite -sumrMnl -big_split -sumrB; apply: eq_bigr => j _ /=.
by rewrite /F sqrrB mulrDr mulrBr mulrnAr [X in _ - X *+ 2]mulrACA [a i * a j * x i ^+ 2]mulrAC -[a i * a j * x j ^+ 2]mulrA addrAC.
Qed.

(* max |s|^2 - |h|^2 is the sum of spread and lack. *)
Lemma identity alpha : distribution alpha -> what_is_left (mixture alpha) = lack alpha + spread alpha.
Proof.
case=> _ is_1; have one_coordinate m :
    \sum_(i < n.+1) \sum_(j < n.+1) (if (i < j)%N then alpha i * alpha j * (centroid i m - centroid j m) ^+ 2 else 0) =
    \sum_i alpha i * centroid i m ^+ 2 - mixture alpha m ^+ 2.
  apply: (mulIf (x := 2%:R)); rewrite ?pnatr_eq0 // !mulr_natr sum_of_pairs -[\sum_i alpha i]sum_ord is_1 mulr1.
  by rewrite /mixture sum_ord.
have -> : spread alpha = \sum_(m < d) (\sum_i alpha i * centroid i m ^+ 2 - mixture alpha m ^+ 2).
  rewrite -(eq_bigr _ (fun m _ => one_coordinate m)) exchange_big /spread sum_ord; apply: eq_bigr => i _.
  rewrite exchange_big sum_ord; apply: eq_bigr => j _; rewrite /square sum_ord; case: ifP => _; last by rewrite big1.
  by rewrite mulr_sumr; apply: eq_bigr => m _; rewrite expr2.
have -> : lack alpha = longest - \sum_(m < d) \sum_i alpha i * centroid i m ^+ 2.
  rewrite exchange_big /lack sum_ord -[X in X - _]mul1r -is_1 sum_ord mulr_suml -sumrB; apply: eq_bigr => i _.
  by rewrite mulrBr /square sum_ord mulr_sumr; congr (_ - _); apply: eq_bigr => m _; rewrite expr2.
rewrite sumrB addrA subrK /what_is_left /square sum_ord; congr (_ - _); by apply: eq_bigr => m _; rewrite expr2.
Qed.

Lemma lack_ge0 alpha : distribution alpha -> 0 <= lack alpha.
Proof. by case=> ge0 _; apply: total_ge0 => i; rewrite mulr_ge0 // subr_ge0; apply: centroid_no_longer. Qed.

Lemma spread_ge0 alpha : distribution alpha -> 0 <= spread alpha.
Proof. by case=> ge0 _; apply: total_ge0 => i; apply: total_ge0 => j; case: ifP => // _; rewrite !mulr_ge0 ?square_ge0. Qed.

(* A mixture by any distribution is at most as long as the longest centroid. *)
Lemma mixture_no_longer alpha : distribution alpha -> no_longer (mixture alpha).
Proof. by move=> is_one; rewrite /no_longer -subr_ge0 -/(what_is_left _) identity // addr_ge0 ?lack_ge0 ?spread_ge0. Qed.

(* The automaton that remembers the last symbol, for any distribution alpha of each symbol. Its final weights are the sums above. *)
Variables (S : finite) (alpha : S -> 'I_n.+1 -> R).
Definition by_table (w : seq S) : 'I_d -> R := run (fun _ x => mixture (alpha x)) (centroid ord0) w.
Definition last_symbol : wfa (of_ring R) S (option_finite S) := @Wfa (of_ring R) S (option_finite S)
  (fun q => if q is None then 1 else 0)
  (fun x _ q => if q == Some x then 1 else 0)
  (fun q => if q is Some x then lack (alpha x) + spread (alpha x) else longest - square (centroid ord0)).

(* Its score is max |s|^2 - |h|^2, and all its weights are nonnegative. *)
Theorem no_drift_identity : (forall x, distribution (alpha x)) ->
  (forall w, score last_symbol w = what_is_left (by_table w)) /\
  [/\ forall q, 0 <= initial last_symbol q, forall x p q, 0 <= transition last_symbol x p q & forall q, 0 <= final last_symbol q].
Proof.
move=> distributions; split=> [w|]; last first.
  split=> [[q|]|x p q|[x|]] /=; rewrite ?lexx ?ler01 //; first by case: ifP; rewrite ?ler01.
    by rewrite addr_ge0 ?lack_ge0 ?spread_ge0.
  by rewrite subr_ge0; apply: centroid_no_longer.
pose inv (c q : option S) : of_ring R := if q == c then 1 else 0.
rewrite (score_is_inv (next := fun _ x => Some x) (start := None) (inv := inv)) => [|[q|]|c x q] //; last first.
  rewrite (sum_at (Q := option_finite S) (p := c)) /inv => [|p /negbTE ->]; last exact: mul0r.
  by rewrite eqxx; apply: mul1r.
set c := run _ _ _; rewrite (sum_at (Q := option_finite S) (p := c)) /inv => [|p /negbTE ->]; last by rewrite /= mul0r.
rewrite eqxx /= mul1r /c /by_table; case/lastP: w @c => [|w x] //=; by rewrite !run_rcons identity.
Qed.
End Centroids.

(* The network: u = f(h, x) (equation 1), alpha = softmax of u's similarities to the centroids, at a temperature tau (equations 2 and 3), and h is their
   mixture (equation 5), for any recurrent component f and any similarity. *)
Section Network.
Variables (R : realFieldType) (e : exponential R) (n d : nat) (centroid : 'I_n.+1 -> 'I_d -> R) (tau : R).
Variables (S U : Type) (component : ('I_d -> R) -> S -> U) (similarity : U -> ('I_d -> R) -> R).
Hypothesis tau_positive : 0 < tau.
Definition soft_next (h : 'I_d -> R) (x : S) : 'I_d -> R := mixture centroid (softmax e (fun i => similarity (component h x) (centroid i)) tau).

(* The norm never exceeds that of the longest centroid, if the network starts at a centroid or at a convex combination of centroids. *)
Theorem no_drift w :
  (forall i, no_longer centroid (run soft_next (centroid i) w)) /\
  (forall alpha, distribution alpha -> no_longer centroid (run soft_next (mixture centroid alpha) w)).
Proof.
have from_any h : no_longer centroid h -> no_longer centroid (run soft_next h w).
  case/lastP: w => // v x _; rewrite run_rcons; apply: mixture_no_longer; split=> [i|]; first exact: softmax_ge0.
  by rewrite sum_ord; apply: sum_softmax.
by split=> *; apply: from_any; [apply: centroid_no_longer|apply: mixture_no_longer].
Qed.
End Network.

(* A network without centroids and with an unbounded activation: h = U h + W_x. *)
Definition plain_next (R : realDomainType) (S : Type) d (U : 'I_d -> 'I_d -> R) (W : S -> 'I_d -> R) (h : 'I_d -> R) (x : S) (i : 'I_d) : R :=
  W x i + sum (K := of_ring R) (fun j : place d => U i j * h j).

(* Without equation 5, the network drifts: from the longest centroid, 1, the next state h + 1 is 2. *)
Theorem without_equation_5_is_refuted (R : realDomainType) :
  ~ (forall (S : Type) n d (centroid : 'I_n.+1 -> 'I_d -> R) (U : 'I_d -> 'I_d -> R) (W : S -> 'I_d -> R) w,
     (forall i j, centroid i =1 centroid j -> i = j) -> no_longer centroid (run (plain_next U W) (centroid ord0) w)).
Proof.
pose centroid (i : 'I_2) (_ : 'I_1) : R := if i == ord0 then 1 else 0; pose one_ (_ : 'I_1) : R := 1.
move=> all; have := all unit 1%N 1%N centroid (fun _ => one_) (fun _ => one_) [:: tt].
have apart i j : centroid i =1 centroid j -> i = j.
  move=> /(_ ord0); move: i j => [[|[|i]] lt_i] [[|[|j]] lt_j] //=; rewrite /centroid /= => eq; apply: val_inj => //=.
  - by move/eqP: eq; rewrite oner_eq0.
  by move/eqP: eq; rewrite eq_sym oner_eq0.
move=> /(_ apart); rewrite /no_longer /longest /square /run /= /plain_next /sum /= /centroid /one_ /=.
by rewrite !(mulr1, mul0r, addr0) (max_r ler01) maxxx -[1 + 1]/(2%:R) -natrM lern1.
Qed.

(* Centroids and matrices of rational numbers, with which Coq can compute. *)
Definition in_fractions (A B : Type) (v : A -> B -> rationals) (a : A) (b : B) : ordered_fractions := in_mathcomp (v a b).
