(* Saturated LSTMs (Merrill et al. 2020): the gates of a cell are 0 or 1, and its candidate is -1 or 1. *)

From mathcomp Require Import all_ssreflect all_algebra.
From ratproof Require Import semiring sums automaton instances hankel.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

(* Cells whose gates depend on the letter only, with any gates and candidates, and a linear output. *)
Section Cells.
Variables (K : semiring) (S : Type) (n : nat) (f i g : S -> 'I_n -> K) (r : 'I_n -> K).

Definition cells_next (c : 'I_n -> K) (x : S) (j : 'I_n) : K := c j * f x j + i x j * g x j.
Definition cells (w : seq S) : K := \sum_(j : place n) run cells_next (fun _ => 0) w j * r j.

(* A state for each cell, and the state None that is always 1. *)
Definition cells_automaton : wfa K S (option_finite (place n)) := @Wfa K S (option_finite (place n))
  (fun q => if q is None then 1 else 0)
  (fun x q q' => match q, q' with
    | None, None => 1
    | None, Some j => i x j * g x j
    | Some j, Some j' => if j' == j then f x j else 0
    | Some _, None => 0
    end)
  (fun q => if q is Some j then r j else 0).

(* The automaton gives every word the same score as the cells, in every semiring and for any number of cells. *)
Theorem saturated_lstm w : score cells_automaton w = cells w.
Proof.
rewrite (score_is_inv (next := cells_next) (start := fun=> 0) (inv := fun c q => if q is Some j then c j else 1)) => [|[j|] //|c x [j|]].
- by rewrite sum_option timesw0 plus0w.
- rewrite sum_option times1w (sum_at (p := j)) /= => [|k /negbTE ne]; first by rewrite eqxx plusC.
  by rewrite eq_sym ne timesw0.
rewrite sum_option times1w (eq_sum (G := fun=> 0)) /= => [|k]; last by rewrite timesw0.
by rewrite sum0 plusw0.
Qed.
End Cells.

(* The counter max(0, c + step x), where a letter steps by 1 (Some true), by -1 (Some false), or by 0 (None). *)
Section Counter.
Variables (S : Type) (step : S -> option bool).
Definition count_next (c : nat) (x : S) : nat := match step x with Some true => c.+1 | Some false => c.-1 | None => c end.
Definition count (w : seq S) : nat := run count_next 0%N w.

Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.

(* One cell with forget and output gates 1, whose input gate reads the cell's output; squash stands for tanh on integers. *)
Variables (R : realDomainType) (squash : int -> R).
Definition pre_activation (c : int) (x : S) : R := 2%:R * squash c + match step x with Some true => 1 | Some false => -1 | None => -3%:R end.
Definition candidate (x : S) : int := if step x is Some false then -1 else 1.
Definition cell_next (c : int) (x : S) : int := c + (if 0 < pre_activation c x then candidate x else 0).

(* The cell is the counter, and no pre-activation is 0. *)
Theorem saturated_lstm_counter : squash 0 = 0 -> (forall c : nat, 1 < 2%:R * squash c.+1%:Z /\ squash c.+1%:Z <= 1) ->
  forall w x, run cell_next 0 w = (count w)%:Z /\ pre_activation (run cell_next 0 w) x != 0.
Proof.
move=> at_0 at_positive.
have bounds (c : nat) : 0 <= 2%:R * squash c%:Z /\ 2%:R * squash c%:Z <= 2%:R.
  case: c => [|c]; first by rewrite at_0 mulr0 lexx ler0n.
  by have [low high] := at_positive c; split; [apply: le_trans (ltW low); exact: ler01|rewrite ler_pimulr ?ler0n].
have sign (c : nat) x : pre_activation c%:Z x != 0 /\
    0 < pre_activation c%:Z x = (match step x with Some true => true | Some false => (0 < c)%N | None => false end).
  have [low high] := bounds c; rewrite /pre_activation; case: (step x) => [[|]|].
  - by have pos : 0 < 2%:R * squash c%:Z + 1 by [apply: ltr_paddl => //; exact: ltr01]; rewrite pos lt0r_neq0.
  - case: c {low high} => [|c] /=; first by rewrite at_0 mulr0 add0r oppr_eq0 oner_eq0 oppr_gt0 ltr10.
    by have [{}low _] := at_positive c; rewrite subr_gt0 low; split=> //; apply: lt0r_neq0; rewrite subr_gt0.
  have neg : 2%:R * squash c%:Z + - 3%:R < 0 by rewrite subr_lt0; apply: le_lt_trans high _; rewrite ltr_nat.
  by rewrite ltr0_neq0 // ltNge (ltW neg).
have counts w : run cell_next 0 w = (count w)%:Z.
  elim/last_ind: w => [//|w x IH]; rewrite /count !run_rcons -/(count w) IH /cell_next (sign _ _).2 /count_next /candidate.
  case: (step x) => [[|]|] /=; rewrite ?addr0 //; first by rewrite -PoszD addn1.
  by case: (count w) => [|c] //=; rewrite intS addrC addKr.
by move=> w x; rewrite counts; split=> //; exact: (sign _ _).1.
Qed.
End Counter.

(* A natural number as a weight. *)
Definition of_count (K : semiring) (c : nat) : K := iter c (plus 1) 0.

(* No automaton with any number of states, over any field of numbers, computes the counter: the block of the words a^(i+1) and b^j is triangular. *)
Theorem without_letter_gates_is_refuted (F : numFieldType) :
  ~ (forall (S : eqType) (step : S -> option bool), exists (Q : finite) (A : wfa (of_ring F) S Q), forall w, score A w = of_count (of_ring F) (count step w)).
Proof.
move=> /(_ bool_eqType Some) [Q [A same]].
have of_countE c : of_count (of_ring F) c = c%:R%R by elim: c => // c IH; rewrite /of_count iterS -/(of_count (of_ring F) c) IH GRing.mulrS.
have up c k : run (count_next Some) c (nseq k true) = (c + k)%N.
  by elim: k c => [|k IH] c; [rewrite addn0|rewrite addnS -addSn; exact: IH].
have down c k : run (count_next Some) c (nseq k false) = (c - k)%N.
  by elim: k c => [|k IH] c; [rewrite subn0|rewrite subnS predn_sub; exact: IH].
pose block := hankel A (fun i : 'I_(card Q).+1 => nseq i.+1 true) (fun j : 'I_(card Q).+1 => nseq j false).
have blockE i j : block i j = (i.+1 - j)%N%:R%R.
  by rewrite mxE same of_countE /count /run foldl_cat -/(run _ _ _) -/(run _ _ _) up down.
have : (\rank block <= card Q)%N by exact: hankel_rank.
rewrite mxrank_unit ?ltnn // unitmxE det_trig; last first.
  by apply/is_trig_mxP => i j lt; rewrite blockE; have -> : (i.+1 - j = 0)%N by apply/eqP; rewrite subn_eq0.
by rewrite big1 ?GRing.unitr1 // => i _; rewrite blockE subSnn.
Qed.
