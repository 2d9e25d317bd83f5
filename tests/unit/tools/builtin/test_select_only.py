"""One SELECT and nothing else (F-56, SE-13)."""

import pytest

from batuta.kernel.errors import ToolFailedError, ToolRefusedError
from batuta.tools.builtin.select_only import FUNCTIONS, SelectRules

POSTGRES = SelectRules(dialect="postgres")
SQLITE = SelectRules(dialect="sqlite")
LISTED = SelectRules(dialect="postgres", tables=frozenset({"orders", "sales.regions"}))

READS = [
    "SELECT 1",
    "select * from orders;",
    "SELECT o.id, c.name FROM orders o JOIN customers c ON c.id = o.customer_id WHERE o.total > 10 ORDER BY 1 LIMIT 5",
    "SELECT count(*), sum(total), avg(total), min(day), max(day) FROM orders GROUP BY status HAVING count(*) > 1",
    "WITH recent AS (SELECT * FROM orders WHERE day > '2026-01-01') SELECT * FROM recent",
    "WITH RECURSIVE n AS (SELECT 1 AS x UNION ALL SELECT x + 1 FROM n WHERE x < 5) SELECT * FROM n",
    "SELECT a FROM t UNION ALL SELECT b FROM u EXCEPT SELECT c FROM v",
    "(SELECT 1)",
    "SELECT CASE WHEN total > 5 THEN 'big' ELSE 'small' END FROM orders",
    "SELECT row_number() OVER (PARTITION BY status ORDER BY day) FROM orders",
    "SELECT coalesce(name, 'none'), lower(name), substr(name, 1, 2), round(total, 2) FROM customers",
    "SELECT 'DROP TABLE orders; --' AS words FROM orders",
    'SELECT "delete", "update" FROM orders',
    "SELECT * FROM (SELECT id FROM orders) AS inside WHERE EXISTS (SELECT 1 FROM customers)",
    "SELECT /* a comment */ 1 -- another",
]


@pytest.mark.parametrize("sql", READS)
@pytest.mark.parametrize("rules", [POSTGRES, SQLITE], ids=["postgres", "sqlite"])
def test_a_select_passes(rules: SelectRules, sql: str) -> None:
    assert rules.checked(sql)


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT date_trunc('month', day), extract(year from day), to_char(day, 'YYYY') FROM orders",
        "SELECT string_agg(name, ','), array_agg(id) FILTER (WHERE id > 1) FROM customers",
        "SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY total) FROM orders",
        "SELECT day - interval '7 days', now(), current_date, data ->> 'city' FROM orders",
        "SELECT total::numeric(10,2), name ILIKE 'a%', split_part(name, ' ', 1) FROM customers",
        "SELECT a::int[], b::timestamptz, c::jsonb, d::uuid, e::citext, f::double precision, g::inet FROM orders",
        "SELECT public.orders.total FROM public.orders TABLESAMPLE system (10)",
        'SELECT * FROM "user"',
    ],
)
def test_usual_functions_of_postgres_pass(sql: str) -> None:
    assert POSTGRES.checked(sql)


@pytest.mark.parametrize(
    "sql",
    ["SELECT strftime('%Y', day), date('now'), ifnull(name, ''), total(x), group_concat(name) FROM orders"],
)
def test_usual_functions_of_sqlite_pass(sql: str) -> None:
    assert SQLITE.checked(sql)


