"""Reading ``name(argument, …, keyword = argument)``: how constraints, costs and strategies are written everywhere.

The same text works in SQL, TOML, on the command line and in Python. Numbers stay exact: ``0.2`` is read as the fraction 1/5,
so that ties are decided as written. Names follow SQL: bare or ``"quoted"``; strings are ``'quoted'``.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from decimal import Decimal, localcontext
from fractions import Fraction
from typing import Any

from sqlglot.errors import TokenError
from sqlglot.tokenizer_core import Token, TokenType
from sqlglot.tokens import Tokenizer

from gensearch_db.errors import SpecificationError

MOST_DIGITS = 18
"""Numbers have at most so many digits before and after the point: their multiples must stay within SQL's integers."""


@dataclass(frozen=True)
class Name:
    """A bare or double-quoted name: a column, a workload, a taxonomy."""

    text: str


Argument = Fraction | str | Name
"""A number, a 'string' or a name."""


@dataclass(frozen=True)
class Call:
    """``name(positional …, keyword = …)``. ``text`` is what the user wrote, for messages."""

    name: str
    arguments: tuple[Argument, ...] = ()
    keywords: dict[str, Argument] = field(default_factory=dict)
    text: str = ""


@dataclass(frozen=True)
class Term:
    """One summand of a weighted sum of costs: ``2 * ncp``."""

    weight: Fraction
    call: Call


def parse_call(text: str) -> Call:
    """Read one call; a bare name is a call without arguments. Raises :class:`SpecificationError` with the position.

    >>> parse_call("t_closeness(0.2, income, distance = equal)").keywords
    {'distance': Name(text='equal')}
    """
    reader = _Reader(text)
    call = reader.call()
    reader.expect_end()
    return call


def parse_sum(text: str) -> tuple[Term, ...]:
    """Read ``ncp + 0.5 * classification(income)``. Raises :class:`SpecificationError` with the position."""
    reader = _Reader(text)
    terms = [reader.term()]
    while reader.take(TokenType.PLUS):
        terms.append(reader.term())
    reader.expect_end()
    return tuple(terms)


class _Reader:
    def __init__(self, text: str) -> None:
        self.text = text
        try:
            self.tokens: list[Token] = Tokenizer().tokenize(text)
        except TokenError as error:
            raise SpecificationError(f"cannot read {text!r}: {error}") from error
        self.position = 0

    @property
    def current(self) -> Token | None:
        """The next token; none at the end."""
        return self.tokens[self.position] if self.position < len(self.tokens) else None

    def take(self, kind: TokenType) -> Token | None:
        """Take the next token if it is of this kind."""
        token = self.current
        if token is not None and token.token_type == kind:
            self.position += 1
            return token
        return None

    def fail(self, wanted: str) -> SpecificationError:
        """The error that tells what was wanted and what stands there instead."""
        token = self.current
        found = f"{token.text!r} at column {token.col - len(token.text) + 1}" if token else "the end"
        return SpecificationError(f"cannot read {self.text!r}: expected {wanted}, found {found}")

    def expect_end(self) -> None:
        """Raise :class:`SpecificationError` unless the text is used up."""
        if self.current is not None:
            raise self.fail("nothing more")

    def name(self, wanted: str) -> str:
        """A name, quoted or not."""
        token = self.current
        if (
            token is None
            or not (token.token_type in (TokenType.VAR, TokenType.IDENTIFIER) or token.text.replace("_", "a").isalnum())
            or token.token_type in (TokenType.NUMBER, TokenType.STRING)
        ):
            raise self.fail(wanted)
        self.position += 1
        return token.text

    def number(self) -> Fraction | None:
        """A number with its sign, exactly, if one stands here."""
        start = self.position
        negative = self.take(TokenType.DASH) is not None
        token = self.take(TokenType.NUMBER)
        if token is None:
            self.position = start
            return None
        decimal = Decimal(token.text)
        if decimal.adjusted() > MOST_DIGITS or -int(decimal.as_tuple().exponent) > MOST_DIGITS:
            raise SpecificationError(
                f"cannot read {shortened(self.text)!r}: {shortened(token.text)} is more than can be compared exactly;"
                f" write numbers with at most {MOST_DIGITS} digits before and after the point"
            )
        value = Fraction(decimal)
        return -value if negative else value

    def call(self) -> Call:
        """A name with its arguments in parentheses, if there are any."""
        start = self.position
        name = self.name("a name").lower()
        arguments: list[Argument] = []
        keywords: dict[str, Argument] = {}
        if self.take(TokenType.L_PAREN) and not self.take(TokenType.R_PAREN):
            while True:
                self.argument(arguments, keywords)
                if self.take(TokenType.R_PAREN):
                    break
                if not self.take(TokenType.COMMA):
                    raise self.fail("',' or ')'")
        last = self.tokens[self.position - 1]
        text = self.text[self.tokens[start].start : last.end + 1]
        return Call(name, tuple(arguments), keywords, text)

    def argument(self, arguments: list[Argument], keywords: dict[str, Argument]) -> None:
        """One argument, by position or by keyword."""
        value = self.value()
        if isinstance(value, Name) and self.take(TokenType.EQ):
            if value.text.lower() in keywords:
                raise SpecificationError(f"{self.text!r} gives {value.text!r} twice")
            keywords[value.text.lower()] = self.value()
        elif keywords:
            raise self.fail("a keyword argument after keyword arguments")
        else:
            arguments.append(value)

    def value(self) -> Argument:
        """What an argument holds: a number, a text, a name or a call."""
        number = self.number()
        if number is not None:
            return number
        string = self.take(TokenType.STRING)
        if string is not None:
            return string.text
        return Name(self.name("a number, a name or a 'string'"))

    def term(self) -> Term:
        """A call with its weight; 1 without one."""
        weight = self.number()
        if weight is not None and not self.take(TokenType.STAR):
            raise self.fail("'*' after a weight")
        return Term(Fraction(1) if weight is None else weight, self.call())


def shortened(text: str) -> str:
    """A text for a message, cut after 60 characters."""
    return text if len(text) <= 60 else text[:60] + "…"


def plain(value: Any) -> str:
    """A number of a call as the user would write it: ``10``, ``0.2``, or the fraction where no decimal is exact."""
    fraction = Fraction(value)
    if fraction.denominator == 1:
        return str(fraction.numerator)
    short = repr(float(fraction))
    if Fraction(short) == fraction:
        return short
    with localcontext() as context:
        context.prec = 4 * MOST_DIGITS
        exact = Decimal(fraction.numerator) / Decimal(fraction.denominator)
    return format(exact, "f") if Fraction(exact) == fraction else str(fraction)
