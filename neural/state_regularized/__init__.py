"""State-regularized networks (Wang & Niepert 2019): recurrent networks that move between k learned states."""
