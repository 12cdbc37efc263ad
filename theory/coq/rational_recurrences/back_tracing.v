(* Back-tracing (Peng et al. 2018, section 5.2): if plus selects one of its arguments, as a maximum does, a score is the weight of one path, which
   Viterbi's algorithm finds. *)

From mathcomp Require Import all_ssreflect ssralg ssrnum.
From ratproof Require Import semiring sums automaton paths instances.
From ratproof.rational_recurrences Require Import proposition_7.
Import GRing.Theory Num.Theory.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

(* A path of a word is its first state and the states after each symbol. The weight of a path (equation 1); it is 0 if there is no path. *)
Definition of_path (K : semiring) (S : eqType) (Q : finite) (A : wfa K S Q) (path : option (Q * seq Q)) (w : seq S) : K :=
  if path is Some (q, qs) then initial A q * weigh A (fun _ _ => 0) q (map Some w) qs else 0.

Section Viterbi.
Variables (K : semiring) (S : eqType) (Q : finite) (A : wfa K S Q) (better : K -> K -> bool).

(* The state with the best weight, and the first of several; None if there is no state. *)
Definition best (F : Q -> K) : option Q :=
  foldr (fun q others => if others is Some p then Some (if better (F q) (F p) then p else q) else Some q) None (elements Q).

(* The previous state of the best path to q by the symbol x. The earlier symbols are listed from the last to the first. *)
Definition came_from (before : seq S) (x : S) (q : Q) : Q := odflt q (best (fun p => forward A (rev before) p * transition A x p q)).

(* Follow the back pointers from the best final state. *)
Fixpoint back (read : seq S) (q : Q) (after : seq Q) : Q * seq Q :=
  if read is x :: before then back before (came_from before x q) (q :: after) else (q, after).
Definition traced_back (w : seq S) : option (Q * seq Q) :=
  omap (fun q => back (rev w) q [::]) (best (fun q => forward A w q * final A q)).

(* The path has a state for each symbol. *)
Theorem traced_back_is_a_path w : if traced_back w is Some (_, qs) then size qs = size w else card Q = 0%N.
Proof.
rewrite /traced_back; case eq: (best _) => [q|] /=; last first.
  move: eq; rewrite /best /card; case: (elements Q) => //= q r; case: (foldr _ _ r) => //.
have sizes read : forall p after, size (back read p after).2 = (size read + size after)%N.
  by elim: read => //= x read IH p after; rewrite IH /= addnS.
by have := sizes (rev w) q [::]; case: (back _ _ _) => p qs /=; rewrite size_rev addn0.
Qed.

Hypothesis selects : forall a b : K, a + b = if better a b then b else a.

Lemma sum_is_best (F : Q -> K) : \sum_(q : Q) F q = if best F is Some q then F q else 0.
Proof.
rewrite /sum /best; elim: (elements Q) => //= q r ->.
by case: (foldr _ None r) => [p|]; rewrite ?plusw0 // selects; case: ifP.
Qed.

Lemma back_weighs read q after l : let: (first, qs) := back read q after in
  initial A first * weigh A (fun _ _ => 0) first (map Some (rev read) ++ l) qs = forward A (rev read) q * weigh A (fun _ _ => 0) q l after.
Proof.
elim: read q after l => [|x read IH] q after l //=; rewrite rev_cons map_rcons cat_rcons.
have := IH (came_from read x q) (q :: after) (Some x :: l); case: (back _ _ _) => first qs -> /=.
rewrite timesA forward_rcons sum_is_best /came_from; congr (_ * _); case eq: (best _) => [p|] //=.
by move: eq (in_elements q); rewrite /best; case: (elements Q) => //= p r; case: (foldr _ _ r).
Qed.

(* The weight of Viterbi's path is the score, if plus selects. *)
Theorem back_tracing w : of_path A (traced_back w) w = score A w.
Proof.
rewrite /traced_back /score sum_is_best; case: (best _) => [q|] //=; have := back_weighs (rev w) q [::] [::].
by rewrite revK cats0 /of_path; case: (back _ _ _).
Qed.
End Viterbi.

(* Whether the second of two weights of max-plus or max-times is greater. *)
Definition greater (M : ordered) (a b : greatest_semiring M) : bool :=
  match a, b with Some a', Some b' => ~~ le b' a' | None, Some _ => true | _, None => false end.

(* The plus of max-plus, max-times and the booleans selects. *)
Theorem max_plus_max_times_and_booleans_select (R : realDomainType) :
  (forall a b : max_plus R, a + b = if greater a b then b else a) /\
  (forall a b : max_times R, a + b = if greater a b then b else a) /\
  (forall a b : booleans, a + b = if ~~ a && b then b else a).
Proof.
have selects (M : ordered) (a b : greatest_semiring M) : a + b = if greater a b then b else a.
  case: a b => [a|] [b|] //=; case: ifP => [/negbTE not_ba|/negbFE ba]; last by rewrite larger_ge.
  by rewrite larger_le //; have := le_total a b; rewrite not_ba orbF.
by split; last split; try exact: selects; case; case.
Qed.

(* Over the reals, the score need not be the weight of a path: in Figure 1 with mu = phi = 1, the word of two symbols has two paths of weight 1,
   and the score 2. *)
Theorem printed_is_refuted (R : numDomainType) :
  ~ (forall (S : eqType) (Q : finite) (A : wfa (of_ring R) S Q) w, exists path, of_path A path w = score A w).
Proof.
move=> all; pose one := fun _ : unit_eqType => 1 : of_ring R; pose A := figure_1 one one 0.
have [path] := all unit_eqType _ A [:: tt; tt]; rewrite proposition_7; last exact: of_ring_commutes.
have -> : unit 0 one one [:: tt; tt] = (2%:R)%R :> R by rewrite /unit /run /= /unit_next /= !(mulr0, mulr1, add0r).
pose bit (a : R) := a = 0%R \/ a = 1%R.
have product a b : bit a -> bit b -> bit (a * b)%R by move=> [->|->] [->|->]; rewrite ?(mul0r, mul1r); [left|left|left|right].
suff : bit (of_path A path [:: tt; tt]).
  by move=> [->|->] /eqP; rewrite ?(eq_sym 0%R) ?(eq_sym 1%R) ?pnatr_eq0 ?pnatr_eq1.
case: path => [[q qs]|]; last by left.
apply: (product); first by case: q => [[|[|]]] // ?; [right|left].
move: (map Some _) => l; elim: l q qs => [|x l IH] q [|p qs] /=; try by case: q => [[|[|]]] // ?; [left|right].
by apply: (product) => //; case: x => [a|]; [case: q p => [[|[|]]] // ? [[|[|]]] //= ?; [right|right|left|right]|left].
Qed.
