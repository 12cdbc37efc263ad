"""``python -m ratproof`` is ``ratproof``."""

from ratproof.main import main

if __name__ == "__main__":
    main()
