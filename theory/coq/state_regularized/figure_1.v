(* Figure 1 (Wang & Niepert 2019, section 2): balanced parentheses among letters, by a grammar, by a DFA up to a depth, and by a deterministic
   pushdown automaton for all depths; and an SR-LSTM-P (equations 6 to 8) that recognises them. *)

From mathcomp Require Import all_ssreflect all_algebra.
From ratproof Require Import semiring sums automaton instances deterministic hankel.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Section Parentheses.
(* A symbol opens (Some true), closes (Some false), or is a letter (None). *)
Variables (S : Type) (kind : S -> option bool).

(* Left: the grammar. *)
Inductive derived : seq S -> Prop :=
| derived_empty : derived [::]
| derived_letter x w : kind x = None -> derived w -> derived (x :: w)
| derived_pair x v y w : kind x = Some true -> derived v -> kind y = Some false -> derived w -> derived (x :: v ++ y :: w).

(* Right: the deterministic pushdown automaton. State 0 (false) accepts; in state 1 (true), the open parentheses (true) are on the stack, top first,
   above its bottom (false), and the move back to state 0 reads nothing. *)
Definition configuration := option (bool * seq bool).
Definition move (q : bool) (stack : seq bool) (x : S) : configuration :=
  match kind x, q, stack with
  | Some true, false, false :: rest => Some (true, true :: false :: rest)
  | Some true, true, true :: rest => Some (true, true :: true :: rest)
  | Some false, true, true :: rest => Some (true, rest)
  | None, false, false :: rest => Some (false, false :: rest)
  | None, true, true :: rest => Some (true, true :: rest)
  | _, _, _ => None
  end.
Definition read_nothing (c : configuration) : configuration := if c is Some (true, false :: rest) then Some (false, false :: rest) else c.
Definition pushdown_next (c : configuration) (x : S) : configuration := if c is Some (q, stack) then read_nothing (move q stack x) else None.
Definition pushdown (w : seq S) : configuration := run pushdown_next (Some (false, [:: false])) w.
Definition accepts (w : seq S) : bool := if pushdown w is Some (false, _) then true else false.

(* The number of open parentheses; None after a closing parenthesis without an open one. *)
Definition count_next (c : option nat) (x : S) : option nat :=
  match kind x, c with
  | None, _ => c
  | Some true, Some d => Some d.+1
  | Some false, Some d.+1 => Some d
  | _, _ => None
  end.
Definition with_count (d : nat) : bool * seq bool := ((0 < d)%N, nseq d true ++ [:: false]).

Lemma pushdown_counts w : pushdown w = omap with_count (run count_next (Some 0%N) w).
Proof.
rewrite /pushdown; elim/last_ind: w => // w x IH; rewrite !run_rcons IH; case: (run _ _ w) => [[|d]|] /=; rewrite /move /count_next.
- by case: (kind x) => [[|]|].
- by case: (kind x) => [[|]|] //; case: d.
by case: (kind x) => [[|]|].
Qed.

Lemma run_cons C (next : C -> S -> C) c x w : run next c (x :: w) = run next (next c x) w.
Proof. by []. Qed.

Lemma run_cat C (next : C -> S -> C) c v w : run next c (v ++ w) = run next (run next c v) w.
Proof. exact: foldl_cat. Qed.

Lemma accepts_at_0 w : accepts w = (run count_next (Some 0%N) w == Some 0%N).
Proof. by rewrite /accepts pushdown_counts; case: (run _ _ w) => [[|d]|]. Qed.

Lemma stuck w : run count_next None w = None.
Proof. by elim: w => // x w IH; rewrite run_cons; have -> : count_next None x = None by rewrite /count_next; case: (kind x) => [[|]|]. Qed.

Lemma derived_keeps_count w : derived w -> forall d rest, run count_next (Some d) (w ++ rest) = run count_next (Some d) rest.
Proof.
elim=> // [x v letter _ IH|x v y u opens _ IHv closes _ IHu] d rest.
  by rewrite cat_cons run_cons {2}/count_next letter; apply: IH.
rewrite cat_cons -catA cat_cons run_cons {2}/count_next opens IHv run_cons {2}/count_next closes; exact: IHu.
Qed.

(* A word that closes d parentheses more than it opens. *)
Fixpoint closes_more (d : nat) (w : seq S) : Prop :=
  if d is d'.+1 then exists v y u, [/\ w = v ++ y :: u, derived v, kind y = Some false & closes_more d' u] else derived w.

Lemma letter_first d x w : kind x = None -> closes_more d w -> closes_more d (x :: w).
Proof.
move=> letter; case: d => [|d] /=; first exact: derived_letter.
by case=> v [y [u [-> v_derived closes more]]]; exists (x :: v), y, u; split=> //; apply: derived_letter.
Qed.

