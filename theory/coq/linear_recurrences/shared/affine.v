(* Affine steps and their automata, which all claims about linear recurrences use. *)

From mathcomp Require Import all_ssreflect.
From ratproof Require Import semiring sums automaton.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

(* A network whose output reads the state after the step, or before it. *)
Section Outputs.
Variables (K : semiring) (S C : Type).
Implicit Types (next : C -> S -> C) (out : S -> C -> K).

Definition after_step next out (state : C * K) (x : S) : C * K := (next state.1 x, out x (next state.1 x)).
Definition before_step next out (state : C * K) (x : S) : C * K := (next state.1 x, out x state.1).
Definition output_after next out (c_0 : C) (w : seq S) : K := (run (after_step next out) (c_0, 0) w).2.
Definition output_before next out (c_0 : C) (w : seq S) : K := (run (before_step next out) (c_0, 0) w).2.
End Outputs.

(* Numbers with indices in P. A token changes them by a matrix and an update, which may also depend on a finite memory of the earlier tokens. *)
Section Memory.
Variables (K : semiring) (S : Type) (M P : finite) (m_0 : M) (remember : M -> S -> M).
Variables (s_0 : P -> K) (matrix : M -> S -> P -> P -> K) (update : M -> S -> P -> K).

(* The states are the output (None), and for each memory 1 (Some (m, None)) and the numbers. The transitions to the output depend on whether the
   output reads the numbers before or after the step. *)
