(* Recurrent networks of torch, with a linear classifier, over the real numbers: nn.RNN with tanh, nn.GRU, and nn.LSTM. *)

From Coq Require Import Reals ZArith QArith Qreals List.
From ratproof_reals Require Import intervals functions network.
Import ListNotations.

(* The weights. A gate is weight_ih, bias_ih, weight_hh and bias_hh of one block of rows. *)
Record ordinary (T : Type) := Ordinary {
  cell_kind : cell;
  cell_gates : list (gate T);
  embeddings : list (list T);  (* one vector per symbol *)
  readout : list (list T);     (* the classifier, with one row per output *)
  readout_bias : list T;
  threshold : T                (* with one output *)
}.
Arguments Ordinary {T}. Arguments cell_kind {T}. Arguments cell_gates {T}. Arguments embeddings {T}.
Arguments readout {T}. Arguments readout_bias {T}. Arguments threshold {T}.

Definition map_ordinary {S T} (f : S -> T) (N : ordinary S) : ordinary T :=
  Ordinary (cell_kind N) (map (map_gate f) (cell_gates N)) (map (map f) (embeddings N))
    (map (map f) (readout N)) (map f (readout_bias N)) (f (threshold N)).

(* The number of entries of a state with n units. *)
Definition state_size (kind : cell) (n : nat) : nat := match kind with LSTM => n + n | _ => n end.

Open Scope R_scope.
Section Ordinary.
Variable N : ordinary R.

Definition units : nat := length (c (nth 0 (cell_gates N) (Gate [] [] [] []))).
Definition entries_of_state : nat := state_size (cell_kind N) units.
Definition next_state (h : list R) (x : nat) : list R :=
  @update reals (cell_kind N)
    (map (fun g => each (K := reals) Rplus (apply (K := reals) (W g) (nth x (embeddings N) [])) (b g)) (cell_gates N))
    (map (fun g => each (K := reals) Rplus (apply (K := reals) (U g) h) (c g)) (cell_gates N)) h.
Definition state_after (word : list nat) : list R := fold_left next_state word (repeat 0 entries_of_state).

(* The decision is the number of the largest score. The threshold is the score of decision 0 if there is one output. *)
Definition scores (h : list R) : list R :=
  let outputs := each (K := reals) Rplus (apply (K := reals) (readout N) h) (readout_bias N) in
  match outputs with [output] => [threshold N; output] | _ => outputs end.
Definition is_largest (values : list R) (i : nat) : Prop :=
  (i < length values)%nat /\ forall j, (j < length values)%nat -> j <> i -> nth j values 0 < nth i values 0.
Definition decides (word : list nat) (decision : nat) : Prop := is_largest (scores (state_after word)) decision.
End Ordinary.
