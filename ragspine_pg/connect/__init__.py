"""TODO(room docstring)."""
