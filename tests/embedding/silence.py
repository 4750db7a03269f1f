"""Whether an error keeps silent about the texts it is about."""

CANARY = "zebrafinch marmalade 48151623"


def assert_silent(error: BaseException) -> None:
    """Neither the error nor any that hangs on it quotes a text."""
    seen: list[BaseException] = []
    waiting: list[BaseException | None] = [error]
    while waiting:
        one = waiting.pop()
        if one is None or one in seen:
            continue
        seen.append(one)
        said = f"{one!s} {one!r} {one.args!r} {vars(one)!r}"
        assert not any(word in said for word in CANARY.split()), f"a {type(one).__name__} quotes a text"
        waiting += [one.__cause__, one.__context__]
