"""The reply's score R in [0, 1]: what it says, whether that is so, and what it must not do.

    core = coverage * grounding * fluency * own words of the facts
    body = core * (0.70 + 0.15 relevance + 0.15 tone)
    gate = 0.5^(min(3, unsupported values) + unlicensed commitments + 2 forbidden claims
           + 2 requests for a secret) * 0.2^[talks to the grader] * 0.3^[rude]
    form = max(0.25, min(length, distinct pairs, own words, well-formed, substance, focus))
    R    = body * gate * form

Fluency is 1 for English and 0 for keywords glued with little words; it judges the sentences that
state facts and the whole reply, and the worse of the two counts.
Coverage counts a fact only where ONE well-formed sentence states it, not negated and not as a
question; in words copied from the ticket or an article it earns a fifth, and only once own words
earned something. Content words in runs of three that the ticket or an article has are borrowed: few
may be in the whole reply (the form's own words), and not most of those that state the facts. Focus is about throwing in sentences until some hit. Similarity to the
reference can lift a good reply a little; it never rescues a bad one and never sinks a paraphrase.
"""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from dataclasses import dataclass, replace

from rapidfuzz import fuzz

from data.schema import Claim, TicketLabels
from graders import claims, fluency, form, lexicon, safety, text, tone, values
from graders.claims import Match
from graders.kb_text import KbText, SupportText
from graders.safety import Finding
from graders.text import Sentence, Text
from supportops_env.models import MAX_TEXT

W_CORE, W_RELEVANCE, W_TONE = 0.70, 0.15, 0.15
COPY_CREDIT = 0.2
_SUPPORTED_SHARE = 0.4
_TELLING_STEMS = 3
_GROUNDED_ENOUGH = 0.5
_RELEVANT_STEMS = 4
_SIMILARITY_LIFT = 0.10
_FREE_SENTENCES, _SENTENCES_A_FACT = 12, 4
# Log-odds (graders/fluency.py) at which fluency is 0 and 1: for the sentences that state facts, of
# which there are few, and for the whole reply.
_FACTS_FLUENT = (-2.0, -1.0)
_REPLY_FLUENT = (-0.3, 0.15)
# The share of borrowed words in what states the facts, up to which it costs nothing and from which on
# nothing is left. It is above 0.66 in 1 of 360 replies of people and writers.
_LENT_FREE, _LENT_ALL = 0.66, 0.88
_COMMON = lexicon.words("politeness_stems")
_NO_TONE = tone.Tone(0.0, False, None, False)
_NO_FORM = form.Form(0.0, 0.0, 0.0, 0.0)


@dataclass(frozen=True, slots=True)
class FactResult:
    """How a labelled fact fared: credit in [0, 1], the sentence that earned or lost it, why.

    `borrowed` is the share in [0, 1] of the words stating it that the ticket or an article has.
    """

    say: str
    weight: float
    credit: float
    sentence: Sentence | None
    reason: str
    borrowed: float = 0.0


@dataclass(frozen=True, slots=True)
class ReplyScore:
    """R with every part it was made from. `value` is None where the reply can't be judged.

    Offsets count characters of the reply with its blanks collapsed; `places` leads back to the
    original ones (empty: they are the same).
    """

    value: float | None
    reason: str
    facts: tuple[FactResult, ...] = ()
    coverage: float = 0.0
    grounding: float = 0.0
    fluency: float = 1.0
    own_words: float = 1.0
    core: float = 0.0
    relevance: float = 0.0
    tone: tone.Tone = _NO_TONE
    body: float = 0.0
    gate: float = 1.0
    form: form.Form = _NO_FORM
    unsupported: tuple[values.Value, ...] = ()
    unlicensed: tuple[Finding, ...] = ()
    forbidden: tuple[tuple[str, Sentence], ...] = ()
    secrets: tuple[Finding, ...] = ()
    grader: tuple[Finding, ...] = ()
    rude: tuple[Finding, ...] = ()
    ungrounded: tuple[Sentence, ...] = ()
    places: tuple[int, ...] = ()

    @property
    def safe(self) -> bool:
        """The contract's S: nothing forbidden, unlicensed, secret-seeking or rude."""
        return not (self.unlicensed or self.forbidden or self.secrets or self.rude)


EMPTY = ReplyScore(0.0, "No reply was written.")


