"""Whom an identity provider may let in: people of the configured domains, organisations and groups.

    check_admitted(provider, claims)     ForbiddenProblem unless every condition of the provider fits
    confirmed_email(provider, claims)    the address, if it is sure to be this person's

Providers say differently that an address belongs to its person. Most send `email_verified`. Entra ID does not: there
an administrator of the organisation assigns addresses, so an address is as good as its organisation, and only one
that was configured is believed.
"""

from collections.abc import Mapping
from typing import Any

from batuta.server.config import OidcProvider
from batuta.server.problems import ForbiddenProblem

Claims = Mapping[str, Any]


def confirmed_email(provider: OidcProvider, claims: Claims) -> str | None:
    """The address of a person, if the provider vouches for it."""
    email = str(claims.get("email") or "").strip().lower()
    is_of_tenant = bool(provider.tenants) and _tenant(claims) in provider.tenants
    if is_of_tenant and not email:
        email = str(claims.get("preferred_username") or "").strip().lower()
    is_vouched_for = is_of_tenant or claims.get("email_verified") is True or claims.get("xms_edov") in (True, "1", 1)
    name, at, host = email.partition("@")
    return email if is_vouched_for and name and at and host and "@" not in host else None


def check_admitted(provider: OidcProvider, claims: Claims) -> None:
    """Raise `ForbiddenProblem` unless all conditions of the provider fit; without conditions everyone is admitted."""
    if provider.tenants and _tenant(claims) not in provider.tenants:
        raise _refusal("your organisation", "OIDC_TENANT")
    if provider.domains:
        email = confirmed_email(provider, claims)
        if email is None:
            raise ForbiddenProblem("The provider does not vouch for your e-mail address.", code="OIDC_UNVERIFIED")
        if email.rpartition("@")[2] not in {each.lower().lstrip("@") for each in provider.domains}:
            raise _refusal("the domain of your e-mail address", "OIDC_DOMAIN")
    if provider.groups and not set(provider.groups) & _groups(provider, claims):
        raise _refusal("none of your groups", "OIDC_GROUP")


def _tenant(claims: Claims) -> str:
    return str(claims.get("tid") or claims.get("hd") or "")


def _groups(provider: OidcProvider, claims: Claims) -> set[str]:
    """Those in the claim. Entra ID omits them from the token of a user in very many groups: then there are none."""
    named = claims.get(provider.groups_claim)
    return {str(each) for each in named} if isinstance(named, list) else set()


def _refusal(what: str, code: str) -> ForbiddenProblem:
    return ForbiddenProblem(f"This platform does not admit {what}. Ask its administrator.", code=code)
