(* The checker of closed regions is sound. *)

From Coq Require Import Reals ZArith QArith Qreals List Lia Lra Bool.
From ratproof_reals Require Import intervals functions slopes network parametricity algebra cells ordinary rounding computed regions.
Import ListNotations.
Open Scope R_scope.

Section Sound.
Variables (bits : positive) (exact : ordinary Q) (A : machine) (regions : list region).
Notation N := (map_ordinary Q2R exact).
Notation contains := (contains bits).
Notation ivs := (interval_arithmetic bits).
Notation encloses := (encloses bits).
Notation bounded := (bounded bits).
Notation real_of := (real_of bits).
Notation differences := (differences bits).
Notation size := (size exact).
Notation number_of_units := (number_of_units exact).
Notation numbers := (numbers exact).
Notation layer_size := (layer_size exact).
Notation real_layers := (map (map (map_gate Q2R))).
Notation enclosed := (map (map (map_gate (of_rational bits)))).
Notation real_rows := (map (map real_of)).

Definition inside (q : region) (h : list R) : Prop :=
  length h = size /\ bounded (map Z.opp (width q)) (width q) (differences (center q) h) /\
  bounded (repeat (- unit bits)%Z size) (repeat (unit bits) size) (rapply (real_rows (factor q)) (differences (center q) h)).

Lemma layer_size_of_N : entries_of_layer N = layer_size.
Proof.
unfold entries_of_layer, units, regions.layer_size, regions.number_of_units. cbn [cell_kind layers map_ordinary]. f_equal.
change (Gate [] [] [] []) with (map_gate Q2R (Gate [] [] [] [])) at 1. change (@nil (gate R)) with (map (map_gate Q2R) []).
rewrite !map_nth. cbn. apply map_length.
Qed.

Lemma size_of_N : entries_of_state N = size.
Proof. unfold entries_of_state. rewrite layer_size_of_N. cbn [layers map_ordinary]. now rewrite map_length. Qed.

(* Linear algebra. *)
Lemma along_is_dot s : forall d, along s d = rdot s d.
Proof. induction s as [|x s IH]; intros [|y d]; cbn; try rewrite IH; reflexivity. Qed.

Lemma rdot_difference (f g : nat -> R) : forall n s x,
  rdot (map (fun i => f i - g i) (seq s n)) x = rdot (map f (seq s n)) x - rdot (map g (seq s n)) x.
Proof. induction n as [|n IH]; intros s [|y x]; cbn; try lra. rewrite IH. ring. Qed.

Lemma rdot_unit j : forall n s x, length x = n ->
  rdot (map (fun k => if Nat.eqb k j then 1 else 0) (seq s n)) x = if Nat.leb s j then nth (j - s) x 0 else 0.
Proof.
induction n as [|n IH]; intros s [|y x] L; try discriminate; cbn -[Nat.leb Nat.sub].
- destruct (s <=? j)%nat, (j - s)%nat; reflexivity.
- rewrite IH by now injection L.
  destruct (Nat.eqb_spec s j) as [E|D], (Nat.leb_spec s j), (Nat.leb_spec (S s) j); try lia; try lra.
  + replace (j - s)%nat with 0%nat by lia. cbn. lra.
  + replace (j - s)%nat with (S (j - S s)) by lia. cbn. lra.
Qed.

Lemma nth_real i ms : nth i (map real_of ms) 0 = real_of (nth i ms 0%Z).
Proof. revert i. induction ms as [|m ms IH]; intros [|i]; cbn; auto; unfold cells.real_of; lra. Qed.

Lemma length_differences ms : forall vs, length ms = length vs -> length (differences ms vs) = length ms.
Proof.
unfold cells.differences. induction ms as [|m ms IH]; intros [|v vs] L; try discriminate; cbn; [reflexivity|].
f_equal. apply IH. now injection L.
Qed.

Lemma Forall2_skipn {S T} (P : S -> T -> Prop) n : forall u v, Forall2 P u v -> Forall2 P (skipn n u) (skipn n v).
Proof. induction n as [|n IH]; intros u v H; [assumption|]. destruct H; cbn; [constructor|now apply IH]. Qed.

(* The numbers of a well-formed region. *)
Section Region.
Variables (q : region) (h : list R).
Hypothesis q_well_formed : well_formed exact A regions q = true.
Hypothesis h_inside : inside q h.

Definition x : list R := differences (center q) h.
Definition d : list R := rapply (real_rows (factor q)) x.
Definition coefficient (i k : nat) : R :=
  (if Nat.eqb k i then 1 else 0) - rdot (map real_of (nth i (basis q) [])) (map (fun row => nth k row 0) (real_rows (factor q))).
Definition middle_at (i : nat) : R := real_of (nth i (center q) 0%Z) + rdot (map (coefficient i) numbers) x.
Definition middles : list R := map middle_at numbers.

Lemma well_formed_facts : length (center q) = size /\ length (width q) = size /\ length (factor q) = size /\
  List.Forall (fun row => length row = size) (factor q).
