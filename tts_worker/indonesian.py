"""What Indonesian spelling does not say and espeak-ng guesses: which vowel an e is, and where the stress then falls.

The letter e stands for two vowels: a full one, as in méja, and a weak one, as in belas. Dictionaries write the full
one é, and so are the roots here: common ones that the rules below would read wrong.
"""

import re
import unicodedata
from collections.abc import Iterator

_ROOTS = """
    alérgi apotéker aréa béasiswa bébas belah bébék béda béla bélok bémo bendéra béngkél bérés bésok béton bonéka
    cékér céngkéh débat débit défisit déwa déwan déwasa déwi dénda dépo déposito désa désain désémber détail détik
    diabétes éfék éfisién éja ékonomi ékor ékspor éksprés éléktronik élok émail émbér émosi éncér énak énérgi ésok
    étika évaluasi fébruari féri général géngsi gésér geréja hébat hélai hélikopter hémat héran héwan idéal
    indonésia intérnét kécap kéju kémah keméja kéra keréta krédit lébar lébaran légal léher lélah lémbur léréng
    léwat médis méga méja mélodi méndung mérah merdéka métode méwah modérn nénék néngok nétral novémber objéktif
    opérasi opérator péna péndék pénsil pénsiun pérak pésta péta prémi présénsi présidén prosédur réferénsi réfund
    régistrasi rékam rékening rékor réndah réparasi répot résépsi résépsionis résérvasi réstoran révisi réwél séhat
    sejahtéra séminar sénior sénsor sénter sepéda séptémber séri sérius sérvis sési setelah séwa spésialis téknik
    téknis téknologi télépon télévisi téma témbak témbok témpel témpo ténda ténis téori téras térong tétés vérsi
    vidéo wésél
"""
# English words of everyday Indonesian, in letters that give the sounds speakers use.
_ENGLISH = """
    account=ékaun app=ép booking=buking breakfast=brékfes browser=brauser call=kol cashback=késbék center=sénter
    chat=cét check-in=cék-in checkin=cékin check-out=cék-aut checkout=cékaut check-up=cék-ap checkup=cékap
    contact=kontak customer=kastemer deadline=dédlain delivery=déliveri device=divais download=daunlod email=imél
    e-mail=imél e-wallet=i-wolét facebook=fésbuk file=fail google=gugel handphone=hénpon invoice=invois laptop=léptop
    link=lingk live=laif login=lok-in meeting=miting mobile=mobail offline=oflain online=onlain password=paswod
    reschedule=riskédul screenshot=skrinsyot service=sérvis share=syér showroom=syorum software=softwér suite=suit
    timeline=taimlain top-up=top-ap update=apdét upgrade=apgréd upload=aplod username=yusernéim video-call=vidio-kol
    voucher=voucer website=wébsait weekend=wikén whatsapp=wotsap wi-fi=waifai wifi=waifai youtube=yutub
"""
_SOUNDED = dict(entry.split("=") for entry in _ENGLISH.split())
_ENGLISH_WORD = re.compile(
    rf"((?:di|me|ber|ter)-?)?({'|'.join(sorted(_SOUNDED, key=len, reverse=True))})(-?(?:nya|an|kan|lah|kah))?"
)
_MARKED = {root.replace("é", "e"): root for root in _ROOTS.split()}
_LONGEST_ROOT = max(map(len, _MARKED))
# Prefixes from short to long, each with the first letter of the root that it swallows: men + telepon = menelepon.
_PREFIXES = (
    ("", ""), ("di", ""), ("se", ""), ("ke", ""), ("me", ""), ("pe", ""), ("ber", ""), ("ter", ""), ("per", ""),
    ("pel", ""), ("mem", ""), ("mem", "p"), ("men", ""), ("men", "t"), ("pem", ""), ("pem", "p"), ("pen", ""),
    ("pen", "t"), ("meng", ""), ("meng", "k"), ("meny", "s"), ("peng", ""), ("peng", "k"), ("peny", "s"),
    ("diper", ""), ("keber", ""), ("keter", ""), ("menge", ""), ("memper", ""),
)  # fmt: skip
_SUFFIXES = re.compile(r"(?:kan|an|i)?(?:nya|ku|mu|lah|kah|pun)?")
# Suffixes that a root of at least two syllables may have; they do not count when its last vowel is looked for.
_ENDINGS = re.compile(r"(?<=[aeiou])([^aeiou]*[aeiou][^aeiou]?)(?:kan|nya|ku|mu|lah|kah|pun)+$")
# Loans end so; their open syllables have the full vowel.
_LOAN = re.compile(r".{3,}(?:[aeiou][kn]?si|[aeiou]tas|isme|is|ik|or|ologi|grafi|ium)")
_LETTERS = re.compile(r"[^\W\d_]+")
# Words that lean on the next one, unstressed, with a weak e. Others that espeak-ng lets lean are lost on a phone line.
_LEANING = frozenset(("di", "ke", "se", "yang"))

