(* Sequences with real, nonnegative eigenvalues change between "positive" and "not positive" at most as often as they have eigenvalues. *)

From mathcomp Require Import all_ssreflect ssralg ssrnum.
Import Order.TTheory GRing.Theory Num.Theory.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Local Open Scope ring_scope.

Section Changes.
Variable R : realDomainType.
Implicit Types (u v : nat -> R) (r : R) (rs : seq R).

(* The sequence (E - r) u, where E is the shift. *)
Definition without r u : nat -> R := fun k => u k.+1 - r * u k.
Definition annihilated rs u : Prop := forall k, foldl (fun v r => without r v) u rs k = 0.
Definition positive u (k : nat) : bool := 0 < u k.
Definition changes u (n : nat) : nat := count (fun k => positive u k.+1 != positive u k) (iota 0 n).

Lemma changes_next u n : changes u n.+1 = (changes u n + (positive u n.+1 != positive u n))%N.
Proof. by rewrite /changes -[in iota _ _]addn1 iotaD count_cat /= addn0. Qed.

Lemma class_at_change r u n : 0 <= r -> positive u n.+1 != positive u n -> positive (without r u) n = positive u n.+1.
Proof.
rewrite /positive /without => r0; case: (ltrP 0 (u n.+1)) => next; case: (ltrP 0 (u n)) => last //= _.
  by rewrite subr_gt0 (le_lt_trans _ next) // mulr_ge0_le0.
by apply/negbTE; rewrite -leNgt subr_le0 (le_trans next) // mulr_ge0 // ltW.
Qed.

Lemma one_change_more r u n : 0 <= r -> (changes u n <= (changes (without r u) n).+1)%N.
Proof.
move=> r0; case: n => // n.
suff: (changes u n.+1 + (positive (without r u) n != positive u n.+1) <= (changes (without r u) n).+1)%N.
  move=> bound; apply: leq_trans (leq_trans (leq_addr _ _) bound) _.
  by rewrite ltnS changes_next leq_addr.
elim: n => [|n IH].
  rewrite changes_next /changes /= add0n; have [same|change] := eqVneq (positive u 1) (positive u 0); last by rewrite class_at_change // eqxx.
  by case: (_ != _).
rewrite changes_next [changes (without r u) n.+1]changes_next.
have [->|change] := eqVneq (positive u n.+2) (positive u n.+1).
  move: IH; case: (positive u n.+1); case: (positive (without r u) n); case: (positive (without r u) n.+1) => /=;
    by rewrite ?addn0 ?addn1 // => /ltnW/leqW.
rewrite (class_at_change r0 change) eqxx; move: change IH.
case: (positive u n.+2); case: (positive u n.+1); case: (positive (without r u) n) => //= _;
  by rewrite ?addn0 ?addn1.
Qed.

(* In every ordered ring, a sequence that m factors E - r with r >= 0 annihilate changes its class at most m times. *)
Theorem class_changes rs u n : all (fun r => 0 <= r) rs -> annihilated rs u -> (changes u n <= size rs)%N.
Proof.
elim: rs u => [|r rs IH] u /=.
  move=> _ zero; have u0 k : u k = 0 by apply: zero.
  by rewrite /changes (eq_count (a2 := pred0)) ?count_pred0 // => k /=; rewrite /positive !u0 eqxx.
case/andP=> r0 rest zero; apply: leq_trans (one_change_more u n r0) _.
by rewrite ltnS; apply: IH.
Qed.
End Changes.
