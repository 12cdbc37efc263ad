(* State-regularized networks over the real numbers (Wang and Niepert 2019, equations 1, 2 and 5). *)

From Coq Require Import Reals ZArith QArith Qreals List Lia Lra.
From ratproof_reals Require Import intervals functions.
Import ListNotations.

(* The operations of a cell. The same program runs on real numbers and on their enclosures. *)
Record arithmetic := Arithmetic {
  number :> Type;
  nothing : number;
  plus : number -> number -> number;
  times : number -> number -> number;
  between : number -> number -> number -> number;  (* (1 - z) n + z h *)
  squash : number -> number;  (* the sigmoid *)
  tangent : number -> number;  (* tanh *)
  positive_part : number -> number  (* max (0, x) *)
}.

Section Programs.
Variable K : arithmetic.

Fixpoint dot (u v : list K) : K :=
  match u, v with x :: u', y :: v' => plus K (times K x y) (dot u' v') | _, _ => nothing K end.
Definition apply (M : list (list K)) (v : list K) : list K := map (fun row => dot row v) M.
Fixpoint each (f : K -> K -> K) (u v : list K) : list K :=
  match u, v with x :: u', y :: v' => f x y :: each f u' v' | _, _ => [] end.
Fixpoint each3 (f : K -> K -> K -> K) (u v w : list K) : list K :=
  match u, v, w with x :: u', y :: v', z :: w' => f x y z :: each3 f u' v' w' | _, _, _ => [] end.

(* A cell's new state from the parts of its gates: W x + b, which reads the symbol, and U h + c, which reads the state. The state of
   an LSTM is h, followed by its memory. *)
Inductive cell := Elman | ReLU | GRU | LSTM.
Definition update (kind : cell) (read recurrent : list (list K)) (h : list K) : list K :=
  match kind, read, recurrent with
  | Elman, [read_h], [recurrent_h] => map (tangent K) (each (plus K) read_h recurrent_h)
  | ReLU, [read_h], [recurrent_h] => map (positive_part K) (each (plus K) read_h recurrent_h)
  | GRU, [read_r; read_z; read_n], [recurrent_r; recurrent_z; recurrent_n] =>
    let r := map (squash K) (each (plus K) read_r recurrent_r) in
    let z := map (squash K) (each (plus K) read_z recurrent_z) in
    let n := map (tangent K) (each (plus K) read_n (each (times K) r recurrent_n)) in
    each3 (between K) z n h
  | LSTM, [read_i; read_f; read_g; read_o], [recurrent_i; recurrent_f; recurrent_g; recurrent_o] =>
    let i := map (squash K) (each (plus K) read_i recurrent_i) in
    let f := map (squash K) (each (plus K) read_f recurrent_f) in
    let g := map (tangent K) (each (plus K) read_g recurrent_g) in
    let o := map (squash K) (each (plus K) read_o recurrent_o) in
    let memory := each (plus K) (each (times K) f (skipn (length f) h)) (each (times K) i g) in
    each (times K) o (map (tangent K) memory) ++ memory
  | _, _, _ => []
  end.
End Programs.
Arguments dot {K}. Arguments apply {K}. Arguments each {K}. Arguments each3 {K}. Arguments update {K}.

(* The weights of a network. A gate is W, b, U and c. *)
Record gate (T : Type) := Gate { W : list (list T); b : list T; U : list (list T); c : list T }.
Record network (T : Type) := Network {
  kind : cell;
  gates : list (gate T);
  centroids : list (list T);  (* the matrix S; its columns are the centroids *)
  temperature : T;
  tokens : list (list T);     (* one vector per symbol *)
  start : option (list T);    (* the vector of the start token, if there is one *)
  finish : list T;            (* the vector of the end token *)
  output : list T; bias : T   (* the classifier *)
}.
Arguments Gate {T}. Arguments Network {T}.
Arguments W {T}. Arguments b {T}. Arguments U {T}. Arguments c {T}.
Arguments kind {T}. Arguments gates {T}. Arguments centroids {T}. Arguments temperature {T}. Arguments tokens {T}.
Arguments start {T}. Arguments finish {T}. Arguments output {T}. Arguments bias {T}.

Definition map_gate {S T} (f : S -> T) (g : gate S) : gate T :=
  Gate (map (map f) (W g)) (map f (b g)) (map (map f) (U g)) (map f (c g)).
Definition map_network {S T} (f : S -> T) (N : network S) : network T :=
  Network (kind N) (map (map_gate f) (gates N)) (map (map f) (centroids N)) (f (temperature N))
    (map (map f) (tokens N)) (option_map (map f) (start N)) (map f (finish N)) (map f (output N)) (f (bias N)).

(* The network over the real numbers. *)
Open Scope R_scope.
Definition reals : arithmetic :=
  Arithmetic R 0 Rplus Rmult (fun z n h => (1 - z) * n + z * h) sigmoid tanh (Rmax 0).

Section Network.
Variable N : network R.

Definition size : nat := length (nth 0 (centroids N) []).  (* the number of centroids *)
Definition column (i : nat) : list R := map (fun row => nth i row 0) (centroids N).
Definition total (xs : list R) : R := fold_right Rplus 0 xs.
Definition softmax (xs : list R) : list R := map (fun x => exp x / total (map exp xs)) xs.

(* The recurrent part of a step (equation 1), which reads a token's vector and the state h. *)
Definition u_of (token h : list R) : list R :=
  @update reals (kind N)
    (map (fun g => each (K := reals) Rplus (apply (K := reals) (W g) token) (b g)) (gates N))
    (map (fun g => each (K := reals) Rplus (apply (K := reals) (U g) h) (c g)) (gates N)) h.
(* The probabilities of the centroids (equation 2). *)
Definition probabilities (u : list R) : list R :=
  softmax (map (fun i => dot (K := reals) u (column i) / temperature N) (seq 0 size)).
(* The next state is the mixture of the centroids (equation 5). *)
Definition mixture (alpha : list R) : list R := apply (K := reals) (centroids N) alpha.

(* The probabilities after a word, and the classifier's logit after the word and the end token. *)
Definition step (alpha : list R) (x : nat) : list R := probabilities (u_of (nth x (tokens N) []) (mixture alpha)).
Definition first : list R :=
  match start N with
  | Some token => probabilities (u_of token (map (fun _ => 0) (centroids N)))
  | None => map (fun i => if Nat.eqb i 0 then 1 else 0) (seq 0 size)
  end.
Definition run (word : list nat) : list R := fold_left step word first.
Definition logit (word : list nat) : R := dot (K := reals) (output N) (u_of (finish N) (mixture (run word))) + bias N.
End Network.

(* A centroid is more probable than all others. *)
Definition most_probable (alpha : list R) (i : nat) : Prop :=
  (i < length alpha)%nat /\ forall j, (j < length alpha)%nat -> j <> i -> nth j alpha 0 < nth i alpha 0.
