(* Equation 6 at beta = 0 (Jiang et al. 2020, section 3.3): with G = P E_R, where P is the pseudo-inverse of E_w, the network equals the automaton
   if the columns of E_R lie in the column space of E_w.

   The theorem holds for every generalized inverse P of E_w, that is E_w P E_w = E_w. The pseudo-inverse is one. *)

From mathcomp Require Import all_ssreflect all_algebra.
From ratproof Require Import semiring sums automaton instances.
From ratproof.fa_rnn Require Import eq_4 eq_5.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Section Products.
Variable K : semiring.

Definition product (I : Type) (J : finite) (L : Type) (A : I -> J -> K) (B : J -> L -> K) (i : I) (l : L) : K := \sum_(j : J) A i j * B j l.
Definition equal_tables (I J : Type) (A B : I -> J -> K) : Prop := forall i j, A i j = B i j.

Lemma productA (I : Type) (J L : finite) (N : Type) (A : I -> J -> K) (B : J -> L -> K) (C : L -> N -> K) :
  equal_tables (product (product A B) C) (product A (product B C)).
Proof.
move=> i n; rewrite /product (eq_sum (fun l => sum_times _ _)) exchange_sum; apply: eq_sum => j.
by rewrite times_sum; apply: eq_sum => l; rewrite timesA.
Qed.

Lemma eq_product (I : Type) (J : finite) (L : Type) (A A' : I -> J -> K) (B B' : J -> L -> K) :
  equal_tables A A' -> equal_tables B B' -> equal_tables (product A B) (product A' B').
Proof. by move=> eqA eqB i l; apply: eq_sum => j; rewrite eqA eqB. Qed.

Definition generalized_inverse (I J : finite) (A : I -> J -> K) (P : J -> I -> K) : Prop := equal_tables (product (product A P) A) A.

(* The pseudo-inverse (Moore and Penrose), of real numbers. *)
Definition pseudo_inverse (I J : finite) (A : I -> J -> K) (P : J -> I -> K) : Prop :=
  [/\ generalized_inverse A P, generalized_inverse P A,
      forall i i', product A P i i' = product A P i' i & forall j j', product P A j j' = product P A j' j].

(* S: the words; D: the dimensions of word vectors. E_w x is the vector of word x, and E_R x its row. *)
Variables (S D Q C : finite) (D_1 D_2 : Q -> C -> K) (alpha_0 alpha_inf : Q -> K).

(* Equation 6 at beta = 0: the row of a word is u G. *)
Definition score_at_0 (E_w : S -> D -> K) (G : D -> C -> K) (w : seq S) : K := score_5 alpha_0 alpha_inf D_1 D_2 (product E_w G) w.

(* If E_R = E_w M for some M, the network is the automaton of the factors, in every semiring. *)
Theorem beta_0 (E_w : S -> D -> K) (E_R : S -> C -> K) (P : D -> S -> K) (M : D -> C -> K) w :
  generalized_inverse E_w P -> equal_tables E_R (product E_w M) ->
  score (automaton_of alpha_0 alpha_inf (of_factors D_1 D_2 E_R)) w = score_at_0 E_w (product P E_R) w.
Proof.
move=> inverse spans; rewrite /score_at_0 -eq_5; apply: eq_sum => q; congr (_ * _).
have same : equal_tables (product E_w (product P E_R)) E_R.
  move=> x s; rewrite -productA (eq_product (fun _ _ => erefl) spans) -productA (eq_product inverse (fun _ _ => erefl)).
  by rewrite spans.
elim/last_ind: w q => // w x IH q; rewrite !forward_rcons; apply: eq_sum => p; rewrite IH /=; congr (_ * _).
by apply: eq_sum => s; rewrite same.
Qed.
End Products.

(* Otherwise the network may differ from the automaton: if there is one word with the vector 0, so that P is 0, and with the row 1, the network
   gives 0 and the automaton 1. *)
Theorem printed_is_refuted (K : semiring) : 1 <> 0 :> K ->
  ~ (forall (S D Q C : finite) (D_1 D_2 : Q -> C -> K) (alpha_0 alpha_inf : Q -> K) (E_w : S -> D -> K) (E_R : S -> C -> K) (P : D -> S -> K) w,
     pseudo_inverse E_w P ->
     score (automaton_of alpha_0 alpha_inf (of_factors D_1 D_2 E_R)) w = score_at_0 D_1 D_2 alpha_0 alpha_inf E_w (product P E_R) w).
Proof.
move=> nontrivial all; apply: nontrivial.
have := all (place 1) (place 1) (place 1) (place 1) (fun _ _ => 1) (fun _ _ => 1) (fun _ => 1) (fun _ => 1)
  (fun _ _ => 0) (fun _ _ => 1) (fun _ _ => 0) [:: ord0].
rewrite /score_at_0 /score_5 /next_5 /run; evaluated; rewrite /of_factors /product; written_out; apply.
by split; rewrite /generalized_inverse /equal_tables /product => *; written_out.
Qed.

Section Fields.
Import GRing.Theory.
Local Open Scope ring_scope.

(* Over a field, E_w G = E_R if and only if appending E_R to E_w does not increase the rank. *)
Theorem beta_0_only_then (F : fieldType) V D r (E_w : 'M[F]_(V, D)) (E_R : 'M[F]_(V, r)) (P : 'M[F]_(D, V)) :
  E_w *m P *m E_w = E_w -> (\rank (row_mx E_w E_R) == \rank E_w) = (E_w *m (P *m E_R) == E_R).
Proof.
move=> inverse; rewrite -mxrank_tr -[\rank E_w]mxrank_tr tr_row_mx -addsmxE.
have sub : (E_w^T <= E_w^T + E_R^T)%MS by apply: addsmxSl.
rewrite eq_sym (mxrank_leqif_sup sub).2 addsmx_sub submx_refl /=; apply/submxP/eqP => [[N eq]|eq].
  have -> : E_R = E_w *m N^T by rewrite -[E_R]trmxK eq trmx_mul trmxK.
  by rewrite !mulmxA inverse.
by exists (P *m E_R)^T; rewrite -trmx_mul eq.
Qed.
End Fields.
