(* Sums over finite sets, which Coq can compute.

   mathcomp's finType seals its enumeration, and its bigop is locked, so neither can be run on numbers. Here, a finite set is a type with a list that
   contains each element once, and a sum goes over this list. It equals a bigop (sumE), whose lemmas prove those below. *)

From mathcomp Require Import all_ssreflect.
From ratproof Require Import semiring.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Structure finite := Finite {
  element :> eqType;
  elements : seq element;
  each_once : Finite.axiom elements
}.
Arguments elements : clear implicits.

Lemma elements_uniq (Q : finite) : uniq (elements Q).
Proof. by apply: count_mem_uniq => q; rewrite each_once -has_pred1 has_count each_once. Qed.

Lemma in_elements (Q : finite) (q : Q) : q \in elements Q.
Proof. by rewrite -has_pred1 has_count each_once. Qed.

(* The numbers below n. *)
Fixpoint places n : seq 'I_n := if n is _.+1 then ord0 :: map (lift ord0) (places _) else [::].

Lemma places_each_once n : Finite.axiom (places n).
Proof.
apply: Finite.uniq_enumP.
  elim: n => //= n IH; rewrite (map_inj_uniq (@lift_inj _ _)) IH andbT.
  by apply/mapP => -[q _ /eqP].
move=> q; rewrite [RHS]/=; elim: n q => [[]|n IH q] //=.
rewrite in_cons; case: (unliftP ord0 q) => [r ->|->]; last by rewrite eqxx.
by rewrite mem_map ?IH ?orbT //; apply: lift_inj.
Qed.
Canonical place n := Finite (@places_each_once n).

(* A set with one more element. *)
Lemma option_each_once (Q : finite) : Finite.axiom (None :: map Some (elements Q) : seq (option_eqType Q)).
Proof.
apply: Finite.uniq_enumP => [|[q|]] //=.
  by rewrite (map_inj_uniq (@Some_inj _)) elements_uniq andbT; apply/mapP => -[].
by rewrite in_cons mem_map ?in_elements //; apply: Some_inj.
Qed.
Canonical option_finite Q := Finite (@option_each_once Q).

(* The disjoint union of two sets. *)
Lemma sum_each_once (Q P : finite) :
  Finite.axiom (map inl (elements Q) ++ map inr (elements P) : seq (sum_eqType Q P)).
Proof.
have inl_inj: injective (@inl Q P) by move=> a b [].
have inr_inj: injective (@inr Q P) by move=> a b [].
apply: Finite.uniq_enumP => [|[q|p]]; rewrite ?mem_cat ?(mem_map inl_inj) ?(mem_map inr_inj) ?in_elements ?orbT //.
rewrite cat_uniq (map_inj_uniq inl_inj) (map_inj_uniq inr_inj) !elements_uniq /= andbT.
by apply/hasPn => _ /mapP[p _ ->]; apply/mapP => -[].
Qed.
Canonical sum_finite Q P := Finite (@sum_each_once Q P).

(* The pairs of elements of two sets. *)
Lemma prod_each_once (Q P : finite) :
  Finite.axiom ([seq (q, p) | q <- elements Q, p <- elements P] : seq (prod_eqType Q P)).
