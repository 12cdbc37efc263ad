(* The score of a word is the sum over its paths (Definitions 3 and 4, Peng et al. 2018), with epsilon transitions.

   Between two symbols, a path takes at most N epsilon transitions. If no cycle of epsilon transitions has a nonzero weight, N does not matter. *)

From mathcomp Require Import all_ssreflect.
From ratproof Require Import semiring sums automaton.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Section Paths.
Variables (K : semiring) (S : eqType) (Q : finite) (A : wfa K S Q) (epsilon : Q -> Q -> K).

(* The labels of a path: symbols, and None for epsilon. A path derives the word of its symbols. *)
Definition label : eqType := option_eqType S.
Definition derives (l : seq label) : seq S := pmap id l.

(* At most N consecutive epsilons, and at most k at the beginning. *)
Fixpoint in_rows N k (l : seq label) : bool :=
  match l with
  | [::] => true
  | None :: l' => if k is k'.+1 then in_rows N k' l' else false
  | Some _ :: l' => in_rows N N l'
  end.

(* 0, 1, ..., N. *)
Definition up_to N : seq nat := locked (iota 0 N.+1).

(* All sequences of labels that derive the word with at most N consecutive epsilons. *)
Fixpoint labels N (w : seq S) : seq (seq label) :=
  if w is x :: w' then [seq nseq k None ++ Some x :: l | k <- up_to N, l <- labels N w']
  else [seq nseq k None | k <- up_to N].

(* The states after each of n transitions: all sequences of n states. *)
Fixpoint sequences n : seq (seq Q) := if n is n'.+1 then [seq q :: qs | q <- elements Q, qs <- sequences n'] else [:: [::]].

(* The weight of a transition with a label, and the weight of the rest of a path from q on, including its end (equation 1). *)
Definition tau (x : label) : Q -> Q -> K := if x is Some a then transition A a else epsilon.
Fixpoint weigh (q : Q) (l : seq label) (qs : seq Q) : K :=
  match l, qs with x :: l', q' :: qs' => tau x q q' * weigh q' l' qs' | _, _ => final A q end.

(* Equation 2: the sum, over the first states, over all labels that derive the word and over the states that follow, of
   lambda(q_0) tau(q_0, q_1, x_1) ... rho(q_n). *)
Definition sum_over_paths N (w : seq S) : K :=
  \sum_(q : Q) \big[@plus K/0]_(l <- labels N w) \big[@plus K/0]_(qs <- sequences (size l)) (initial A q * weigh q l qs).

(* The Forward algorithm, with epsilon steps after each symbol and before the first: v + v E + ... + v E^N. *)
Definition epsilon_step (v : Q -> K) : Q -> K := fun q => \sum_(p : Q) v p * epsilon p q.
Fixpoint closed N (v : Q -> K) : Q -> K := fun q => if N is N'.+1 then v q + closed N' (epsilon_step v) q else v q.
Definition epsilon_next N (v : Q -> K) (x : S) : Q -> K := closed N (forward_step A v x).
Definition epsilon_forward N (w : seq S) : Q -> K := run (epsilon_next N) (closed N (initial A)) w.
Definition epsilon_score N (w : seq S) : K := \sum_(q : Q) epsilon_forward N w q * final A q.

(* The sequences of labels are those that derive the word. *)

Lemma in_up_to N k : (k \in up_to N) = (k <= N)%N.
Proof. by rewrite /up_to -lock mem_iota add0n ltnS. Qed.

Lemma up_to_uniq N : uniq (up_to N).
Proof. by rewrite /up_to -lock iota_uniq. Qed.

Lemma labels_derive N w l : (l \in labels N w) = (derives l == w) && in_rows N N l.
Proof.
have rows k n (l' : seq label) : in_rows N n (nseq k None ++ l') = (k <= n)%N && in_rows N (n - k) l'.
  by elim: k n => [|k IH] [|n] //=; rewrite ?subn0 // IH subSS.
have reads k (l' : seq label) : derives (nseq k None ++ l') = derives l' by elim: k.
have blank (l' : seq label) : derives l' = [::] -> l' = nseq (size l') None by elim: l' => [|[a|] l' IH] //= /IH {1}->.
elim: w l => [|x w IH] l.
  apply/mapP/andP => [[k kN ->]|[/eqP/blank def_l]].
    rewrite in_up_to in kN; split; first by rewrite -[nseq _ _]cats0 reads.
    by rewrite -[nseq _ _]cats0 rows kN.
  rewrite def_l -[nseq _ _]cats0 rows andbT cats0 => rowN; exists (size l) => //.
  by rewrite in_up_to.
