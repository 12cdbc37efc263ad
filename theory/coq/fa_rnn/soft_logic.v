(* Table 2 (Jiang et al. 2020, section 3.5): soft logic on matches is logic if its inputs are 0 or 1. *)

From Coq Require Import QArith Qcanon.
From mathcomp Require Import all_ssreflect all_algebra.
From ratproof Require Import semiring sums automaton instances deterministic.
From ratproof.fa_rnn Require Import eq_4.
From ratproof.fa_rnn.shared Require Import accepting_paths matches.
Import Order.TTheory GRing.Theory Num.Theory.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Local Open Scope ring_scope.

Section Table2.
Variables (R : realDomainType) (C L : finite) (clauses : C -> L -> option bool).

(* 1 - a; min(1, a + b + ...), which is 0 for no values; max(0, a + b + ... - (n - 1)), which is 1 for no values. A single value is unchanged. *)
Definition negation (a : R) : R := 1 - a.
Definition disjunction (values : seq R) : R := if values is [:: a] then a else Num.min 1 (foldr +%R 0 values).
Definition conjunction (values : seq R) : R := if values is [:: a] then a else Num.max 0 (foldr +%R 0 values - ((size values)%:R - 1)).

(* A formula in conjunctive normal form: a clause c has the rule r (Some true), its negation (Some false), or neither. The formula's soft value, from
   the rules' values; and whether the formula is true for the rules' matches. *)
Definition literals (values : L -> R) (c : C) : seq R :=
  pmap (fun r => omap (fun positive : bool => if positive then values r else negation (values r)) (clauses c r)) (elements L).
Definition value_by (join : seq R -> R) (values : L -> R) : R := conjunction [seq join (literals values c) | c <- elements C].
Definition soft_value (values : L -> R) : R := value_by disjunction values.
Definition holds (matches : L -> bool) : bool := all (fun c => has (fun r => clauses c r == Some (matches r)) (elements L)) (elements C).

Lemma sum_of_bits (bs : seq bool) : foldr +%R 0 [seq (b : bool)%:R : R | b <- bs] = (count id bs)%:R :> R.
Proof. by elim: bs => //= b bs ->; rewrite natrD. Qed.

Lemma min_1 n : Num.min 1 n%:R = (0 < n)%N%:R :> R.
Proof. by case: n => [|n]; [rewrite min_r ?ler01|rewrite min_l ?ler1n]. Qed.

