(* The semirings that the papers use: rings, booleans, max-plus and max-times, and the rational numbers, in which Coq computes. *)

From Coq Require Import QArith Qcanon.
From mathcomp Require Import all_ssreflect ssralg ssrnum ssrint rat.
From ratproof Require Import semiring.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

(* The sum and the product of a ring. *)
Definition of_ring (R : ringType) : semiring := Semiring
  (@GRing.addrA R) (@GRing.addrC R) (@GRing.add0r R) (@GRing.mulrA R) (@GRing.mul1r R) (@GRing.mulr1 R)
  (@GRing.mulrDl R) (@GRing.mulrDr R) (@GRing.mul0r R) (@GRing.mulr0 R).

Lemma of_ring_commutes (R : comRingType) : commutative (@times (of_ring R)).
Proof. exact: GRing.mulrC. Qed.

(* Or, and. *)
Definition booleans : semiring := Semiring orbA orbC orFb andbA andTb andbT andb_orl andb_orr andFb andbF.

Lemma booleans_commute : commutative (@times booleans).
Proof. exact: andbC. Qed.

(* Numbers under addition: whether a path counts. *)
Definition naturals : semiring := Semiring addnA addnC add0n mulnA mul1n muln1 mulnDl mulnDr mul0n muln0.

Lemma naturals_commute : commutative (@times naturals).
Proof. exact: mulnC. Qed.

(* The semiring of the maximum, with an element below all numbers (None), and an operation that preserves their order. It is max-plus if the operation
   is addition, and max-times if it is the product of positive numbers. *)
Record ordered := Ordered {
  number :> Type;
  le : number -> number -> bool;
  neutral : number;
  op : number -> number -> number;
  le_total : total le;
  le_trans : transitive le;
  le_anti : antisymmetric le;
  opA : associative op;
  op1n : left_id neutral op;
  opn1 : right_id neutral op;
  le_opl : forall c a b, le a b -> le (op a c) (op b c);
  le_opr : forall c a b, le a b -> le (op c a) (op c b)
}.

Section Greatest.
Variable M : ordered.

Definition larger (a b : M) : M := if le a b then b else a.

Lemma larger_le a b : le a b -> larger a b = b.
Proof. by rewrite /larger => ->. Qed.

Lemma larger_ge a b : le b a -> larger a b = a.
Proof. by rewrite /larger => ba; case: ifP => // ab; apply: le_anti; rewrite ab ba. Qed.

Lemma largerC : commutative larger.
Proof. by move=> a b; case/orP: (le_total a b) => ab; rewrite ?(larger_le ab) ?(larger_ge ab). Qed.

Lemma largerA : associative larger.
Proof.
move=> a b c; case/orP: (le_total a b) => ab; case/orP: (le_total b c) => bc.
- by rewrite (larger_le ab) (larger_le bc) (larger_le (le_trans ab bc)).
- by rewrite (larger_le ab) (larger_ge bc) (larger_le ab).
- by rewrite (larger_ge ab) (larger_le bc).
by rewrite (larger_ge ab) (larger_ge bc) (larger_ge ab) (larger_ge (le_trans bc ab)).
Qed.

Definition greatest (a b : option M) : option M :=
  match a, b with Some a', Some b' => Some (larger a' b') | None, _ => b | _, None => a end.
Definition along (a b : option M) : option M := if a is Some a' then if b is Some b' then Some (op a' b') else None else None.

Lemma greatestA : associative greatest.
Proof. by case=> [a|] [b|] [c|] //=; rewrite largerA. Qed.
Lemma greatestC : commutative greatest.
Proof. by case=> [a|] [b|] //=; rewrite largerC. Qed.
Lemma alongA : associative along.
Proof. by case=> [a|] [b|] [c|] //=; rewrite opA. Qed.
Lemma along1 : left_id (Some (neutral M)) along.
Proof. by case=> [a|] //=; rewrite op1n. Qed.
Lemma alongr1 : right_id (Some (neutral M)) along.
Proof. by case=> [a|] //=; rewrite opn1. Qed.
Lemma alongDl : left_distributive along greatest.
Proof.
move=> [a|] [b|] [c|] //=; congr Some; case/orP: (le_total a b) => ab.
  by rewrite !larger_le // le_opl.
