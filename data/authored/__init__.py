"""A data set of your own, from a folder: tickets, knowledge base, labels (SUPPORTOPS_DATA)."""
