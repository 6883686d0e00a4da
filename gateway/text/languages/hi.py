"""Hindi."""

from gateway.text.languages.rules import COMMON_TITLES, SentenceRules, words

CODE = "hi"

# Names of Latin letters, as initials are written. जी is missing: with a stop it is more often the polite yes.
_LETTERS = "ए बी सी डी ई एफ एच आई जे के एल एम एन ओ पी क्यू आर एस टी यू वी डब्ल्यू एक्स वाई जेड"

SENTENCES = SentenceRules(
    titles=COMMON_TITLES
    | words(
        _LETTERS,
        "डॉ डा डाॅ श्री श्रीमती सुश्री प्रो पं कु मो सं कि.मी कि.ग्रा से.मी मि.ली मि इं उदा अर्थात बनाम ई.पू वि.सं",
    ),
    before_number=words(
        "रु रू नं नंबर क्र पृ सं फ़ोन फोन टेल मो खंड अनु लगभग",
    ),
    quote_goes_on=(
        "और",
        "कह",
        "पूछ",
        "बोल",
        "लिख",
        "फिर",
        "तो",
        "पर ",
        "में",
        "का ",
        "की ",
        "के ",
        "को ",
        "से ",
        "है",
        "था",
        "थी",
        "ने ",
        "नाम",
        "वाल",
        "जैस",
        "या ",
        "लेकिन",
        "सुन",
        "बता",
        "दिख",
        "चुन",
        "दबा",
        "ही ",
        "भी ",
        "हो",
        "शब्द",
        "बटन",
        "विकल्प",
    ),
)
