"""What an effect does to the world outside."""

from typing import Literal

EffectKind = Literal["read", "idempotent", "write"]
"""It changes nothing, it may be repeated, or it must not happen twice."""
