"""The entry point of ``python -m ratproof``."""

from ratproof.start import main

if __name__ == "__main__":
    main()
