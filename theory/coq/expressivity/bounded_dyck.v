(* Brackets of types I that are nested at most m deep (Hewitt et al. 2020): a Heaviside network with two copies of a stack of m codes, and the
   number of states that every automaton needs. *)

From mathcomp Require Import all_ssreflect ssralg matrix mxalgebra.
From ratproof Require Import semiring sums automaton deterministic instances hankel.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

(* The stacks of at most m types. *)
Fixpoint stacks (I : finite) (m : nat) : finite := if m is m'.+1 then option_finite (prod_finite I (stacks I m')) else place 1.
Fixpoint types (I : finite) (m : nat) : stacks I m -> seq I :=
  if m is m'.+1 return stacks I m -> seq I then fun s => if s is Some (i, rest) then i :: types rest else [::] else fun=> [::].

Lemma size_types (I : finite) m (s : stacks I m) : (size (types s) <= m)%N.
Proof. by elim: m s => [|m IH] //= [[i s]|] //=; rewrite ltnS IH. Qed.

Lemma types_inj (I : finite) m : injective (@types I m).
Proof.
elim: m => [|m IH] /=; first by move=> s t _; rewrite [s]ord1 [t]ord1.
by move=> [[i s]|] [[j t]|] //= [-> /IH ->].
Qed.

Lemma stack_of (I : finite) m (w : seq I) : (size w <= m)%N -> exists s : stacks I m, types s = w.
Proof.
elim: m w => [|m IH] [|i w] //=; first by exists ord0.
  by exists None.
by rewrite ltnS => /IH[s <-]; exists (Some (i, s)).
Qed.

(* There are 1 + k + ... + k^m of them, which is (k^(m+1) - 1) / (k - 1). *)
Lemma card_stacks (I : finite) m : card (stacks I m) = (\sum_(j < m.+1) card I ^ j)%N.
Proof.
elim: m => [|m IH]; first by rewrite big_ord_recl big_ord0 card_place.
rewrite [stacks I m.+1]/= card_option card_prod IH [in RHS]big_ord_recl expn0 add1n big_distrr /=.
by congr S; apply: eq_bigr => j _; rewrite expnS.
Qed.

Section Dyck.
Variables (K : semiring) (I C : finite) (m : nat) (S : Type) (opens : S -> bool) (type : S -> I) (p : S -> K) (rho_0 rho_1 : K).

(* An open bracket is pushed on a stack that is not full, and a close bracket removes the type on top. *)
Definition next_types (w : seq I) (x : S) : option (seq I) :=
  if opens x then if (size w < m)%N then Some (type x :: w) else None
  else if w is i :: rest then if i == type x then Some rest else None else None.
Definition at_end (w : seq I) : K := if w is [::] then rho_0 else rho_1.
Definition dyck : wfa K S (stacks I m) := Wfa (fun s => if types s == [::] then 1 else 0)
  (fun x s s' => if next_types (types s) x == Some (types s') then p x else 0) (fun s => at_end (types s)).

Definition track (c : option (seq I) * K) (x : S) : option (seq I) * K := (obind (next_types^~ x) c.1, c.2 * p x).
Definition fits (c : option (seq I) * K) : Prop := if c.1 is Some w then (size w <= m)%N else True.

