from __future__ import annotations

from tests.ui.screenshots import PREPARE
from ui.blocks import TABS


def test_what_is_prepared_is_a_tab() -> None:
    assert set(PREPARE) <= {label for label, _ in TABS}
