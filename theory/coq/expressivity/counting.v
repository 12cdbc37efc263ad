(* Networks that count, and networks that cannot because they have finitely many states (Weiss, Goldberg and Yahav 2018). *)

From Coq Require Import QArith Qcanon.
From mathcomp Require Import all_ssreflect all_algebra.
From ratproof Require Import semiring sums automaton instances.
From ratproof.expressivity Require Import saturated_lstm.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

(* The ReLU of rational numbers, which Coq can compute. *)
Definition relu_of_rationals (a : rationals) : rationals := if Qle_bool 0 (this a) then a else zero.

(* An Elman network with an activation, and its automaton with a state for each unit and the state None that is always 1. *)
Section Elman.
Variables (K : semiring) (S : Type) (n : nat) (relu : K -> K) (W : 'I_n -> 'I_n -> K) (u : S -> 'I_n -> K) (h_0 r : 'I_n -> K).

Definition relu_next (h : 'I_n -> K) (x : S) (j : 'I_n) : K := relu (\sum_(i : place n) h i * W i j + u x j).
Definition relu_elman (w : seq S) : K := \sum_(j : place n) run relu_next h_0 w j * r j.
Definition relu_automaton : wfa K S (option_finite (place n)) := @Wfa K S (option_finite (place n))
  (fun q => if q is Some j then h_0 j else 1)
  (fun x q q' => match q, q' with
    | None, None => 1
    | None, Some j => u x j
    | Some i, Some j => W i j
    | Some _, None => 0
    end)
  (fun q => if q is Some j then r j else 0).

(* Let the activation be the identity on a set that is closed under sums and products. If all weights are in this set, the network is linear. *)
Theorem counting (nonnegative : K -> Prop) :
  nonnegative 0 -> (forall a b, nonnegative a -> nonnegative b -> nonnegative (a + b)) -> (forall a b, nonnegative a -> nonnegative b -> nonnegative (a * b)) ->
  (forall a, nonnegative a -> relu a = a) ->
  (forall i j, nonnegative (W i j)) -> (forall x j, nonnegative (u x j)) -> (forall j, nonnegative (h_0 j)) ->
  forall w, score relu_automaton w = relu_elman w.
Proof.
move=> at_0 closedD closedM keeps W_in u_in h_in w.
have sum_in (F : 'I_n -> K) : (forall i, nonnegative (F i)) -> nonnegative (\sum_(i : place n) F i).
  by move=> F_in; rewrite /sum; elim: (elements _) => //= i l IH; apply: closedD.
pose reached (h : 'I_n -> K) := forall j, nonnegative (h j).
have before_relu h x j : reached h -> nonnegative (\sum_(i : place n) h i * W i j + u x j).
  by move=> h_reached; apply: closedD => //; apply: sum_in => i; apply: closedM.
rewrite (score_is_inv_reached (next := relu_next) (start := h_0) (reached := reached) (inv := fun h q => if q is Some j then h j else 1)) => [|//|h x h_reached j|[j|] //|h x [j|] h_reached].
- by rewrite sum_option timesw0 plus0w.
- by rewrite /relu_next keeps; apply: before_relu.
- by rewrite sum_option times1w /= plusC /relu_next keeps //; apply: before_relu.
rewrite sum_option times1w (eq_sum (G := fun=> 0)) /= => [|k]; last by rewrite timesw0.
by rewrite sum0 plusw0.
Qed.
End Elman.

(* A network with finitely many states is an automaton with this number of states, for any step and any output. *)
Section Finite.
Variables (K : semiring) (S : Type) (D : finite) (next : D -> S -> D) (start : D) (output : D -> K).
Definition finite_network (w : seq S) : K := output (run next start w).
Definition finite_automaton : wfa K S D := Wfa (fun d => if d == start then 1 else 0) (fun x d d' => if d' == next d x then 1 else 0) output.

Theorem counting_finite w : score finite_automaton w = finite_network w.
Proof.
rewrite (score_is_inv (next := next) (start := start) (inv := fun d q => if q == d then 1 else 0)) // => [|d x q].
  by rewrite (sum_at (p := run next start w)) => [|q /negbTE ne]; rewrite ?eqxx ?times1w // ne times0w.
by rewrite (sum_at (p := d)) => [|p /negbTE ne]; rewrite ?eqxx ?times1w // ne times0w.
Qed.
End Finite.

(* A unit with negative inputs. Its activation is the identity on counts, and 0 at -1. *)
Section Unit.
Variables (K : semiring) (S : Type) (relu : K -> K) (minus : K) (step : S -> option bool).
Definition unit_next (h : K) (x : S) : K := relu (h + match step x with Some true => 1 | Some false => minus | None => 0 end).
Definition unit_after (w : seq S) : K := run unit_next 0 w.

Lemma unit_counts : minus + 1 = 0 -> (forall c, relu (of_count K c) = of_count K c) -> relu minus = 0 -> forall w, unit_after w = of_count K (count step w).
Proof.
move=> inverse keeps clips w; rewrite /unit_after /count.
elim/last_ind: w => [//|w x IH]; rewrite !run_rcons IH /unit_next /count_next; case: (step x) => [[|]|]; last by rewrite plusw0 keeps.
  by rewrite plusC -(keeps _.+1).
case: (run _ _ _) => [|c]; first by rewrite plus0w clips.
have -> : of_count K c.+1 = 1 + of_count K c by [].
by rewrite -plusA [_ + minus]plusC plusA [1 + minus]plusC inverse plus0w keeps.
Qed.
End Unit.

(* With a negative input, one unit is the counter max(0, c + step), which no automaton over a field of numbers computes. *)
Theorem without_nonnegative_weights_is_refuted (F : numFieldType) (relu : of_ring F -> of_ring F) :
  (forall c, relu (of_count (of_ring F) c) = of_count (of_ring F) c) -> relu (-1)%R = 0 ->
  ~ (forall (S : eqType) (step : S -> option bool), exists (Q : finite) (A : wfa (of_ring F) S Q), forall w, score A w = unit_after relu (-1)%R step w).
Proof.
move=> keeps clips every; apply: (@without_letter_gates_is_refuted F) => S step.
have [Q [A same]] := every S step; exists Q, A => w.
by rewrite same (unit_counts _ _ keeps) //; exact: GRing.addNr.
Qed.

(* No network with finitely many states has the number of letters a as its output, over any field of numbers. *)
Theorem without_unbounded_cells_is_refuted (F : numFieldType) (D : finite) (next : D -> bool -> D) (start : D) (output : D -> F) :
  ~ (forall w, output (run next start w) = (count_mem true w)%:R%R).
Proof.
move=> counts; pose after k := run next start (nseq k true).
have after_inj : injective after.
  move=> i j /(congr1 output); rewrite !counts => /eqP; rewrite Num.Theory.eqr_nat => /eqP.
  by rewrite !count_nseq /= !mul1n.
have := @uniq_leq_size _ (map after (iota 0 (card D).+1)) (elements D).
rewrite map_inj_uniq // iota_uniq size_map size_iota -/(card D) ltnn => too_many; suff: false by [].
by apply: too_many => // d _; exact: in_elements.
Qed.
