(* The automata of two rules, merged behind BOS (Jiang et al. 2020, section 3.5): a new start state that BOS leaves, and equation 8. *)

From mathcomp Require Import all_ssreflect ssralg.
From ratproof Require Import semiring sums automaton instances.
From ratproof.fa_rnn Require Import eq_10 bidirectional.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Section TwoRules.
Variables (K : semiring) (S : Type) (Q Q' : finite) (A : wfa K S Q) (A' : wfa K S Q').

(* Both automata side by side, with these final weights. *)
Definition side_by_side (ends : Q + Q' -> K) : wfa K S (sum_finite Q Q') := @Wfa K S (sum_finite Q Q')
  (beside (initial A) (initial A'))
  (fun x p q => match p, q with inl i, inl j => transition A x i j | inr i, inr j => transition A' x i j | _, _ => 0 end)
  ends.

Lemma forward_side_by_side ends w q : forward (side_by_side ends) w q = beside (forward A w) (forward A' w) q.
Proof.
elim/last_ind: w q => // w x IH q; rewrite forward_rcons sum_sum; case: q => j /=.
  rewrite [X in _ + X](eq_sum (G := fun _ => 0)) => [|i]; last by rewrite timesw0.
  by rewrite sum0 plusw0 forward_rcons; apply: eq_sum => i; rewrite IH.
rewrite [X in X + _](eq_sum (G := fun _ => 0)) => [|i]; last by rewrite timesw0.
by rewrite sum0 plus0w forward_rcons; apply: eq_sum => i; rewrite IH.
Qed.

(* The merged automaton has the states of both automata, and one more. After BOS, with the final weights of one rule, and zeros at the states of the
   other rule (equation 8), each rule has the score of its own automaton. *)
Theorem merged_rules :
  card (option_finite (sum_finite Q Q')) = (card Q + card Q').+1 /\
  forall w, score (with_start_state (side_by_side (beside (final A) (fun _ => 0)))) (with_bos w) = score A w /\
            score (with_start_state (side_by_side (beside (fun _ => 0) (final A')))) (with_bos w) = score A' w.
Proof.
split=> [|w]; first by rewrite card_option card_sum.
rewrite !score_with_bos /score !sum_sum /=; split.
  rewrite [X in _ + X](eq_sum (G := fun _ => 0)) => [|i]; last by rewrite timesw0.
  by rewrite sum0 plusw0; apply: eq_sum => i; rewrite forward_side_by_side.
rewrite [X in X + _](eq_sum (G := fun _ => 0)) => [|i]; last by rewrite timesw0.
by rewrite sum0 plus0w; apply: eq_sum => i; rewrite forward_side_by_side.
Qed.
End TwoRules.

(* Without BOS, no word leaves the start state: a rule with the score 1 has the score 0. *)
Theorem without_bos_is_refuted (K : semiring) : 1 <> 0 :> K ->
  ~ (forall (S : Type) (Q Q' : finite) (alpha_0 alpha_inf : Q -> K) (T : S -> Q -> Q -> K) (alpha_0' alpha_inf' : Q' -> K) (T' : S -> Q' -> Q' -> K) w,
     let A := Wfa alpha_0 T alpha_inf in let A' := Wfa alpha_0' T' alpha_inf' in
     score (with_start_state (side_by_side A A' (beside alpha_inf (fun _ => 0)))) (map Some w) = score A w /\
     score (with_start_state (side_by_side A A' (beside (fun _ => 0) alpha_inf'))) (map Some w) = score A' w).
Proof.
move=> nontrivial all; apply: nontrivial; pose one_ (_ : 'I_1) : K := 1; pose ones (_ : unit) (_ _ : 'I_1) : K := 1.
have [] := all unit (place 1) (place 1) one_ one_ ones one_ one_ ones [:: tt].
by rewrite [map _ _]/= score_without_bos_first => + _; evaluated.
Qed.

(* If a rule is read with the final weights of both rules, without the zeros of equation 8, a rule with the score 1 has the score 1 + 1. *)
Theorem without_zeros_is_refuted (R : ringType) : let K := of_ring R in
  ~ (forall (S : Type) (Q Q' : finite) (alpha_0 alpha_inf : Q -> K) (T : S -> Q -> Q -> K) (alpha_0' alpha_inf' : Q' -> K) (T' : S -> Q' -> Q' -> K) w,
     let A := Wfa alpha_0 T alpha_inf in let A' := Wfa alpha_0' T' alpha_inf' in
     score (with_start_state (side_by_side A A' (beside alpha_inf alpha_inf'))) (with_bos w) = score A w /\
     score (with_start_state (side_by_side A A' (beside alpha_inf alpha_inf'))) (with_bos w) = score A' w).
Proof.
move=> K all; pose one_ (_ : 'I_1) : K := 1; pose ones (_ : unit) (_ _ : 'I_1) : K := 1.
have [] := all unit (place 1) (place 1) one_ one_ ones one_ one_ ones [::]; rewrite score_with_bos => + _; evaluated.
by rewrite /= !(GRing.mul1r, GRing.addr0) => /eqP; rewrite -[X in _ == X]GRing.addr0 (inj_eq (GRing.addrI _)) GRing.oner_eq0.
Qed.
