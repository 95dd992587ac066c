"""A bag-of-words classifier, to learn how much of an endless ticket's category its words give away.

Multinomial naive Bayes with add-one smoothing over word roots. It measures the data; nobody plays
with it.
"""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterable

_WORD = re.compile(r"[^\W\d_]{2,}")


class WordClassifier:
    """Learns from (text, category) pairs, then says the likeliest category of a text."""

    def __init__(self, examples: Iterable[tuple[str, str]]) -> None:
        """Count the words of each category."""
        self._words: dict[str, Counter[str]] = defaultdict(Counter)
        self._texts: Counter[str] = Counter()
        for text, category in examples:
            self._texts[category] += 1
            self._words[category].update(words(text))
        self._known = {w for counts in self._words.values() for w in counts}
        self._totals = {c: sum(counts.values()) for c, counts in self._words.items()}

    def guess(self, text: str) -> str:
        """The likeliest category; ties go to the first by name."""
        own = [w for w in words(text) if w in self._known]
        return max(sorted(self._texts), key=lambda c: self._odds(own, c))

    def accuracy(self, examples: Iterable[tuple[str, str]]) -> float:
        """The share of examples it guesses right, in [0, 1]."""
        right = [self.guess(text) == category for text, category in examples]
        return sum(right) / len(right)

    def _odds(self, own: list[str], category: str) -> float:
        counts, size = self._words[category], self._totals[category] + len(self._known)
        return math.log(self._texts[category]) + sum(math.log((counts[w] + 1) / size) for w in own)


def words(text: str) -> list[str]:
    """The words of a text in lower case, each cut to six letters."""
    return [w[:6] for w in _WORD.findall(text.casefold())]
