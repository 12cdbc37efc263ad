(* A unit of the RG-LRU (De et al. 2024, section 2.4), as printed and as programmed. *)

From mathcomp Require Import all_ssreflect.
From ratproof Require Import semiring sums automaton.
From ratproof.rational_recurrences Require Import proposition_7.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Section Unit.
Variables (K : semiring) (S : Type) (h_0 : K) (a m ix : S -> K).

(* a h + m (i x), where m is the root of 1 - a^2. *)
Definition rg_lru_next (h : K) (x : S) : K := a x * h + m x * ix x.
Definition rg_lru_unit := run rg_lru_next h_0.

(* The automaton of Figure 1 of Rational Recurrences, with these weights. *)
Definition rg_lru_automaton := figure_1 a (fun x => m x * ix x) h_0.

(* The automaton gives every word the same score as the unit, if weights commute. *)
Theorem rg_lru : commutative (@times K) -> forall w, score rg_lru_automaton w = rg_lru_unit w.
Proof. by move=> timesC w; rewrite /rg_lru_automaton proposition_7. Qed.
End Unit.

(* As programmed: the state is cleared before the first token, which is not scaled. *)
Section Programmed.
Variables (K : semiring) (S : Type) (h_0 : K) (a m ix : S -> K).

(* The state: whether there was a token, and h. *)
Definition programmed_next (state : bool * K) (x : S) : bool * K :=
  (true, if state.1 then rg_lru_next a m ix state.2 x else ix x).
Definition programmed_rg_lru (w : seq S) : K := (run programmed_next (false, h_0) w).2.

(* The automaton of three states: before the first token, 1 after it, and h. *)
Definition programmed_rg_lru_automaton : wfa K S (place 3) :=
  of_lists 3 [:: 1; 0; h_0] (fun x => [:: [:: 0; 1; ix x]; [:: 0; 1; m x * ix x]; [:: 0; 0; a x]]) [:: 0; 0; 1].

(* The automaton gives every word the same score as the unit, if the first state is 0 and weights commute. *)
Theorem rg_lru_as_programmed : h_0 = 0 -> commutative (@times K) -> forall w, score programmed_rg_lru_automaton w = programmed_rg_lru w.
Proof.
move=> zero timesC w.
pose inv (state : bool * K) (q : 'I_3) := entry (if state.1 then [:: 0; 1; state.2] else [:: 1; 0; state.2]) q.
rewrite (score_is_inv_reached (next := programmed_next) (start := (false, h_0)) (reached := fun state => state.1 = false -> state.2 = 0) (inv := inv)) => //.
- by rewrite /programmed_rg_lru /inv; case: (run _ _ _) => [[] h]; written_out.
move=> [[] h] x q; rewrite /inv; case: q => [[|[|[|]]]] //= _ cleared; written_out; rewrite // /rg_lru_next.
  by rewrite plusC timesC.
by rewrite cleared // times0w plusw0.
Qed.
End Programmed.