by rewrite !larger_ge // le_opl.
Qed.
Lemma alongDr : right_distributive along greatest.
Proof.
move=> [c|] [a|] [b|] //=; congr Some; case/orP: (le_total a b) => ab.
  by rewrite !larger_le // le_opr.
by rewrite !larger_ge // le_opr.
Qed.

Definition greatest_semiring : semiring := @Semiring (option M) None (Some (neutral M)) greatest along
  greatestA greatestC (fun=> erefl) alongA along1 alongr1 alongDl alongDr (fun=> erefl) (fun a => if a is Some _ then erefl else erefl).

Lemma greatest_commutes : commutative (@op M) -> commutative (@times greatest_semiring).
Proof. by move=> opC [a|] [b|] //=; rewrite opC. Qed.
End Greatest.

(* The reversed order, for the semiring of the minimum, with an element above all numbers. *)
Definition reversed (M : ordered) : ordered := @Ordered M (fun a b => le b a) (neutral M) (@op M)
  (fun a b => le_total b a) (fun b a c ba cb => le_trans cb ba) (fun a b => fun both => le_anti (etrans (andbC _ _) both))
  (@opA M) (@op1n M) (@opn1 M) (fun c a b => @le_opl M c b a) (fun c a b => @le_opr M c b a).

(* Over the numbers of an ordered domain of mathcomp. *)
Section OverDomains.
Import GRing.Theory Num.Theory.
Local Open Scope ring_scope.
Variable R : realDomainType.

Definition additive : ordered := @Ordered R (fun a b => a <= b) 0 +%R
  (@Order.TotalTheory.le_total _ R) (@Order.POrderTheory.le_trans _ R) (@Order.POrderTheory.le_anti _ R) (@addrA R) (@add0r R) (@addr0 R)
  (fun c a b ab => ler_add ab (Order.POrderTheory.lexx c)) (fun c a b ab => ler_add (Order.POrderTheory.lexx c) ab).
Definition max_plus := greatest_semiring additive.

Lemma max_plus_commutes : commutative (@times max_plus).
Proof. by apply: greatest_commutes; apply: addrC. Qed.

Definition is_positive (a : R) : bool := 0 < a.
Definition positive := {a : R | is_positive a}.
Definition positive_product (a b : positive) : positive := exist is_positive (val a * val b) (mulr_gt0 (valP a) (valP b)).

Lemma positive_le_anti : antisymmetric (fun a b : positive => val a <= val b).
Proof. by move=> a b ab; apply: val_inj; apply: Order.POrderTheory.le_anti. Qed.
Lemma positive_opA : associative positive_product.
Proof. by move=> a b c; apply: val_inj; rewrite /= mulrA. Qed.
Lemma positive_op1n : left_id (exist is_positive 1 ltr01) positive_product.
Proof. by move=> a; apply: val_inj; rewrite /= mul1r. Qed.
Lemma positive_opn1 : right_id (exist is_positive 1 ltr01) positive_product.
Proof. by move=> a; apply: val_inj; rewrite /= mulr1. Qed.
Lemma positive_opl (c a b : positive) : val a <= val b -> val (positive_product a c) <= val (positive_product b c).
Proof. by move=> ab; rewrite /= (ler_pmul2r (valP c)). Qed.
Lemma positive_opr (c a b : positive) : val a <= val b -> val (positive_product c a) <= val (positive_product c b).
Proof. by move=> ab; rewrite /= (ler_pmul2l (valP c)). Qed.

Definition multiplicative : ordered := @Ordered positive (fun a b => val a <= val b) _ positive_product
  (fun a b => Order.TotalTheory.le_total (val a) (val b)) (fun b a c => @Order.POrderTheory.le_trans _ R (val b) (val a) (val c))
  positive_le_anti positive_opA positive_op1n positive_opn1 positive_opl positive_opr.
