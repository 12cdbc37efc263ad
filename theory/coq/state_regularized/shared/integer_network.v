(* State-regularized networks with integer weights (Wang & Niepert 2019, section 3, equations 1 to 4): at a temperature tau = 1 / (m ln 2) the
   softmax of integers is rational, so that Coq computes it. *)

From Coq Require Import QArith Qcanon.
From mathcomp Require Import all_ssreflect all_algebra.
From ratproof Require Import semiring sums instances.
Import Num.Theory.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Local Open Scope ring_scope.

(* n + 1 centroids of d numbers; u = hardtanh(U h + W_x); similarities by equation 2 (the inner product), or, for d = 1, by equation 3 (the
   distance); and m. *)
Record network (S : Type) (n d : nat) := Network {
  by_distance : bool;
  inverse_temperature : nat;
  numbers : 'I_n.+1 -> 'I_d -> int;
  recurrent : 'I_d -> 'I_d -> int;
  input : S -> 'I_d -> int
}.

Definition vector : eqType := [eqType of seq int].

Section Network.
Variables (S : Type) (n d : nat) (N : network S n d).
Implicit Types (h u : vector) (x : S) (b : seq int).

Definition centroid (i : 'I_n.+1) : vector := map (numbers N i) (places d).
Definition distinct : Prop := injective centroid.

Definition inner (u v : seq int) : int := foldr +%R 0 [seq p.1 * p.2 | p <- zip u v].
Definition apart (a b : int) : int := Posz (absz (a - b)%R).
Definition clipped (z : int) : int := Num.max (- 1) (Num.min 1 z).
Definition component h x : vector := [seq clipped (inner (map (recurrent N i) (places d)) h + input N x i) | i <- places d].
Definition similarities u : seq int :=
  [seq if by_distance N then - apart (nth 0 u 0%N) (nth 0 (centroid i) 0%N) else inner u (centroid i) | i <- places n.+1].
Definition answers h x : seq int := similarities (component h x).

(* The softmax: 2^(m (b_i - min b)), divided by the sum of these powers. *)
Definition power b (i : nat) : Z := Z.pow 2 (Z.of_nat (inverse_temperature N * absz (nth 0 b i - foldr Num.min (head 0 b) b)%R)).
Definition rational_softmax b (i : nat) : rationals := Q2Qc (Qmake (power b i) (Z.to_pos (foldr Z.add Z0 [seq power b i | i <- iota 0 n.+1]))).
Definition soft_cell h x (j : 'I_n.+1) : rationals := rational_softmax (answers h x) j.

(* The limit of the softmax as the temperature tends to 0: the uniform distribution over the greatest similarities; and the first of them. *)
Definition largest b : int := foldr Num.max (head 0 b) b.
Definition uniform b (i : nat) : rationals :=
  if nth 0 b i == largest b then Q2Qc (Qmake 1 (Pos.of_nat (count_mem (largest b) b))) else Q2Qc 0.
Definition limit_cell h x (j : 'I_n.+1) : rationals := uniform (answers h x) j.
Definition most_probable h x : 'I_n.+1 := let b := answers h x in nth ord0 (places n.+1) (index (largest b) b).

(* No tie: at every centroid, for every symbol, one similarity is the greatest. *)
Definition no_ties : Prop := forall i x, count_mem (largest (answers (centroid i) x)) (answers (centroid i) x) = 1%N.
End Network.

(* The network from rational weights, with which Coq can compute. *)
Definition integer_of (a : rationals) : int := match Qnum (this a) with Z0 => Posz 0 | Zpos p => Posz (Pos.to_nat p) | Zneg p => Negz (Pos.to_nat p).-1 end.
Definition vector_of d (h : 'I_d -> rationals) : vector := [seq integer_of (h i) | i <- places d].
Definition network_of (S : Type) n d (equation m : rationals) (s : 'I_n.+1 -> 'I_d -> rationals) (u : 'I_d -> 'I_d -> rationals)
    (w : S -> 'I_d -> rationals) : network S n d :=
  Network (integer_of equation == 3) (absz (integer_of m)) (fun i j => integer_of (s i j)) (fun i j => integer_of (u i j)) (fun x i => integer_of (w x i)).
