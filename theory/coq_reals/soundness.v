(* The program that checks closed boxes is sound. *)

From Coq Require Import Reals ZArith QArith Qreals List Lia Lra Bool.
From ratproof_reals Require Import intervals functions slopes network parametricity algebra cells boxes.
Import ListNotations.
Open Scope R_scope.

Section Sound.
Variables (bits : positive) (exact : network Q) (A : automaton) (nodes : list node).
Notation I := (map_network (of_rational bits) exact).
Notation N := (map_network Q2R exact).
Notation contains := (contains bits).
Notation ivs := (interval_arithmetic bits).
Notation k := (k exact).
Notation numbers := (numbers exact).
Notation encloses := (encloses bits).
Notation reads := (reads (gates exact)).
Notation bounded := (bounded bits).
Notation scaled := (boxes.scaled bits I).
Notation real_of := (real_of bits).

(* Columns of the matrix of centroids. *)
Lemma encloses_column i M :
  all3 encloses (map (fun row => nth i row zero) (map (map (of_rational bits)) M))
    (map (fun row => nth i row 0) (map (map Q2R) M)) (map (fun row => nth i row 0) (map (map Q2R) M)).
Proof.
rewrite !map_map. apply all3_map_list. intros row _. apply all3_nth; [apply encloses_zero|apply encloses_map].
Qed.

Definition product (g : gate Q) : list (list R) :=
  map (fun u => map (fun i => rdot u (map (fun row => nth i row 0) (centroids N))) numbers) (map (map Q2R) (U g)).

Lemma encloses_product g :
  rows3 encloses
    (map (fun u => map (fun i => dot (K := ivs) u (map (fun row => nth i row zero) (centroids I))) numbers) (map (map (of_rational bits)) (U g)))
    (product g) (product g).
Proof.
unfold product. rewrite !map_map. apply rows3_map. intros u _. apply all3_map_list. intros i _.
apply encloses_dot; [apply encloses_map|apply encloses_column].
Qed.

Section AtPoint.
Variables (box : list interval) (point : list R).
Hypothesis point_in_box : Forall2 contains box point.
Hypothesis middle_in_box : List.Forall (fun D => contains D 0) box.
Hypothesis sum_is_zero : true = true -> slopes.total point = 0.
Notation represents := (represents bits point).
Notation forms := (forms bits true box).

(* The differences of logits, and the probabilities. *)
Definition gaps (l : nat) (u : list R) : list R :=
  map (fun i => rdot u (column N i) / temperature N - rdot u (column N l) / temperature N) numbers.

Lemma encloses_inverse : encloses (inverse_temperature bits I) (/ Q2R (temperature exact)) (/ Q2R (temperature exact)).
Proof.
split; [|reflexivity]. replace (/ Q2R (temperature exact)) with (1 / Q2R (temperature exact)) by (unfold Rdiv; ring).
apply contains_div; [apply contains_one|apply contains_rational].
Qed.

Lemma encloses_towards l i :
  all3 encloses (towards scaled l i)
    (map (fun row => (nth i row 0 - nth l row 0) * / temperature N) (centroids N))
    (map (fun row => (nth i row 0 - nth l row 0) * / temperature N) (centroids N)).