_SPOKEN_E = "eɛə"
_SPOKEN_VOWELS = "aiuoɔIW" + _SPOKEN_E
# An o that a consonant of its own syllable follows is open: telepɔn, tɔmbɔl.
_CLOSED_O = re.compile(rf"o(?=[^{_SPOKEN_VOWELS}ˈˌ]+$|[mnŋrlst][^{_SPOKEN_VOWELS}ˈˌ])")
_TWO_SYLLABLES = {"I": "ai", "W": "au"}


def respell(word: str) -> str:
    """Return an English word of everyday Indonesian as Indonesian would write its sounds, and any other as it is."""
    found = _ENGLISH_WORD.fullmatch(word.lower())
    return f"{found[1] or ''}{_SOUNDED[found[2]]}{found[3] or ''}" if found else word


def refine(word: str, phonemes: str) -> str:
    """Return espeak-ng's phonemes of a word, in Kokoro's symbols, with the vowels and the stress a speaker gives it.

    Where letters and sounds do not match one by one, as in abbreviations, they stay as they are.
    """
    letters = "".join(_LETTERS.findall(word))
    if not letters or phonemes.count("ˈ") > 1:
        return phonemes
    if len(letters) == 1:  # the letter's name
        return _stressed(phonemes.replace("ə", "ɛ"))
    voiced = _CLOSED_O.sub("ɔ", _parted(_with_vowels(mark(letters), phonemes)))
    return voiced if letters.lower() in _LEANING else _stressed(voiced)


def mark(word: str) -> str:
    """Return a word in lower case, with é for every full e."""
    word = unicodedata.normalize("NFC", word.lower()).replace("è", "é")
    if "e" not in word or "é" in word:
        return word
    return next(_readings(word), None) or _guess(word)


def _readings(word: str) -> Iterator[str]:
    """Yield the ways to read a word as a known root with affixes; what takes the least off comes first."""
    for prefix, swallowed in _PREFIXES:
        if not word.startswith(prefix):
            continue
        rest = swallowed + word[len(prefix) :]
        for end in range(min(len(rest), _LONGEST_ROOT), 2, -1):
            root = _MARKED.get(rest[:end])
            if root and _SUFFIXES.fullmatch(rest[end:]):
                yield prefix + root[len(swallowed) :] + rest[end:]


def _guess(word: str) -> str:
    """Mark a word by rule: full in the last syllable, unless r closes it, and in loans; weak elsewhere."""
    if word in _LEANING:
        return word
    stem = _ENDINGS.sub(r"\1", word)
    vowels = [index for index, letter in enumerate(stem) if letter in "aeiou"]
    full = {index for index in vowels[-1:] if stem[index + 1 :] != "r"}
    if _LOAN.fullmatch(stem):
        full |= {index for index in vowels[1:] if stem[index + 1 : index + 2] != "r"}
    return "".join("é" if letter == "e" and index in full else letter for index, letter in enumerate(word))


def _with_vowels(marked: str, phonemes: str) -> str:
    written = [letter for letter in marked if letter in "eé"]
    spoken = [index for index, symbol in enumerate(phonemes) if symbol in _SPOKEN_E]
    if len(written) != len(spoken):
        return phonemes
    vowels = {index: "ɛ" if letter == "é" else "ə" for index, letter in zip(spoken, written, strict=True)}
    return "".join(vowels.get(index, symbol) for index, symbol in enumerate(phonemes))


def _parted(phonemes: str) -> str:
    """Part ai and au before a last consonant: baik and laut have two syllables, mulai and pulau end in a glide."""
    if phonemes[-2:-1] in _TWO_SYLLABLES and phonemes[-1] not in _SPOKEN_VOWELS:
        return phonemes[:-2] + _TWO_SYLLABLES[phonemes[-2]] + phonemes[-1]
    return phonemes


def _stressed(phonemes: str) -> str:
    """Move the stress to the last syllable but one, or to the last where that one's vowel is weak."""
    bare = phonemes.replace("ˈ", "").replace("ˌ", "")
    vowels = [index for index, symbol in enumerate(bare) if symbol in _SPOKEN_VOWELS]
    if not vowels:
        return phonemes
    at = vowels[-1] if bare[vowels[-2:][0]] == "ə" else vowels[-2:][0]
    return f"{bare[:at]}ˈ{bare[at:]}"
