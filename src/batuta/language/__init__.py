"""What people write, read by rules: numbers, money, dates, times, periods, places and names in English and Spanish.

    find_periods("ventas de enero a marzo", now=…)  ->  [Finding(value=Period(first=…, last=…, grain="range"), span=…)]

Each finding is a frozen value with its place in the text; what the words may mean as well is kept as an alternative. The
standard library is all it needs.
"""

from typing import TYPE_CHECKING

from batuta.kernel.lazy import lazy_exports

if TYPE_CHECKING:
    from batuta.language.amounts import Money as Money
    from batuta.language.amounts import Quantity as Quantity
    from batuta.language.amounts import find_money as find_money
    from batuta.language.amounts import find_percentages as find_percentages
    from batuta.language.amounts import find_quantities as find_quantities
    from batuta.language.calendar_math import Grain as Grain
    from batuta.language.calendar_math import Period as Period
    from batuta.language.dates import find_dates as find_dates
    from batuta.language.detection import detect_language as detect_language
    from batuta.language.findings import Finding as Finding
    from batuta.language.findings import Language as Language
    from batuta.language.findings import TextSpan as TextSpan
    from batuta.language.folding import fold as fold
    from batuta.language.folding import nearest as nearest
    from batuta.language.folding import stem as stem
    from batuta.language.folding import stems_of as stems_of
    from batuta.language.moments import find_moments as find_moments
    from batuta.language.names import find_companies as find_companies
    from batuta.language.names import find_people as find_people
    from batuta.language.numbers import find_numbers as find_numbers
    from batuta.language.periods import Comparison as Comparison
    from batuta.language.periods import find_comparisons as find_comparisons
    from batuta.language.periods import find_periods as find_periods
    from batuta.language.places import find_zones as find_zones
    from batuta.language.recurrences import Recurrence as Recurrence
    from batuta.language.recurrences import find_recurrences as find_recurrences
    from batuta.language.times import HourRange as HourRange
    from batuta.language.times import find_durations as find_durations
    from batuta.language.times import find_hour_ranges as find_hour_ranges
    from batuta.language.times import find_times as find_times
    from batuta.language.understanding import Intent as Intent
    from batuta.language.understanding import Slot as Slot
    from batuta.language.understanding import Understanding as Understanding

_imported, __all__ = lazy_exports(
    __name__,
    {
        "batuta.language.amounts": ("Money", "Quantity", "find_money", "find_percentages", "find_quantities"),
        "batuta.language.calendar_math": ("Grain", "Period"),
        "batuta.language.dates": ("find_dates",),
        "batuta.language.detection": ("detect_language",),
        "batuta.language.findings": ("Finding", "Language", "TextSpan"),
        "batuta.language.folding": ("fold", "nearest", "stem", "stems_of"),
        "batuta.language.moments": ("find_moments",),
        "batuta.language.names": ("find_companies", "find_people"),
        "batuta.language.numbers": ("find_numbers",),
        "batuta.language.periods": ("Comparison", "find_comparisons", "find_periods"),
        "batuta.language.places": ("find_zones",),
        "batuta.language.recurrences": ("Recurrence", "find_recurrences"),
        "batuta.language.times": ("HourRange", "find_durations", "find_hour_ranges", "find_times"),
        "batuta.language.understanding": ("Intent", "Slot", "Understanding"),
    },
)

if not TYPE_CHECKING:  # a type checker that saw it would take any name for granted
    __getattr__ = _imported
