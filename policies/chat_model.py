"""A model behind the OpenAI Chat Completions API: one question, one answer, with what it cost.

The client retries by itself, with backoff and jitter and minding Retry-After: 408, 409, 429, 5xx,
time-outs and lost connections. What is asked for is what the server can do: `json_schema`, else
`json_object`, else plain text; what worked is remembered.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Literal

import openai

from policies.model_errors import ModelError, ModelTimeout, redact, redact_answer

Form = Literal["json_schema", "json_object", "text"]
FORMS: tuple[Form, ...] = ("json_schema", "json_object", "text")
Message = dict[str, str]
SEED = 42
_FATAL = (openai.AuthenticationError, openai.PermissionDeniedError, openai.NotFoundError)
_REFUSED = (openai.BadRequestError, openai.UnprocessableEntityError)
_NO_FORM_HELPS = {"context_length_exceeded", "model_not_found", "insufficient_quota"}
_CHARACTERS_A_TOKEN = 4
_PLAIN_HEADERS = {
    *("host", "accept", "accept-encoding", "connection", "user-agent"),
    *("content-type", "content-length", "transfer-encoding"),
}


@dataclass(frozen=True, slots=True)
class Answer:
    """What a model said. `refused` is its reason, where it declined; `cut`: at the token limit."""

    text: str
    cut: bool = False
    refused: str = ""
    tokens_in: int = 0
    tokens_out: int = 0
    latency_s: float = 0.0


@dataclass
class ChatModel:
    """A model at an address. One instance serves all episodes of a process.

    `bare` is for addresses and keys that a stranger named: no redirect is followed, and nothing
    that this process's environment says about OpenAI is sent along.
    """

    base_url: str
    key: str = field(repr=False)
    name: str
    timeout_s: float = 60.0
    retries: int = 4
    max_tokens: int = 1_500
    bare: bool = False
    notice: Callable[[str], None] = lambda _: None
    form: Form = "json_schema"
    estimated: bool = False

    def __post_init__(self) -> None:
        """Open the client; nothing is sent yet."""
        self._optional: dict[str, Any] = {
            "temperature": 0,
            "seed": SEED,
            "max_tokens": self.max_tokens,
        }
        self._client = openai.AsyncOpenAI(
            base_url=self.base_url,
            api_key=self.key,
            timeout=self.timeout_s,
            max_retries=self.retries,
            http_client=self._bare_http() if self.bare else None,
        )

    def _bare_http(self) -> openai.DefaultAsyncHttpxClient:
        async def strip(request: Any) -> None:
            for name in {*request.headers} - _PLAIN_HEADERS:
                del request.headers[name]
            request.headers["authorization"] = f"Bearer {self.key}"

        return openai.DefaultAsyncHttpxClient(
            follow_redirects=False, timeout=self.timeout_s, event_hooks={"request": [strip]}
        )

    @property
    def parameters(self) -> dict[str, Any]:
        """What is sent with every question, and kept with every run."""
        kept = {**self._optional, "response_format": self.form}
        return {**kept, "tokens": "estimated"} if self.estimated else kept

    async def close(self) -> None:
        """Close the client."""
        await self._client.close()

    async def ask(self, messages: list[Message], schema: dict[str, Any]) -> Answer:
        """One question.

        Raises:
            ModelTimeout: no answer in time.
            ModelError: no answer. No message holds the key.
        """
        began = time.monotonic()
        try:
            raw = await self._complete(messages, schema)
        except openai.APITimeoutError:
            raise ModelTimeout(f"no answer within {self.timeout_s:g} s") from None
        except openai.APIConnectionError as error:
            why = redact(str(error.__cause__ or error), self.key)
            raise ModelError(f"{self._where} can't be reached: {why}") from None
        except openai.BadRequestError as error:
            if error.code == "content_filter":
                return Answer("", refused="the server's content filter refused the question")
            raise ModelError(self._said(error)) from None
        except openai.APIStatusError as error:
            fatal = isinstance(error, _FATAL) or error.code == "insufficient_quota"
            raise ModelError(self._said(error), fatal=fatal) from None
        except (openai.OpenAIError, json.JSONDecodeError, ValueError, TypeError) as error:
            raise ModelError(redact(f"{type(error).__name__}: {error}", self.key)) from None
        return self._read(raw, messages, time.monotonic() - began)

    @property
    def _where(self) -> str:
        return redact(self.base_url, self.key)

    async def _complete(self, messages: list[Message], schema: dict[str, Any]) -> Any:
        """Ask, and where the server can't do what was asked for, ask for less.

        Posts what `chat.completions.create` would; that tries each message on every type that one
        may have, which takes more time than all the rest of a call. The answer stays plain data
        for the same reason.
        """
        first: openai.APIStatusError | None = None
        form = self.form
        while True:
            try:
                raw = await self._client.post(
                    "/chat/completions",
                    cast_to=object,
                    body={
                        "model": self.name,
                        "messages": messages,
                        **self._optional,
                        **_format(form, schema),
                    },
                )
            except _REFUSED as error:
                if error.code == "content_filter" or error.code in _NO_FORM_HELPS:
                    raise
                if self._without(error):
                    continue
                first = first or error
                if form == FORMS[-1]:
                    raise first from None
                form = FORMS[FORMS.index(form) + 1]
                continue
            if form != self.form:
                self.notice(f"{self.name} takes no {self.form}; asking for {form}")
                self.form = form
            return raw

    def _without(self, error: openai.APIStatusError) -> bool:
        """Leave out or rename the one parameter that the server says it does not take."""
        said = f"{error.param or ''} {error.message}".casefold()
        if "max_tokens" in self._optional and "max_completion_tokens" in said:
            self._optional["max_completion_tokens"] = self._optional.pop("max_tokens")
            return True
        for name in ("temperature", "seed"):
            if name in self._optional and (error.param == name or f"'{name}'" in said):
                del self._optional[name]
                self.notice(f"{self.name} takes no {name}; it is left out")
                return True
        return False

    def _said(self, error: openai.APIStatusError) -> str:
        if 300 <= error.status_code < 400:
            return f"{self._where} answered {error.status_code}: it points elsewhere, which is not followed"
        plain = error.message.removeprefix(f"Error code: {error.status_code} - ")
        said = " ".join(redact(plain, self.key).split())[:300]
        return f"{self._where} answered {error.status_code}: {said}"

    def _read(self, raw: Any, messages: list[Message], latency_s: float) -> Answer:
        if not isinstance(raw, dict):
            raise ModelError(
                f"{self._where} answers with something else than a chat completion; is that"
                " base URL right? It usually ends in /v1",
                fatal=True,
            )
        choices = raw.get("choices")
        choice = _object(choices[0] if isinstance(choices, list) and choices else None)
        message = _object(choice.get("message"))
        text = _text(message.get("content"))
        calls = message.get("tool_calls") or message.get("function_call")
        if not text.strip() and calls:
            text = json.dumps(calls)
        refused = _text(message.get("refusal"))
        if choice.get("finish_reason") == "content_filter":
            refused = refused or "the server's content filter refused the answer"
        usage = _object(raw.get("usage"))
        tokens = usage.get("prompt_tokens"), usage.get("completion_tokens")
        if not all(isinstance(t, int) for t in tokens):
            self.estimated = True
            asked = sum(len(m["content"]) for m in messages)
            tokens = asked // _CHARACTERS_A_TOKEN, len(text) // _CHARACTERS_A_TOKEN
        return Answer(
            text=redact_answer(text, self.key),
            cut=choice.get("finish_reason") == "length",
            refused=redact_answer(refused, self.key),
            tokens_in=int(tokens[0] or 0),
            tokens_out=int(tokens[1] or 0),
            latency_s=latency_s,
        )


def _format(form: Form, schema: dict[str, Any]) -> dict[str, Any]:
    if form == "text":
        return {}
    if form == "json_object":
        return {"response_format": {"type": "json_object"}}
    named = {"name": "answer", "strict": True, "schema": schema}
    return {"response_format": {"type": "json_schema", "json_schema": named}}


def _object(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _text(content: Any) -> str:
    """A message's text; some servers send it in parts."""
    if isinstance(content, list):
        return "".join(_text(_object(part).get("text")) for part in content)
    return content if isinstance(content, str) else ""