Definition towards (m' m : M) (weight : K) : K := if m == m' then weight else 0.
Definition with_outputs (from_one : M -> S -> K) (from_number : M -> S -> P -> K) : wfa K S (option_finite (prod_finite M (option_finite P))) :=
  @Wfa K S (option_finite (prod_finite M (option_finite P)))
    (fun q => if q is Some (m, p) then towards m_0 m (if p is Some i then s_0 i else 1) else 0)
    (fun x p q => match p, q with
       | None, _ => 0
       | Some (m, None), None => from_one m x
       | Some (m, Some i), None => from_number m x i
       | Some (m, None), Some (m', None) => towards (remember m x) m' 1
       | Some (m, None), Some (m', Some j) => towards (remember m x) m' (update m x j)
       | Some (m, Some i), Some (m', Some j) => towards (remember m x) m' (matrix m x i j)
       | Some (m, Some i), Some (m', None) => 0
       end)
    (fun q => if q is None then 1 else 0).

Lemma states_of_output : card (option_finite (prod_finite M (option_finite P))) = (card M * (card P).+1).+1.
Proof. by rewrite card_option card_prod card_option. Qed.

(* A network whose state determines a memory and such numbers, and whose output is a weighted sum of the numbers plus a contribution of the token. *)
Section Network.
Variables (C : Type) (next : C -> S -> C) (out : C -> S -> K) (c_0 : C) (memory : C -> M) (number : C -> P -> K).
Variables (from_one : M -> S -> K) (from_number : M -> S -> P -> K).
Hypotheses (memory_0 : memory c_0 = m_0) (number_0 : number c_0 =1 s_0).
Hypothesis remembers : forall c x, memory (next c x) = remember (memory c) x.
Hypothesis is_affine : forall c x j, number (next c x) j = (\sum_(i : P) (number c i * matrix (memory c) x i j)) + update (memory c) x j.
Hypothesis puts_out : forall c x, out c x = (\sum_(i : P) (number c i * from_number (memory c) x i)) + from_one (memory c) x.

Definition vector (state : C * K) (q : option (M * option P)) : K :=
  if q is Some (m, p) then towards (memory state.1) m (if p is Some i then number state.1 i else 1) else state.2.

Lemma sum_of_vector state (F : option (M * option P) -> K) :
  \sum_(q : option_finite (prod_finite M (option_finite P))) (vector state q * F q) =
  state.2 * F None + (F (Some (memory state.1, None)) + \sum_(i : P) (number state.1 i * F (Some (memory state.1, Some i)))).
Proof.
rewrite sum_option sum_prod; congr (_ + _); rewrite (sum_at (p := memory state.1)) /= => [|m /negbTE ne].
  by rewrite sum_option /towards eqxx times1w.
by rewrite /towards ne -[RHS](sum0 K (option_finite P)); apply: eq_sum => p; rewrite times0w.
Qed.

Lemma with_outputs_is_network w :
  score (with_outputs from_one from_number) w = (run (fun state x => (next state.1 x, out state.1 x)) (c_0, 0) w).2.
Proof.
rewrite (score_is_inv (next := fun state x => (next state.1 x, out state.1 x)) (start := (c_0, 0)) (inv := vector)) => [|[[m [i|]]|]|[c o] x [[m [j|]]|]].
- by rewrite sum_of_vector /= timesw1 (eq_sum (fun i => timesw0 _)) sum0 !plusw0.
- by rewrite /= memory_0 number_0.
- by rewrite /= memory_0.
- by [].
- rewrite sum_of_vector /= timesw0 plus0w remembers /towards; case: eqP => _; last by rewrite plus0w (eq_sum (fun i => timesw0 _)) sum0.
  by rewrite is_affine plusC.
- by rewrite sum_of_vector /= timesw0 plus0w (eq_sum (fun i => timesw0 _)) sum0 plusw0 remembers.
by rewrite sum_of_vector /= timesw0 plus0w puts_out plusC.
Qed.
End Network.

(* The output reads the numbers after the step, or before it. *)
Variables (read : M -> S -> P -> K) (skip : M -> S -> K).
Definition remembering_after := with_outputs
  (fun m x => (\sum_(j : P) (read m x j * update m x j)) + skip m x) (fun m x i => \sum_(j : P) (read m x j * matrix m x i j)).
Definition remembering_before := with_outputs skip read.

Variables (C : Type) (next : C -> S -> C) (out : S -> C -> K) (c_0 : C) (memory : C -> M) (number : C -> P -> K).
Hypotheses (memory_0 : memory c_0 = m_0) (number_0 : number c_0 =1 s_0).
Hypothesis remembers : forall c x, memory (next c x) = remember (memory c) x.
Hypothesis is_affine : forall c x j, number (next c x) j = (\sum_(i : P) (number c i * matrix (memory c) x i j)) + update (memory c) x j.

(* Weights must commute: the network computes the product read s, and a path computes s read. *)
Hypothesis timesC : commutative (@times K).

Lemma remembering_after_is_output :
  (forall c x, out x (next c x) = (\sum_(j : P) (read (memory c) x j * number (next c x) j)) + skip (memory c) x) ->
  forall w, score remembering_after w = output_after next out c_0 w.
Proof.
move=> reads w; apply: (with_outputs_is_network (out := fun c x => out x (next c x)) memory_0 number_0) => // c x.
rewrite reads plusA; congr (_ + _).
rewrite (eq_sum (fun j => congr1 _ (is_affine c x j))) (eq_sum (fun j => timesDr (read _ x j) _ _)) sumD; congr (_ + _).
rewrite (eq_sum (fun j => times_sum _ (read _ x j))) exchange_sum; apply: eq_sum => i.
by rewrite times_sum; apply: eq_sum => j; rewrite !timesA (timesC (number c i)).
Qed.

Lemma remembering_before_is_output :
  (forall c x, out x c = (\sum_(j : P) (read (memory c) x j * number c j)) + skip (memory c) x) ->
  forall w, score remembering_before w = output_before next out c_0 w.
Proof.
move=> reads w; apply: (with_outputs_is_network (out := fun c x => out x c) memory_0 number_0) => // c x.
by rewrite reads; congr (_ + _); apply: eq_sum => j; apply: timesC.
Qed.
End Memory.

(* The numbers themselves are the units: the states are 1 (None) and the numbers. *)
Section Units.
Variables (K : semiring) (S : Type) (P : finite) (s_0 : P -> K) (matrix : S -> P -> P -> K) (update : S -> P -> K).

Definition number_alone (unit : P) : wfa K S (option_finite P) :=
  @Wfa K S (option_finite P)
    (fun q => if q is Some i then s_0 i else 1)
    (fun x p q => match p, q with
       | None, None => 1
       | None, Some j => update x j
       | Some i, Some j => matrix x i j
       | Some _, None => 0
       end)
    (fun q => if q is Some i then (if i == unit then 1 else 0) else 0).

Lemma states_of_number_alone : card (option_finite P) = (card P).+1.
Proof. exact: card_option. Qed.

Variables (C : Type) (next : C -> S -> C) (c_0 : C) (number : C -> P -> K).
Hypothesis number_0 : number c_0 =1 s_0.
Hypothesis is_affine : forall c x j, number (next c x) j = (\sum_(i : P) (number c i * matrix x i j)) + update x j.

Lemma number_alone_is_unit unit w : score (number_alone unit) w = number (run next c_0 w) unit.
Proof.
rewrite (score_is_inv (next := next) (start := c_0) (inv := fun c q => if q is Some i then number c i else 1)) => [|[i|]|c x [j|]] //.
- rewrite sum_option timesw0 plus0w (sum_at (p := unit)) /= ?eqxx ?timesw1 // => i /negbTE ->; exact: timesw0.
- by rewrite /= number_0.
- by rewrite sum_option times1w plusC is_affine.
by rewrite sum_option times1w (eq_sum (fun i => timesw0 _)) sum0 plusw0.
Qed.
End Units.

(* A diagonal matrix of decays plus terms of rank one, without a memory. *)
Section Affine.
Variables (K : semiring) (S : Type) (d : nat) (T : finite).
Variables (s_0 : 'I_d -> K) (decay : S -> 'I_d -> K) (left right : S -> T -> 'I_d -> K) (update read : S -> 'I_d -> K) (skip : S -> K).
Implicit Types s : 'I_d -> K.

(* s_j <- decay_j s_j + sum_t left_tj (sum_i right_ti s_i) + update_j, for the token x. *)
Definition affine s x (j : 'I_d) : K :=
  decay x j * s j + (\sum_(t : T) (left x t j * \sum_(i : place d) (right x t i * s i))) + update x j.

(* The transition weight from component i to component j. *)
Definition move x (i j : 'I_d) : K := (if i == j then decay x i else 0) + \sum_(t : T) (left x t j * right x t i).

(* With a single memory, the states are 1, the d numbers and the output. *)
Let only (m : 'I_1) (x : S) : 'I_1 := ord0.
Definition reading_after := @remembering_after K S (place 1) (place d) ord0 only s_0 (fun _ => move) (fun _ => update) (fun _ => read) (fun _ => skip).
Definition reading_before := @remembering_before K S (place 1) (place d) ord0 only s_0 (fun _ => move) (fun _ => update) (fun _ => read) (fun _ => skip).

Lemma states_of_affine : card (option_finite (prod_finite (place 1) (option_finite (place d)))) = d.+2.
Proof. by rewrite states_of_output !card_place mul1n. Qed.

(* Weights must commute: the network computes the product decay s, and a path computes s decay. *)
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

(* A network with this step is the automaton. *)
Section Network.
Variables (next : ('I_d -> K) -> S -> 'I_d -> K) (out : S -> ('I_d -> K) -> K).
Hypothesis is_affine : forall s x j, next s x j = affine s x j.
Hypothesis reads : forall x s, out x s = (\sum_(j : place d) (read x j * s j)) + skip x.

Lemma reading_after_is_output w : score reading_after w = output_after next out s_0 w.
Proof.
apply: (remembering_after_is_output (memory := fun=> ord0) (number := id)) => // s x j.
by rewrite moved is_affine.
Qed.

Lemma reading_before_is_output w : score reading_before w = output_before next out s_0 w.
Proof.
apply: (remembering_before_is_output (memory := fun=> ord0) (number := id)) => // s x j.
by rewrite moved is_affine.
Qed.
End Network.
End Affine.

(* No term of rank one, and a single term. *)
Definition no_term (K : semiring) (S : Type) d (x : S) (t : 'I_0) (i : 'I_d) : K := 0.
Definition one_term (K : semiring) (S : Type) d (F : S -> 'I_d -> K) (x : S) (t : 'I_1) (i : 'I_d) : K := F x i.

Lemma sum_no_term (K : semiring) (F : 'I_0 -> K) : \sum_(t : place 0) F t = 0.
Proof. exact: sum_no_place. Qed.
Lemma sum_one_term (K : semiring) (F : 'I_1 -> K) : \sum_(t : place 1) F t = F ord0.
Proof. by rewrite sum_place sum_no_place plusw0. Qed.
