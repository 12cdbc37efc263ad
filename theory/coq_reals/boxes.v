(* A program that checks closed boxes of a state-regularized network, with a proof of its soundness. *)

From Coq Require Import Reals ZArith QArith Qreals List Lia Lra Bool.
From ratproof_reals Require Import intervals slopes network parametricity algebra cells.
Import ListNotations.
Open Scope R_scope.

(* An automaton whose states have a label and a decision. State 0 is the initial state. *)
Record automaton := Automaton { after : list (list nat); label : list nat; accepts : list bool }.
Definition move (A : automaton) (q x : nat) : nat := nth x (nth q (after A) []) 0%nat.
Definition reached (A : automaton) (word : list nat) : nat := fold_left (move A) word 0%nat.
Definition label_of (A : automaton) (word : list nat) : nat := nth (reached A word) (label A) 0%nat.
Definition accepted (A : automaton) (word : list nat) : bool := nth (reached A word) (accepts A) false.

(* A node: a state of the automaton, the next nodes, and a box of mixtures with a middle, in units of 2^-bits. *)
Record node := Node { state : nat; next : list nat; low : list Z; center : list Z; high : list Z }.

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
Definition towards (l i : nat) : list interval :=
  map (fun row => mul bits (sub (nth i row zero) (nth l row zero)) inverse_temperature) (centroids I).

Section OverBox.
Variable box : list interval.
Notation forms := (forms bits true box).
Notation constants := (map constant).

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
Definition box_of (q : node) : list interval :=
  map (fun abc => match abc with (a, b, m) => Some (a - m, b - m)%Z end) (combine (combine (low q) (high q)) (center q)).
Definition alpha_of (q : node) : list form :=
  map (fun iabm => match iabm with (i, (a, b, m)) => Form (point m) (Some (a, b)) (repeat zero i ++ [one bits]) end)
    (combine numbers (combine (combine (low q) (high q)) (center q))).

Definition well_formed (q : node) : bool :=
  Nat.eqb (length (low q)) k && Nat.eqb (length (high q)) k && Nat.eqb (length (center q)) k &&
  forallb (fun abm => match abm with (a, b, m) => (a <=? m)%Z && (m <=? b)%Z end) (combine (combine (low q) (high q)) (center q)) &&
  (fold_right Z.add 0%Z (center q) =? unit bits)%Z &&
  Nat.eqb (length (next q)) (length (tokens exact)) &&
  forallb (fun x => Nat.ltb (nth x (next q) 0%nat) (length nodes) &&
    Nat.eqb (state (nth (nth x (next q) 0%nat) nodes q)) (move A (state q) x)) (seq 0 (length (tokens exact))).

Definition check_node (US : list (list (list interval))) (symbol_reads : list (list (list interval))) (finish_reads : list (list interval)) (q : node) : bool :=
  well_formed q &&
  let box := box_of q in
  let alpha := alpha_of q in
  let recurrents := recurrent bits true box (gates I) US alpha in
  let h := apply (K := forms bits true box) (map (map constant) (centroids I)) alpha in
  forallb (fun read_next => goes_to box (new_state bits true box (kind exact) (fst read_next) recurrents h) (nth (snd read_next) nodes q))
    (combine symbol_reads (next q)) &&
  let logit := tighten bits true box
    (slopes.plus (dot (K := forms bits true box) (map constant (output I)) (new_state bits true box (kind exact) finish_reads recurrents h)) (constant (bias I))) in
  if nth (state q) (accepts A) false then is_positive logit else is_negative logit.

Definition check_first (q : node) : bool :=
  Nat.eqb (state q) 0 &&
  match start I with
  | Some token =>
    let h := map (fun _ => constant zero) (centroids I) in
    goes_to [] (new_state bits true [] (kind exact) (read_parts bits (gates I) token)
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
  let symbol_reads := map (read_parts bits (gates I)) (tokens I) in
  let finish_reads := read_parts bits (gates I) (finish I) in
  forallb (check_node US symbol_reads finish_reads) nodes.
End Check.
(* The weights are enclosed once. *)
Definition check (bits : positive) (exact : network Q) (A : automaton) (nodes : list node) : bool :=
  let I := map_network (of_rational bits) exact in check_with bits exact I A nodes.
