"""Data whose every text attacks the page."""

from __future__ import annotations

from dataclasses import replace

from data import catalog as catalogs

HOSTILE = (
    "<img src=x onerror=\"document.title='owned'\"><script>document.title='owned'</script>"
    "${document.title='owned'}{{constructor.constructor(\"document.title='owned'\")()}}"
    "</textarea></div><b>bold</b>&amp;'\"` [x](javascript:alert(1)) ![i](http://203.0.113.1/i.png)"
)


def hostile_catalog() -> catalogs.Catalog:
    """The built-in data with every text that a person could have written made hostile."""
    data = catalogs.builtin()
    return replace(
        data,
        tickets={
            i: t.model_copy(update={"subject": HOSTILE, "body": f"{HOSTILE}\n{'x' * 400}"})
            for i, t in data.tickets.items()
        },
        customers={
            i: c.model_copy(update={"name": HOSTILE, "history": (HOSTILE,)})
            for i, c in data.customers.items()
        },
        articles={
            i: a.model_copy(update={"title": HOSTILE, "body": f"## {HOSTILE}\n\n- {HOSTILE}"})
            for i, a in data.articles.items()
        },
    )
