"""Words of the Knowledge base tab."""

from __future__ import annotations

LABEL = "Knowledge base"
TITLE = "Knowledge base"
LEAD = (
    "The search is the one that agents use. Searching and reading here costs no step, and counts for"
    " nothing in an episode."
)
QUERY, PLACEHOLDER, GO = "Search the articles", "Words, or an article id", "Search"
ALL = "All articles"
SHELVES = {
    "KB-1": "Plans, prices and payment",
    "KB-2": "Sign-in, people and personal data",
    "KB-3": "Using the product",
    "KB-4": "Developers, services and company",
}
OTHER = "Other articles"
RESULTS = "Results for “{query}”"
NONE = (
    "Nothing found",
    "No article holds these words. Try other ones, or look through all articles.",
)
SCORE = "score {score}"
SCORE_TITLE = (
    "Ranking score: how well words of the query fit title, tags and text; titles weigh most"
)
COUNTS = "In a task, the first three count as found."
BEYOND = "shown, but not counted as found"
READER = "Article"
EMPTY = ("No article is open", "Choose one on the left, or search.")
NO_ARTICLE = "There is no article {id} here."
LINK = "Link to this article"
TAGS = "Tags"