apply/allpairsP/andP => [[[k l'] /= [kN l'_in ->]]|[/eqP reads_l in_l]].
  move: l'_in; rewrite IH; rewrite in_up_to in kN; move=> /andP[/eqP def_w in_l'].
  by rewrite reads /= def_w eqxx rows /= in_l' andbT.
suff [k [l' def_l]]: exists k l', l = nseq k None ++ Some x :: l'.
  move: reads_l in_l; rewrite def_l reads rows /= => -[def_w] /andP[kN in_l'].
  by exists (k, l'); split; rewrite //= ?in_up_to // IH def_w eqxx.
elim: l reads_l {in_l} => [|[a|] l IHl] //=; first by move=> [-> _]; exists 0%N, l.
by case/IHl => k [l' ->]; exists k.+1, l'.
Qed.

Lemma labels_uniq N w : uniq (labels N w).
Proof.
have sizes k : size (nseq k (None : label)) = k by rewrite size_nseq.
elim: w => [|x w IH] /=.
  by rewrite map_inj_in_uniq ?up_to_uniq // => i j _ _ /(congr1 size); rewrite !sizes.
apply: allpairs_uniq; rewrite ?up_to_uniq // => -[i l] [j l'] _ _ /=.
by elim: i j => [|i IHi] [|j] //= [] // => [->|/IHi[-> ->]].
Qed.

(* The total weight of all paths from q on, computed from their end. *)

Definition reached (M : Q -> Q -> K) (F : Q -> K) : Q -> K := fun q => \sum_(p : Q) M q p * F p.
Fixpoint ending (l : seq label) : Q -> K := if l is x :: l' then reached (tau x) (ending l') else final A.

Lemma ending_is_sum l q : ending l q = \big[@plus K/0]_(qs <- sequences (size l)) weigh q l qs.
Proof.
elim: l q => [|x l IH] q /=; first by rewrite big_seq1.
rewrite big_allpairs_dep /reached sumE; apply: eq_bigr => p _.
by rewrite IH big_distrr.
Qed.

Fixpoint closed_end N (F : Q -> K) : Q -> K := fun q => if N is N'.+1 then F q + reached epsilon (closed_end N' F) q else F q.
Fixpoint from N (w : seq S) : Q -> K := closed_end N (if w is x :: w' then reached (transition A x) (from N w') else final A).

Lemma moved (v F : Q -> K) (M : Q -> Q -> K) :
  \sum_(q : Q) (\sum_(p : Q) v p * M p q) * F q = \sum_(p : Q) v p * reached M F p.
Proof.
rewrite (eq_sum (fun q => sum_times _ _)) exchange_sum; apply: eq_sum => p.
by rewrite times_sum; apply: eq_sum => q; rewrite timesA.
Qed.

Lemma closed_moved N (v F : Q -> K) : \sum_(q : Q) closed N v q * F q = \sum_(q : Q) v q * closed_end N F q.
Proof.
elim: N v => //= N IH v.
rewrite (eq_sum (fun q => timesDl _ _ _)) sumD IH moved -sumD.
by apply: eq_sum => q; rewrite timesDr.
Qed.

Lemma eq_closed_end N F G : F =1 G -> closed_end N F =1 closed_end N G.
Proof. by move=> eq; elim: N => //= N IH q; rewrite eq; congr (_ + _); apply: eq_sum => p; rewrite IH. Qed.

Lemma score_from N w : epsilon_score N w = \sum_(q : Q) initial A q * from N w q.
Proof.
rewrite /epsilon_score /epsilon_forward; elim: w (initial A) => [|x w IH] v; first exact: closed_moved.
by rewrite [run _ _ _]/= IH moved closed_moved.
Qed.

Lemma from_is_sum N w q : from N w q = \big[@plus K/0]_(l <- labels N w) ending l q.
Proof.
have many m (F : Q -> K) (r : seq (seq label)) : (forall p, F p = \big[@plus K/0]_(l <- r) ending l p) ->
    forall p, closed_end m F p = \big[@plus K/0]_(k <- up_to m) \big[@plus K/0]_(l <- r) ending (nseq k None ++ l) p.
  move=> defF; elim: m => [|m IH] p; first by rewrite /up_to -lock /= big_seq1 defF.
  have ->: up_to m.+1 = 0%N :: [seq k.+1 | k <- up_to m] by rewrite /up_to -!lock -(iotaDl 1).
  rewrite big_cons big_map -defF [LHS]/=; congr (_ + _).
  rewrite /reached (eq_sum (fun p' => congr1 _ (IH p'))) sumE.
  under eq_bigr do rewrite big_distrr; rewrite exchange_big; apply: eq_bigr => k _.
  by under eq_bigr do rewrite big_distrr; rewrite exchange_big; apply: eq_bigr => l _; rewrite /= /reached sumE.
elim: w q => [|x w IH] q.
  rewrite /= (many N _ [:: [::]]) => [|p]; last by rewrite big_seq1.
  by rewrite big_map; apply: eq_bigr => k _; rewrite big_seq1 cats0.
rewrite [LHS](many N _ [seq Some x :: l | l <- labels N w]) => [|p].
  by rewrite [labels _ _]/= big_allpairs_dep; apply: eq_bigr => k _; rewrite big_map.
rewrite big_map /= /reached (eq_sum (fun p' => congr1 _ (IH p'))) sumE.
by under eq_bigr do rewrite big_distrr; rewrite exchange_big; apply: eq_bigr => l _; rewrite sumE.
Qed.

