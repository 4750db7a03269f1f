"""The write path: from sources to committed, verified rows. Only the pipeline knows the order of the stages."""
