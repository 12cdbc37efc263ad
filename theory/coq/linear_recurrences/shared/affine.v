(* An affine step with terms of rank one, and its automaton: what all claims about linear recurrences rest on. *)

From mathcomp Require Import all_ssreflect.
From ratproof Require Import semiring sums automaton.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

(* A network of d numbers with an output, which reads them after the step, or before it. *)
Section Outputs.
Variables (K : semiring) (S : Type) (d : nat).
Implicit Types (next : ('I_d -> K) -> S -> 'I_d -> K) (out : S -> ('I_d -> K) -> K).

Definition after_step next out (state : ('I_d -> K) * K) (x : S) : ('I_d -> K) * K := (next state.1 x, out x (next state.1 x)).
Definition before_step next out (state : ('I_d -> K) * K) (x : S) : ('I_d -> K) * K := (next state.1 x, out x state.1).
Definition output_after next out (s_0 : 'I_d -> K) (w : seq S) : K := (run (after_step next out) (s_0, 0) w).2.
Definition output_before next out (s_0 : 'I_d -> K) (w : seq S) : K := (run (before_step next out) (s_0, 0) w).2.
End Outputs.

Section Affine.
Variables (K : semiring) (S : Type) (d : nat) (T : finite).
Variables (s_0 : 'I_d -> K) (decay : S -> 'I_d -> K) (left right : S -> T -> 'I_d -> K) (update read : S -> 'I_d -> K) (skip : S -> K).
Implicit Types s : 'I_d -> K.

(* s_j <- decay_j s_j + sum_t left_tj (sum_i right_ti s_i) + update_j, for the token x. *)
Definition affine s x (j : 'I_d) : K :=
  decay x j * s j + (\sum_(t : T) (left x t j * \sum_(i : place d) (right x t i * s i))) + update x j.

(* Between the numbers i and j. *)
Definition move x (i j : 'I_d) : K := (if i == j then decay x i else 0) + \sum_(t : T) (left x t j * right x t i).

(* The states are 1 (None), the output (Some None), and the d numbers: d + 2. What leads to the output depends on when it reads. *)
Definition with_outputs (from_one : S -> K) (from_number : S -> 'I_d -> K) : wfa K S (option_finite (option_finite (place d))) :=
  @Wfa K S (option_finite (option_finite (place d)))
    (fun q => match q with None => 1 | Some None => 0 | Some (Some i) => s_0 i end)
    (fun x p q => match p, q with
       | None, None => 1
       | None, Some None => from_one x
       | None, Some (Some j) => update x j
       | Some (Some i), Some None => from_number x i
       | Some (Some i), Some (Some j) => move x i j
       | Some (Some _), None | Some None, _ => 0
       end)
    (fun q => if q is Some None then 1 else 0).
Definition reading_after := with_outputs
  (fun x => (\sum_(j : place d) (read x j * update x j)) + skip x) (fun x i => \sum_(j : place d) (read x j * move x i j)).
Definition reading_before := with_outputs skip read.

Lemma states_of_output : card (option_finite (option_finite (place d))) = d.+2.
Proof. by rewrite !card_option card_place. Qed.

(* The network writes decay s, and a path s decay: the weights commute. *)
Hypothesis timesC : commutative (@times K).

Lemma moved s x j :
  \sum_(i : place d) (s i * move x i j) = decay x j * s j + \sum_(t : T) (left x t j * \sum_(i : place d) (right x t i * s i)).
Proof.
transitivity (\sum_(i : place d) (s i * (if i == j then decay x i else 0) + \sum_(t : T) (s i * (left x t j * right x t i)))).
  by apply: eq_sum => i; rewrite /move timesDr times_sum.
rewrite sumD; congr (_ + _).
  by rewrite (sum_at (p := j : place d)) ?eqxx 1?timesC // => i /negbTE ->; rewrite timesC times0w.
rewrite exchange_sum; apply: eq_sum => t; rewrite times_sum; apply: eq_sum => i.
by rewrite timesC timesA.
Qed.

Lemma sum_of_output (F : option (option 'I_d) -> K) : \sum_(q : option_finite (option_finite (place d))) (F q * (if q is Some None then 1 else 0)) = F (Some None).
Proof. by rewrite !sum_option timesw0 timesw1 plus0w (eq_sum (fun i => timesw0 _)) sum0 plusw0. Qed.

Definition vector (state : ('I_d -> K) * K) (q : option (option 'I_d)) : K :=
  match q with None => 1 | Some None => state.2 | Some (Some i) => state.1 i end.

(* A network whose step is this one is the automaton, whatever it writes. *)
Section Network.
Variables (next : ('I_d -> K) -> S -> 'I_d -> K) (out : S -> ('I_d -> K) -> K).
Hypothesis is_affine : forall s x j, next s x j = affine s x j.
Hypothesis reads : forall x s, out x s = (\sum_(j : place d) (read x j * s j)) + skip x.

Lemma reading_after_is_output w : score reading_after w = output_after next out s_0 w.
Proof.
rewrite (score_is_inv (next := after_step next out) (start := (s_0, 0)) (inv := vector)) => [|[[]|]|[s o] x [[j|]|]] //.
- exact: sum_of_output.
- by rewrite !sum_option timesw0 times1w plus0w moved /= is_affine plusC.
- rewrite !sum_option times1w timesw0 plus0w /= reads.
  rewrite -plusA (plusC (skip x)) plusA; congr (_ + _).
  transitivity (\sum_(j : place d) (read x j * (\sum_(i : place d) (s i * move x i j)) + read x j * update x j)); last first.
    by apply: eq_sum => j; rewrite is_affine /affine moved [RHS]timesDr.
  rewrite sumD plusC; congr (_ + _).
  transitivity (\sum_(i : place d) \sum_(j : place d) (s i * (read x j * move x i j))); first by apply: eq_sum => i; rewrite times_sum.
  rewrite exchange_sum; apply: eq_sum => j; rewrite times_sum; apply: eq_sum => i.
  by rewrite !timesA (timesC (s i)).
by rewrite !sum_option times1w timesw0 (eq_sum (fun i => timesw0 _)) sum0 !plusw0.
Qed.

Lemma reading_before_is_output w : score reading_before w = output_before next out s_0 w.
Proof.
rewrite (score_is_inv (next := before_step next out) (start := (s_0, 0)) (inv := vector)) => [|[[]|]|[s o] x [[j|]|]] //.
- exact: sum_of_output.
- by rewrite !sum_option timesw0 times1w plus0w moved /= is_affine plusC.
- rewrite !sum_option times1w timesw0 plus0w /= reads plusC; congr (_ + _); apply: eq_sum => j; exact: timesC.
by rewrite !sum_option times1w timesw0 (eq_sum (fun i => timesw0 _)) sum0 !plusw0.
Qed.
End Network.
End Affine.

(* No terms, and one. *)
Definition no_term (K : semiring) (S : Type) d (x : S) (t : 'I_0) (i : 'I_d) : K := 0.
Definition one_term (K : semiring) (S : Type) d (F : S -> 'I_d -> K) (x : S) (t : 'I_1) (i : 'I_d) : K := F x i.

Lemma sum_no_term (K : semiring) (F : 'I_0 -> K) : \sum_(t : place 0) F t = 0.
Proof. exact: sum_no_place. Qed.
Lemma sum_one_term (K : semiring) (F : 'I_1 -> K) : \sum_(t : place 1) F t = F ord0.
Proof. by rewrite sum_place sum_no_place plusw0. Qed.
