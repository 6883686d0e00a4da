"""French."""

from collections.abc import Callable

from gateway.text.languages.rules import COMMON_CLOSING, COMMON_TITLES, SentenceRules, words
from gateway.text.languages.speech import Currency, SpeechRules, table

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
        "no nº n° n p pp page art chap tél tel fax vol fig réf min max poste apt appt ét janv févr avr juil",
        "sept oct nov déc lun mar mer jeu ven sam dim approx t al s",
    ),
    closing=COMMON_CLOSING
    | words(
        "s.a s.a.s s.a.r.l s.n.c.f cie j.-c s.v.p r.a.s p.s h ",
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


def _is_feminine(noun: str) -> bool:
    known = (
        "heure",
        "minute",
        "seconde",
        "personne",
        "page",
        "fois",
        "semaine",
        "année",
        "chambre",
        "place",
        "journée",
    )
    return (
        noun.removesuffix("s") in known or noun == "fois" or noun.endswith(("tion", "tions", "té", "tés", "ée", "ées"))
    )


def _time(hour: int, minute: int, say: Callable[[int], str]) -> str:
    hours = agreed_hour(say(hour)) + (" heure" if hour in (0, 1) else " heures")
    return f"{hours} {say(minute)}" if minute else hours


def agreed_hour(words_of: str) -> str:
    """The hour is feminine: "une heure", "vingt et une heures"."""
    return words_of + "e" if words_of.split()[-1] == "un" else words_of


SPEECH = SpeechRules(
    code=CODE,
    num2words="fr",
    locale="fr",
    digit_names=("zéro", "un", "deux", "trois", "quatre", "cinq", "six", "sept", "huit", "neuf"),
    point="virgule",
    decimal_mark=",",
    group_marks=" .\u00a0\u202f",
    signs=table(
        """
        squared=au carré | cubed=au cube | minus=moins | percent=pour cent | to=à | times=fois | equals=égale
        at=arobase | dot=point | dash=tiret | underscore=tiret bas | slash=barre oblique | plus=plus
        about=environ | degrees=degrés | per=par | over=sur | number=numéro | hash=dièse | star=étoile
        question=point d'interrogation | ratio=contre | x=fois | less=inférieur à | more=supérieur à
        divided=divisé par | plusminus=plus ou moins | section=section | version=version | half=demi
        and_half=et demi | and=et | colon=deux points | permille=pour mille | atleast=au moins | atmost=au plus
        by=par | out_of=sur
        """
    ),
    currencies={
        "€": Currency("euro", "euros", "centime", "centimes"),
        "$": Currency("dollar", "dollars", "cent", "cents"),
        "£": Currency("livre", "livres", "penny", "pence"),
        "¥": Currency("yen", "yens"),
        "₹": Currency("roupie", "roupies"),
        "rp": Currency("roupie", "roupies"),
        "chf": Currency("franc suisse", "francs suisses", "centime", "centimes"),
    },
    scales={
        "k": ("mille", "mille"),
        "m": ("million", "millions"),
        "md": ("milliard", "milliards"),
        "mille": ("mille", "mille"),
        "million": ("million", "millions"),
        "millions": ("million", "millions"),
        "milliard": ("milliard", "milliards"),
        "milliards": ("milliard", "milliards"),
    },
    scale_of="d'",
    cents_join=" ",
    says_cents=False,
    abbreviations=table(
        """
        m.=monsieur | mm.=messieurs | mme=madame | mme.=madame | mmes=mesdames | mlle=mademoiselle
        mlle.=mademoiselle | dr=docteur | dr.=docteur | pr=professeur | pr.=professeur | me=me | etc.=et cetera
        p. ex.=par exemple | p.ex.=par exemple | c.-à-d.=c'est-à-dire | av.=avenue
        av. j.-c.=avant Jésus Christ | bd=boulevard | bd.=boulevard
        bld=boulevard | pl.=place | rte=route | st=saint | ste=sainte | tél.=téléphone | tel.=téléphone
        env.=environ | max.=maximum | min.=minimum | apt.=appartement | appt.=appartement | bât.=bâtiment
        ét.=étage | svp=s'il vous plaît | s.v.p.=s'il vous plaît | rdv=rendez-vous | janv.=janvier | févr.=février
        avr.=avril | juil.=juillet | sept.=septembre | oct.=octobre | nov.=novembre | déc.=décembre | vs=contre
        cie=compagnie | stp=s'il te plaît | qqn=quelqu'un
        """
    ),
    before_number=table(
        """
        n°=numéro | nº=numéro | no=numéro | p.=page | pp.=pages | art.=article | chap.=chapitre | vol.=volume
        fig.=figure | poste=poste | #=numéro
        """
    ),
    after_number=table(
        """
        h=heures | min.=minutes | mn=minutes | kg.=kilogrammes | ans=ans
        """
    ),
    spelled=words(
        "sncf ratp tva rib otp usa ue onu pdf cb",
    ),
    read=words(
        "pin sim non oui le la les de à et ne pas est un ou onu",
    ),
    names_for_roman=words(),
    labels_for_roman=words(
        "siècle chapitre tome partie type phase niveau classe guerre mondiale louis henri charles napoléon",
        "françois jean-paul acte",
    ),
    code_words=words(
        "code tél tel téléphone appelez portable pin postal poste",
    ),
    id_words=words(
        "numéro commande compte référence dossier facture réservation ticket carte client billet est",
    ),
    time_words=words(
        "à de vers dès",
    ),
    time_marks="h:",
    ordinal_pattern="er|re|ère|e|ème|ième|nd|nde",
    decimals_as_number=True,
    agreement=(("un", "un", "une"), ("un demi", "un demi", "une demi")),
    glued=False,
    is_feminine=_is_feminine,
    time=_time,
    date_joins=(" ", " "),
    first_of_month="premier",
    fractions={
        3: ("tiers", "tiers"),
        4: ("quart", "quarts"),
        5: ("cinquième", "cinquièmes"),
        8: ("huitième", "huitièmes"),
    },
    fraction_words={(1, 2): "un demi"},
)
