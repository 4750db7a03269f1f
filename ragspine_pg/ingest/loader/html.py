"""HTML: the stored text is what a reader sees, block by block."""

import codecs
import re
from typing import TYPE_CHECKING

from ragspine_pg.contract.document import Document
from ragspine_pg.errors import InvalidDocument
from ragspine_pg.ingest.loader.html_cost import refuse_costly
from ragspine_pg.ingest.loader.text import DEFAULT_MAX_TEXT_BYTES, cut_title, decode_text
from ragspine_pg.ingest.normalise import normalise_text

if TYPE_CHECKING:
    from selectolax.lexbor import LexborNode

# What a reader does not read as the page's text.
_DROPPED = frozenset(
    {"audio", "button", "canvas", "datalist", "dialog", "embed", "head", "iframe", "input", "math", "nav", "noscript",
     "object", "script", "select", "style", "svg", "template", "textarea", "video"}
)  # fmt: skip
_PARAGRAPHS = frozenset(
    {"address", "article", "aside", "blockquote", "body", "center", "details", "dir", "div", "dl", "fieldset",
     "figcaption", "figure", "footer", "form", "h1", "h2", "h3", "h4", "h5", "h6", "header", "hgroup", "hr", "main",
     "menu", "ol", "p", "pre", "section", "summary", "table", "ul"}
)  # fmt: skip
_LINES = frozenset({"br", "caption", "dd", "dt", "li", "tr"})
_SPACE = re.compile(r"[ \t\n\r\f]+")  # HTML's own whitespace: a no-break space is text
_DECLARED = re.compile(
    rb"<meta[^>]{0,200}?charset\s*=\s*[\"']?\s*([\w.:-]+)|\A<\?xml[^>]{0,200}?encoding\s*=\s*[\"']([\w.:-]+)",
    re.IGNORECASE,
)
# Labels as browsers read them (WHATWG Encoding), which is wider than what the label says; all are ASCII supersets.
_ENCODINGS = {
    "utf-8": "utf-8", "utf8": "utf-8",
    **dict.fromkeys(("iso-8859-1", "latin1", "latin-1", "us-ascii", "ascii", "windows-1252", "cp1252"), "cp1252"),
    **{f"iso-8859-{part}": f"iso-8859-{part}" for part in (2, 3, 4, 5, 6, 7, 8, 10, 13, 14, 15, 16)},
    **{f"windows-125{part}": f"cp125{part}" for part in (0, 1, 3, 4, 5, 6, 7, 8)},
    "iso-8859-9": "cp1254", "koi8-r": "koi8-r", "koi8-u": "koi8-u",
    **dict.fromkeys(("gb2312", "gbk", "gb18030"), "gb18030"),
    **dict.fromkeys(("big5", "big5-hkscs"), "big5hkscs"),
    **dict.fromkeys(("shift_jis", "shift-jis", "sjis", "windows-31j"), "cp932"),
    "euc-jp": "euc-jp", "iso-2022-jp": "iso-2022-jp",
    **dict.fromkeys(("euc-kr", "ks_c_5601-1987"), "cp949"),
}  # fmt: skip


def load_html(
    source_id: str, data: bytes, max_bytes: int = DEFAULT_MAX_TEXT_BYTES, *, replace_unstorable: bool = False
) -> Document:
    """A document of a page's readable text, titled by its ``<title>`` or first ``<h1>``.

    Paragraphs and headings stand between blank lines, list items and table rows on lines of their own, cells between
    tabs; scripts, styles, navigation, forms' controls and what is ``hidden`` are dropped. The bytes are decoded by
    their byte order mark, the encoding the page declares in its first 1024 bytes, or UTF-8. Errors as ``load_text``,
    and ``InvalidDocument`` for an encoding that is not known, ``SourceRefused`` for markup that nests so deeply that
    parsing it would not end in time.
    """
    from selectolax.lexbor import LexborHTMLParser

    source = decode_text(source_id, data, max_bytes, declared_encoding(source_id, data))
    source = normalise_text(source_id, source, replace=replace_unstorable)
    refuse_costly(source_id, source)
    tree = LexborHTMLParser(source)
    titles = (
        node.text(deep=True) for node in (tree.css_first("head > title"), tree.css_first("h1")) if node is not None
    )
    title = next((title for title in titles if title.strip()), "")
    text = readable_text(tree.body) if tree.body is not None else ""
    return Document(source_id, normalise_text(source_id, text), title=cut_title(title))


