"""Whom an identity provider may let in (P-20)."""

from collections.abc import Mapping
from typing import Any

import pytest

from batuta.server.config import OidcProvider
from batuta.server.identity.oidc_admission import check_admitted, confirmed_email
from batuta.server.problems import ForbiddenProblem

GOOGLE = {"sub": "1", "email": "Ana@Acme.com", "email_verified": True, "hd": "acme.com"}
ENTRA = {"sub": "2", "email": "ana@acme.com", "tid": "tenant-a", "preferred_username": "ana@acme.onmicrosoft.com"}


def provider(**conditions: Any) -> OidcProvider:
    return OidcProvider(id="idp", name="IdP", issuer="https://idp.example", client_id="batuta", **conditions)


@pytest.mark.parametrize(
    ("conditions", "claims"),
    [
        ({"domains": ("acme.com",)}, GOOGLE),
        ({"domains": ("@ACME.com",)}, GOOGLE),
        ({"tenants": ("acme.com",)}, GOOGLE),
        ({"tenants": ("tenant-a",)}, ENTRA),
        ({"tenants": ("tenant-a",), "domains": ("acme.com",)}, ENTRA),
        ({"groups": ("staff",)}, {**GOOGLE, "groups": ["staff", "other"]}),
        ({"groups": ("staff",), "groups_claim": "roles"}, {**GOOGLE, "roles": ["staff"]}),
        ({}, GOOGLE),
    ],
)
def test_who_fits_every_condition_is_admitted(conditions: dict[str, Any], claims: Mapping[str, Any]) -> None:
    check_admitted(provider(**conditions), claims)


@pytest.mark.parametrize(
    ("conditions", "claims", "code"),
    [
        ({"domains": ("acme.com",)}, {**GOOGLE, "email": "eve@gmail.com"}, "OIDC_DOMAIN"),
        ({"domains": ("acme.com",)}, {**GOOGLE, "email": "eve@evil-acme.com"}, "OIDC_DOMAIN"),
        ({"domains": ("acme.com",)}, {**GOOGLE, "email": "eve@acme.com@evil.test"}, "OIDC_UNVERIFIED"),
        ({"domains": ("acme.com",)}, {**GOOGLE, "email_verified": False}, "OIDC_UNVERIFIED"),
        ({"domains": ("acme.com",)}, ENTRA, "OIDC_UNVERIFIED"),
        ({"tenants": ("tenant-a",)}, {**ENTRA, "tid": "tenant-b"}, "OIDC_TENANT"),
        ({"tenants": ("tenant-a",), "domains": ("other.com",)}, ENTRA, "OIDC_DOMAIN"),
        ({"groups": ("staff",)}, GOOGLE, "OIDC_GROUP"),
        ({"groups": ("staff",)}, {**GOOGLE, "groups": "staff"}, "OIDC_GROUP"),
    ],
)
def test_who_misses_one_condition_is_not(conditions: dict[str, Any], claims: Mapping[str, Any], code: str) -> None:
    with pytest.raises(ForbiddenProblem) as refused:
        check_admitted(provider(**conditions), claims)
    assert refused.value.own_code == code


@pytest.mark.parametrize(
    ("conditions", "claims", "email"),
    [
        ({}, GOOGLE, "ana@acme.com"),
        ({}, ENTRA, None),
        ({"tenants": ("tenant-a",)}, ENTRA, "ana@acme.com"),
        ({"tenants": ("tenant-a",)}, {**ENTRA, "email": None}, "ana@acme.onmicrosoft.com"),
        ({"tenants": ("tenant-a",)}, {**ENTRA, "tid": "tenant-b"}, None),
        ({}, {**ENTRA, "xms_edov": True}, "ana@acme.com"),
        ({}, {**GOOGLE, "email_verified": "true"}, None),
    ],
)
def test_an_address_is_believed_if_the_provider_or_the_organisation_confirms_it(
    conditions: dict[str, Any], claims: Mapping[str, Any], email: str | None
) -> None:
    """Entra ID sends no `email_verified`: a foreign organisation could write anybody's address."""
    assert confirmed_email(provider(**conditions), claims) == email
