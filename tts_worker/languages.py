"""Languages a request may name, how espeak-ng calls them, and which one a voice was trained for."""

# Request tag -> espeak-ng voice. English is read by misaki; its entries name the fallback's voice.
ESPEAK_VOICES = {
    "en-us": "en-us",
    "en-gb": "en-gb",
    "es": "es",
    "fr": "fr-fr",
    "hi": "hi",
    "id": "id",
    "it": "it",
    "ja": "ja",
    "ms": "ms",
    "pt-br": "pt-br",
    "zh": "cmn",
}
# The first letter of a Kokoro voice's name (VOICES.md of the model).
_VOICE_LANGUAGES = {
    "a": "en-us",
    "b": "en-gb",
    "e": "es",
    "f": "fr",
    "h": "hi",
    "i": "it",
    "j": "ja",
    "p": "pt-br",
    "z": "zh",
}
_ALIASES = {"pt": "pt-br", "cmn": "zh"}
# Words a phrase begins with: a voice may draw breath in front of them.
LINKING_WORDS = {
    language: frozenset(words.split())
    for language, words in {
        "en": "and or but so because which who that when where while if until unless before after with for from at to",
        "es": "y o pero porque que cuando donde si mientras hasta antes con para por desde en a",
        "fr": "et ou mais car que qui quand où si pendant jusqu'à avant avec pour par dans à",
        "id": "dan atau tetapi tapi karena yang ketika saat jika sampai sebelum sesudah dengan untuk dari di ke",
        "it": "e o ma perché che quando dove se mentre fino prima con per da in a",
        "ms": "dan atau tetapi kerana yang apabila jika sampai sebelum selepas dengan untuk dari di ke pada",
        "pt": "e ou mas porque que quando onde se enquanto até antes com para por desde em a",
    }.items()
}
LANGUAGES = frozenset(ESPEAK_VOICES) | frozenset(_ALIASES) | {"en"}


def voice_language(voice: str) -> str:
    """Return the language a voice was trained for; American English when its name does not say."""
    return _VOICE_LANGUAGES.get(voice[:1], "en-us")


def resolve_language(tag: str, voice: str) -> str | None:
    """Return the key of ESPEAK_VOICES that serves a request's tag, or None.

    An empty tag takes the voice's own language, plain "en" takes its accent, and a region without an entry (es-MX)
    takes its language's.
    """
    own = voice_language(voice)
    tag = tag.strip().lower().replace("_", "-")
    base = tag.split("-", 1)[0]
    if tag in ("", base) and (not tag or own.split("-", 1)[0] == base):
        return own
    if tag in ESPEAK_VOICES:
        return tag
    if base == "en":
        return own if own.startswith("en") else "en-us"
    base = _ALIASES.get(base, base)
    return base if base in ESPEAK_VOICES else None
