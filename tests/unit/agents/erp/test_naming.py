"""Names of the API as people read them (A-8, W-8)."""

from batuta.agents.erp.naming import card_in_words, entity_label, field_label


def test_fields_and_entities_have_names_in_both_languages() -> None:
    assert (field_label("phoneNumber", "es"), field_label("phoneNumber", "en")) == ("Teléfono", "Phone number")
    assert (entity_label("salesInvoices", "es"), entity_label("salesInvoices", "en")) == (
        "Facturas de venta",
        "Sales invoices",
    )


def test_a_name_without_a_translation_is_spelt_out() -> None:
    assert field_label("irs1099Code", "es") == "Irs1099 code"
    assert field_label("addressLine1", "en") == "Address line 1"


def test_a_record_is_told_by_what_people_ask_of_one_and_without_what_is_not_set() -> None:
    values = {
        "number": "10",
        "displayName": "Casa Lola",
        "phoneNumber": "123",
        "blocked": "_x0020_",
        "dueDate": "0001-01-01",
    }

    assert card_in_words("customers", values, "es") == "**Casa Lola** · Clientes · 10\n- Teléfono: 123"


def test_a_field_that_is_asked_for_is_answered_also_where_it_is_empty() -> None:
    values = {"number": "10", "displayName": "Casa Lola", "phoneNumber": "", "blocked": "_x0020_"}
    assert card_in_words("customers", values, "es", ["blocked"]).endswith("- Bloqueado: no")
    assert card_in_words("customers", values, "en", ["phoneNumber"]).endswith("- Phone number: not set")


def test_amounts_of_a_customer_are_in_the_currency_of_the_books() -> None:
    """A customer that trades in dollars has its balance in the ledger's euros."""
    values = {"number": "10", "displayName": "Casa Lola", "balanceDue": 12.5, "currencyCode": "USD"}
    assert card_in_words("customers", values, "en", ["balanceDue"], "EUR").endswith("12.50 €")


def test_a_quantity_is_no_amount_of_money() -> None:
    values = {"documentNumber": "D1", "quantity": 10}
    assert card_in_words("itemLedgerEntries", values, "en", ["quantity"], "EUR").endswith("- Quantity: 10")
