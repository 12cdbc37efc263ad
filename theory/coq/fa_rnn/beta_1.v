(* FA-RNN at beta = 1 (Jiang et al. 2020, section 3.5): the forward score counts the accepting paths of the rules' automaton. With maxima instead
   of sums, the score is 1 on matches and 0 otherwise. *)

From mathcomp Require Import all_ssreflect all_algebra.
From ratproof Require Import semiring sums automaton instances.
From ratproof.fa_rnn Require Import eq_4 eq_5.
From ratproof.fa_rnn.shared Require Import accepting_paths matches.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Section Network.
Variables (S : eqType) (Q C : finite) (begins accepts : Q -> bool) (moves : S -> Q -> Q -> bool).

(* If the factors give exactly the tensor of the rules, the network of equation 5 is the automaton of the rules. *)
Lemma exact_factors (K : semiring) (D_1 D_2 : Q -> C -> K) (E_R : S -> C -> K) w :
  (forall x i j, of_factors D_1 D_2 E_R x i j = bit K (moves x i j)) ->
  score_5 (fun q => bit K (begins q)) (fun q => bit K (accepts q)) D_1 D_2 E_R w = score (weighted begins accepts moves K) w.
Proof.
move=> exact; rewrite -eq_5; apply: eq_sum => q; congr (_ * _).
by elim/last_ind: w q => // w x IH q; rewrite !forward_rcons; apply: eq_sum => p; rewrite IH /= exact.
Qed.

