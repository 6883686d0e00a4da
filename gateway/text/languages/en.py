"""English."""

from gateway.text.languages.rules import COMMON_CLOSING, COMMON_TITLES, SentenceRules, words

CODE = "en"

SENTENCES = SentenceRules(
    titles=COMMON_TITLES
    | words(
        "messrs mme mx gen sen rep rev hon capt lt col sgt maj cpl cmdr adm gov pres supt fr sr bro pvt insp det",
        "mt ft pt e.g i.e cf viz approx incl excl esp pty aka a.k.a attn re cc dept univ assn intl natl misc",
    )
    - words(
        "sr",
    ),
    before_number=words(
        "no nos nr num jan feb mar apr jun jul aug sep sept oct nov dec mon tue tues wed thu thur thurs fri sat",
        "sun p pp pg vol ch chap fig figs sec art ext tel ph rm apt ste unit para ver v ca c est min max bldg fl",
        "lv lvl op ref item mod ex eq",
    ),
    closing=COMMON_CLOSING
    | words(
        "bros llc plc gmbh esq md m.d b.a m.a b.sc m.sc bsc msc d.d.s r.n d.c l.a n.y u.a.e e.u p.s p.o n.z ave",
        "rd blvd ln ct pl sq hwy pkwy cres terr al et b.c a.d c.e n.a s.a e.s.t p.s.t g.m.t a.s.a.p hr hrs mins",
        "sec secs in ft lb lbs oz yd yds mi kg km cm mm qt pt gal mph wk wks yr yrs mo mos",
    ),
    dual=words(
        "st dr ft mt",
    ),
    labels=words(
        "plan option gate vitamin section room block terminal grade class group part type appendix platform zone",
        "building wing hall row seat exit door level team hepatitis form schedule line bus bay tier unit answer",
        "area floor stage phase tower desk counter window letter key button factor route track lot entrance pier",
    ),
    starters=words(
        "the a this that these those there here it its it's he she we you they i my your our his her their i'm",
        "i'll i've we're we'll we've you're you'll you've they're he's she's that's there's what's it'll please",
        "thank thanks is are was were does did can could would should shall has have had who whom whose what",
        "which when where why how if although because since while after before once however also then now yes no",
        "not nobody nothing everyone everything someone something anyone anything and but or nor for from with",
        "without to on at by in of as all any some most many each every both either neither another other others",
        "only just sorry let's let tell call press say enter keep take bring ask wait try use see check want need",
        "may don't doesn't can't today tomorrow yesterday tonight next still again sure okay ok right great",
        "unfortunately otherwise therefore meanwhile instead first second finally tickets orders customers people",
    ),
    followers=words(
        "embassy government army navy congress senate department treasury postal customs air supreme president",
        "dollar dollars marine marines coast open house state immigration citizenship federal attorney consulate",
        "border parliament minister ambassador office territory virgin bank mail constitution census secretary",
        "capitol eastern central pacific mountain atlantic est edt cst cdt pst pdt mst mdt gmt utc bst cet cest",
        "et pt ct monday tuesday wednesday thursday friday saturday sunday mon tue wed thu fri sat sun january",
        "february march april june july august september october november december boulevard street avenue road",
        "day school hospital university park library bridge airport chairman chief station north south east west",
        "suite apartment apt unit ne nw se sw box",
    ),
    speech_verbs=words(
        "asked said says asks replied replies shouted shouts cried cries whispered answered answers called calls",
        "wrote writes added adds told wondered exclaimed repeated inquired",
    ),
)
