"""State-regularized networks (Wang & Niepert 2019).

The states of these recurrent networks are k learned centroids, or mixtures of centroids.
"""