Lemma disjunction_of_bits (bs : seq bool) : disjunction [seq (b : bool)%:R : R | b <- bs] = (has id bs)%:R.
Proof.
have all_of_them : Num.min 1 (foldr +%R 0 [seq (b : bool)%:R : R | b <- bs]) = (has id bs)%:R :> R by rewrite sum_of_bits min_1 has_count.
by case: bs all_of_them => [|b [|b' bs]] //= _; rewrite orbF.
Qed.

Lemma conjunction_of_bits (bs : seq bool) : conjunction [seq (b : bool)%:R : R | b <- bs] = (all id bs)%:R.
Proof.
have all_of_them : Num.max 0 (foldr +%R 0 [seq (b : bool)%:R : R | b <- bs] - ((size [seq (b : bool)%:R : R | b <- bs])%:R - 1)) = (all id bs)%:R :> R.
  rewrite sum_of_bits size_map all_count opprB addrCA; have := count_size id bs; case: ltngtP => // [lt|->] _.
    by rewrite max_l // addrA -mulrS subr_le0 ler_nat.
  by rewrite subrr addr0 max_r ?ler01.
by case: bs all_of_them => [|b [|b' bs]] //= _; rewrite andbT.
Qed.

(* The "or" of several values as nested "or"s of two: the literals are joined two at a time, as in Table 2. *)
Definition nested_disjunction (values : seq R) : R := if values is a :: rest then foldl (fun b c => disjunction [:: b; c]) a rest else 0.
Definition nested_value (values : L -> R) : R := value_by nested_disjunction values.

Lemma nested_disjunction_of_bits (bs : seq bool) : nested_disjunction [seq (b : bool)%:R : R | b <- bs] = (has id bs)%:R.
Proof.
case: bs => //= b bs; elim: bs b => [|c bs IH] b; first by rewrite orbF.
by have /= -> := disjunction_of_bits [:: b; c]; rewrite IH /= orbF orbA.
Qed.

Lemma value_of_bits join (values : L -> R) (m : L -> bool) :
  (forall bs : seq bool, join [seq (b : bool)%:R : R | b <- bs] = (has id bs)%:R) -> (forall r, values r = (m r)%:R) ->
  value_by join values = (holds m)%:R.
Proof.
move=> joins bits; rewrite /value_by (eq_map (f2 := fun c => (has (fun r => clauses c r == Some (m r)) (elements L))%:R)) => [|c].
  by rewrite (map_comp (fun b : bool => b%:R : R)) conjunction_of_bits all_map.
rewrite /literals (eq_pmap (f2 := fun r => omap (fun positive : bool => (positive == m r)%:R) (clauses c r))) => [|r]; last first.
  by case: (clauses c r) => [[|]|] //=; rewrite /negation bits; case: (m r); rewrite ?subr0 ?subrr.
have -> : pmap (fun r => omap (fun positive : bool => (positive == m r)%:R : R) (clauses c r)) (elements L) =
    [seq (b : bool)%:R : R | b <- pmap (fun r => omap (fun positive => positive == m r) (clauses c r)) (elements L)].
  by elim: (elements L) => //= r rs ->; case: (clauses c r).
rewrite joins; congr (nat_of_bool _)%:R.
by elim: (elements L) => //= r rs <-; case: (clauses c r).
Qed.

Lemma soft_value_of_bits (values : L -> R) (m : L -> bool) : (forall r, values r = (m r)%:R) -> soft_value values = (holds m)%:R.
Proof. exact: value_of_bits disjunction_of_bits. Qed.

(* A perceptron of two layers with ReLU-like activations: min(1, b_c + sum_r w_cr a_r) for each clause c, with the weight 1 for a rule and -1 for its
   negation, and the number of negations as the bias; and max(0, a + b + ... - (n - 1)) of these n values. *)
Definition relu (z : R) : R := Num.max 0 z.
Definition hidden_weight (c : C) (r : L) : R := if clauses c r is Some positive then if positive then 1 else - 1 else 0.
Definition hidden_bias (c : C) : R := (count (fun r => clauses c r == Some false) (elements L))%:R.
Definition hidden (values : L -> R) (c : C) : R :=
  1 - relu (1 - (hidden_bias c + foldr +%R 0 [seq hidden_weight c r * values r | r <- elements L])).
Definition perceptron (values : L -> R) : R :=
  relu (foldr +%R 0 [seq hidden values c | c <- elements C] - ((size (elements C))%:R - 1)).

Lemma perceptron_of_bits (values : L -> R) (m : L -> bool) : (forall r, values r = (m r)%:R) -> perceptron values = (holds m)%:R.
Proof.
move=> bits; have hidden_is c : hidden values c = (has (fun r => clauses c r == Some (m r)) (elements L))%:R.
  rewrite /hidden /hidden_bias has_count; set n := count (fun r => clauses c r == Some (m r)) _.
  have -> : (count (fun r => clauses c r == Some false) (elements L))%:R +
      foldr +%R 0 [seq hidden_weight c r * values r | r <- elements L] = n%:R :> R.
    rewrite {}/n; elim: (elements L) => [|r rs IH] /=; first by rewrite addr0.
    rewrite !natrD -IH addrACA; congr (_ + _); rewrite bits /hidden_weight.
    by case: (clauses c r) => [[|]|]; case: (m r); rewrite /= ?mulr1 ?mulr0 ?mul0r ?addr0 ?subrr ?add0r.
  by rewrite /relu; case: n => [|n]; [rewrite subr0 max_r ?ler01 ?subrr|rewrite max_l ?subr0 // subr_le0 ler1n].
rewrite /perceptron (eq_map hidden_is) (map_comp (fun b : bool => b%:R : R)) sum_of_bits /relu /holds all_count.
rewrite -(size_map (fun c => has (fun r => clauses c r == Some (m r)) (elements L))) opprB addrCA.
set bs := [seq _ | _ <- _]; have := count_size id bs; rewrite -[count _ (elements C)](count_map _ id) -/bs size_map.
rewrite -(size_map (fun c => has (fun r => clauses c r == Some (m r)) (elements L)) (elements C)) -/bs.
rewrite leq_eqVlt => /predU1P[->|lt]; first by rewrite eqxx subrr addr0 max_r ?ler01.
by rewrite (ltn_eqF lt) max_l // addrA -mulrS subr_le0 ler_nat.
Qed.

(* R rules share an automaton, each with its own final states. *)
Variables (S : eqType) (Q : finite) (begins : Q -> bool) (moves : S -> Q -> Q -> bool) (accepts : L -> Q -> bool).

(* Their forward scores (equation 8). *)
Definition rule_count (w : seq S) (r : L) : R :=
  score_4 (K := of_ring R) (fun q => bit _ (begins q)) (fun q => bit _ (accepts r q)) (fun x i j => bit _ (moves x i j)) w.

Lemma rule_count_is_number w r : rule_count w r = (size (accepting_paths begins (accepts r) moves w))%:R.
Proof. by rewrite /rule_count -eq_4; apply: score_counts_paths_in_rings. Qed.

Definition clamped (values : L -> R) (r : L) : R := Num.min 1 (values r).

(* If the inputs are counts clamped to at most 1, the soft value of the formula is 1 if the formula is true for the matches of the rules, and 0
   otherwise. *)
Theorem soft_logic w :
  soft_value (clamped (rule_count w)) = (holds (fun r => matched begins (accepts r) moves w))%:R.
Proof. by apply: soft_value_of_bits => r; rewrite /clamped rule_count_is_number min_1 lt0n size_eq0. Qed.

(* The soft value is also correct if an "or" of several arguments is computed as nested "or"s of two. *)
Theorem soft_logic_nested w :
  nested_value (clamped (rule_count w)) = (holds (fun r => matched begins (accepts r) moves w))%:R.
Proof. by apply: value_of_bits nested_disjunction_of_bits _ => r; rewrite /clamped rule_count_is_number min_1 lt0n size_eq0. Qed.

(* The perceptron also computes the truth value of the formula. *)
Theorem soft_logic_perceptron w :
  perceptron (clamped (rule_count w)) = (holds (fun r => matched begins (accepts r) moves w))%:R.
Proof. by apply: perceptron_of_bits => r; rewrite /clamped rule_count_is_number min_1 lt0n size_eq0. Qed.

(* h is also clamped at every step: h_t = min(1, h_{t-1} T[x_t]). *)
Definition clamped_next (h : Q -> R) (x : S) (j : Q) : R := Num.min 1 (next_4 (K := of_ring R) (fun x i j => bit _ (moves x i j)) h x j).
Definition clamped_score (w : seq S) (r : L) : R :=
  sum (K := of_ring R) (fun q => run clamped_next (fun q => (begins q)%:R) w q * (accepts r q)%:R).

Lemma sum_of_products (F G : Q -> bool) : sum (K := of_ring R) (fun q => (F q)%:R * (G q)%:R) = (count (fun q => F q && G q) (elements Q))%:R.
Proof. by rewrite /sum; elim: (elements Q) => //= q qs ->; rewrite natrD -natrM mulnb. Qed.

Lemma clamped_is_set w q : run clamped_next (fun q => (begins q)%:R) w q = (has_element (set_after begins moves w) q)%:R.
Proof.
elim/last_ind: w q => [|w x IH] q; first by rewrite /set_after has_element_those.
rewrite /set_after !run_rcons has_element_those -/(set_after begins moves w) /clamped_next /next_4.
rewrite (eq_sum (G := fun p => (has_element (set_after begins moves w) p)%:R * (moves x p q)%:R : of_ring R)) => [|p].
  by rewrite sum_of_products min_1 -has_count.
by rewrite IH; case: (moves x p q).
Qed.

(* Clamping h to at most 1 at every step does not change the soft value; no count exceeds 1. *)
Theorem soft_logic_clamped_steps w :
  soft_value (clamped (clamped_score w)) = (holds (fun r => matched begins (accepts r) moves w))%:R.
Proof.
apply: soft_value_of_bits => r; rewrite /clamped /clamped_score.
rewrite (eq_sum (G := fun q => (has_element (set_after begins moves w) q)%:R * (accepts r q)%:R : of_ring R)) => [|q]; last by rewrite clamped_is_set.
by rewrite sum_of_products min_1 -has_count set_after_matches.
Qed.
End Table2.

(* If counts are not clamped, the formula of one rule is 2 if the word has two accepting paths. *)
Theorem without_clamp_is_refuted (R : realDomainType) :
  ~ (forall (C L : finite) (clauses : C -> L -> option bool) (S : eqType) (Q : finite) (begins : Q -> bool) (moves : S -> Q -> Q -> bool)
       (accepts : L -> Q -> bool) w,
     soft_value clauses (rule_count R begins moves accepts w) = (holds clauses (fun r => matched begins (accepts r) moves w))%:R).
Proof.
pose first (q : 'I_2) := q == ord0; pose moves (_ : unit) (p _ : 'I_2) := first p.
move=> all; have := all (place 1) (place 1) (fun _ _ => Some true) unit_eqType (place 2) first moves (fun _ => xpredT) [:: tt].
have -> : holds (C := place 1) (L := place 1) (fun _ _ => Some true) (fun _ => matched first xpredT moves [:: tt]) by vm_compute.
rewrite /soft_value /value_by /literals /= rule_count_is_number.
have -> : size (accepting_paths first xpredT moves [:: tt] : seq (seq 'I_2)) = 2%N by vm_compute.
by rewrite -[RHS]addr0 mulrSr => /addrI/eqP; rewrite oner_eq0.
Qed.

(* If counts are not clamped, nested "or"s of two can be wrong when a single minimum of the same counts is right: for a count of 2 and the negation
   of another count, -1, min(1, 0 + 2 - 1) is 1, but min(1, min(1, 0 + 2) - 1) is 0. *)
Theorem printed_nested_is_refuted (R : realDomainType) :
  ~ (forall (C L : finite) (clauses : C -> L -> option bool) (S : eqType) (Q : finite) (begins : Q -> bool) (moves : S -> Q -> Q -> bool)
       (accepts : L -> Q -> bool) w,
     soft_value clauses (rule_count R begins moves accepts w) = (holds clauses (fun r => matched begins (accepts r) moves w))%:R ->
     nested_value clauses (rule_count R begins moves accepts w) = (holds clauses (fun r => matched begins (accepts r) moves w))%:R).
Proof.
pose first (q : 'I_2) := q == ord0; pose moves (_ : unit) (p _ : 'I_2) := first p; pose accepts (r : 'I_3) (_ : 'I_2) := (0 < r)%N.
pose clauses (_ : 'I_1) (r : 'I_3) := Some (r < 2)%N.
move=> all; have := all (place 1) (place 3) clauses unit_eqType (place 2) first moves accepts [:: tt].
have -> : holds (C := place 1) (L := place 3) clauses (fun r => matched first (accepts r) moves [:: tt]) by vm_compute.
rewrite /soft_value /nested_value /value_by /literals /= !rule_count_is_number /negation.
have -> : size (accepting_paths first (accepts ord0) moves [:: tt] : seq (seq 'I_2)) = 0%N by vm_compute.
have -> : size (accepting_paths first (accepts (lift ord0 ord0)) moves [:: tt] : seq (seq 'I_2)) = 2%N by vm_compute.
rewrite !addr0 add0r addrC subrK minxx => /(_ erefl); have -> : Num.min 1 (0 + 2%:R) = 1 :> R by rewrite add0r min_l ?ler1n.
by rewrite addrA subrr min_r ?ler01 // => /eqP; rewrite eq_sym oner_eq0.
Qed.

(* Integers, with which Coq can compute. *)
Definition integers : realDomainType := [realDomainType of int].
Definition rational_of (n : int) : rationals := match n with Posz m => Q2Qc (inject_Z (Z.of_nat m)) | Negz m => Q2Qc (inject_Z (- Z.of_nat m.+1)) end.
Definition nested_where_flat_is_right (C L : finite) (clauses : C -> L -> option bool) (counts : L -> integers) (right : bool) : integers :=
  if soft_value clauses counts == right%:R then nested_value clauses counts else right%:R.
