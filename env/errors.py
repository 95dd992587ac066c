"""What can go wrong with an episode. One root; messages say what, where, what to do."""

from __future__ import annotations

from collections.abc import Iterable


class SupportOpsError(Exception):
    """Root of all errors that a caller may want to catch."""


class UnknownName(SupportOpsError):
    """Raised when a task, split, index, ticket or reset key does not exist."""

    def __init__(self, what: str, name: object, valid: Iterable[object]) -> None:
        """Keep the parts; the message lists what is valid (at most 40)."""
        self.what = what
        self.name = str(name)[:80]
        self.valid = [str(v) for v in valid]
        shown = ", ".join(self.valid[:40]) + (", …" if len(self.valid) > 40 else "")
        super().__init__(f"unknown {what} {self.name!r}; valid: {shown or 'none'}")


class EpisodeOver(SupportOpsError):
    """Raised when a step is taken after the episode is done. Nothing changes."""

    def __init__(self) -> None:
        """The message says what to do."""
        super().__init__("this episode is over; reset to start another one")


class NoEpisode(SupportOpsError):
    """Raised when an environment is stepped before it was reset."""

    def __init__(self) -> None:
        """The message says what to do."""
        super().__init__("no episode yet; reset first")


class EpisodeNotFound(SupportOpsError):
    """Raised when an HTTP episode id is unknown or has expired."""

    def __init__(self, episode_id: str) -> None:
        """Keep the id, cut to a printable length."""
        self.episode_id = episode_id[:80]
        super().__init__(
            f"no such episode: {self.episode_id!r} is unknown or has expired; POST /reset first"
        )


class EpisodeIdMissing(SupportOpsError):
    """Raised when a step names no episode and none can be assumed."""

    def __init__(self, anonymous: bool) -> None:
        """Say which ways there are to name one."""
        lead = "no episode was reset from here yet" if anonymous else "which episode?"
        super().__init__(
            f"{lead}; send the X-Session-ID header that /reset answered with"
            " (or episode_id in the query or body, or its cookie)"
        )
