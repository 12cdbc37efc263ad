(* A checker of whether an FA-RNN is an automaton, and the theorems about networks that it accepts. *)

From Coq Require Import Reals ZArith NArith List Lia Lra Bool Permutation.
From Flocq Require Import Core BinarySingleNaN Binary Bits.
From ratproof_reals Require Import exact_sums integer_sums rule_network.
Import ListNotations.
Open Scope Z_scope.

Fixpoint removed (q : N) (l : list N) : option (list N) :=
  match l with
  | [] => None
  | k :: l' => if N.eqb q k then Some l' else match removed q l' with Some r => Some (k :: r) | None => None end
  end.
Fixpoint same_states (l m : list N) : bool :=
  match l with
  | [] => match m with [] => true | _ => false end
  | q :: l' => match removed q m with Some m' => same_states l' m' | None => false end
  end.
Definition member {A} (j : N) (r : row A) : bool := match lookup j r with Some _ => true | None => false end.
(* The states that the network leads to from state i, once for each path through its matrices. *)
Definition network_states (net : network) (v : row Z * Z) (i : N) : list N :=
  flat_map (fun c => if member c (fst v) then keys (at_index (after net) c) else []) (keys (at_index (before net) i)) ++
  (if snd v =? one_bits then keys (at_index (wildcard net) i) else []).
(* The table of each word is the table of its vector. *)
Fixpoint tables_agree (table_of_vector vectors tables : list N) : bool :=
  match vectors, tables with
  | [], [] => true
  | v :: vectors', t :: tables' =>
    match nth_error table_of_vector (N.to_nat v) with Some t' => N.eqb t' t | None => false end &&
    tables_agree table_of_vector vectors' tables'
  | _, _ => false
  end.
(* A map from the network's states to the automaton's states. Transitions, starts and accepting states must agree under it. *)
Definition image (state_of : list N) (i : N) : N := nth (N.to_nat i) state_of 0%N.
Definition check_tables (net : network) (A : automaton) (state_of table_of_vector : list N) : bool :=
  Nat.eqb (length table_of_vector) (length (vectors net)) &&
  forallb (fun vt => let table := nth (N.to_nat (snd vt)) (tables A) [] in
    forallb (fun i => same_states (map (image state_of) (network_states net (fst vt) i)) (next_states (base A) table (image state_of i)))
      (indices (states net))) (combine (vectors net) table_of_vector).
Definition check (symbols : N) (net : network) (A : automaton) (state_of table_of_vector : list N) : bool :=
  weights_are_ones net && N.eqb (N.of_nat (length (table_of A))) symbols &&
  tables_agree table_of_vector (vector_of net) (table_of A) && check_tables net A state_of table_of_vector &&
  same_states (map (image state_of) (keys (initial net))) (starts A) && Nat.eqb (length (finals net)) (length (accepting A)) &&
  forallb (fun fg => forallb (fun i => one_if (fst fg) i =? count (image state_of i) (snd fg)) (indices (states net)))
    (combine (finals net) (accepting A)).

