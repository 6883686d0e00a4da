"""French."""

from gateway.text.languages.rules import COMMON_CLOSING, COMMON_TITLES, SentenceRules, words

CODE = "fr"

SENTENCES = SentenceRules(
    titles=COMMON_TITLES
    | words(
        "m mm mme mmes mlle mlles me mes mgr pr ste sts p.ex ex c.-à-d càd av bd boul pl all imp rte ch fg rés",
        "bât cap col gal cdt lt adj env resp vve j.-c",
    )
    - words(
        "j.-c",
    ),
    before_number=words(
        "no nº n° n p pp page art chap tél tel fax vol fig env réf min max poste apt appt ét janv févr avr juil",
        "sept oct nov déc lun mar mer jeu ven sam dim approx t al",
    ),
    closing=COMMON_CLOSING
    | words(
        "s.a s.a.s s.a.r.l s.n.c.f cie j.-c st s.v.p r.a.s p.s h min",
    ),
    labels=words(
        "plan option porte vitamine section salle bloc terminal classe groupe partie type annexe quai zone",
        "bâtiment aile rangée siège sortie niveau équipe hépatite lettre touche ligne tour voie hall catégorie",
    ),
    starters=words(
        "le la les un une des ce cet cette ces je tu il elle on nous vous ils elles mon ma mes votre vos notre",
        "nos son sa ses est sont c'est il'y si quand où comment pourquoi mais et ou donc or ni car non oui pour",
        "avec sans dans de à au aux du en par sur que qui quoi quel quelle merci bonjour pardon maintenant",
        "ensuite après avant aujourd'hui demain hier aussi alors tout toute tous chaque veuillez voulez appelez",
        "j'ai l'agence d'accord",
    ),
    followers=words(
        "lundi mardi mercredi jeudi vendredi samedi dimanche",
    ),
)
