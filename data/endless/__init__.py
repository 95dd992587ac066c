"""Endless tickets: scenarios (YAML, next to this file), and what makes tickets and labels of them.

The same drawn facts write a ticket and its labels, so amounts, dates and plans in both agree with
each other and with the articles. Everything is seeded; nothing is kept between tickets.
"""
