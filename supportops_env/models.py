"""Wire models: what an agent sends and what it gets back.

Everything here is data. Rewards are floats in [-1, 1], grades floats in [0, 1] (or None where
nothing could be judged), offsets are character positions in the text the agent sent, times are
ISO 8601 in UTC, `sla_hours` are hours.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal, Self

from openenv.core.env_server.types import Action, Observation, State
from pydantic import BaseModel, ConfigDict, Field, StringConstraints, model_validator
from pydantic_core import PydanticCustomError

ActionType = Literal[
    "classify",
    "set_priority",
    "search_kb",
    "respond",
    "draft_response",
    "escalate",
    "mark_resolved",
]
LineKind = Literal["advance", "deduction", "criterion", "settlement"]
Distractors = Literal[0, 24, 200, 2_000]
Twist = Literal[
    "two_problems",
    "missing_detail",
    "contradiction",
    "exception",
    "injection",
    "account_takeover",
    "refund_fraud",
    "personal_data",
    "legal_threat",
]
KnowledgeMode = Literal["search", "golden", "none", "full"]

MAX_TEXT = 8_000
"""Longest text an action may carry, in characters. Longer texts are refused, never cut."""

#: The payload key that `content` alone stands for, per action type.
TEXT_KEY: dict[str, str] = {
    "classify": "category",
    "search_kb": "query",
    "respond": "response_text",
    "draft_response": "response_text",
    "escalate": "reason",
    "mark_resolved": "reason",
}
_PAYLOAD_KEYS: dict[str, frozenset[str]] = {
    **{action: frozenset({key}) for action, key in TEXT_KEY.items()},
    "set_priority": frozenset({"ticket_id", "priority"}),
}
_REASON_OPTIONAL = frozenset({"escalate", "mark_resolved"})

_Text = Annotated[str, StringConstraints(max_length=MAX_TEXT)]


class SupportAction(Action):
    """One action, in either dialect: `content` (one text) or `payload` (named texts).

    `content` alone stands for the payload key in `TEXT_KEY`; `set_priority` needs the payload
    `{"ticket_id", "priority"}`. Texts hold at most `MAX_TEXT` characters.

    Raises:
        pydantic.ValidationError: wrong shape or type, unknown action type or payload key, a text
            that is missing or too long, or two different texts in `content` and `payload`.
    """

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {"action_type": "classify", "content": "Billing"},
                {"action_type": "classify", "payload": {"category": "Billing"}},
                {
                    "action_type": "set_priority",
                    "payload": {"ticket_id": "P-2001", "priority": "high"},
                },
            ]
        }
    )

    action_type: ActionType
    content: _Text | None = None
    payload: dict[str, _Text] = Field(default_factory=dict, max_length=8)

    @model_validator(mode="after")
    def _one_meaning(self) -> Self:
        allowed = _PAYLOAD_KEYS[self.action_type]
        unknown = sorted(set(self.payload) - allowed)
        if unknown:
            raise PydanticCustomError(
                "unknown_payload_key",
                "{action} does not take payload key {unknown}; it takes {allowed}",
                {
                    "action": self.action_type,
                    "unknown": unknown[0][:80],
                    "allowed": ", ".join(sorted(allowed)),
                },
            )
        if self.action_type == "set_priority":
            self._check_set_priority(allowed)
            return self
        key = TEXT_KEY[self.action_type]
        text = self.payload.get(key)
        if text is not None and self.content is not None and text != self.content:
            raise PydanticCustomError(
                "two_meanings",
                "content and payload.{key} differ; send one of them",
                {"key": key},
            )
        if text is None and self.content is None and self.action_type not in _REASON_OPTIONAL:
            raise PydanticCustomError(
                "text_missing",
                "{action} needs a text: content, or payload.{key}",
                {"action": self.action_type, "key": key},
            )
        return self

    def _check_set_priority(self, allowed: frozenset[str]) -> None:
        missing = sorted(allowed - set(self.payload))
        if missing:
            raise PydanticCustomError(
                "text_missing",
                "set_priority needs payload.{key}",
                {"key": missing[0]},
            )
        if self.content:
            raise PydanticCustomError(
                "two_meanings",
                "set_priority takes no content; put ticket_id and priority in payload",
                {},
            )

    @property
    def text(self) -> str:
        """The one text of this action, whichever dialect it came in ("" where it has none)."""
        if self.action_type == "set_priority":
            return ""
        return self.payload.get(TEXT_KEY[self.action_type], self.content or "")


class _Frozen(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Knobs(_Frozen):
    """What makes an episode harder or easier than usual. The defaults change nothing.

    Together with task, split, seed and index they name the episode.
    """

    distractors: Distractors = Field(
        default=0, description="articles that share words with the real ones and answer nothing"
    )
    twist: Twist | None = Field(
        default=None, description="what is added to an endless ticket; not for sets of tickets"
    )
    knowledge: KnowledgeMode = Field(
        default="search",
        description="how the articles are reached where a reply is wanted: by search; golden: those"
        " that answer are given, full: all are given, none: nothing is; without search in all three",
    )

    @property
    def changed(self) -> dict[str, Any]:
        """The knobs that are not at their default, as plain data."""
        return self.model_dump(exclude_defaults=True)

    @property
    def label(self) -> str:
        """The changed knobs in one word, "" where none is: "distractors=200,twist=injection"."""
        return ",".join(f"{name}={value}" for name, value in self.changed.items())


class Span(_Frozen):
    """A piece of the agent's text that a line speaks of: [start, end) in characters."""

    start: int = Field(ge=0)
    end: int = Field(ge=0)
    rule: str = ""


