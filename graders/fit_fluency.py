"""`python -m graders.fit_fluency` fits the fluency model and writes graders/fluency.json.

Sentences come from the articles, tickets, reference replies and graders/training/replies.jsonl
(good replies and glued keywords, written for this). Salad comes from the glued keywords there and
from real sentences that were cut into lists, whose little words were redrawn, whose order was broken,
or whose content words were glued anew. A quarter of the tickets in replies.jsonl is held out to report on.
"""

from __future__ import annotations

import json
import math
import random
import sys
from collections import Counter
from pathlib import Path

from data import catalog as catalogs
from data.command import exit_code_of
from graders import fluency, text

FOLDER = Path(__file__).parent
TRAINING = FOLDER / "training" / "replies.jsonl"
_SEED = "fluency-1"
_EPOCHS, _RATE, _DECAY, _L2 = 12, 0.3, 0.8, 1e-4
_RAREST, _SMALLEST = 2, 0.04
_WRITTEN_WEIGHT, _MADE_WEIGHT = 4.0, 0.6
_GLUE = "the of the is for and with in a to are by on has it that so as be at".split()

Example = tuple[dict[str, float], int, float]


def main() -> None:
    """Fit, write, and print how the held-out replies fare."""
    rng = random.Random(_SEED)
    replies = [json.loads(line) for line in TRAINING.read_text(encoding="utf-8").splitlines()]
    tickets = sorted({r["ticket_id"] for r in replies})
    rng.shuffle(tickets)
    held_out = set(tickets[: len(tickets) // 4])
    real: list[list[str]] = _own_texts()
    salad: list[list[str]] = []
    for reply in replies:
        if reply["ticket_id"] not in held_out:
            (salad if reply["kind"] == "nonsense" else real).extend(_skeletons(reply["text"]))
    examples = [_example(s, 1, 1.0) for s in real]
    examples += [_example(s, 0, _WRITTEN_WEIGHT) for s in salad]
    examples += [_example(_broken(s, real, rng), 0, _MADE_WEIGHT) for s in real if len(s) > 7]
    bias, weights = _fit(examples, rng)
    model = {"bias": round(bias, 3), "weights": dict(sorted(weights.items()))}
    path = FOLDER / "fluency.json"
    path.write_text(json.dumps(model, ensure_ascii=False, indent=0) + "\n", encoding="utf-8")
    sys.stdout.write(f"{len(examples)} sentences, {len(weights)} weights -> {path.name}\n")
    for kind in ("good", "good2", "nonsense"):
        scores = sorted(
            _reply_score(r["text"], bias, weights)
            for r in replies
            if r["kind"] == kind and r["ticket_id"] in held_out
        )
        middle = scores[len(scores) // 2]
        sys.stdout.write(
            f"{kind:9} held out n={len(scores)} min={scores[0]:.2f} median={middle:.2f}"
            f" max={scores[-1]:.2f}\n"
        )


def _own_texts() -> list[list[str]]:
    catalog = catalogs.builtin()
    texts = [a.body for a in catalog.articles.values()]
    texts += [t.body for t in catalog.tickets.values()]
    texts += [label.reference_reply or "" for label in catalog.labels.values()]
    return [s for t in texts for s in _skeletons(t)]


def _skeletons(raw: str) -> list[list[str]]:
    long_enough = [s for s in text.read(raw).sentences if len(s.tokens) >= fluency.SHORTEST]
    return [fluency.skeleton(s) for s in long_enough]


def _reply_score(raw: str, bias: float, weights: dict[str, float]) -> float:
    parts = _skeletons(raw)
    total = sum(fluency.score_skeleton(p, bias, weights) * len(p) for p in parts)
    return total / sum(len(p) for p in parts) if parts else 0.0


def _broken(parts: list[str], real: list[list[str]], rng: random.Random) -> list[str]:
    words = parts[1:-1]
    choice = rng.random()
    if choice < 0.25:
        out = _listed(words, rng)
    elif choice < 0.5:
        donor = [w for w in rng.choice(real) if w.islower()] or _GLUE
        out = [rng.choice(donor) if w.islower() and rng.random() < 0.8 else w for w in words]
    elif choice < 0.7:
        out = words[:]
        for start in range(0, len(out) - 3, 3):
            window = out[start : start + 4]
            rng.shuffle(window)
            out[start : start + 4] = window
    else:
        content = [w for w in words if not w.islower() and w != ","]
        rng.shuffle(content)
        out = []
        for word in content:
            out += [rng.choice(_GLUE) for _ in range(rng.choice((1, 1, 2, 2, 3)))] + [word]
    return ["<s>", *out, "</s>"]


def _listed(words: list[str], rng: random.Random) -> list[str]:
    """Fragments of one to four words between commas, most little words left out."""
    out: list[str] = []
    left = rng.choice((1, 2, 3, 4))
    for word in words:
        if word == "," or (word.islower() and rng.random() < 0.7):
            continue
        out.append(word)
        left -= 1
        if not left:
            out.append(",")
            left = rng.choice((1, 2, 3, 4))
    return out


def _example(parts: list[str], label: int, weight: float) -> Example:
    counts = Counter(fluency.features(parts))
    length = math.sqrt(len(parts) - 1)
    return {f: n / length for f, n in counts.items()}, label, weight


def _fit(examples: list[Example], rng: random.Random) -> tuple[float, dict[str, float]]:
    """Logistic regression by stochastic gradient descent, over features that occur twice."""
    seen = Counter(f for found, _, _ in examples for f in found)
    weights = {f: 0.0 for f, n in seen.items() if n >= _RAREST}
    bias, rate = 0.0, _RATE
    for _ in range(_EPOCHS):
        rng.shuffle(examples)
        for found, label, weight in examples:
            z = bias + sum(weights[f] * v for f, v in found.items() if f in weights)
            error = (label - 1 / (1 + math.exp(-max(-30.0, min(30.0, z))))) * weight * rate
            bias += error * 0.1
            for feature, value in found.items():
                if feature in weights:
                    weights[feature] += error * value - _L2 * rate * weights[feature]
        rate *= _DECAY
    return bias, {f: round(w, 2) for f, w in weights.items() if abs(w) >= _SMALLEST}


if __name__ == "__main__":
    sys.exit(exit_code_of(main))
