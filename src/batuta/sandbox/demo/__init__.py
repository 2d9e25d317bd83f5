"""Demo companies: two invented firms with eighteen or more months of business, the same for the same seed.

create_demo(store, behaviour, size="S")
"""

from batuta.sandbox.demo.generator import DEMO_TODAY, create_demo

__all__ = ["DEMO_TODAY", "create_demo"]
