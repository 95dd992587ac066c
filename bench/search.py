"""Target 4: the search of the agents beside bare tantivy over the same index."""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from statistics import median

import tantivy

from bench.figures import Figure
from data.schema import KbArticle
from env import episode as engine
from env.knowledge import SHOWN, Knowledge

SIZES = (20, 1_000, 10_000, 100_000, 1_000_000)
_FIELDS = ["title", "tags", "body"]


def measure(
    rounds: int, queries: int, sizes: tuple[int, ...], tick: Callable[[], object]
) -> list[Figure]:
    """Median time of a query, ours and bare; every query is asked once of each, in turn."""
    figures = []
    for size in sizes:
        articles = _articles(size)
        ours, bare = Knowledge(articles), _Bare(articles)
        times: tuple[list[float], list[float]] = ([], [])
        for number in range(rounds):
            asked = _queries(queries, seed=number)
            pairs = [(_timed(ours.search, q), _timed(bare.search, q)) for q in asked]
            for own, pair in zip(times, zip(*pairs, strict=True), strict=True):
                own.append(1e3 * median(pair))
            tick()
        group = f"4 search, {size:,} articles"
        ratio = tuple(a / b for a, b in zip(*times, strict=True))
        figures += [
            Figure(group, "ours", "ms", tuple(times[0])),
            Figure(group, "bare tantivy", "ms", tuple(times[1])),
            Figure(group, "ours / bare", "×", ratio, ("≤", 1.5)),
        ]
    return figures


class _Bare:
    """The least that one does with tantivy: its own parser, its own order, ids from its store."""

    def __init__(self, articles: dict[str, KbArticle]) -> None:
        builder = tantivy.SchemaBuilder()
        builder.add_text_field("id", stored=True, tokenizer_name="raw")
        for field in _FIELDS:
            builder.add_text_field(field, tokenizer_name="en_stem")
        self._index = tantivy.Index(builder.build())
        writer = self._index.writer(heap_size=64_000_000, num_threads=1)
        for a in articles.values():
            tags = " ".join(a.tags)
            writer.add_document(tantivy.Document(id=a.id, title=a.title, tags=tags, body=a.body))
        writer.commit()
        writer.wait_merging_threads()
        self._index.reload()
        self._searcher = self._index.searcher()

    def search(self, query: str) -> list[str]:
        parsed, _ = self._index.parse_query_lenient(query, _FIELDS)
        found = self._searcher.search(parsed, limit=SHOWN).hits
        return [str(self._searcher.doc(address)["id"][0]) for _, address in found]


def _timed(call: Callable[[str], object], query: str) -> float:
    began = time.perf_counter()
    call(query)
    return time.perf_counter() - began


def _words() -> list[str]:
    catalog = engine.builtin_arena().catalog
    texts = [a.body for a in catalog.articles.values()] + [t.body for t in catalog.tickets.values()]
    return [w for text in texts for w in text.split() if w.isalpha()]


def _articles(count: int) -> dict[str, KbArticle]:
    """Articles from the words of the shipped ones, as often as they occur there."""
    rng, words = random.Random(42), _words()
    made = {}
    for number in range(count):
        body = "\n\n".join(" ".join(rng.choices(words, k=25)) for _ in range(3))
        title, tags = " ".join(rng.choices(words, k=5)), tuple(rng.choices(words, k=3))
        key = f"KB-{number:07d}"
        made[key] = KbArticle.model_construct(id=key, title=title, tags=tags, body=body)
    return made


def _queries(count: int, seed: int) -> list[str]:
    rng, words = random.Random(seed + 1_000), _words()
    return [" ".join(rng.choices(words, k=5)) for _ in range(count)]
