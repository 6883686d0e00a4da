"""Portuguese of Brazil."""

from gateway.text.languages.rules import COMMON_CLOSING, COMMON_TITLES, SentenceRules, words

CODE = "pt"

SENTENCES = SentenceRules(
    titles=COMMON_TITLES
    | words(
        "sr sra srta srs sras dra prof profa profª exmo exma ilmo ilma eng arq adv des min dep ver gen cel cap",
        "ten maj sgt mons pe frei fr ir sto sta d dom av al trav pç pça pca rod est r cond ed p.ex ex v v.ex obs",
    ),
    before_number=words(
        "no nº n núm num pág págs pag p pp art arts cap tel cel vol fig aprox ramal máx mín ref apto ap bl jan",
        "fev mar abr mai jun jul ago set out nov dez seg ter qua qui sex sáb km inc cód qd lt",
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
