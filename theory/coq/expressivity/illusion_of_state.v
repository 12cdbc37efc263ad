(* The scores of a layer with commuting matrices depend on the numbers of letters only (Merrill, Petty and Sabharwal 2024). *)

From mathcomp Require Import all_ssreflect ssralg ssrnum.
From ratproof Require Import semiring sums automaton instances.
From ratproof.one_layer Require Import crossing.
From ratproof.expressivity Require Import pd_ssm_emulation.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

(* One pass of bubble sort: the greatest letter so far waits, and the other one is read. Enough passes sort a word. *)
Fixpoint pass (waiting : option nat) (w : seq nat) : seq nat :=
  match w, waiting with
  | [::], _ => seq_of_opt waiting
  | x :: w', None => pass (Some x) w'
  | x :: w', Some y => if (y <= x)%N then y :: pass (Some x) w' else x :: pass (Some y) w'
  end.

Lemma perm_pass waiting w : perm_eq (pass waiting w) (seq_of_opt waiting ++ w).
Proof.
elim: w waiting => [|x w IH] [y|] //=; last exact: IH.
case: ifP => _; first by rewrite perm_cons IH.
apply: (@perm_trans _ (x :: y :: w)); first by rewrite perm_cons IH.
by rewrite -[x :: y :: w]/([:: x] ++ [:: y] ++ w) -[y :: x :: w]/([:: y] ++ [:: x] ++ w) perm_catCA.
Qed.

Section Commuting.
Variables (K : semiring) (S : eqType) (n : nat) (g : S -> 'I_n -> K) (s_0 c : 'I_n -> K).

(* The layer s <- g s with a linear output, and its automaton with diagonal matrices. *)
Definition diagonal_layer (w : seq S) : K := diagonal_score g (fun _ _ => 0) c 0 s_0 w.
Definition diagonal_automaton : wfa K S (place n) := @Wfa K S (place n) s_0 (fun x i j => if j == i then g x i else 0) c.

Hypothesis timesC : commutative (@times K).

Lemma diagonal_layer_is_score w : score diagonal_automaton w = diagonal_layer w.
Proof.
rewrite (score_is_inv (next := diagonal_next g (fun _ _ => 0)) (start := s_0) (inv := fun s => s)) // => [|s x j].
  by rewrite /diagonal_layer /diagonal_score plusw0; apply: eq_sum => j; apply: timesC.
rewrite (sum_at (p := j)) /= => [|i ne]; last by rewrite eq_sym (negbTE ne) timesw0.
by rewrite eqxx /diagonal_next plusw0 timesC.
Qed.

(* Words with the same letters have the same score, for every size, in every commutative semiring. *)
Theorem illusion_of_state_counts v w : perm_eq v w -> score diagonal_automaton w = diagonal_layer v.
Proof.
move=> same; rewrite diagonal_layer_is_score /diagonal_layer /diagonal_score; congr (_ + _); apply: eq_sum => j; congr (_ * _).
have pure u : run (diagonal_next g (fun _ _ => 0)) s_0 u j = gates g u j * s_0 j.
  elim/last_ind: u => [|u x IH]; first by rewrite /= times1w.
  by rewrite run_rcons /diagonal_next IH /gates foldl_rcons plusw0 timesA.
by rewrite !pure (gates_any_order g timesC j same).
Qed.
End Commuting.

(* The layer that reads the letters of one pass. *)
Theorem illusion_of_state (K : semiring) n (g : nat -> 'I_n -> K) (s_0 c : 'I_n -> K) : commutative (@times K) ->
  forall w, score (diagonal_automaton g s_0 c) w = diagonal_layer g s_0 c (pass None w).
Proof. by move=> timesC w; apply: illusion_of_state_counts => //; apply: perm_pass. Qed.