Lemma removed_permutation q l m : removed q l = Some m -> Permutation l (q :: m).
Proof.
revert m. induction l as [|k l IH]; intros m H; [easy|]. cbn in H. destruct (N.eqb_spec q k) as [->|].
- inversion H. reflexivity.
- destruct (removed q l) as [r|]; [|easy]. inversion H. rewrite (IH r eq_refl). apply perm_swap.
Qed.
Lemma same_states_permutation l : forall m, same_states l m = true -> Permutation l m.
Proof.
induction l as [|q l IH]; intros m H; cbn in H; [now destruct m|]. destruct (removed q m) as [m'|] eqn:R; [|easy].
apply removed_permutation in R. rewrite R. constructor. now apply IH.
Qed.
Lemma keys_increasing {A} least bound (r : row A) : increasing least bound r = true ->
  forall j, In j (keys r) -> (least <= j < bound)%N.
Proof.
revert least. induction r as [|[k a] r IH]; intros least H j; [easy|]. cbn in H. apply andb_prop in H. destruct H as [H T].
apply andb_prop in H. destruct H as [L B]. apply N.leb_le in L. apply N.ltb_lt in B. intros [<-|I]; [cbn; lia|].
specialize (IH _ T j I). lia.
Qed.
Lemma one_if_count {A} least bound (r : row A) j : increasing least bound r = true -> one_if r j = count j (keys r).
Proof.
unfold one_if, count. revert least. induction r as [|[k a] r IH]; intros least H; [reflexivity|]. cbn [lookup keys map fst]. rewrite sum_cons.
cbn in H. apply andb_prop in H. destruct H as [_ T]. specialize (IH _ T). pose proof (keys_increasing _ _ _ T) as R.
destruct (N.eqb_spec j k) as [->|]; [|exact IH]. fold (keys r). fold (count k (keys r)).
assert (Z : ~ In k (keys r)) by (intros I; specialize (R k I); lia). pose proof (count_positive k (keys r)).
assert (~ 0 < count k (keys r)) by (rewrite count_in; exact Z). lia.
Qed.

Section Checked.
Variables (symbols : N) (net : network) (A : automaton) (state_of table_of_vector : list N).
Hypothesis checked : check symbols net A state_of table_of_vector = true.
Notation rows := (indices (states net)).
Notation image := (image state_of).

Lemma checked_parts : weights_are_ones net = true /\ N.of_nat (length (table_of A)) = symbols /\
  tables_agree table_of_vector (vector_of net) (table_of A) = true /\ check_tables net A state_of table_of_vector = true /\
  Permutation (map image (keys (initial net))) (starts A) /\
  forall g i, In i rows -> one_if (nth g (finals net) []) i = count (image i) (nth g (accepting A) []).
Proof.
unfold check in checked. apply andb_prop in checked. destruct checked as [H F]. do 5 (apply andb_prop in H; destruct H as [H ?]).
repeat split; trivial; [now apply N.eqb_eq|now apply same_states_permutation|].
match goal with L : Nat.eqb (length (finals _)) _ = true |- _ => apply Nat.eqb_eq in L; revert L end.
revert F. clear. generalize (accepting A). induction (finals net) as [|f fs IH]; intros [|g gs] F L [|k] i I; cbn in L; try easy.
- apply andb_prop in F. destruct F as [F _]. rewrite forallb_forall in F. now apply Z.eqb_eq, F.
- apply andb_prop in F. destruct F as [_ F]. cbn [nth]. apply IH; [exact F|lia|exact I].
Qed.

Lemma rows_of_ones i : increasing 0 (columns net) (at_index (before net) i) = true /\
  increasing 0 (states net) (at_index (after net) i) = true /\ increasing 0 (states net) (at_index (wildcard net) i) = true.
Proof.
destruct checked_parts as (O & _). unfold weights_are_ones in O. apply andb_prop in O. destruct O as [O _].
do 4 (apply andb_prop in O; destruct O as [O ?]).
assert (R : forall bound M k, forallb (row_of_ones bound) M = true -> increasing 0 bound (at_index M k) = true).
{ intros bound M k F. assert (B : row_of_ones bound (at_index M k) = true) by (apply at_index_checked; trivial).
  unfold row_of_ones in B. now apply andb_prop in B. }
repeat split; apply R; assumption.
Qed.

Lemma network_states_range v i q : In q (network_states net v i) -> (q < states net)%N.
Proof.
unfold network_states. rewrite in_app_iff, in_flat_map. intros [(c & _ & I)|I].
- destruct (member c (fst v)); [|easy]. now apply (keys_increasing 0 (states net) (at_index (after net) c)); [apply rows_of_ones|].
- destruct (snd v =? one_bits); [|easy]. now apply (keys_increasing 0 (states net) (at_index (wildcard net) i)); [apply rows_of_ones|].
Qed.

Lemma exact_next_counts v n j : exact_next net v n j = sum_over rows (fun i => n i * count j (network_states net v i)).
Proof.
unfold exact_next. rewrite <- sum_scale_right.
transitivity (sum_over rows (fun i => n i * sum_over (indices (columns net)) (fun c =>
    one_if (at_index (before net) i) c * (one_if (fst v) c * one_if (at_index (after net) c) j)))
  + sum_over rows (fun i => n i * one_if (at_index (wildcard net) i) j * one_if_bits (snd v))).
- f_equal. transitivity (sum_over (indices (columns net)) (fun c => sum_over rows (fun i =>
    n i * (one_if (at_index (before net) i) c * (one_if (fst v) c * one_if (at_index (after net) c) j))))).
  + apply sum_ext. intros c _. rewrite <- !sum_scale_right. apply sum_ext. intros. ring.
  + rewrite sum_swap. apply sum_ext. intros i _. now rewrite sum_scale.
- rewrite <- sum_plus. apply sum_ext. intros i _. rewrite <- Z.mul_assoc, <- Z.mul_add_distr_l. f_equal.
  destruct (rows_of_ones i) as (B & _ & W). unfold network_states, count. rewrite sum_app, sum_concat. fold (count j). f_equal.
  + rewrite (sum_ext _ _ (fun c => count c (keys (at_index (before net) i)) * (one_if (fst v) c * one_if (at_index (after net) c) j)))
      by (intros c _; now rewrite (one_if_count 0 (columns net))).
    rewrite sum_by_count by (intros c I; now apply (keys_increasing 0 (columns net) (at_index (before net) i))).
    apply sum_ext. intros c _. destruct (rows_of_ones c) as (_ & D & _). rewrite (one_if_count 0 (states net) _ _ D).
    unfold one_if, member. destruct (lookup c (fst v)); [apply Z.mul_1_l|reflexivity].
  + rewrite (one_if_count 0 (states net) _ _ W). unfold one_if_bits. destruct (snd v =? one_bits); [apply Z.mul_1_r|apply Z.mul_0_r].
Qed.

Lemma table_matches x i : (x < symbols)%N -> In i rows ->
  Permutation (map image (network_states net (vector net x) i)) (transitions A x (image i)).
Proof.
intros X I. destruct checked_parts as (_ & Symbols & Agree & Tables & _). rewrite <- Symbols in X. clear Symbols.
unfold check_tables in Tables. apply andb_prop in Tables. destruct Tables as [Length Tables]. apply Nat.eqb_eq in Length.
assert (V : exists v, nth_error (vector_of net) (N.to_nat x) = Some v /\
  nth_error table_of_vector (N.to_nat v) = Some (nth (N.to_nat x) (table_of A) 0%N)).
{ assert (L : (N.to_nat x < length (table_of A))%nat) by lia. revert L. generalize (N.to_nat x). clear -Agree. revert Agree.
  generalize (table_of A). induction (vector_of net) as [|v vs IH]; intros [|t ts] H k L; cbn in *; try easy; try lia.
  apply andb_prop in H. destruct H as [E H]. destruct k as [|k]; [|apply (IH ts H k); cbn in L; lia].
  exists v. split; [reflexivity|]. destruct (nth_error table_of_vector (N.to_nat v)); [|easy]. apply N.eqb_eq in E. now f_equal. }
destruct V as (v & Ev & Et). unfold vector, transitions. rewrite (nth_error_nth _ _ 0%N Ev).
set (t := nth (N.to_nat x) (table_of A) 0%N) in *.
assert (Lv : (N.to_nat v < length table_of_vector)%nat) by (apply nth_error_Some; now rewrite Et).
rewrite forallb_forall in Tables.
assert (In_pairs : In (nth (N.to_nat v) (vectors net) ([], 0), t) (combine (vectors net) table_of_vector)).
{ rewrite <- (nth_error_nth _ _ 0%N Et), <- combine_nth by now symmetry. apply nth_In. rewrite combine_length. lia. }
specialize (Tables _ In_pairs). cbn [fst snd] in Tables. rewrite forallb_forall in Tables.
now apply same_states_permutation, Tables.
Qed.

Notation in_alphabet := (List.Forall (fun x => (x < symbols)%N)).
Lemma next_weighs v n f : sum_over rows (fun j => exact_next net v n j * f j) = sum_over rows (fun i => n i * sum_over (network_states net v i) f).
Proof.
transitivity (sum_over rows (fun j => sum_over rows (fun i => n i * (count j (network_states net v i) * f j)))).
- apply sum_ext. intros j _. rewrite exact_next_counts, <- sum_scale_right. apply sum_ext. intros. ring.
- rewrite sum_swap. apply sum_ext. intros i _. rewrite sum_scale. f_equal. apply sum_by_count. apply network_states_range.
Qed.

Lemma run_counts_paths f word : in_alphabet word -> forall n,
  sum_over rows (fun i => exact_run net word n i * f (image i)) = sum_over rows (fun i => n i * weighted_paths A f word (image i)).
Proof.
induction 1 as [|x word X _ IH]; intros n; [reflexivity|].
change (exact_run net (x :: word) n) with (exact_run net word (exact_next net (vector net x) n)). rewrite IH, next_weighs.
apply sum_ext. intros i I. f_equal. cbn [weighted_paths]. rewrite <- sum_map. apply sum_permutation. now apply table_matches.
Qed.

Lemma initial_increasing : increasing 0 (states net) (initial net) = true.
Proof.
destruct checked_parts as (O & _). unfold weights_are_ones in O. apply andb_prop in O. destruct O as [O _].
apply andb_prop in O. destruct O as [_ O]. unfold row_of_ones in O. now apply andb_prop in O.
Qed.
Lemma initial_weighs_sum f : sum_over rows (fun i => one_if (initial net) i * f i) = sum_over (keys (initial net)) f.
Proof.
rewrite (sum_ext _ _ (fun i => count i (keys (initial net)) * f i)) by (intros i _; now rewrite (one_if_count 0 (states net) _ _ initial_increasing)).
apply sum_by_count. intros q Q. now apply (keys_increasing _ _ _ initial_increasing).
Qed.

Lemma runs_are_paths f word : in_alphabet word ->
  sum_over rows (fun i => exact_run net word (one_if (initial net)) i * f (image i)) = sum_over (starts A) (weighted_paths A f word).
Proof.
intros W. rewrite run_counts_paths by assumption. rewrite initial_weighs_sum, <- sum_map. apply sum_permutation. apply checked_parts.
Qed.

Lemma runs_are_all_paths word : in_alphabet word -> sum_over rows (exact_run net word (one_if (initial net))) = all_paths A word.
Proof. intros W. unfold all_paths. rewrite <- runs_are_paths by assumption. apply sum_ext. intros. ring. Qed.

Lemma runs_are_accepting_paths g word : in_alphabet word ->
  sum_over rows (fun i => exact_run net word (one_if (initial net)) i * one_if (nth g (finals net) []) i) = accepting_paths A g word.
Proof.
intros W. unfold accepting_paths. rewrite <- runs_are_paths by assumption. apply sum_ext. intros i I. f_equal.
destruct checked_parts as (_ & _ & _ & _ & _ & F). now apply F.
Qed.

(* Every computed score is the number of accepting paths, as long as there are fewer than 2^24 paths after each prefix. *)
Theorem counts_are_exact word : in_alphabet word -> (forall prefix rest, word = prefix ++ rest -> all_paths A prefix < 2 ^ 24) ->
  forall g y, computed_score net word g y ->
  finite y = true /\ value y = IZR (accepting_paths A g word) /\ ((0 < value y)%R <-> accepts A g word).
Proof.
intros W Small g y C. destruct checked_parts as (O & _).
destruct (exact_score net O word g y C) as [F V].
- intros prefix rest E. rewrite runs_are_all_paths; [now apply (Small prefix rest)|]. rewrite E in W. now apply Forall_app in W.
- rewrite runs_are_accepting_paths in V by assumption. split; [exact F|]. split; [exact V|].
  rewrite <- accepts_if_paths, V. split; [intros P; now apply lt_IZR|apply IZR_lt].
Qed.

(* A weight of each state, such that no word increases the weight of the network's state, bounds the number of paths. *)
Section Bounded.
Variable weights : list Z.
Definition weight_of (i : N) : Z := nth (N.to_nat i) weights 0.
Definition paths_are_bounded : bool :=
  forallb (fun i => 1 <=? weight_of i) rows &&
  forallb (fun v => forallb (fun i => sum_over (network_states net v i) weight_of <=? weight_of i) rows) (([], 0) :: vectors net) &&
  (sum_over (keys (initial net)) weight_of <? 2 ^ 24).

Lemma vector_listed x : In (vector net x) (([], 0) :: vectors net).
Proof.
unfold vector. destruct (nth_in_or_default (N.to_nat (nth (N.to_nat x) (vector_of net) 0%N)) (vectors net) ([], 0)) as [I|E];
  [now right|left; symmetry; exact E].
Qed.

Lemma few_paths : paths_are_bounded = true -> forall word, in_alphabet word -> all_paths A word < 2 ^ 24.
Proof.
intros B word W. unfold paths_are_bounded in B. apply andb_prop in B. destruct B as [B Start]. apply andb_prop in B. destruct B as [One Less].
rewrite forallb_forall in One, Less. apply Z.ltb_lt in Start. rewrite <- runs_are_all_paths by assumption.
assert (P : forall word i, In i rows -> 0 <= exact_run net word (one_if (initial net)) i).
{ intros. apply run_positive; trivial. intros. apply one_if_positive. }
apply Z.le_lt_trans with (sum_over rows (fun i => exact_run net word (one_if (initial net)) i * weight_of i)).
{ apply sum_monotone. intros i I. specialize (P word i I). specialize (One i I). apply Z.leb_le in One. nia. }
apply Z.le_lt_trans with (2 := Start). clear W. induction word as [|x word IH] using rev_ind; [now rewrite <- initial_weighs_sum|].
rewrite run_last, next_weighs. apply Z.le_trans with (2 := IH). apply sum_monotone. intros i I. apply Z.mul_le_mono_nonneg_l; [now apply P|].
specialize (Less _ (vector_listed x)). rewrite forallb_forall in Less. now apply Z.leb_le, Less.
Qed.
End Bounded.

(* A word multiplies the largest entry of the state by at most 2^k. *)
Definition growth_is_below (k : Z) : bool :=
  (0 <=? k) && (k <? 24) && (Z.of_N (states net) <? 2 ^ 24) &&
  forallb (fun v => forallb (fun j => sum_over rows (fun i => count j (network_states net v i)) <=? 2 ^ k) rows) (([], 0) :: vectors net).

Theorem scores_are_positive k : growth_is_below k = true -> forall word, in_alphabet word -> k * Z.of_nat (length word) <= 103 ->
  forall g y, computed_score net word g y -> finite y = true /\ ((0 < value y)%R <-> accepts A g word).
Proof.
intros G word W L g y C. unfold growth_is_below in G. do 3 (apply andb_prop in G; destruct G as [G ?]).
rewrite forallb_forall in H. apply Z.leb_le in G. apply Z.ltb_lt in H0, H1. destruct checked_parts as (O & _).
destruct (finite_score net k O H0 (conj G H1) word g y C) as [F P]; trivial.
- apply Forall_forall. intros x _ j J. rewrite exact_next_counts.
  rewrite (sum_ext _ _ (fun i => count j (network_states net (vector net x) i))) by (intros; apply Z.mul_1_l).
  specialize (H _ (vector_listed x)). rewrite forallb_forall in H. now apply Z.leb_le, H.
- split; [exact F|]. now rewrite P, runs_are_accepting_paths, accepts_if_paths.
Qed.
End Checked.

(* The theorems of a generated file. Some program computes a score, and every computed score has the property. *)
Definition every_computed_score (net : network) (word : list N) (g : nat) (property : binary32 -> Prop) : Prop :=
  (exists y, computed_score net word g y) /\ forall y, computed_score net word g y -> property y.

Definition check_all_words (symbols : N) (net : network) (A : automaton) (state_of table_of_vector : list N) (weights : list Z) : bool :=
  check symbols net A state_of table_of_vector && paths_are_bounded net weights.
Theorem counts_on_all_words symbols net A state_of table_of_vector weights : check_all_words symbols net A state_of table_of_vector weights = true ->
  forall word, List.Forall (fun x => (x < symbols)%N) word -> forall g, every_computed_score net word g (fun y =>
    finite y = true /\ value y = IZR (accepting_paths A g word) /\ ((0 < value y)%R <-> accepts A g word)).
Proof.
intros C word W g. apply andb_prop in C. destruct C as [C B]. split; [apply score_exists|]. intros y Y.
apply (counts_are_exact symbols net A state_of table_of_vector C word W); [|exact Y]. intros prefix rest E. rewrite E in W. apply Forall_app in W.
now apply (few_paths symbols net A state_of table_of_vector C weights B).
Qed.

Definition check_short_words (symbols : N) (net : network) (A : automaton) (state_of table_of_vector : list N) (k : Z) : bool :=
  check symbols net A state_of table_of_vector && growth_is_below net k.
Theorem counts_while_small symbols net A state_of table_of_vector k : check_short_words symbols net A state_of table_of_vector k = true ->
  forall word, List.Forall (fun x => (x < symbols)%N) word -> forall g, every_computed_score net word g (fun y =>
    ((forall prefix rest, word = prefix ++ rest -> all_paths A prefix < 2 ^ 24) ->
       finite y = true /\ value y = IZR (accepting_paths A g word) /\ ((0 < value y)%R <-> accepts A g word)) /\
    (k * Z.of_nat (length word) <= 103 -> finite y = true /\ ((0 < value y)%R <-> accepts A g word))).
Proof.
intros C word W g. apply andb_prop in C. destruct C as [C B]. split; [apply score_exists|]. intros y Y. split.
- intros Small. now apply (counts_are_exact symbols net A state_of table_of_vector C word W).
- intros L. now apply (scores_are_positive symbols net A state_of table_of_vector C k).
Qed.
