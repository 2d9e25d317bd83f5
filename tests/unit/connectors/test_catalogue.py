"""What the API offers is known offline, found by the words people use, and refreshed from a tenant (A-1)."""

import pytest

from batuta.connectors.business_central.catalogue import load_catalogue
from batuta.connectors.business_central.payloads import draft_request, payload_problems
from batuta.connectors.odata.client import QueryOptions
from batuta.connectors.odata.filters import Compare
from batuta.connectors.odata.metadata import parse_metadata
from batuta.kernel.errors import ConfigurationError, ConnectorRejectedError, MissingRecordError

GUID = "5d115c9c-44e3-ea11-bb43-000d3a2feea1"


@pytest.mark.parametrize(
    ("words", "entity"),
    [
        ("customers", "customers"),
        ("clientes", "customers"),
        ("factura", "salesInvoices"),
        ("invoices", "salesInvoices"),
        ("bill", "purchaseInvoices"),
        ("factura de proveedor", "purchaseInvoices"),
        ("albarán", "salesShipments"),
        ("who owes us", "agedAccountsReceivables"),
        ("quién nos debe", "agedAccountsReceivables"),
        ("presupuesto", "salesQuotes"),
        ("stock movement", "itemLedgerEntries"),
        ("plan de cuentas", "accounts"),
        ("exchange rate", "currencyExchangeRates"),
        ("nota de crédito", "salesCreditMemos"),
    ],
)
def test_an_entity_is_found_by_what_people_call_it(words: str, entity: str) -> None:
    found = load_catalogue().search(words)
    assert found[0].entity.entity_set == entity
    assert found[0].because


def test_nonsense_finds_nothing() -> None:
    assert load_catalogue().search("zzgxqw") == []


def test_an_unknown_entity_names_what_is_near() -> None:
    with pytest.raises(MissingRecordError, match="salesInvoices"):
        load_catalogue().entity("salesInvoicez invoices")


def test_every_relation_leads_to_a_known_entity() -> None:
    catalogue = load_catalogue()
    lost = [
        f"{entity.entity_set}.{name} -> {one.target}"
        for entity in catalogue.entities.values()
        if entity.route == "v2.0" and entity.entity_set != "companies"
        for name, one in entity.navigation.items()
        if one.target not in catalogue.entities
    ]
    assert not lost


def test_every_call_of_a_workflow_is_one_the_api_takes() -> None:
    """A-8: entity, method and action exist."""
    catalogue = load_catalogue()
    for workflow in catalogue.workflows.values():
        assert workflow.title.keys() == {"en", "es"}
        for step in workflow.steps:
            method, _, path = step.call.partition(" ")
            name, _, rest = path.partition("({id})")
            entity = catalogue.entity(name)
            if rest.startswith("/Microsoft.NAV."):
                assert rest.removeprefix("/Microsoft.NAV.") in entity.actions, step.call
            elif rest:
                assert rest.removeprefix("/") in entity.navigation, step.call
            else:
                assert method in entity.methods, step.call


def test_a_request_is_drafted_with_everything_it_needs() -> None:
    options = QueryOptions(where=Compare("status", "eq", "Open"), select=("number",), order_by=("dueDate desc",))
    draft = draft_request(load_catalogue(), "list", "salesInvoices", options=options)
    assert draft.method == "GET"
    assert draft.path.startswith("companies({companyId})/salesInvoices?$filter=")
    assert draft.headers["Data-Access-Intent"] == "ReadOnly"
    update = draft_request(load_catalogue(), "update", "customers", body={"blocked": "All"})
    assert "If-Match" in update.headers


def test_lines_say_that_they_need_their_document() -> None:
    """`filterRequired`: without it the ERP answers with a confusing error."""
    draft = draft_request(load_catalogue(), "list", "salesInvoiceLines")
    assert "documentId" in draft.advice[0]


@pytest.mark.parametrize(
    ("kind", "entity", "more"),
    [
        ("create", "generalLedgerEntries", {}),
        ("action", "customers", {"action": "post"}),
        ("list", "customers", {"options": QueryOptions(select=("nothing",))}),
        ("list", "customers", {"options": QueryOptions(expand=("nothing",))}),
    ],
)
def test_a_request_the_api_cannot_answer_is_refused(kind: str, entity: str, more: dict[str, object]) -> None:
    with pytest.raises(ConfigurationError):
        draft_request(load_catalogue(), kind, entity, **more)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("intent", "entity", "payload", "field"),
    [
        ("create", "customers", {}, "displayName"),
        ("create", "customers", {"displayName": "x" * 101}, "displayName"),
        ("create", "customers", {"displayName": "A", "blocked": "Yes"}, "blocked"),
        ("create", "customers", {"displayName": "A", "balanceDue": 3}, "balanceDue"),
        ("create", "customers", {"displayName": "A", "nme": "B"}, "nme"),
        ("create", "customers", {"displayName": 7}, "displayName"),
        ("create", "customers", {"displayName": "A", "paymentTermsId": "30 DAYS"}, "paymentTermsId"),
        ("create", "items", {"displayName": "A", "inventory": 3}, "inventory"),
        ("create", "salesInvoices", {"invoiceDate": "1/2/2026", "customerId": GUID}, "invoiceDate"),
        ("update", "salesInvoices", {"salesInvoiceLines": []}, "salesInvoiceLines"),
        (
            "create",
            "salesInvoices",
            {"customerId": GUID, "salesInvoiceLines": [{"lineType": "Itemm"}]},
            "salesInvoiceLines[0].lineType",
        ),
    ],
)
def test_a_wrong_payload_is_found_before_it_is_sent(
    intent: str, entity: str, payload: dict[str, object], field: str
) -> None:
    problems = payload_problems(load_catalogue(), intent, entity, payload)  # type: ignore[arg-type]
    assert field in {problem.field for problem in problems}


