"""Spanish."""

from collections.abc import Callable

from gateway.text.languages.rules import COMMON_CLOSING, COMMON_TITLES, SentenceRules, words
from gateway.text.languages.speech import Currency, SpeechRules, table

CODE = "es"

SENTENCES = SentenceRules(
    titles=COMMON_TITLES
    | words(
        "sr sra srta sres sras dra d dª dña prof profa lic ing arq mons fr hno hna gral cnel cap col fdo tte sto sta",
        "exc excmo excma ilmo ilma avda av pza plza ctra urb c p.ej ej i.e ee dto dpto depto esq gob",
    ),
    before_number=words(
        "nº núm num n pág págs pag p pp art arts tel tlf tfno vol fig aprox ext máx mín tomo t ref ene feb",
        "mar abr may jun jul ago sep sept set oct nov dic lun mié jue vie sáb dom km izq piso a s",
    ),
    closing=(
        COMMON_CLOSING
        - words(
            "sr",
        )
    )
    | words(
        "ud uds vd vds s.a s.l s.a.u s.l.u s.r.l cía ee.uu uu r.d c.v a.c d.c ltda hnos dcha",
    ),
    labels=words(
        "plan opción puerta vitamina sección sala bloque terminal grado clase grupo parte tipo anexo plataforma",
        "zona edificio ala fila asiento salida nivel equipo hepatitis letra tecla línea ruta torre casa",
    ),
    starters=words(
        "el la los las un una unos unas este esta esto ese esa eso aquel yo tú usted ustedes él ella nosotros",
        "ellos su sus mi mis nuestro nuestra tu tus es son está están hay tiene puede quiere si cuando donde como",
        "porque pero y o no sí por para con sin en de a al del se le les lo me te nos que qué quién cuál cuándo",
        "dónde cómo cuánto gracias hola perdón ahora luego después antes hoy mañana también además entonces todo",
        "todos cada espere llame",
    ),
    followers=words(
        "lunes martes miércoles jueves viernes sábado domingo",
    ),
)


def _is_feminine(noun: str) -> bool:
    return noun.endswith(("a", "as", "ción", "dad")) and noun not in ("día", "días", "problema", "problemas")


def _time(hour: int, minute: int, say: Callable[[int], str]) -> str:
    words_of = {1: "una", 21: "veintiuna"}
    hours = words_of.get(hour, say(hour))
    if minute == 0:
        return hours
    return f"{hours} y {say(minute)}" if minute < 10 else f"{hours} {say(minute)}"


SPEECH = SpeechRules(
    code=CODE,
    num2words="es",
    locale="es",
    digit_names=("cero", "uno", "dos", "tres", "cuatro", "cinco", "seis", "siete", "ocho", "nueve"),
    point="coma",
    decimal_mark=",",
    group_marks=". \u00a0\u202f",
    signs=table(
        """
        squared=al cuadrado | cubed=al cubo | minus=menos | percent=por ciento | to=a | times=por | equals=igual a
        at=arroba | dot=punto | dash=guion | underscore=guion bajo | slash=barra | plus=más | about=unos
        degrees=grados | per=por | over=partido por | number=número | hash=almohadilla | star=asterisco
        question=interrogación | ratio=a | x=por | less=menor que | more=mayor que | divided=entre
        plusminus=más menos | section=sección | version=versión | half=medio | and_half=y medio | and=y
        colon=dos puntos | permille=por mil | atleast=al menos | atmost=como mucho | by=por | out_of=de
        """
    ),
    currencies={
        "€": Currency("euro", "euros", "céntimo", "céntimos"),
        "$": Currency("dólar", "dólares", "centavo", "centavos"),
        "£": Currency("libra", "libras", "penique", "peniques"),
        "¥": Currency("yen", "yenes"),
        "₹": Currency("rupia", "rupias"),
        "rp": Currency("rupia", "rupias"),
        "mxn": Currency("peso", "pesos", "centavo", "centavos"),
    },
    scales={
        "k": ("mil", "mil"),
        "mil": ("mil", "mil"),
        "m": ("millón", "millones"),
        "millón": ("millón", "millones"),
        "millones": ("millón", "millones"),
    },
    scale_of="de",
    cents_join=" con ",
    says_cents=False,
    abbreviations=table(
        """
        sr.=señor | sra.=señora | srta.=señorita | sres.=señores | dr.=doctor | dra.=doctora | d.=don | dña.=doña
        prof.=profesor | profa.=profesora | lic.=licenciado | ing.=ingeniero | ud.=usted | uds.=ustedes
        vd.=usted | etc.=etcétera | p. ej.=por ejemplo | p.ej.=por ejemplo | av.=avenida | avda.=avenida
        c/=calle | pza.=plaza | ctra.=carretera | dpto.=departamento | depto.=departamento | tel.=teléfono
        tfno.=teléfono | tlf.=teléfono | aprox.=aproximadamente | máx.=máximo | mín.=mínimo | izq.=izquierda
        dcha.=derecha | ee. uu.=Estados Unidos | ee.uu.=Estados Unidos | a. m.=de la mañana | p. m.=de la tarde
        a.m.=de la mañana | p.m.=de la tarde | cía.=compañía | s.a.=S A | s.l.=S L | sto.=santo | sta.=santa
        gral.=general | a. c.=antes de Cristo | d. c.=después de Cristo | h=horas | hrs.=horas | vs.=contra
        """
    ),
    before_number=table(
        """
        núm.=número | nº=número | n.º=número | n°=número | no.=número | pág.=página | págs.=páginas | p.=página
        art.=artículo | cap.=capítulo | vol.=volumen | ext.=extensión | s.=siglo | #=número
        """
    ),
    after_number=table(
        """
        h=horas | h.=horas | hs=horas | min.=minutos | seg.=segundos
        """
    ),
    spelled=words(
        "dni iva nif iban otp eta usa ue onu ong otan pyme",
    ),
    read=words(
        "iva ave ong otan pyme pin sim no sí de la el en es un si",
    ),
    names_for_roman=words(
        "luis felipe carlos alfonso enrique juan fernando isabel",
    ),
    labels_for_roman=words(
        "siglo capítulo tomo parte tipo fase nivel clase guerra mundial artículo s cap",
    ),
    code_words=words(
        "código teléfono tel tlf móvil llame llámenos clave pin contraseña postal extensión",
    ),
    id_words=words(
        "número pedido cuenta referencia reserva factura expediente ticket tarjeta cliente dni nif es",
    ),
    time_words=words(
        "las la",
    ),
    date_words=words(
        "día",
    ),
    time_marks=":",
    ordinal_pattern="º|ª|\\.º|\\.ª|er|\\.er|o|a",
    decimals_as_number=True,
    agreement=(
        ("veintiuno", "veintiún", "veintiuna"),
        ("uno", "un", "una"),
        ("medio", "medio", "media"),
        ("cientos", "cientos", "cientas"),
    ),
    glued=True,
    is_feminine=_is_feminine,
    time=_time,
    date_joins=(" de ", " de "),
    first_of_month="primero",
    fractions={3: ("tercio", "tercios"), 4: ("cuarto", "cuartos"), 5: ("quinto", "quintos"), 8: ("octavo", "octavos")},
    fraction_words={(1, 2): "medio"},
)