Definition max_times := greatest_semiring multiplicative.

Lemma max_times_commutes : commutative (@times max_times).
Proof. by apply: greatest_commutes => a b; apply: val_inj; rewrite /= mulrC. Qed.
End OverDomains.

(* The rational numbers. *)
Lemma Qc_le_total : total (fun a b : Qc => Qle_bool a b).
Proof. by move=> a b; apply/orP; case: (Qc_dec a b) => [[lt|lt]|->]; [left|right|left]; apply/Qle_bool_iff; [apply: Qlt_le_weak|apply: Qlt_le_weak|apply: Qle_refl]. Qed.
Lemma Qc_le_trans : transitive (fun a b : Qc => Qle_bool a b).
Proof. by move=> b a c /Qle_bool_iff ab /Qle_bool_iff bc; apply/Qle_bool_iff; apply: Qle_trans ab bc. Qed.
Lemma Qc_le_anti : antisymmetric (fun a b : Qc => Qle_bool a b).
Proof. by move=> a b /andP[/Qle_bool_iff ab /Qle_bool_iff ba]; apply: Qcle_antisym. Qed.

Definition rationals : semiring := @Semiring Qc (Q2Qc 0) (Q2Qc 1) Qcplus Qcmult
  Qcplus_assoc Qcplus_comm Qcplus_0_l Qcmult_assoc Qcmult_1_l Qcmult_1_r
  Qcmult_plus_distr_l Qcmult_plus_distr_r (fun a => Qcmult_0_l a) (fun a => Qcmult_0_r a).

Lemma rationals_commute : commutative (@times rationals).
Proof. exact: Qcmult_comm. Qed.

Definition nonzero (a : rationals) : bool := ~~ Qeq_bool (this a) 0.

(* The truth values of a vector of weights. *)
Definition true_at (Q : Type) (v : Q -> rationals) (q : Q) : bool := nonzero (v q).

Lemma nonzeroP (a : rationals) : nonzero a = false -> a = zero.
Proof. by move=> /negbFE/Qeq_bool_iff eq; apply: Qc_is_canon. Qed.

Lemma rationals_nontrivial : 1 <> 0 :> rationals.
Proof. by []. Qed.

(* Max-plus and max-times over the rational numbers, with which Coq can compute. *)
Definition Qc_le (a b : Qc) : bool := Qle_bool a b.

(* The sign of a weight; None for zero. *)
Definition sign_of (a : rationals) : option bool := if nonzero a then Some (Qc_le (Q2Qc 0) a) else None.

Lemma Qc_plus_le (c a b : Qc) : Qc_le a b -> Qc_le (a + c)%Qc (b + c)%Qc.
Proof. by move=> /Qle_bool_iff ab; apply/Qle_bool_iff; apply: Qcplus_le_compat => //; apply: Qcle_refl. Qed.
Lemma Qc_plus_ler (c a b : Qc) : Qc_le a b -> Qc_le (c + a)%Qc (c + b)%Qc.
Proof. by rewrite !(Qcplus_comm c); apply: Qc_plus_le. Qed.

Definition rational_additive : ordered := @Ordered Qc Qc_le (Q2Qc 0) Qcplus
  Qc_le_total Qc_le_trans Qc_le_anti Qcplus_assoc Qcplus_0_l Qcplus_0_r Qc_plus_le Qc_plus_ler.
Definition rational_max_plus := greatest_semiring rational_additive.

Definition rational_min_plus := greatest_semiring (reversed rational_additive).

Lemma rational_max_plus_commutes : commutative (@times rational_max_plus).
Proof. by apply: greatest_commutes; apply: Qcplus_comm. Qed.

Definition Qc_positive (a : Qc) : bool := ~~ Qc_le a (Q2Qc 0).
Definition positive_rational := {a : Qc | Qc_positive a}.

