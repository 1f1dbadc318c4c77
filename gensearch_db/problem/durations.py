"""Durations as users write them."""

from __future__ import annotations

import re

_UNITS = {"second": 1.0, "minute": 60.0, "hour": 3600.0, "day": 86400.0, "millisecond": 0.001}


def seconds(text: str) -> float:
    """Seconds of ``"90"``, ``"1 minute"``, ``"1 hour 30 minutes"``, ``"250 milliseconds"``. Raises :class:`ValueError`."""
    parts = re.findall(r"([0-9.]+)\s*([a-z]*)", text.strip().lower())
    if not parts or re.sub(r"[0-9.]+\s*[a-z]*|\s|,|\band\b", "", text.strip().lower()):
        raise ValueError(f"{text!r} is not a duration; write for example '90 seconds' or '1 minute'")
    total = 0.0
    for number, unit in parts:
        singular = unit.removesuffix("s") or "second"
        if singular not in _UNITS:
            raise ValueError(f"{unit!r} is not a unit of time; use {', '.join(_UNITS)}")
        if number.count(".") > 1 or number == ".":
            raise ValueError(f"{number!r} is not a number; write for example '90 seconds' or '1.5 minutes'")
        total += float(number) * _UNITS[singular]
    return total
