"""One call of the API: reading, writing, actions and streams below an API route.

ApiCall(request, path, store, behaviour, manner).answer()
"""

import re
from collections.abc import Callable
from dataclasses import replace
from functools import cached_property
from typing import Any, Final
from urllib.parse import quote

from batuta.sandbox.behaviour import Behaviour
from batuta.sandbox.errors import EntityChangedError, MethodNotAllowedError
from batuta.sandbox.filter_sql import fields_of
from batuta.sandbox.filter_syntax import FilterComparison, FilterField, FilterJunction, FilterLiteral
from batuta.sandbox.metadata import csdl_json, csdl_xml, service_document
from batuta.sandbox.paths import ApiPath
from batuta.sandbox.query import LARGEST_PAGE, SystemQueryOptions, parse_options, parse_query
from batuta.sandbox.quirks import DEFAULT_FILTERS, Manner, Quirks
from batuta.sandbox.reading import ReadLinks, RecordReader, RecordScope, etag, key_text
from batuta.sandbox.records import Records, SandboxStore
from batuta.sandbox.requests import SandboxRequest, SandboxResponse
from batuta.sandbox.resources import ApiResource, ResourceKind, ResourceResolver, missing
from batuta.sandbox.streams import StreamStore
from batuta.sandbox.values import Row
from batuta.sandbox.writing import RecordWriter

_PAGE_SIZE: Final = re.compile(r"(?:odata\.)?maxpagesize\s*=\s*(\d{1,9})", re.IGNORECASE)