REFUSED = [
    # more than one
    "SELECT 1; SELECT 2",
    "SELECT 1; DROP TABLE orders",
    "SELECT 1; COMMIT; DELETE FROM orders",
    "SELECT 1;/**/DELETE FROM orders",
    "COMMIT; DROP TABLE orders",
    "SELECT 1 --\n; DELETE FROM orders",
    "SELECT $$a$$; DELETE FROM orders",
    # not a SELECT
    "INSERT INTO orders VALUES (1)",
    "UPDATE orders SET total = 0",
    "DELETE FROM orders",
    "MERGE INTO orders USING x ON true WHEN MATCHED THEN DELETE",
    "DROP TABLE orders",
    "CREATE TABLE x AS SELECT * FROM orders",
    "CREATE VIEW x AS SELECT 1",
    "ALTER TABLE orders ADD COLUMN x int",
    "TRUNCATE orders",
    "GRANT ALL ON orders TO public",
    "BEGIN",
    "COMMIT",
    "ROLLBACK",
    "SET ROLE postgres",
    "SET statement_timeout = 0",
    "RESET ALL",
    "SHOW server_version",
    "DO $$ BEGIN DELETE FROM orders; END $$",
    "CALL purge()",
    "EXECUTE plan",
    "PREPARE p AS DELETE FROM orders",
    "EXPLAIN ANALYZE DELETE FROM orders",
    "VACUUM",
    "ANALYZE orders",
    "LOCK TABLE orders",
    "LISTEN channel",
    "NOTIFY channel",
    "COPY orders TO '/tmp/x'",
    "COPY orders FROM PROGRAM 'id'",
    "COPY (SELECT 1) TO PROGRAM 'id'",
    "VALUES (1)",
    "PRAGMA writable_schema = 1",
    "ATTACH DATABASE '/tmp/x' AS x",
    "DETACH DATABASE x",
    "REINDEX",
    "COMMENT ON TABLE orders IS 'x'",
    "LOAD 'module'",
    "USE other",
    "KILL 1",
    # a SELECT that writes
    "WITH gone AS (DELETE FROM orders RETURNING *) SELECT * FROM gone",
    "WITH made AS (INSERT INTO orders VALUES (1) RETURNING id) SELECT * FROM made",
    "WITH done AS (UPDATE orders SET total = 0 RETURNING *) SELECT * FROM done",
    "SELECT * FROM (WITH gone AS (DELETE FROM orders RETURNING *) SELECT * FROM gone) AS x",
    "SELECT * INTO copy FROM orders",
    "SELECT * FROM orders FOR UPDATE",
    "SELECT * FROM orders FOR SHARE",
    # functions that do something, read something, or take for ever
    "SELECT pg_sleep(60)",
    "SELECT pg_read_file('/etc/passwd')",
    "SELECT pg_ls_dir('/')",
    "SELECT * FROM pg_ls_dir('/')",
    "SELECT lo_import('/etc/passwd')",
    "SELECT lo_export(1, '/tmp/x')",
    "SELECT dblink('host=x', 'DELETE FROM orders')",
    "SELECT query_to_xml('DELETE FROM orders', true, true, '')",
    "SELECT nextval('orders_id_seq')",
    "SELECT setval('orders_id_seq', 1)",
    "SELECT set_config('role', 'postgres', false)",
    "SELECT current_setting('data_directory')",
    "SELECT pg_terminate_backend(1)",
    "SELECT pg_advisory_lock(1)",
    "SELECT pg_catalog.pg_sleep(60)",
    "SELECT public.purge()",
    'SELECT "pg_sleep"(60)',
    "SELECT count(*) FROM orders WHERE purge(id)",
    "SELECT 1 ORDER BY pg_sleep(1)",
    "SELECT load_extension('/tmp/x.so')",
    "SELECT readfile('/etc/passwd')",
    "SELECT writefile('/tmp/x', 'y')",
    "SELECT randomblob(1000000000)",
    "SELECT zeroblob(1000000000)",
    "SELECT * FROM generate_series(1, 1000000000)",
    "SELECT repeat('x', 1000000000)",
    "SELECT version(), current_user",
    "SELECT sum(total) OVER (ORDER BY pg_sleep(1)) FROM orders",
    # functions that are called without brackets
    "SELECT (t).purge FROM orders t",
    "SELECT ('/etc/passwd'::text).pg_read_file",
    "SELECT (CAST('/etc/passwd' AS text)).pg_read_file",
    "SELECT (SELECT o FROM orders o LIMIT 1).purge",
    "SELECT t.pg_read_file FROM lower('/etc/passwd') AS t",
    "SELECT lower.pg_read_file FROM lower('/etc/passwd')",
    "SELECT t.pg_read_file FROM coalesce('/etc/passwd'::text) AS t(x)",
    "SELECT t.pg_read_file FROM orders, LATERAL lower('/etc/passwd') t",
    "SELECT 1 OPERATOR(public.+) 2",
    "SELECT a OPERATOR(pg_catalog.+) b FROM orders",
    "SELECT public.lower('x')",
    "SELECT * FROM public.lower('x') AS t",
    "SELECT 'orders'::regclass",
    "SELECT CAST('purge' AS regprocedure)",
    "SELECT CAST(name AS public.checked) FROM customers",
    "SELECT CAST(name AS checked) FROM customers",
    "SELECT CAST('{a}' AS checked[]) FROM customers",
    "SELECT * FROM orders TABLESAMPLE purge (1)",
    # catalogues
    "SELECT * FROM current_user",
    "SELECT * FROM pg_shadow",
    "SELECT * FROM pg_catalog.pg_authid",
    "SELECT * FROM information_schema.tables",
    "SELECT * FROM sqlite_master",
    "SELECT sql FROM SQLITE_SCHEMA",
    "SELECT * FROM orders UNION SELECT rolname FROM pg_roles",
    "SELECT (SELECT passwd FROM pg_shadow LIMIT 1)",
    "SELECT * FROM other_database.public.orders",
    "SELECT * FROM pg_shadow WHERE EXISTS (WITH pg_shadow AS (SELECT 1) SELECT * FROM pg_shadow)",
    "WITH pg_shadow AS (SELECT * FROM pg_shadow) SELECT * FROM pg_shadow",
    # values from elsewhere
    "SELECT * FROM orders WHERE id = $1",
    "SELECT * FROM orders WHERE id = :id",
    "SELECT * FROM orders WHERE id = ?",
    "SELECT @@version",
    # sizes
    "SELECT " + "1+" * 6000 + "1",
    "SELECT 1\0; DROP TABLE orders",
]  # fmt: skip


