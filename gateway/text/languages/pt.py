"""Portuguese of Brazil."""

from collections.abc import Callable

from gateway.text.languages.rules import COMMON_CLOSING, COMMON_TITLES, SentenceRules, words
from gateway.text.languages.speech import Currency, SpeechRules, table

CODE = "pt"

SENTENCES = SentenceRules(
    titles=COMMON_TITLES
    | words(
        "sr sra srta srs sras dra prof profa profª exmo exma ilmo ilma eng arq adv des dep gen cel cap",
        "ten maj sgt mons pe frei fr sto sta d dom av al trav pç pça pca rod est r cond ed p.ex ex v v.ex obs",
    ),
    capital_titles=words(
        "ver ir",
    ),
    before_number=words(
        "no nº n núm num pág págs pag p pp art arts tel vol fig aprox ramal máx mín ref apto ap bl jan",
        "fev mar abr mai jun jul ago set out nov dez seg ter qua qui sex sáb km cód qd lt séc cj",
    ),
    closing=(
        COMMON_CLOSING
        - words(
            "sr",
        )
    )
    | words(
        "ltda cia s.a s/a me e.u.a eua a.c d.c h min hs",
    ),
    labels=words(
        "plano opção porta portão vitamina seção sala bloco terminal classe grupo parte tipo anexo plataforma",
        "zona prédio ala fila assento saída nível equipe hepatite letra tecla linha torre guichê turma",
    ),
    starters=words(
        "o a os as um uma este esta isto esse essa isso aquele eu tu você vocês ele ela nós eles elas meu minha",
        "seu sua nosso nossa é são está estão há tem pode quer se quando onde como porque mas e ou não sim por",
        "para com sem em de ao do da no na que quem qual quanto obrigado obrigada olá desculpe agora depois antes",
        "hoje amanhã ontem também então tudo todos cada aguarde ligue deseja posso",
    ),
    followers=words(
        "segunda terça quarta quinta sexta sábado domingo",
    ),
)


def _is_feminine(noun: str) -> bool:
    masculine = noun.endswith(("dia", "dias", "ema", "emas", "grama", "gramas", "mapa", "mapas"))
    return not masculine and noun.endswith(("a", "as", "ção", "ções", "dade", "dades", "gens", "gem"))


def _time(hour: int, minute: int, say: Callable[[int], str]) -> str:
    words_of = {1: "uma", 2: "duas", 21: "vinte e uma", 22: "vinte e duas"}
    hours = words_of.get(hour, say(hour))
    if minute == 0:
        return f"{hours} hora" if hour == 1 else f"{hours} horas"
    return f"{hours} e {say(minute)}"


SPEECH = SpeechRules(
    code=CODE,
    num2words="pt_BR",
    locale="pt_BR",
    digit_names=("zero", "um", "dois", "três", "quatro", "cinco", "seis", "sete", "oito", "nove"),
    point="vírgula",
    decimal_mark=",",
    group_marks=". \u00a0\u202f",
    signs=table(
        """
        squared=ao quadrado | cubed=ao cubo | minus=menos | percent=por cento | to=a | times=vezes
        equals=igual a | at=arroba | dot=ponto | dash=hífen | underscore=sublinhado | slash=barra | plus=mais
        about=cerca de | degrees=graus | per=por | over=sobre | number=número | hash=jogo da velha
        star=asterisco | question=interrogação | ratio=para | x=vezes | less=menor que | more=maior que
        divided=dividido por | plusminus=mais ou menos | section=seção | version=versão | half=meio
        and_half=e meio | and=e | colon=dois pontos | permille=por mil | atleast=pelo menos | atmost=no máximo
        by=por | out_of=de
        """
    ),
    currencies={
        "r$": Currency("real", "reais", "centavo", "centavos"),
        "brl": Currency("real", "reais", "centavo", "centavos"),
        "€": Currency("euro", "euros", "centavo", "centavos"),
        "$": Currency("dólar", "dólares", "centavo", "centavos"),
        "£": Currency("libra", "libras", "centavo", "centavos"),
        "¥": Currency("iene", "ienes"),
        "₹": Currency("rupia", "rupias"),
        "rp": Currency("rupia", "rupias"),
    },
    scales={
        "k": ("mil", "mil"),
        "mil": ("mil", "mil"),
        "mi": ("milhão", "milhões"),
        "milhão": ("milhão", "milhões"),
        "milhões": ("milhão", "milhões"),
        "bi": ("bilhão", "bilhões"),
        "bilhão": ("bilhão", "bilhões"),
        "bilhões": ("bilhão", "bilhões"),
    },
    scale_of="de",
    cents_join=" e ",
    says_cents=True,
    abbreviations=table(
        """
        sr.=senhor | sra.=senhora | srta.=senhorita | srs.=senhores | dr.=doutor | dra.=doutora | prof.=professor
        profa.=professora | eng.=engenheiro | d.=dona | exmo.=excelentíssimo | exma.=excelentíssima
        etc.=et cetera | p. ex.=por exemplo | p.ex.=por exemplo | av.=avenida | r.=rua | al.=alameda
        rod.=rodovia | pça.=praça | tel.=telefone | ap.=apartamento | apto.=apartamento | bl.=bloco
        aprox.=aproximadamente | máx.=máximo | mín.=mínimo | ltda.=limitada | s.a.=S A | s/a=S A | cia.=companhia
        jr.=júnior | obs.=observação | vc=você | sto.=santo | sta.=santa | hs=horas | vs.=contra | c/=com | s/=sem
        """
    ),
    before_number=table(
        """
        nº=número | n.º=número | n°=número | núm.=número | no.=número | pág.=página | págs.=páginas | p.=página
        art.=artigo | cap.=capítulo | vol.=volume | séc.=século | ramal=ramal | #=número
        """
    ),
    after_number=table(
        """
        h=horas | hs=horas | min.=minutos | seg.=segundos
        """
    ),
    spelled=words(
        "cpf cnpj rg otp usa ue onu eua pix cep",
    ),
    read=words(
        "pin sim pix onu cep não de a o e em um uma no na se",
    ),
    names_for_roman=words(
        "luís dom pedro joão henrique",
    ),
    labels_for_roman=words(
        "século capítulo tomo parte tipo fase nível classe guerra mundial séc cap",
    ),
    code_words=words(
        "código tel telefone ligue celular pin cep senha ramal",
    ),
    id_words=words(
        "número pedido conta referência protocolo fatura reserva bilhete cartão cliente cpf é",
    ),
    time_words=words(
        "às as das",
    ),
    date_words=words(
        "dia",
    ),
    time_marks=":h",
    ordinal_pattern="º|ª|o|a|\\.º|\\.ª",
    decimals_as_number=True,
    agreement=(("um", "um", "uma"), ("dois", "dois", "duas"), ("meio", "meio", "meia"), ("entos", "entos", "entas")),
    glued=True,
    is_feminine=_is_feminine,
    time=_time,
    date_joins=(" de ", " de "),
    first_of_month="primeiro",
    fractions={3: ("terço", "terços"), 4: ("quarto", "quartos"), 5: ("quinto", "quintos"), 8: ("oitavo", "oitavos")},
    fraction_words={(1, 2): "meio"},
)