Lemma at_0_is_closed w : forall d, run count_next (Some d) w = Some 0%N -> closes_more d w.
Proof.
elim: w => [|x w IH] d; first by rewrite /run /= => -[->]; apply: derived_empty.
rewrite run_cons {2}/count_next; case eq: (kind x) => [[|]|]; last by move=> /IH; apply: letter_first.
  move=> /IH /= [v [y [u [-> v_derived closes more]]]]; case: d more => [|d] /=; first exact: derived_pair.
  case=> v' [y' [u' [-> v'_derived closes' more]]]; exists (x :: v ++ y :: v'), y', u'; split=> //; last exact: derived_pair.
  by rewrite /= -catA.
case: d => [|d]; first by rewrite stuck.
by move=> /IH more; exists [::], x, w; split=> //; apply: derived_empty.
Qed.

(* The automaton accepts the strings that the grammar derives, of all depths. *)
Theorem figure_1_pushdown w : accepts w <-> derived w.
Proof.
rewrite accepts_at_0; split=> [/eqP/at_0_is_closed//|w_derived].
by have := derived_keeps_count w_derived 0%N [::]; rewrite cats0 => ->.
Qed.

(* Centre: the DFA up to depth n, with a state for each number of open parentheses. It has no transition to a greater depth, and none for a closing
   parenthesis without an open one. *)
Definition place_of n (d : nat) : option 'I_n.+1 := ohead [seq i : 'I_n.+1 <- places n.+1 | (i : nat) == d].

