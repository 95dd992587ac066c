"""Articles that stand in the way of a search: words of the real ones, none of their answers."""

from __future__ import annotations

import random
import re
from collections.abc import Mapping
from functools import lru_cache

from data.endless.phrases import Phrase, one_of
from data.endless.scenarios import library, phrases, read
from data.schema import KbArticle

COUNTS = (0, 24, 200, 2_000)
_FIRST = 1_001


@lru_cache(maxsize=len(COUNTS))
def distractors(count: int) -> Mapping[str, KbArticle]:
    """The first `count` distractors by id; each has a title of its own. The same everywhere."""
    raw = read("distractors.yaml")
    kinds = [(phrases(kind["titles"]), Phrase(kind["body"])) for kind in raw["kinds"]]
    closings = phrases(raw["closings"])
    books = library()
    real = sorted(books.catalog.articles.values(), key=lambda a: a.id)
    answers = [_words(a.title) for a in real]
    trades = list(books.company["trades"])
    rng = random.Random("distractors")
    made: dict[str, KbArticle] = {}
    taken: set[str] = set()
    while len(made) < count:
        tag, other = rng.sample(list(real[len(made) % len(real)].tags), 2)
        values = {
            "tag": tag,
            "other": other,
            "trade": rng.choice(trades),
            "version": f"{rng.randrange(3, 5)}.{rng.randrange(10)}.{rng.randrange(90)}",
        }
        titles, body = rng.choice(kinds)
        title = one_of(rng, titles, values)
        title = title[0].upper() + title[1:]
        if title in taken:
            title = f"{title}, version {values['version']}"
        if title in taken or any(a <= _words(title) for a in answers):
            continue  # whoever types the title of a real article shall find it
        taken.add(title)
        article_id = f"KB-{_FIRST + len(made)}"
        made[article_id] = KbArticle(
            id=article_id,
            title=title,
            tags=(tag, other, rng.choice(raw["tags"])),
            body=body.say(rng, values) + "\n\n" + one_of(rng, closings, values),
        )
    return made


def _words(title: str) -> frozenset[str]:
    """The words of a title that carry it: those of four letters or more."""
    return frozenset(re.findall(r"[^\W\d_]{4,}", title.casefold()))
