"""Small words by which callers of each language show that they go on, listen, or wonder whether anybody is there.

All are written as a recogniser writes them, in lower case, without punctuation.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Habits:
    """The small words of one language."""

    # After these nobody stops: articles, prepositions, connectives, possessives, sounds of thinking.
    dangling: frozenset[str]
    # The same, unless the recogniser has set a full stop behind them.
    unmarked: frozenset[str] = field(default=frozenset(), kw_only=True)
    # The same, even if it has set a question mark there.
    unasked: frozenset[str] = field(default=frozenset(), kw_only=True)
    # A whole answer in one word.
    answers: frozenset[str]
    # Said by a listener who does not want the turn.
    backchannels: frozenset[str]
    # In what is said to stop the bot, however short it is.
    interjections: frozenset[str]
    # Said by a caller who hears nothing.
    attention: frozenset[str]
    # In a question of the bot: the caller is about to dictate digits or letters.
    dictation: frozenset[str]


def words(text: str) -> frozenset[str]:
    return frozenset(text.split())


def _phrases(text: str) -> frozenset[str]:
    return frozenset(phrase.strip() for phrase in text.split(","))


# Sounds that every language writes in some such way.
_THINKING = "um uh er erm hm hmm mm mmm eh ehm uhm äh ähm"
_LISTENING = "mm mmm mhm mm-hm mm-hmm mhmm uh-huh uhuh uh huh hm hmm ah oh aha ok okay okey"

_EN = Habits(
    dangling=words(
        f"{_THINKING} and or but so because if when then than whose where while although though since"
        " until unless as like actually the a an my your our his their its this these those some any every"
        " to of for from at by with without about into onto under between near per via plus"
        " i'm we're they're you're it's that's i'd we'd i'll we'll want need wanna gonna i we they"
        " he she maybe very nor either both dot slash dash underscore double triple"
    ),
    unmarked=words(
        "that which who these those is are was were am be been would could should can will shall may might"
        " must do does did have has had going also more not well in on over"
    ),
    unasked=words("have has is are was were can could would should may might"),
    answers=_phrases(
        "yes, no, yeah, yep, nope, sure, thanks, thank you, bye, goodbye, please, yes please, no thanks,"
        " no thank you, that's all, that's it, that's right, correct, exactly, of course, hello, hi"
    ),
    backchannels=words(
        f"{_LISTENING} yeah yep yes right sure alright good great fine cool see i gotcha got it thanks you thank"
    ),
    interjections=words(
        "stop wait no not nope hold hang sorry pardon excuse hey listen what who actually but again repeat"
        " slower louder human agent operator help cancel enough quiet"
    ),
    attention=_phrases(
        "hello, hello there, are you there, are you still there, anybody there, is anyone there, hey, hi"
    ),
    dictation=words("number phone telephone card code zip postcode pin account birth spell spelling email e-mail"),
)
_ID = Habits(
    dangling=words(
        f"{_THINKING} anu ehm dan atau tapi tetapi karena kalau jika supaya agar bahwa yang untuk dari ke di pada"
        " dengan tanpa tentang oleh sebagai seperti jadi terus lalu kemudian sama buat saya mau ingin adalah itu-nya"
        " para si sang sebuah seorang setiap tiap antara sampai hingga sejak selama ketika saat juga lagi titik"
    ),
    answers=_phrases(
        "ya, iya, tidak, nggak, enggak, bukan, belum, sudah, baik, terima kasih, makasih, itu saja, betul"
    ),
    backchannels=words(f"{_LISTENING} iya ya he-eh heeh hee oke baik betul oh gitu begitu sip siap mm-hm kasih terima"),
    interjections=words(
        "stop tunggu sebentar bentar jangan bukan tidak nggak enggak maaf permisi dengar salah ulang ulangi"
        " lagi apa tapi batal operator petugas bantu cukup"
    ),
    attention=_phrases("halo, hallo, halo halo, masih di sana, ada orang"),
    dictation=words("nomor nomer telepon telpon hp kartu kode pin rekening lahir eja ejaan email surel"),
)
_ES = Habits(
    dangling=words(
        f"{_THINKING} este pues y e o u pero porque cuando que cual quien donde como aunque entonces el la los"
        " las un una unos unas mi mis tu su sus nuestro este esta de del a al en con sin por para sobre entre desde"
        " hasta hacia es son está quiero quería quisiera necesito tengo me se lo punto guion doble"
    ),
    answers=_phrases("sí, si, no, gracias, adiós, claro, vale, por favor, eso es todo, nada más, correcto, exacto"),
    backchannels=words(f"{_LISTENING} sí si ya vale claro bien ajá bueno entiendo"),
    interjections=words(
        "no para pare alto espera espere perdón perdone disculpe oye oiga momento qué pero repita otra ayuda"
        " operador agente persona basta"
    ),
    attention=_phrases("hola, oiga, aló, bueno, está ahí, sigue ahí, hay alguien"),
    dictation=words("número teléfono tarjeta código pin cuenta nacimiento deletrear deletree correo email"),
)
_FR = Habits(
    dangling=words(
        f"{_THINKING} euh ben et ou mais parce car si quand que qui dont où donc alors le la les l' un une des du de"
        " d' mon ma mes ton votre vos notre nos leur ce cette ces à au aux en dans par pour sur sous avec sans chez"
        " entre vers est sont je j'ai voudrais veux j'aimerais point tiret double"
    ),
    answers=_phrases("oui, non, merci, au revoir, d'accord, c'est tout, s'il vous plaît, exactement, bien sûr"),
    backchannels=words(f"{_LISTENING} oui ouais d'accord bien voilà mouais hum je vois"),
    interjections=words(
        "non stop arrêtez arrête attendez attends pardon excusez écoutez moment quoi mais répétez aide"
        " opérateur conseiller suffit"
    ),
    attention=_phrases("allô, allo, bonjour, vous êtes là, il y a quelqu'un"),
    dictation=words("numéro téléphone carte code pin compte naissance épeler épelez email e-mail courriel"),
)
_IT = Habits(
    dangling=words(
        f"{_THINKING} cioè allora e o ma perché se quando che chi dove come però quindi il lo la i gli le un uno una"
        " mio mia miei suo sua nostro questo questa di del della dei a al alla da dal in nel nella con su per tra fra"
        " è sono vorrei voglio ho punto doppio"
    ),
    answers=_phrases("sì, si, no, grazie, arrivederci, certo, va bene, per favore, basta così, esatto, pronto"),
    backchannels=words(f"{_LISTENING} sì si già certo bene va capito esatto ecco"),
    interjections=words(
        "no stop fermo basta aspetti aspetta scusi scusa senta momento cosa ma ripeta aiuto operatore persona"
    ),
    attention=_phrases("pronto, c'è, è ancora lì, c'è qualcuno"),
    dictation=words("numero telefono carta codice pin conto nascita lettera email e-mail"),
)
_PT = Habits(
    dangling=words(
        f"{_THINKING} é então tipo e ou mas porque se quando que quem onde como embora o a os as um uma uns umas meu"
        " minha seu sua nosso este esta de do da dos das em no na nos nas com sem por para pra sobre entre até desde"
        " são está quero queria gostaria preciso tenho ponto"
    ),
    answers=_phrases("sim, não, obrigado, obrigada, tchau, claro, certo, por favor, só isso, isso, exato"),
    backchannels=words(f"{_LISTENING} sim tá certo claro isso entendi aham uhum bom"),
    interjections=words(
        "não pare para espera espere peraí desculpe desculpa escuta calma momento quê mas repita ajuda"
        " atendente pessoa chega"
    ),
    attention=_phrases("alô, oi, olá, está aí, tem alguém aí"),
    dictation=words("número telefone cartão código pin conta nascimento soletrar soletre email e-mail"),
)
_HI = Habits(
    dangling=words(f"{_THINKING} और या लेकिन मगर क्योंकि अगर जब तो कि जो का की के को में पर से तक मेरा मेरी मेरे एक यह वह मैं मुझे"),
    answers=_phrases("हाँ, हां, जी, जी हाँ, नहीं, धन्यवाद, ठीक है, शुक्रिया, बस"),
    backchannels=words(f"{_LISTENING} हाँ हां जी अच्छा ठीक है हम्म"),
    interjections=words("नहीं रुको रुकिए ठहरिए सुनो सुनिए माफ़ माफ क्या लेकिन फिर मदद"),
    attention=_phrases("हेलो, हैलो, सुनिए, आप हैं"),
    dictation=words("नंबर फोन फ़ोन कार्ड कोड पिन खाता जन्म ईमेल"),
)
# No spaces between words: the last sounds of a text are compared with these.
_JA = Habits(
    dangling=words("えっと えーと あの その は が を に で と から ので けど て"),
    answers=_phrases("はい, いいえ, ありがとう, お願いします, 結構です"),
    backchannels=words(f"{_LISTENING} はい ええ うん そう そうですか なるほど"),
    interjections=words("待って ちょっと すみません 違う 違います いや ストップ もう一度"),
    attention=_phrases("もしもし, 聞こえますか"),
    dictation=words("番号 電話 カード コード メール"),
)
_ZH = Habits(
    dangling=words("嗯 呃 那个 然后 和 或者 但是 因为 如果 的 在 给 跟 从 到 把"),
    answers=_phrases("是, 是的, 对, 不, 不是, 好, 好的, 谢谢, 再见, 没有"),
    backchannels=words(f"{_LISTENING} 嗯 哦 对 好 好的 是 是的"),
    interjections=words("等 停 不 对不起 什么 但是 再说"),
    attention=_phrases("喂, 你好, 在吗, 有人吗"),
    dictation=words("号码 电话 卡 密码 邮箱"),
)

_HABITS: Mapping[str, Habits] = {
    "en": _EN, "id": _ID, "es": _ES, "fr": _FR, "it": _IT, "pt": _PT, "hi": _HI, "ja": _JA, "zh": _ZH,
}  # fmt: skip


def habits_of(language: str) -> Habits:
    """The small words of a language code such as "en" or "pt-br"; English for one that is not known."""
    return _HABITS.get(language.partition("-")[0].lower(), _EN)