class RewardLine(_Frozen):
    """One rule that fired, and what it gave. The lines of a step sum to its reward."""

    rule: str = Field(description="rule id, e.g. 'classify.correct' or 'reply.fact.1'")
    points: float = Field(description="what the rule gave or took, in [-1, 1]")
    kind: LineKind
    reason: str = Field(description="why, in a person's words")
    evidence: str = Field(default="", description="what the rule saw")
    spans: tuple[Span, ...] = Field(default=(), description="where in the agent's reply")
    hint: str | None = Field(
        default=None, description="what would have earned more (train split, when done)"
    )


class CriterionReport(_Frozen):
    """One criterion of a finished episode: its value in [0, 1], or None where it can't be judged."""

    id: str
    name: str
    value: float | None
    reason: str
    error: str | None = Field(
        default=None, description="set when the criterion itself crashed; then value is None"
    )


class GradeReport(_Frozen):
    """The grade of an episode, with everything needed to check it by hand."""

    grade: float | None = Field(description="[0, 1]; None where nothing could be judged")
    formula: str
    raw: float | None = Field(description="the formula's value before deductions and clipping")
    deductions: float = Field(description="sum of the deductions, >= 0")
    criteria: tuple[CriterionReport, ...]
    partial: bool = Field(
        default=False, description="a criterion could not be judged; the grade leaves it out"
    )
    derived: bool = Field(default=False, description="labels were derived, not written by a person")
    expected: dict[str, Any] | None = Field(
        default=None, description="the labels (train split only)"
    )
    reference_reply: str | None = Field(default=None, description="train split only")
    data_version: str
    grader_version: str


class TicketView(_Frozen):
    """A ticket as the agent sees it."""

    ticket_id: str
    subject: str
    body: str
    customer_name: str
    customer_tier: str
    created_at: str
    sentiment_score: float = Field(ge=-1, le=1)
    sla_hours: int = Field(gt=0)
    channel: str
    language: str


class ArticleView(_Frozen):
    """A search hit; `body` is filled once the article was opened."""

    id: str
    title: str
    snippet: str
    score: float
    body: str | None = None


class HistoryEntry(_Frozen):
    """One step so far. `action` holds the action with its texts cut to 200 characters."""

    action: dict[str, Any]
    reward: float
    feedback: str


class SupportObservation(Observation):
    """What the agent sees. No label shows before `done`."""

    episode_id: str = ""
    task_id: str = ""
    task_name: str = ""
    difficulty: str = ""
    split: str = ""
    seed: int = 0
    index: int = 0
    knobs: Knobs = Knobs()
    task_description: str = ""
    step_context: str = ""
    available_actions: tuple[str, ...] = ()
    categories: tuple[str, ...] = Field(
        default=(), description="what a classify may name; empty where the task takes none"
    )
    steps_remaining: int = 0
    score_so_far: float = Field(default=0.0, description="sum of the rewards so far")
    query: str = Field(default="", description="the ticket's text, as dataset A names it")
    ticket: TicketView | None = None
    tickets: tuple[TicketView, ...] = ()
    ticket_id: str | None = None
    customer_history: tuple[str, ...] = ()
    kb_results: tuple[str, ...] = Field(default=(), description='"id: title — snippet"')
    kb_articles: tuple[ArticleView, ...] = ()
    kb_id: str | None = Field(
        default=None, description="article opened last or top hit of the last search, the later"
    )
    requires_escalation: bool | None = Field(default=None, description="null until done")
    history: tuple[HistoryEntry, ...] = ()
    feedback: str = ""
    reward_breakdown: tuple[RewardLine, ...] = ()
    grade: GradeReport | None = None


class SupportState(State):
    """Where an episode stands, and what plays it again. No label shows, finished or not.

    `item_id` is its ticket or ticket set. Scores compare only within one data version and one
    major grader version.
    """

    task_id: str | None = None
    split: str | None = None
    seed: int | None = None
    index: int | None = None
    item_id: str | None = None
    data_version: str | None = None
    grader_version: str | None = None
    knobs: Knobs = Knobs()
    cumulative_reward: float = 0.0
    done: bool = False
    actions: tuple[dict[str, Any], ...] = ()
