(* Deterministic automata with weights 0 and 1, and the sets of states that a run may be in. *)

From mathcomp Require Import all_ssreflect.
From ratproof Require Import semiring sums automaton.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

(* There is one initial state, and each symbol leads from each state to one state. *)
Section Deterministic.
Variables (K : semiring) (S : Type) (D : finite) (start : D) (next : D -> S -> D) (accept : D -> bool).

Definition deterministic : wfa K S D :=
  Wfa (fun d => if d == start then 1 else 0) (fun x d d' => if d' == next d x then 1 else 0) (fun d => if accept d then 1 else 0).

Lemma deterministic_forward w d : forward deterministic w d = if d == run next start w then 1 else 0.
Proof.
elim/last_ind: w d => [|w x IH] d //.
rewrite forward_rcons (sum_at (p := run next start w)) => [|d' /negbTE ne]; last by rewrite IH ne times0w.
by rewrite IH eqxx times1w run_rcons.
Qed.

(* The score is 1 if the run ends in an accepting state, and 0 otherwise. *)
Lemma deterministic_score w : score deterministic w = if accept (run next start w) then 1 else 0.
Proof.
rewrite /score (sum_at (p := run next start w)) => [|d /negbTE ne]; last by rewrite deterministic_forward ne times0w.
by rewrite deterministic_forward eqxx times1w.
Qed.
End Deterministic.

(* A deterministic automaton that may have missing transitions. *)
Section Partial.
Variables (K : semiring) (S : Type) (D : finite) (start : D) (next : D -> S -> option D) (accept : D -> bool).
Definition partial : wfa K S D :=
  Wfa (fun d => if d == start then 1 else 0) (fun x d d' => if next d x == Some d' then 1 else 0) (fun d => if accept d then 1 else 0).
Definition go_on (d : option D) (x : S) : option D := obind (next^~ x) d.

Lemma partial_forward w d : forward partial w d = if run go_on (Some start) w == Some d then 1 else 0.
Proof.
elim/last_ind: w d => [|w x IH] d; first by rewrite /= (inj_eq (@Some_inj _)) eq_sym.
rewrite forward_rcons run_rcons; case eq: (run go_on (Some start) w) IH => [d'|] IH; last first.
  by rewrite -[RHS](sum0 K D); apply: eq_sum => p; rewrite IH times0w.
rewrite (sum_at (p := d')) => [|p ne]; first by rewrite IH eqxx times1w.
by rewrite IH (inj_eq (@Some_inj _)) eq_sym (negbTE ne) times0w.
Qed.

Lemma partial_score w : score partial w = if (if run go_on (Some start) w is Some d then accept d else false) then 1 else 0.
Proof.
rewrite /score; case eq: (run go_on (Some start) w) => [d|].
  rewrite (sum_at (p := d)) => [|p ne]; first by rewrite partial_forward eq eqxx times1w.
  by rewrite partial_forward eq (inj_eq (@Some_inj _)) eq_sym (negbTE ne) times0w.
by rewrite -[RHS](sum0 K D); apply: eq_sum => p; rewrite partial_forward eq times0w.
Qed.
End Partial.

(* Sets of elements as lists of bits, which Coq can compute. *)
Section Sets.
Variable Q : finite.

Fixpoint bits n : seq (n.-tuple bool) :=
  if n is n'.+1 then [seq cons_tuple b t | b <- [:: false; true], t <- bits n'] else [:: nil_tuple _].

Lemma bits_each_once n : Finite.axiom (bits n).
Proof.
apply: Finite.uniq_enumP => [|t]; rewrite ?[RHS]/=.
  elim: n => [|n IH] //.
  apply: (@allpairs_uniq _ _ _ (fun b (t : n.-tuple bool) => cons_tuple b t) [:: false; true]) => // -[b t] [b' t'] _ _ /= [-> eq].
  by congr (_, _); apply: val_inj.
elim: n t => [|n IH] t; first by rewrite tuple0.
apply/allpairsP; exists (thead t, [tuple of behead t]) => /=.
by split; rewrite ?IH //; [case: (thead t)|rewrite [LHS]tuple_eta; apply: val_inj].
Qed.
Canonical bits_finite n := Finite (@bits_each_once n).
Definition set_of : finite := bits_finite (card Q).

Lemma table_size (F : Q -> bool) : size (map F (elements Q)) == card Q.
Proof. by rewrite size_map. Qed.
Definition those (F : Q -> bool) : set_of := Tuple (table_size F).
Definition has_element (s : set_of) (q : Q) : bool := nth false (val s : seq bool) (index q (elements Q)).

Lemma has_element_those F q : has_element (those F) q = F q.
Proof. by rewrite /has_element /= (nth_map q) ?nth_index ?index_mem ?in_elements. Qed.
End Sets.
