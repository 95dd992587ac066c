"""Policies: anything that plays. Scripted ones here; they see what an agent sees, the oracle more."""
