"""Italian."""

from collections.abc import Callable

from gateway.text.languages.rules import COMMON_CLOSING, COMMON_TITLES, SentenceRules, words
from gateway.text.languages.speech import Currency, SpeechRules, table

CODE = "it"

SENTENCES = SentenceRules(
    titles=COMMON_TITLES
    | words(
        "sig sigg sig.ra sig.na sigra dott dott.ssa dr.ssa prof.ssa ing avv arch geom rag on sen cav comm mons",
        "don p gen col cap ten magg spett egr gent gent.ma ill rev s ss fra suor v.le p.zza c.so l.go loc fraz",
        "p.es es ad",
    ),
    before_number=words(
        "n nr num pag pagg art artt tel vol fig circa int ed max min rif feb mar apr mag giu lug ago set",
        "ott nov dic lun mer gio ven sab dom civ c.a ca km sc pos sec",
    ),
    closing=COMMON_CLOSING
    | words(
        "ecc s.p.a s.r.l s.n.c s.a.s spa srl a.c d.c c.m u.s.l r.c c.v",
    ),
    labels=words(
        "piano opzione porta vitamina sezione sala blocco terminal classe gruppo parte tipo allegato binario zona",
        "edificio ala fila posto uscita livello squadra epatite lettera tasto linea torre scala corridoio",
    ),
    starters=words(
        "il lo la i gli le un uno una questo questa questi quello quella io tu lei lui noi voi loro mio mia suo",
        "sua nostro nostra vostro è sono ha hanno può vuole se quando dove come perché ma e o no sì non per con",
        "senza in di a al del da che chi cosa quale quanto grazie buongiorno pronto scusi ora poi dopo prima oggi",
        "domani ieri anche inoltre quindi tutto tutti ogni attenda chiami",
    ),
    followers=words(
        "lunedì martedì mercoledì giovedì venerdì sabato domenica",
    ),
)


def _is_feminine(noun: str) -> bool:
    return noun.endswith(("a", "zione", "tà")) and noun not in ("problema", "programma")


def _time(hour: int, minute: int, say: Callable[[int], str]) -> str:
    hours = "una" if hour == 1 else say(hour)
    return f"{hours} e {say(minute)}" if minute else hours


SPEECH = SpeechRules(
    code=CODE,
    num2words="it",
    locale="it",
    digit_names=("zero", "uno", "due", "tre", "quattro", "cinque", "sei", "sette", "otto", "nove"),
    point="virgola",
    decimal_mark=",",
    group_marks=". \u00a0\u202f",
    signs=table(
        """
        squared=al quadrato | cubed=al cubo | minus=meno | percent=per cento | to=a | times=per | equals=uguale
        at=chiocciola | dot=punto | dash=trattino | underscore=trattino basso | slash=barra | plus=più
        about=circa | degrees=gradi | per=al | over=su | number=numero | hash=cancelletto | star=asterisco
        question=punto interrogativo | ratio=a | x=per | less=minore di | more=maggiore di | divided=diviso
        plusminus=più o meno | section=sezione | version=versione | half=mezzo | and_half=e mezzo | and=e
        colon=due punti | permille=per mille | atleast=almeno | atmost=al massimo | by=per | out_of=su
        """
    ),
    currencies={
        "€": Currency("euro", "euro", "centesimo", "centesimi"),
        "$": Currency("dollaro", "dollari", "centesimo", "centesimi"),
        "£": Currency("sterlina", "sterline", "penny", "pence"),
        "¥": Currency("yen", "yen"),
        "₹": Currency("rupia", "rupie"),
        "rp": Currency("rupia", "rupie"),
    },
    scales={
        "k": ("mila", "mila"),
        "mila": ("mila", "mila"),
        "mln": ("milione", "milioni"),
        "m": ("milione", "milioni"),
        "milione": ("milione", "milioni"),
        "milioni": ("milione", "milioni"),
        "mld": ("miliardo", "miliardi"),
        "miliardo": ("miliardo", "miliardi"),
        "miliardi": ("miliardo", "miliardi"),
    },
    scale_of="di",
    cents_join=" e ",
    says_cents=False,
    abbreviations=table(
        """
        sig.=signor | sig.ra=signora | sig.na=signorina | sigg.=signori | dott.=dottor | dott.ssa=dottoressa
        dr.=dottor | prof.=professor | prof.ssa=professoressa | ing.=ingegner | avv.=avvocato | arch.=architetto
        geom.=geometra | rag.=ragionier | on.=onorevole | ecc.=eccetera | etc.=eccetera | p.es.=per esempio
        p. es.=per esempio | es.=esempio | p.zza=piazza | v.le=viale | c.so=corso | l.go=largo | tel.=telefono
        max.=massimo | min.=minimo | spett.=spettabile | s.p.a.=S P A | s.r.l.=S R L | srl=S R L
        a.c.=avanti Cristo | d.c.=dopo Cristo | c.a.=circa | ca.=circa | gent.=gentile | egr.=egregio | vs.=contro
        apt.=appartamento | ca=circa
        """
    ),
    before_number=table(
        """
        n.=numero | nr.=numero | n°=numero | num.=numero | pag.=pagina | pagg.=pagine | art.=articolo
        cap.=capitolo | vol.=volume | fig.=figura | int.=interno | sec.=secolo | #=numero
        """
    ),
    after_number=table(
        """
        h=ore | min.=minuti | sec.=secondi
        """
    ),
    spelled=words(
        "iban otp usa ue onu iva asl",
    ),
    read=words(
        "pin sim iva no sì il la di e non è un una iban onu",
    ),
    names_for_roman=words(
        "luigi enrico carlo vittorio papa giovanni",
    ),
    labels_for_roman=words(
        "secolo capitolo tomo parte tipo fase livello classe guerra mondiale sec cap",
    ),
    code_words=words(
        "codice tel telefono chiami cellulare pin cap password",
    ),
    id_words=words(
        "numero ordine conto riferimento pratica fattura prenotazione biglietto carta cliente è",
    ),
    time_words=words(
        "alle ore dalle",
    ),
    time_marks=":.",
    ordinal_pattern="°|º|ª|o|a",
    decimals_as_number=True,
    agreement=(("ventuno", "ventuno", "ventuno"), ("uno", "un", "una"), ("mezzo", "mezzo", "mezza")),
    glued=False,
    is_feminine=_is_feminine,
    time=_time,
    date_joins=(" ", " "),
    first_of_month="primo",
    fractions={3: ("terzo", "terzi"), 4: ("quarto", "quarti"), 5: ("quinto", "quinti"), 8: ("ottavo", "ottavi")},
    fraction_words={(1, 2): "mezzo"},
)
