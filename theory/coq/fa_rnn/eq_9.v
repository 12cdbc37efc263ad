(* Equation 9 (Jiang et al. 2020): the tensor, and therefore the automaton, is reconstructed from the factors. *)

From mathcomp Require Import all_ssreflect.
From ratproof Require Import semiring sums automaton instances.
From ratproof.fa_rnn Require Import eq_4 eq_5.
From ratproof.fa_rnn.shared Require Import accepting_paths.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Section Equation9.
Variables (K : semiring) (S : Type) (n : nat) (C : finite) (D_1 D_2 : 'I_n -> C -> K) (E_R : S -> C -> K).

(* The unfolding (D_2 (.) D_1) E_R^T has K^2 rows; its row j K + i, counted from 0, is read as T[x, i, j]. *)
Lemma row_below (m : 'I_(n * n)) : (m %/ n < n)%N /\ (m %% n < n)%N.
Proof.
have some: (0 < n)%N by case: n m => [[]|].
by rewrite ltn_divLR // ltn_ord ltn_mod.
Qed.
Definition row_of (m : 'I_(n * n)) : 'I_n := Ordinal (row_below m).2.
Definition block_of (m : 'I_(n * n)) : 'I_n := Ordinal (row_below m).1.
Definition unfolding (m : 'I_(n * n)) (x : S) : K := \sum_(s : C) (D_2 (block_of m) s * D_1 (row_of m) s) * E_R x s.

Lemma row_number (i j : 'I_n) : (j * n + i < n * n)%N.
Proof. by apply: leq_trans (_ : j.+1 * n <= _)%N; rewrite ?leq_mul2r ?ltn_ord ?orbT // mulSn addnC ltn_add2r. Qed.
Definition refolded (x : S) (i j : 'I_n) : K := unfolding (Ordinal (row_number i j)) x.

(* The refolded unfolding is the tensor of the network's automaton. Weights must commute, because the rows of the unfolding are products D_2 D_1. *)
Theorem refolded_is_of_factors : commutative (@times K) -> forall x i j, refolded x i j = of_factors (Q := place n) D_1 D_2 E_R x i j.
Proof.
move=> timesC x i j; apply: eq_sum => s.
have some: (0 < n)%N by case: n i => [[]|].
have -> : block_of (Ordinal (row_number i j)) = j by apply: val_inj; rewrite /= divnMDl // divn_small ?addn0.
have -> : row_of (Ordinal (row_number i j)) = i by apply: val_inj; rewrite /= modnMDl modn_small.
by rewrite -timesA timesC.
Qed.

(* So the refolded automaton gives every word the same score as the network. *)
Theorem eq_9 (alpha_0 alpha_inf : 'I_n -> K) w : commutative (@times K) ->
  score (@Wfa K S (place n) alpha_0 refolded alpha_inf) w = score_5 (Q := place n) alpha_0 alpha_inf D_1 D_2 E_R w.
Proof.
move=> timesC; rewrite -eq_5 /score; apply: eq_sum => q; congr (_ * _).
elim/last_ind: w q => // w x IH q; rewrite !forward_rcons.
by apply: eq_sum => p; rewrite IH /= refolded_is_of_factors.
Qed.
End Equation9.

(* If the row is read as [i, j], as programs reshape it, every matrix is transposed, and the transition from state 0 to state 1 is lost. *)
Theorem without_state_after_first_is_refuted (K : semiring) : commutative (@times K) -> 1 <> 0 :> K ->
  ~ (forall S n (C : finite) (D_1 D_2 : 'I_n -> C -> K) (E_R : S -> C -> K) (alpha_0 alpha_inf : 'I_n -> K) w,
     score (@Wfa K S (place n) alpha_0 (fun x i j => refolded D_1 D_2 E_R x j i) alpha_inf) w =
     score_5 (Q := place n) alpha_0 alpha_inf D_1 D_2 E_R w).
Proof.
move=> timesC nontrivial all; apply: nontrivial.
pose first (i : 'I_2) : K := if val i is 0%N then 1 else 0; pose second (i : 'I_2) : K := if val i is 0%N then 0 else 1.
have := all unit 2%N (place 1) (fun i _ => first i) (fun j _ => second j) (fun _ _ => 1) first second [:: tt].
rewrite /score_5 /next_5 /run /= /score /forward /run /= /forward_step.
under eq_sum => q do (under eq_sum => p do rewrite /= refolded_is_of_factors //).
by rewrite /of_factors /first /second; written_out => ->.
Qed.

(* The rules' automaton from the refolded tensor: a weight is 1 if the entry is at least a threshold gamma, in any order, and 0 otherwise. *)
Section Threshold.
Variables (K : semiring) (at_most : K -> K -> bool) (gamma : K) (S : eqType) (n : nat).

Definition thresholded (T : S -> 'I_n -> 'I_n -> K) (x : S) (i j : 'I_n) : K := bit K (at_most gamma (T x i j)).

(* With exact factors, and a threshold above 0 and at most 1, this automaton gives every word the same score as the tensor of the rules. *)
Theorem eq_9_threshold (C : finite) (D_1 D_2 : 'I_n -> C -> K) (E_R : S -> C -> K) (alpha_0 alpha_inf : 'I_n -> K)
    (moves : S -> 'I_n -> 'I_n -> bool) w :
  commutative (@times K) -> ~~ at_most gamma 0 -> at_most gamma 1 ->
  (forall x i j, of_factors (Q := place n) D_1 D_2 E_R x i j = bit K (moves x i j)) ->
  score (@Wfa K S (place n) alpha_0 (thresholded (refolded D_1 D_2 E_R)) alpha_inf) w =
  score_4 (Q := place n) alpha_0 alpha_inf (fun x i j => bit K (moves x i j)) w.
Proof.
move=> timesC /negbTE above_0 at_most_1 exact; rewrite -eq_4; apply: eq_sum => q; congr (_ * _).
elim/last_ind: w q => // w x IH q; rewrite !forward_rcons; apply: eq_sum => p; rewrite IH; congr (_ * _).
by rewrite /= /thresholded refolded_is_of_factors // exact /bit; case: (moves x p q); rewrite ?above_0 ?at_most_1.
Qed.
End Threshold.

(* No other threshold restores the automaton of the rules: a threshold of 0 or less adds a transition, and one above 1 removes a transition. *)
Theorem without_threshold_in_range_is_refuted (K : semiring) (at_most : K -> K -> bool) (gamma : K) : 1 <> 0 :> K ->
  at_most gamma 0 \/ ~~ at_most gamma 1 ->
  ~ (forall (S : eqType) n (C : finite) (D_1 D_2 : 'I_n -> C -> K) (E_R : S -> C -> K) (alpha_0 alpha_inf : 'I_n -> K)
       (moves : S -> 'I_n -> 'I_n -> bool) w,
     (forall x i j, of_factors (Q := place n) D_1 D_2 E_R x i j = bit K (moves x i j)) ->
     score (@Wfa K S (place n) alpha_0 (thresholded at_most gamma (refolded D_1 D_2 E_R)) alpha_inf) w =
     score_4 (Q := place n) alpha_0 alpha_inf (fun x i j => bit K (moves x i j)) w).
Proof.
move=> nontrivial out all; apply: nontrivial.
have same b : bit K (at_most gamma (bit K b)) = bit K b.
  have := all unit_eqType 1%N (place 1) (fun _ _ => 1) (fun _ _ => 1) (fun _ _ => bit K b) (fun _ => 1) (fun _ => 1) (fun _ _ _ => b) [:: tt].
  evaluated; rewrite /score_4 /next_4 /run /= /thresholded /refolded /unfolding /of_factors; written_out; apply => *.
  by written_out.
by case: out => [below|/negbTE above]; have := same false; have := same true; rewrite /= ?below ?above.
Qed.
