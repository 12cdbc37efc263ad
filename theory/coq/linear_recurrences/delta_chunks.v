(* Delta rules in chunks (Yang et al. 2024, section 3.2; with gates Yang et al. 2025): the WY form, for chunks of every size. *)

From mathcomp Require Import all_ssreflect.
From ratproof Require Import semiring sums automaton.
From ratproof.linear_recurrences.shared Require Import affine chunks.
From ratproof.linear_recurrences Require Import gated_delta_net.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Section Chunks.
Variables (K : semiring) (S : Type) (d : nat) (minus : K) (alpha beta : S -> K) (q k : S -> 'I_d -> K) (v : S -> K).
Implicit Types (s : 'I_d -> K) (chunk : seq S) (written : seq (S * K)).

Definition dot (f g : 'I_d -> K) : K := \sum_(i : place d) (f i * g i).

(* The lists of a chunk's tokens, and of the values that they write, begin with the last token. The product of the gates of all tokens: *)
Fixpoint gates chunk : K := if chunk is x :: earlier then alpha x * gates earlier else 1.

(* the sum over tokens i of f(i) u_i, times the gates of the tokens after i (and g): *)
Fixpoint cumulated (g : K) written (f : S -> K) : K :=
  if written is (y, u) :: earlier then g * (f y * u) + cumulated (g * alpha y) earlier f else 0.

(* the values u_r = beta_r (v_r - g(0, r) k_r^T s - the sum over i < r of g(i, r) (k_r^T k_i) u_i), each computed from the earlier values: *)
Fixpoint values s chunk : seq (S * K) :=
  if chunk is x :: earlier then
    let before := values s earlier in
    (x, beta x * (v x + minus * (gates chunk * dot (k x) s + cumulated (alpha x) before (fun y => dot (k x) (k y))))) :: before
  else [::].

(* the state after the chunk, and the output of its last token. *)
Definition hand_over s chunk (j : 'I_d) : K := gates chunk * s j + cumulated 1 (values s chunk) (fun y => k y j).
Definition chunk_output s chunk (x : S) : K := gates chunk * dot (q x) s + cumulated 1 (values s chunk) (fun y => dot (q x) (k y)).

Definition chunked_delta := chunked hand_over chunk_output.

Hypothesis timesC : commutative (@times K).

Lemma times_cumulated a g written f : a * cumulated g written f = cumulated (a * g) written f.
Proof. by elim: written g => [|[y u] written IH] g /=; rewrite ?timesw0 // timesDr IH !timesA. Qed.

Lemma dot_cumulated (f : 'I_d -> K) g written : \sum_(i : place d) (f i * cumulated g written (fun y => k y i)) = cumulated g written (fun y => dot f (k y)).
Proof.
elim: written g => [|[y u] written IH] g /=; first by rewrite (eq_sum (fun i => timesw0 _)) sum0.
rewrite -IH (eq_sum (fun i => timesDr (f i) _ _)) sumD; congr (_ + _).
rewrite /dot sum_times times_sum; apply: eq_sum => i.
by rewrite !timesA (timesC (f i)).
Qed.

Lemma dot_hand_over (f : 'I_d -> K) s chunk :
  dot f (hand_over s chunk) = gates chunk * dot f s + cumulated 1 (values s chunk) (fun y => dot f (k y)).
Proof.
rewrite {1}/dot (eq_sum (fun i => timesDr (f i) _ _)) sumD dot_cumulated; congr (_ + _).
by rewrite /dot times_sum; apply: eq_sum => i; rewrite !timesA (timesC (f i)).
Qed.

Lemma regroup (a b c e : K) : a + (c + e + b) = a + b + e + c.
Proof. by rewrite -!plusA; congr (_ + _); rewrite plusC (plusC e) -plusA. Qed.

(* One more token of a chunk is one step of the recurrence. *)
Lemma one_more_token s chunk x j :
  hand_over s (x :: chunk) j = gated_delta_net_next minus alpha beta k v (hand_over s chunk) x j.
Proof.
have read : gates (x :: chunk) * dot (k x) s + cumulated (alpha x) (values s chunk) (fun y => dot (k x) (k y))
    = alpha x * dot (k x) (hand_over s chunk).
  by rewrite dot_hand_over timesDr times_cumulated timesw1 /= timesA.
rewrite {1}/hand_over /= times1w read times1w /gated_delta_net_next -/(dot (k x) (hand_over s chunk)) {2}/hand_over.
set u := dot (k x) _; rewrite [in LHS]timesDr [in LHS]timesDr.
have -> : k x j * (beta x * v x) = beta x * (k x j * v x) by rewrite !timesA (timesC (k x j)).
have -> : k x j * (beta x * (minus * (alpha x * u))) = alpha x * (minus * (beta x * k x j) * u).
  by rewrite !timesA (timesC _ (alpha x)) (timesC _ minus) (timesC (k x j)) !timesA.
by rewrite regroup -timesA [in RHS]timesDr [in RHS]timesDr times_cumulated timesw1.
Qed.

Lemma no_token s j : hand_over s [::] j = s j.
Proof. by rewrite /hand_over /= times1w plusw0. Qed.

Lemma same_next s t x : s =1 t -> gated_delta_net_next minus alpha beta k v s x =1 gated_delta_net_next minus alpha beta k v t x.
Proof. by move=> eq j; rewrite /gated_delta_net_next eq (eq_sum (fun i => congr1 _ (eq i))). Qed.

(* In chunks of any size C, the layer equals the recurrence, and therefore the automaton of d + 2 states. The last chunk may be shorter. *)
Theorem delta_chunks (C : nat) (s_0 : 'I_d -> K) w :
  score (gated_delta_net_automaton s_0 minus alpha beta q k v) w = chunked_delta C s_0 w.
Proof.
rewrite gated_delta_net //; apply/esym/chunked_is_after => [s j|s chunk x j|s t x eq|s t x eq|s chunk x].
- exact: no_token.
- exact: one_more_token.
- exact: same_next.
- by apply: eq_sum => i; rewrite eq.
exact: dot_hand_over.
Qed.
End Chunks.