Lemma Qc_positiveP (a : Qc) : reflect (Q2Qc 0 < a)%Qc (Qc_positive a).
Proof.
apply: (iffP idP) => [/negP not_le|lt].
  by apply: Qcnot_le_lt => le; apply: not_le; apply/Qle_bool_iff.
by apply/negP => /Qle_bool_iff le; apply: (Qclt_not_le _ _ lt).
Qed.

Lemma product_positive (a b : positive_rational) : Qc_positive (val a * val b)%Qc.
Proof.
apply/Qc_positiveP; rewrite -(Qcmult_0_l (val b)).
by apply: Qcmult_lt_compat_r; apply/Qc_positiveP; apply: valP.
Qed.
Definition rational_product (a b : positive_rational) : positive_rational := exist Qc_positive _ (product_positive a b).

Lemma same_positive (a b : positive_rational) : val a = val b -> a = b.
Proof. by case: a b => [a a_pos] [b b_pos] /= ab; subst b; rewrite (bool_irrelevance a_pos b_pos). Qed.

Lemma Qc_times_le (c a b : positive_rational) : Qc_le (val a) (val b) -> Qc_le (val a * val c)%Qc (val b * val c)%Qc.
Proof.
move=> /Qle_bool_iff ab; apply/Qle_bool_iff; apply: Qcmult_le_compat_r => //.
by apply: Qclt_le_weak; apply/Qc_positiveP; apply: valP.
Qed.
Lemma Qc_times_ler (c a b : positive_rational) : Qc_le (val a) (val b) -> Qc_le (val c * val a)%Qc (val c * val b)%Qc.
Proof. by rewrite !(Qcmult_comm (val c)); apply: Qc_times_le. Qed.

Lemma rational_productA : associative rational_product.
Proof. by move=> a b c; apply: same_positive; apply: Qcmult_assoc. Qed.
Lemma rational_product1 : left_id (exist Qc_positive (Q2Qc 1) erefl) rational_product.
Proof. by move=> a; apply: same_positive; apply: Qcmult_1_l. Qed.
Lemma rational_productr1 : right_id (exist Qc_positive (Q2Qc 1) erefl) rational_product.
Proof. by move=> a; apply: same_positive; apply: Qcmult_1_r. Qed.

Definition rational_multiplicative : ordered := @Ordered positive_rational (fun a b => Qc_le (val a) (val b))
  (exist Qc_positive (Q2Qc 1) erefl) rational_product
  (fun a b => Qc_le_total (val a) (val b)) (fun b a c => @Qc_le_trans (val b) (val a) (val c))
  (fun a b ab => same_positive (Qc_le_anti ab)) rational_productA rational_product1 rational_productr1 Qc_times_le Qc_times_ler.
Definition rational_max_times := greatest_semiring rational_multiplicative.

Lemma rational_max_times_commutes : commutative (@times rational_max_times).
Proof. by apply: greatest_commutes => a b; apply: same_positive; apply: Qcmult_comm. Qed.

(* A rational number as a weight of max-times; a number that is not positive becomes zero. *)
Definition max_times_weight (a : Qc) : rational_max_times :=
  (if Qc_positive a as b return Qc_positive a = b -> rational_max_times then fun yes => Some (exist Qc_positive a yes) else fun _ => None) erefl.

(* The rational numbers of mathcomp, which are a field, and with which Coq can also compute. *)
Definition integer_in_mathcomp (z : Z) : int := match z with Z0 => Posz 0 | Zpos p => Posz (Pos.to_nat p) | Zneg p => Negz (Pos.to_nat p).-1 end.
Definition in_mathcomp (a : rationals) : rat := ((integer_in_mathcomp (Qnum (this a)))%:~R / (Pos.to_nat (Qden (this a)))%:R)%R.
Definition of_mathcomp (a : rat) : rationals :=
  Q2Qc (Qmake (match numq a with Posz m => Z.of_nat m | Negz m => - Z.of_nat m.+1 end) (Pos.of_nat (absz (denq a)))).
Definition ordered_fractions : realDomainType := [realDomainType of rat].
Definition field_of_fractions : numFieldType := [numFieldType of rat].