Proof.
revert q_well_formed. unfold well_formed. intros W.
repeat (apply andb_prop in W as [W ?]). repeat split; try (now apply Nat.eqb_eq).
apply Forall_forall. rewrite forallb_forall in *. intros row I. now apply Nat.eqb_eq; auto.
Qed.

Lemma length_h : length h = size. Proof. apply h_inside. Qed.

Lemma length_x : length x = size.
Proof. destruct well_formed_facts as (C & _). unfold x. rewrite length_differences; rewrite C; [reflexivity|symmetry; apply length_h]. Qed.

Lemma middle_and_basis i : (i < size)%nat -> nth i h 0 - middle_at i = along (map real_of (nth i (basis q) [])) d.
Proof.
intros L. destruct well_formed_facts as (C & _ & _ & F).
unfold middle_at, coefficient, regions.numbers. rewrite rdot_difference.
rewrite rdot_unit by apply length_x. cbn [Nat.leb]. rewrite Nat.sub_0_r.
rewrite <- dot_of_product.
- rewrite (along_is_dot (map real_of (nth i (basis q) [])) d). unfold d, x at 1.
  rewrite nth_differences by (rewrite C; symmetry; apply length_h).
  rewrite nth_real. lra.
- apply Forall_map. refine (Forall_impl _ _ F). intros row E. now rewrite map_length.
Qed.
(* The box contains d. *)
Lemma bounded_in ls : forall hs v, bounded ls hs v -> Forall2 contains (map (fun ab => Some (fst ab, snd ab)) (combine ls hs)) v.
Proof. induction 1; cbn; constructor; assumption. Qed.

Lemma box_is : box bits exact = map (fun ab => Some (fst ab, snd ab)) (combine (repeat (- unit bits)%Z size) (repeat (unit bits) size)).
Proof. unfold box, symmetric. induction size as [|n IH]; cbn; [reflexivity|]. now rewrite <- IH. Qed.

Lemma d_in_box : Forall2 contains (box bits exact) d.
Proof. rewrite box_is. apply bounded_in, h_inside. Qed.

Lemma unit_positive : (0 < unit bits)%Z.
Proof. unfold unit. lia. Qed.

Lemma zero_in_symmetric n : (0 <= n)%Z -> contains (symmetric n) 0.
Proof. intros H%IZR_le. cbn. rewrite opp_IZR. lra. Qed.

Lemma zero_in_box : List.Forall (fun D => contains D 0) (box bits exact).
Proof.
unfold box. apply Forall_forall. intros D H%repeat_spec. subst. apply zero_in_symmetric. pose proof unit_positive. lia.
Qed.

Notation represents := (represents bits d).

Lemma encloses_points ms : all3 encloses (map point ms) (map real_of ms) (map real_of ms).
Proof.
induction ms as [|m ms IH]; cbn; constructor; [|assumption]. split; [|reflexivity]. apply contains_point. apply real_of_scaled.
Qed.

Lemma bounded_nth ws : forall y, bounded (map Z.opp ws) ws y -> forall i, contains (symmetric (nth i ws 0%Z)) (nth i y 0).
Proof.
induction ws as [|w ws IH]; intros y H; inversion H; subst; intros [|i]; cbn.
- lra.
- lra.
- rewrite opp_IZR in *. lra.
- now apply IH.
Qed.

Lemma encloses_widths ws : forall y, bounded (map Z.opp ws) ws y -> all3 encloses (map symmetric ws) y y.
Proof.
induction ws as [|w ws IH]; intros y H; inversion H; subst; cbn; constructor; [|now apply IH].
split; [|reflexivity]. cbn. assumption.
Qed.

Lemma encloses_column k : all3 encloses (map (fun row => point (nth k row 0%Z)) (factor q))
  (map (fun row => nth k row 0) (real_rows (factor q))) (map (fun row => nth k row 0) (real_rows (factor q))).
Proof.
rewrite map_map. apply all3_map_list. intros row _. split; [|reflexivity].
rewrite nth_real. apply contains_point, real_of_scaled.
Qed.

