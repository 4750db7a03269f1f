"""The query path: rights, legs, fusion, passages, exits. Stages are strangers; only the pipeline knows their order."""