@pytest.mark.parametrize("sql", REFUSED)
@pytest.mark.parametrize("rules", [POSTGRES, SQLITE], ids=["postgres", "sqlite"])
def test_everything_else_is_refused(rules: SelectRules, sql: str) -> None:
    with pytest.raises((ToolRefusedError, ToolFailedError)):
        rules.checked(sql)


def test_a_type_before_its_text_is_a_cast_too() -> None:
    """For SQLite it is a column and its alias."""
    with pytest.raises(ToolRefusedError, match="REGCLASS is not allowed in a cast"):
        POSTGRES.checked("SELECT regclass 'orders'")


@pytest.mark.parametrize("sql", ["", " ", ";", "-- nothing", "SELEC 1", "SELECT FROM WHERE", "((((", "SELECT 'open"])
def test_what_is_no_sql_fails(sql: str) -> None:
    with pytest.raises((ToolRefusedError, ToolFailedError)):
        POSTGRES.checked(sql)


def test_deep_nesting_is_refused_and_does_not_crash() -> None:
    with pytest.raises((ToolRefusedError, ToolFailedError)):
        POSTGRES.checked("SELECT " + "(" * 4_000 + "1" + ")" * 4_000)


def test_comments_do_not_reach_the_database() -> None:
    assert POSTGRES.checked("SELECT /* one */ 1 -- two") == "SELECT 1"


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT * FROM orders",
        "SELECT * FROM sales.regions r JOIN ORDERS o ON o.region = r.id",
        "WITH x AS (SELECT * FROM orders), y AS (SELECT * FROM x) SELECT * FROM y",
    ],
)
def test_listed_tables_may_be_read(sql: str) -> None:
    assert LISTED.checked(sql)


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT * FROM salaries",
        "SELECT * FROM private.orders",
        "SELECT * FROM orders, salaries",
        "SELECT * FROM orders WHERE id IN (SELECT id FROM salaries)",
        "WITH salaries AS (SELECT * FROM salaries) SELECT * FROM salaries",
        "SELECT * FROM salaries WHERE EXISTS (WITH salaries AS (SELECT 1) SELECT 1 FROM salaries)",
        "WITH a AS (SELECT * FROM b), b AS (SELECT 1) SELECT * FROM a",
        "SELECT * FROM regions",
    ],
)
def test_other_tables_may_not_be_read_under_any_name(sql: str) -> None:
    with pytest.raises(ToolRefusedError, match="not allowed"):
        LISTED.checked(sql)


SERIES = SelectRules(dialect="postgres", functions=FUNCTIONS | {"explodinggenerateseries"})


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT n FROM generate_series(1, 3) AS n",
        "SELECT s.n, s.* FROM generate_series(1, 3) AS s(n) JOIN orders o ON o.id = s.n",
    ],
)
def test_a_function_that_was_listed_may_stand_in_from(sql: str) -> None:
    assert SERIES.checked(sql)


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT s.pg_cancel_backend FROM generate_series(1, 3) AS s(n)",
        "SELECT (SELECT S.pg_sleep) FROM generate_series(1, 3) AS s",
        "SELECT generate_series.pg_sleep FROM generate_series(1, 3)",
    ],
)
def test_nothing_but_its_columns_is_asked_of_what_a_function_gave(sql: str) -> None:
    """PostgreSQL would call a function of that name with the value."""
    with pytest.raises(ToolRefusedError, match=r"AS name\(column\)"):
        SERIES.checked(sql)
