(* The crossing identity of the scores of diagonal layers: the order of letters inside a word does not matter. *)

From mathcomp Require Import all_ssreflect.
From ratproof Require Import semiring sums automaton.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Section Diagonal.
Variables (K : semiring) (S : eqType) (d : nat) (gate offset : S -> 'I_d -> K) (weights : 'I_d -> K) (constant : K).

(* The step gate ∘ s + offset, and the value of an affine read-out. *)
Definition diagonal_next (s : 'I_d -> K) (x : S) (j : 'I_d) : K := gate x j * s j + offset x j.
Definition diagonal_score (s_0 : 'I_d -> K) (w : seq S) : K :=
  \sum_(j : place d) (weights j * run diagonal_next s_0 w j) + constant.

(* A word multiplies the state by its gates, and adds the state that it reaches from zeros. *)
Definition gates (w : seq S) (j : 'I_d) : K := foldl (fun p x => gate x j * p) 1 w.
Definition added (w : seq S) : 'I_d -> K := run diagonal_next (fun=> 0) w.

Lemma run_word s w j : run diagonal_next s w j = gates w j * s j + added w j.
Proof.
elim/last_ind: w => [|w x IH]; first by rewrite /added /= times1w plusw0.
by rewrite /added !run_rcons /diagonal_next IH /gates foldl_rcons timesDr !timesA plusA.
Qed.

Hypothesis timesC : commutative (@times K).

Lemma gates_any_order u u' j : perm_eq u u' -> gates u j = gates u' j.
Proof.
move=> same; pose law := @Monoid.ComLaw K 1 (times_law K) timesC.
have as_product w : gates w j = \big[law/1]_(x <- w) gate x j.
  elim/last_ind: w => [|w x IH]; first by rewrite big_nil.
  by rewrite /gates foldl_rcons -/(gates w j) IH -cats1 big_cat big_seq1 [RHS]timesC.
by rewrite !as_product; apply: perm_big.
Qed.

(* For every layer of any size and from any two states, words u and u' with the same letters can be exchanged between two contexts. *)
Theorem crossing s_0 t_0 w w' u u' v : perm_eq u u' ->
  diagonal_score s_0 (w ++ u ++ v) + diagonal_score t_0 (w' ++ u' ++ v) =
  diagonal_score s_0 (w ++ u' ++ v) + diagonal_score t_0 (w' ++ u ++ v).
Proof.
move=> same; rewrite /diagonal_score.
have swap (a b c e : K) : a + b + (c + e) = a + c + (b + e) by rewrite -!plusA; congr (_ + _); rewrite !plusA (plusC b).
rewrite !(swap _ constant) -!sumD; congr (_ + _); apply: eq_sum => j; rewrite -!timesDr; congr (_ * _).
have parts s y z : run diagonal_next s (y ++ z ++ v) j = gates v j * (gates z j * run diagonal_next s y j + added z j) + added v j.
  have run_cat t p q : run diagonal_next t (p ++ q) = run diagonal_next (run diagonal_next t p) q by apply: foldl_cat.
  by rewrite !run_cat !(run_word (run _ _ _)).
rewrite !parts !(swap _ (added v j)) -!timesDr (gates_any_order j same); congr (_ * _ + _).
by rewrite swap [RHS]swap (plusC (added u j)).
Qed.
End Diagonal.
