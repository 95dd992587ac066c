"""What the picker's handler takes from whom."""

from __future__ import annotations

from pathlib import Path

import httpx
import pytest

from tests.ui.visitor import Console, Visitor
from ui.texts import data as texts


async def test_only_what_was_uploaded_is_read(live_server: str) -> None:
    async with httpx.AsyncClient(base_url=live_server, trust_env=False) as client:
        async with Visitor(client, await Console.at(client)) as visitor:
            await visitor.open("")
            for path in ("/etc/passwd", str(Path(__file__)), "nowhere"):
                with pytest.raises(AssertionError, match="cannot be accessed"):  # Gradio's own word
                    await visitor.press("picker", act="file", path=path, name="x.csv")
            for sent in ({"path": "", "name": "x.csv"}, {"name": "x.csv"}, {}):
                await visitor.press("picker", act="file", **sent)
                assert visitor.text("report", "[role=alert]") == texts.BAD_REQUEST


async def test_an_upload_is_read_once_by_whoever_brings_it(live_server: str) -> None:
    content = b"id,message,category\n1,The export stops at row 7 and I wonder why.,Bug\n"
    async with httpx.AsyncClient(base_url=live_server, trust_env=False) as client:
        console = await Console.at(client)
        async with Visitor(client, console) as one, Visitor(client, console) as other:
            await one.open("")
            await other.open("")
            path = await one.upload("tickets.csv", content)
            await one.press("picker", act="file", path=path, name="tickets.csv")
            assert one.text("report", ".report h3") == "tickets.csv: 1 ticket can be played"
            assert not Path(path).exists() and not Path(path).parent.exists()
            await other.press("picker", act="file", path=path, name="tickets.csv")
            assert other.text("report", "[role=alert]") == texts.BAD_REQUEST
            too_large = await client.post(
                "/web/gradio_api/upload", files={"files": ("x.csv", b"x" * 10_000_001)}
            )
            assert too_large.status_code == 413