(* Equation 6: the row of a word is beta v + (1 - beta) g, where g = u G is computed from the word's pretrained vector u. *)
Definition weighed_rows (K : semiring) (beta rest : K) (v g : S -> C -> K) (x : S) (s : C) : K := beta * v x s + rest * g x s.
Definition interpolated (R : ringType) (beta : R) (v g : S -> C -> R) : S -> C -> R := weighed_rows (beta : of_ring R) (1 - beta)%R v g.

(* With exact factors, equation 5 over a ring counts the accepting paths at beta = 1, for any pretrained vectors. *)
Theorem beta_1 (R : ringType) (D_1 D_2 : Q -> C -> of_ring R) (v g : S -> C -> R) w :
  (forall x i j, of_factors D_1 D_2 (v : S -> C -> of_ring R) x i j = bit _ (moves x i j)) ->
  score_5 (fun q => bit _ (begins q)) (fun q => bit _ (accepts q)) D_1 D_2 (interpolated 1%R v g : S -> C -> of_ring R) w =
  (size (accepting_paths begins accepts moves w))%:R%R :> R.
Proof.
move=> factors; rewrite -score_counts_paths_in_rings.
apply: (exact_factors (E_R := interpolated 1%R v g : S -> C -> of_ring R)) => x i j; rewrite -factors.
by apply: eq_sum => s; rewrite /interpolated /weighed_rows GRing.subrr /= GRing.mul0r GRing.addr0 GRing.mul1r.
Qed.

(* With maxima instead of sums, the score is 1 on matches and 0 otherwise. *)
Theorem viterbi_network_is_match (R : realDomainType) (D_1 D_2 : Q -> C -> max_times R) (E_R : S -> C -> max_times R) w :
  (forall x i j, of_factors D_1 D_2 E_R x i j = bit _ (moves x i j)) ->
  score_5 (fun q => bit _ (begins q)) (fun q => bit _ (accepts q)) D_1 D_2 E_R w =
  bit (max_times R) (accepting_paths begins accepts moves w != [::]).
Proof. by move/exact_factors->; apply: viterbi_score_is_match. Qed.

(* The recurrence of equation 4 with maxima instead of sums is also 1 on matches and 0 otherwise, for the tensor of the rules. *)
Theorem beta_1_viterbi (R : realDomainType) w :
  score_4 (fun q => bit (max_times R) (begins q)) (fun q => bit _ (accepts q)) (fun x i j => bit _ (moves x i j)) w =
  bit (max_times R) (accepting_paths begins accepts moves w != [::]).
Proof. by rewrite -eq_4; apply: viterbi_score_is_match. Qed.

(* With a deterministic automaton of the rules, the forward score is 1 on matches and 0 otherwise, in every semiring. *)
Theorem beta_1_deterministic (K : semiring) w :
  score_4 (initial (on_sets begins accepts moves K)) (final (on_sets begins accepts moves K)) (transition (on_sets begins accepts moves K)) w =
  bit K (matched begins accepts moves w).
Proof. by rewrite -eq_4; apply: on_sets_is_match. Qed.
End Network.

(* A forward score need not be 0 or 1: if the word of one symbol has two accepting paths, it is 2. *)
Theorem printed_match_is_refuted (R : ringType) :
  ~ (forall (S : eqType) (Q C : finite) (begins accepts : Q -> bool) (moves : S -> Q -> Q -> bool)
       (D_1 D_2 : Q -> C -> of_ring R) (v g : S -> C -> R) w,
     (forall x i j, of_factors D_1 D_2 (v : S -> C -> of_ring R) x i j = bit _ (moves x i j)) ->
     score_5 (fun q => bit _ (begins q)) (fun q => bit _ (accepts q)) D_1 D_2 (interpolated 1%R v g : S -> C -> of_ring R) w =
     bit _ (matched begins accepts moves w)).
Proof.
pose first (q : 'I_2) := q == ord0; pose every (q : 'I_2) := true; pose moves (_ : unit) (p q : 'I_2) := first p.
pose D_1 (q : 'I_2) (_ : 'I_1) := bit (of_ring R) (first q); pose D_2 (_ : 'I_2) (_ : 'I_1) : of_ring R := 1.
pose v (_ : unit) (_ : 'I_1) : R := 1%R.
have exact x i j : of_factors (Q := place 2) (C := place 1) D_1 D_2 (v : unit -> 'I_1 -> of_ring R) x i j = bit _ (moves x i j).
  by rewrite /of_factors /D_1 /D_2 /v; written_out; rewrite GRing.addr0 !GRing.mulr1.
move=> all; have := all unit_eqType (place 2) (place 1) first every moves D_1 D_2 v v [:: tt] exact.
rewrite (beta_1 first every (moves := moves) v [:: tt] exact).
have -> : size (accepting_paths first every moves [:: tt] : seq (seq 'I_2)) = 2 by vm_compute.
have -> : matched first every moves [:: tt] by vm_compute.
rewrite -[RHS]GRing.addr0 GRing.mulrSr => /GRing.addrI/eqP; by rewrite GRing.oner_eq0.
Qed.

(* At other values of beta, the forward score does not count paths: if the row of a word is 0 and its pretrained vector gives 1, there is no path,
   and the network gives 1 - beta. *)
Theorem without_beta_1_is_refuted (R : ringType) (beta : R) : beta <> 1%R ->
  ~ (forall (S : eqType) (Q C : finite) (begins accepts : Q -> bool) (moves : S -> Q -> Q -> bool)
       (D_1 D_2 : Q -> C -> of_ring R) (v g : S -> C -> R) w,
     (forall x i j, of_factors D_1 D_2 (v : S -> C -> of_ring R) x i j = bit _ (moves x i j)) ->
     score_5 (fun q => bit _ (begins q)) (fun q => bit _ (accepts q)) D_1 D_2 (interpolated beta v g : S -> C -> of_ring R) w =
     score (weighted begins accepts moves (of_ring R)) w).
Proof.
pose none (_ : unit) (_ : 'I_1) : R := 0%R; pose one_row (_ : unit) (_ : 'I_1) : R := 1%R; pose D (_ _ : 'I_1) : of_ring R := 1.
have exact x i j : of_factors (Q := place 1) (C := place 1) D D (none : unit -> 'I_1 -> of_ring R) x i j = bit _ false.
  by rewrite /of_factors /D /none; written_out; rewrite GRing.mulr0 GRing.mul0r GRing.addr0.
move=> other all; have := all unit_eqType (place 1) (place 1) xpredT xpredT (fun _ _ => xpred0) D D none one_row [:: tt] exact.
evaluated; rewrite /score_5 /next_5 /run /interpolated /weighed_rows /D /=; written_out.
rewrite /none /one_row !(GRing.mulr0, GRing.mul0r, GRing.mulr1, GRing.mul1r, GRing.add0r, GRing.addr0) => /eqP.
by rewrite GRing.subr_eq0 => /eqP/esym.
Qed.

(* The pseudo m-DFA (section 3.1): for each word, and for the wildcard, the next state of each state, or none. The wildcard's matrix is added to
   the word's matrix. *)
Section Wildcard.
Variables (K : semiring) (S : eqType) (Q : finite) (own : S -> Q -> option Q) (wild : Q -> option Q).

Definition with_wildcard (T : S -> Q -> Q -> K) (any : Q -> Q -> K) (x : S) (p q : Q) : K := T x p q + any p q.
Definition goes_to (after : Q -> option Q) (p q : Q) : bool := after p == Some q.
Definition spells (x : S) (p q : Q) : bool := goes_to (own x) p q || goes_to wild p q.

(* Let the automaton be deterministic over the words, with the matrix of each word combined with that of the wildcard by "or". One minus its
   forward score is 1 if and only if the rule does not match. *)
Theorem beta_1_complement (R : ringType) (start : Q) (accepts : Q -> bool) w :
  let A := on_sets (fun q => q == start) accepts spells (of_ring R) in
  (1 - (score_4 (initial A) (final A) (transition A) w : R))%R = bit (of_ring R) (~~ matched (fun q => q == start) accepts spells w).
Proof.
rewrite /= beta_1_deterministic; case: (matched _ _ _ w) => /=; first by rewrite GRing.subrr.
by rewrite GRing.subr0.
Qed.

(* The complement of the pseudo m-DFA, as for a DFA: missing transitions lead to an additional state (None), and final and nonfinal states are
   exchanged. *)
Definition completed (after : Q -> option Q) (p : option Q) : option (option Q) := Some (obind after p).
Definition turned_round (accepts : Q -> bool) (q : option Q) : bool := if q is Some q' then ~~ accepts q' else true.
End Wildcard.

(* If the transitions of a word and of the wildcard lead to the same state, the forward score of the word is 2. *)
Theorem printed_wildcard_is_refuted (K : semiring) : 1 + 1 <> 1 :> K ->
  ~ (forall (S : eqType) (Q : finite) (start : Q) (accepts : Q -> bool) (own : S -> Q -> option Q) (wild : Q -> option Q) w,
     score_4 (fun q => bit K (q == start)) (fun q => bit K (accepts q))
       (with_wildcard (fun x p q => bit K (goes_to (own x) p q)) (fun p q => bit K (goes_to wild p q))) w =
     bit K (matched (fun q => q == start) accepts (spells own wild) w)).
Proof.
move=> two all; apply: two.
have := all unit_eqType (place 1) ord0 (fun _ => true) (fun _ _ => Some ord0) (fun _ => Some ord0) [:: tt].
have -> : matched (fun q => q == ord0) (fun _ => true) (spells (fun _ _ => Some ord0) (fun _ => Some ord0 : option 'I_1)) [:: tt] by vm_compute.
by rewrite /score_4 /next_4 /run /= /with_wildcard; written_out.
Qed.

(* If the transition of the wildcard stays in the final state in which the rule begins, and a word has no transition of its own, the word leads
   both to that state and to the additional state. The rule matches, and so does its supposed complement. *)
Theorem without_determinisation_is_refuted :
  ~ (forall (S : eqType) (Q : finite) (start : Q) (accepts : Q -> bool) (own : S -> Q -> option Q) (wild : Q -> option Q) w,
     matched (Q := option_finite Q) (fun q => q == Some start) (turned_round accepts) (spells (fun x => completed (own x)) (completed wild)) w =
     ~~ matched (fun q => q == start) accepts (spells own wild) w).
Proof.
move=> all; have := all unit_eqType (place 1) ord0 xpredT (fun _ _ => None) Some [:: tt].
by set turned := matched _ _ _ _; have -> : turned by vm_compute.
Qed.

(* The next state of each state, from a matrix with at most one 1 in each row; Coq can compute it. *)
Definition state_after (Q : finite) (T : Q -> Q -> rationals) (p : Q) : option Q := ohead [seq q <- elements Q | nonzero (T p q)].