def declared_encoding(source_id: str, data: bytes) -> str:
    """The Python codec for a page: byte order mark, declaration, or UTF-8. Raises ``InvalidDocument``."""
    if data.startswith(codecs.BOM_UTF8):
        return "utf-8"
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return "utf-16"
    found = _DECLARED.search(data[:1024])
    if found is None:
        return "utf-8"
    label = (found[1] or found[2]).decode("ascii", "replace").lower()
    # A page that could be read as ASCII so far is not UTF-16, whatever it declares.
    encoding = "utf-8" if label.startswith("utf-16") else _ENCODINGS.get(label)
    if encoding is None:
        raise InvalidDocument(
            f"{source_id} declares an encoding that is not known; convert it to UTF-8", document=source_id
        )
    return encoding


def readable_text(root: "LexborNode") -> str:
    """The text under ``root`` as ``load_html`` describes it. Iterative: nesting may be as deep as it likes."""
    page = _Page()
    node: LexborNode | None = root
    while node is not None:
        child = page.enter(node)
        if child is not None:
            node = child
            continue
        while node is not None:
            page.leave(node)
            if node.mem_id == root.mem_id:
                node = None
            elif node.next is not None:
                node = node.next
                break
            else:
                node = node.parent
    return "".join(page.pieces)


class _Page:
    """Text as it grows; breaks and spaces wait until there is text behind them."""

    def __init__(self) -> None:
        self.pieces: list[str] = []
        self.gap = ""  # what separates the next text from the last: nothing, a space, a tab, line ends
        self.verbatim = 0  # depth of <pre>
        self.opening = False  # no text yet in this <pre>

    def enter(self, node: "LexborNode") -> "LexborNode | None":
        """Take the node's beginning; its first child if it is to be read."""
        if node.is_text_node:
            (self._write_verbatim if self.verbatim else self._write)(node.text_content or "")
            return None
        tag = node.tag or ""
        if not node.is_element_node or tag in _DROPPED or "hidden" in node.attributes:
            return None
        self._break(tag)
        if tag == "pre":
            self.verbatim += 1
            self.opening = True
        return node.child

    def leave(self, node: "LexborNode") -> None:
        """Take the node's end."""
        if not node.is_element_node:
            return
        tag = node.tag or ""
        if tag == "pre" and "hidden" not in node.attributes:
            self.verbatim -= 1
            self.gap = ""  # the line ends before </pre>
        self._break(tag)

    def _break(self, tag: str) -> None:
        if tag in _PARAGRAPHS:
            self._widen("\n\n")
        elif tag in _LINES:
            self._widen("\n")
        elif tag in ("td", "th"):
            self._widen("\t")

    def _widen(self, gap: str) -> None:
        if _width(gap) > _width(self.gap):
            self.gap = gap

    def _write(self, text: str) -> None:
        text = _SPACE.sub(" ", text)
        if text.startswith(" "):
            self._widen(" ")
        if body := text.strip(" "):
            self._append(body)
            self.gap = " " if text.endswith(" ") else ""

    def _write_verbatim(self, text: str) -> None:
        if self.opening:
            text = text.lstrip("\n")
        body = text.rstrip("\n")
        if body:
            self._append(body)
            self.opening = False
            self.gap = ""
        self.gap += text[len(body) :]

    def _append(self, text: str) -> None:
        if self.pieces:
            self.pieces.append(self.gap)
        self.pieces.append(text)


def _width(gap: str) -> tuple[int, bool, bool]:
    return min(gap.count("\n"), 2), "\t" in gap, bool(gap)