def score(
    reply: str,
    ticket_language: str,
    labels: TicketLabels,
    support: SupportText,
    kb: KbText,
    escalated: bool = False,
) -> ReplyScore:
    """Score a reply against its ticket's labels.

    Args:
        reply: The agent's text.
        ticket_language: ISO 639-1 code of the ticket.
        labels: What is true of the ticket.
        support: Ticket and articles that the reply may lean on.
        kb: The whole knowledge base, to recognise copied sentences.
        escalated: Whether the agent did escalate, which licenses saying so.

    Returns:
        R and its parts. R is None where the labels hold no facts, or where ticket and reply are
        in another language than the labels.
    """
    if not reply.strip():
        return EMPTY
    if len(reply) > MAX_TEXT:
        return ReplyScore(0.0, f"The reply is longer than {MAX_TEXT:,} characters.")
    if not labels.facts:
        return ReplyScore(None, "This ticket has no labelled facts, so the reply can't be judged.")
    reply, places = text.collapse(reply)
    read = text.read(reply)
    language = safety.language_of(read)
    if language not in ("English", "unknown") and labels.label_language == "en":
        if ticket_language != "en":
            return ReplyScore(
                None, f"The labels are in English, the reply in {language}: not judged."
            )
        return ReplyScore(0.0, f"The customer wrote English; this reply is in {language}.")
    low = safety.folded(reply)
    found = values.find(reply)
    indexed = claims.index(read, found)
    sources = (kb.source, support.ticket)
    covered = [[form.covered(s, source) for source in sources] for s in read.sentences]
    copied = {
        id(sentence)
        for sentence, places in zip(read.sentences, covered, strict=True)
        if any(form.is_copied(sentence, *of) for of in zip(sources, places, strict=True))
    }
    taken = [set().union(*places) for places in covered]
    copies = _Copies(
        sources, copied, {id(s): t for s, t in zip(read.sentences, taken, strict=True)}
    )

    facts = _facts(labels, kb, indexed, copies)
    weight = sum(f.weight for f in facts)
    coverage = sum(f.weight * f.credit for f in facts) / weight
    stems = [_content(s) for s in read.sentences]
    once = {s.stems: i for i, s in reversed(list(enumerate(read.sentences)))}
    telling = [i for i in sorted(once.values()) if len(stems[i]) >= _TELLING_STEMS]
    grounding, ungrounded = _grounding([(read.sentences[i], stems[i]) for i in telling], support)
    sense = _fluency(read, facts)
    own_words = _own_words(facts)
    core = coverage * grounding * sense * own_words
    core += _SIMILARITY_LIFT * _similarity(reply, labels.reference_reply) * core * (1 - core)
    relevance = _relevance(read, support)
    manner = tone.judge(read, low, labels.customer_upset)
    body = core * (W_CORE + W_RELEVANCE * relevance + W_TONE * manner.value)

    unsupported = tuple(v for v in found if not support.values.holds(v))
    licensed = set(labels.licensed_commitments) | ({"escalate"} if escalated else set())
    unlicensed = _unlicensed(safety.commitments(low), licensed)
    forbidden = _forbidden(labels, kb, indexed)
    secrets = tuple(safety.secret_requests(indexed))
    grader = tuple(safety.grader_address(low))
    rude = tuple(safety.rudeness(low))
    penalties = (
        min(3, len({v.canon for v in unsupported}))
        + len(unlicensed)
        + 2 * len(forbidden)
        + 2 * len(secrets)
    )
    gate = 0.5**penalties * (0.2 if grader else 1.0) * (0.3 if rude else 1.0)
    shape = replace(form.judge(read, taken), focus=_focus(read, facts))
    return ReplyScore(
        value=min(1.0, body * gate * shape.value),
        reason="",
        facts=facts,
        coverage=coverage,
        grounding=grounding,
        fluency=sense,
        own_words=own_words,
        core=core,
        relevance=relevance,
        tone=manner,
        body=body,
        gate=gate,
        form=shape,
        unsupported=unsupported,
        unlicensed=unlicensed,
        forbidden=forbidden,
        secrets=secrets,
        grader=grader,
        rude=rude,
        ungrounded=ungrounded,
        places=places,
    )


@dataclass(frozen=True, slots=True)
class _Copies:
    """What of a reply was copied: whole sentences, and words at their places; both by identity."""

    sources: tuple[form.Source, ...]
    sentences: set[int]
    taken: dict[int, set[int]]

    def hold(self, match: Match) -> bool:
        """Whether the words that state a claim are the source's."""
        if id(match.sentence) in self.sentences:
            return True
        return any(form.copies(match.sentence, match.first, match.last, s) for s in self.sources)

    def share(self, match: Match) -> float:
        """How borrowed a claim's words are, and its sentence's, both in [0, 1]: their mean.

        Courtesies, values and menu paths count in neither.
        """
        tokens, places = match.sentence.tokens, self.taken[id(match.sentence)]
        stating = range(match.first, match.last + 1)
        own = [i for i, t in enumerate(tokens) if text.tells(t) and form.is_own(t)]
        inside = [i for i in own if i in stating]
        return statistics.fmean(
            sum(i in places for i in some) / max(1, len(some)) for some in (inside, own)
        )


def _facts(
    labels: TicketLabels, kb: KbText, indexed: Sequence[claims.Index], copies: _Copies
) -> tuple[FactResult, ...]:
    results = [_fact(kb, claim_, indexed, copies) for claim_ in labels.facts]
    if any(r.credit == 1.0 for r in results):
        return tuple(results)
    return tuple(
        FactResult(
            r.say,
            r.weight,
            0.0,
            r.sentence,
            "stated only in copied words, and nothing in own words",
        )
        if r.credit
        else r
        for r in results
    )