(* Definition 4: the Forward algorithm computes the sum over all paths. *)
Lemma forward_is_sum_over_paths N w : epsilon_score N w = sum_over_paths N w.
Proof.
rewrite score_from; apply: eq_sum => q; rewrite from_is_sum big_distrr; apply: eq_bigr => l _.
by rewrite ending_is_sum big_distrr.
Qed.

(* If epsilon transitions only lead upwards in an order of N + 1 ranks, paths with more than N consecutive epsilons have weight 0. *)
Section Acyclic.
Variables (N : nat) (rank : Q -> nat).
Hypothesis most : forall q, (rank q <= N)%N.
Hypothesis upwards : forall p q, (rank q <= rank p)%N -> epsilon p q = 0.

Lemma one_more m F p : (N - rank p <= m)%N -> closed_end m.+1 F p = closed_end m F p.
Proof.
elim: m p => [|m IH] p le_m.
  rewrite leqn0 subn_eq0 in le_m; rewrite /= /reached -[RHS]plusw0; congr (_ + _).
  by rewrite -[RHS](sum0 K Q); apply: eq_sum => r; rewrite upwards ?times0w // (leq_trans (most r)).
rewrite [LHS]/= [RHS]/=; congr (_ + _); apply: eq_sum => r.
have [/upwards ->|lt] := leqP (rank r) (rank p); first by rewrite !times0w.
by rewrite -IH // leq_subLR (leq_trans _ (leq_add lt (leqnn m))) // addSnnS -leq_subLR.
Qed.

Theorem independent_of_cap M w : (N <= M)%N -> epsilon_score M w = epsilon_score N w.
Proof.
move=> /subnK <-; rewrite !score_from; apply: eq_sum => q; congr (_ * _).
elim: (M - N)%N q w => // k IH q w; rewrite -IH addSn.
elim: w q => [|x w IHw] q; rewrite /= -/(closed_end _.+1 _ q) one_more ?(leq_trans (leq_subr _ _)) ?leq_addl //.
by apply: eq_closed_end => p; apply: eq_sum => r; rewrite IHw.
Qed.
End Acyclic.
End Paths.

(* Without epsilon transitions, the score is that of automaton.v. *)
Theorem score_without_epsilon (K : semiring) (S : eqType) (Q : finite) (A : wfa K S Q) w :
  epsilon_score A (fun _ _ => 0) 0 w = score A w.
Proof. by []. Qed.

(* The reversed automaton, in which every path is reversed. *)
Definition turned (K : semiring) (S : Type) (Q : finite) (A : wfa K S Q) : wfa K S Q := Wfa (final A) (fun x p q => transition A x q p) (initial A).

Lemma score_turned (K : semiring) (S : eqType) (Q : finite) (A : wfa K S Q) w :
  commutative (@times K) -> score (turned A) (rev w) = score A w.
Proof.
move=> timesC; rewrite -(score_without_epsilon A) score_from; apply: eq_sum => q; rewrite timesC; congr (_ * _).
elim: w q => [|x w IH] q //; rewrite rev_cons forward_rcons; apply: eq_sum => p.
by rewrite IH timesC.
Qed.
