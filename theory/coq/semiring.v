(* A semiring.

   mathcomp's algebra starts at rings, in which every weight has a negative; the weights of max-plus have none. So a semiring is a record of its ten
   laws. For bigop, it consists of two monoids; one of them distributes over the other. *)

From mathcomp Require Import all_ssreflect.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

(* A set of weights with a sum and a product. The product need not commute, unless a theorem states this as a hypothesis. *)
Record semiring := Semiring {
  weight :> Type;
  zero : weight;
  one : weight;
  plus : weight -> weight -> weight;
  times : weight -> weight -> weight;
  plusA : associative plus;
  plusC : commutative plus;
  plus0w : left_id zero plus;
  timesA : associative times;
  times1w : left_id one times;
  timesw1 : right_id one times;
  timesDl : left_distributive times plus;
  timesDr : right_distributive times plus;
  times0w : left_zero zero times;
  timesw0 : right_zero zero times
}.
Arguments zero {_}.
Arguments one {_}.

Declare Scope weight_scope.
Delimit Scope weight_scope with W.
Bind Scope weight_scope with weight.
Notation "0" := zero : weight_scope.
Notation "1" := one : weight_scope.
Notation "a + b" := (plus a b) : weight_scope.
Notation "a * b" := (times a b) : weight_scope.
Open Scope weight_scope.

Lemma plusw0 (K : semiring) : right_id 0 (@plus K).
Proof. by move=> a; rewrite plusC plus0w. Qed.

Canonical plus_law (K : semiring) := Monoid.Law (@plusA K) (@plus0w K) (@plusw0 K).
Canonical plus_comlaw (K : semiring) := Monoid.ComLaw (@plusC K).
Canonical times_law (K : semiring) := Monoid.Law (@timesA K) (@times1w K) (@timesw1 K).
Canonical times_mullaw (K : semiring) := Monoid.MulLaw (@times0w K) (@timesw0 K).
Canonical plus_addlaw (K : semiring) := Monoid.AddLaw (@timesDl K) (@timesDr K).
