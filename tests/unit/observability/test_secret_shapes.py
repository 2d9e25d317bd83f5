"""Secrets as they stand in real logs, headers, dumps and stacks are taken out; ordinary sentences stay (T-24).

The shapes were collected from how such texts look, not from the patterns that find them.
"""

import time

import pytest

from batuta.observability.redaction import Redactor
from batuta.observability.secret_shapes import searched

S = "hunter2Zx"
"""The secret; each shape says where it stands."""

SHAPES = [
    # dumps of an environment
    f"POSTGRES_PASSWORD={S}",
    f"export PGPASSWORD='{S}'",
    f"MYSQL_PWD={S}",
    f"db_password={S}",
    f"DB_PASS={S}",
    f"OPENAI_API_KEY={S}",
    f"ANTHROPIC_API_KEY: {S}",
    f"SECRET_KEY={S}",
    f"DJANGO_SECRET_KEY = '{S}'",
    f"AWS_SECRET_ACCESS_KEY={S}",
    f"BATUTA_SESSION_SECRET={S} BATUTA_ENV=production",
    f"environ({{'HOME': '/root', 'REDIS_PASSWORD': '{S}', 'LANG': 'C'}})",
    f'declare -x SMTP_PASSWORD="{S}"',
    f"set DATABASE_PASSWORD={S}",
    # connection strings
    f"redis://:{S}@cache:6379/0",
    f"postgres://:{S}@db/app",
    f"postgresql+asyncpg://app:{S}@db.internal:5432/app?sslmode=require",
    f"amqp://guest:{S}@rabbit//",
    f"mongodb+srv://ana:{S}@cluster0.example.net/test?retryWrites=true",
    f"mongodb://ana:p@{S}@host/x",
    f"https://{S}@github.com/acme/app.git",
    f"Server=db;Database=app;User Id=sa;Password={S};Encrypt=True",
    f"jdbc:postgresql://db/app?user=ana&password={S}&ssl=true",
    f"app:{S}@tcp(db:3306)/shop",
    f"DefaultEndpointsProtocol=https;AccountName=a;AccountKey={S};EndpointSuffix=core.windows.net",
    f"Endpoint=sb://x.servicebus.windows.net/;SharedAccessKeyName=root;SharedAccessKey={S}",
    f"host=db port=5432 user=ana password={S} dbname=app",
    f"could not connect: connection string 'host=db pwd={S}'",
    # headers
    f"Authorization: Bearer {S}",
    f"Authorization: ApiKey {S}",
    f"Authorization: Token token={S}",
    f"authorization: Basic {S}",
    f'> Authorization: Digest username="ana", realm="x", response="{S}"',
    f"Proxy-Authorization: Basic {S}",
    f"Cookie: theme=dark; batuta_session={S}; lang=es",
    f"Set-Cookie: sid={S}; Path=/; HttpOnly",
    f"cookie: a=b; sid={S}",
    f"X-Api-Key: {S}",
    f"x-goog-api-key: {S}",
    f"X-Amz-Security-Token: {S}",
    f"X-CSRF-Token: {S}",
    f"headers={{'Authorization': 'Bearer {S}', 'Accept': '*/*'}}",
    f"[(b'authorization', b'Bearer {S}abcdefg')]",
    f"curl -H 'Authorization: Bearer {S}' https://api.example.com",
    f"curl -u ana:{S} https://api.example.com",
    # JSON, YAML, TOML, XML and what Python prints
    f'{{"password": "{S}"}}',
    f'{{"password":"correct horse {S} staple"}}',
    f'{{\\"client_secret\\": \\"{S}\\"}}',
    f"{{'api_key': 'ab {S}'}}",
    f'{{"api_keys": ["one", "{S}"]}}',
    f'"refresh_token" : "{S}"',
    f'{{"accessToken":"{S}","expiresIn":3600}}',
    f'{{"clientSecret": "{S}"}}',
    f'password: "correct horse {S}"',
    f"  db:\n    user: ana\n    password: {S}\n",
    f'private_key = "{S}"',
    f"<password>{S}</password>",
    f"<soap:Password>{S}</soap:Password>",
    f"Settings(user='ana', password='{S}', port=5432)",
    f"Login(password=SecretStr('{S}'))",
    f"config['DB_PASSWORD'] = '{S}'",
    f':password=>"{S}"',
    f"INSERT INTO users (name) VALUES ('x') -- password := '{S}'",
    # addresses
    f"GET /callback?code={S}&state=1",
    f"GET /v1/models?key={S}",
    f"https://x.blob.core.windows.net/a?sv=1&sig={S}%2Fdef",
    f"https://api.example/v1?access_token={S}&page=2",
    f"/reset?token={S}",
    f"redirect_uri=https%3A%2F%2Fapp%2F%3Faccess_token%3D{S}",
    f"https://bucket.s3.amazonaws.com/a?X-Amz-Signature={S}&X-Amz-Expires=60",
    f"https://hooks.slack.com/services/T000/B000/{S}",
    # command lines, stacks and sentences
    f"mysqldump --password={S} app",
    f"tool --api-key {S} --verbose",
    f"docker login --username ana --password {S} registry",
    f'  File "app.py", line 3, in connect\n    connect(password="{S}")\nOSError: refused',
    f"sqlalchemy.exc.OperationalError: (connection to 'db' failed) dsn: user=ana password={S}",
    f"KeyError while reading api_key={S}",
    f"the password is {S}",
    f"contraseña: {S}",
    f"contraseña={S}",
    f"la contraseña es {S}",
    f"clave: {S}",
    f"login failed for ana, passwd='{S}'",
    f'Invalid login: passphrase="my long {S}"',
    f"webhook_secret: {S}",
    f"JWT_SECRET_KEY={S}",
    f"encryption-key={S}",
    f"auth_token => {S}",
    f"session_key={S}",
    f"credentials: {S}",
]

