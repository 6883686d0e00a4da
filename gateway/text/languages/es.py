"""Spanish."""

from gateway.text.languages.rules import COMMON_CLOSING, COMMON_TITLES, SentenceRules, words

CODE = "es"

SENTENCES = SentenceRules(
    titles=COMMON_TITLES
    | words(
        "sr sra srta sres sras dra d dª dña prof profa lic ing arq mons fr hno hna gral cnel cap tte sto sta exc",
        "excmo excma ilmo ilma avda av pza plza ctra urb c p.ej ej i.e ee dto dpto depto esq gob",
    ),
    before_number=words(
        "nº núm num n pág págs pag p pp art arts cap tel tlf tfno vol fig aprox ext máx mín tomo t ref ene feb",
        "mar abr may jun jul ago sep sept set oct nov dic lun mié jue vie sáb dom km izq piso",
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
