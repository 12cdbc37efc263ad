(* The semirings over mathcomp's fractions, in which theorems about rings and ordered domains are run. *)

From mathcomp Require Import all_ssreflect ssralg ssrnum ssrint rat.
From ratproof Require Import semiring instances.

Set Implicit Arguments.
Unset Strict Implicit.
Unset Printing Implicit Defensive.

Definition fractions : semiring := of_ring [comRingType of rat].
Definition fractions_max_plus : semiring := max_plus ordered_fractions.
Definition fractions_max_times : semiring := max_times ordered_fractions.