KEYS = [
    "AWS secret wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
    "whsec_abcdefgh12345678",
    "SG.abcdefghijkl.mnopqrstuvwx",
    "telegram 123456789:AAEhBOweik6ad9r_QXMENQjcrGbqCr4K-bc",
    "GOCSPX-abcdefghijklmnopqrst",
    "DNI 12345678z",
    "josé.pérez@correo.es",
]

ORDINARY = [
    "step 'parse' took 12.5 ms at 2026-11-15T04:22:21Z",
    "max_tokens=512, prompt_tokens: 120, completion_tokens: 30",
    "tokens: 1024 of 4096 used",
    "the secretary: Ana is out today",
    "password is required",
    "password is too short, use at least 12 characters",
    "la contraseña es incorrecta",
    "your password was changed yesterday",
    "error_code=LLM_TIMEOUT status_code=503",
    "Error code: 429 - the provider is busy",
    "cache_key=catalogue:es breaker key=openai",
    "palabra clave: precio",
    "compass: north, bypass: yes",
    "author: Ana Torres",
    "the monkey: a story",
    "exit code: 1",
    "keyboard: es, hotkey: none",
    "tokenizer: cl100k_base",
    "we cannot authorize this: ask the office",
    "https://docs.example.com/guide/tokens?page=2",
    "a meeting at 12:30 with the team",
    'File "/usr/lib/python3.11/asyncio/tasks.py", line 277, in __step',
    "connection to 10.0.0.3:5432 refused",
    "passed: 12, failed: 0, compassed: 1",
    "3 attempts, 2 structural",
    "rerun with -u to update",
    "src/batuta/observability/Redaction3/secrets.py",
]


@pytest.mark.parametrize("text", SHAPES)
def test_a_secret_is_taken_out_of_what_it_stands_in(text: str) -> None:
    assert S in text
    assert S not in Redactor().text(text)


@pytest.mark.parametrize("text", KEYS)
def test_a_secret_is_known_by_its_own_shape(text: str) -> None:
    shown = Redactor().text(text)
    assert text.rsplit(maxsplit=1)[-1] not in shown
    assert "[" in shown


@pytest.mark.parametrize("text", ORDINARY)
def test_an_ordinary_sentence_is_left_as_it_is(text: str) -> None:
    assert Redactor().text(text) == text


def test_what_stands_around_a_secret_is_still_read() -> None:
    shown = Redactor().text(f"POSTGRES_PASSWORD={S} POSTGRES_DB=app; redis://:{S}@cache:6379 refused")
    assert shown == "POSTGRES_PASSWORD=[redacted] POSTGRES_DB=app; redis://[url_user]@cache:6379 refused"