Lemma error_encloses i : encloses (error_of bits exact (columns exact q) q i) (rdot (map (coefficient i) numbers) x) (rdot (map (coefficient i) numbers) x).
Proof.
unfold error_of. apply encloses_dot; [|apply encloses_widths, h_inside].
apply all3_map_list. intros k K. unfold coefficient.
assert (C : nth k (columns exact q) [] = map (fun row => point (nth k row 0%Z)) (factor q)).
{ unfold columns, regions.numbers in *. apply in_seq in K. rewrite nth_indep with (d' := map (fun row => point (nth 0 row 0%Z)) (factor q)) by (rewrite map_length, seq_length; lia).
  rewrite map_nth with (f := fun k => map (fun row => point (nth k row 0%Z)) (factor q)). rewrite seq_nth by lia. reflexivity. }
rewrite C. split; [|reflexivity]. apply contains_sub.
- destruct (Nat.eqb k i); [apply contains_one|apply contains_zero].
- apply (encloses_dot bits _ _ _ _ _ _ (encloses_points _) (encloses_column k)).
Qed.

Lemma state_represented : all3 represents (state_forms bits exact q) middles h.
Proof.
replace h with (map (fun i => nth i h 0) numbers) by (unfold regions.numbers; rewrite <- length_h; apply entries).
unfold state_forms, middles. apply all3_map_list. intros i L%in_seq. cbn in L.
destruct (error_encloses i) as [E _].
assert (P : contains (point (nth i (center q) 0%Z)) (real_of (nth i (center q) 0%Z))) by apply contains_point, real_of_scaled.
assert (X : nth i h 0 = real_of (nth i (center q) 0%Z) + nth i x 0).
{ destruct well_formed_facts as (C & _). unfold x. rewrite nth_differences by (rewrite C; symmetry; apply length_h).
  rewrite nth_real. lra. }
repeat split; cbn [middle range slope].
- now apply contains_add.
- apply contains_hull. left. now apply contains_add.
- apply contains_hull. right. rewrite X. apply contains_add; [assumption|]. apply bounded_nth, h_inside.
- exists (map real_of (nth i (basis q) [])). split.
  + clear. generalize (nth i (basis q) []). intros row. induction row as [|m row IH]; cbn; constructor; [|assumption].
    apply contains_point, real_of_scaled.
  + apply middle_and_basis. lia.
Qed.
End Region.

(* Consequences of the program's forms. *)
Section Over.
Variables (box : list interval) (point : list R).
Hypothesis point_in_box : Forall2 contains box point.
Hypothesis middle_in_box : List.Forall (fun D => contains D 0) box.
Notation represents := (represents bits point).
Notation forms := (forms bits false box).
Lemma not_balanced : false = true -> slopes.total point = 0. Proof. discriminate. Qed.

Lemma represents_minus f g a b c d : represents f a b -> represents g c d -> represents (minus bits box f g) (a - c) (b - d).
Proof.
intros F G. apply represents_tighten; [assumption..|apply not_balanced|].
replace (a - c) with (a + -1 * c) by ring. replace (b - d) with (b + -1 * d) by ring.
apply represents_plus; [assumption|].
apply (represents_times bits false box point point_in_box middle_in_box not_balanced); [|assumption].
apply represents_constant, contains_point. unfold scale. rewrite opp_IZR. ring.
Qed.

Lemma all3_constants v : all3 represents (map constant (map intervals.point v)) (map real_of v) (map real_of v).
Proof. apply represents_all, encloses_points. Qed.

Lemma enters_sound q h a b : well_formed exact A regions q = true -> all3 represents h a b ->
  enters bits exact box q h = true -> inside q b.
Proof.
intros W H E. unfold enters in E. apply andb_prop in E as [L%Nat.eqb_eq E]. apply andb_prop in E as [Box Rows].
destruct (well_formed_facts _ W) as (C & D & F & _). destruct (all3_length _ _ _ _ H) as [_ LB].
revert Box Rows. set (moved := each (K := forms) _ h _ : list form). intros Box Rows.
assert (M : all3 represents moved (differences (center q) a) (differences (center q) b)).
{ apply (all3_each forms represents (minus bits box) Rminus represents_minus); [assumption|apply all3_constants]. }
pose proof (proj2 (all3_length _ _ _ _ M)) as LM. rewrite length_differences in LM by lia.
split; [lia|]. split.
- eapply within_sound; [exact M| | |exact Box]; rewrite ?map_length, LM; lia.
- assert (R : all3 represents (map (tighten bits false box) (apply (K := forms) (map (map constant) (map (map intervals.point) (factor q))) moved))
    (rapply (real_rows (factor q)) (differences (center q) a)) (rapply (real_rows (factor q)) (differences (center q) b))).
  { apply all3_tighten; [assumption..|apply not_balanced|]. apply forms_apply; [assumption..|apply not_balanced| |exact M].
    rewrite !map_map. clear. induction (factor q) as [|row rows IH]; cbn; constructor; [apply all3_constants|assumption]. }
  eapply within_sound; [exact R| | |exact Rows]; rewrite repeat_length, map_length; unfold apply; rewrite !map_length; lia.
Qed.

Lemma scores_sound h a b : all3 represents h a b -> all3 represents (score_forms bits exact box h) (scores N a) (scores N b).
Proof.
intros H. unfold score_forms, scores.
assert (Last : all3 represents (last_part exact h) (last_layer N a) (last_layer N b)).
{ unfold last_part, last_layer. rewrite layer_size_of_N. cbn [layers map_ordinary]. rewrite map_length. now apply (all3_skipn forms). }
assert (E : all3 represents
  (each (K := forms) slopes.plus (apply (K := forms) (map (map constant) (rational_rows bits (readout exact))) (last_part exact h))
    (map constant (map (of_rational bits) (readout_bias exact))))
  (each (K := reals) Rplus (rapply (readout N) (last_layer N a)) (readout_bias N))
  (each (K := reals) Rplus (rapply (readout N) (last_layer N b)) (readout_bias N))).
{ apply (all3_each forms represents slopes.plus Rplus (forms_plus bits false box point)).
  - apply forms_apply; [assumption..|apply not_balanced| |assumption]. apply represents_rows, encloses_rows.
  - apply represents_all, encloses_map. }
destruct E as [|f u v fs us vs X [|g u' v' gs us' vs' Y Rest]]; [apply all3_nil| |now repeat apply all3_cons].
apply all3_cons; [apply represents_constant, contains_rational|]. apply all3_cons; [assumption|apply all3_nil].
Qed.

Lemma with_errors_represent h a b : all3 represents h a b -> forall errors b', length errors = length b -> length b' = length b ->
  (forall i, (i < length b)%nat -> contains (nth i errors zero) (nth i b' 0 - nth i b 0)) ->
  exists a', all3 represents (with_errors bits box h errors) a' b'.
Proof.
induction 1 as [|f x y fs xs ys F Fs IH]; intros [|e errors] [|y' b'] L L' E; try discriminate; cbn.
- exists []. apply all3_nil.
- destruct (IH errors b') as [a' A']; [now injection L|now injection L'|intros i I; apply (E (S i)); cbn; lia|].
  exists (x + (y' - y) :: a'). apply all3_cons; [|exact A'].
  replace y' with (y + (y' - y)) at 2 by ring. apply represents_plus; [assumption|]. apply represents_constant, (E 0%nat). cbn. lia.
Qed.

Lemma decided_sound h a b errors values i : all3 represents h a b -> length errors = length (scores N b) ->
  length values = length (scores N b) ->
  (forall i, (i < length (scores N b))%nat -> contains (nth i errors zero) (nth i values 0 - nth i (scores N b) 0)) ->
  decided bits exact box errors h i = true -> is_largest values i.
Proof.
intros H L L' E. unfold decided.
destruct (with_errors_represent _ _ _ (scores_sound _ _ _ H) _ _ L L' E) as [a' S].
destruct (all3_length _ _ _ _ S) as [_ LS]. rewrite LS.
intros [I%Nat.ltb_lt D]%andb_prop. split; [assumption|]. intros j J NJ.
rewrite forallb_forall in D. specialize (D j). rewrite in_seq in D. specialize (D ltac:(lia)).
apply orb_prop in D as [X%Nat.eqb_eq|X]; [easy|].
enough (0 < nth i values 0 - nth j values 0) by lra.
assert (Z : represents (constant zero) 0 0) by apply represents_constant, contains_zero.
eapply positive_sound; [|exact X].
exact (represents_minus _ _ _ _ _ _ (all3_nth represents _ _ _ _ i Z S) (all3_nth represents _ _ _ _ j Z S)).
Qed.
Lemma all3_ranges h a b : all3 represents h a b -> Forall2 contains (map (fun f => range (tighten bits false box f)) h) b.
Proof.
induction 1 as [|f x y fs xs ys F Fs IH]; cbn [map]; constructor; [|assumption].
enough (R : represents (tighten bits false box f) x y) by apply R. apply represents_tighten; [assumption..|apply not_balanced|assumption].
Qed.
End Over.

Hypothesis is_shaped : shaped exact = true.
Definition layer_shaped (gates : list (gate R)) : Prop :=
  List.Forall (gate_shaped number_of_units) gates /\ length gates = number_of_gates (cell_kind exact).

Lemma layers_shaped : List.Forall layer_shaped (real_layers (layers exact)) /\ length (readout exact) = length (readout_bias exact).
Proof.
unfold shaped in is_shaped. apply andb_prop in is_shaped as [L Out%Nat.eqb_eq]. split; [|assumption].
apply Forall_map, Forall_forall. intros gates I. rewrite forallb_forall in L. specialize (L gates I).
apply andb_prop in L as [Number%Nat.eqb_eq G]. split; [|now rewrite map_length].
apply Forall_map, Forall_forall. intros g J. rewrite forallb_forall in G. specialize (G g J).
repeat (apply andb_prop in G as [G ?%Nat.eqb_eq]). apply Nat.eqb_eq in G. unfold gate_shaped. cbn. rewrite !map_length. now repeat split.
Qed.

(* The exact next state of a layer. *)
Lemma entries_of_next gates v h : layer_shaped gates -> length h = layer_size -> length (next_of_layer N gates v h) = layer_size /\
  forall i, (i < layer_size)%nat -> nth i (next_of_layer N gates v h) 0 = unit_value (cell_kind exact) gates v h i.
Proof. intros [G K] L. exact (step_entries (cell_kind exact) gates number_of_units G v h L K). Qed.

(* The computed next state is in the forms. *)
Section Step.
Variable point : list R.
Notation box := (box bits exact).
Hypothesis point_in_box : Forall2 contains box point.
Notation represents := (represents bits point).
Notation forms := (forms bits false box).
Hypothesis middle_in_box : List.Forall (fun D => contains D 0) box.

Lemma reads_represented gates v a b : all3 represents v a b ->
  rows3 represents (reads_of bits exact (map (map_gate (of_rational bits)) gates) v)
    (map (fun g => each (K := reals) Rplus (rapply (W g) a) (network.b g)) (map (map_gate Q2R) gates))
    (map (fun g => each (K := reals) Rplus (rapply (W g) b) (network.b g)) (map (map_gate Q2R) gates)).
Proof.
intros V. unfold reads_of. rewrite !map_map. apply rows3_map. intros g _.
apply (all3_each forms represents slopes.plus Rplus (forms_plus bits false box point)).
- apply forms_apply; [assumption..|apply not_balanced| |exact V]. apply represents_rows, encloses_rows.
- apply represents_all, encloses_map.
Qed.

Lemma layer_errors_contain gates V v H h h' : layer_shaped (map (map_gate Q2R) gates) -> Forall2 contains V v -> Forall2 contains H h ->
  length h = layer_size -> computed_layer N (map (map_gate Q2R) gates) v h h' ->
  forall i, (i < layer_size)%nat ->
  contains (nth i (layer_errors bits exact (map (map_gate (of_rational bits)) gates) V H) zero)
    (nth i h' 0 - nth i (next_of_layer N (map (map_gate Q2R) gates) v h) 0).
Proof.
intros Shaped V_v H_h L [_ Step] i I. unfold layer_errors. rewrite nth_map_seq by assumption.
rewrite (proj2 (entries_of_next _ v h Shaped L)) by assumption.
refine (proj2 (unit_approximates bits V H v h V_v H_h (cell_kind exact) gates i _ _)). apply Step. now rewrite layer_size_of_N.
Qed.

Lemma computed_forms_represent ls : List.Forall layer_shaped (real_layers ls) -> forall reads a V v h ha hb h',
  match ls with
  | [] => True
  | gates :: _ =>
    rows3 represents reads a (map (fun g => each (K := reals) Rplus (rapply (W g) v) (network.b g)) (map (map_gate Q2R) gates))
  end ->
  Forall2 contains V v -> all3 represents h ha hb -> length hb = (length ls * layer_size)%nat ->
  computed_layers N (real_layers ls) v hb h' ->
  exists a', all3 represents (computed_forms bits exact (with_recurrents bits exact (enclosed ls) h) reads V h) a' h'.
Proof.
induction ls as [|gates ls IH]; intros Shaped reads a V v h ha hb h' Reads V_v H L.
- cbn. intros ->. exists []. apply all3_nil.
- cbn [map computed_layers with_recurrents computed_forms]. inversion_clear Shaped as [|? ? S Shaped_above]. rewrite layer_size_of_N.
  intros (new & rest & -> & Layer & Above). cbn [length] in L.
  set (old := firstn layer_size h). set (old_b := firstn layer_size hb) in *.
  assert (Old : all3 represents old (firstn layer_size ha) old_b) by now apply (all3_firstn forms).
  assert (Lold : length old_b = layer_size) by (unfold old_b; rewrite firstn_length; lia).
  set (recurrents := recurrent bits false box _ _ old).
  assert (R : all3 represents (update (K := forms) (cell_kind exact) reads recurrents old)
    (update (K := reals) (cell_kind exact) a
      (map (fun g => each (K := reals) Rplus (rapply (map (map Q2R) (U g)) (firstn layer_size ha)) (map Q2R (c g))) gates) (firstn layer_size ha))
    (next_of_layer N (map (map_gate Q2R) gates) v old_b)).
  { apply forms_update; [assumption..|apply not_balanced|exact Reads| |exact Old].
    unfold recurrents. rewrite !map_map.
    apply (forms_recurrent bits gates false box point point_in_box middle_in_box (not_balanced point)
      (fun g => map (map (of_rational bits)) (U g)) (fun g => map (map Q2R) (U g))); [|exact Old].
    intros g. apply encloses_rows. }
  pose proof (all3_ranges box point point_in_box middle_in_box _ _ _ Old) as Ranges.
  destruct (entries_of_next _ v old_b S Lold) as [Lnext _].
  destruct (with_errors_represent box point _ _ _ R
    (layer_errors bits exact (map (map_gate (of_rational bits)) gates) V (ranges bits exact old)) new) as [new_a New].
  + unfold layer_errors. rewrite map_length, seq_length. now symmetry.
  + rewrite Lnext, <- layer_size_of_N. apply Layer.
  + intros i I. rewrite Lnext in I. eapply layer_errors_contain; eassumption.
  + set (forms_new := with_errors _ _ _ _) in *.
    destruct (IH Shaped_above (match ls with [] => [] | next :: _ => reads_of bits exact (map (map_gate (of_rational bits)) next) forms_new end)
      (match ls with [] => [] | next :: _ =>
        map (fun g => each (K := reals) Rplus (rapply (W g) new_a) (network.b g)) (map (map_gate Q2R) next) end)
      (ranges bits exact forms_new) new (skipn layer_size h) (skipn layer_size ha) (skipn layer_size hb) rest) as [rest_a Rest].
    * destruct ls as [|next ls]; [exact Logic.I|]. now apply reads_represented.
    * exact (all3_ranges box point point_in_box middle_in_box _ _ _ New).
    * now apply (all3_skipn forms).
    * rewrite skipn_length. lia.
    * exact Above.
    * exists (new_a ++ rest_a). apply (all3_app forms); [exact New|].
      destruct ls as [|next ls]; [cbn in Above; subst; inversion Rest; constructor|exact Rest].
Qed.
End Step.

(* All regions are checked. *)
Notation tokens := (map (fun token => (token, read_parts bits (nth 0 (enclosed (layers exact)) []) token)) (rational_rows bits (embeddings exact))).
Notation values_of symbol := (map Q2R (nth symbol (embeddings exact) [])).
Hypothesis all_checked : forallb (check_region bits exact A regions (enclosed (layers exact)) tokens) regions = true.

Lemma checked q : In q regions -> check_region bits exact A regions (enclosed (layers exact)) tokens q = true.
Proof. rewrite forallb_forall in all_checked. apply all_checked. Qed.

Lemma checked_well_formed q : In q regions -> well_formed exact A regions q = true.
Proof. intros H%checked. unfold check_region in H. now apply andb_prop in H as [H _]. Qed.

Definition target (q : region) (symbol : nat) : nat := nth symbol (next q) 0%nat.

Lemma ranges_contain q h : In q regions -> inside q h -> Forall2 contains (ranges bits exact (state_forms bits exact q)) h.
Proof.
intros Q I. pose proof (checked_well_formed q Q) as W.
eapply all3_ranges; [now apply (d_in_box q h)|apply zero_in_box|now apply state_represented].
Qed.

Lemma tokens_contain symbol : Forall2 contains (map (of_rational bits) (nth symbol (embeddings exact) [])) (values_of symbol).
Proof. induction (nth symbol (embeddings exact) []); cbn [map]; constructor; [apply contains_rational|assumption]. Qed.

Lemma region_step q h symbol h' : In q regions -> (symbol < length (embeddings exact))%nat -> inside q h -> computed_step N h symbol h' ->
  let q' := nth (target q symbol) regions q in
  (target q symbol < length regions)%nat /\ owner q' = move A (owner q) symbol /\ inside q' h'.
Proof.
intros Q X I Step. pose proof (checked_well_formed q Q) as W. pose proof W as W'. unfold well_formed in W'.
apply andb_prop in W' as [W' Edges]. apply andb_prop in W' as [_ Next%Nat.eqb_eq].
rewrite forallb_forall in Edges. specialize (Edges symbol). rewrite in_seq in Edges. specialize (Edges ltac:(lia)).
apply andb_prop in Edges as [T%Nat.ltb_lt O%Nat.eqb_eq]. cbn zeta. unfold target. split; [assumption|]. split; [assumption|].
pose proof (checked q Q) as C. unfold check_region in C. apply andb_prop in C as [_ C]. cbn zeta in C.
rewrite forallb_forall in C.
set (token := map (of_rational bits) (nth symbol (embeddings exact) [])).
set (reads := read_parts bits (nth 0 (enclosed (layers exact)) []) token).
specialize (C (token, reads, nth symbol (next q) 0%nat)). cbn [fst snd] in C.
assert (Reads : exists a, match layers exact with
  | [] => True
  | gates :: _ => rows3 (represents bits (d q h)) (map (map constant) reads) a
    (map (fun g => each (K := reals) Rplus (rapply (network.W g) (values_of symbol)) (network.b g)) (map (map_gate Q2R) gates))
  end).
{ unfold reads. destruct (layers exact) as [|gates ls]; [now exists []|]. eexists. apply represents_rows. cbn [map nth]. apply encloses_reads. }
destruct Reads as [a Reads].
unfold computed_step in Step. cbn [layers embeddings map_ordinary] in Step. rewrite nth_rows in Step.
destruct (computed_forms_represent (d q h) (d_in_box q h I) zero_in_box (layers exact) (proj1 layers_shaped) (map (map constant) reads) a token
  (values_of symbol) (state_forms bits exact q) (middles q h) h h' Reads (tokens_contain symbol) (state_represented q h W I)
  (length_h q h I) Step) as [a' R'].
eapply (enters_sound (box bits exact) (d q h)); [now apply d_in_box|apply zero_in_box|apply checked_well_formed; now apply nth_In|exact R'|].
apply C. clear C. unfold rational_rows.
replace (token, reads) with (nth symbol tokens ([] : list interval, read_parts bits (nth 0 (enclosed (layers exact)) []) [])).
2: { rewrite (map_nth (fun token => (token, read_parts bits (nth 0 (enclosed (layers exact)) []) token))). unfold rational_rows, reads. now rewrite nth_rows. }
rewrite <- combine_nth by (unfold rational_rows; now rewrite !map_length).
apply nth_In. rewrite combine_length, map_length. unfold rational_rows. rewrite map_length. lia.
Qed.

Notation outputs_of h := (each (K := reals) Rplus (apply (K := reals) (readout N) (last_layer N h)) (readout_bias N)).
Lemma length_outputs h : length (outputs_of h) = length (readout_bias exact).
Proof.
destruct layers_shaped as [_ L]. etransitivity; [apply length_each|]. unfold apply. cbn [readout readout_bias map_ordinary].
rewrite !map_length, L. apply Nat.min_id.
Qed.

Lemma nth_outputs h i : (i < length (readout_bias exact))%nat ->
  nth i (outputs_of h) 0 = exact_sum (output_terms 0 1 (readout N) (readout_bias N) (last_layer N h) i).
Proof.
destruct layers_shaped as [_ L]. intros I. unfold output_terms. rewrite exact_affine. etransitivity; [apply nth_each|].
- unfold apply. cbn [readout map_ordinary]. rewrite !map_length. lia.
- cbn [readout_bias map_ordinary]. rewrite map_length. lia.
- now rewrite nth_apply.
Qed.

Lemma length_scores h : length (scores N h) = match length (readout_bias exact) with 1%nat => 2%nat | n => n end.
Proof.
unfold scores. pose proof (length_outputs h) as E.
destruct (each _ _ _) as [|x [|y l]]; rewrite <- E; reflexivity.
Qed.

Lemma region_decides q h values : In q regions -> decides_well bits exact A q = true -> inside q h -> computed_scores N h values ->
  is_largest values (nth (owner q) (decision A) 0%nat).
Proof.
intros Q D I (outputs & Length & Sums & ->). cbn [readout_bias map_ordinary] in Length. rewrite map_length in Length.
pose proof (length_outputs h) as LE. set (exact_outputs := outputs_of h) in *.
set (error i := snd (sum_of_products bits
  (output_terms zero (one bits) (rational_rows bits (readout exact)) (map (of_rational bits) (readout_bias exact))
    (last_part exact (ranges bits exact (state_forms bits exact q))) i))).
assert (E : forall i, (i < length outputs)%nat -> contains (error i) (nth i outputs 0 - nth i exact_outputs 0)).
{ intros i L. specialize (Sums i L). unfold exact_outputs. rewrite nth_outputs by lia.
  refine (proj2 (sum_of_products_approximates bits _ _ _ _ Sums)). apply contain_output.
  unfold last_layer, last_part. rewrite layer_size_of_N. cbn [layers map_ordinary]. rewrite map_length. apply Forall2_skipn. now apply ranges_contain. }
eapply (decided_sound (box bits exact) (d q h)); [now apply d_in_box|apply zero_in_box| | | | |exact D].
- apply state_represented; [now apply checked_well_formed|assumption].
- rewrite length_scores. unfold score_errors. fold error. rewrite <- Length.
  destruct outputs as [|x [|y l]]; cbn [length seq map]; try reflexivity. now rewrite map_length, seq_length.
- rewrite length_scores, <- Length. destruct outputs as [|x [|y l]]; reflexivity.
- rewrite length_scores, <- Length. unfold score_errors. fold error. rewrite <- Length.
  unfold scores. fold exact_outputs. rewrite <- Length in LE.
  destruct outputs as [|x [|y l]], exact_outputs as [|x' [|y' l']]; try discriminate.
  + cbn. lia.
  + intros [|[|i]] L; cbn in L; try lia; cbn [nth seq map length].
    * replace (threshold N - threshold N) with 0 by ring. apply contains_zero.
    * exact (E 0%nat ltac:(cbn; lia)).
  + intros i L. cbn [length] in *. change (length (x :: y :: l)) with (S (S (length l))) in E.
    specialize (E i L). revert E. rewrite <- (nth_map_seq error (S (S (length l))) i zero L). easy.
Qed.

Lemma first_inside q : In q regions -> enters bits exact [] q (repeat (constant zero) size) = true -> inside q (repeat 0 size).
Proof.
intros Q E. eapply (enters_sound [] []); [constructor|constructor|now apply checked_well_formed| |exact E].
instantiate (1 := repeat 0 size). clear. induction size as [|n IH]; cbn; constructor; [apply represents_constant, contains_zero|assumption].
Qed.

(* The network over the real numbers is one of the networks that a program may compute. *)
Lemma next_layers_are_computed ls : List.Forall layer_shaped ls -> forall v h, length h = (length ls * layer_size)%nat ->
  computed_layers N ls v h (next_of_layers N ls v h) /\ length (next_of_layers N ls v h) = (length ls * layer_size)%nat.
Proof.
induction 1 as [|gates ls S Shaped IH]; intros v h L; cbn [next_of_layers computed_layers length] in *; [easy|]. rewrite layer_size_of_N.
set (new := next_of_layer N gates v (firstn layer_size h)). assert (Lold : length (firstn layer_size h) = layer_size) by (rewrite firstn_length; lia).
destruct (entries_of_next gates v _ S Lold) as [Lnew Entries]. fold new in Lnew, Entries.
destruct (IH new (skipn layer_size h)) as [Above Labove]; [rewrite skipn_length; lia|].
split; [|rewrite app_length, Lnew, Labove; lia]. do 2 eexists. split; [reflexivity|]. split; [|exact Above].
split; rewrite layer_size_of_N; [exact Lnew|]. intros i I. rewrite Entries by assumption. apply exact_is_computed, S.
Qed.

Lemma real_state_is_computed word : computed_state N word (state_after N word) /\ length (state_after N word) = size.
Proof.
unfold state_after. rewrite size_of_N. induction word as [|x word [IH L]] using rev_ind; [|rewrite fold_left_app; cbn [fold_left]].
- cbn. split; [rewrite <- size_of_N; apply at_first|apply repeat_length].
- set (h := fold_left _ word _) in *.
  assert (Size : size = (length (layers N) * layer_size)%nat) by (cbn [layers map_ordinary]; now rewrite map_length).
  rewrite Size in *. destruct (next_layers_are_computed (layers N) (proj1 layers_shaped) (nth x (embeddings N) []) h L) as [C Lnext].
  split; [now apply after_step with h|exact Lnext].
Qed.

Lemma real_scores_are_computed h : computed_scores N h (scores N h).
Proof.
exists (outputs_of h). assert (E : length (readout_bias N) = length (readout_bias exact)) by apply map_length.
split; [etransitivity; [apply length_outputs|now symmetry]|]. split; [|reflexivity]. intros i I.
assert (S : forall last, sum_of (output_terms 0 1 (readout N) (readout_bias N) last i) (exact_sum (output_terms 0 1 (readout N) (readout_bias N) last i))).
{ intros last. apply sum_exact. intros F. unfold output_terms in F. now destruct (combine _ last). }
specialize (S (last_layer N h)).
rewrite <- (nth_outputs h i) in S; [exact S|]. now rewrite <- (length_outputs h).
Qed.
End Sound.

(* If the check succeeds, then after every nonempty word the network over the real numbers has the decision of the automaton's
   state, and so has every computation of the network in binary32. *)
Theorem closed_regions bits exact A regions : check bits exact A regions = true ->
  let N := map_ordinary Q2R exact in
  forall word, word <> [] -> List.Forall (fun x => (x < length (embeddings exact))%nat) word ->
  decides N word (decision_of A word) /\ computes_decision N word (decision_of A word).
Proof.
unfold check. cbn zeta. intros C. apply andb_prop in C as [C Decided]. apply andb_prop in C as [C All].
apply andb_prop in C as [C _]. apply andb_prop in C as [First Shaped].
destruct regions as [|q0 rest]; [discriminate|]. set (regions := q0 :: rest) in *.
apply andb_prop in First as [Start%Nat.eqb_eq First].
assert (Inside : forall word h, computed_state (map_ordinary Q2R exact) word h ->
  List.Forall (fun x => (x < length (embeddings exact))%nat) word ->
  exists i, (i < length regions)%nat /\ owner (nth i regions q0) = reached A word /\
  inside bits exact (nth i regions q0) h /\ (word <> [] -> i = 0%nat -> returns regions = true)).
{ induction 1 as [|word x h h' H IH Step].
  - intros _. exists 0%nat. split; [cbn; lia|]. split; [exact Start|]. split; [|easy].
    rewrite size_of_N. cbn [nth regions]. apply (first_inside bits exact A regions All); [now left|assumption].
  - intros WX. apply Forall_app in WX as [W X]. inversion X; subst. destruct (IH W) as (i & I & O & S & _).
    destruct (region_step bits exact A regions Shaped All (nth i regions q0) _ x h' (nth_In _ _ I) ltac:(assumption) S Step) as (T & O' & S').
    exists (target (nth i regions q0) x). rewrite (nth_indep regions q0 (nth i regions q0) T).
    split; [assumption|]. unfold reached in *. rewrite !fold_left_app. cbn [fold_left]. rewrite <- O.
    split; [assumption|]. split; [assumption|]. intros _ Z. unfold returns. apply existsb_exists.
    exists (nth i regions q0). split; [now apply nth_In|]. apply existsb_exists. exists 0%nat. split; [|reflexivity].
    rewrite <- Z. unfold target. apply nth_In.
    pose proof (checked_well_formed bits exact A regions All _ (nth_In _ q0 I)) as Well. unfold well_formed in Well.
    apply andb_prop in Well as [Well _]. apply andb_prop in Well as [_ Next%Nat.eqb_eq]. now rewrite Next. }
intros word NE W. assert (Computed : computes_decision (map_ordinary Q2R exact) word (decision_of A word)).
{ intros h values H V. destruct (Inside word h H W) as (i & I & O & S & Ret). unfold decision_of. rewrite <- O.
  assert (Q : In (nth i regions q0) regions) by now apply nth_In.
  apply (region_decides bits exact A regions Shaped All _ h); try assumption.
  destruct (returns regions) eqn:E; rewrite forallb_forall in Decided; apply Decided; [assumption|].
  destruct i as [|i]; [now specialize (Ret NE eq_refl)|]. cbn [nth regions tl]. apply nth_In. cbn in I. lia. }
split; [|exact Computed]. unfold decides. apply (Computed (state_after (map_ordinary Q2R exact) word)).
- eapply real_state_is_computed; eassumption.
- eapply real_scores_are_computed; eassumption.
Qed.
