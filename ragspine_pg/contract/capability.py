"""What a retriever says of itself."""

from dataclasses import dataclass
from functools import cache
from importlib.metadata import version


@dataclass(frozen=True, slots=True)
class Capability:
    """A retriever's name, the version of the code behind it, and whether it can only read."""

    name: str
    version: str
    read_only: bool = True


@cache
def reading(name: str) -> Capability:
    """What our retriever of that name says; none of ours can write."""
    return Capability(name, version("ragspine-pg"))
