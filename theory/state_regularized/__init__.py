"""State-Regularized Recurrent Networks (Wang & Niepert 2019)."""
