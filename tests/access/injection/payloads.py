"""Texts that try to become SQL, or anything else than text. Each holds a token, by which it is known."""

from hypothesis import strategies as st

TOKEN = "zq9w7"
"""Stands in no statement of ours; small letters and digits, so that no step of analysis changes it."""

CORPUS = [
    "{0}",
    "' OR '{0}' = '{0}",
    "'; DROP TABLE ragspine.document; -- {0}",
    "'); DELETE FROM ragspine.document WHERE true; /* {0}",
    '"{0}"',
    '"; DROP SCHEMA ragspine CASCADE; -- "{0}',
    "$${0}$$",
    "$scan$ {0} $scan$ || $count${0}$count$",
    "/* {0} */ */ -- {0}\n; SELECT 1",
    "\\'{0}\\\\' E'\\x27{0}",
    "%s {0} %(query)s %(x)s %% %",
    ":name {0} ? $1 $2 @vector@",
    "%I %s %L %1$s {0} %",
    "{{0}} {{}} {{{{{0}}}}}",
    "{0}) AND (true OR $1 #>> '{{field}}' = '",
    "$.{0} ? (@ == 1) lax $[*] strict",
    "field,{0}}}, {{value",
    "{{1:1,2:2}}/1000000000 {0}",
    "[1,2,{0}]",
    "pg_catalog, pg_temp, {0}",
    "ragspine.single_login = on; {0}",
    "{0}\x00{0}",
    "{0}\ud800",
    "\u202e{0}\u2028\ufeff\u00ad",
    "ʼ；ＤＲＯＰ {0} ＇",
    "{0} " + "x'" * 20_000,
    "{0}\r\n\t\x0b\x1f",
    "-1 UNION SELECT key FROM ragspine.grant_key -- {0}",
    "char=0,5;sha256={0}",
    "rg1.00000000.9999999999.{0}.{0}",
]

UNSENDABLE = [f"{TOKEN}\0", f"{TOKEN}\ud800"]
"""No text of PostgreSQL's: each is refused before it is sent."""


def _woven(parts: tuple[str, str]) -> str:
    return TOKEN.join(parts)


_ANY_TEXT = st.text(st.characters(codec=None), max_size=12)
_SIGNS = st.text(st.sampled_from("'\"$;-/*\\%(){}[]?:@#|&~.,= \n"), max_size=12)

payloads = st.one_of(
    st.sampled_from([text.replace("{0}", TOKEN).replace("{{", "{").replace("}}", "}") for text in CORPUS]),
    st.tuples(_SIGNS, _SIGNS).map(_woven),
    st.tuples(_ANY_TEXT, _ANY_TEXT).map(_woven),
)
"""From the list, or made of signs, or of anything."""