(* A layer with a matrix for each map, such as a permutation, computes the composition of the maps of all letters. *)
Section Maps.
Variables (K : semiring) (Q S : finite) (delta : S -> Q -> Q) (x_0 c : Q -> K).
Definition composed (w : seq S) (q : Q) : Q := run (fun q x => delta x q) q w.
Definition of_composition (w : seq S) : K := \sum_(q : Q) x_0 q * c (composed w q).

Theorem illusion_of_state_permutations w : score (of_maps delta (fun _ _ => 1) x_0 c) w = of_composition w.
Proof.
have forward_is u q : forward (of_maps delta (fun _ _ => 1) x_0 c) u q = \sum_(p : Q) if q == composed u p then x_0 p else 0.
  elim/last_ind: u q => [|u x IH] q.
    by rewrite (sum_at (p := q)) => [|p ne]; rewrite /composed /= ?eqxx // eq_sym (negbTE ne).
  rewrite forward_rcons (eq_sum (G := fun p => \sum_(r : Q) if p == composed u r then if q == delta x p then x_0 r else 0 else 0)) => [|p].
    rewrite exchange_sum; apply: eq_sum => r; rewrite (sum_at (p := composed u r)) => [|p /negbTE -> //].
    by rewrite eqxx /composed run_rcons.
  rewrite IH /= sum_times; apply: eq_sum => r.
  by case: (p == _); case: (q == _); rewrite ?timesw1 ?timesw0 ?times0w.
rewrite /score /of_composition (eq_sum (G := fun q => \sum_(p : Q) if q == composed w p then x_0 p * c q else 0)) => [|q].
  by rewrite exchange_sum; apply: eq_sum => p; rewrite (sum_at (p := composed w p)) => [|q /negbTE -> //]; rewrite eqxx.
by rewrite forward_is sum_times; apply: eq_sum => p; case: (_ == _); rewrite ?times0w.
Qed.
End Maps.

(* The position of the first of three items after swaps of the first two items (true) and of the last two items (false). *)
Definition swaps (x : bool) (position : nat) : nat :=
  match x, position with true, 0%N => 1%N | true, 1%N => 0%N | false, 1%N => 2%N | false, 2%N => 1%N | _, _ => position end.
Definition back (w : seq bool) : bool := run (fun position x => swaps x position) 0%N w == 0%N.

(* No diagonal layer of any size, with offsets and gates in any commutative ring, has a positive score (or one with a positive real part) exactly
   for the words whose swaps bring the item back to its position. *)
Theorem without_permutations_is_refuted (R : realDomainType) (C : comRingType) (re : {additive C -> R}) n
    (gate offset : bool -> 'I_n -> of_ring C) (weights s_0 : 'I_n -> of_ring C) (constant : of_ring C) :
  ~ (forall w, (0 < re (diagonal_score gate offset weights constant s_0 w))%R = back w).
Proof.
move=> same; pose f w := re (diagonal_score gate offset weights constant s_0 w).
have cross := @crossing (of_ring C) bool_eqType n gate offset weights constant (@of_ring_commutes C) s_0 s_0
  [:: false; true] [:: true; false] [:: true; false] [:: false; true] [::] isT.
have {cross} : (f [:: false; true; true; false] + f [:: true; false; false; true] = f [:: false; true; false; true] + f [:: true; false; true; false])%R.
  by move: cross => /(congr1 re); rewrite /f !GRing.raddfD.
have neg w : back w = false -> (f w <= 0)%R by move=> no; rewrite Order.TotalTheory.leNgt same no.
have pos w : back w -> (0 < f w)%R by rewrite /f same.
move=> eq; have := Num.Theory.addr_gt0 (pos [:: false; true; true; false] isT) (pos [:: true; false; false; true] isT).
rewrite eq => sum_positive.
have := Num.Theory.ler_add (neg [:: false; true; false; true] erefl) (neg [:: true; false; true; false] erefl).
by rewrite GRing.addr0 Order.TotalTheory.leNgt sum_positive.
Qed.
