"""Tickets, articles, labels: what episodes are made of, and how files become them."""