def test_a_right_payload_has_no_problem() -> None:
    payload = {
        "customerId": GUID,
        "invoiceDate": "2026-01-31",
        "salesInvoiceLines": [{"itemId": GUID, "quantity": 2, "unitPrice": 9.5}],
    }
    assert payload_problems(load_catalogue(), "create", "salesInvoices", payload) == []


TENANT = """<?xml version="1.0"?>
<edmx:Edmx xmlns:edmx="http://docs.oasis-open.org/odata/ns/edmx" Version="4.0"><edmx:DataServices>
<Schema xmlns="http://docs.oasis-open.org/odata/ns/edm" Namespace="Microsoft.NAV">
  <EntityType Name="customer"><Key><PropertyRef Name="id"/></Key>
    <Property Name="id" Type="Edm.Guid"/><Property Name="displayName" Type="Edm.String" MaxLength="100"/>
    <Property Name="loyaltyPoints" Type="Edm.Int32"/></EntityType>
  <EntityType Name="bonusCard"><Key><PropertyRef Name="id"/></Key><Property Name="id" Type="Edm.Guid"/>
    <Property Name="state" Type="Microsoft.NAV.cardState"/>
    <NavigationProperty Name="customer" Type="Microsoft.NAV.customer"/></EntityType>
  <EnumType Name="cardState"><Member Name="Active" Value="0"/><Member Name="Lost" Value="1"/></EnumType>
  <Action Name="renew" IsBound="true"><Parameter Name="bindingParameter" Type="Microsoft.NAV.bonusCard"/></Action>
  <EntityContainer Name="NAV"><EntitySet Name="customers" EntityType="Microsoft.NAV.customer"/>
    <EntitySet Name="bonusCards" EntityType="Microsoft.NAV.bonusCard"/></EntityContainer>
</Schema></edmx:DataServices></edmx:Edmx>"""


def test_a_tenants_own_fields_and_entities_are_learnt_from_its_metadata() -> None:
    catalogue = load_catalogue().refreshed(parse_metadata(TENANT))
    assert catalogue.entity("customers").properties["loyaltyPoints"].type == "Int32"
    assert catalogue.entity("customers").purpose == "customer master record"
    card = catalogue.entity("bonusCards")
    assert card.properties["state"].values == ("Active", "Lost")
    assert card.navigation["customer"].target == "customers"
    assert list(card.actions) == ["renew"]
    assert catalogue.search("bonus card")[0].entity.entity_set == "bonusCards"


def test_what_a_tenant_lacks_goes_and_comes_back_with_it() -> None:
    """A refreshed catalogue may be refreshed again; other routes are not the tenant's metadata's business."""
    standard = load_catalogue()
    lacking = standard.refreshed(parse_metadata(TENANT))
    assert "salesInvoices" not in lacking.entities
    assert "phoneNumber" not in lacking.entity("customers").properties
    assert [one for one in lacking.search("factura") if one.entity.entity_set == "salesInvoices"] == []
    without_cards = TENANT.replace('<EntitySet Name="bonusCards" EntityType="Microsoft.NAV.bonusCard"/>', "")
    again = lacking.refreshed(parse_metadata(without_cards))
    assert "bonusCards" not in again.entities
    others = {name for name, one in standard.entities.items() if one.route != "v2.0"}
    assert others <= set(again.entities)


def test_a_catalogue_that_is_held_learns_in_place() -> None:
    """Tools hold it; the shipped one stays as it is for everybody else."""
    held = load_catalogue().copy()
    held.adopt(held.refreshed(parse_metadata(TENANT)))
    assert "bonusCards" in held.entities
    assert "bonusCards" not in load_catalogue().entities


@pytest.mark.parametrize("text", ["", "no xml", "<a>" * 50 + "</a>" * 50])
def test_metadata_that_is_none_is_refused(text: str) -> None:
    with pytest.raises(ConnectorRejectedError):
        parse_metadata(text)
