"""Which addresses a visitor may have the server speak to, and how often its own model may be used."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import ValidationError

from env.settings import Settings
from ui.service.model_access import Caps, base_url, problem_with_model
from ui.texts import watch as words

PUBLIC = Settings(space_id="someone/space")
LOCAL = Settings(space_id=None)

NOWHERE: list[Any] = [
    "https://user@api.openai.com/v1",
    "https://user:pw@api.openai.com/v1",
    "https://api.openai.com@203.0.113.5/v1",
    "https://203.0.113.5\\@api.openai.com/v1",
    "https://api.openai.com\\.evil.example/v1",
    "https:\\\\api.openai.com/v1",
    "https://api.openai.com%2eevil.example/v1",
    "https://%61pi.openai.com/v1",
    "https://api.openai.com/%2e%2e/v1",
    "https://api.openai.com/../v1",
    "https://api.openai.com/./v1",
    "https://api.openai.com/v1#@evil.example",
    "https://evil.example#api.openai.com",
    "https://api.openai.com/v1?to=evil.example",
    "https://api.openai.com/v1;x",
    "https://api.openai.com:0/v1",
    "https://api.openai.com:65536/v1",
    "https://api.openai.com:443:80/v1",
    "https://api.openai.com:/v1",
    "https://api.openai.com /v1",
    "https://api.openai.com/v1\r\nHost: evil.example",
    "https://api.openai.com\t/v1",
    "https://аpi.openai.com/v1",  # noqa: RUF001 - the first letter is Cyrillic
    "https://api。openai.com/v1",
    "https://[fe80::1%25eth0]/v1",
    "https:///v1",
    "https:api.openai.com/v1",
    "//api.openai.com/v1",
    "api.openai.com/v1",
    "ftp://api.openai.com/v1",
    "file:///etc/passwd",
    "gopher://127.0.0.1:6379/_x",
    "https://api.openai.com/" + "v" * 300,
    "",
    " ",
    None,
    7,
    ["https://api.openai.com/v1"],
]
ELSEWHERE = [
    "http://api.openai.com/v1",
    "https://api.openai.com./v1",
    "https://api.openai.com:8443/v1",
    "https://api.openai.com.evil.example/v1",
    "https://evil-api.openai.com/v1",
    "https://openai.com/v1",
    "http://127.0.0.1:8000/v1",
    "https://127.0.0.1/v1",
    "https://2130706433/v1",
    "https://0x7f.1/v1",
    "https://[::1]:8000/v1",
    "https://[::ffff:127.0.0.1]/v1",
    "https://169.254.169.254/latest",
    "https://localhost/v1",
    "https://metadata.google.internal/v1",
]


@pytest.mark.parametrize("settings", [PUBLIC, LOCAL], ids=["public", "local"])
@pytest.mark.parametrize("text", NOWHERE, ids=repr)
def test_what_is_no_plain_address_goes_nowhere(text: Any, settings: Settings) -> None:
    url, problem = base_url(text, settings)
    assert not url and problem in (words.ODD_URL, words.NO_URL)


@pytest.mark.parametrize("text", ELSEWHERE)
def test_a_public_server_speaks_to_listed_origins_only(text: str) -> None:
    url, problem = base_url(text, PUBLIC)
    assert not url and "https://api.openai.com, https://router.huggingface.co" in problem
    assert base_url(text, LOCAL) == (text, "")


@pytest.mark.parametrize("settings", [PUBLIC, LOCAL], ids=["public", "local"])
@pytest.mark.parametrize(
    ("text", "url"),
    [
        ("https://api.openai.com/v1", "https://api.openai.com/v1"),
        (" https://api.openai.com/v1/ ", "https://api.openai.com/v1"),
        ("HTTPS://API.OpenAI.com/v1", "https://api.openai.com/v1"),
        ("https://api.openai.com:443/v1", "https://api.openai.com/v1"),
        ("https://api.openai.com", "https://api.openai.com"),
        ("https://router.huggingface.co/v1", "https://router.huggingface.co/v1"),
    ],
)
def test_listed_origins_come_in_one_form(text: str, url: str, settings: Settings) -> None:
    assert base_url(text, settings) == (url, "")


def test_the_settings_decide_what_goes() -> None:
    own = Settings(space_id="s", watch_base_urls="https://gateway.example:8443")
    assert base_url("https://gateway.example:8443/v1", own)[1] == ""
    assert base_url("https://gateway.example/v1", own)[1]
    assert base_url("https://api.openai.com/v1", own)[1]
    closed = Settings(space_id="s", watch_base_urls="")
    assert "none" in base_url("https://api.openai.com/v1", closed)[1]
    assert base_url("http://127.0.0.1:9/v1", Settings(space_id="s", allow_any_base_url=True))[0]
    assert base_url("http://127.0.0.1:9/v1", Settings(allow_any_base_url=False))[1]


@pytest.mark.parametrize(
    "value", ["http://api.openai.com", "https://api.openai.com/v1", "*", "https://a@b.example"]
)
def test_a_list_that_is_none_is_refused(value: str) -> None:
    with pytest.raises(ValidationError, match=r"(?s)watch_base_urls.*no origin"):
        Settings(watch_base_urls=value)


@pytest.mark.parametrize("key", [None, 5, "", "  ", "a b", "key\nX: y", "schlüssel", "x" * 501])
def test_an_odd_key_is_refused_and_not_repeated(key: Any) -> None:
    problem = problem_with_model("m", key)
    assert problem in (words.NO_KEY, words.ODD_KEY)
    for name in (None, "", "two words", "x" * 101, ["m"]):
        assert problem_with_model(name, "k") == words.ODD_MODEL
    assert problem_with_model("org/model:1", "k") == ""


def test_caps_are_per_address_and_for_all_and_pass() -> None:
    now = 0.0
    caps = Caps(2, 3, lambda: now)
    assert caps.take("a") == caps.take("a") == ""
    assert "one address is reached: 2 an hour" in caps.take("a") and "60 min" in caps.take("a")
    assert caps.take("b") == ""
    assert "together is reached: 3 an hour" in caps.take("c")
    now = 1800.0
    assert "30 min" in caps.take("c")
    now = 3600.0
    assert caps.take("c") == caps.take("a") == ""
