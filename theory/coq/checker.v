(* A program that checks certificates of the equivalence of two automata, with a proof of its soundness. *)

From Coq Require Import QArith Qcanon.
From mathcomp Require Import all_ssreflect.
From ratproof Require Import semiring sums automaton paths instances equivalence evaluation.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

(* An automaton as lists: letters are numbers, and each has a matrix; silent is the matrix of epsilon transitions, which is empty if there are none. *)
Record listed (K : semiring) := Listed {
  states : nat;
  first : seq K;
  matrices : seq (seq (seq K));
  silent : seq (seq K);
  last : seq K
}.
Definition reading (K : semiring) (A : listed K) : wfa K nat (place (states A)) :=
  of_lists (states A) (first A) (fun x => nth [::] (matrices A) x) (last A).
Definition silently (K : semiring) (A : listed K) (p q : 'I_(states A)) : K := entries (silent A) p q.

(* The score of a word: the sum over all paths in which at most as many epsilons follow one another as there are states. *)
Definition value (K : semiring) (A : listed K) (w : seq nat) : K := epsilon_score (reading A) (@silently K A) (states A) w.

Theorem value_is_sum_over_paths (K : semiring) (A : listed K) w : value A w = sum_over_paths (reading A) (@silently K A) (states A) w.
Proof. exact: forward_is_sum_over_paths. Qed.

Section Checker.
Variables (K : semiring) (same : K -> K -> bool).
Hypothesis same_is_equal : forall a b, reflect (a = b) (same a b).

Definition total n (F : nat -> K) : K := foldr (fun i rest => F i + rest) 0 (iota 0 n).

Lemma sum_is_total n (F : nat -> K) : \sum_(i : place n) F (nat_of_ord i) = total n F.
Proof.
elim: n F => // n IH F; rewrite sum_place /total [iota _ _]/= [RHS]/=; congr (_ + _).
by rewrite -[1%N]/(1 + 0)%N iotaDl foldr_map -/(total n (fun i => F (1 + i)%N)) -IH.
Qed.

(* A row of A's epsilon closure: v + y E, where y is the supposed result. *)
Definition with_silent (A : listed K) (v y : nat -> K) (q : nat) : K :=
  v q + total (states A) (fun r => y r * entries (silent A) r q).

(* X is a certificate that the automaton A and the automaton B without epsilon are equivalent (certificate_with_epsilon_is_sound). *)
Definition goes_to (B A : listed K) (X : seq (seq K)) (ranks : seq nat) : bool :=
  let rank := nth 0%N ranks in
  let Q := iota 0 (states A) in let P := iota 0 (states B) in
  [&& nilp (silent B),
      all (fun q => rank q <= states A)%N Q,
      all (fun p => all (fun q => (rank p < rank q)%N || same (entries (silent A) p q) 0) Q) Q,
      let image := mkseq (fun q => total (states B) (fun p => entry (first B) p * entries X p q)) (states A) in
      all (fun q => same (entry image q) (with_silent A (entry (first A)) (entry image) q)) Q,
      all (fun p => same (total (states A) (fun q => entries X p q * entry (last A) q)) (entry (last B) p)) P &
      all (fun a => all (fun p =>
        let M_A := nth [::] (matrices A) a in let M_B := nth [::] (matrices B) a in
        let image := mkseq (fun q => total (states B) (fun p' => entries M_B p p' * entries X p' q)) (states A) in
        all (fun q => same (entry image q)
          (with_silent A (fun q' => total (states A) (fun r => entries X p r * entries M_A r q')) (entry image) q)) Q) P)
      (iota 0 (maxn (size (matrices A)) (size (matrices B))))].

Lemma each n P (i : 'I_n) : all P (iota 0 n) -> P (nat_of_ord i).
Proof. by move/allP; apply; rewrite mem_iota /=. Qed.

(* Without epsilon transitions, the value is the score of automaton.v. *)
Lemma value_without_epsilon (B : listed K) w : nilp (silent B) -> value B w = score (reading B) w.
Proof.
move=> /nilP none; have zero (p q : 'I_(states B)) : silently (A := B) p q = 0 by rewrite /silently none /entries /entry !nth_nil.
exact: (@independent_of_cap K _ (place (states B)) (reading B) (@silently K B) 0 (fun=> 0%N) (fun=> isT) (fun p q _ => zero p q) (states B) w isT).
Qed.

(* If the checker accepts the certificate, the automata give every word the same value. *)
Theorem goes_to_is_sound B A X ranks : goes_to B A X ranks -> forall w, value B w = value A w.
Proof.
case/and5P => plain rank_le upwards first_X /andP[last_X step_X] w; rewrite (value_without_epsilon w plain).
have silent_total (A' : listed K) (y : nat -> K) (q : nat) :
    epsilon_step (@silently K A') (fun r : 'I_(states A') => y r) =1 (fun q : 'I_(states A') => total (states A') (fun r => y r * entries (silent A') r q)).
  by move=> q'; rewrite /epsilon_step -sum_is_total.
have in_image n F (q : 'I_n) : entry (mkseq F n) q = F q :> K by rewrite /entry nth_mkseq.
apply: (certificate_with_epsilon_is_sound (X := fun (p : place (states B)) (q : place (states A)) => entries X (p : 'I__) (q : 'I__))
  (rank := fun q : 'I_(states A) => nth 0%N ranks q)).
- by move=> q; apply: (each q rank_le).
- move=> p q le; have := each q (each p upwards) => /orP[|/same_is_equal //]; by rewrite ltnNge le.
- move=> q; have /same_is_equal := each q first_X; rewrite in_image => image_q.
  apply: etrans (etrans image_q _); first by rewrite -sum_is_total.
  rewrite /with_silent -sum_is_total; congr (_ + _); apply: eq_sum => r.
  by rewrite in_image -sum_is_total.
- move=> a p q; have [lt|ge] := ltnP a (maxn (size (matrices A)) (size (matrices B))).
    have /same_is_equal := each q (each p (each (Ordinal lt) step_X)); rewrite in_image => image_q.
    apply: etrans (etrans image_q _); first by rewrite -sum_is_total.
    rewrite /with_silent -!sum_is_total; congr (_ + _); apply: eq_sum => r.
    by rewrite in_image -sum_is_total.
  have [ge_A ge_B] : (size (matrices A) <= a)%N /\ (size (matrices B) <= a)%N by apply/andP; rewrite -geq_max.
  have none_A (i j : nat) : entries (nth [::] (matrices A) a) i j = 0 by rewrite nth_default // /entries /entry !nth_nil.
  have none_B (i j : nat) : entries (nth [::] (matrices B) a) i j = 0 by rewrite nth_default // /entries /entry !nth_nil.
  have left r : \sum_(p' : place (states B)) transition (reading B) a p p' * entries X (p' : 'I__) r = 0.
    by rewrite -[RHS](sum0 K (place (states B))); apply: eq_sum => p'; rewrite /= none_B times0w.
  rewrite left /epsilon_step (eq_sum (fun r => congr1 (fun v => v * _) (left (r : 'I__)))) (eq_sum (fun r => times0w _)) sum0 plusw0.
  by rewrite -[LHS](sum0 K (place (states A))); apply: eq_sum => r; rewrite /= none_A timesw0.
by move=> p; apply: etrans _ (elimT (same_is_equal _ _) (each p last_X)); rewrite -sum_is_total.
Qed.

(* Two automata without epsilon that give a word different values. *)
Definition parts (A B : listed K) (w : seq nat) : bool :=
  [&& nilp (silent A), nilp (silent B) & ~~ same (computed_score (reading A) w) (computed_score (reading B) w)].

Theorem parts_is_sound A B w : parts A B w -> value A w <> value B w.
Proof.
by case/and3P => plain_A plain_B /negP no eq; apply: no; apply/same_is_equal; rewrite !computed_score_is_score -!value_without_epsilon.
Qed.
End Checker.

(* The semirings whose weights Coq can compare. *)
Lemma same_rationals (a b : rationals) : reflect (a = b) (Qc_eq_bool a b).
Proof.
apply: (iffP idP) => [|->]; first exact: Qc_eq_bool_correct.
by rewrite /Qc_eq_bool; case: Qc_eq_dec.
Qed.
Lemma same_booleans (a b : booleans) : reflect (a = b) (Bool.eqb a b).
Proof. by case: a b => [] []; constructor. Qed.

Definition same_option (T : Type) (same : T -> T -> bool) (a b : option T) : bool :=
  match a, b with Some a', Some b' => same a' b' | None, None => true | _, _ => false end.
Lemma same_optionP (T : Type) (same : T -> T -> bool) : (forall a b, reflect (a = b) (same a b)) ->
  forall a b, reflect (a = b) (same_option same a b).
Proof.
move=> sameP [a|] [b|] /=; try by constructor.
by apply: (iffP (sameP a b)) => [->|[]].
Qed.
Definition same_max_plus : rational_max_plus -> rational_max_plus -> bool := same_option Qc_eq_bool.
Definition same_max_plusP := same_optionP same_rationals : forall a b : rational_max_plus, reflect (a = b) (same_max_plus a b).
Definition same_min_plus : rational_min_plus -> rational_min_plus -> bool := same_option Qc_eq_bool.
Definition same_min_plusP := same_optionP same_rationals : forall a b : rational_min_plus, reflect (a = b) (same_min_plus a b).
Lemma same_positives (a b : positive_rational) : reflect (a = b) (Qc_eq_bool (val a) (val b)).
Proof. by apply: (iffP (same_rationals _ _)) => [/same_positive|->]. Qed.
Definition same_max_times : rational_max_times -> rational_max_times -> bool := same_option (fun a b => Qc_eq_bool (val a) (val b)).
Definition same_max_timesP := same_optionP same_positives : forall a b : rational_max_times, reflect (a = b) (same_max_times a b).
