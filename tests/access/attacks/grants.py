"""Grants that are forged, old, cut, or somebody else's; and every way of putting one in place."""

from tests.access.attacks.attack import Attack

_SHOW = (
    "SELECT * FROM ragspine.granted_v1()",
    "SELECT document_id, text FROM ragspine.search('return an order', 50)",
    "SELECT ragspine.search_json('return an order')",
    "SELECT * FROM ragspine.libraries()",
)

_FOUND = "(SELECT string_agg(document_id, ' ' ORDER BY document_id) FROM ragspine.search('return' || left(g, 0)))"


def _with(grant: str) -> tuple[str, ...]:
    return (f"SELECT set_config('ragspine.grant', '{grant}', false) IS NULL", *_SHOW)


def _assume(grant: str) -> tuple[str, ...]:
    return ("BEGIN", f"SELECT ragspine.assume('{grant}')", "ROLLBACK", "BEGIN", *_SHOW, "COMMIT")


_PAYLOADS = {
    "a tenant by name": "acme",
    "its payload in the clear": '{"tenant": "acme", "principals": ["group:staff"]}',
    "only dots": "....",
    "a version that is none": "rg2.00000000.9999999999.e30.00",
    "no algorithm": "rg1.none.9999999999.e30.",
    "a key id that is a pattern": "rg1.%.9999999999.e30.00",
    "a key id that is SQL": "rg1.'' OR true --.9999999999.e30.00",
    "an expiry beyond all time": "rg1.00000000.99999999999.e30.00",
    "an expiry that is no number": "rg1.00000000.1e9.e30.00",
    "payload and signature that are no base64": "rg1.00000000.9999999999.\\x.\\x",
}

ATTACKS = [
    Attack("a grant that has expired", "a bearer token is good for its time", _with("{expired}"), holding="none"),
    Attack("a grant cut short by a digit", "a comparison of a prefix", _with("{truncated}"), holding="none"),
    Attack("a grant without its signature", "an empty signature", _with("{unsigned}"), holding="none"),
    Attack(
        "a grant with another tenant's payload", "only the payload is changed", _with("{other_payload}"), holding="none"
    ),
    Attack("a grant made to last longer", "only the expiry is changed", _with("{later}"), holding="none"),
    Attack(
        "a grant of another installation",
        "a right signature by a key that is none",
        _with("{foreign_key}"),
        holding="none",
    ),
    Attack("a grant in capitals", "base64 and hex in another case", _with("{capitals}"), holding="none"),
    Attack("a grant without principals", "a member of nothing", _with("{nobody}"), holding="none"),
    Attack("a grant of a tenant that does not exist", "null compared with null", _with("{none_such}"), holding="none"),
    Attack("no grant", "the setting was never made", _SHOW, holding="none"),
    *(
        Attack(f"the setting by hand: {name}", "whoever has SQL can set any setting", _with(text), holding="none")
        for name, text in _PAYLOADS.items()
    ),
    Attack(
        "assume() with what does not verify",
        "its message says why, and the former grant is gone",
        (
            "BEGIN",
            "SELECT ragspine.assume('{valid}')",
            "SAVEPOINT s",
            "SELECT ragspine.assume('{other_payload}')",
            *_SHOW,
            "ROLLBACK TO s",
            *_SHOW,
            "COMMIT",
            *_assume("{expired}"),
            *_assume("{truncated}"),
        ),
        holding="none",
    ),
    Attack(
        "one grant after another inside a statement",
        "what was verified for one is not to serve the other",
        (
            # Both are asked for each row, not once: by a column of it, and in no FROM.
            f"SELECT set_config('ragspine.grant', g, false) IS NULL, {_FOUND} FROM (VALUES ('{{valid}}'),"
            " ('{other_payload}'), ('{nobody}'), ('{valid}')) AS v(g)",
            f"SELECT set_config('ragspine.grant', g, false) IS NULL, (ragspine.granted_v1()).state, {_FOUND}"
            " FROM (VALUES ('{later}'), ('{valid}'), ('{other_payload}')) AS v(g)",
        ),
    ),
    Attack(
        "the keys that verify",
        "whoever reads a key signs grants",
        (
            "TABLE ragspine.grant_key",
            "SELECT encode(inner_pad, 'hex') FROM ragspine.grant_key",
            "COPY ragspine.grant_key TO STDOUT",
            "SELECT most_common_vals, histogram_bounds FROM pg_stats WHERE tablename = 'grant_key'",
            "INSERT INTO ragspine.grant_key VALUES ('00000000', decode(repeat('00', 64), 'hex'), decode(repeat('00',"
            " 64), 'hex'))",
        ),
    ),
    Attack(
        "a grant of one login used by another",
        "the settings of other sessions are nobody's to read",
        (
            "SELECT current_setting('ragspine.grant', true)",
            "SELECT name, setting FROM pg_settings WHERE name LIKE 'ragspine%'",
            "SELECT s.setrole::regrole, s.setconfig FROM pg_db_role_setting AS s JOIN pg_database AS d ON d.oid ="
            " s.setdatabase AND d.datname = current_database()"
            " ORDER BY 1",
        ),
        holding="none",
    ),
    Attack(
        "the application's word for one login",
        "setting single_login is for owners; it gives nobody anything",
        ("SET ragspine.single_login = on", *_SHOW),
    ),
]