@pytest.mark.parametrize(
    "name",
    ["secret_key", "db_pass", "api_keys", "passwords", "secrets", "clientSecret", "Authorization", "x-api-key",
     "authorization_header", "cookie", "aws_secret_access_key", "contraseña", "refresh_token", "pwd", "private_key"],
)  # fmt: skip
@pytest.mark.parametrize("value", ["abc", ["abc"], {"a": "abc"}])
def test_a_field_is_hidden_by_its_name(name: str, value: object) -> None:
    assert Redactor().fields({name: value}) == {name: "[redacted]"}


@pytest.mark.parametrize("name", ["max_tokens", "tokens", "llm_tokens_used", "secretary", "author", "key", "monkey"])
def test_a_field_with_an_ordinary_name_is_shown(name: str) -> None:
    assert Redactor().fields({name: 5}) == {name: 5}


TENTH = 100_000
LONG = {
    "one word": "a" * 10 * TENTH,
    "words": "password " * TENTH,
    "names without a value": "secret_key_" * TENTH,
    "values": "password=x " * TENTH,
    "open quotes": 'password="' * TENTH,
    "dashes": "--" * 5 * TENTH,
    "almost tokens": "eyJ-" * 2 * TENTH,
    "almost addresses": "://a:b" * TENTH,
    "at signs": "a@" * 5 * TENTH,
    "digits": "1" * 10 * TENTH,
    "groups of digits": "12 34-" * TENTH,
    "slashes": "aB1/" * 2 * TENTH,
    "colons": "a:" * 5 * TENTH,
    "tags": "<password" * TENTH,
    "cookies": "cookie: " * TENTH,
    "percent": "%41" * 3 * TENTH,
    "spaces": "bearer" + " " * 10 * TENTH,
    "begins": "-----BEGIN " * TENTH,
}


@pytest.mark.slow
@pytest.mark.parametrize("kind", LONG)
def test_a_megabyte_is_searched_at_once(kind: str) -> None:
    """A search that goes over its text again and again would take minutes."""
    started = time.process_time()
    searched(LONG[kind])
    assert time.process_time() - started < 10.0


PAY = "91234"
DECLARED = [
    f"salary={PAY}, and so on",
    f'{{"units": 7, "salary": {PAY}}}',
    f"{{'Salary': '{PAY} EUR', 'units': 7}}",
    f'the tool said {{\\"salary\\": \\"{PAY}\\"}}',
    f'{{"salary": {{"base": {{"year": {{"eur": {PAY}}}}}, "bonus": {PAY}}}, "units": 7}}',
    f'{{\n  "salary": [\n    [{PAY}],\n    {PAY}\n  ]\n}}',
    f'"salary": "{"x" * 9_000}{PAY}"',
    f'"salary": {{"left open": {PAY}',
]


@pytest.mark.parametrize("text", DECLARED)
def test_what_a_text_gives_to_a_declared_field_is_taken_out(text: str) -> None:
    """A tool's result, a prompt and an answer are texts: what is declared is hidden in them as in a field."""
    shown = Redactor({"salary"}, has_content=True).text(text, limit=100_000)
    assert PAY not in shown
    assert "[redacted]" in shown
    assert PAY in Redactor(has_content=True).text(text, limit=100_000)


@pytest.mark.parametrize("text", ["the salary of the clerk", "salaryman: 3", "my_salary=5", "salary"])
def test_a_declared_name_that_is_given_nothing_changes_no_text(text: str) -> None:
    assert Redactor({"salary"}).text(text) == text


@pytest.mark.parametrize("text", ["salary:{", "salary:{}", 'salary:"', "salary:[[", 'salary:"\\'])
def test_declared_names_are_searched_in_time_that_grows_with_the_text(text: str) -> None:
    started = time.process_time()
    Redactor({"salary"}).text((text * 20_000)[:100_000])
    assert time.process_time() - started < 2


def test_a_text_that_was_cut_says_so() -> None:
    shown = Redactor(has_content=True).text("x" * 100_001, limit=100_000)
    assert shown.endswith("… (100001 characters)")