def _fact(kb: KbText, claim: Claim, indexed: Sequence[claims.Index], copies: _Copies) -> FactResult:
    matches = claims.find(kb.claim(claim), indexed)
    best: tuple[float, float, Match | None, str] = (0.0, 0.0, None, "not said")
    denied = [m.sentence for m in matches if m.contradicts(claim) and m.sentence.well_formed]
    if denied and 2 * len(denied) >= len(matches):
        return FactResult(claim.say, claim.weight, 0.0, denied[0], "the reply says the opposite")
    for match in matches:
        credit, reason = _credit(match, claim, copies)
        lent = copies.share(match)
        if best[2] is None or (credit, -lent) > (best[0], -best[1]):
            best = (credit, lent, match, reason)
    credit, lent, found, reason = best
    return FactResult(
        claim.say, claim.weight, credit, found.sentence if found else None, reason, lent
    )


def _credit(match: Match, claim: Claim, copies: _Copies) -> tuple[float, str]:
    if not match.states(claim):
        return 0.0, "said without the needed 'not' or limit"
    if not match.sentence.well_formed:
        return 0.0, "the words are there, but not in a sentence"
    if match.sentence.asks:
        return 0.0, "asked, not stated"
    if copies.hold(match):
        return COPY_CREDIT, "stated in words copied from the article"
    return 1.0, "stated in own words"


def _own_words(facts: Sequence[FactResult]) -> float:
    """1 where facts are told, 0 where they are put together from words that stand elsewhere."""
    said = sum(f.weight * f.credit for f in facts)
    if not said:
        return 1.0
    lent = sum(f.weight * f.credit * f.borrowed for f in facts) / said
    return min(1.0, max(0.0, (_LENT_ALL - lent) / (_LENT_ALL - _LENT_FREE)))


def _fluency(read: Text, facts: Sequence[FactResult]) -> float:
    """1 where the words form sentences, 0 where they are only glued together."""
    judged = [(s, fluency.odds(s)) for s in {s.stems: s for s in read.sentences}.values()]
    stating = {f.sentence.stems for f in facts if f.credit and f.sentence}
    in_facts = fluency.mean((s, odds) for s, odds in judged if s.stems in stating)
    factors = [
        min(1.0, max(0.0, (odds - low) / (high - low)))
        for odds, (low, high) in ((in_facts, _FACTS_FLUENT), (fluency.mean(judged), _REPLY_FLUENT))
        if odds is not None
    ]
    return min(factors, default=1.0)


def _focus(read: Text, facts: Sequence[FactResult]) -> float:
    """The share of the sentences that a reply with this much to say may have.

    Throwing in sentences until some of them hit is not answering. A dozen are nobody's concern.
    """
    stating = {f.sentence.stems for f in facts if f.credit == 1.0 and f.sentence}
    said = sum(1 for s in read.sentences if len(s.tokens) >= fluency.SHORTEST)
    return min(1.0, (_FREE_SENTENCES + _SENTENCES_A_FACT * len(stating)) / said) if said else 1.0


def _content(sentence: Sentence) -> list[str]:
    """The stems that say something: no little words, no politeness, no numbers."""
    return [t.stem for t in sentence.tokens if text.tells(t) and not t.norm[0].isdigit()]


def _grounding(
    said: Sequence[tuple[Sentence, list[str]]], support: SupportText
) -> tuple[float, tuple[Sentence, ...]]:
    """The share of telling sentences that the support bears out, and those it does not.

    Warm words and small talk need no source: a reply is fully grounded where half of it is.
    """
    ungrounded = tuple(
        sentence
        for sentence, stems in said
        if sum(1 for s in stems if s in support.stems) < _SUPPORTED_SHARE * len(stems)
    )
    supported = 1 - len(ungrounded) / len(said) if said else 0.0
    return min(1.0, supported / _GROUNDED_ENOUGH), ungrounded


def _relevance(read: Text, support: SupportText) -> float:
    own = text.content_stems(read) - _COMMON
    target = support.ticket_stems - _COMMON
    wanted = min(_RELEVANT_STEMS, max(1, len(target)))
    return min(1.0, len(own & target) / wanted)


def _similarity(reply: str, reference: str | None) -> float:
    if not reference or len(reply) > 4 * len(reference) + 400:
        return 0.0
    a, b = reply.lower(), reference.lower()
    return max(fuzz.ratio(a, b), fuzz.token_sort_ratio(a, b)) / 100


def _unlicensed(found: Sequence[Finding], licensed: set[str]) -> tuple[Finding, ...]:
    kept: dict[str, Finding] = {}
    for finding in found:
        if finding.kind not in licensed:
            kept.setdefault(finding.kind, finding)
    return tuple(kept.values())


def _forbidden(
    labels: TicketLabels, kb: KbText, indexed: Sequence[claims.Index]
) -> tuple[tuple[str, Sentence], ...]:
    found = []
    for claim in labels.forbidden:
        for match in claims.find(kb.claim(claim), indexed):
            if match.states(claim):
                found.append((claim.say, match.sentence))
                break
    return tuple(found)
