"""Replies to imported tickets: facts come from the reference, and so does what may be leaned on."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from data.catalog import builtin
from data.importing import Options, import_tickets
from env import derived
from env import episode as engine
from env.episode import Arena
from supportops_env.models import SupportAction

FIXTURES = Path(__file__).parents[1] / "data" / "fixtures"
TASK = "easy_classify_respond"


@pytest.fixture(scope="module")
def shop() -> Arena:
    """Thirty tickets of an invented coffee shop with the answers they came with."""
    topics = {"Delivery": "General", "Subscription": "Account", "Payment": "Billing",
              "Product": "Bug", "Returns": "Billing"}  # fmt: skip
    options = Options(columns={"category": "Topic"}, categories=topics)
    return engine.arena(import_tickets(FIXTURES / "answered.csv", options)[0])


def score(arena: Arena, ticket_id: str, reply: str) -> float:
    episode = engine.start(TASK, ticket_id=ticket_id, arena=arena)
    action = SupportAction(action_type="respond", payload={"response_text": reply})
    done = engine.step(episode, action)
    assert done.report is not None and done.report.derived
    assert done.reply_score is not None and done.reply_score.value is not None
    return done.reply_score.value


def test_reference_above_paraphrase_above_wrong_topic(shop: Arena) -> None:
    ids = shop.catalog.ids(TASK, "test")
    lines = (FIXTURES / "paraphrases.jsonl").read_text(encoding="utf-8").splitlines()
    paraphrases = {row["id"]: row["reply"] for row in map(json.loads, lines)}
    references = {i: shop.catalog.labels[i].reference_reply or "" for i in ids}
    assert len(ids) == len(paraphrases) == 30
    pairs = []
    for place, i in enumerate(ids):
        own, other = score(shop, i, references[i]), score(shop, i, paraphrases[i])
        wrong = [score(shop, i, references[ids[(place + n) % len(ids)]]) for n in (1, 7, 13)]
        pairs.append((own > other, *(other > w for w in wrong)))
    assert sum(p[0] for p in pairs) >= 0.9 * len(pairs)
    assert sum(sum(p[1:]) for p in pairs) >= 0.9 * 3 * len(pairs)


def test_a_reply_may_lean_on_the_reference_and_commit_to_what_it_does(shop: Arena) -> None:
    label = shop.catalog.labels["0002"]
    assert label.reference_reply is not None and "Keep the decaf" in label.reference_reply
    kb = derived.kb_of(shop.kb_text, label)
    ticket = shop.catalog.tickets["0002"].text
    plain, wide = shop.kb_text.support(ticket, ()), kb.support(ticket, ())
    assert plain.stems < wide.stems and plain.ticket_stems == wide.ticket_stems
    assert kb.articles is shop.kb_text.articles and not shop.catalog.articles
    promised = label.model_copy(update={"reference_reply": "We will refund you $20 today."})
    assert derived.labels_of(promised).licensed_commitments
    assert derived.labels_of(label.model_copy(update={"derived": False})) == label.model_copy(
        update={"derived": False}
    )


def test_labels_that_are_not_derived_stay_as_they_are() -> None:
    arena = engine.builtin_arena()
    label = next(iter(arena.catalog.labels.values()))
    ticket = arena.catalog.tickets[label.ticket_id]
    assert derived.kb_of(arena.kb_text, label) is arena.kb_text
    assert derived.labels_of(label) is label and derived.ticket_of(ticket, label) is ticket


def test_a_reply_in_the_customers_own_language_is_not_judged(tmp_path: Path) -> None:
    path = tmp_path / "tickets.csv"
    body = "Die Rechnung ist falsch, ich habe nur eine Tasse bestellt und nicht zwei."
    answer = "Die Rechnung wird geändert, und das Geld für die Tasse ist in 5 Tagen auf der Karte."
    path.write_text(f'id,body,category,answer\n1,"{body}",Billing,"{answer}"\n', encoding="utf-8")
    arena = engine.arena(import_tickets(path)[0])
    episode = engine.start(TASK, ticket_id="1", arena=arena)
    action = SupportAction(action_type="respond", payload={"response_text": answer})
    report = engine.step(episode, action).report
    assert report is not None and report.partial


def test_the_articles_are_those_of_the_catalog_and_nothing_else(shop: Arena) -> None:
    assert shop.knowledge.search("decaf roast subscription") == ()
    over = engine.arena(replace(shop.catalog, articles=builtin().articles))
    assert all(hit.id in builtin().articles for hit in over.knowledge.search("decaf refund"))