class ApiCall:
    """Answers one request; refuses by raising `SandboxError`."""

    def __init__(
        self, request: SandboxRequest, path: ApiPath, store: SandboxStore, behaviour: Behaviour, manner: Manner
    ) -> None:
        self._request = request
        self._path = path
        self._store = store
        self._behaviour = behaviour
        self._given = parse_query(request.query)
        self._quirks = Quirks(manner=manner, has_schema_2_1=self._given.get("$schemaversion") == "2.1")
        self._root = f"{request.origin}{path.root}"
        has_metadata = "odata.metadata=none" not in request.header("accept").replace(" ", "").lower()
        self._links = ReadLinks(root=self._root, has_metadata=has_metadata)
        self._reader = RecordReader(store, behaviour, self._quirks, self._links)

    def answer(self) -> SandboxResponse:
        """The response to the request."""
        self._check_intent()
        names = [segment.name for segment in self._path.segments]
        if not names:
            self._only("GET")
            return SandboxResponse.of_json(service_document(self._store.schema, self._path.route, self._root))
        if names == ["$metadata"]:
            self._only("GET")
            return self._metadata()
        resource = self._resource
        return self._handler(resource)(resource)

    @cached_property
    def _resource(self) -> ApiResource:
        resolver = ResourceResolver(self._store, self._reader, self._behaviour)
        named = self._given.get("company") or self._request.header("company") or None
        return resolver.resolve(self._path, named)

    def _handler(self, resource: ApiResource) -> Callable[[ApiResource], SandboxResponse]:
        """The method that answers: by what the path names and what is to be done with it."""
        is_stream = resource.kind in (ResourceKind.PROPERTY, ResourceKind.RAW_VALUE) and any(
            each.name == resource.name for each in resource.entity.streams
        )
        handlers: dict[tuple[ResourceKind, str], Callable[[ApiResource], SandboxResponse]] = {
            (ResourceKind.COLLECTION, "GET"): self._list,
            (ResourceKind.COLLECTION, "POST"): self._create,
            (ResourceKind.COUNT, "GET"): self._count,
            (ResourceKind.ENTITY, "GET"): self._get,
            (ResourceKind.ENTITY, "PATCH"): self._change,
            (ResourceKind.ENTITY, "DELETE"): self._remove,
            (ResourceKind.PROPERTY, "GET"): self._read_stream if is_stream else self._property,
            (ResourceKind.RAW_VALUE, "GET"): self._read_stream if is_stream else self._raw_value,
            (ResourceKind.ACTION, "POST"): self._act,
        }
        if is_stream:
            handlers |= {(resource.kind, method): self._write_stream for method in ("PATCH", "PUT")}
        is_set_method = resource.kind in (ResourceKind.COLLECTION, ResourceKind.ENTITY)
        allowed = {
            method: handler
            for (kind, method), handler in handlers.items()
            if kind is resource.kind and (not is_set_method or method in resource.entity.methods)
        }
        method = "GET" if self._request.method == "HEAD" else self._request.method
        if method not in allowed:
            name = resource.name or resource.entity.name
            raise MethodNotAllowedError(f"{method[:20]} is not allowed on {name}.", allowed)
        return allowed[method]

    def _list(self, resource: ApiResource) -> SandboxResponse:
        self._check_required_filter(resource, self._options)
        options = self._with_default_filter(resource, self._options)
        size, preferred = self._page_size()
        page = self._reader.page(resource.scope, options, size=size)
        body: dict[str, Any] = {"@odata.context": self._context(resource.scope)} if self._links.has_metadata else {}
        if page.count is not None:
            body["@odata.count"] = page.count
        body["value"] = page.rows
        if page.next_token is not None:
            body["@odata.nextLink"] = self._next_link(page.next_token, len(page.rows))
        applied = {"Preference-Applied": f"odata.maxpagesize={size}"} if preferred else {}
        return SandboxResponse.of_json(body, headers=applied)

    def _count(self, resource: ApiResource) -> SandboxResponse:
        self._check_required_filter(resource, self._options)
        count = self._reader.count(resource.scope, self._with_default_filter(resource, self._options))
        return SandboxResponse(status=200, headers={"Content-Type": "text/plain"}, body=str(count).encode())

    def _get(self, resource: ApiResource) -> SandboxResponse:
        self._check_parent(resource)
        return self._shown(resource.scope, 200)

    def _property(self, resource: ApiResource) -> SandboxResponse:
        value = self._value_of(resource)
        context = f"{self._context(resource.scope)}/{resource.name}"
        return SandboxResponse.of_json({"@odata.context": context, "value": value})

    def _raw_value(self, resource: ApiResource) -> SandboxResponse:
        value = self._value_of(resource)
        text = str(value).lower() if isinstance(value, bool) else str(value)
        return SandboxResponse(status=200, headers={"Content-Type": "text/plain;charset=utf-8"}, body=text.encode())

    def _create(self, resource: ApiResource) -> SandboxResponse:
        records = self._records(resource)
        entity = resource.entity
        linked = self._linked(resource)
        row = self._writer(records).create(entity, self._request.json(), linked)
        scope = self._scope_of(resource, records, row)
        shown = self._shown(scope, 201)
        place = self._links.of(entity, resource.scope.company, key_text(entity, scope.equals))
        return replace(shown, headers={**shown.headers, "Location": place})

    def _change(self, resource: ApiResource) -> SandboxResponse:
        records, row = self._matched(resource)
        changed = self._writer(records).change(resource.entity, row, self._request.json())
        return self._shown(self._scope_of(resource, records, changed), 200)

    def _remove(self, resource: ApiResource) -> SandboxResponse:
        records, row = self._matched(resource)
        self._writer(records).remove(resource.entity, row)
        StreamStore(records, self._behaviour).forget(resource.entity, row)
        return SandboxResponse(status=204)

    def _act(self, resource: ApiResource) -> SandboxResponse:
        records = self._records(resource)
        row = self._existing(resource, records)
        payload = self._request.json() if self._request.body.strip() else {}
        self._writer(records).act(resource.entity, resource.entity.actions[resource.name], row, payload)
        return SandboxResponse(status=204)

    def _read_stream(self, resource: ApiResource) -> SandboxResponse:
        records = self._records(resource)
        row = self._existing(resource, records)
        content = StreamStore(records, self._behaviour).read(resource.entity, row, resource.name)
        if content is None:
            return SandboxResponse(status=204)
        return SandboxResponse(status=200, headers={"Content-Type": content.media_type}, body=content.body)

    def _write_stream(self, resource: ApiResource) -> SandboxResponse:
        records, row = self._matched(resource)
        streams = StreamStore(records, self._behaviour)
        media_type = self._request.header("content-type", "application/octet-stream")
        streams.write(resource.entity, row, resource.name, media_type, self._request.body)
        return SandboxResponse(status=204)

    @cached_property
    def _options(self) -> SystemQueryOptions:
        return parse_options(self._given)

    def _metadata(self) -> SandboxResponse:
        wanted = self._given.get("$format", "") or self._request.header("accept")
        if "json" in wanted and "xml" not in wanted:
            return SandboxResponse.of_json(csdl_json(self._path.route))
        body = csdl_xml(self._path.route).encode()
        return SandboxResponse(status=200, headers={"Content-Type": "application/xml"}, body=body)

    def _shown(self, scope: RecordScope, status: int) -> SandboxResponse:
        row = self._reader.one(scope, self._options)
        if row is None:
            raise missing(scope)
        body = {"@odata.context": f"{self._context(scope)}/$entity", **row} if self._links.has_metadata else row
        tag = {"ETag": row["@odata.etag"]} if "@odata.etag" in row else {}
        return SandboxResponse.of_json(body, status, tag)

    def _value_of(self, resource: ApiResource) -> Any:
        row = self._reader.one(resource.scope, SystemQueryOptions(select=(resource.name,)))
        if row is None:
            raise missing(resource.scope)
        return row[resource.name]

    def _records(self, resource: ApiResource) -> Records:
        return self._store.records(resource.scope.company)

    def _writer(self, records: Records) -> RecordWriter:
        return RecordWriter(records, self._behaviour, self._quirks)

    def _linked(self, resource: ApiResource) -> Row:
        """What the place in the path decides about a new record, in Python values."""
        columns = self._store.table(resource.entity.name).columns
        return {name: columns[name].decode(value) for name, value in resource.scope.equals.items()}

    def _scope_of(self, resource: ApiResource, records: Records, row: Row) -> RecordScope:
        columns = self._store.table(resource.entity.name).columns
        equals = {name: columns[name].encode(row[name]) for name in resource.entity.identity}
        return RecordScope(entity=resource.entity, company=records.company, equals=equals)

    def _existing(self, resource: ApiResource, records: Records) -> Row:
        self._check_parent(resource)
        identity = self._reader.stored(resource.scope, resource.entity.identity)
        columns = self._store.table(resource.entity.name).columns
        decoded = [
            columns[name].decode(value) for name, value in zip(resource.entity.identity, identity or (), strict=False)
        ]
        row = records.get(resource.entity.name, *decoded) if identity else None
        if row is None:
            raise missing(resource.scope)
        return row

    def _matched(self, resource: ApiResource) -> tuple[Records, Row]:
        """The record to change, when the ETag that the client saw is still its own."""
        records = self._records(resource)
        given = self._request.header("if-match").strip()
        if not given or not (given == "*" or given.startswith(('W/"', '"'))):
            self._quirks.meet("missing_if_match")
        row = self._existing(resource, records)
        if given != "*":
            scope = self._scope_of(resource, records, row)
            version = records.version(resource.entity.name, *records.key_of(resource.entity.name, row))
            if given != etag(resource.entity, scope.equals, version):
                raise EntityChangedError("The record was changed by another request: read it again.")
        return records, row

    def _with_default_filter(self, resource: ApiResource, options: SystemQueryOptions) -> SystemQueryOptions:
        name, value = DEFAULT_FILTERS.get(resource.entity.name, ("", ""))
        named = fields_of(options.filter) if options.filter is not None else set()
        if not name or named & {name, "id"}:
            return options
        test = FilterComparison("eq", FilterField(name), FilterLiteral("string", value))
        return replace(options, filter=FilterJunction("and", options.filter, test) if options.filter else test)

    def _check_required_filter(self, resource: ApiResource, options: SystemQueryOptions) -> None:
        """Some sets are read only below their parent, or with a filter that names it."""
        if resource.is_below_parent:
            return
        named = fields_of(options.filter) if options.filter is not None else set()
        rules = resource.entity.rules_of("filterRequired")
        wanted = {name for rule in rules for name in rule.fields}
        if rules and (not named or (wanted and not named & wanted)):
            shown = " or ".join(sorted(wanted)) or "a field of its parent"
            self._quirks.meet("missing_filter", f"{resource.entity.name} is read with a filter on {shown}.")
        if resource.entity.rules_of("accessViaParent") and "parentId" not in named:
            self._quirks.meet("missing_filter", f"{resource.entity.name} is read below its parent.")

    def _check_parent(self, resource: ApiResource) -> None:
        repeated = resource.entity.identity != resource.entity.key
        if repeated and resource.entity.identity[0] not in resource.scope.equals:
            self._quirks.meet("missing_filter", f"{resource.entity.name} is read below its parent.")

    def _page_size(self) -> tuple[int, bool]:
        found = _PAGE_SIZE.search(self._request.header("prefer"))
        if found is None:
            return LARGEST_PAGE, False
        return min(max(int(found[1]), 1), LARGEST_PAGE), True

    def _next_link(self, token: str, shown: int) -> str:
        given = {name: value for name, value in self._given.items() if name not in ("$skiptoken", "$skip")}
        if self._options.top is not None:
            given["$top"] = str(self._options.top - shown)
        given["$skiptoken"] = token
        query = "&".join(f"{quote(name, safe='$')}={quote(value, safe='')}" for name, value in given.items())
        return f"{self._request.origin}{self._request.path}?{query}"

    def _context(self, scope: RecordScope) -> str:
        place = f"companies({scope.company})/" if scope.entity.is_in_company else ""
        return f"{self._root}/$metadata#{place}{scope.entity.name}"

    def _check_intent(self) -> None:
        intent = self._request.header("data-access-intent").lower()
        if intent == "readonly" and self._request.method not in ("GET", "HEAD"):
            self._quirks.meet("data_access_intent_on_write")

    def _only(self, method: str) -> None:
        if self._request.method not in (method, "HEAD"):
            raise MethodNotAllowedError(f"{self._request.method[:20]} is not allowed here.", [method])
