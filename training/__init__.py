"""The experiments of the papers, and what they gave. They come with the networks that they train; none is here yet."""
