"""What single papers ask for, tested."""
