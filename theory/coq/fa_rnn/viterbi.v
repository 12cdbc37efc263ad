(* The Viterbi score (Jiang et al. 2020, section 2.4): maxima instead of sums. *)

From mathcomp Require Import all_ssreflect all_algebra.
From ratproof Require Import semiring sums automaton instances.
From ratproof.fa_rnn Require Import eq_4 eq_5 beta_1.
From ratproof.fa_rnn.shared Require Import accepting_paths matches.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

(* The recurrence of equation 4 with maxima instead of sums is the Forward score over max-times. *)
Theorem viterbi (R : realDomainType) (S : Type) (Q : finite) (alpha_0 alpha_inf : Q -> max_times R) (T : S -> Q -> Q -> max_times R) w :
  score (automaton_of alpha_0 alpha_inf T) w = score_4 alpha_0 alpha_inf T w.
Proof. exact: eq_4. Qed.

(* With weights 0 and 1, the score is 1 on matches and 0 otherwise. *)
Theorem viterbi_match (R : realDomainType) (S : eqType) (Q : finite) (begins accepts : Q -> bool) (moves : S -> Q -> Q -> bool) w :
  score_4 (fun q => bit (max_times R) (begins q)) (fun q => bit _ (accepts q)) (fun x i j => bit _ (moves x i j)) w =
  bit _ (matched begins accepts moves w).
Proof. exact: beta_1_viterbi. Qed.

(* The numbers 0 and 1 as weights of max-plus, whose zero is minus infinity and whose one is 0. *)
Definition number (R : realDomainType) (b : bool) : max_plus R := Some (if b then 1 else 0)%R.

(* Max-plus, as printed, with the same weights: the empty word has the score 1 if the initial state is not final. *)
Theorem printed_is_refuted (R : realDomainType) :
  ~ (forall (S : eqType) (Q : finite) (start : Q) (accepts : Q -> bool) (moves : S -> Q -> Q -> bool) w,
     score_4 (fun q => number R (q == start)) (fun q => number R (accepts q)) (fun x i j => number R (moves x i j)) w =
     number R (matched (fun q => q == start) accepts moves w)).
Proof.
move=> all; have := all unit_eqType (place 1) ord0 xpred0 (fun _ _ => xpred0) [::].
have -> : matched (Q := place 1) (fun q => q == ord0) xpred0 (fun _ : unit => fun _ => xpred0) [::] = false by vm_compute.
rewrite /score_4 /run /number /=; written_out => -[/eqP].
by rewrite GRing.addr0 GRing.oner_eq0.
Qed.

(* Table 6's -V: equation 5 with maxima instead of sums, with the same factors, which may be negative. *)
Section Factors.
Local Open Scope ring_scope.
Variables (R : realDomainType) (S : Type) (Q C : finite) (alpha_0 alpha_inf : Q -> R) (D_1 D_2 : Q -> C -> R) (E_R : S -> C -> R).

Definition maximum (P : finite) (F : P -> R) : R := if elements P is p :: rest then foldr (fun q most => Num.max (F q) most) (F p) rest else 0.

(* h_t[j] is the maximum over s of (the maximum over i of h_{t-1}[i] D_1[i, s]) v_t[s] D_2[j, s]; the score is the maximum of h_N[i] alpha_inf[i]. *)
Definition next_of_maxima (h : Q -> R) (x : S) (j : Q) : R := maximum (fun s => maximum (fun i => h i * D_1 i s) * E_R x s * D_2 j s).
Definition score_of_maxima (w : seq S) : R := maximum (fun i => run next_of_maxima alpha_0 w i * alpha_inf i).

(* The automaton over max-times whose weights are the tensor, the factors' sum of products; and its score as a number. *)
Definition max_times_of (a : R) : max_times R :=
  (if is_positive a as b return is_positive a = b -> max_times R then fun yes => Some (exist (@is_positive R) a yes) else fun _ => None) erefl.
Definition number_of (a : max_times R) : R := if a is Some p then val p else 0.
Definition tensor : S -> Q -> Q -> R := of_factors (D_1 : Q -> C -> of_ring R) D_2 E_R.
Definition rebuilt : wfa (max_times R) S Q :=
  automaton_of (fun q => max_times_of (alpha_0 q)) (fun q => max_times_of (alpha_inf q)) (fun x i j => max_times_of (tensor x i j)).
End Factors.

(* With factors whose tensor is nonnegative, this is not the greatest weight of an accepting path: two columns, 2 and -1, have the sum 1 and the
   maximum 2. *)
Theorem printed_factors_is_refuted (R : realDomainType) :
  ~ (forall (S : Type) (Q C : finite) (alpha_0 alpha_inf : Q -> R) (D_1 D_2 : Q -> C -> R) (E_R : S -> C -> R) w,
     (forall q, 0 <= alpha_0 q /\ 0 <= alpha_inf q)%R -> (forall x i j, 0 <= tensor D_1 D_2 E_R x i j)%R ->
     score_of_maxima alpha_0 alpha_inf D_1 D_2 E_R w = number_of (score (rebuilt alpha_0 alpha_inf D_1 D_2 E_R) w)).
Proof.
pose ones (_ : 'I_1) : R := 1%R; pose D (_ : 'I_1) (_ : 'I_2) : R := 1%R; pose v (_ : unit) (s : 'I_2) : R := (if s == ord0 then 1 + 1 else - 1)%R.
have one_path x i j : tensor (Q := place 1) (C := place 2) D D v x i j = 1%R.
  by rewrite /tensor /of_factors /D /v; written_out; rewrite !(GRing.mul1r, GRing.mulr1) GRing.addr0 GRing.addrK.
have is_1 : max_times_of 1%R = 1 :> max_times R.
  rewrite /max_times_of; move: (erefl _); case: {2 3}(is_positive _) => yes; first by congr Some; apply: (@val_inj _ (@is_positive R) _ (exist _ _ yes)).
  by move: yes; rewrite /is_positive Num.Theory.ltr01.
have scored : score (rebuilt (Q := place 1) (C := place 2) ones ones D D v) [:: tt] = 1.
  by evaluated; rewrite one_path is_1; written_out; congr Some; apply: val_inj; rewrite /= !GRing.mulr1.
have greatest_is_2 : score_of_maxima (Q := place 1) (C := place 2) ones ones D D v [:: tt] = (1 + 1)%R.
  rewrite /score_of_maxima /run /= /next_of_maxima /maximum /= /v /D /ones /= !(GRing.mul1r, GRing.mulr1) Order.POrderTheory.max_r //.
  by apply: Order.POrderTheory.le_trans (_ : (0 <= _)%R); rewrite ?Num.Theory.oppr_le0 ?Num.Theory.addr_ge0 ?Num.Theory.ler01.
move=> all; have := all unit (place 1) (place 2) ones ones D D v [:: tt]; rewrite scored greatest_is_2 => eq.
have /GRing.addrI/eqP : (1 + 1 = 1 + 0 :> R)%R by rewrite GRing.addr0; apply: eq => *; rewrite ?one_path Num.Theory.ler01.
by rewrite GRing.oner_eq0.
Qed.
