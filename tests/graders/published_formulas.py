"""What the published graders of A and B would give, re-implemented from their descriptions.

`python -m tests.graders.published_formulas` prints their means beside R on the calibration replies.
A: difflib's ratio of the reply to one reference. B: the share of a ticket's keyword tags that occur
in the reply as substrings (here the first alternative of each group of each fact).
"""

import statistics
import sys
from difflib import SequenceMatcher

from data import catalog as catalogs
from data.schema import TicketLabels
from graders import calibrate


def formula_a(text: str, labels: TicketLabels) -> float:
    return SequenceMatcher(None, text.lower(), (labels.reference_reply or "").lower()).ratio()


def formula_b(text: str, labels: TicketLabels) -> float:
    tags = {
        next((a for a in group if not a.startswith("@")), group[0].lstrip("@")).lower()
        for fact in labels.facts
        for group in fact.needs
    }
    low = text.lower()
    return sum(tag in low for tag in tags) / len(tags)


def main() -> None:
    judge = calibrate.Judge(catalogs.builtin())
    found = [s for s in calibrate.samples(judge) if s.split == "held_out"]
    sys.stdout.write(f"{'variant':18} {'R':>6} {'A':>6} {'B':>6}\n")
    for row in calibrate.table(found):
        own = [s for s in found if s.variant == row["variant"]]
        labels = judge.catalog.labels
        a = statistics.fmean(formula_a(s.text, labels[s.ticket_id]) for s in own)
        b = statistics.fmean(formula_b(s.text, labels[s.ticket_id]) for s in own)
        sys.stdout.write(f"{row['variant']:18} {row['mean']:6.2f} {a:6.2f} {b:6.2f}\n")


if __name__ == "__main__":
    main()
