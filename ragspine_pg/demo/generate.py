"""``python -m ragspine_pg.demo.generate``: embeds the demo's passages by the real model and writes ``vectors.json``.

Run it after each change of the corpus, of its chunkers, or of the model; a test holds the file to all three. It takes a
minute and needs the extra ``local``.
"""

import json
from base64 import b64encode

from ragspine_pg.contract.ports import EmbeddingTask
from ragspine_pg.demo.vectors import VECTORS, embedded_passages, vector_key, write_vector
from ragspine_pg.embedding.checked import embed_checked
from ragspine_pg.embedding.local import LocalModel


def main() -> None:
    """Write the file in the source tree."""
    model = LocalModel()
    texts = sorted({text for _, text in embedded_passages()})
    embedded = embed_checked(model, texts, EmbeddingTask.RETRIEVAL_DOCUMENT)
    vectors = {
        vector_key(text): b64encode(write_vector(vector)).decode("ascii")
        for text, vector in zip(texts, embedded.vectors, strict=True)
    }
    if len(vectors) != len(texts):
        raise RuntimeError("two texts have one key: make the keys longer")
    shipped = {"fingerprint": model.space.fingerprint, "vectors": vectors}
    VECTORS.write_text(json.dumps(shipped, indent=1, sort_keys=True) + "\n", encoding="ascii")
    print(f"wrote {len(vectors)} vectors, {VECTORS.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