Proof.
unfold towards, boxes.scaled. change (centroids I) with (map (map (of_rational bits)) (centroids exact)).
change (centroids N) with (map (map Q2R) (centroids exact)). rewrite !map_map. apply all3_map_list. intros row _.
assert (E : forall j, contains (nth j (map (fun x => mul bits x (inverse_temperature bits I)) (map (of_rational bits) row)) zero)
  (nth j (map Q2R row) 0 * / temperature N)).
{ intros j. rewrite map_map. destruct (Nat.lt_ge_cases j (length row)) as [L|L].
  - rewrite nth_indep with (d' := mul bits (of_rational bits (0 # 1)) (inverse_temperature bits I)) by now rewrite map_length.
    rewrite (map_nth (fun x => mul bits (of_rational bits x) _)). rewrite nth_indep with (d' := Q2R (0 # 1)) by now rewrite map_length.
    rewrite map_nth. apply contains_mul; [apply contains_rational|apply encloses_inverse].
  - rewrite !nth_overflow by now rewrite map_length. rewrite Rmult_0_l. apply contains_zero. }
split; [|reflexivity]. rewrite Rmult_minus_distr_r. apply contains_sub; apply E.
Qed.

Lemma forms_gaps l us a b : all3 represents us a b -> all3 represents (gap_forms bits exact scaled box l us) (gaps l a) (gaps l b).
Proof.
intros H. unfold gap_forms, gaps. apply all3_map_list. intros i _. destruct (Nat.eqb_spec i l) as [->|_].
- unfold Rminus. rewrite !Rplus_opp_r. apply (represents_zero bits true box).
- apply represents_tighten; [assumption..|]. unfold column, Rdiv. rewrite <- !dot_of_difference.
  apply forms_dot; [assumption..| |assumption]. apply represents_all, encloses_towards.
Qed.

Lemma forms_total xs a b : all3 represents xs a b -> represents (fold_right slopes.plus (constant zero) xs) (network.total a) (network.total b).
Proof. unfold network.total. induction 1; cbn; [apply (represents_zero bits true box)|now apply represents_plus]. Qed.

Lemma forms_mixture gs a b : all3 represents gs a b -> all3 represents (mixture_forms bits box gs) (softmax a) (softmax b).
Proof.
intros H. unfold mixture_forms, softmax.
assert (P : all3 represents (map (of_exp bits true box) gs) (map exp a) (map exp b)).
{ induction H; cbn; constructor; [now apply represents_exp|assumption]. }
pose proof (forms_total _ _ _ P) as T. revert T.
assert (NA : a <> [] -> 0 < network.total (map exp a)) by apply total_exp_positive.
assert (NB : b <> [] -> 0 < network.total (map exp b)) by apply total_exp_positive.
revert NA NB. generalize (network.total (map exp a)) (network.total (map exp b)) (fold_right slopes.plus (constant zero) (map (of_exp bits true box) gs)).
intros p q all NA NB T.
assert (L : forall x, 0 < x -> x <> 0) by (intros; lra).
destruct H as [|f x y fs xs ys X H]; [constructor|].
specialize (NA ltac:(easy)). specialize (NB ltac:(easy)).
assert (E : all3 represents (f :: fs) (x :: xs) (y :: ys)) by now constructor.
clear X H P. induction E; cbn [map]; constructor; [|assumption].
apply represents_tighten; [assumption..|]. apply represents_quotient; auto. now apply represents_exp.
Qed.

End AtPoint.

(* The mixtures of a box: their middles and differences. *)
Definition holds (e : entry) (v : R) : Prop := IZR (fst (fst e)) <= v * scale bits <= IZR (snd (fst e)).
Fixpoint middles (r : R) (es : list entry) (vs : list R) : list R :=
  match es, vs with
  | (_, (m, w)) :: es', v :: vs' => if w : bool then real_of m + r :: middles 0 es' vs' else v :: middles r es' vs'
  | _, _ => []
  end.
Fixpoint differences (r : R) (es : list entry) (vs : list R) : list R :=
  match es, vs with
  | (_, (m, w)) :: es', v :: vs' => if w : bool then v - (real_of m + r) :: differences 0 es' vs' else differences r es' vs'
  | _, _ => []
  end.
Fixpoint surplus (es : list entry) (vs : list R) : R :=
  match es, vs with
  | (_, (m, w)) :: es', v :: vs' => (if w : bool then v - real_of m else 0) + surplus es' vs'
  | _, _ => 0
  end.

Lemma entries_hold xs ys vs : bounded xs ys vs -> forall mws, length mws = length xs -> Forall2 holds (combine (combine xs ys) mws) vs.
Proof. induction 1; intros [|mw mws] L; try discriminate; cbn; constructor; auto. Qed.

Lemma contains_rest es vs : Forall2 holds es vs -> contains (Some (rest bits es)) (1 - network.total vs + surplus es vs).
Proof.
unfold network.total. induction 1 as [|[[a b] [m w]] v es vs V H IH]; cbn in *.
- fold (scale bits). unfold scale. lra.
- destruct (rest bits es) as [x y]. unfold holds in V. cbn in V. pose proof (real_of_scaled bits m).
  destruct w; cbn; rewrite !minus_IZR; nra.
Qed.

Lemma contains_differences es vs : Forall2 holds es vs -> forall r z, contains (Some r) z ->
  Forall2 contains (differences_of r es) (differences z es vs).
Proof.
assert (Zero : contains (Some (0, 0)%Z) 0) by (cbn; lra).
induction 1 as [|[[a b] [m []]] v es vs V H IH]; intros r z C; cbn; [constructor| |now apply IH]. constructor; [|now apply IH].
unfold holds in V. cbn in V. destruct r as [x y]. cbn in C. pose proof (real_of_scaled bits m).
unfold intervals.contains, fst, snd. rewrite IZR_min, IZR_max, !minus_IZR, !plus_IZR. split; [apply Rle_trans with (1 := Rmin_r _ _)|apply Rle_trans with (2 := Rmax_r _ _)]; nra.
Qed.

Lemma differences_contain_0 es : forall r, List.Forall (fun D => contains D 0) (differences_of r es).
Proof.
induction es as [|[[a b] [m []]] es IH]; intros r; cbn; [constructor| |apply IH]. constructor; [|apply IH].
unfold intervals.contains. rewrite IZR_min, IZR_max, Rmult_0_l. split; [apply Rmin_l|apply Rmax_l].
Qed.

(* The surplus makes the differences sum to 0. *)
Lemma total_of_differences es : forall vs r,
  slopes.total (differences r es vs) = surplus es vs - r \/ slopes.total (differences r es vs) = 0 /\ surplus es vs = 0.
Proof.
unfold slopes.total. induction es as [|[[a b] [m []]] es IH]; intros [|v vs] r; cbn; try (right; lra).
- left. destruct (IH vs 0); lra.
- rewrite Rplus_0_l. apply IH.
Qed.

Lemma along_unit i : forall d, along (repeat 0 i ++ [1]) d = nth i d 0.
Proof. induction i as [|i IH]; intros [|y d]; cbn; try rewrite IH; lra. Qed.

Lemma contains_unit i : Forall2 contains (repeat zero i ++ [one bits]) (repeat 0 i ++ [1]).
Proof.
induction i as [|i IH]; (constructor; [|(constructor || exact IH)]); [apply contains_one|apply contains_zero].
Qed.

Lemma represents_mixture point es vs : Forall2 holds es vs -> forall i r z, contains (Some r) z ->
  (forall j, nth (i + j) point 0 = nth j (differences z es vs) 0) ->
  all3 (represents bits point) (forms_of bits r i es) (middles z es vs) vs.
Proof.
assert (Zero : contains (Some (0, 0)%Z) 0) by (cbn; lra).
induction 1 as [|[[a b] [m []]] v es vs V H IH]; intros i r z C D; cbn [forms_of middles]; constructor.
- unfold holds in V. cbn in V. destruct r as [x y]. cbn in C. pose proof (real_of_scaled bits m).
  assert (M : IZR (m + x) <= (real_of m + z) * scale bits <= IZR (m + y)) by (rewrite !plus_IZR; nra).
  split; [exact M|]. unfold range, slope, intervals.contains. cbn [fst snd] in *. rewrite IZR_min, IZR_max. unfold Rmin, Rmax. repeat split; try (repeat destruct Rle_dec; lra).
  exists (repeat 0 i ++ [1]). split; [apply contains_unit|]. rewrite along_unit. specialize (D 0%nat). rewrite Nat.add_0_r in D.
  rewrite D. reflexivity.
- apply IH; [assumption|]. intros j. specialize (D (S j)). rewrite Nat.add_succ_r in D. exact D.
- apply represents_constant. exact V.
- now apply IH.
Qed.

(* The state and the parts of the gates, at a node. *)
Hypothesis rows_have_k : List.Forall (fun row => length row = k) (centroids exact).

Lemma rows_of_N : List.Forall (fun row => length row = k) (centroids N).
Proof. apply Forall_map. refine (Forall_impl _ _ rows_have_k). intros row E. now rewrite map_length. Qed.

Lemma size_of_N : size N = k.
Proof.
unfold size, boxes.k. cbn. destruct (centroids exact); cbn; [reflexivity|]. apply map_length.
Qed.

Lemma recurrent_parts_are : recurrent_parts bits exact I =
  map (fun g => map (fun u => map (fun i => dot (K := ivs) u (map (fun row => nth i row zero) (centroids I))) numbers) (map (map (of_rational bits)) (U g))) (gates exact).
Proof. unfold recurrent_parts. cbn [gates map_network]. now rewrite map_map. Qed.

Definition real_recurrents (alpha : list R) : list (list R) :=
  map (fun g => each (K := reals) Rplus (rapply (product g) alpha) (map Q2R (c g))) (gates exact).

Lemma real_recurrents_are alpha :
  real_recurrents alpha = map (fun g => each (K := reals) Rplus (rapply (U g) (mixture N alpha)) (c g)) (gates N).
Proof.
unfold real_recurrents, product, mixture. cbn [gates map_network]. rewrite map_map. apply map_ext. intros g.
unfold boxes.numbers. rewrite product_applied by apply rows_of_N. reflexivity.
Qed.

Section Node.
Variables (q : node) (alpha : list R).
Hypothesis q_well_formed : well_formed exact A nodes q = true.
Hypothesis alpha_bounded : bounded (low q) (high q) alpha.
Hypothesis alpha_length : length alpha = k.
Hypothesis alpha_total : network.total alpha = 1.
Let point := differences (surplus (entries q) alpha) (entries q) alpha.
Let box := box_of bits q.
Let middles := middles (surplus (entries q) alpha) (entries q) alpha.

Lemma q_holds : Forall2 holds (entries q) alpha.
Proof.
apply entries_hold; [assumption|]. revert q_well_formed. unfold well_formed. intros W. repeat (apply andb_prop in W as [W ?]).
rewrite combine_length. repeat match goal with H : Nat.eqb _ _ = true |- _ => apply Nat.eqb_eq in H end. lia.
Qed.

Lemma rest_contains : contains (Some (rest bits (entries q))) (surplus (entries q) alpha).
Proof. pose proof (contains_rest _ _ q_holds) as H. replace (surplus (entries q) alpha) with (1 - network.total alpha + surplus (entries q) alpha) by lra. exact H. Qed.

Lemma point_in : Forall2 contains box point.
Proof. apply contains_differences; [apply q_holds|apply rest_contains]. Qed.
Lemma middle_in : List.Forall (fun D => contains D 0) box.
Proof. apply differences_contain_0. Qed.
Lemma sum_0 : true = true -> slopes.total point = 0.
Proof.
intros _. unfold point. destruct (total_of_differences (entries q) alpha (surplus (entries q) alpha)); lra.
Qed.

Lemma alpha_represented : all3 (represents bits point) (alpha_of bits q) middles alpha.
Proof. apply represents_mixture; [apply q_holds|apply rest_contains|reflexivity]. Qed.

Notation represents := (represents bits point).
Notation forms := (forms bits true box).

Lemma state_represented : all3 represents
  (apply (K := forms) (map (map constant) (centroids I)) (alpha_of bits q)) (mixture N middles) (mixture N alpha).
Proof.
apply forms_apply; try apply point_in; try apply middle_in; try apply sum_0; [|apply alpha_represented].
apply represents_rows, encloses_rows.
Qed.

Lemma recurrents_represented : rows3 represents
  (recurrent bits true box (gates I) (recurrent_parts bits exact I) (alpha_of bits q)) (real_recurrents middles) (real_recurrents alpha).
Proof.
rewrite recurrent_parts_are. apply forms_recurrent; try apply point_in; try apply middle_in; try apply sum_0.
- apply encloses_product.
- apply alpha_represented.
Qed.

Lemma u_represented token : all3 represents
  (new_state bits true box (kind exact) (read_parts bits (gates I) (map (of_rational bits) token))
    (recurrent bits true box (gates I) (recurrent_parts bits exact I) (alpha_of bits q))
    (apply (K := forms) (map (map constant) (centroids I)) (alpha_of bits q)))
  (u_of N (map Q2R token) (mixture N middles)) (u_of N (map Q2R token) (mixture N alpha)).
Proof.
unfold u_of. rewrite <- !real_recurrents_are. fold (reads (map Q2R token)).
apply forms_update; try apply point_in; try apply middle_in; try apply sum_0.
- apply represents_rows, encloses_reads.
- apply recurrents_represented.
- apply state_represented.
Qed.
End Node.

(* The property of the mixtures at a node. *)
Definition promised (q : node) (alpha : list R) : Prop :=
  bounded (low q) (high q) alpha /\ length alpha = k /\ network.total alpha = 1 /\
  most_probable alpha (nth (state q) (label A) 0%nat).

Hypothesis k_positive : (0 < k)%nat.
Hypothesis labels_below_k : forallb (fun l => Nat.ltb l k) (label A) = true.

Lemma label_below_k s : (nth s (label A) 0 < k)%nat.
Proof.
destruct (Nat.lt_ge_cases s (length (label A))) as [H|H].
- rewrite forallb_forall in labels_below_k. apply Nat.ltb_lt, labels_below_k. now apply nth_In.
- now rewrite nth_overflow.
Qed.

Lemma well_formed_lengths q : well_formed exact A nodes q = true -> length (low q) = k /\ length (high q) = k.
Proof. unfold well_formed. intros W. repeat (apply andb_prop in W as [W ?]). split; now apply Nat.eqb_eq. Qed.

Lemma goes_to_sound box point us a b q :
  Forall2 contains box point -> List.Forall (fun D => contains D 0) box -> (true = true -> slopes.total point = 0) ->
  well_formed exact A nodes q = true -> all3 (represents bits point) us a b ->
  goes_to bits exact A scaled box us q = true -> promised q (probabilities N b).
Proof.
intros Box Mid Sum Well H. unfold goes_to. set (l := nth (state q) (label A) 0%nat). intros [Labels Within]%andb_prop.
pose proof (forms_gaps _ _ Box Mid Sum l _ _ _ H) as G.
pose proof (forms_mixture _ _ Box Mid Sum _ _ _ G) as M.
assert (E : softmax (gaps l b) = probabilities N b).
{ unfold probabilities, gaps. rewrite size_of_N.
  rewrite <- (softmax_of_differences (rdot b (column N l) / temperature N) (map (fun i => rdot b (column N i) / temperature N) _)).
  now rewrite map_map. }
assert (LG : length (gaps l b) = k) by (unfold gaps, boxes.numbers; now rewrite map_length, seq_length).
assert (LM : length (mixture_forms bits box (gap_forms bits exact scaled box l us)) = k).
{ rewrite (proj2 (all3_length _ _ _ _ M)), softmax_length. exact LG. }
destruct (well_formed_lengths q Well) as [Low High].
repeat split.
- rewrite <- E. eapply within_sound; [exact M|congruence..|eassumption].
- rewrite <- E, softmax_length. exact LG.
- rewrite <- E. apply softmax_sums_to_1. intros Z. rewrite Z in LG. cbn in LG. lia.
- rewrite <- E, softmax_length, LG. apply label_below_k.
- rewrite <- E, softmax_length, LG. intros j J NJ.
  assert (F : forall i, (i < k)%nat -> nth i (softmax (gaps l b)) 0 = exp (nth i (gaps l b) 0) / network.total (map exp (gaps l b))).
  { intros i L. unfold softmax. set (T := network.total _).
    rewrite nth_indep with (d' := exp 0 / T).
    - now rewrite (map_nth (fun x => exp x / T)).
    - rewrite map_length. rewrite LG. assumption. }
  rewrite !F by (assumption || apply label_below_k).
  assert (T : 0 < network.total (map exp (gaps l b))).
  { apply total_exp_positive. intros Z. rewrite Z in LG. cbn in LG. lia. }
  apply Rmult_lt_compat_r; [now apply Rinv_0_lt_compat|]. apply exp_increasing.
  fold l. replace (nth l (gaps l b) 0) with 0.
  + rewrite forallb_forall in Labels. specialize (Labels j). unfold boxes.numbers in Labels. rewrite in_seq in Labels.
    specialize (Labels ltac:(lia)). apply orb_prop in Labels as [X%Nat.eqb_eq|X]; [easy|].
    eapply negative_sound; [|exact X]. apply all3_nth; [exact (represents_zero bits true box point)|exact G].
  + unfold gaps, boxes.numbers. rewrite nth_map_seq by apply label_below_k. ring.
Qed.

Lemma step_sound q alpha token t :
  well_formed exact A nodes q = true -> well_formed exact A nodes t = true -> promised q alpha ->
  goes_to bits exact A scaled (box_of bits q)
    (new_state bits true (box_of bits q) (kind exact) (read_parts bits (gates I) (map (of_rational bits) token))
      (recurrent bits true (box_of bits q) (gates I) (recurrent_parts bits exact I) (alpha_of bits q))
      (apply (K := forms bits true (box_of bits q)) (map (map constant) (centroids I)) (alpha_of bits q))) t = true ->
  promised t (probabilities N (u_of N (map Q2R token) (mixture N alpha))).
Proof.
intros Q T (B & L & S & _) G.
eapply goes_to_sound; [now apply (point_in q alpha)|now apply (middle_in q)|now apply (sum_0 q alpha)|assumption| |exact G].
now apply u_represented.
Qed.

(* All nodes are checked. *)
Hypothesis all_checked :
  forallb (check_node bits exact I A nodes scaled (recurrent_parts bits exact I) (map (read_parts bits (gates I)) (tokens I)) (read_parts bits (gates I) (finish I))) nodes = true.

Lemma checked_node q : In q nodes ->
  check_node bits exact I A nodes scaled (recurrent_parts bits exact I) (map (read_parts bits (gates I)) (tokens I)) (read_parts bits (gates I) (finish I)) q = true.
Proof. rewrite forallb_forall in all_checked. apply all_checked. Qed.

Lemma checked_well_formed q : In q nodes -> well_formed exact A nodes q = true.
Proof. intros H%checked_node. unfold check_node in H. apply andb_prop in H as [H _]. exact H. Qed.

Definition next_node (q : node) (x : nat) : node := nth (nth x (next q) 0%nat) nodes q.

Lemma next_node_exists q x : In q nodes -> (x < length (tokens exact))%nat ->
  In (next_node q x) nodes /\ state (next_node q x) = move A (state q) x.
Proof.
intros H X. apply checked_well_formed in H. unfold well_formed in H. apply andb_prop in H as [_ H].
rewrite forallb_forall in H. specialize (H x). rewrite in_seq in H. specialize (H ltac:(lia)).
apply andb_prop in H as [H1%Nat.ltb_lt H2%Nat.eqb_eq]. split; [now apply nth_In|assumption].
Qed.

Lemma next_length q : In q nodes -> length (next q) = length (tokens exact).
Proof.
intros H. apply checked_well_formed in H. unfold well_formed in H.
repeat (apply andb_prop in H as [H ?]). now apply Nat.eqb_eq.
Qed.

Lemma node_step q alpha x : In q nodes -> (x < length (tokens exact))%nat -> promised q alpha ->
  promised (next_node q x) (step N alpha x).
Proof.
intros H X P. pose proof (checked_node q H) as C. unfold check_node in C.
apply andb_prop in C as [W C]. apply andb_prop in C as [C _]. rewrite forallb_forall in C.
specialize (C (read_parts bits (gates I) (map (of_rational bits) (nth x (tokens exact) [])), nth x (next q) 0%nat)). cbn [fst snd] in C.
unfold step. change (tokens N) with (map (map Q2R) (tokens exact)).
change (@nil R) with (map Q2R []). rewrite map_nth.
apply step_sound with q; try assumption.
- now apply checked_well_formed, next_node_exists.
- apply C.
  replace (read_parts bits (gates I) (map (of_rational bits) (nth x (tokens exact) []))) with
    (nth x (map (read_parts bits (gates I)) (tokens I)) (read_parts bits (gates I) (map (of_rational bits) []))).
  + rewrite <- combine_nth.
    * apply nth_In. rewrite combine_length, map_length. cbn. rewrite map_length, (next_length q H). lia.
    * cbn. now rewrite !map_length, (next_length q H).
  + rewrite map_nth. cbn [tokens map_network]. now rewrite (map_nth (map (of_rational bits))).
Qed.

Lemma node_decision q alpha : In q nodes -> promised q alpha ->
  let logit := rdot (output N) (u_of N (finish N) (mixture N alpha)) + bias N in
  if nth (state q) (accepts A) false then 0 < logit else logit < 0.
Proof.
intros H (B & L & S & _). pose proof (checked_node q H) as C. unfold check_node in C.
apply andb_prop in C as [W C]. apply andb_prop in C as [_ C].
pose proof (point_in q alpha W B L S) as Box. pose proof (middle_in q) as Mid. pose proof (sum_0 q alpha) as Sum.
assert (R : represents bits (differences (surplus (entries q) alpha) (entries q) alpha)
  (tighten bits true (box_of bits q) (slopes.plus
    (dot (K := forms bits true (box_of bits q)) (map constant (output I)) (new_state bits true (box_of bits q) (kind exact) (read_parts bits (gates I) (finish I))
      (recurrent bits true (box_of bits q) (gates I) (recurrent_parts bits exact I) (alpha_of bits q))
      (apply (K := forms bits true (box_of bits q)) (map (map constant) (centroids I)) (alpha_of bits q)))) (constant (bias I))))
  (rdot (output N) (u_of N (finish N) (mixture N (middles (surplus (entries q) alpha) (entries q) alpha))) + bias N)
  (rdot (output N) (u_of N (finish N) (mixture N alpha)) + bias N)).
{ apply represents_tighten; [assumption..|]. apply represents_plus.
  - apply forms_dot; [assumption..| |].
    + apply represents_all, encloses_map.
    + now apply u_represented.
  - apply represents_constant, contains_rational. }
cbn zeta in C. cbn zeta. destruct (nth (state q) (accepts A) false).
- eapply positive_sound; eassumption.
- eapply negative_sound; eassumption.
Qed.

Lemma first_node q : In q nodes -> check_first bits exact I A q = true -> state q = 0%nat /\ promised q (first N).
Proof.
intros H. unfold check_first. intros [Z%Nat.eqb_eq C]%andb_prop. split; [assumption|].
unfold first. cbn [start map_network] in *. destruct (start exact) as [token|]; cbn [option_map] in *.
- assert (Hs : all3 (represents bits []) (map (fun _ => constant zero) (centroids I)) (map (fun _ => 0) (centroids N)) (map (fun _ => 0) (centroids N))).
  { cbn. rewrite !map_map. apply all3_map_list. intros row _. apply represents_constant, contains_zero. }
  eapply (goes_to_sound [] []); [constructor|constructor|easy|now apply checked_well_formed| |exact C].
  unfold u_of. apply forms_update; [constructor|constructor|easy| | |exact Hs].
  + apply represents_rows, encloses_reads.
  + cbn [gates map_network]. rewrite !map_map.
    apply (forms_recurrent bits (gates exact) true [] [] ltac:(constructor) ltac:(constructor) ltac:(easy) (fun g => map (map (of_rational bits)) (U g)) (fun g => map (map Q2R) (U g))); [|exact Hs].
    intros g. apply encloses_rows.
- apply andb_prop in C as [E%Nat.eqb_eq Within].
  pose proof (checked_well_formed q H) as W. destruct (well_formed_lengths q W) as [Low High].
  assert (F : all3 (represents bits []) (map (fun i => constant (if Nat.eqb i 0 then one bits else zero)) numbers)
    (map (fun i => if Nat.eqb i 0 then 1 else 0) numbers) (map (fun i => if Nat.eqb i 0 then 1 else 0) numbers)).
  { apply all3_map_list. intros i _. apply represents_constant. destruct (Nat.eqb i 0); [apply contains_one|apply contains_zero]. }
  rewrite size_of_N. fold numbers. unfold boxes.numbers in *. repeat split.
  + eapply within_sound; [exact F|rewrite map_length, seq_length; congruence..|assumption].
  + now rewrite map_length, seq_length.
  + destruct (boxes.k exact) as [|n] eqn:K; [lia|]. unfold network.total. cbn.
    rewrite <- seq_shift, map_map. cbn. enough (X : fold_right Rplus 0 (map (fun _ => 0) (seq 0 n)) = 0) by (rewrite X; ring).
    clear. generalize 0%nat. induction n as [|n IH]; intros s; cbn; [reflexivity|]. rewrite IH. ring.
  + rewrite Z, map_length, seq_length. apply label_below_k.
  + rewrite Z, map_length, seq_length. rewrite nth_indep with (d' := 0%nat) in E.
    * rewrite E. intros j J NJ. rewrite !nth_map_seq by assumption. destruct j; [easy|]. cbn. lra.
    * destruct (label A); [discriminate|cbn; lia].
Qed.
End Sound.

(* If the check succeeds, then after every word the most probable centroid is the label of the automaton's state, and the
   classifier accepts if and only if the state accepts. *)
Theorem closed_boxes bits exact A nodes : check bits exact A nodes = true ->
  let N := map_network Q2R exact in
  forall word, List.Forall (fun x => (x < length (tokens exact))%nat) word ->
  most_probable (run N word) (label_of A word) /\
  (if accepted A word then 0 < logit N word else logit N word < 0).
Proof.
unfold check, check_with. intros C. cbn zeta in *.
apply andb_prop in C as [C All]. apply andb_prop in C as [C First]. apply andb_prop in C as [C Labels].
apply andb_prop in C as [Rows Positive%Nat.ltb_lt].
assert (Rows' : List.Forall (fun row : list Q => length row = k exact) (centroids exact)).
{ apply Forall_forall. rewrite forallb_forall in Rows. intros row H. now apply Nat.eqb_eq, Rows. }
destruct nodes as [|q0 rest]; [discriminate|]. set (nodes := q0 :: rest) in *.
assert (Q0 : In q0 nodes) by now left.
destruct (first_node bits exact A nodes Rows' Positive Labels All q0 Q0 First) as [Z P].
intros word H. unfold label_of, accepted.
enough (E : exists q, In q nodes /\ state q = reached A word /\ promised bits exact A q (run (map_network Q2R exact) word)) by
  (destruct E as (q & Q & S & Promised); rewrite <- S; split; [apply Promised|now apply (node_decision bits exact A nodes Rows' All)]).
induction word as [|x word IH] using rev_ind; [now exists q0|].
apply Forall_app in H as [H X]. destruct (IH H) as (q & Q & S & Promised). inversion X; subst.
destruct (next_node_exists bits exact A nodes Positive All q x Q ltac:(assumption)) as [In' S'].
exists (next_node nodes q x). unfold reached, run in *. rewrite !fold_left_app. cbn [fold_left]. rewrite <- S.
split; [assumption|]. split; [assumption|]. now apply (node_step bits exact A nodes Rows' Positive Labels All).
Qed.
