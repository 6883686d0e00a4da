"""English."""

from collections.abc import Callable

from gateway.text.languages.rules import COMMON_CLOSING, COMMON_TITLES, SentenceRules, words
from gateway.text.languages.speech import Currency, SpeechRules, table

CODE = "en"

SENTENCES = SentenceRules(
    titles=COMMON_TITLES
    | words(
        "messrs mme mx rev hon capt lt sgt maj cpl cmdr adm pres supt sr pvt insp",
        "mt pt p.s n.b e.g i.e cf viz approx incl excl esp pty aka a.k.a attn re cc dept univ assn intl natl misc",
    )
    - words(
        "sr",
    ),
    capital_titles=words(
        "gen sen rep col gov fr bro det",
    ),
    before_number=words(
        "no nos nr num jan feb mar apr jun jul aug sep sept oct nov dec mon tue tues wed thu thur thurs fri sat",
        "sun p pp pg vol ch chap fig figs sec art ext tel ph rm apt ste unit para ver ca c est min max bldg fl ft",
        "lv lvl op ref item mod ex eq",
    ),
    closing=COMMON_CLOSING
    | words(
        "bros llc plc gmbh esq md m.d b.a m.a b.sc m.sc bsc msc d.d.s r.n d.c l.a n.y u.a.e e.u p.o n.z ave",
        "rd blvd ln ct pl sq hwy pkwy cres terr al et b.c a.d c.e n.a s.a e.s.t p.s.t g.m.t a.s.a.p hr hrs mins",
        "secs lb lbs oz yd yds mi kg km cm mm qt gal mph wk wks yr yrs mo mos",
    ),
    dual=words(
        "st dr ft mt v",
    ),
    labels=words(
        "a an plan option gate vitamin section room block terminal grade class group part type appendix platform",
        "zone building wing hall row seat exit door level team hepatitis form schedule line bus bay tier unit",
        "answer area floor stage phase tower desk counter window letter key button factor route track lot",
        "entrance pier",
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
        "suite apartment apt unit ne nw se sw box manager engineer director developer analyst",
    ),
    speech_verbs=words(
        "asked said says asks replied replies shouted shouts cried cries whispered answered answers called calls",
        "wrote writes added adds told wondered exclaimed repeated inquired",
    ),
)


def _time(hour: int, minute: int, say: Callable[[int], str]) -> str:
    """24-hour times after noon are said on the 12-hour clock, as on the phone."""
    half = "" if 0 < hour <= 12 else (" P M" if hour > 12 else " A M")
    hour = hour % 12 or 12
    if minute == 0:
        return say(hour) + (half or " o'clock")
    return f"{say(hour)} {'oh ' if minute < 10 else ''}{say(minute)}{half}"


