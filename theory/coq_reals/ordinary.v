(* Recurrent networks of torch, with a linear classifier, over the real numbers: nn.RNN, nn.GRU and nn.LSTM. *)

From Coq Require Import Reals ZArith QArith Qreals List.
From ratproof_reals Require Import intervals functions network.
Import ListNotations.

(* The weights. A gate is weight_ih, bias_ih, weight_hh and bias_hh of one block of rows. *)
Record ordinary (T : Type) := Ordinary {
  cell_kind : cell;
  layers : list (list (gate T));  (* the gates of each layer *)
  embeddings : list (list T);  (* one vector per symbol *)
  readout : list (list T);     (* the classifier, with one row per output *)
  readout_bias : list T;
  threshold : T                (* with one output *)
}.
Arguments Ordinary {T}. Arguments cell_kind {T}. Arguments layers {T}. Arguments embeddings {T}.
Arguments readout {T}. Arguments readout_bias {T}. Arguments threshold {T}.

Definition map_ordinary {S T} (f : S -> T) (N : ordinary S) : ordinary T :=
  Ordinary (cell_kind N) (map (map (map_gate f)) (layers N)) (map (map f) (embeddings N))
    (map (map f) (readout N)) (map f (readout_bias N)) (f (threshold N)).

(* The number of entries of the state of a layer with n units. *)
Definition state_size (kind : cell) (n : nat) : nat := match kind with LSTM => n + n | _ => n end.

Open Scope R_scope.
Section Ordinary.
Variable N : ordinary R.

Definition units : nat := length (c (nth 0 (nth 0 (layers N) []) (Gate [] [] [] []))).
Definition entries_of_layer : nat := state_size (cell_kind N) units.
Definition entries_of_state : nat := length (layers N) * entries_of_layer.
Definition next_of_layer (gates : list (gate R)) (v h : list R) : list R :=
  @update reals (cell_kind N)
    (map (fun g => each (K := reals) Rplus (apply (K := reals) (W g) v) (b g)) gates)
    (map (fun g => each (K := reals) Rplus (apply (K := reals) (U g) h) (c g)) gates) h.
(* The first layer reads a symbol's vector, and each other layer reads the new state of the layer below: its units h, because a row of W
   has no entries for the memory of an LSTM. *)
Fixpoint next_of_layers (layers : list (list (gate R))) (v h : list R) : list R :=
  match layers with
  | [] => []
  | gates :: above =>
    let new := next_of_layer gates v (firstn entries_of_layer h) in new ++ next_of_layers above new (skipn entries_of_layer h)
  end.
Definition next_state (h : list R) (x : nat) : list R := next_of_layers (layers N) (nth x (embeddings N) []) h.
Definition state_after (word : list nat) : list R := fold_left next_state word (repeat 0 entries_of_state).

(* The classifier reads the units of the last layer. The decision is the number of the largest score. The threshold is the score of decision 0 if there is one output. *)
Definition last_layer (h : list R) : list R := skipn (pred (length (layers N)) * entries_of_layer) h.
Definition scores (h : list R) : list R :=
  let outputs := each (K := reals) Rplus (apply (K := reals) (readout N) (last_layer h)) (readout_bias N) in
  match outputs with [output] => [threshold N; output] | _ => outputs end.
Definition is_largest (values : list R) (i : nat) : Prop :=
  (i < length values)%nat /\ forall j, (j < length values)%nat -> j <> i -> nth j values 0 < nth i values 0.
Definition decides (word : list nat) (decision : nat) : Prop := is_largest (scores (state_after word)) decision.
End Ordinary.
