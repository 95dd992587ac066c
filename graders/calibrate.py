"""`python -m graders.calibrate --report`: how R fares on replies of known quality.

The calibration set (tests/graders/calibration/) holds tickets with replies of twelve kinds, each
labelled 0 to 1 by its writer before any score was computed, frozen and split by ticket: word
lists and weights may be looked at on the `fit` tickets only; what is claimed is measured on the
`held_out` ones.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from data import catalog as catalogs
from data.catalog import Catalog
from data.command import exit_code_of
from data.errors import DataError
from graders import reply
from graders.kb_text import KbText
from graders.reply import ReplyScore
from graders.version import GRADER_VERSION

FOLDER = Path(__file__).parent.parent / "tests" / "graders" / "calibration"
GOOD, BAD = 0.75, 0.25

#: What the held-out tickets must show: mean R per variant, at least (first) or at most (second).
BOUNDS: dict[str, tuple[float | None, float | None]] = {
    "reference": (0.95, None),
    "paraphrase_a": (0.65, None),
    "paraphrase_b": (0.65, None),
    "polite_empty": (None, 0.15),
    "keyword_list": (None, 0.15),
    "keyword_sentence": (None, 0.15),
    "grader_talk": (None, 0.15),
    "invented": (None, 0.15),
    "wrong_topic": (None, 0.15),
    "kb_paste": (None, 0.20),
}
PAIRWISE = 0.97


@dataclass(frozen=True, slots=True)
class Sample:
    """One reply of known quality: `label` in [0, 1] by its writer, `score` by the grader."""

    ticket_id: str
    variant: str
    split: str
    label: float
    text: str
    score: float


class Judge:
    """Scores replies as the easy task does: leaning on the label's articles."""

    def __init__(self, catalog: Catalog) -> None:
        """Read the catalog's articles once."""
        self.catalog = catalog
        self._kb = KbText(catalog)

    def score(self, ticket_id: str, text: str) -> ReplyScore:
        """R of a text as the reply to a ticket; saying "escalated" is licensed where it is due."""
        ticket, labels = self.catalog.tickets[ticket_id], self.catalog.labels[ticket_id]
        own = (labels.kb_id,) if labels.kb_id else ()
        leaned_on = {*own, *labels.related_kb, *labels.draft_articles}
        support = self._kb.support(ticket.text, tuple(sorted(leaned_on)))
        required = labels.requires_escalation
        return reply.score(text, ticket.language, labels, support, self._kb, required)


def samples(judge: Judge, folder: Path = FOLDER) -> list[Sample]:
    """All calibration replies with their scores, the references among them.

    Raises:
        DataError: the folder is not there (it comes with a checkout, not with an installation).
    """
    path = folder / "replies.jsonl"
    if not path.exists():
        raise DataError(str(path), "no such file; run this in a checkout")
    found = []
    splits = {}
    for line in path.read_text(encoding="utf-8").splitlines():
        row = json.loads(line)
        splits[row["ticket_id"]] = row["split"]
        value = judge.score(row["ticket_id"], row["text"]).value or 0.0
        found.append(Sample(**row, score=value))
    for ticket_id, split in splits.items():
        text = judge.catalog.labels[ticket_id].reference_reply or ""
        value = judge.score(ticket_id, text).value or 0.0
        found.append(Sample(ticket_id, "reference", split, 1.0, text, value))
    return found


def pairwise(found: Sequence[Sample]) -> float:
    """Share of (good, bad) pairs of one ticket in which the good reply scores higher."""
    return _pairs(found) or 0.0


def _pairs(found: Sequence[Sample], variant: str | None = None) -> float | None:
    """The share of pairs in order, of those that a variant is in if one is named; None: no pairs."""
    by_ticket: dict[str, list[Sample]] = defaultdict(list)
    for sample in found:
        by_ticket[sample.ticket_id].append(sample)
    won = [
        good.score > bad.score
        for own in by_ticket.values()
        for good in own
        for bad in own
        if good.label >= GOOD and bad.label <= BAD
        if variant is None or variant in (good.variant, bad.variant)
    ]
    return statistics.fmean(won) if won else None


