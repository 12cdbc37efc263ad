(* A program that checks closed regions of an ordinary network. *)

From Coq Require Import Reals ZArith QArith List Bool.
From ratproof_reals Require Import intervals functions slopes network cells ordinary rounding computed.
Import ListNotations.
Open Scope R_scope.

(* An automaton with a decision for each state. State 0 is the initial state. *)
Record machine := Machine { after : list (list nat); decision : list nat }.
Definition move (A : machine) (q x : nat) : nat := nth x (nth q (after A) []) 0%nat.
Definition reached (A : machine) (word : list nat) : nat := fold_left (move A) word 0%nat.
Definition decision_of (A : machine) (word : list nat) : nat := nth (reached A word) (decision A) 0%nat.

(* A region: a state of the automaton, the next regions, and the states h of the network with |h - center| <= width in each
   entry and |factor (h - center)| <= 1 in each entry. The basis is nearly the inverse of the factor. Numbers are in units of
   2^-bits. *)
Record region := Region {
  owner : nat; next : list nat; center : list Z; width : list Z; basis : list (list Z); factor : list (list Z) }.

Section Check.
Variables (bits : positive) (exact : ordinary Q) (A : machine) (regions : list region).
Notation contains := (contains bits).
Notation ivs := (interval_arithmetic bits).
Notation points := (map point).
Definition number_of_units : nat := length (c (nth 0 (nth 0 (layers exact) []) (Gate [] [] [] []))).
Definition layer_size : nat := state_size (cell_kind exact) number_of_units.
Definition size : nat := length (layers exact) * layer_size.
Definition numbers : list nat := seq 0 size.
Definition rational_rows : list (list Q) -> list (list interval) := map (map (of_rational bits)).

(* With d = factor (h - center), the states of a region are h = middle + basis d, where the middle is the center, and the error of
   the basis times h - center. *)
Definition box : list interval := repeat (symmetric (unit bits)) size.
Definition columns (q : region) : list (list interval) := map (fun k => map (fun row => point (nth k row 0%Z)) (factor q)) numbers.
Definition error_of (columns : list (list interval)) (q : region) (i : nat) : interval :=
  dot (K := ivs)
    (map (fun k => sub (if Nat.eqb k i then one bits else zero) (dot (K := ivs) (points (nth i (basis q) [])) (nth k columns []))) numbers)
    (map symmetric (width q)).
Definition state_forms (q : region) : list form :=
  let columns := columns q in
  map (fun i =>
    let m := point (nth i (center q) 0%Z) in
    let middle := add m (error_of columns q i) in
    Form middle (hull middle (add m (symmetric (nth i (width q) 0%Z)))) (points (nth i (basis q) [])) false) numbers.

Section Over.
Variable box : list interval.
Notation forms := (forms bits false box).
Definition minus (f g : form) : form := tighten bits false box (slopes.plus f (slopes.times bits false box (constant (point (- unit bits))) g)).
Definition enters (q : region) (h : list form) : bool :=
  Nat.eqb (length h) size &&
  let moved := each (K := forms) minus h (map constant (points (center q))) in
  within (map Z.opp (width q)) (width q) moved &&
  within (repeat (- unit bits)%Z size) (repeat (unit bits) size)
    (map (tighten bits false box) (apply (K := forms) (map (map constant) (map points (factor q))) moved)).
Definition last_part {T} (h : list T) : list T := skipn (pred (length (layers exact)) * layer_size) h.
Definition score_forms (h : list form) : list form :=
  let outputs := each (K := forms) slopes.plus (apply (K := forms) (map (map constant) (rational_rows (readout exact))) (last_part h))
    (map constant (map (of_rational bits) (readout_bias exact))) in
  match outputs with [output] => [constant (of_rational bits (threshold exact)); output] | _ => outputs end.
Definition with_errors (values : list form) (errors : list interval) : list form :=
  each (K := forms) slopes.plus values (map constant errors).
Definition decided (errors : list interval) (h : list form) (d : nat) : bool :=
  let scores := with_errors (score_forms h) errors in
  Nat.ltb d (length scores) &&
  forallb (fun j => Nat.eqb j d || is_positive (minus (nth d scores (constant zero)) (nth j scores (constant zero))))
    (seq 0 (length scores)).
End Over.

Definition well_formed (q : region) : bool :=
  Nat.eqb (length (center q)) size && Nat.eqb (length (width q)) size && Nat.eqb (length (basis q)) size &&
  Nat.eqb (length (factor q)) size && forallb (fun row => Nat.eqb (length row) size) (factor q) &&
  Nat.eqb (length (next q)) (length (embeddings exact)) &&
  forallb (fun x => Nat.ltb (nth x (next q) 0%nat) (length regions) &&
    Nat.eqb (owner (nth (nth x (next q) 0%nat) regions q)) (move A (owner q) x)) (seq 0 (length (embeddings exact))).