Lemma place_of_insub n d : place_of n d = insub d.
Proof.
rewrite /place_of; case: insubP => [i _ is_d|not_less].
  have here : i \in [seq j : 'I_n.+1 <- places n.+1 | (j : nat) == d].
    by rewrite mem_filter -[X in _ == X]is_d eqxx; apply: (in_elements (Q := place n.+1)).
  case eq: [seq _ <- _ | _] here => [|j r] // _; have is_j : (j : nat) == d.
    by have := mem_head j r; rewrite -[X in _ \in X]eq mem_filter => /andP[].
  suff -> : i = j by []; by apply: val_inj; exact: etrans is_d (esym (eqP is_j)).
rewrite (eq_filter (a2 := pred0)) ?filter_pred0 // => i; apply/negbTE; apply: contra not_less => /eqP <-; exact: ltn_ord.
Qed.

Definition dfa_next n (i : 'I_n.+1) (x : S) : option 'I_n.+1 :=
  match kind x with
  | None => Some i
  | Some true => place_of n i.+1
  | Some false => if (i : nat) is d.+1 then place_of n d else None
  end.
Definition dfa (K : semiring) n : wfa K S (place n.+1) := partial K (D := place n.+1) ord0 (@dfa_next n) (fun i => i == ord0).

(* The pushdown automaton, which stops when its stack holds more than n open parentheses. *)
Definition to_depth n (c : configuration) : configuration := if c is Some (q, stack) then if (size stack <= n.+1)%N then c else None else None.
Definition limited_next n (c : configuration) (x : S) : configuration := to_depth n (pushdown_next c x).
Definition accepts_to_depth n (w : seq S) : bool := if run (limited_next n) (Some (false, [:: false])) w is Some (false, _) then true else false.

Theorem figure_1 (K : semiring) n w : score (dfa K n) w = if accepts_to_depth n w then 1%W else 0%W.
Proof.
have same : run (limited_next n) (Some (false, [:: false])) w =
    omap (fun i : 'I_n.+1 => with_count i) (run (go_on (@dfa_next n : place n.+1 -> S -> option (place n.+1))) (Some (ord0 : 'I_n.+1)) w).
  elim/last_ind: w => // w x IH; rewrite !run_rcons IH; case: (run _ _ w) => [i|] //=; rewrite /limited_next /go_on /= /dfa_next.
  have moved d : to_depth n (Some (with_count d)) = omap (fun i : 'I_n.+1 => with_count i) (place_of n d).
    rewrite /to_depth /with_count size_cat size_nseq addn1 ltnS place_of_insub; case: insubP => [j _ <-|/negbTE ne] /=; first by rewrite -ltnS ltn_ord.
    by rewrite -ltnS ne.
  case: i => [d lt_d]; rewrite /move; case: (kind x) => [[|]|] /=.
  - by rewrite -moved; case: d lt_d => [|d] lt_d.
  - case: d lt_d => [|d] lt_d //=; rewrite -moved; by case: d lt_d.
  have here : place_of n d = Some (Ordinal lt_d) by rewrite place_of_insub; case: insubP => [j _ eq|]; [congr Some; apply: val_inj|rewrite lt_d].
  by have := moved d; rewrite here /= => <-; case: d lt_d here => [|d].
rewrite partial_score /accepts_to_depth same; case: (run _ _ w) => [i|] //=.
by rewrite -val_eqE /= lt0n; case: (i : nat).
Qed.

(* An SR-LSTM-P with one unit (section 3.2): the cell state counts. The forget gate (equation 6) is 1. The input gate's peephole (equation 7) keeps the
   cell state at -1 once it is -1. The output gate (equation 8) reads the new cell state. The activations are hard: a gate is its argument, clamped to
   the range from 0 to 1. The hidden state is the nearer of two centroids, 0 and -1, as in the limit of low temperatures. *)
Section Peepholes.
Import Order.TTheory GRing.Theory Num.Theory.
Local Open Scope ring_scope.
Variables p q : int.
Definition hard (z : int) : int := Num.max 0 (Num.min 1 z).
Definition candidate (x : S) : int := if kind x is Some opens then if opens then 1 else -1 else 0.
Definition cell (c : int) (x : S) : int := c + hard (1 + p * c) * candidate x.
Definition hidden (c : int) : int := if hard (1 - q * c) * Num.max (-1) (Num.min 1 c) < 0 then -1 else 0.
Definition lstm_next (state : int * int) (x : S) : int * int := let c := cell state.1 x in (c, hidden c).
Definition lstm_accepts (w : seq S) : bool := let state := run lstm_next (0, 0) w in 0 < 1 - 2%:Z * state.1 + 4%:Z * state.2.

Lemma hard_1 z : 1 <= z -> hard z = 1.
Proof. by move=> le; rewrite /hard (min_l le) max_r. Qed.

Lemma hard_0 z : z <= 0 -> hard z = 0.
Proof. by move=> le; rewrite /hard (min_r (le_trans le ler01)) max_l. Qed.

Theorem figure_1_peepholes : 0 < p -> 0 < q -> forall w, lstm_accepts w = accepts w.
Proof.
move=> p_positive q_positive w; rewrite accepts_at_0.
have at_count (d : nat) : hidden d%:Z = 0.
  rewrite /hidden -[X in _ < X](mulr0 (hard (1 - q * d%:Z))); case: ifP => //; rewrite ltNge ler_wpmul2l //.
    by rewrite /hard le_maxr lexx.
  by rewrite le_maxr le_minr ler01 orbT.
have at_minus_1 : hidden (-1) = -1.
  by rewrite /hidden mulrN1 opprK hard_1 // ler_addl ltW.
have counts : run lstm_next (0, 0) w = if run count_next (Some 0%N) w is Some d then (d%:Z, 0) else (-1, -1).
  elim/last_ind: w => // w x IH; rewrite !run_rcons IH; case: (run count_next _ w) => [d|].
    rewrite /lstm_next /cell /= hard_1 ?mul1r; last by rewrite ler_addl; apply: mulr_ge0 => //; apply: ltW.
    rewrite /count_next /candidate; case: (kind x) => [[|]|]; last by rewrite addr0 at_count.
      by have -> : d%:Z + 1 = d.+1%:Z; [rewrite addrC -intS|rewrite at_count].
    case: d => [|d]; first by rewrite add0r at_minus_1.
    by have -> : d.+1%:Z - 1 = d%:Z; [rewrite intS addrAC subrr add0r|rewrite at_count].
  rewrite /lstm_next /cell /= mulrN1 hard_0 ?mul0r ?addr0 ?at_minus_1; last by rewrite subr_le0 -gtz0_ge1.
  by rewrite /count_next; case: (kind x) => [[|]|].
rewrite /lstm_accepts counts; case: (run count_next _ w) => [[|d]|] //=.
by apply/negbTE; rewrite -leNgt mulr0 addr0 subr_le0 -PoszM lez_nat.
Qed.
End Peepholes.

End Parentheses.

(* No finite automaton recognises all depths, with the weights of any field of numbers: the block of the words "(" ^ i and ")" ^ j is the identity. *)
Theorem without_depth_limit_is_refuted (F : numFieldType) :
  ~ (forall (S : eqType) (kind : S -> option bool), exists (Q : finite) (A : wfa (of_ring F) S Q),
     forall w, score A w = if accepts kind w then 1%W else 0%W).
Proof.
move=> /(_ bool_eqType Some) [Q [A same]].
have counts_up i d : run (count_next Some) (Some d) (nseq i true) = Some (d + i)%N.
  by elim: i d => [|i IH] d; rewrite ?addn0 // run_cons {2}/count_next IH addSnnS.
have counts_down j d : run (count_next Some) (Some d) (nseq j false) = if (j <= d)%N then Some (d - j)%N else None.
  elim: j d => [|j IH] d; first by rewrite subn0.
  by rewrite run_cons {2}/count_next; case: d => [|d]; rewrite ?stuck ?IH.
have : ((card Q).+1 <= card Q)%N.
  apply: (@hankel_excludes F bool_eqType Q A _ (fun i => nseq i true) (fun j => nseq j false) 1%:M 1%:M 1 1) => // [|i j].
    by rewrite mulmx1.
  rewrite same GRing.mul1r mxE accepts_at_0 run_cat counts_up add0n counts_down.
  case: leqP => [le|lt]; last by rewrite -val_eqE /= (ltn_eqF lt).
  rewrite (inj_eq (@Some_inj _)) subn_eq0 -val_eqE /= eqn_leq le andbT; by case: (i <= j)%N.
by rewrite ltnn.
Qed.

(* Without the peephole of the input gate, the count continues from -1, and the network accepts ")(". *)
Theorem without_peepholes_is_refuted :
  ~ (forall (S : Type) (kind : S -> option bool) w, lstm_accepts kind 0 1 w = accepts kind w).
Proof. by move=> /(_ bool Some [:: false; true]). Qed.
