(* FA-RNNs with weights 0 and 1 in binary32 compute the numbers of accepting paths of their automaton. *)

From Coq Require Import Reals ZArith NArith List Lia Lra Bool Permutation.
From Flocq Require Import Core BinarySingleNaN Binary Bits.
From ratproof_reals Require Import exact_sums integer_sums.
Import ListNotations.
Open Scope Z_scope.

(* Matrices: the nonzero entries of each row, by the index of the column. *)
Definition row (A : Type) : Type := list (N * A).
Fixpoint lookup {A} (j : N) (r : row A) : option A :=
  match r with [] => None | (k, a) :: r' => if N.eqb j k then Some a else lookup j r' end.
Definition at_index {A} (rows : list (list A)) (i : N) : list A := nth (N.to_nat i) rows [].

(* The network. Numbers are bits of binary32, and entries that are not listed are +0. *)
Record network : Type := Network {
  states : N; columns : N;
  before : list (row Z);            (* D_1, by rows, one for each state *)
  after : list (row Z);             (* D_2, by columns *)
  wildcard : list (row Z);             (* the wildcard's matrix, by rows *)
  vectors : list (row Z * Z);       (* the distinct rows of E_R, each with whether the wildcard stands for the word *)
  vector_of : list N;               (* the index of each word's vector *)
  initial : row Z;
  finals : list (row Z) }.          (* the final states of each score *)
Definition number (bits : Z) : binary32 := b32_of_bits bits.
Definition entry (r : row Z) (j : N) : binary32 := match lookup j r with Some bits => number bits | None => zero end.
Definition one_bits : Z := 0x3f800000.
Definition vector (net : network) (x : N) : row Z * Z := nth (N.to_nat (nth (N.to_nat x) (vector_of net) 0%N)) (vectors net) ([], 0).

Section Computed.
Variable net : network.
Notation each_state f := (map f (indices (states net))).
Notation each_column f := (map f (indices (columns net))).

(* The entry y of state j after a word with this vector, in state h: ((h D_1) o z) D_2^T + s (h A), in either of two ways. *)
Definition computed_entry (v : row Z * Z) (h : N -> binary32) (j : N) (y : binary32) : Prop := exists a p,
  (forall c, In c (indices (columns net)) ->
    sum_of (each_state (fun i => (h i, entry (at_index (before net) i) c))) (a c) /\ multiplied (a c) (entry (fst v) c) (p c)) /\
  let rules := each_column (fun c => (p c, entry (at_index (after net) c) j)) in
  (* Either the wildcard's matrix multiplies h, and s the result. *)
  ((exists w, sum_of (each_state (fun i => (h i, entry (at_index (wildcard net) i) j))) w /\ sum_of (rules ++ [(w, number (snd v))]) y) \/
  (* Or D_1 has one more column for each state, of the identity matrix, z has s there, and D_2 has the wildcard's rows. *)
   (exists b q, (forall i, In i (indices (states net)) ->
      sum_of (each_state (fun k => (h k, if N.eqb k i then number one_bits else zero))) (b i) /\ multiplied (b i) (number (snd v)) (q i)) /\
      sum_of (rules ++ each_state (fun i => (q i, entry (at_index (wildcard net) i) j))) y)).

(* The states that a program may compute in binary32 after a sequence of words, and the scores. *)
Inductive computed_state : list N -> (N -> binary32) -> Prop :=
| at_first h : (forall i, In i (indices (states net)) -> h i = entry (initial net) i) -> computed_state [] h
| after_word word x h h' : computed_state word h ->
    (forall j, In j (indices (states net)) -> computed_entry (vector net x) h j (h' j)) -> computed_state (word ++ [x]) h'.
Definition computed_score (word : list N) (g : nat) (y : binary32) : Prop := exists h, computed_state word h /\
  sum_of (each_state (fun i => (h i, entry (nth g (finals net) []) i))) y.

Lemma product_exists x y : exists p, multiplied x y p.
Proof.
assert (A : exists n : binary32, is_nan 24 128 n = true) by (exists (proj1_sig default_nan_pl32); exact (proj2_sig default_nan_pl32)).
destruct A as [n A]. eexists. exists (fun _ _ => exist _ n A), mode_NE. now left.
Qed.

Lemma choose_each {A} (P : N -> A -> Prop) (nothing : A) : (forall i, exists a, P i a) -> forall l, exists f, forall i, In i l -> P i (f i).
Proof.
intros E. induction l as [|i l [f IH]]; [now exists (fun _ => nothing)|].
destruct (E i) as [a H]. exists (fun k => if N.eqb k i then a else f k). intros k [->|K]; [now rewrite N.eqb_refl|].
destruct (N.eqb_spec k i) as [->|]; auto.
Qed.

(* The relations are not empty. *)
Lemma score_exists word g : exists y, computed_score word g y.
Proof.
assert (S : forall word, exists h, computed_state word h).
{ induction word0 as [|x word' [h IH]] using rev_ind.
  - exists (entry (initial net)). now apply at_first.
  - destruct (choose_each (fun j y => computed_entry (vector net x) h j y) zero) with (l := indices (states net)) as [h' H'].
    + intros j.
      destruct (choose_each (fun c ap => sum_of (each_state (fun i => (h i, entry (at_index (before net) i) c))) (fst ap) /\
        multiplied (fst ap) (entry (fst (vector net x)) c) (snd ap)) (zero, zero)) with (l := indices (columns net)) as [f F].
      * intros c. destruct (sum_exists (each_state (fun i => (h i, entry (at_index (before net) i) c)))) as [a A].
        destruct (product_exists a (entry (fst (vector net x)) c)) as [p P]. now exists (a, p).
      * destruct (sum_exists (each_state (fun i => (h i, entry (at_index (wildcard net) i) j)))) as [w W].
        destruct (sum_exists (each_column (fun c => (snd (f c), entry (at_index (after net) c) j)) ++ [(w, number (snd (vector net x)))])) as [y Y].
        exists y, (fun c => fst (f c)), (fun c => snd (f c)). split; [exact F|]. left. now exists w.
    + exists h'. now apply after_word with h. }
destruct (S word) as [h H]. destruct (sum_exists (each_state (fun i => (h i, entry (nth g (finals net) []) i)))) as [y Y]. now exists y, h.
Qed.
End Computed.

(* The automaton: a table for each word, which gives the next states of each state; those of the base apply if the table does not list
   the state. A state occurs once for each transition. *)
Record automaton : Type := Automaton {
  starts : list N;
  base : list (list N);
  tables : list (row (list N));
  table_of : list N;                (* the index of each word's table *)
  accepting : list (list N) }.      (* the accepting states for each score *)
Definition next_states (base : list (list N)) (table : row (list N)) (q : N) : list N :=
  match lookup q table with Some l => l | None => at_index base q end.
Definition transitions (A : automaton) (x q : N) : list N :=
  next_states (base A) (nth (N.to_nat (nth (N.to_nat x) (table_of A) 0%N)) (tables A) []) q.

(* The number of paths that read the words from a state, weighted at their end. *)
Fixpoint weighted_paths (A : automaton) (f : N -> Z) (word : list N) (q : N) : Z :=
  match word with [] => f q | x :: word' => sum_over (transitions A x q) (weighted_paths A f word') end.
(* The number of accepting paths, and the number of all paths that begin at a start. *)
Definition accepting_paths (A : automaton) (g : nat) (word : list N) : Z :=
  sum_over (starts A) (weighted_paths A (fun q => count q (nth g (accepting A) [])) word).
Definition all_paths (A : automaton) (word : list N) : Z := sum_over (starts A) (weighted_paths A (fun _ => 1) word).

(* There is a path to an accepting state. *)
Fixpoint leads (A : automaton) (final : list N) (word : list N) (q : N) : Prop :=
  match word with [] => In q final | x :: word' => exists k, In k (transitions A x q) /\ leads A final word' k end.
Definition accepts (A : automaton) (g : nat) (word : list N) : Prop :=
  exists q, In q (starts A) /\ leads A (nth g (accepting A) []) word q.

(* Acceptance and positive numbers of paths. *)
Lemma weighted_positive A f word : (forall q, 0 <= f q) -> forall q, 0 <= weighted_paths A f word q.
Proof. intros F. induction word as [|x word IH]; cbn; auto. intros q. apply sum_positive. auto. Qed.

Theorem accepts_if_paths A g word : 0 < accepting_paths A g word <-> accepts A g word.
Proof.
unfold accepting_paths, accepts. set (final := nth g (accepting A) []).
assert (F : forall q, 0 <= count q final) by (intros; apply count_positive).
assert (L : forall word q, 0 < weighted_paths A (fun q => count q final) word q <-> leads A final word q).
{ induction word0 as [|x word' IH]; intros q; cbn; [apply count_in|].
  rewrite sum_is_positive by (intros; now apply weighted_positive). split; intros (k & K & H); exists k; (split; [assumption|]); now apply IH. }
rewrite sum_is_positive by (intros; now apply weighted_positive). split; intros (q & Q & H); exists q; (split; [assumption|]); now apply L.
Qed.

(* The network over the integers, if its weights are 0 and 1. *)
Definition keys {A} (r : row A) : list N := map fst r.
Definition one_if {A} (r : row A) (j : N) : Z := match lookup j r with Some _ => 1 | None => 0 end.
Definition one_if_bits (bits : Z) : Z := if bits =? one_bits then 1 else 0.
Definition exact_next (net : network) (v : row Z * Z) (n : N -> Z) (j : N) : Z :=
  sum_over (indices (columns net)) (fun c =>
    sum_over (indices (states net)) (fun i => n i * one_if (at_index (before net) i) c) * one_if (fst v) c * one_if (at_index (after net) c) j) +
  sum_over (indices (states net)) (fun i => n i * one_if (at_index (wildcard net) i) j) * one_if_bits (snd v).
Definition exact_run (net : network) (word : list N) (n : N -> Z) : N -> Z := fold_left (fun n x => exact_next net (vector net x) n) word n.

(* The weights are 0 and 1, and each row lists different columns. *)
Fixpoint increasing {A} (least bound : N) (r : row A) : bool :=
  match r with [] => true | (k, _) :: r' => N.leb least k && N.ltb k bound && increasing (k + 1) bound r' end.
Definition row_of_ones (bound : N) (r : row Z) : bool := forallb (fun e => snd e =? one_bits) r && increasing 0 bound r.
Definition vector_of_ones (bound : N) (v : row Z * Z) : bool := row_of_ones bound (fst v) && ((snd v =? 0) || (snd v =? one_bits)).
Definition weights_are_ones (net : network) : bool :=
  forallb (row_of_ones (columns net)) (before net) && forallb (row_of_ones (states net)) (after net) &&
  forallb (row_of_ones (states net)) (wildcard net) && forallb (vector_of_ones (columns net)) (vectors net) &&
  row_of_ones (states net) (initial net) && forallb (row_of_ones (states net)) (finals net).

Lemma one_weighs : weighs 1 (number one_bits).
Proof. split; [now right|]. split; [reflexivity|]. unfold number, one_bits. vm_compute. lra. Qed.
Lemma zero_weighs : weighs 0 zero.
Proof. split; [now left|]. now split. Qed.

Lemma entry_weighs bound r j : row_of_ones bound r = true -> weighs (one_if r j) (entry r j).
Proof.
intros H. apply andb_prop in H. destruct H as [H _]. unfold one_if, entry. induction r as [|[k bits] r IH]; cbn in *; [apply zero_weighs|].
apply andb_prop in H. destruct H as [B H]. destruct (N.eqb j k); [|now apply IH]. apply Z.eqb_eq in B. rewrite B. apply one_weighs.
Qed.

Lemma number_weighs bits : (bits =? 0) || (bits =? one_bits) = true -> weighs (one_if_bits bits) (number bits).
Proof.
unfold one_if_bits. intros H. apply orb_prop in H. destruct (Z.eqb_spec bits one_bits) as [E|]; [rewrite E; apply one_weighs|].
destruct H as [H|]; [|easy]. apply Z.eqb_eq in H. rewrite H. apply zero_weighs.
Qed.

Lemma at_index_checked {A} (P : list A -> bool) rows i : P [] = true -> forallb P rows = true -> P (at_index rows i) = true.
Proof.
intros E H. unfold at_index. destruct (nth_in_or_default (N.to_nat i) rows []) as [I| ->]; [|assumption].
now apply (proj1 (forallb_forall P rows)).
Qed.

Lemma one_if_range {A} (r : row A) j : one_if r j = 0 \/ one_if r j = 1.
Proof. unfold one_if. destruct (lookup j r); auto. Qed.

(* One step. *)
Section Step.
Variables cap m : Z.
Hypothesis cap_range : 1 <= cap < 2 ^ 24.
Hypothesis m_range : 0 <= m <= 103.
Notation represents := (represents cap m).

Lemma total_map f (I : list N) (t : N -> term) : total_of f (map t I) = sum_over I (fun i => f (t i)).
Proof. induction I as [|i I IH]; [reflexivity|]. cbn [map]. rewrite sum_cons, <- IH. reflexivity. Qed.

Lemma terms_stand_for (I : list N) n e w x y : (forall i, In i I -> represents (n i) (e i) (x i) /\ e i < 2 ^ 24 /\ weighs (w i) (y i)) ->
  Forall2 (stands_for cap m) (map (fun i => (x i, y i)) I) (map (fun i => (n i, e i, w i)) I).
Proof. induction I as [|i I IH]; cbn [map]; intros H; constructor; [apply H; now left|apply IH; intros; apply H; now right]. Qed.

Lemma weighted_sum_represents (I : list N) n e w x y s : (forall i, In i I -> represents (n i) (e i) (x i) /\ e i < 2 ^ 24 /\ weighs (w i) (y i)) ->
  sum_over I (fun i => e i * w i) < 2 ^ 24 -> sum_of (map (fun i => (x i, y i)) I) s ->
  represents (sum_over I (fun i => n i * w i)) (sum_over I (fun i => e i * w i)) s.
Proof.
intros H L S. pose proof (sum_represents cap m cap_range m_range _ _ S _ (terms_stand_for I n e w x y H)) as R.
rewrite !total_map in R. now apply R.
Qed.

Variable net : network.
Hypothesis ones : weights_are_ones net = true.
Notation rows := (indices (states net)).

Lemma weights_weigh i j : weighs (one_if (at_index (before net) i) j) (entry (at_index (before net) i) j) /\
  weighs (one_if (at_index (after net) i) j) (entry (at_index (after net) i) j) /\
  weighs (one_if (at_index (wildcard net) i) j) (entry (at_index (wildcard net) i) j).
Proof.
unfold weights_are_ones in ones. apply andb_prop in ones. destruct ones as [O _]. do 4 (apply andb_prop in O; destruct O as [O ?]).
split; [|split]; eapply entry_weighs; apply at_index_checked; eauto.
Qed.
Lemma finals_weigh g j : weighs (one_if (nth g (finals net) []) j) (entry (nth g (finals net) []) j).
Proof.
unfold weights_are_ones in ones. apply andb_prop in ones. destruct ones as [_ O].
rewrite <- (Nnat.Nat2N.id g). eapply entry_weighs. apply (at_index_checked (row_of_ones (states net))); eauto.
Qed.
Lemma initial_weighs j : weighs (one_if (initial net) j) (entry (initial net) j).
Proof.
unfold weights_are_ones in ones. apply andb_prop in ones. destruct ones as [O _]. apply andb_prop in O. destruct O as [_ O].
eapply entry_weighs; eauto.
Qed.
Lemma vector_weighs x : let v := vector net x in
  (forall c, weighs (one_if (fst v) c) (entry (fst v) c)) /\ weighs (one_if_bits (snd v)) (number (snd v)).
Proof.
unfold weights_are_ones in ones. apply andb_prop in ones. destruct ones as [O _]. apply andb_prop in O. destruct O as [O _].
apply andb_prop in O. destruct O as [_ O]. cbn zeta. unfold vector. set (k := N.to_nat (nth _ (vector_of net) _)).
assert (V : vector_of_ones (columns net) (nth k (vectors net) ([], 0)) = true).
{ destruct (nth_in_or_default k (vectors net) ([], 0)) as [I| ->]; [|reflexivity]. now apply (proj1 (forallb_forall _ _) O). }
apply andb_prop in V. destruct V as [A B]. split; [|now apply number_weighs]. intros c. eapply entry_weighs; eauto.
Qed.

Lemma sum_below (I : list N) (e w : N -> Z) : (forall i, In i I -> 0 <= e i) -> (forall i, w i = 0 \/ w i = 1) ->
  0 <= sum_over I (fun i => e i * w i) <= sum_over I e.
Proof.
intros E W. split; [apply sum_positive|apply sum_monotone]; intros i I'; specialize (E i I'); destruct (W i) as [->| ->]; lia.
Qed.

Theorem step_represents x n e h j y :
  (forall i, In i rows -> represents (n i) (e i) (h i)) -> sum_over rows e < 2 ^ 24 ->
  exact_next net (vector net x) e j < 2 ^ 24 -> computed_entry net (vector net x) h j y ->
  represents (exact_next net (vector net x) n j) (exact_next net (vector net x) e j) y.
Proof.
intros H L Next (a & p & C & Y). pose proof (vector_weighs x) as [VW SW]. set (v := vector net x) in *.
assert (E : forall i, In i rows -> 0 <= e i) by (intros i I; apply (H i I)).
assert (Small : forall i, In i rows -> e i < 2 ^ 24).
{ intros i I. apply Z.le_lt_trans with (2 := L). now apply sum_member. }
set (A f c := sum_over rows (fun i => f i * one_if (at_index (before net) i) c)).
set (W f := sum_over rows (fun i => f i * one_if (at_index (wildcard net) i) j)).
assert (Ra : forall c, In c (indices (columns net)) -> represents (A n c) (A e c) (a c) /\ 0 <= A e c <= sum_over rows e).
{ intros c I. assert (B : 0 <= A e c <= sum_over rows e) by (apply sum_below; [assumption|intros; apply one_if_range]). split; [|exact B].
  apply (weighted_sum_represents rows n e (fun i => one_if (at_index (before net) i) c) h (fun i => entry (at_index (before net) i) c)).
  - intros i I'. split; [now apply H|]. split; [now apply Small|apply weights_weigh].
  - unfold A in B. lia.
  - now apply C. }
assert (Rp : forall c, In c (indices (columns net)) ->
  represents (A n c * one_if (fst v) c) (A e c * one_if (fst v) c) (p c) /\ 0 <= A e c * one_if (fst v) c < 2 ^ 24).
{ intros c I. destruct (Ra c I) as [R B]. split; [|destruct (one_if_range (fst v) c) as [-> | ->]; lia].
  apply (represents_product cap m cap_range m_range _ _ _ (a c) (entry (fst v) c)); [exact R|apply VW|lia|now apply C]. }
set (rules := map (fun c => (p c, entry (at_index (after net) c) j)) (indices (columns net))) in *.
set (ts := map (fun c => (A n c * one_if (fst v) c, A e c * one_if (fst v) c, one_if (at_index (after net) c) j)) (indices (columns net))).
assert (Rules : Forall2 (stands_for cap m) rules ts).
{ apply terms_stand_for. intros c I. destruct (Rp c I). split; [assumption|]. split; [lia|apply weights_weigh]. }
destruct Y as [(w & Sw & Sy)|(b & q & Bq & Sy)].
- assert (BW : 0 <= W e <= sum_over rows e) by (apply sum_below; [assumption|intros; apply one_if_range]).
  assert (Rw : represents (W n) (W e) w).
  { apply (weighted_sum_represents rows n e (fun i => one_if (at_index (wildcard net) i) j) h (fun i => entry (at_index (wildcard net) i) j)).
    - intros i I'. split; [now apply H|]. split; [now apply Small|apply weights_weigh].
    - unfold W in BW. lia.
    - exact Sw. }
  assert (T : Forall2 (stands_for cap m) (rules ++ [(w, number (snd v))]) (ts ++ [(W n, W e, one_if_bits (snd v))])).
  { apply Forall2_app; [assumption|]. constructor; [|constructor]. split; [assumption|]. split; [lia|exact SW]. }
  pose proof (sum_represents cap m cap_range m_range _ _ Sy _ T) as R. rewrite !total_app in R. unfold ts in R. rewrite !total_map in R.
  cbn [total_of fold_right integer budget] in R. rewrite !Z.add_0_r in R. apply R. exact Next.
- assert (Rb : forall i, In i rows -> represents (n i) (e i) (b i)).
  { intros i I. destruct (Bq i I) as [Sb _].
    assert (One : forall f, sum_over rows (fun k => f k * (if N.eqb k i then 1 else 0)) = f i).
    { intros f. rewrite (sum_ext rows _ (fun k => (if N.eqb i k then 1 else 0) * f k)).
      - rewrite sum_one by apply indices_distinct. destruct (in_dec N.eq_dec i rows); [reflexivity|contradiction].
      - intros k _. rewrite N.eqb_sym. ring. }
    pose proof (weighted_sum_represents rows n e (fun k => if N.eqb k i then 1 else 0) h
      (fun k => if N.eqb k i then number one_bits else zero) (b i)) as R. rewrite !One in R. apply R; auto.
    intros k K. split; [now apply H|]. split; [now apply Small|]. destruct (N.eqb k i); [apply one_weighs|apply zero_weighs]. }
  set (s := one_if_bits (snd v)) in *.
  assert (Sr : s = 0 \/ s = 1) by apply SW.
  assert (T : Forall2 (stands_for cap m) (rules ++ map (fun i => (q i, entry (at_index (wildcard net) i) j)) rows)
    (ts ++ map (fun i => (n i * s, e i * s, one_if (at_index (wildcard net) i) j)) rows)).
  { apply Forall2_app; [assumption|]. apply terms_stand_for. intros i I. specialize (E i I). specialize (Small i I). split; [|split; [|apply weights_weigh]].
    - apply (represents_product cap m cap_range m_range (n i) (e i) s (b i) (number (snd v))); [now apply Rb|exact SW|lia|now apply Bq].
    - destruct Sr as [-> | ->]; lia. }
  pose proof (sum_represents cap m cap_range m_range _ _ Sy _ T) as R. rewrite !total_app in R. unfold ts in R. rewrite !total_map in R.
  assert (Swap : forall f, sum_over rows (fun i => f i * s * one_if (at_index (wildcard net) i) j) = W f * s).
  { intros f. unfold W. rewrite <- sum_scale_right. apply sum_ext. intros. ring. }
  cbn [integer budget] in R. rewrite !Swap in R. apply R. exact Next.
Qed.

Lemma next_positive v n j : (forall i, In i rows -> 0 <= n i) -> 0 <= exact_next net v n j.
Proof.
intros P. assert (B : forall (r : N -> row Z) c, 0 <= sum_over rows (fun i => n i * one_if (r i) c)).
{ intros r c. apply sum_positive. intros i I. specialize (P i I). destruct (one_if_range (r i) c) as [-> | ->]; lia. }
unfold exact_next. apply Z.add_nonneg_nonneg.
- apply sum_positive. intros c _. specialize (B (at_index (before net)) c).
  destruct (one_if_range (fst v) c) as [-> | ->], (one_if_range (at_index (after net) c) j) as [-> | ->]; lia.
- specialize (B (at_index (wildcard net)) j). unfold one_if_bits. destruct (snd v =? one_bits); lia.
Qed.
End Step.

Lemma run_last net word x n : exact_run net (word ++ [x]) n = exact_next net (vector net x) (exact_run net word n).
Proof. unfold exact_run. now rewrite fold_left_app. Qed.

Lemma run_positive net word n : (forall i, In i (indices (states net)) -> 0 <= n i) ->
  forall i, In i (indices (states net)) -> 0 <= exact_run net word n i.
Proof.
intros P. induction word as [|x word IH] using rev_ind; [exact P|]. intros i _. rewrite run_last. now apply next_positive.
Qed.

Lemma one_if_positive {A} (r : row A) j : 0 <= one_if r j <= 1.
Proof. destruct (one_if_range r j) as [-> | ->]; lia. Qed.

(* Exact results. *)
Definition sums_are_small (net : network) (word : list N) : Prop := forall prefix rest, word = prefix ++ rest ->
  sum_over (indices (states net)) (exact_run net prefix (one_if (initial net))) < 2 ^ 24.

Theorem exact_state net : weights_are_ones net = true -> forall word h, computed_state net word h -> sums_are_small net word ->
  forall i, In i (indices (states net)) -> let n := exact_run net word (one_if (initial net)) i in represents (2 ^ 24 - 1) 0 n n (h i).
Proof.
intros O word h C. induction C as [h E|word x h h' C IH Next]; intros S i I n.
- rewrite E by assumption. pose proof (initial_weighs net O i) as (W & F & V). cbn in n. fold n in V, W.
  repeat split; try lia; trivial; rewrite V; unfold low, high; cbn [bpow]; rewrite ?Rmult_1_r; try (apply IZR_le; lia). intros ->. reflexivity.
- assert (S' : sums_are_small net word).
  { intros prefix rest ->. apply (S prefix (rest ++ [x])). now rewrite app_assoc. }
  specialize (IH S'). set (m := exact_run net word (one_if (initial net))) in *.
  assert (Positive : forall k, In k (indices (states net)) -> 0 <= exact_run net (word ++ [x]) (one_if (initial net)) k).
  { apply run_positive. intros. apply one_if_positive. }
  subst n. cbn zeta. pose proof (S (word ++ [x]) [] (eq_sym (app_nil_r _))) as Last.
  rewrite run_last in *. fold m in Last, Positive |- *.
  apply step_represents with h; trivial; try lia.
  + apply (S' word []). now rewrite app_nil_r.
  + apply Z.le_lt_trans with (2 := Last). now apply sum_member.
  + now apply Next.
Qed.

Theorem exact_score net : weights_are_ones net = true -> forall word g y, computed_score net word g y -> sums_are_small net word ->
  finite y = true /\ value y = IZR (sum_over (indices (states net)) (fun i =>
    exact_run net word (one_if (initial net)) i * one_if (nth g (finals net) []) i)).
Proof.
intros O word g y (h & C & Sy) S. pose proof (exact_state net O word h C S) as H. cbn zeta in H.
set (n := exact_run net word (one_if (initial net))) in *. set (rows := indices (states net)) in *.
pose proof (S word [] (eq_sym (app_nil_r _))) as Last. fold n rows in Last.
assert (P : forall i, In i rows -> 0 <= n i) by (apply run_positive; intros; apply one_if_positive).
assert (Total : 0 <= sum_over rows (fun i => n i * one_if (nth g (finals net) []) i) <= sum_over rows n).
{ apply sum_below; [exact P|intros; apply one_if_range]. }
destruct (weighted_sum_represents (2 ^ 24 - 1) 0 ltac:(lia) ltac:(lia) rows n n (one_if (nth g (finals net) [])) h
  (entry (nth g (finals net) [])) y) as (_ & F & _ & Low & High); trivial; try lia.
- intros i I. split; [now apply H|]. split; [|now apply finals_weigh]. apply Z.le_lt_trans with (2 := Last). now apply sum_member.
- split; [exact F|]. unfold low, high in *. cbn [bpow] in High. rewrite Rmult_1_r in High.
  rewrite Z.min_l in Low by lia. now apply Rle_antisym.
Qed.

(* Finite scores with the right sign, as long as nothing can overflow: each word multiplies a bound on the state by at most 2^k. *)
Definition sums_of_columns_below (net : network) (k : Z) (v : row Z * Z) : Prop :=
  forall j, In j (indices (states net)) -> exact_next net v (fun _ => 1) j <= 2 ^ k.

Lemma represents_at_next_scale m k n e x : 0 <= m -> 0 <= k -> e <= 2 ^ k -> represents 1 m n e x -> represents 1 (m + k) n 1 x.
Proof.
intros M K E ((N & _) & F & Zero & Low & High). repeat split; trivial; try lia. apply Rle_trans with (1 := High).
unfold high. rewrite bpow_plus, Rmult_1_l, Rmult_comm. apply Rmult_le_compat_l; [apply bpow_ge_0|].
rewrite <- (IZR_Zpower radix2) by assumption. now apply IZR_le.
Qed.

Theorem finite_state net k : weights_are_ones net = true -> Z.of_N (states net) < 2 ^ 24 -> 0 <= k < 24 ->
  forall word h, computed_state net word h -> List.Forall (fun x => sums_of_columns_below net k (vector net x)) word ->
  k * Z.of_nat (length word) <= 103 ->
  forall i, In i (indices (states net)) ->
  represents 1 (k * Z.of_nat (length word)) (exact_run net word (one_if (initial net)) i) 1 (h i).
Proof.
intros O Size K word h C. induction C as [h E|word x h h' C IH Next]; intros S L i I.
- rewrite E by assumption. pose proof (initial_weighs net O i) as (W & F & V). cbn [exact_run fold_left].
  pose proof (one_if_positive (initial net) i). unfold exact_run. cbn [fold_left].
  repeat split; try lia; trivial; rewrite V; unfold low, high.
  + now intros ->.
  + apply IZR_le. lia.
  + cbn [length Z.of_nat]. rewrite Z.mul_0_r. cbn [bpow]. rewrite Rmult_1_l. apply IZR_le. lia.
- rewrite app_length in *. cbn [length] in *. apply Forall_app in S. destruct S as [S Sx]. inversion Sx as [|? ? Below _]; subst.
  replace (k * Z.of_nat (length word + 1)) with (k * Z.of_nat (length word) + k) in * by lia.
  specialize (IH S ltac:(lia)). rewrite run_last.
  assert (Ones : sum_over (indices (states net)) (fun _ => 1) < 2 ^ 24) by now rewrite number_of_indices.
  apply represents_at_next_scale with (exact_next net (vector net x) (fun _ => 1) i); try lia; [now apply Below|].
  apply step_represents with h; trivial; try lia; [|now apply Next].
  apply Z.le_lt_trans with (2 ^ k); [now apply Below|]. apply Z.pow_lt_mono_r; lia.
Qed.

Theorem finite_score net k : weights_are_ones net = true -> Z.of_N (states net) < 2 ^ 24 -> 0 <= k < 24 ->
  forall word g y, computed_score net word g y -> List.Forall (fun x => sums_of_columns_below net k (vector net x)) word ->
  k * Z.of_nat (length word) <= 103 ->
  finite y = true /\ ((0 < value y)%R <-> 0 < sum_over (indices (states net)) (fun i =>
    exact_run net word (one_if (initial net)) i * one_if (nth g (finals net) []) i)).
Proof.
intros O Size K word g y (h & C & Sy) S L. pose proof (finite_state net k O Size K word h C S L) as H.
set (n := exact_run net word (one_if (initial net))) in *. set (rows := indices (states net)) in *.
assert (Budget : 0 <= sum_over rows (fun i => 1 * one_if (nth g (finals net) []) i) <= sum_over rows (fun _ => 1)).
{ apply (sum_below rows (fun _ => 1)); [lia|intros; apply one_if_range]. }
assert (Ones : sum_over rows (fun _ => 1) = Z.of_N (states net)) by apply number_of_indices.
destruct (weighted_sum_represents 1 (k * Z.of_nat (length word)) ltac:(lia) ltac:(lia) rows n (fun _ => 1) (one_if (nth g (finals net) [])) h
  (entry (nth g (finals net) [])) y) as ((P & _) & F & Zero & Low & _); trivial; try nia.
- intros i I. split; [now apply H|]. split; [lia|now apply finals_weigh].
- split; [exact F|]. set (total := sum_over rows (fun i => n i * _)) in *. split; intros Positive.
  + destruct (Z.eq_dec total 0) as [E|]; [|lia]. rewrite (Zero E) in Positive. lra.
  + unfold low in Low. rewrite Z.min_r in Low by lia. lra.
Qed.
