"""How far a float result may be from the true one."""