Lemma next_fits w x w' : (size w <= m)%N -> next_types w x = Some w' -> (size w' <= m)%N.
Proof.
rewrite /next_types; case: (opens x) => small; first by case: (ltnP (size w) m) => // room [<-].
by case: w small => [|i w] //= small; case: eqP => // _ [<-]; apply: ltnW.
Qed.

Lemma track_fits c x : fits c -> fits (track c x).
Proof. by case: c => [[w|] a] //; rewrite /fits /= => small; case next: (next_types w x) => [w'|] //; apply: next_fits small next. Qed.

Lemma dyck_score w : score dyck w = let c := run track (Some [::], 1) w in if c.1 is Some v then c.2 * at_end v else 0.
Proof.
rewrite (score_is_inv_reached (next := track) (start := (Some [::], 1)) (reached := fits) (inv := fun c s => if c.1 == Some (types s) then c.2 else 0)) //.
- move/(_ w): (is_reached (next := track) (start := (Some [::], 1)) (reached := fits) isT track_fits); rewrite /fits.
  case: (run _ _ w) => [[v|] a] /= small; last by rewrite -[RHS](sum0 K (stacks I m)); apply: eq_sum => s; rewrite times0w.
  have [s eq] := stack_of small; rewrite (sum_at (p := s)) => [|t]; first by rewrite eq eqxx.
  by rewrite -eq (inj_eq (@Some_inj _)) (inj_eq (@types_inj I m)) eq_sym => /negbTE ->; rewrite times0w.
- exact: track_fits.
- by move=> s; rewrite (inj_eq (@Some_inj _)) eq_sym.
move=> [[v|] a] x s; rewrite /fits /= => small; last by rewrite -[RHS](sum0 K (stacks I m)); apply: eq_sum => t; rewrite times0w.
have [t eq] := stack_of small; rewrite (sum_at (p := t)) => [|u]; first by rewrite eq eqxx; case: eqP; rewrite ?timesw0.
by rewrite -eq (inj_eq (@Some_inj _)) (inj_eq (@types_inj I m)) eq_sym => /negbTE ->; rewrite times0w.
Qed.

(* The network has two copies of m codes, one for each kind of bracket that was read last. Of the two units for a bit, at most one is 1. *)
Variable code : I -> C -> bool.
Definition slots : finite := prod_finite (place m) C.
Definition units : finite := sum_finite slots slots.
Definition slot_of (u : units) : slots := match u with inl a => a | inr a => a end.
Notation inputs := (weight naturals).

(* The values of the units as a list, which Coq can compute. *)
Definition table (F : units -> bool) : seq bool := map F (elements units).
Definition is_on (h : seq bool) (u : units) : bool := nth false h (index u (elements units)).
Lemma is_on_table F u : is_on (table F) u = F u.
Proof. by rewrite /is_on (nth_map u) ?nth_index ?index_mem ?in_elements. Qed.

(* A linear function of the units, in which both copies have the same weights. *)
Definition reads (h : seq bool) (F : slots -> inputs) : inputs := \sum_(u : units) if is_on h u then F (slot_of u) else 0.

(* H(W h + U x + b) with the bias b = -1: a copy is shifted by one slot, and only that of the bracket's kind is kept. *)
Definition fires (h : seq bool) (x : S) (u : units) : bool :=
  match u with
  | inl (j, c) => (1 < reads h (fun a => (a.1.+1 == j :> nat) && (a.2 == c)) + (if opens x then 1 + ((j == 0 :> nat) && code (type x) c) else 0))%N
  | inr (j, c) => (1 < reads h (fun a => (a.1 == j.+1 :> nat) && (a.2 == c)) + ~~ opens x)%N
  end.

(* Thresholds of linear functions decide which brackets may follow: an open one if the last slot is empty, a close one if its code is on top. *)
Definition may_follow (h : seq bool) (x : S) : bool :=
  if opens x then (reads h (fun a => a.1.+1 == m :> nat) < 1)%N
  else (reads h (fun a => (a.1 == 0%N :> nat) && ~~ code (type x) a.2) + (\sum_(c : C) (code (type x) c : inputs))%W <
        1 + reads h (fun a => (a.1 == 0%N :> nat) && code (type x) a.2))%N.
Definition is_empty (h : seq bool) : bool := (reads h (fun a => a.1 == 0%N :> nat) < 1)%N.
Definition step (hk : seq bool * K) (x : S) : seq bool * K := (table (fires hk.1 x), hk.2 * if may_follow hk.1 x then p x else 0).
Definition stack_network (w : seq S) : K :=
  let hk := run step (table (fun=> false), 1) w in hk.2 * if is_empty hk.1 then rho_0 else rho_1.

Definition bit (w : seq I) (j : nat) (c : C) : bool := nth false [seq code i c | i <- w] j.
Definition holds_stack (h : seq bool) (w : seq I) : Prop :=
  forall a : slots, (is_on h (inl a) + is_on h (inr a))%N = bit w a.1 a.2.

Lemma bit_small w j c : (size w <= j)%N -> bit w j c = false.
Proof. by move=> small; rewrite /bit nth_default // size_map. Qed.

Lemma reads_stack h w F : holds_stack h w -> reads h F = \sum_(a : slots) if bit w a.1 a.2 then F a else 0.
Proof.
move=> stack; rewrite /reads sum_sum -sumD; apply: eq_sum => a; move: (stack a) => /=.
by case: (is_on h (inl a)); case: (is_on h (inr a)); case: (bit w a.1 a.2) => //= _; rewrite ?addn0.
Qed.

Lemma reads_bit h w j c : holds_stack h w -> (size w <= m)%N -> reads h (fun a => (a.1 == j :> nat) && (a.2 == c)) = bit w j c.
Proof.
move=> stack small; rewrite (reads_stack _ stack); case: (ltnP j m) => [inside|outside].
  rewrite (sum_at (p := (Ordinal inside, c) : slots)) => [|[i d]] /=; first by rewrite !eqxx; case: bit.
  by rewrite xpair_eqE -(inj_eq val_inj) /= => /negbTE ->; case: bit.
rewrite bit_small ?(leq_trans small) // -[RHS](sum0 naturals slots); apply: eq_sum => -[i d] /=.
by case: eqP => [eq|]; [move: (ltn_ord i); rewrite eq ltnNge outside|case: bit].
Qed.

Lemma reads_bit_before h w j c : holds_stack h w -> (size w <= m)%N ->
  reads h (fun a => (a.1.+1 == j :> nat) && (a.2 == c)) = if j is j'.+1 then bit w j' c : nat else 0%N.
Proof.
move=> stack small; case: j => [|j]; last exact: reads_bit.
by rewrite (reads_stack _ stack) -[RHS](sum0 naturals slots); apply: eq_sum => a; case: bit.
Qed.

Lemma next_stack h w x w' : holds_stack h w -> (size w <= m)%N -> next_types w x = Some w' -> holds_stack (table (fires h x)) w'.
Proof.
move=> stack small next [j c]; rewrite !is_on_table /fires.
rewrite (reads_bit _ _ stack small) (reads_bit_before _ _ stack small); move: next; rewrite /next_types.
case: (opens x) => /=.
  case: (ltnP (size w) m) => // room [<-]; rewrite addn0 [(1 < bit _ _ _)%N](_ : _ = false) ?addn0; last by case: bit.
  by case: j => -[|j] j_m /=; rewrite /bit /=; [case: code|rewrite addn0; case: nth].
case: w small stack => [|i w] // small stack; case: eqP => // _ [<-].
rewrite addn0 [(1 < (_ : nat))%N](_ : _ = false); first by rewrite add0n /bit /=; case: nth.
by case: j => -[|j] j_m //=; case: bit.
Qed.

(* Codes differ, and none is the code of an empty slot. *)
Hypotheses (code_inj : forall i j, code i =1 code j -> i = j) (code_nonzero : forall i, exists c, code i c) (some_slot : (0 < m)%N).

Lemma sum_is_0 (Q : finite) (F : Q -> inputs) : ((\sum_(q : Q) F q)%W < 1)%N = all (fun q => F q == 0%N) (elements Q).
Proof. by rewrite ltnS leqn0 /sum; elim: (elements Q) => //= q r <-; rewrite addn_eq0. Qed.

Lemma last_slot h w : holds_stack h w -> (size w <= m)%N -> (reads h (fun a => a.1.+1 == m :> nat) < 1)%N = (size w < m)%N.
Proof.
move=> stack small; rewrite (reads_stack _ stack) sum_is_0; case: ltnP => [room|full].
  apply/allP => -[j c] _ /=; case: (_.+1 =P m) => [eq|]; last by case: bit.
  by rewrite bit_small // -ltnS eq.
apply/negbTE/allPn; have eq: size w = m by apply/eqP; rewrite eqn_leq small.
have last_m: (m.-1 < m)%N by rewrite prednK.
case: w eq {small full stack} => [eq|i w eq]; first by exfalso; move: some_slot; rewrite -eq.
have [c on] := code_nonzero (nth i (i :: w) m.-1); exists (Ordinal last_m, c); first exact: in_elements.
by rewrite /bit (nth_map i) ?eq //= on prednK // eqxx.
Qed.

Lemma first_slot h w : holds_stack h w -> is_empty h = (w == [::]).
Proof.
move=> stack; rewrite /is_empty (reads_stack _ stack) sum_is_0; case: w {stack} => [|i w] /=.
  by apply/allP => a _; rewrite /bit nth_nil.
apply/negbTE/allPn; have [c on] := code_nonzero i; exists (Ordinal some_slot, c); first exact: in_elements.
by rewrite /bit /= on.
Qed.

(* Sums over the first slot are sums over the bits on top. *)
Lemma reads_top h w (G : C -> bool) : holds_stack h w -> reads h (fun a => (a.1 == 0%N :> nat) && G a.2) = \sum_(c : C) (bit w 0%N c && G c : inputs).
Proof.
move=> stack; rewrite (reads_stack _ stack) sum_prod (sum_at (p := Ordinal some_slot)) => [|j]; first by apply: eq_sum => c /=; case: bit.
rewrite -(inj_eq val_inj) /= => /negbTE ne; rewrite (eq_sum (G := fun=> zero)) ?sum0 // => c /=.
by rewrite ne; case: bit.
Qed.

Lemma on_top h w i : holds_stack h w ->
  (reads h (fun a => (a.1 == 0%N :> nat) && ~~ code i a.2) + (\sum_(c : C) (code i c : inputs))%W < 1 + reads h (fun a => (a.1 == 0%N :> nat) && code i a.2))%N
  = (if w is j :: _ then j == i else false).
Proof.
move=> stack; rewrite (reads_top (fun c => ~~ code i c) stack) (reads_top (code i) stack).
have split: \sum_(c : C) (code i c : inputs) = ((\sum_(c : C) (~~ bit w 0 c && code i c : inputs))%W + (\sum_(c : C) (bit w 0%N c && code i c : inputs))%W)%N.
  by apply: etrans (sumD (K := naturals) _ _); apply: eq_sum => c; case: bit; case: code.
rewrite split addnA ltn_add2r -[X in (X < 1)%N](sumD (K := naturals)) sum_is_0.
transitivity (all (fun c => bit w 0 c == code i c) (elements C)); first by apply: eq_all => c /=; case: bit; case: code.
case: w {stack split} => [|j w].
  by apply/negbTE/allPn; have [c on] := code_nonzero i; exists c; rewrite ?in_elements // /bit nth_nil on.
apply/allP/eqP => [same|-> c _]; last by rewrite /bit.
by apply: code_inj => c; apply/eqP; apply: same; apply: in_elements.
Qed.

(* For every number of types and every depth, every code, and in every semiring, the network's output is the automaton's score. *)
Theorem bounded_dyck w : score dyck w = stack_network w.
Proof.
rewrite dyck_score /stack_network.
have same v : let c := run track (Some [::], 1) v in let hk := run step (table (fun=> false), 1) v in
    fits c /\ if c.1 is Some s then holds_stack hk.1 s /\ hk.2 = c.2 else hk.2 = 0.
  elim/last_ind: v => [|v x] /=; first by split=> //; split=> // a; rewrite !is_on_table /bit nth_nil.
  rewrite !run_rcons; case: (run track _ v) => [[s|] a]; case: (run step _ v) => h k /= [small]; last by move=> ->; rewrite times0w.
  move=> [stack ->]; split; first exact: (track_fits x (c := (Some s, a))).
  have may: may_follow h x = (if next_types s x is Some _ then true else false).
    rewrite /may_follow /next_types; case: (opens x); first by rewrite (last_slot stack small); case: ltnP.
    by rewrite (on_top _ stack); case: s {small stack} => // i s; case: eqP.
  rewrite may; case next: (next_types s x) => [s'|]; last by rewrite timesw0.
  by split=> //; apply: next_stack next.
case: (run track _ w) (run step _ w) (same w) => [[s|] a] [h k] /= [_]; last by move=> ->; rewrite times0w.
by move=> [stack ->]; rewrite (first_slot stack); case: s {stack}.
Qed.

(* This theorem for the paper's code. Like every code here, it is not 0 and determines the type, which the suite checks. *)
Theorem bounded_dyck_printed_code w : score dyck w = stack_network w.
Proof. exact: bounded_dyck. Qed.

Lemma card_units : card units = (2 * m * card C)%N.
Proof. by rewrite /units card_sum !card_prod card_place addnn -mul2n mulnA. Qed.
End Dyck.

(* The words that lead to a stack, and those that empty it. *)
Section Needed.
Variables (I : finite) (m : nat).
Definition letters : eqType := prod_eqType bool_eqType I.
Definition in_dyck (w : seq letters) : bool := foldl (fun c x => obind (next_types m (fun x : letters => x.1) snd ^~ x) c) (Some [::]) w == Some [::].
Definition opening (s : stacks I m) : seq letters := rev [seq (true, i) | i <- types s].
Definition closing (s : stacks I m) : seq letters := [seq (false, i) | i <- types s].

Let after (c : option (seq I)) (w : seq letters) := foldl (fun c x => obind (next_types m (fun x : letters => x.1) snd ^~ x) c) c w.

Lemma after_none w : after None w = None.
Proof. by elim: w. Qed.

Lemma after_opening s : after (Some [::]) (opening s) = Some (types s).
Proof.
rewrite /opening; elim: (types s) (size_types s) => //= i w IH small.
by rewrite rev_cons /after foldl_rcons -/(after _ _) IH ?(ltnW small) //= /next_types /= small.
Qed.

Lemma after_closing w s : (after (Some w) (closing s) == Some [::]) = (w == types s).
Proof.
rewrite /closing; elim: (types s) w => [|j v IH] [|i w] //=; first by rewrite /next_types /= after_none.
rewrite /next_types /= eqseq_cons; case: (i == j) => /=; first exact: IH.
by rewrite after_none.
Qed.

Lemma stacks_differ s t : in_dyck (opening s ++ closing t) = (s == t).
Proof.
rewrite -(inj_eq (@types_inj I m)) -after_closing -after_opening /in_dyck.
by rewrite foldl_cat.
Qed.

(* Over every field, every weighted automaton of the language has at least as many states as there are stacks. *)
Theorem without_all_states_is_refuted (F : fieldType) (Q : finite) (A : wfa (of_ring F) letters Q) :
  (card Q < card (stacks I m))%N -> ~ (forall w, score A w = if in_dyck w then one else zero).
Proof.
move=> few same; move: few; rewrite ltnNge => /negP; apply.
pose stack (i : 'I_(card (stacks I m))) := tnth (in_tuple (elements (stacks I m))) i.
have := hankel_rank A (fun i => opening (stack i)) (fun i => closing (stack i)).
suff -> : hankel A (fun i => opening (stack i)) (fun i => closing (stack i)) = 1%:M%R by rewrite mxrank1.
apply/matrixP => i j; rewrite !mxE same stacks_differ.
rewrite /stack !(tnth_nth (stack i)) nth_uniq ?elements_uniq ?ltn_ord // (inj_eq val_inj).
by case: eqP.
Qed.

(* A deterministic machine that accepts exactly these words has one more state, which rejects all continuations. *)
Theorem bounded_dyck_recogniser (T : finite) (next : T -> letters -> T) (start : T) (accept : T -> bool) (i : I) :
  (forall w, accept (run next start w) = in_dyck w) -> (card (stacks I m) < card T)%N.
Proof.
move=> same; pose lead (s : option (stacks I m)) := run next start (if s is Some s' then opening s' else [:: (false, i)]).
have differ s t : lead s = lead t -> s = t.
  have accepts u v : accept (run next (lead u) (closing v)) = (u == Some v).
    have -> : run next (lead u) (closing v) = run next start ((if u is Some u' then opening u' else [:: (false, i)]) ++ closing v) by rewrite /run foldl_cat.
    rewrite same; case: u => [u|]; first by rewrite stacks_differ (inj_eq (@Some_inj _)).
    by rewrite /in_dyck /= -/(after _ _) after_none.
  case: s t => [s|] [t|] // eq.
  - by apply/eqP; rewrite -accepts eq accepts.
  - by move: (accepts None s); rewrite -eq accepts eqxx.
  by move: (accepts None t); rewrite eq accepts eqxx.
rewrite -card_option -[card (option_finite _)](size_map lead); apply: uniq_leq_size => [|q _]; last exact: in_elements.
by rewrite map_inj_uniq ?elements_uniq.
Qed.

Lemma card_set_of (Q : finite) : card (set_of Q) = (2 ^ card Q)%N.
Proof. by rewrite [LHS]/card /=; elim: (card Q) => //= n IH; rewrite !size_cat !size_map IH addn0 addnn -mul2n expnS. Qed.

(* So a network with B units that are 0 or 1 accepts exactly these words only if 2^B is larger than 1 + k + ... + k^m. *)
Theorem bounded_dyck_units (B : finite) (next : set_of B -> letters -> set_of B) (start : set_of B) (accept : set_of B -> bool) (i : I) :
  (forall w, accept (run next start w) = in_dyck w) -> (\sum_(j < m.+1) card I ^ j < 2 ^ card B)%N.
Proof. by rewrite -card_stacks -card_set_of => same; apply: (bounded_dyck_recogniser i same). Qed.
End Needed.
