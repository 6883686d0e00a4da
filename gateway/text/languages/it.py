"""Italian."""

from gateway.text.languages.rules import COMMON_CLOSING, COMMON_TITLES, SentenceRules, words

CODE = "it"

SENTENCES = SentenceRules(
    titles=COMMON_TITLES
    | words(
        "sig sigg sig.ra sig.na sigra dott dott.ssa dr.ssa prof.ssa ing avv arch geom rag on sen cav comm mons",
        "don p gen col cap ten magg spett egr gent gent.ma ill rev s ss fra suor v.le p.zza c.so l.go loc fraz",
        "p.es es ad",
    ),
    before_number=words(
        "n nr num pag pagg art artt cap tel vol fig circa int ed max min rif gen feb mar apr mag giu lug ago set",
        "ott nov dic lun mer gio ven sab dom civ c.a ca km sc pos",
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
