"""State-regularized recurrent networks (Wang & Niepert 2019).

Each hidden state of such a network is one of k learned centroids, or a mixture of centroids.
"""
