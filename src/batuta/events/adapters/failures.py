"""Failures that a provider states inside an answer or a stream, as errors of our tree."""

from typing import Any

from batuta.events.adapters.plain import optional_text
from batuta.kernel.errors import (
    BatutaError,
    ContentRefusedError,
    ProviderRejectedError,
    ProviderTimeoutError,
    ProviderUnavailableError,
    RateLimitedError,
)

_REJECTED = (
    "invalid_request_error",
    "authentication_error",
    "billing_error",
    "permission_error",
    "not_found_error",
    "request_too_large",
    "invalid_prompt",
    "data_residency_mismatch",
    "context_length_exceeded",
    "insufficient_quota",
    "INVALID_ARGUMENT",
    "FAILED_PRECONDITION",
    "PERMISSION_DENIED",
    "UNAUTHENTICATED",
    "NOT_FOUND",
)

FAILURES: dict[str, type[BatutaError]] = {
    **dict.fromkeys(_REJECTED, ProviderRejectedError),
    "bio_policy": ContentRefusedError,
    "misalignment_policy_violation": ContentRefusedError,
    "image_content_policy_violation": ContentRefusedError,
    "content_filter": ContentRefusedError,
    "rate_limit_error": RateLimitedError,
    "rate_limit_exceeded": RateLimitedError,
    "RESOURCE_EXHAUSTED": RateLimitedError,
    "timeout_error": ProviderTimeoutError,
    "vector_store_timeout": ProviderTimeoutError,
    "DEADLINE_EXCEEDED": ProviderTimeoutError,
}
"""Errors by the provider's own word; any other one is the provider being unavailable."""


def failure(provider: str, stated: Any) -> BatutaError:
    """The error for what a provider states, in any of the forms they use."""
    facts = stated if isinstance(stated, dict) else {"message": stated}
    words = [optional_text(facts.get(name)) for name in ("code", "type", "status")]
    known = next((word for word in words if word in FAILURES), None)
    code = known or next((word for word in words if word), "unknown")
    kind = FAILURES.get(code, ProviderUnavailableError)
    return kind(f"{provider} failed with {code!r}: {facts.get('message') or 'no explanation'}")