def table(found: Sequence[Sample]) -> list[dict[str, float | int | str | None]]:
    """One row per variant: count, mean label, mean, worst (farthest from the label's side), pairs.

    `pairwise` is the share of pairs that the variant's replies win against the replies of the other
    side on their tickets: good ones by scoring higher, bad ones by scoring lower. None for variants
    that are neither.
    """
    groups: dict[str, list[Sample]] = defaultdict(list)
    for sample in found:
        groups[sample.variant].append(sample)
    rows: list[dict[str, float | int | str | None]] = []
    for variant, own in groups.items():
        scores = [s.score for s in own]
        label = statistics.fmean(s.label for s in own)
        rows.append(
            {
                "variant": variant,
                "n": len(own),
                "label": label,
                "mean": statistics.fmean(scores),
                "worst": min(scores) if label >= 0.5 else max(scores),
                "pairwise": _pairs(found, variant),
            }
        )
    return sorted(rows, key=lambda r: (-float(r["label"] or 0), str(r["variant"])))


def failures(found: Sequence[Sample]) -> list[str]:
    """Which bounds the samples break, in words."""
    broken = []
    for row in table(found):
        low, high = BOUNDS.get(str(row["variant"]), (None, None))
        mean = float(row["mean"] or 0)
        if low is not None and mean < low:
            broken.append(f"{row['variant']}: mean {mean:.3f} is under {low}")
        if high is not None and mean > high:
            broken.append(f"{row['variant']}: mean {mean:.3f} is over {high}")
    rate = pairwise(found)
    if rate < PAIRWISE:
        broken.append(f"pairwise: {rate:.3f} is under {PAIRWISE}")
    return broken


def main(argv: Sequence[str] | None = None) -> int:
    """Print the tables; exit 1 where a held-out figure breaks its bound."""
    parser = argparse.ArgumentParser(prog="python -m graders.calibrate", description=main.__doc__)
    parser.add_argument("--report", action="store_true", help="print the tables (the default)")
    parser.add_argument("--json", action="store_true", help="print them as JSON")
    arguments = parser.parse_args(argv)
    try:
        found = samples(Judge(catalogs.builtin()))
    except DataError as error:
        sys.stderr.write(f"{error}\n")
        return 2
    held_out = [s for s in found if s.split == "held_out"]
    broken = failures(held_out)
    if arguments.json:
        answer = {
            "grader_version": GRADER_VERSION,
            "held_out": table(held_out),
            "fit": table([s for s in found if s.split == "fit"]),
            "pairwise_held_out": pairwise(held_out),
            "broken": broken,
        }
        sys.stdout.write(json.dumps(answer, indent=2) + "\n")
        return 1 if broken else 0
    for split in ("held_out", "fit"):
        own = [s for s in found if s.split == split]
        tickets = len({s.ticket_id for s in own})
        sys.stdout.write(f"\n{split}: {tickets} tickets, grader {GRADER_VERSION}\n")
        sys.stdout.write(
            f"{'variant':18} {'n':>3} {'label':>6} {'mean R':>7} {'worst':>6} {'pairs won':>9}\n"
        )
        for row in table(own):
            won = "-" if row["pairwise"] is None else f"{row['pairwise']:.1%}"
            sys.stdout.write(
                f"{row['variant']:18} {row['n']:3d} {row['label']:6.2f}"
                f" {row['mean']:7.3f} {row['worst']:6.3f} {won:>9}\n"
            )
        sys.stdout.write(f"good above bad in {pairwise(own):.1%} of pairs\n")
    for line in broken:
        sys.stdout.write(f"BROKEN {line}\n")
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(exit_code_of(main))
