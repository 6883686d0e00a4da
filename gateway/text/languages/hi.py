"""Hindi."""

from collections.abc import Callable

from gateway.text.languages.rules import COMMON_TITLES, SentenceRules, listed, words
from gateway.text.languages.speech import Currency, SpeechRules, table

CODE = "hi"

# Names of Latin letters, as initials are written. जी is missing: with a stop it is more often the polite yes.
_LETTERS = "ए बी सी डी ई एफ एच आई जे के एल एम एन ओ पी क्यू आर एस टी यू वी डब्ल्यू एक्स वाई जेड"

SENTENCES = SentenceRules(
    titles=COMMON_TITLES
    | words(
        _LETTERS,
        "डॉ डा डाॅ श्री श्रीमती सुश्री प्रो पं कु मो सं कि.मी कि.ग्रा से.मी मि.ली मि रु रू इं उदा अर्थात बनाम ई.पू वि.सं क्र प्रा लि",
    ),
    before_number=words(
        "नं नंबर पृ फ़ोन फोन टेल खंड अनु लगभग",
    ),
    introduced_goes_on=("और", "फिर", "तो"),
    quote_goes_on=(
        "और",
        "उसने",
        "उन्होंने",
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

_BELOW_HUNDRED = listed(
    "शून्य एक दो तीन चार पाँच छह सात आठ नौ दस ग्यारह बारह तेरह",
    "चौदह पंद्रह सोलह सत्रह अठारह उन्नीस बीस इक्कीस बाईस तेईस चौबीस पच्चीस छब्बीस सत्ताईस",
    "अट्ठाईस उनतीस तीस इकतीस बत्तीस तैंतीस चौंतीस पैंतीस छत्तीस सैंतीस अड़तीस उनतालीस चालीस इकतालीस",
    "बयालीस तैंतालीस चौवालीस पैंतालीस छियालीस सैंतालीस अड़तालीस उनचास पचास इक्यावन बावन तिरपन चौवन पचपन",
    "छप्पन सत्तावन अट्ठावन उनसठ साठ इकसठ बासठ तिरसठ चौंसठ पैंसठ छियासठ सड़सठ अड़सठ उनहत्तर",
    "सत्तर इकहत्तर बहत्तर तिहत्तर चौहत्तर पचहत्तर छिहत्तर सतहत्तर अठहत्तर उन्यासी अस्सी इक्यासी बयासी तिरासी",
    "चौरासी पचासी छियासी सत्तासी अट्ठासी नवासी नब्बे इक्यानवे बानवे तिरानवे चौरानवे पचानवे छियानवे सत्तानवे",
    "अट्ठानवे निन्यानवे",
)
_SCALES = ((10_000_000, "करोड़"), (100_000, "लाख"), (1000, "हज़ार"), (100, "सौ"))


def cardinal(number: int) -> str:
    """The number as words; num2words has no Hindi."""
    if number < 0:
        return f"ऋण {cardinal(-number)}"
    if number < 100:
        return _BELOW_HUNDRED[number]
    for size, name in _SCALES:
        if number >= size:
            rest = f" {cardinal(number % size)}" if number % size else ""
            return f"{cardinal(number // size)} {name}{rest}"
    raise AssertionError("numbers of 100 and above have a scale")


def _time(hour: int, minute: int, say: Callable[[int], str]) -> str:
    """Quarters and halves have names of their own."""
    hour_12 = hour % 12 or 12
    if minute == 30:
        return {1: "डेढ़", 2: "ढाई"}.get(hour_12, f"साढ़े {say(hour_12)}")
    if minute == 15:
        return f"सवा {say(hour_12)}"
    if minute == 45:
        return f"पौने {say(hour_12 % 12 + 1)}"
    return f"{say(hour_12)} बजकर {say(minute)} मिनट" if minute else say(hour_12)


SPEECH = SpeechRules(
    code=CODE,
    num2words="",
    locale="hi",
    digit_names=_BELOW_HUNDRED[:10],
    point="दशमलव",
    decimal_mark=".",
    group_marks=",",
    signs=table(
        """
        squared=वर्ग | cubed=घन | minus=माइनस | percent=प्रतिशत | to=से | times=गुणा | equals=बराबर | at=ऐट
        dot=डॉट | dash=डैश | underscore=अंडरस्कोर | slash=स्लैश | plus=प्लस | about=लगभग | degrees=डिग्री
        per=प्रति | over=बटा | number=नंबर | hash=हैश | star=स्टार | question=प्रश्न चिह्न | ratio=अनुपात | x=गुना
        less=से कम | more=से ज़्यादा | divided=भाग | plusminus=प्लस माइनस | section=धारा | version=संस्करण
        half=आधा | and_half=और आधा | and=और | colon=कोलन | permille=प्रति हज़ार | atleast=कम से कम
        atmost=ज़्यादा से ज़्यादा | by=गुणा | out_of=में से
        """
    ),
    currencies={
        "₹": Currency("रुपया", "रुपये", "पैसा", "पैसे"),
        "रु": Currency("रुपया", "रुपये", "पैसा", "पैसे"),
        "rs": Currency("रुपया", "रुपये", "पैसा", "पैसे"),
        "$": Currency("डॉलर", "डॉलर", "सेंट", "सेंट"),
        "€": Currency("यूरो", "यूरो", "सेंट", "सेंट"),
        "£": Currency("पाउंड", "पाउंड", "पेंस", "पेंस"),
        "rp": Currency("रुपिया", "रुपिया"),
        "¥": Currency("येन", "येन"),
    },
    scales={
        **{scale: (scale, scale) for scale in ("सौ", "हज़ार", "हजार", "लाख", "करोड़", "अरब")},
        "k": ("हज़ार", "हज़ार"),
        "m": ("मिलियन", "मिलियन"),
    },
    cents_join=" ",
    says_cents=True,
    abbreviations=table(
        """
        डॉ.=डॉक्टर | डा.=डॉक्टर | प्रो.=प्रोफ़ेसर | श्री.=श्री | पं.=पंडित | कि.मी.=किलोमीटर | कि.ग्रा.=किलोग्राम
        से.मी.=सेंटीमीटर | मि.=मिनट | रु.=रुपये | नं.=नंबर | उदा.=उदाहरण | सं.=संख्या | कु.=कुमारी | मो.=मोबाइल
        पृ.=पृष्ठ | ई.पू.=ईसा पूर्व | किमी=किलोमीटर | dr.=डॉक्टर | mr.=मिस्टर
        """
    ),
    before_number=table(
        """
        #=नंबर | क्र.=क्रमांक
        """
    ),
    code_words=words(
        "कोड पिन ओटीपी otp pin पासवर्ड",
    ),
    id_words=words(
        "नंबर खाता ऑर्डर टिकट बुकिंग रसीद फ़ोन फोन",
    ),
    read=words(
        "pin sim ram",
    ),
    spelled=words(
        "otp",
    ),
    ordinals={1: "पहला", 2: "दूसरा", 3: "तीसरा", 4: "चौथा", 6: "छठा"},
    ordinal_pattern="वां|वाँ|वीं|वें|ला|रा|था|ठा",
    time=_time,
    fractions={3: ("तिहाई", "तिहाई"), 4: ("चौथाई", "चौथाई")},
    fraction_words={(1, 2): "आधा", (3, 4): "तीन चौथाई"},
)
