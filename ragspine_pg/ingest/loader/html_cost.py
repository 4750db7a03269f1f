"""How much work a page would be to parse, estimated before it is parsed."""

import re

from ragspine_pg.errors import SourceRefused

# Comments and raw text whole, so that what looks like a tag inside is not counted; else one tag with its attributes.
_TAG = re.compile(
    r"<!--.*?(?:-->|\Z)|<(?P<raw>script|style|textarea|title|xmp|iframe)\b.*?(?:</(?P=raw)|\Z)"
    r"|<(?P<close>/?)(?P<name>[a-z][^\s/>]*+)(?:[^>\"']++|\"[^\"]*+\"|'[^']*+')*+",
    re.IGNORECASE | re.DOTALL,
)
_NEVER_OPEN = frozenset(
    {"area", "base", "body", "br", "col", "dd", "dt", "embed", "head", "hr", "html", "img", "input", "li", "link",
     "meta", "option", "p", "param", "rp", "rt", "source", "tbody", "td", "th", "thead", "tr", "track", "wbr"}
)  # fmt: skip
_FORMATTING = frozenset(
    {"a", "b", "big", "code", "em", "font", "i", "nobr", "s", "small", "strike", "strong", "tt", "u"}
)
_MAX_OPEN, _MAX_REOPENED = 100_000_000, 5_000_000


def refuse_costly(source_id: str, source: str) -> None:
    """Refuse markup that makes HTML's own parsing rules cost more than linear time.

    A start tag looks through the elements that are open, and each paragraph opens the formatting elements again that
    were never closed: a hundred thousand nested ``<div>`` took two and a half minutes. Real pages stay a hundredfold
    below these bounds.
    """
    opened: dict[str, int] = {}
    depth = formatting = looked_through = reopened = 0
    for tag in _TAG.finditer(source):
        name = (tag["name"] or "").lower()
        if not name:
            continue
        if tag["close"]:
            if not opened.get(name):
                continue
            step = -1
        else:
            looked_through += depth
            reopened += formatting
            step = 0 if name in _NEVER_OPEN else 1
        opened[name] = opened.get(name, 0) + step
        depth += step
        formatting += step if name in _FORMATTING else 0
        if looked_through > _MAX_OPEN or reopened > _MAX_REOPENED:
            raise SourceRefused(f"{source_id} nests its markup too deeply to be parsed", source=source_id)