Definition ranges (h : list form) : list interval := map (fun f => range (tighten bits false box f)) h.
(* Rounding errors of the outputs, and of a layer's next state, in states that are between these bounds. *)
Definition score_errors (h : list interval) : list interval :=
  let error i := snd (sum_of_products bits
    (output_terms zero (one bits) (rational_rows (readout exact)) (map (of_rational bits) (readout_bias exact)) (last_part h) i)) in
  match map error (seq 0 (length (readout_bias exact))) with [output] => [zero; output] | errors => errors end.
Definition layer_errors (enclosed : list (gate interval)) (v h : list interval) : list interval :=
  map (fun i => snd (unit_approximation bits (cell_kind exact) enclosed v h i)) (seq 0 layer_size).
(* The parts of a layer's gates that read the layer below. *)
Definition reads_of (enclosed : list (gate interval)) (v : list form) : list (list form) :=
  map (fun g => each (K := forms bits false box) slopes.plus
    (apply (K := forms bits false box) (map (map constant) (W g)) v) (map constant (b g))) enclosed.
(* The layers with the parts of their gates that read the state. *)
Fixpoint with_recurrents (ls : list (list (gate interval))) (h : list form) : list (list (gate interval) * list (list form)) :=
  match ls with
  | [] => []
  | enclosed :: above =>
    (enclosed, recurrent bits false box enclosed (map U enclosed) (firstn layer_size h)) :: with_recurrents above (skipn layer_size h)
  end.
(* The computed next state. The first layer's gates read reads, which is computed from vectors in v. *)
Fixpoint computed_forms (ls : list (list (gate interval) * list (list form))) (reads : list (list form)) (v : list interval)
    (h : list form) : list form :=
  match ls with
  | [] => []
  | (enclosed, recurrents) :: above =>
    let old := firstn layer_size h in
    let new := with_errors box (update (K := forms bits false box) (cell_kind exact) reads recurrents old) (layer_errors enclosed v (ranges old)) in
    new ++ match above with
      | [] => []
      | (next, _) :: _ => computed_forms above (reads_of next new) (ranges new) (skipn layer_size h)
      end
  end.
Definition decides_well (q : region) : bool :=
  let h := state_forms q in decided box (score_errors (ranges h)) h (nth (owner q) (decision A) 0%nat).
Definition check_region (enclosed : list (list (gate interval))) (tokens : list (list interval * list (list interval))) (q : region) : bool :=
  well_formed q &&
  let h := state_forms q in
  let parts := with_recurrents enclosed h in
  forallb (fun tn =>
    enters box (nth (snd tn) regions q) (computed_forms parts (map (map constant) (snd (fst tn))) (fst (fst tn)) h))
    (combine tokens (next q)).
Definition shaped : bool :=
  let n := number_of_units in
  forallb (fun gates => Nat.eqb (length gates) (number_of_gates (cell_kind exact)) &&
    forallb (fun g => Nat.eqb (length (W g)) n && Nat.eqb (length (b g)) n && Nat.eqb (length (U g)) n && Nat.eqb (length (c g)) n) gates)
    (layers exact) &&
  Nat.eqb (length (readout exact)) (length (readout_bias exact)).
(* A sum over a row and a vector is cut to the shorter one, so a weight or an entry could be lost. There is at least one layer. *)
Definition rows_fit : bool :=
  let fits (n : nat) (rows : list (list Q)) := forallb (fun row => Nat.eqb (length row) n) rows in
  negb (Nat.eqb (length (layers exact)) 0) &&
  forallb (forallb (fun g => fits number_of_units (U g))) (layers exact) &&
  forallb (fun g => forallb (fun v => fits (length v) (W g)) (embeddings exact)) (nth 0 (layers exact) []) &&
  forallb (forallb (fun g => fits number_of_units (W g))) (tl (layers exact)) &&
  fits number_of_units (readout exact).
(* The decision in region 0 matters only if there is a way back to it. *)
Definition returns : bool := existsb (fun q => existsb (Nat.eqb 0) (next q)) regions.
Definition check : bool :=
  let enclosed := map (map (map_gate (of_rational bits))) (layers exact) in
  match regions with [] => false | q :: _ => Nat.eqb (owner q) 0 && enters [] q (repeat (constant zero) size) end &&
  shaped && rows_fit && forallb (check_region enclosed
    (map (fun token => (token, read_parts bits (nth 0 enclosed []) token)) (rational_rows (embeddings exact)))) regions &&
  forallb decides_well (if returns then regions else tl regions).
End Check.
