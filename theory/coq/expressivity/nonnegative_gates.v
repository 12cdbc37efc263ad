(* Layers with nonnegative gates do not recognise parity (Sarrof, Veitsman and Hahn 2024): the scores of a^n have one factor E - 1, and one factor E - r_i
   for each gate, where E is the shift. *)

From mathcomp Require Import all_ssreflect ssralg ssrnum bigop.
From ratproof Require Import semiring sums automaton instances.
From ratproof.one_layer Require Import class_changes crossing gates.
From ratproof.expressivity Require Import second_order.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Section Layer.
Variables (K : semiring) (S : Type) (minus : K) (m : nat) (r b h_0 c : 'I_m -> K) (c_0 : K).

(* The layer h_i <- r_i h_i + b_i with the output c_0 + c h. All symbols have the same gates, so the layer reads a^n. *)
Definition gated_next (h : 'I_m -> K) (x : S) (i : 'I_m) : K := r i * h i + b i.
Definition gated_read (h : 'I_m -> K) : K := c_0 + \sum_(i : place m) c i * h i.
Definition gated_layer (w : seq S) : K := gated_read (run gated_next h_0 w).

(* The value of (E - r_(k-1)) ... (E - r_0) (E - 1) on the scores, in a state h. *)
Definition product_below (i : 'I_m) (k : nat) : K := foldl (fun p root => p * (r i + minus * root)) 1 (take k (map r (places m))).
Definition remaining (h : 'I_m -> K) (k : nat) : K := \sum_(i : place m) (c i * (r i * h i + b i + minus * h i) * product_below i k).

(* The automaton whose states are the scores (None) and these values. Each state has its factor's root on the diagonal, and leads to the previous
   state. *)
Definition of_factors : wfa K S (option_finite (place m)) :=
  @Wfa K S (option_finite (place m)) (fun q => if q is Some k then remaining h_0 (k : 'I_m) else gated_read h_0)
    (fun _ p q => match p, q with
       | None, None => 1
       | Some p, None => if p == 0%N :> nat then 1 else 0
       | Some p, Some q => (if p == q then r p else 0) + (if p == q.+1 :> nat then 1 else 0)
       | None, Some _ => 0
       end)
    (fun q => if q is None then 1 else 0).
End Layer.

(* A weight -1 makes a commutative semiring a ring. *)
Section Minus.
Variables (K : semiring) (minus : K).
Hypotheses (timesC : commutative (@times K)) (opposite : 1 + minus = 0).

Lemma cancelled (a : K) : a + minus * a = 0.
Proof. by rewrite -{1}[a]times1w -timesDl opposite times0w. Qed.

Lemma minus_out (a b : K) : a * (minus * b) = minus * (a * b).
Proof. by rewrite timesA (timesC a) -timesA. Qed.

Lemma added_back (a b : K) : b + (a + minus * b) = a.
Proof. by rewrite plusC -plusA (plusC _ b) cancelled plusw0. Qed.
End Minus.

Section Factors.
Variables (K : semiring) (S : Type) (minus : K) (m : nat) (r b h_0 c : 'I_m -> K) (c_0 : K).
Hypotheses (timesC : commutative (@times K)) (opposite : 1 + minus = 0).
Let left := remaining minus r b c.

Lemma nth_places n (i : 'I_n) x : nth x (places n) i = i.
Proof.
have values k : map (fun j : 'I_k => j : nat) (places k) = iota 0 k.
  elim: k => //= k IH; rewrite -map_comp (eq_map (f2 := succn \o (fun j : 'I_k => j : nat))) => [|j] //.
  by rewrite map_comp IH (iotaDl 1 0).
have few : (i < size (places n))%N by rewrite -(size_map (fun j : 'I_n => j : nat)) values size_iota.
by apply: ord_inj; rewrite -(nth_map x 0%N) // values nth_iota.
Qed.

Lemma one_more h (k : 'I_m) :
  left h k.+1 = \sum_(i : place m) (c i * (r i * h i + b i + minus * h i) * product_below minus r i k * (r i + minus * r k)).
Proof.
apply: eq_sum => i; rewrite -[RHS]timesA; congr (_ * _); rewrite /product_below (take_nth 0) ?size_map; last first.
  by rewrite -[size _]/(card (place m)) card_place.
by rewrite foldl_rcons (nth_map k) ?nth_places // -[size _]/(card (place m)) card_place.
Qed.

Lemma none_left h : left h m = 0.
Proof.
rewrite -(sum0 K (place m)); apply: eq_sum => i; rewrite /product_below take_oversize; last first.
  by rewrite size_map -[size _]/(card (place m)) card_place.
have inside : i \in places m := in_elements (Q := place m) i.
case/splitPr: inside => s s'; rewrite map_cat foldl_cat /=.
have -> : r i + minus * r i = 0 by apply: cancelled.
rewrite timesw0; suff -> : foldl (fun p root => p * (r i + minus * root)) 0 (map r s') = 0 by rewrite timesw0.
by elim: s' => //= j s' IH; rewrite times0w.
Qed.

(* The layer is this automaton, for any gates in any commutative semiring with -1. *)
Theorem nonnegative_gates w : score (of_factors S minus r b h_0 c c_0) w = gated_layer r b h_0 c c_0 w.
Proof.
pose inv h (q : option 'I_m) : K := if q is Some k then left h (k : 'I_m) else gated_read c c_0 h.
rewrite (score_is_inv (next := @gated_next _ S m r b) (start := h_0) (inv := inv)) => [|[k|]|h x [k|]] //; last first.
- rewrite sum_option /= timesw1.
  have -> : \sum_(k : place m) (left h k * (if k == 0%N :> nat then 1 else 0)) = left h 0.
    case: (posnP m) => [empty|positive]; last first.
      rewrite (sum_at (p := Ordinal positive)) /= ?timesw1 // => k; rewrite -val_eqE /= => /negbTE ->; exact: timesw0.
    by rewrite -[in RHS]empty none_left -[RHS](sum0 _ (place m)); apply: eq_sum => k; case: (k) => j; rewrite empty.
  rewrite /left /remaining /gated_read -plusA -sumD; congr (_ + _); apply: eq_sum => i.
  rewrite /product_below take0 /= timesw1 -timesDr; congr (_ * _); exact: added_back.
- rewrite sum_option /= timesw0 plus0w (eq_sum (fun p => timesDr _ _ _)) sumD.
  rewrite (sum_at (p := k)) => [|p /negbTE ->]; last exact: timesw0.
  have -> : \sum_(p : place m) (left h p * (if p == k.+1 :> nat then 1 else 0)) = left h k.+1.
    have [last|inside] := eqVneq k.+1 m.
      rewrite last none_left -[RHS](sum0 _ (place m)); apply: eq_sum => p.
      by rewrite (ltn_eqF (ltn_ord p)) timesw0.
    have more : (k.+1 < m)%N by rewrite ltn_neqAle inside ltn_ord.
    by rewrite (sum_at (p := Ordinal more)) /= ?eqxx ?timesw1 // => p; rewrite -val_eqE /= => /negbTE ->; apply: timesw0.
  rewrite eqxx one_more /left /remaining sum_times -sumD; apply: eq_sum => i.
  have next_difference : r i * gated_next r b h x i + b i + minus * gated_next r b h x i = r i * (r i * h i + b i + minus * h i).
    rewrite /gated_next (timesDr minus) -plusA (plusC (minus * _)) (plusA (b i)) cancelled // plus0w.
    by rewrite [RHS]timesDr; congr (_ + _); rewrite minus_out.
  rewrite next_difference; move: (_ + _ + _) (product_below _ _ _ _) => e p.
  rewrite -timesDr added_back // -timesA (timesC p) timesA; congr (_ * p); by rewrite -timesA (timesC e).
- by rewrite sum_option /= timesw1 (eq_sum (fun k => timesw0 _)) sum0 plusw0.
Qed.
End Factors.

(* With the gate -1 for one letter, a layer computes parity: its score after n letters true is (-1)^n times the score of the empty word. *)
Theorem nonnegative_gates_parity (R : comRingType) m (s_0 c : 'I_m -> R) w :
  diagonal_score (K := of_ring R) (fun x _ => if x then GRing.opp (GRing.one R) else GRing.one R) (fun _ _ => GRing.zero R) c (GRing.zero R) s_0 w =
  (sum (K := of_ring R) (Q := place m) (fun i => c i * s_0 i) * score (sign R) w)%R.
Proof.
rewrite /diagonal_score [plus _ _]GRing.addr0 [GRing.mul _ _]sum_times; apply: eq_sum => i.
rewrite -[RHS]GRing.mulrA; congr GRing.mul.
rewrite /score /sum /= /plus /times /zero /= GRing.addr0 GRing.mulr1.
elim/last_ind: w => [|w x IH]; first by rewrite /= GRing.mulr1.
rewrite run_rcons forward_rcons /diagonal_next IH /sum /= /plus /times /zero /= !GRing.addr0.
by rewrite GRing.mulrC GRing.mulrA.
Qed.

Local Open Scope ring_scope.
Import Num.Theory.

(* On a^n, a layer whose gates of a are not negative changes between "positive" and "not positive" at most m + 1 times, for any other weights. *)
Section Nonnegative.
Variables (R : realDomainType) (S : eqType) (a : S) (m : nat) (gate offset : S -> 'I_m -> R) (c h_0 : 'I_m -> R) (c_0 : R).
Hypothesis nonnegative : forall i, 0 <= gate a i.
Let value (w : seq S) : R := diagonal_score (K := of_ring R) gate offset c c_0 h_0 w.

Lemma sum_ring n (G : 'I_n -> R) : sum (K := of_ring R) (Q := place n) G = \sum_(i < n) G i.
Proof. by elim: n G => [|n IH] G; rewrite ?sum_no_place ?big_ord0 // sum_place IH big_ord_recl. Qed.

Lemma value_of_power n : value (nseq n a) = score_gated (gate a) (offset a) h_0 c c_0 n.
Proof.
rewrite /value /diagonal_score /score_gated sum_ring [plus _ _]GRing.addrC; congr (_ + _); apply: eq_bigr => i _; congr (_ * _).
elim: n i => [|n IH] i //; rewrite -[n.+1]addn1 nseqD cats1 run_rcons /diagonal_next IH /state_gated addn1.
by [].
Qed.

Theorem nonnegative_gates_changes n : (changes (fun k => value (nseq k a)) n <= m.+1)%N.
Proof.
suff -> : changes (fun k => value (nseq k a)) n = changes (score_gated (gate a) (offset a) h_0 c c_0) n by apply: layer_changes.
by apply: eq_count => k; rewrite /positive !value_of_power.
Qed.

(* So no such layer of any size recognises parity. *)
Theorem without_negative_gates_is_refuted : ~ (forall w, (0 < value w) = ~~ odd (count_mem a w)).
Proof.
move=> parity; apply: (no_parity (r := gate a) (b := offset a) (h_0 := h_0) (c := c) (c_0 := c_0) nonnegative) => n.
by rewrite /positive -value_of_power parity count_nseq /= eqxx mul1n.
Qed.
End Nonnegative.
