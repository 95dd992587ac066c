"""All settings, read once from the environment. One frozen object; errors name key and value."""

from __future__ import annotations

import re
from functools import lru_cache

from pydantic import Field, field_validator
from pydantic_settings import BaseSettings, SettingsConfigDict

_ORIGIN = re.compile(r"https://[a-z0-9.-]+(:[1-9][0-9]{0,4})?", re.ASCII)


class Settings(BaseSettings):
    """Settings of the server. Every field is an environment variable of the same name."""

    model_config = SettingsConfigDict(frozen=True, extra="ignore", case_sensitive=False)

    port: int = Field(default=8000, ge=0, le=65_535, description="port to listen on")
    space_id: str | None = Field(default=None, description="set on a public Hugging Face Space")
    anonymous_step: bool | None = Field(
        default=None,
        description="a step without an episode id continues the last one reset from the same"
        " client address; on by default, off where SPACE_ID is set",
    )
    trusted_proxies: str = Field(
        default="",
        description="comma-separated addresses of proxies whose X-Forwarded-For counts",
    )
    max_sessions: int = Field(default=2048, ge=1, description="WebSocket sessions at once")
    session_timeout: float = Field(default=900, gt=0, description="idle seconds, WebSocket")
    max_episodes: int = Field(default=4096, ge=1, description="HTTP episodes kept at once")
    episode_timeout: float = Field(default=1800, gt=0, description="idle seconds, HTTP episodes")
    max_body_bytes: int = Field(default=262_144, ge=1024, description="largest request body")
    max_upload_bytes: int = Field(
        default=10_000_000, ge=1024, description="largest file that the console's Data tab takes"
    )
    api_base_url: str = Field(default="https://api.openai.com/v1", description="model server")
    model_name: str = Field(default="gpt-4o-mini", description="model to play with")
    api_key: str | None = Field(default=None, repr=False)
    hf_token: str | None = Field(default=None, repr=False)
    openai_api_key: str | None = Field(default=None, repr=False)
    env_base_url: str | None = Field(default=None, description="server that inference plays on")
    supportops_data: str | None = Field(
        default=None,
        description="folder of your own data set, played instead of the built-in one or with it",
    )
    import_max_bytes: int = Field(
        default=500_000_000, ge=1024, description="largest file of tickets to import"
    )
    import_max_tickets: int = Field(
        default=10_000, ge=1, description="tickets kept of an imported file; the rest is counted"
    )
    supportops_home: str | None = Field(
        default=None, description="folder that keeps the runs; the user's data folder by default"
    )
    store_runs: bool = Field(
        default=False,
        description="keep the finished episodes of HTTP and WebSocket clients as runs",
    )
    runs_kept: int = Field(
        default=10_000, ge=1, description="how many of those are kept; the oldest go first"
    )
    allow_any_base_url: bool | None = Field(
        default=None,
        description="whether a visitor of the console may name any model server to watch; on by"
        " default, off where SPACE_ID is set: then only those of WATCH_BASE_URLS",
    )
    watch_base_urls: str = Field(
        default="https://api.openai.com,https://router.huggingface.co",
        description="comma-separated https origins of the model servers that visitors may name",
    )
    watch_api_key: str | None = Field(default=None, repr=False)  # offered to visitors, never shown
    watch_base_url: str | None = Field(
        default=None, description="model server that WATCH_API_KEY is for; default: API_BASE_URL"
    )
    watch_model: str | None = Field(
        default=None, description="model that WATCH_API_KEY is for; default: MODEL_NAME"
    )
    watch_per_visitor: int = Field(
        default=5, ge=1, description="runs with WATCH_API_KEY an hour from one client address"
    )
    watch_per_hour: int = Field(
        default=30, ge=1, description="runs with WATCH_API_KEY an hour, of all visitors"
    )
    watch_seconds: float = Field(default=300, gt=0, description="most that a watched run may take")
    watch_tokens: int = Field(
        default=60_000, ge=1, description="tokens, in and out, after which a watched model stops"
    )
    audit_seconds: float = Field(
        default=300, ge=0, description="most that the console's quick audit may take; 0: none runs"
    )

    @field_validator("watch_base_urls")
    @classmethod
    def _origins(cls, value: str) -> str:
        for origin in (o.strip() for o in value.split(",")):
            if origin and not _ORIGIN.fullmatch(origin):
                raise ValueError(f"{origin!r} is no origin such as https://api.openai.com")
        return value

    @property
    def any_base_url(self) -> bool:
        """Whether a visitor may name any model server."""
        return self.allow_any_base_url if self.allow_any_base_url is not None else not self.space_id

    @property
    def base_origins(self) -> tuple[str, ...]:
        """The model servers that visitors may name where not any goes."""
        return tuple(o.strip() for o in self.watch_base_urls.split(",") if o.strip())

    @property
    def anonymous(self) -> bool:
        """Whether a step may leave its episode unnamed."""
        return self.anonymous_step if self.anonymous_step is not None else not self.space_id

    @property
    def proxies(self) -> frozenset[str]:
        """The proxies whose forwarded addresses count."""
        return frozenset(p.strip() for p in self.trusted_proxies.split(",") if p.strip())

    @property
    def model_key(self) -> str | None:
        """The key for the model server: API_KEY, HF_TOKEN, OPENAI_API_KEY, in that order."""
        return self.api_key or self.hf_token or self.openai_api_key


@lru_cache(maxsize=1)
def get_settings() -> Settings:
    """The settings of this process.

    Raises:
        pydantic.ValidationError: a variable has a value that does not fit; names key and value.
    """
    return Settings()