SPEECH = SpeechRules(
    code=CODE,
    num2words="en",
    locale="en",
    digit_names=("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine"),
    point="point",
    decimal_mark=".",
    group_marks=",",
    signs=table(
        """
        squared=squared | cubed=cubed | minus=minus | percent=percent | to=to | times=times | equals=equals
        and=and | at=at | dot=dot | dash=dash | underscore=underscore | slash=slash | plus=plus | about=about
        degrees=degrees | per=per | over=over | number=number | hash=pound | star=star | question=question mark
        ratio=to | x=times | less=less than | more=more than | divided=divided by | plusminus=plus or minus
        section=section | version=version | half=half | and_half=and a half | colon=colon | percent_one=percent
        permille=per mille | atleast=at least | atmost=at most | by=by | out_of=out of | sharp=sharp
        """
    ),
    currencies={
        "$": Currency("dollar", "dollars", "cent", "cents"),
        "€": Currency("euro", "euros", "cent", "cents"),
        "£": Currency("pound", "pounds", "penny", "pence"),
        "¥": Currency("yen", "yen"),
        "₹": Currency("rupee", "rupees", "paisa", "paise"),
        "rp": Currency("rupiah", "rupiah"),
        "r$": Currency("real", "reais", "centavo", "centavos"),
        "chf": Currency("Swiss franc", "Swiss francs", "centime", "centimes"),
    },
    scales={
        "k": ("thousand", "thousand"),
        "m": ("million", "million"),
        "mn": ("million", "million"),
        "b": ("billion", "billion"),
        "bn": ("billion", "billion"),
        "t": ("trillion", "trillion"),
        **{scale: (scale, scale) for scale in ("hundred", "thousand", "million", "billion", "trillion")},
    },
    cents_join=" and ",
    says_cents=True,
    abbreviations=table(
        """
        dr.=doctor | st.=saint | mr.=mister | mrs.=missus | ms.=miss | prof.=professor | rev.=reverend
        jr.=junior | gen.=general | sen.=senator | capt.=captain | lt.=lieutenant | sgt.=sergeant | sr.=senior
        vs.=versus | vs=versus | etc.=et cetera | e.g.=for example | i.e.=that is | approx.=approximately
        ave.=avenue | rd.=road | blvd.=boulevard | apt.=apartment | mt.=mount | inc.=incorporated | ltd.=limited
        co.=company | corp.=corporation | dept.=department | max.=maximum | min.=minimum | incl.=including
        excl.=excluding | govt.=government | assoc.=associates | bros.=brothers | est.=established | w/=with
        w/o=without | b/c=because | a.m.=A M | p.m.=P M | ph.d.=P H D | ste.=suite | ln.=lane | hwy.=highway
        pkwy.=parkway | sq.=square | gov.=governor | pres.=president | hon.=honorable | col.=colonel | maj.=major
        supt.=superintendent | messrs.=messieurs | jan.=January | feb.=February | mar.=March | apr.=April
        aug.=August | oct.=October | sept.=September | sep.=September | nov.=November | dec.=December
        tues.=Tuesday | thurs.=Thursday | mon.=Monday | tue.=Tuesday | wed.=Wednesday | thu.=Thursday
        fri.=Friday | no. of=number of | appt.=appointment | ref.=reference | misc.=miscellaneous | ft.=fort
        asap=as soon as possible | approx=approximately | fyi=for your information | intl.=international
        dr=doctor | mr=mister | mrs=missus | prof=professor | st=saint
        """
    ),
    before_number=table(
        """
        no.=number | nos.=numbers | p.=page | pp.=pages | fig.=figure | ch.=chapter | vol.=volume | ext.=extension
        tel.=telephone | sec.=section | art.=article | rm.=room | ca.=about | c.=about | para.=paragraph
        ver.=version | v.=version | fl.=floor | ph.=phone | #=number | apt=apartment | no=no
        """
    ),
    after_number=table(
        """
        in.=inches | sq. ft.=square feet | ft.=feet | lb.=pounds | lbs.=pounds | oz.=ounces | hrs.=hours | hr.=hours
        min.=minutes | mins.=minutes | sec.=seconds | secs.=seconds | yd.=yards | mi.=miles | yrs.=years | wks.=weeks
        kg.=kilograms | km.=kilometers | cm.=centimeters | gal.=gallons | hrs=hours | mins=minutes | secs=seconds
        yrs=years | wks=weeks | pts=points | pcs=pieces
        """
    ),
    spelled=words(
        "asap isbn imei hdmi https usps espn aids uefa iata icao ieee aarp nyse usda fbi usb atm usa ups eta faq otp",
        "ceo cfo cto vip api url suv abc uk us id it tv pc ai eu un ip io qa hr pr iq er ira irs apr apy ein uae ac dc",
        "am pm usd eur",
    )
    - words(
        "aids asap",
    ),
    read=words(
        "a i an as at be by do go he if in is me my no of oh ok on or so to up we the and for are but not you all",
        "any can had her was one our out day get has him his how man new now old see two way who boy did its let",
        "put say she too use yes yet off pay ask buy why far few ago end add own set top try red big bad hot low",
        "run sun pin sim ram rom gif lan wan car bus bag box fee tax key air sea war act age aid arm art bar bed",
        "bit cut due eat ear egg eye fan fat fit fly fun gas gun hat hit ice ill job joy kid law leg lie lot map",
        "may mix net nor oil pan per pet pot raw row sad sit six ski sky son tea ten tip toe ton toy van via wet",
        "win won dr st zip app apps zoom",
    ),
    names_for_roman=words(
        "henry louis elizabeth charles george edward william richard james john paul pius benedict francis",
        "napoleon catherine alexander nicholas philip peter frederick leo gregory innocent clement urban wilhelm",
        "mary ramses king queen pope ferdinand alfonso",
    ),
    labels_for_roman=words(
        "war chapter part volume phase section type level act book class title article stage grade appendix bowl",
        "world figure table unit step category tier group division form mark rocky ch vol fig",
    ),
    places=words(
        "apt apartment unit room seat gate suite flat row block building door locker level floor deck zone section",
    ),
    code_words=words(
        "code pin ending ends dial call otp password passcode zip cvv cvc extension ext flight",
    ),
    id_words=words(
        "number no order ticket account reference ref id confirmation invoice case tracking booking claim policy",
        "card file serial is parcel package reservation customer member request complaint text sms",
    ),
    year_words=words(
        "in since until till by before after between and or q1 q2 q3 q4 fy year during of from to spring summer",
        "autumn fall winter early late mid around january february march april may june july august september",
        "october november december copyright circa through",
    ),
    not_counted=words(
        "and or to the was were is are we i you they he she it but for at on with when until a an as after by",
        "which because through that this our my your their then have has had if so there due next under",
    ),
    articles=words(
        "a an the your this our my each every one another that his her their",
    ),
    not_priced=words(
        "a an the in on at to for of by per and or but is was are were you we i he she they it each every off",
        "more less total today now tomorrow from with if when plus extra back that which there left remaining",
    ),
    date_words=words(
        "on due dated",
    ),
    ordinal_pattern="st|nd|rd|th",
    year_in_pairs=True,
    time=_time,
    fractions={
        2: ("half", "halves"),
        3: ("third", "thirds"),
        4: ("quarter", "quarters"),
        5: ("fifth", "fifths"),
        6: ("sixth", "sixths"),
        8: ("eighth", "eighths"),
        16: ("sixteenth", "sixteenths"),
    },
    fraction_words={},
)
