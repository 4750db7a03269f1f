-- What was read from a query, and what an analyzer makes of each clause.
--
-- Params:  query, analyzer.
-- Returns: a row a clause, in order: occurs, kind, content (parse_query_v1), and its lexemes in code-point order.
SELECT p.occurs, p.kind, p.content,
       ARRAY(SELECT a.lexeme FROM ragspine.analyze_v1(p.content, %(analyzer)s) AS a ORDER BY a.lexeme COLLATE "C")
  FROM ragspine.parse_query_v1(%(query)s) AS p
 ORDER BY p.place
