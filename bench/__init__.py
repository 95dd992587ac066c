"""How fast and how large it is: one script per target, each beside the floor it is compared with."""
