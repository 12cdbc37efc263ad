"""State-regularized networks (Wang & Niepert 2019).

They are recurrent networks whose states are k learned centroids, or mixtures of them.
"""
