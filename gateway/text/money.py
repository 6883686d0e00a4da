"""Prices and sums of money."""

import re

from gateway.text.languages.speech import Currency, SpeechRules
from gateway.text.measures import is_adjective
from gateway.text.numerals import agreed, cardinal, number, number_pattern, parse
from gateway.text.passage import Passage, Rule

_CODES = {
    **{"usd": "$", "us$": "$", "a$": "$", "c$": "$", "s$": "$", "eur": "€", "gbp": "£", "inr": "₹", "jpy": "¥"},
    **{"idr": "rp", "brl": "r$", "rp.": "rp", "rs.": "rs", "रु.": "रु"},
}
_CENTS = "¢"


def rules(speech: SpeechRules) -> list[Rule]:
    """A sign or code before or after the number, a currency's name after two decimals."""
    prices = _Prices(speech)
    num = number_pattern(speech)
    symbols = "|".join(sorted(map(re.escape, {*speech.currencies, *_CODES}), key=len, reverse=True))
    scales = "|".join(sorted(map(re.escape, speech.scales), key=len, reverse=True))
    names = "|".join(currency.many for currency in speech.currencies.values())
    sign = r"(?P<sign>(?:(?<![\w)%°])[-−+])?)"
    scale = rf"(?:\s?(?P<scale>(?i:{scales}))(?!\w))?"
    until = rf"(?:\s?[–-]\s?(?:{symbols})?\s?(?P<until>{num})(?![\w%]))?"
    start, end = r"(?<![\w.,])", r"(?!\w|/\d)"
    found = [
        Rule(
            re.compile(rf"(?<!\w){sign}(?P<unit>(?i:{symbols}))\s?(?P<num>{num}){until}{scale}(?:[.,]-)?(?!\w)"),
            prices.price,
        ),
        Rule(re.compile(rf"{start}{sign}(?P<num>{num}){scale}\s?(?P<unit>(?i:{symbols})){end}"), prices.price),
        Rule(re.compile(rf"{start}(?P<num>{num})\s?{_CENTS}"), prices.cents),
    ]
    if speech.decimal_mark == ".":  # rupiah are grouped with full stops in every language
        dotted = r"(?<!\w)(?P<sign>)(?P<unit>(?i:rp\.?|idr))\s?(?P<num>\d{1,3}(?:\.\d{3})+)(?P<scale>(?!))?(?![\w])"
        found.insert(0, Rule(re.compile(dotted), prices.rupiah))
    if speech.decimal_mark == ",":
        decimals = (
            rf"{start}(?P<sign>)(?P<num>{num}(?:(?<=,\d\d)|(?<=,\d\d\d)))(?P<scale>(?!))?\s(?P<unit>(?i:{names})){end}"
        )
        found.append(Rule(re.compile(decimals), prices.price))
    return found


class _Prices:
    """Says sums in one language."""

    def __init__(self, speech: SpeechRules) -> None:
        self._speech = speech
        by_name = {currency.many: currency for currency in speech.currencies.values()}
        by_code = {code: speech.currencies[key] for code, key in _CODES.items() if key in speech.currencies}
        self._currencies = {**by_name, **by_code, **speech.currencies}

    def price(self, match: re.Match[str], passage: Passage) -> str | None:
        speech = self._speech
        currency = self._currencies.get(match["unit"].lower())
        if currency is None:
            return None
        until = match.groupdict().get("until")
        if until:
            first = agreed(speech, number(speech, match["num"]), currency.many)
            return f"{first} {speech.signs['to']} {self._amount(until, match['scale'], currency)}"
        adjective = is_adjective(speech, match, passage)
        said = self._amount(match["num"], match["scale"], currency, adjective=adjective)
        name = {"-": "minus", "−": "minus", "+": "plus"}.get(match["sign"])
        return f"{speech.signs[name]} {said}" if name else said

    def rupiah(self, match: re.Match[str], _: Passage) -> str:
        return self._amount(match["num"].replace(".", ""), None, self._currencies["rp"])

    def cents(self, match: re.Match[str], _: Passage) -> str | None:
        currency = self._speech.currencies["$"]
        name = currency.cent if match["num"] == "1" else currency.cents
        return f"{agreed(self._speech, number(self._speech, match['num']), name)} {name}"

    def _amount(self, text: str, scale: str | None, currency: Currency, *, adjective: bool = False) -> str:
        if scale:
            return self._scaled(text, scale, currency.one if adjective else currency.many)
        speech = self._speech
        whole, decimals = parse(speech, text)
        if speech.code == "id" and len(decimals) == 3:  # Rp150,500 is written as well as Rp150.500
            whole, decimals = 1000 * whole + int(decimals), ""
        if len(decimals) > 2:
            return f"{number(speech, text)} {currency.many}"
        cents = int(decimals.ljust(2, "0")) if decimals else 0
        if whole == 0 and cents and currency.cents:
            return self._cents(cents, currency)
        name = currency.one if whole == 1 or (adjective and not cents) else currency.many
        of = f"{speech.scale_of} ".replace("' ", "'") if speech.scale_of and whole and whole % 1_000_000 == 0 else ""
        words = f"{agreed(speech, cardinal(speech, whole), name)} {of}{name}"
        if not cents:
            return words
        if adjective:
            return (
                f"{cardinal(speech, whole)} {currency.one}{speech.cents_join}{cardinal(speech, cents)} {currency.cent}"
            )
        named = speech.says_cents and currency.cents
        return words + speech.cents_join + (self._cents(cents, currency) if named else cardinal(speech, cents))

    def _cents(self, cents: int, currency: Currency) -> str:
        name = currency.cent if cents == 1 else currency.cents
        return f"{agreed(self._speech, cardinal(self._speech, cents), name)} {name}"

    def _scaled(self, text: str, scale: str, name: str) -> str:
        speech = self._speech
        one, many = speech.scales[scale.lower()]
        of = f" {speech.scale_of} ".replace("' ", "'") if speech.scale_of and one != many else " "
        whole, decimals = parse(speech, text)
        scale_name = one if whole == 1 and not decimals else many
        return f"{agreed(speech, number(speech, text), scale_name)} {scale_name}{of}{name}"
