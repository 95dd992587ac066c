"""What the endless tickets are worth, measured: `python -m policies.endless_report`.

Whether tickets repeat, what a bag of words makes of them, whether the oracle wins, how long an
episode takes to start, whether a feature on the surface gives answers, and how hard each setting
of the knobs is. Exits with 1 if something promised does not hold.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import re
import statistics
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from tqdm import tqdm

from data.catalog import Catalog, builtin
from data.check_report import Result
from data.check_surface import category_by_one_feature, escalation_by_one_feature
from data.command import exit_code_of
from data.endless.generator import generate, scenario_of
from data.endless.scenarios import library
from data.schema import CATEGORIES, Ticket
from env import episode as engine
from env.tasks import FAMILIES
from graders.check_labels import priority_by_one_feature
from policies.base import play
from policies.endless_scores import PLAYERS, TASKS, Measured, measure, settings
from policies.endless_words import WordClassifier
from policies.scripted import POLICIES

ORACLE_LEAST = 0.95
START_MOST_MS = 1.0
WORDS_MOST = 0.95
RETRIEVAL_UNDER = 0.5
_CLASSIFY = "ticket_classification"
_FOLDS = 4
_WORDS = re.compile(r"[\w-]+")


@dataclass(frozen=True, slots=True)
class Line:
    """One thing measured: what, the figure, what was promised, whether it holds."""

    name: str
    measured: str
    promised: str
    holds: bool


def distinct(count: int) -> Iterator[Line]:
    """No two of `count` episodes of a family are alike after normalising."""
    company = library().company
    kinds = [w for pair in company["trades"].items() for part in pair for w in part.split()]
    names = {w.casefold() for w in (*company["first"], *company["last"], *kinds)}
    for family in FAMILIES:
        seen: set[bytes] = set()
        masked: set[bytes] = set()
        for seed in _bar(range(count), f"distinct {family.id}"):
            made = generate(family.id, seed).tickets.values()
            text = "\n".join(f"{t.subject} {t.body}" for t in made)
            seen.add(_digest(normal(text)))
            words = (w for w in _WORDS.findall(text.casefold()) if w not in names)
            masked.add(_digest(normal(" ".join("0" if w[0].isdigit() else w for w in words))))
        twice = count - len(seen)
        yield Line(
            f"distinct {family.id}",
            f"{twice} of {count:,} repeat; {count - len(masked)} with all numbers alike and all"
            " names left out",
            "none repeats",
            twice == 0,
        )


def _digest(text: str) -> bytes:
    return hashlib.blake2b(text.encode(), digest_size=12).digest()


def normal(text: str) -> str:
    """A text in lower case, its letters and digits only: case, marks and blanks do not count."""
    return "".join(c for c in text.casefold() if c.isalnum())


def by_words(train: int, test: int) -> Iterator[Line]:
    """A bag of words, trained on some scenarios, does not do as well on those it never saw."""
    ids: dict[str, list[str]] = {c: [] for c in CATEGORIES}
    for scenario in library().scenarios:
        ids[scenario.category].append(scenario.id)
    seen_scores, held_scores = [], []
    for fold in range(_FOLDS):
        held = {s for own in ids.values() for s in own[fold::_FOLDS]}
        known, unknown = _examples(train + test, held, False), _examples(test, held, True)
        classifier = WordClassifier(known[:train])
        seen_scores.append(classifier.accuracy(known[train:]))
        held_scores.append(classifier.accuracy(unknown))
    held_out, seen = statistics.fmean(held_scores), statistics.fmean(seen_scores)
    yield Line(
        "bag of words",
        f"{held_out:.3f} right on held-out scenarios ({min(held_scores):.3f} to"
        f" {max(held_scores):.3f}), {seen:.3f} on new tickets of known ones",
        f"held-out below {WORDS_MOST}",
        held_out < WORDS_MOST,
    )


def _examples(count: int, held: set[str], inside: bool) -> list[tuple[str, str]]:
    found: list[tuple[str, str]] = []
    seed = 1_000_000 if inside else 0
    while len(found) < count:
        if (scenario_of(_CLASSIFY, seed) in held) == inside:
            (ticket,) = generate(_CLASSIFY, seed).tickets.values()
            label = generate(_CLASSIFY, seed).labels[ticket.ticket_id]
            found.append((f"{ticket.subject}\n{ticket.body}", label.category))
        seed += 1
    return found


def oracle(count: int) -> Iterator[Line]:
    """The oracle wins: reference replies pass the real grader."""
    for family in FAMILIES:
        grades = []
        for seed in _bar(range(count), f"oracle {family.id}"):
            start = engine.start(family.id, engine.ENDLESS, seed)
            grades.append(play(POLICIES["oracle"](start), start).grade or 0.0)
        mean, low = statistics.fmean(grades), sum(g < ORACLE_LEAST for g in grades)
        yield Line(
            f"oracle {family.id}",
            f"mean {mean:.3f}, least {min(grades):.3f}, {low} of {count:,} below {ORACLE_LEAST}",
            f"mean {ORACLE_LEAST} or more",
            mean >= ORACLE_LEAST,
        )


def starting(count: int) -> Iterator[Line]:
    """An episode starts within a millisecond of CPU time."""
    for family in FAMILIES:
        engine.start(family.id, engine.ENDLESS, 0)
        began = time.process_time()
        for seed in range(count):
            engine.start(family.id, engine.ENDLESS, seed)
        spent = 1_000 * (time.process_time() - began) / count
        yield Line(
            f"start {family.id}",
            f"{spent:.2f} ms",
            f"at most {START_MOST_MS:g} ms of CPU",
            spent <= START_MOST_MS,
        )


def surface(count: int) -> Iterator[Line]:
    """No feature on the surface gives the answer."""
    hard = _pool("hard_escalation_safety", count)
    plain = _pool(_CLASSIFY, count)
    ranked = _pool("priority_sorting", count // 4)
    found: list[Result] = [
        *escalation_by_one_feature(hard),
        *category_by_one_feature(plain),
        *priority_by_one_feature(ranked),
    ]
    for result in found:
        detail = "; ".join(result.details)
        yield Line(result.name, f"{result.measured} ({detail})", result.wanted, result.passed)


def _pool(task: str, count: int) -> Catalog:
    """Many endless items as one catalog."""
    made = [generate(task, seed) for seed in range(count)]
    tickets: dict[str, Ticket] = {}
    for catalog in made:
        tickets |= catalog.tickets
    return replace(
        builtin(),
        tickets=tickets,
        customers={k: v for c in made for k, v in c.customers.items()},
        labels={k: v for c in made for k, v in c.labels.items()},
        sets={k: v for c in made for k, v in c.sets.items()},
        priorities={k: v for c in made for k, v in c.priorities.items()},
    )


def difficulty(seeds: int) -> tuple[list[Measured], Iterator[Line]]:
    """Every setting of the knobs, played; and whether some of them are hard enough."""
    every = settings()
    total = len(every) * seeds * len(TASKS) * len(PLAYERS)
    with tqdm(total=total, desc="settings", unit="episode", file=sys.stderr) as bar:
        found = [measure(s, seeds, each=lambda: _tick(bar)) for s in every]
    hardest = min(found, key=lambda m: m.means["retrieval"])
    line = Line(
        "hardest for retrieval",
        f"{hardest.setting.name}: {hardest.means['retrieval']:.3f}",
        f"some setting under {RETRIEVAL_UNDER}",
        hardest.means["retrieval"] < RETRIEVAL_UNDER,
    )
    return found, iter([line])


def _tick(bar: Any) -> None:
    bar.update()


def table(found: Sequence[Measured]) -> str:
    """The settings as a Markdown table: mean grades, and where the retrieval policy found its way."""
    head = ["setting", "n", *PLAYERS, "article found", "escalation right"]
    rows = [
        [
            m.setting.name,
            str(m.episodes),
            *(f"{m.means[p]:.2f}" for p in PLAYERS),
            *(f"{shares['retrieval']:.2f}" if shares else "-" for shares in (m.found, m.decided)),
        ]
        for m in found
    ]
    return "\n".join(f"| {' | '.join(row)} |" for row in (head, ["---"] * len(head), *rows))


def main(argv: Sequence[str] | None = None) -> int:
    """Measure, print, and return the exit code."""
    parser = argparse.ArgumentParser(prog="python -m policies.endless_report", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="a tenth of everything")
    parser.add_argument(
        "--distinct", type=int, metavar="N", help="episodes a family to compare; default: 10,000"
    )
    parser.add_argument("--json", action="store_true", help="print JSON")
    arguments = parser.parse_args(argv)
    part = 10 if arguments.quick else 1
    lines = [
        *distinct(arguments.distinct or 10_000 // part),
        *by_words(2_000, 1_000 // part),
        *oracle(1_000 // part),
        *starting(1_000 // part),
        *surface(1_000),
    ]
    found, more = difficulty(100 // part)
    lines += more
    write = sys.stdout.write
    if arguments.json:
        write(json.dumps(_plain(lines, found), indent=1) + "\n")
    else:
        for line in lines:
            verdict = "holds" if line.holds else "FAILS"
            write(f"{verdict}  {line.name}: {line.measured} [{line.promised}]\n")
        write("\n" + table(found) + "\n")
    return 0 if all(line.holds for line in lines) else 1


def _plain(lines: Sequence[Line], found: Sequence[Measured]) -> dict[str, Any]:
    return {
        "lines": [asdict(line) for line in lines],
        "settings": [
            {"name": m.setting.name, "knobs": m.setting.knobs.changed, "episodes": m.episodes}
            | {"means": m.means, "by_task": m.by_task}
            | {"article_found": m.found, "escalation_right": m.decided}
            for m in found
        ],
    }


def _bar(seeds: range, name: str) -> Any:
    return tqdm(seeds, desc=name, unit="episode", file=sys.stderr, leave=False)


if __name__ == "__main__":
    sys.exit(exit_code_of(main))
