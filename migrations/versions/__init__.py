"""The revisions, ``rpgNNNN_{create|expand|move|contract}_what``."""
