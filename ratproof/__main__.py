"""``python -m ratproof`` is ``ratproof``."""

from ratproof.start import main

if __name__ == "__main__":
    main()
