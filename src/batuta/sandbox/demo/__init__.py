"""Demo companies: two invented firms with eighteen or more months of business, the same for the same seed.

create_demo(store, behaviour, size="S")
"""

from batuta.sandbox.demo.generator import DEMO_TODAY, SIZE_SETTING, SIZES, create_demo, unknown_size

__all__ = ["DEMO_TODAY", "SIZES", "SIZE_SETTING", "create_demo", "unknown_size"]
