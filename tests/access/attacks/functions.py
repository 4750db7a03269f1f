"""Our own functions, called as nobody meant them to be."""

from tests.access.attacks.attack import Attack

ATTACKS = [
    Attack(
        "every number of every version",
        "numbers are guessed with a loop",
        (
            "SELECT v, l.* FROM generate_series(-3, 60) AS v, ragspine.lexical_leg_v1(v, 'return an order', 1000) AS l",
            "SELECT v, l.* FROM generate_series(-3, 60) AS v,"
            " ragspine.vector_leg_v1(v, '{space}', '{embedding}', 1000) AS l",
            "SELECT v, t.* FROM generate_series(-3, 60) AS v, ragspine.query_terms_v1(v, 'return finance staff') AS t",
            "SELECT v, t.* FROM generate_series(-3, 60) AS v, ragspine.query_terms_v1(v, 'zanz* fina* st* re*') AS t",
            "SELECT v, ragspine.search_reason_v1(ARRAY[v], '+zanz*') FROM generate_series(-3, 60) AS v",
            "SELECT v, s.* FROM generate_series(-3, 60) AS v,"
            " ragspine.explain_scores_v1(v, 'return finance zanz*', (SELECT array_agg(md5(n::text)) FROM"
            " generate_series(1, 50) AS n)) AS s",
        ),
    ),
    Attack(
        "every chunk of every version",
        "what read_passages_v1 is handed need not come from a leg",
        (
            "SELECT p.* FROM ragspine.read_passages_v1(ARRAY(SELECT v FROM generate_series(1, 40) AS v,"
            " generate_series(1, 250)),"
            " ARRAY(SELECT c FROM generate_series(1, 40), generate_series(1, 250) AS c), 'parent') AS p",
            "SELECT * FROM ragspine.read_passages_v1(ARRAY[4, 4], ARRAY[27, NULL])",
            "SELECT * FROM ragspine.read_passages_v1(ARRAY[[4], [4]], ARRAY[[27], [28]])",
            "SELECT * FROM ragspine.read_passages_v1(ARRAY[4], ARRAY[27], 'all')",
            "SELECT * FROM ragspine.read_passages_v1('[5:5]={4}', '[-1:-1]={27}')",
        ),
    ),
    Attack(
        "filters on what is hidden",
        "a filter that selects hidden documents finds nothing, whatever it says",
        tuple(
            f"SELECT document_id FROM ragspine.search('return an order', 50, filter => '{text}')"
            for text in (
                '{"field": "owner", "op": "gte", "value": "m"}',
                '{"field": "n", "op": "gt", "value": 10}',
                '{"none_of": [{"field": "owner", "op": "eq", "value": "ann"}]}',
                '{"any_of": [{"field": "due", "op": "gt", "value": "2030-01-01"},'
                ' {"field": "n", "op": "eq", "value": 1}]}',
                '{"field": "owner", "op": "ne", "value": "ann"}',
                '{"field": "tenant_no", "op": "gt", "value": 0}',
                '{"field": "n) OR (true", "op": "eq", "value": 1}',
                "{}",
            )
        ),
    ),
    Attack(
        "filters that ought to fail on some row",
        "an error would tell that there is such a row",
        tuple(
            f"SELECT document_id FROM ragspine.search('return an order', 50, filter => '{text}')"
            for text in (
                '{"field": "due", "op": "eq", "value": "0001-01-01T00:00:00Z"}',
                '{"field": "n", "op": "lt", "value": 1e-400}',
                '{"field": "n", "op": "gt", "value": 1e4000}',
                '{"field": "owner", "op": "prefix", "value": ""}',
                '{"field": "owner", "op": "contains_all", "value": []}',
            )
        ),
    ),
    Attack(
        "libraries by name",
        "one that is hidden is like one that does not exist",
        (
            "SELECT document_id FROM ragspine.search('return', 50, libraries => ARRAY['handbook', 'nowhere'])",
            "SELECT document_id FROM ragspine.search('return', 50, libraries => '{}')",
            "SELECT document_id FROM ragspine.search('return', 50, libraries => ARRAY[NULL, '', '%'])",
            "SELECT * FROM ragspine.readable_libraries_v1(NULL, '{\"handbook\": 1}')",
            'SELECT * FROM ragspine.readable_libraries_v1(NULL, \'{"handbook": 3, "nowhere": 1}\')',
            "SELECT * FROM ragspine.readable_descriptions_v1(NULL, 'how work')",
        ),
    ),
    Attack(
        "documents and locators",
        "explain and verify answer for what can be read alone",
        (
            "SELECT n, ragspine.find_document_v1(l, d) FROM unnest(ARRAY['handbook', 'nowhere', NULL]) WITH"
            " ORDINALITY AS l(l, n),"
            " unnest(ARRAY['open', 'staff', 'books', 'nowhere', '%', NULL]) AS d",
            "SELECT ragspine.verify_locator('handbook', 'open', 'char=0,999999999;sha256=' || repeat('0', 64))",
            "SELECT ragspine.verify_locator('handbook', 'open', 'char=9,1;sha256=' || repeat('0', 64))",
        ),
    ),
    Attack(
        "forged cursors",
        "a cursor names versions and chunks, and is the caller's to change",
        (
            "SELECT ragspine.write_cursor_v1(ragspine.search_request_v1('return', 'auto', NULL, NULL),"
            " '{\"handbook\": 1}', '{\"handbook\": []}') IS NOT NULL",
            *(
                "SELECT document_id, index_version FROM ragspine.search('return', 50, after =>"
                " ragspine.write_cursor_v1("
                f"ragspine.search_request_v1('return', 'auto', NULL, NULL), '{versions}', '{{}}'))"
                for versions in ('{"handbook": 1}', '{"handbook": 9}', '{"nowhere": 1}', '{"handbook": "1"}', "{}")
            ),
            "SELECT * FROM ragspine.search('return', after => 'x')",
        ),
    ),
    Attack(
        "arguments out of bounds",
        "errors are ours, and quote nothing that is stored",
        (
            "SELECT * FROM ragspine.search('return', 0)",
            "SELECT * FROM ragspine.search('return', 2147483647)",
            "SELECT * FROM ragspine.search(repeat('return ', 100000))",
            "SELECT count(*) FROM ragspine.search((SELECT string_agg('w' || n, ' ') FROM generate_series(1, 3000) AS"
            " n))",
            "SELECT * FROM ragspine.search('return', min_score => 'NaN')",
            "SELECT * FROM ragspine.search('return', min_score => '-Infinity')",
            "SELECT * FROM ragspine.lexical_leg_v1(4, E'\\\\x00', 5)",
            "SELECT * FROM ragspine.vector_leg_v1(4, '{space}', '[1,2,3]', 5)",
            "SELECT * FROM ragspine.vector_leg_v1(4, 'another', '{embedding}', 5)",
            "SELECT * FROM ragspine.vector_leg_v1(4, '{space}', NULL, 5)",
            "SELECT * FROM ragspine.vector_leg_v1(99, 'another', '[1]', 5)",
            "SELECT * FROM ragspine.search('return', fusion => '{\"method\": \"x\"}')",
            "SELECT * FROM ragspine.search('return', mode => 'all')",
        ),
    ),
    Attack(
        "functions that are the owner's",
        "each refuses whoever is not meant to call it",
        (
            "SELECT ragspine.compile_filter_v1('{}', 1, 1, ARRAY[1])",
            "SELECT ragspine.lexical_scan_v1(NULL, NULL)",
            "SELECT * FROM ragspine.caller_v1()",
            "SELECT ragspine.matching_documents_v1('{}', 1, 1, ARRAY[1])",
            "SELECT ragspine.admits_v1(g, 1, 1) FROM ragspine.granted_v1() AS g",
            "SELECT * FROM ragspine.weigh_terms_v1(1, 1, ARRAY[1, 2, 3, 4, 5], 'return')",
            "SELECT ragspine.vector_scan_v1(1, 'cosine', 64, false, false)",
            "SELECT ragspine.document_slice_v1(1, 1, 0, 99)",
            "SELECT ragspine.vector_index_ddl_v1(1, 1)",
            "SELECT ragspine.refresh_planner_v1(1, 1)",
            "SELECT * FROM ragspine.list_unrecalled_v1(1, 1, ARRAY[1], ARRAY['[1]'])",
            "SELECT ragspine.acl_class_no_v1(1, 'PUBLIC', true, '{}')",
            "SELECT ragspine.environment_v1()",
        ),
    ),
    Attack(
        "every function there is, without arguments that fit",
        "what may be executed is what the table of rights says, whichever function it is",
        "SELECT p.oid::regprocedure FROM pg_proc AS p WHERE pronamespace = 'ragspine'::regnamespace"
        " AND has_function_privilege(p.oid, 'EXECUTE') AND prosecdef ORDER BY p.oid::regprocedure::text",
    ),
    Attack(
        "statistics of the readable corpus",
        "N and df are of what the caller may read, so scores tell of nothing else",
        (
            "SELECT document_id, score FROM ragspine.search_lexical('return an order within thirty days', 50)",
            "SELECT * FROM ragspine.query_terms_v1(4, 'return order within thirty days title')",
            "SELECT document_id, score FROM ragspine.search('return order', 50, query_embedding => '{embedding}',"
            " query_space => '{space}', mode => 'hybrid', fusion => '{\"method\": \"convex\"}')",
        ),
    ),
]