Proof.
apply: Finite.uniq_enumP => [|[q p]]; first by apply: allpairs_uniq => [||[a b] [a' b'] _ _ //]; apply: elements_uniq.
by rewrite [RHS]/=; apply/allpairsP; exists (q, p); rewrite !in_elements.
Qed.
Canonical prod_finite Q P := Finite (@prod_each_once Q P).

(* Any finite type of mathcomp. *)
Lemma finType_each_once (Q : finType) : Finite.axiom (enum Q).
Proof. by rewrite enumT; apply: enumP. Qed.
Definition of_finType Q := Finite (@finType_each_once Q).

(* The number of elements. *)
Definition card (Q : finite) : nat := size (elements Q).

Lemma card_place n : card (place n) = n.
Proof. by rewrite /card /=; elim: n => //= n IH; rewrite size_map IH. Qed.
Lemma card_option Q : card (option_finite Q) = (card Q).+1.
Proof. by rewrite /card /= size_map. Qed.
Lemma card_sum Q P : card (sum_finite Q P) = (card Q + card P)%N.
Proof. by rewrite /card /= size_cat !size_map. Qed.
Lemma card_prod Q P : card (prod_finite Q P) = (card Q * card P)%N.
Proof. by rewrite /card /= size_allpairs. Qed.
Lemma card_finType (Q : finType) : card (of_finType Q) = #|Q|.
Proof. by rewrite /card /= cardE. Qed.

(* The sum of F q over all q. *)
Definition sum (K : semiring) (Q : finite) (F : Q -> K) : K := foldr (fun q total => F q + total) 0 (elements Q).
Notation "\sum_ ( q : Q ) F" := (sum (fun q : Q => F)) : weight_scope.

Section Sums.
Variables (K : semiring).
Implicit Types Q P : finite.

Lemma sumE Q (F : Q -> K) : \sum_(q : Q) F q = \big[@plus K/0]_(q <- elements Q) F q.
Proof. by rewrite unlock /reducebig /sum; elim: (elements Q) => //= q r ->. Qed.

Lemma eq_sum Q (F G : Q -> K) : F =1 G -> \sum_(q : Q) F q = \sum_(q : Q) G q.
Proof. by move=> eq; rewrite !sumE; apply: eq_bigr => q _; apply: eq. Qed.

Lemma sum0 Q : \sum_(q : Q) 0 = 0 :> K.
Proof. by rewrite sumE big1. Qed.

Lemma sumD Q (F G : Q -> K) : \sum_(q : Q) (F q + G q) = \sum_(q : Q) F q + \sum_(q : Q) G q.
Proof. by rewrite !sumE big_split. Qed.

Lemma sum_times Q (F : Q -> K) a : (\sum_(q : Q) F q) * a = \sum_(q : Q) (F q * a).
Proof. by rewrite !sumE big_distrl. Qed.

Lemma times_sum Q (F : Q -> K) a : a * (\sum_(q : Q) F q) = \sum_(q : Q) (a * F q).
Proof. by rewrite !sumE big_distrr. Qed.

Lemma exchange_sum Q P (F : Q -> P -> K) : \sum_(q : Q) \sum_(p : P) F q p = \sum_(p : P) \sum_(q : Q) F q p.
Proof.
transitivity (\big[@plus K/0]_(q <- elements Q) \big[@plus K/0]_(p <- elements P) F q p).
  by rewrite sumE; apply: eq_bigr => q _; rewrite sumE.
by rewrite exchange_big sumE; apply: eq_bigr => p _; rewrite sumE.
Qed.

(* A sum in which only one summand is not 0. *)
Lemma sum_at Q (F : Q -> K) p : (forall q, q != p -> F q = 0) -> \sum_(q : Q) F q = F p.
Proof.
move=> others; rewrite sumE (bigD1_seq p) ?in_elements ?elements_uniq //=.
by rewrite big1 ?plusw0 // => q /others.
Qed.

(* A sum in which only two summands are not 0. *)
Lemma sum_at_two Q (F : Q -> K) p r :
  r != p -> (forall q, q != p -> q != r -> F q = 0) -> \sum_(q : Q) F q = F p + F r.
Proof.
move=> apart others; rewrite sumE (bigD1_seq p) ?in_elements ?elements_uniq //=; congr (_ + _).
rewrite -big_filter (bigD1_seq r) ?filter_uniq ?elements_uniq ?mem_filter ?apart ?in_elements //=.
by rewrite big_filter_cond big1 ?plusw0 // => q /andP[p_q /others -> //].
Qed.

Lemma sum_option Q (F : option Q -> K) : \sum_(q : option_finite Q) F q = F None + \sum_(q : Q) F (Some q).
Proof. by rewrite /sum /= foldr_map. Qed.

Lemma sum_sum Q P (F : Q + P -> K) : \sum_(q : sum_finite Q P) F q = \sum_(q : Q) F (inl q) + \sum_(p : P) F (inr p).
Proof. by rewrite !sumE big_cat !big_map. Qed.

Lemma sum_prod Q P (F : Q * P -> K) : \sum_(c : prod_finite Q P) F c = \sum_(q : Q) \sum_(p : P) F (q, p).
Proof. by rewrite sumE big_allpairs_dep sumE; apply: eq_bigr => q _; rewrite sumE. Qed.

Lemma sum_place n (F : 'I_n.+1 -> K) : \sum_(i : place n.+1) F i = F ord0 + \sum_(i : place n) F (lift ord0 i).
Proof. by rewrite /sum /= foldr_map. Qed.

Lemma sum_no_place (F : 'I_0 -> K) : \sum_(i : place 0) F i = 0.
Proof. by []. Qed.
End Sums.
