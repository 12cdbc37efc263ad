(* A program that checks closed boxes of a state-regularized network, with a proof of its soundness. *)

From Coq Require Import Reals ZArith QArith Qreals List Lia Lra Bool.
From ratproof_reals Require Import intervals functions slopes network parametricity algebra cells.
Import ListNotations.
Open Scope R_scope.

(* An automaton whose states have a label and a decision. State 0 is the initial state. *)
Record automaton := Automaton { after : list (list nat); label : list nat; accepts : list bool }.
Definition move (A : automaton) (q x : nat) : nat := nth x (nth q (after A) []) 0%nat.
Definition reached (A : automaton) (word : list nat) : nat := fold_left (move A) word 0%nat.
Definition label_of (A : automaton) (word : list nat) : nat := nth (reached A word) (label A) 0%nat.
Definition accepted (A : automaton) (word : list nat) : bool := nth (reached A word) (accepts A) false.

(* A node: a state of the automaton, the next nodes, and a box of mixtures, in units of 2^-bits. A mixture of the box is a middle plus
   differences from it in the wide entries; the middle is the center in these entries, and the mixture itself in the others. *)
Record node := Node { state : nat; next : list nat; low : list Z; center : list Z; high : list Z; wide : list bool }.

Section Check.
Variables (bits : positive) (exact : network Q) (I : network interval) (A : automaton) (nodes : list node).
Notation contains := (contains bits).
Notation ivs := (interval_arithmetic bits).

Definition k : nat := length (nth 0 (centroids exact) []).
Definition numbers : list nat := seq 0 k.

(* Precomputed: U S. *)
Definition recurrent_parts : list (list (list interval)) :=
  map (fun g => map (fun u => map (fun i => dot (K := ivs) u (map (fun row => nth i row zero) (centroids I))) numbers) (U g)) (gates I).

Definition inverse_temperature : interval := div bits (one bits) (temperature I).
Definition scaled : list (list interval) := map (map (fun x => mul bits x inverse_temperature)) (centroids I).

Section OverBox.
Variables (scaled : list (list interval)) (box : list interval).
Notation forms := (forms bits true box).
Notation constants := (map constant).

Definition towards (l i : nat) : list interval := map (fun row => sub (nth i row zero) (nth l row zero)) scaled.
Definition gap_forms (l : nat) (u : list form) : list form :=
  map (fun i => if Nat.eqb i l then constant zero else tighten bits true box (dot (K := forms) (constants (towards l i)) u)) numbers.
Definition mixture_forms (gaps : list form) : list form :=
  let powers := map (of_exp bits true box) gaps in
  let all := fold_right slopes.plus (constant zero) powers in
  map (fun e => tighten bits true box (quotient bits e all)) powers.
(* The most probable centroid is l, and the probabilities are in the target's box. *)
Definition goes_to (u : list form) (target : node) : bool :=
  let l := nth (state target) (label A) 0%nat in
  let gaps := gap_forms l u in
  forallb (fun i => Nat.eqb i l || is_negative (nth i gaps (constant zero))) numbers && within (low target) (high target) (mixture_forms gaps).
End OverBox.

(* The mixtures of a node's box. *)
Definition entry : Type := (Z * Z) * (Z * bool).
Definition entries (q : node) : list entry := combine (combine (low q) (high q)) (combine (center q) (wide q)).
(* What the entries of a middle lack to a sum of 1. The first wide entry of the middle gets it, so that the differences sum to 0. *)
Fixpoint rest (es : list entry) : Z * Z :=
  match es with
  | [] => (unit bits, unit bits)
  | ((a, b), (m, w)) :: es' => let (x, y) := rest es' in if w then (x - m, y - m)%Z else (x - b, y - a)%Z
  end.
Fixpoint differences_of (r : Z * Z) (es : list entry) : list interval :=
  match es with
  | [] => []
  | ((a, b), (m, true)) :: es' => Some (Z.min 0 (a - (m + snd r)), Z.max 0 (b - (m + fst r)))%Z :: differences_of (0, 0)%Z es'
  | (_, (_, false)) :: es' => differences_of r es'
  end.
Fixpoint forms_of (r : Z * Z) (i : nat) (es : list entry) : list form :=
  match es with
  | [] => []
  | ((a, b), (m, true)) :: es' =>
    let (x, y) := (m + fst r, m + snd r)%Z in
    Form (Some (x, y)) (Some (Z.min a x, Z.max b y)) (repeat zero i ++ [one bits]) false :: forms_of (0, 0)%Z (S i) es'
  | (ab, (_, false)) :: es' => constant (Some ab) :: forms_of r i es'
  end.
Definition box_of (q : node) : list interval := differences_of (rest (entries q)) (entries q).
Definition alpha_of (q : node) : list form := forms_of (rest (entries q)) 0 (entries q).

Definition well_formed (q : node) : bool :=
  Nat.eqb (length (low q)) k && Nat.eqb (length (high q)) k && Nat.eqb (length (center q)) k && Nat.eqb (length (wide q)) k &&
  Nat.eqb (length (next q)) (length (tokens exact)) &&
  forallb (fun x => Nat.ltb (nth x (next q) 0%nat) (length nodes) &&
    Nat.eqb (state (nth (nth x (next q) 0%nat) nodes q)) (move A (state q) x)) (seq 0 (length (tokens exact))).

Definition check_node (scaled : list (list interval)) (US : list (list (list interval))) (symbol_reads : list (list (list interval))) (finish_reads : list (list interval)) (q : node) : bool :=
  well_formed q &&
  let box := box_of q in
  let alpha := alpha_of q in
  let recurrents := recurrent bits true box (gates I) US alpha in
  let h := apply (K := forms bits true box) (map (map constant) (centroids I)) alpha in
  forallb (fun read_next => goes_to scaled box (new_state bits true box (kind exact) (fst read_next) recurrents h) (nth (snd read_next) nodes q))
    (combine symbol_reads (next q)) &&
  let logit := tighten bits true box
    (slopes.plus (dot (K := forms bits true box) (map constant (output I)) (new_state bits true box (kind exact) finish_reads recurrents h)) (constant (bias I))) in
  if nth (state q) (accepts A) false then is_positive logit else is_negative logit.

Definition check_first (q : node) : bool :=
  Nat.eqb (state q) 0 &&
  match start I with
  | Some token =>
    let h := map (fun _ => constant zero) (centroids I) in
    goes_to scaled [] (new_state bits true [] (kind exact) (read_parts bits (gates I) token)
      (recurrent bits true [] (gates I) (map U (gates I)) h) h) q
  | None =>
    Nat.eqb (nth 0 (label A) 1%nat) 0 &&
    within (low q) (high q) (map (fun i => constant (if Nat.eqb i 0 then one bits else zero)) numbers)
  end.

Definition check_with : bool :=
  forallb (fun row => Nat.eqb (length row) k) (centroids exact) && Nat.ltb 0 k &&
  forallb (fun l => Nat.ltb l k) (label A) &&
  match nodes with [] => false | q :: _ => check_first q end &&
  let US := recurrent_parts in
  let scaled := scaled in
  let symbol_reads := map (read_parts bits (gates I)) (tokens I) in
  let finish_reads := read_parts bits (gates I) (finish I) in
  forallb (check_node scaled US symbol_reads finish_reads) nodes.
End Check.
(* The weights are enclosed once. *)
Definition check (bits : positive) (exact : network Q) (A : automaton) (nodes : list node) : bool :=
  let I := map_network (of_rational bits) exact in check_with bits exact I A nodes.
