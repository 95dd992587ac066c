"""Carries out a Dockerfile where there is no engine: in a folder that stands for the image's root.

Knows the instructions and commands that this project's Dockerfile uses and refuses any other, so that
a change of the Dockerfile needs a change here. What differs from an engine: absolute paths lie below
the folder, and uv does what `pip install` asks, into a fresh virtual environment.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Any, ClassVar

from tests.conftest import Server, launch


@dataclass(frozen=True, slots=True)
class Instruction:
    """One instruction: its name in capitals, and the rest."""

    name: str
    value: str


def parse(text: str) -> list[Instruction]:
    """The instructions of a Dockerfile, without comments, continued lines joined."""
    kept = "\n".join(line for line in text.splitlines() if not line.lstrip().startswith("#"))
    lines = [line.strip() for line in kept.replace("\\\n", " ").splitlines() if line.strip()]
    parts = [line.split(maxsplit=1) for line in lines]
    return [Instruction(name.upper(), value) for name, value in parts]


def ignored_by(text: str) -> re.Pattern[str]:
    """What a .dockerignore leaves out of the context, as a pattern for whole POSIX paths."""
    rules = [line.strip() for line in text.splitlines()]
    rules = [rule.strip("/") for rule in rules if rule and not rule.startswith("#")]
    assert not any(rule.startswith("!") for rule in rules), "exceptions are not known here"
    return re.compile("|".join(f"(?:{_translated(rule)})(?:/.*)?" for rule in rules) or "(?!)")


def _translated(rule: str) -> str:
    known = {"**/": "(?:.*/)?", "**": ".*", "*": "[^/]*", "?": "[^/]"}
    parts = re.split(r"(\*\*/|\*\*|\*|\?|\[[^]]*\])", rule)
    return "".join(
        known.get(part, part if part.startswith("[") else re.escape(part)) for part in parts
    )


def context(folder: Path) -> Iterator[PurePosixPath]:
    """The files of a folder that its .dockerignore sends to the build."""
    rules = folder / ".dockerignore"
    ignored = ignored_by(rules.read_text(encoding="utf-8") if rules.is_file() else "")
    for place, folders, files in os.walk(folder):
        here = PurePosixPath(Path(place).relative_to(folder).as_posix())
        folders[:] = [name for name in folders if not ignored.fullmatch(str(here / name))]
        yield from (here / name for name in files if not ignored.fullmatch(str(here / name)))


@dataclass
class Image:
    """What a Dockerfile makes. Build one with `Image(root).build(folder)`."""

    root: Path
    """Stands for /. Others can read it."""
    venv: Path | None = None
    """The environment that `pip` installs into; None: a fresh one. A given one holds it all already."""
    environ: dict[str, str] = field(default_factory=lambda: {"LANG": "C.UTF-8"})
    workdir: Path = Path()
    user: int | None = None
    ports: list[int] = field(default_factory=list)
    command: list[str] = field(default_factory=list)
    healthcheck: list[str] = field(default_factory=list)
    _given: bool = False
    _KNOWN: ClassVar = {"FROM", "ENV", "WORKDIR", "RUN", "USER", "EXPOSE", "HEALTHCHECK", "CMD"}

    def build(self, folder: Path) -> Image:
        """Carry out a folder's Dockerfile, then take away all permissions to write the source."""
        self.root.mkdir(mode=0o755, parents=True, exist_ok=True)
        self.workdir, self._given = self.root, self.venv is not None
        for instruction in parse((folder / "Dockerfile").read_text(encoding="utf-8")):
            if instruction.name == "COPY":
                self._copy(folder, *shlex.split(instruction.value))
            elif instruction.name in self._KNOWN:
                getattr(self, f"_{instruction.name.lower()}")(instruction.value)
            else:
                raise NotImplementedError(instruction)
        for path in (self.workdir, *self.workdir.rglob("*")):
            path.chmod(path.stat().st_mode & ~0o222)
        return self

    def start(self, log: Path, **settings: str) -> Server:
        """Run the container's command, as its user."""
        environ = {**self.environ, **settings}
        return launch(self._resolved(self.command), log, environ, self.workdir, self.user)

    def check(self, **settings: str) -> int:
        """Run the health check once, as its user. Returns the exit code."""
        return self._execute(self._resolved(self.healthcheck), **settings).returncode

    def remove(self) -> None:
        """Delete the image."""
        for path in (self.workdir, *self.workdir.rglob("*")):
            path.chmod(path.stat().st_mode | 0o200)
        shutil.rmtree(self.root)

    def _inside(self, value: str) -> str:
        return str(self.root) + value if value.startswith("/") else value

    def _resolved(self, command: list[str]) -> list[str]:
        found = shutil.which(command[0], path=self.environ["PATH"])
        assert found, f"{command[0]} is not in the image"
        return [found, *command[1:]]

    def _execute(self, command: list[str], **settings: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            command,
            cwd=self.workdir,
            env={**self.environ, **settings},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            encoding="utf-8",
            check=False,
            user=self.user,
            group=self.user,
            extra_groups=None if self.user is None else [],
        )

    def _from(self, base: str) -> None:
        version = re.fullmatch(r"python:(3\.\d+)-slim", base)
        assert version, f"not known here: FROM {base}"
        if self.venv is None:
            self.venv = self.root / "venv"
            command = [_interpreter(), "-m", "venv", "--without-pip", str(self.venv)]
            subprocess.run(command, check=True)
        self.environ["PATH"] = f"{self.venv / 'bin'}:/usr/local/bin:/usr/bin:/bin"

    def _env(self, pairs: str) -> None:
        for name, _, value in (pair.partition("=") for pair in shlex.split(pairs)):
            self.environ[name] = self._inside(value)

    def _workdir(self, path: str) -> None:
        self.workdir = Path(self._inside(path))
        self.workdir.mkdir(parents=True)

    def _user(self, name: str) -> None:
        self.user = int(name) if os.geteuid() == 0 else None

    def _expose(self, port: str) -> None:
        self.ports.append(int(port))

    def _healthcheck(self, value: str) -> None:
        self.healthcheck = json.loads(value.partition("CMD ")[2])

    def _cmd(self, value: str) -> None:
        self.command = json.loads(value)

    def _copy(self, folder: Path, *names: str) -> None:
        *sources, target = names
        into = Path(self._inside(target)) if target.startswith("/") else self.workdir / target
        files = list(context(folder))
        for source in sources:
            chosen = [f for f in files if source == "." or f.is_relative_to(source)]
            assert chosen, f"not in the context: {source}"
            for file in chosen:
                goal = into / (file if source == "." else file.name)
                goal.parent.mkdir(parents=True, exist_ok=True)
                shutil.copy2(folder / file, goal)

    def _run(self, command: str) -> None:
        match shlex.split(command):
            case ["useradd", "--create-home", "--uid", uid, name]:
                home = self.root / "home" / name
                home.mkdir(parents=True)
                if os.geteuid() == 0:
                    os.chown(home, int(uid), int(uid))
            case ["pip", "install", *arguments]:
                if not self._given:
                    python = str(self.venv) + "/bin/python"
                    uv_install(python, *arguments, cwd=self.workdir)
            case ["mkdir", "-p", *_]:
                done = self._execute(["/bin/sh", "-c", command])
                assert done.returncode == 0, done.stderr
            case _:
                raise NotImplementedError(f"RUN {command}")


def uv_install(python: str, *arguments: str, cwd: Path) -> None:
    """Install into an environment; arguments as for `pip install`."""
    uv = shutil.which("uv", path=f"{Path(sys.executable).parent}:{os.environ['PATH']}")
    assert uv, "these tests need uv: requirements-dev.txt names it"
    command = [uv, "pip", "install", "--quiet", "--python", python, *arguments]
    subprocess.run(command, cwd=cwd, check=True, stdin=subprocess.DEVNULL)


def _interpreter() -> str:
    """A Python that the image's user can run too: root's own may lie where nobody else looks."""
    other: dict[str, Any] = {"user": 1000, "group": 1000, "extra_groups": []}
    code = "import sys, venv; sys.exit(sys.version_info < (3, 11))"
    for python in (os.path.realpath(sys.executable), "/usr/local/bin/python3", "/usr/bin/python3"):
        try:
            subprocess.run([python, "-c", code], check=True, **(other if os.geteuid() == 0 else {}))
        except (OSError, subprocess.CalledProcessError):
            continue
        return python
    raise OSError("no Python 3.11 or newer here that user 1000 may run; install one in /usr/bin")
