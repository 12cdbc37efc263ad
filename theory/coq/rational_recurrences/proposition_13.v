(* Proposition 13 (Peng et al. 2018, section 4.3 and appendix C): the input switched affine network ISAN is rational. *)

From mathcomp Require Import all_ssreflect.
From ratproof Require Import semiring sums automaton.
From ratproof.rational_recurrences.shared Require Import rational.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Section Proposition13.
Variables (K : semiring) (S : Type) (d : nat) (c_0 : 'I_d -> K) (W : S -> 'I_d -> 'I_d -> K) (b : S -> 'I_d -> K).

(* c_t = W_{x_t} c_{t-1} + b_{x_t} (equation 16). *)
Definition isan_next (c : 'I_d -> K) (x : S) (i : 'I_d) : K := (\sum_(j : place d) W x i j * c j) + b x i.
Definition isan := run isan_next c_0.

(* Appendix C: the states Q_1 (left) for the numbers of c, and as many states Q_2 (right) for the number 1. In Q_1, tau is the transpose of W. Each
   state of Q_2 has a loop of weight 1, and leads to its own number with weight b. The unit i has the final state q_i of Q_1. The initial weights are
   arbitrary. *)
Definition doubled (initial : 'I_d + 'I_d -> K) (i : 'I_d) : wfa K S (sum_finite (place d) (place d)) :=
  @Wfa K S (sum_finite (place d) (place d)) initial
    (fun x p q => match p, q with
       | inl j, inl k => W x k j
       | inr j, inl k => if j == k then b x k else 0
       | inr j, inr k => if j == k then 1 else 0
       | inl _, inr _ => 0
       end)
    (fun q => if q is inl j then (if j == i then 1 else 0) else 0).

(* One state for the number 1 (None), and one for each number of c. *)
Definition with_one_more_state (i : 'I_d) : wfa K S (option_finite (place d)) :=
  @Wfa K S (option_finite (place d))
    (fun q => if q is Some j then c_0 j else 1)
    (fun x p q => match p, q with
       | Some j, Some k => W x k j
       | None, Some k => b x k
       | None, None => 1
       | Some _, None => 0
       end)
    (fun q => if q is Some j then (if j == i then 1 else 0) else 0).

(* Weights must commute: the network computes W c, and a path computes c W. *)
Hypothesis timesC : commutative (@times K).

Lemma unit_is_read (F : 'I_d -> K) i : \sum_(j : place d) F j * (if j == i then 1 else 0) = F i.
Proof. by rewrite (sum_at (p := i : place d)) ?eqxx ?timesw1 // => j /negbTE ->; rewrite timesw0. Qed.

(* With lambda(q_i) = c_0 in Q_1 and 1 in Q_2, the automaton with 2d states computes the unit i, for any d. *)
Theorem proposition_13 i w : score (doubled (fun q => if q is inl j then c_0 j else 1) i) w = isan w i.
Proof.
rewrite (score_is_inv (next := isan_next) (start := c_0) (inv := fun c q => if q is inl j then c j else 1)) => [|[]|c x [k|k]] //.
- by rewrite sum_sum unit_is_read (eq_sum (fun p => timesw0 _)) sum0 plusw0.
- rewrite sum_sum /isan_next; congr (_ + _); first by apply: eq_sum => j; rewrite timesC.
  by rewrite (sum_at (p := k : place d)) /= ?eqxx ?times1w // => j /negbTE ->; rewrite timesw0.
rewrite sum_sum (eq_sum (fun j => timesw0 _)) sum0 plus0w.
by rewrite (sum_at (p := k : place d)) /= ?eqxx ?times1w // => j /negbTE ->; rewrite timesw0.
Qed.

(* d + 1 states suffice. *)
Theorem proposition_13_with_fewer_states i w : score (with_one_more_state i) w = isan w i.
Proof.
rewrite (score_is_inv (next := isan_next) (start := c_0) (inv := fun c q => if q is Some j then c j else 1)) => [|[]|c x [k|]] //.
- by rewrite sum_option unit_is_read timesw0 plus0w.
- by rewrite sum_option times1w plusC /isan_next; congr (_ + _); apply: eq_sum => j; rewrite timesC.
by rewrite sum_option times1w (eq_sum (fun j => timesw0 _)) sum0 plusw0.
Qed.
End Proposition13.

(* Appendix C has 2d states, and the smaller automaton has d + 1. *)
Theorem states_of_proposition_13 d :
  card (sum_finite (place d) (place d)) = (2 * d)%N /\ card (option_finite (place d)) = d.+1.
Proof. by rewrite card_sum card_option card_place mul2n addnn. Qed.

(* Appendix C as printed has lambda(q_i) = 1 for i = 1, ..., d, which are the states Q_1: the empty word has the score 1 although c_0 = 0. *)
Theorem printed_is_refuted (K : semiring) (S : Type) d W (b : S -> 'I_d.+1 -> K) i :
  1 <> 0 :> K -> score (doubled W b (fun q => if q is inl _ then 1 else 0) i) [::] <> isan (fun _ => 0) W b [::] i.
Proof.
move=> nontrivial; rewrite /score /forward /= sum_sum /=.
by rewrite (unit_is_read (fun _ => 1)) (eq_sum (fun p => timesw0 _)) sum0 plusw0.
Qed.

(* ISAN's d units are rational (Definition 8). *)
Theorem isan_is_rational (K : semiring) (S : Type) d (c_0 : 'I_d -> K) W (b : S -> 'I_d -> K) :
  commutative (@times K) -> rational (isan c_0 W b).
Proof.
by move=> timesC; exists (fun=> option_finite (place d)), (with_one_more_state c_0 W b) => w i; rewrite proposition_13_with_fewer_states.
Qed.
