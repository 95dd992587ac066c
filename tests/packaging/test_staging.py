"""`openenv push`, with a hub that only takes what it is given: what it stages is whole, and starts."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest
import yaml
from huggingface_hub.utils import filter_repo_objects  # type: ignore[attr-defined]
from openenv.cli.commands import push

from tests.conftest import ROOT
from tests.packaging import tree
from tests.packaging.dockerfile import Image, parse
from tests.server.wire import http, reset, step


class Hub:
    """Stands for the hub's API; keeps what is uploaded."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.spaces: list[dict[str, Any]] = []

    def create_repo(self, **arguments: Any) -> None:
        self.spaces.append(arguments)

    def upload_folder(self, *, folder_path: str, ignore_patterns: list[str], **_: Any) -> None:
        source = Path(folder_path)
        names = [p.relative_to(source).as_posix() for p in source.rglob("*") if p.is_file()]
        for name in filter_repo_objects(names, ignore_patterns=ignore_patterns):
            (self.folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(source / name, self.folder / name)


@pytest.fixture(scope="module")
def hub(tmp_path_factory: pytest.TempPathFactory) -> Hub:
    """What `openenv push --exclude .gitignore` gave to the hub."""
    taken = Hub(tmp_path_factory.mktemp("hub"))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(push, "HfApi", lambda: taken)
        patch.setattr(push, "whoami", lambda: {"name": "someone"})
        push.push(directory=str(ROOT), exclude=".gitignore")
    return taken


def test_a_docker_space_is_made_under_the_name_of_the_manifest(hub: Hub) -> None:
    assert [(s["repo_id"], s["space_sdk"]) for s in hub.spaces] == [
        ("someone/supportops_env", "docker")
    ]


def test_what_is_staged_is_the_tree_without_hidden_files(hub: Hub) -> None:
    staged = {p.relative_to(hub.folder).as_posix() for p in hub.folder.rglob("*") if p.is_file()}
    tracked = {name for name in tree.files() if not name.startswith(".")}
    assert staged == tracked


def test_the_readme_says_how_the_space_runs(hub: Hub) -> None:
    readme = (hub.folder / "README.md").read_text(encoding="utf-8")
    assert readme == (ROOT / "README.md").read_text(encoding="utf-8"), "push had to mend it"
    assert readme.startswith("---\n")
    front = yaml.safe_load(readme.split("---\n")[1])
    manifest = yaml.safe_load((hub.folder / "openenv.yaml").read_text(encoding="utf-8"))
    assert (front["sdk"], front["base_path"]) == ("docker", "/web")
    assert front["app_port"] == manifest["port"]
    assert "openenv" in front["tags"] and front["title"] and front["license"] == "bsd-3-clause"


def test_the_dockerfile_at_the_root_is_ours_with_one_line_more(hub: Hub) -> None:
    ours = parse((ROOT / "Dockerfile").read_text(encoding="utf-8"))
    staged = parse((hub.folder / "Dockerfile").read_text(encoding="utf-8"))
    more = [i for i in staged if i not in ours]
    assert [(i.name, i.value) for i in more] == [("ENV", "ENABLE_WEB_INTERFACE=true")]
    assert [i for i in staged if i in ours] == ours


def test_it_starts_as_a_space(
    hub: Hub, image: Image, images: Path, port: int, tmp_path: Path
) -> None:
    for pins in ("requirements.txt", "constraints.txt"):
        assert (hub.folder / pins).read_bytes() == (image.workdir / pins).read_bytes()
    space = Image(images / "space", image.venv).build(hub.folder)
    server = space.start(tmp_path / "log", PORT=str(port), SPACE_ID="someone/supportops_env")
    try:
        with http(server.url) as client:
            assert client.get("/web/").status_code == 200
            start = reset(client, task_id="ticket_classification", seed=1)
            action = {"action_type": "classify", "content": "Bug"}
            assert step(client, action).status_code == 422
            assert step(client, action, start["episode_id"]).json()["done"]
    finally:
        server.stop()
        space.remove()
    assert "Traceback" not in server.written
