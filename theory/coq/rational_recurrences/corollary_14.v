(* Corollary 14 (Peng et al. 2018, section 4.3): an Elman network without its nonlinearity is rational. *)

From mathcomp Require Import all_ssreflect ssralg ssrnum.
From ratproof Require Import semiring sums automaton instances.
From ratproof.rational_recurrences Require Import proposition_13.
From ratproof.rational_recurrences.shared Require Import rational softsign.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

(* c_t = W_c c_{t-1} + v_t, where v is W_v times the symbol's vector plus b_c: an ISAN with the same matrix for all symbols. *)
Definition linear_elman_next (K : semiring) (S : Type) d (W_c : 'I_d -> 'I_d -> K) (v : S -> 'I_d -> K) (c : 'I_d -> K) (x : S) (i : 'I_d) : K :=
  (\sum_(j : place d) W_c i j * c j) + v x i.
Definition linear_elman (K : semiring) (S : Type) d (c_0 : 'I_d -> K) (W_c : 'I_d -> 'I_d -> K) (v : S -> 'I_d -> K) :=
  run (linear_elman_next W_c v) c_0.

(* With one state for the number 1 and one for each unit, d + 1 states compute the unit i. *)
Theorem corollary_14 (K : semiring) (S : Type) d (c_0 : 'I_d -> K) (W_c : 'I_d -> 'I_d -> K) (v : S -> 'I_d -> K) i w :
  commutative (@times K) -> score (with_one_more_state c_0 (fun _ => W_c) v i) w = linear_elman c_0 W_c v w i.
Proof. by move=> timesC; rewrite proposition_13_with_fewer_states. Qed.

(* Its d units are rational (Definition 8). *)
Theorem linear_elman_is_rational (K : semiring) (S : Type) d (c_0 : 'I_d -> K) W_c (v : S -> 'I_d -> K) :
  commutative (@times K) -> rational (linear_elman c_0 W_c v).
Proof. by move=> timesC; exact: isan_is_rational. Qed.

(* c_t = g(W_c c_{t-1} + v_t). *)
Definition squashed_elman (K : semiring) (S : Type) d (g : K -> K) (c_0 : 'I_d -> K) (W_c : 'I_d -> 'I_d -> K) (v : S -> 'I_d -> K) :=
  run (fun c x i => g (linear_elman_next W_c v c x i)) c_0.

(* With the nonlinearity g(z) = z / (1 + |z|), no automaton with any number of states computes a unit, for any d: if W_c is the identity and v is 1
   at one symbol and 0 at another, each unit is 1/2, 1/3, 1/4, .... *)
Theorem without_linearity_is_refuted (F : numFieldType) d (i : 'I_d) :
  ~ (forall (S : eqType) (W_c : 'I_d -> 'I_d -> F) (v : S -> 'I_d -> F),
     exists (Q : finite) (A : wfa (of_ring F) S Q), forall w,
     score A w = squashed_elman (@softsign F : of_ring F -> of_ring F) (fun _ => 0%R) W_c v w i).
Proof.
move=> all; pose v (x : bool) (_ : 'I_d) : F := (if x then 1 else 0)%R; pose W_c (j k : 'I_d) : F := (if j == k then 1 else 0)%R.
have step x c : linear_elman_next (W_c : 'I_d -> 'I_d -> of_ring F) v c x i = (c i + v x i)%R.
  rewrite /linear_elman_next (sum_at (p := i : place d)) /W_c ?eqxx ?times1w // => j ne.
  by rewrite eq_sym (negbTE ne) times0w.
have [Q [A]] := all bool_eqType W_c v; apply: softsign_is_no_automaton => [|w].
  by congr (softsign _); apply: etrans (step _ _) _; rewrite GRing.add0r.
by rewrite /squashed_elman run_rcons; congr (softsign _); apply: etrans (step _ _) _; rewrite GRing.addr0.
Qed.
