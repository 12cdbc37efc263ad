(* The real exponential is an exponential, so the theorems about any exponential are not vacuous. *)

From Coq Require Import Reals.
From mathcomp Require Import all_ssreflect ssralg ssrnum.
From mathcomp.analysis Require Import Rstruct.
From ratproof Require Import exponential.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.
Local Open Scope ring_scope.

Lemma exp_is_positive (x : R) : 0 < Rtrigo_def.exp x.
Proof. exact/RltP/exp_pos. Qed.

Lemma exp_is_increasing (x y : R) : x < y -> Rtrigo_def.exp x < Rtrigo_def.exp y.
Proof. by move=> /RltP/Rpower.exp_increasing/RltP. Qed.

(* Coq's real numbers are an Archimedean field, and their exponential is one in the sense of exponential.v. *)
Theorem exponential_exists : exists e : exponential [archiFieldType of R], forall x, e x = Rtrigo_def.exp x.
Proof. by exists (Exponential (R := [realFieldType of R]) exp_is_positive exp_is_increasing exp_plus). Qed.
