"""Markdown: the stored text is the source itself."""

from ragspine_pg.chunking.markdown_outline import markdown_title
from ragspine_pg.contract.document import Document
from ragspine_pg.ingest.loader.text import DEFAULT_MAX_TEXT_BYTES, cut_title, decode_text
from ragspine_pg.ingest.normalise import normalise_text


def load_markdown(
    source_id: str, data: bytes, max_bytes: int = DEFAULT_MAX_TEXT_BYTES, *, replace_unstorable: bool = False
) -> Document:
    """A document of Markdown with the title of its front matter or first heading; errors as ``load_text``."""
    text = normalise_text(source_id, decode_text(source_id, data, max_bytes), replace=replace_unstorable)
    return Document(source_id, text, title=cut_title(markdown_title(text)))
