"""Indonesian."""

from collections.abc import Callable

from gateway.text.languages.rules import COMMON_CLOSING, COMMON_TITLES, SentenceRules, words
from gateway.text.languages.speech import Currency, SpeechRules, table

CODE = "id"

SENTENCES = SentenceRules(
    titles=COMMON_TITLES
    | words(
        "drg drh drs dra ir hj kh ust ustz bpk bp sdr sdri tn ny nn yth kol jend letjen laksda marsda mayjen",
        "brigjen letkol kapt pdt jl jln gg kec kel kab kp ds prov dsn komp perum ged pt cv ud pd fa yay",
        "a.n an mis u.p u.b d.a d/a c.q s.d sd a.l y.l m.k kpd yg dgn utk dr tsb spt krn dlm thd dg sbg up bag gd hub",
        "sp dep",
    ),
    before_number=words(
        "no nomor hlm hal tgl pkl pk jam telp tel hp tlp faks rt rw lt blok bl thn th psl ps jilid jld bab gbr ayat",
        "min maks rp sek kira jan feb mar apr jun jul agu agt sep okt nov des sen sel rab kam jum sab vol ed cet",
        "km kav",
    ),
    closing=COMMON_CLOSING
    | words(
        "dll dsb dst dkk tbk alm almh s.kom m.kom s.pd m.pd s.h m.h s.e m.m s.t m.t s.sos m.si s.si s.psi s.ked",
        "s.farm s.ag m.ag s.ip m.ip s.s m.a m.b.a m.hum m.kes s.kep s.tp s.p s.ds s.sn lc b.a swt saw a.s",
    ),
    labels=words(
        "blok gedung golongan kelas kelompok tipe vitamin terminal pintu gerbang lantai opsi pilihan rencana",
        "paket hepatitis bagian ruang seksi tim jalur zona peron grup huruf tombol jawaban sim rute loket menara",
        "sayap darah",
    ),
    starters=words(
        "anda kami saya kita ini itu silakan silahkan mohon apakah ada jika kalau bila untuk dia beliau mereka",
        "semua tidak ya baik bisa boleh tolong terima sekarang besok hari kapan siapa mana bagaimana mengapa",
        "berapa di ke dari dengan karena namun tetapi tapi dan atau lalu kemudian setelah sebelum sementara",
        "selain nanti sudah belum harap maaf apa agar supaya jangan pada nomornya alamatnya kantornya rumahnya",
        "acaranya pelanggan ia aku jadi maka",
    ),
    followers=words(
        "senin selasa rabu kamis jumat sabtu minggu wib wita wit",
    ),
    speech_verbs=words(
        "bertanya berkata menjawab tanya kata jawab ujar tutur seru teriak",
    ),
)


def _time(hour: int, minute: int, say: Callable[[int], str]) -> str:
    if minute == 0:
        return say(hour)
    return f"{say(hour)} {'lewat ' if minute < 10 else ''}{say(minute)}"


SPEECH = SpeechRules(
    code=CODE,
    num2words="id",
    locale="id",
    digit_names=("nol", "satu", "dua", "tiga", "empat", "lima", "enam", "tujuh", "delapan", "sembilan"),
    point="koma",
    decimal_mark=",",
    group_marks=".",
    signs=table(
        """
        squared=kuadrat | cubed=pangkat tiga | minus=minus | percent=persen | to=sampai | times=kali
        equals=sama dengan | at=at | dot=titik | dash=strip | underscore=garis bawah | slash=garis miring
        plus=plus | about=sekitar | degrees=derajat | per=per | over=per | number=nomor | hash=pagar
        star=bintang | question=tanda tanya | ratio=banding | x=kali | less=kurang dari | more=lebih dari
        divided=dibagi | plusminus=kurang lebih | section=pasal | version=versi | half=setengah
        and_half=setengah | and=dan | colon=titik dua | permille=permil | atleast=minimal | atmost=maksimal
        by=kali | out_of=dari
        """
    ),
    currencies={
        "rp": Currency("rupiah", "rupiah", "sen", "sen"),
        "idr": Currency("rupiah", "rupiah", "sen", "sen"),
        "$": Currency("dolar", "dolar", "sen", "sen"),
        "€": Currency("euro", "euro", "sen", "sen"),
        "£": Currency("pound", "pound", "pence", "pence"),
        "¥": Currency("yen", "yen"),
        "₹": Currency("rupee", "rupee"),
        "rm": Currency("ringgit", "ringgit", "sen", "sen"),
    },
    scales={
        "rb": ("ribu", "ribu"),
        "ribu": ("ribu", "ribu"),
        "k": ("ribu", "ribu"),
        "jt": ("juta", "juta"),
        "juta": ("juta", "juta"),
        "m": ("miliar", "miliar"),
        "miliar": ("miliar", "miliar"),
        "milyar": ("miliar", "miliar"),
        "t": ("triliun", "triliun"),
        "triliun": ("triliun", "triliun"),
    },
    cents_join=" ",
    says_cents=True,
    abbreviations=table(
        """
        dr.=dokter | drg.=dokter gigi | drh.=dokter hewan | bpk.=bapak | bpk=bapak | bp.=bapak
        sdr.=saudara | sdri.=saudari | tn.=tuan | ny.=nyonya | nn.=nona | yth.=yang terhormat
        h.=haji | hj.=hajah | ir.=insinyur | prof.=profesor | drs.=doktorandus | kh.=kiai haji
        dra.=doktoranda | ust.=ustaz | jend.=jenderal | jl.=jalan
        jln.=jalan | gg.=gang | kec.=kecamatan | kel.=kelurahan | kab.=kabupaten | kp.=kampung
        ds.=desa | prov.=provinsi | perum.=perumahan | komp.=kompleks | blk.=blok | s.d.=sampai dengan
        s/d=sampai dengan | sd.=sampai dengan | a.n.=atas nama | a/n=atas nama | an.=atas nama
        d.a.=dengan alamat | d/a=dengan alamat | u.p.=untuk perhatian | up.=untuk perhatian | tgl.=tanggal
        tgl=tanggal | dsb.=dan sebagainya | dll.=dan lain lain | dll=dan lain lain | dsb=dan sebagainya
        dst.=dan seterusnya | dst=dan seterusnya | dkk.=dan kawan kawan | dkk=dan kawan kawan | yg=yang
        dgn=dengan | utk=untuk | tdk=tidak | blm=belum | krn=karena | telp.=telepon | tlp.=telepon | tel.=telepon
        telp=telepon | min.=minimal | kav.=kaveling | maks.=maksimal | tsb.=tersebut | tsb=tersebut | spt=seperti
        jd=jadi | mis.=misalnya | sbg=sebagai | pt.=P T | cv.=C V | ud.=U D | tbk.=terbuka | ttd.=tertanda
        alm.=almarhum | almh.=almarhumah | kpd.=kepada | kpd=kepada | thn.=tahun | thn=tahun | th.=tahun | bln.=bulan
        hlm.=halaman | no.=nomor | km.=kilometer | pkl.=pukul | pkl=pukul | dr=dari | sda=sama dengan atas
        a.l.=antara lain | c.q.=casu quo | wib=W I B | wita=wita | wit=W I T | jan.=Januari | feb.=Februari
        mar.=Maret | apr.=April | jun.=Juni | jul.=Juli | agt.=Agustus | agu.=Agustus | sep.=September
        sept.=September | okt.=Oktober | nov.=November | des.=Desember | ag.=Agustus | rp=rupiah | kira2=kira kira
        s.kom.=sarjana komputer | s.pd.=sarjana pendidikan | s.h.=sarjana hukum | s.e.=sarjana ekonomi
        s.t.=sarjana teknik | m.m.=magister manajemen | m.h.=magister hukum | m.t.=magister teknik
        m.kom.=magister komputer | m.pd.=magister pendidikan | s.sos.=sarjana sosial | s.si.=sarjana sains
        m.si.=magister sains | s.ag.=sarjana agama | s.psi.=sarjana psikologi | s.farm.=sarjana farmasi
        s.kep.=sarjana keperawatan | m.kes.=magister kesehatan | s.ked.=sarjana kedokteran
        sp.a=spesialis anak | sp.pd=spesialis penyakit dalam | sp.og=spesialis kandungan | sp.jp=spesialis jantung
        sp.m=spesialis mata | sp.kk=spesialis kulit dan kelamin | sp.b=spesialis bedah | sp.s=spesialis saraf
        sp.n=spesialis saraf | sp.p=spesialis paru | sp.ot=spesialis ortopedi | sp.kj=spesialis kedokteran jiwa
        sp.tht=spesialis T H T | sp.u=spesialis urologi | rek.=rekening | rek=rekening | hub.=hubungi | gd.=gedung
        bln=bulan | p.a.=per tahun | pcs=buah
        """
    ),
    before_number=table(
        """
        km=kilometer | pk.=pukul | no=nomor | hal.=halaman | rt.=R T | rw.=R W | lt.=lantai | ps.=pasal | psl.=pasal
        #=nomor | bl.=blok | jam.=jam | hp.=H P | vol.=volume | gbr.=gambar | ext.=ekstensi
        """
    ),
    after_number=table(
        """
        rb=ribu | jt=juta | mnt=menit | mnt.=menit | dtk=detik | dtk.=detik | org=orang | org.=orang | hr=hari
        mgg=minggu | sdm=sendok makan | sdt=sendok teh | ltr=liter | lbr=lembar | bh=buah
        """
    ),
    spelled=words(
        "pln ktp bpjs otp atm bca bri bni ojk sma smp sd uu idr rsud bumn ugm ui itb dki tni pt cv ud hp tv ac ri",
        "pbb ppn dpr mpr kua rt rw wib id ips ipa ipk umkm apbn apbd asn pns bumd ukm uts uas imei usb igd icu",
        "iva spbu nisn spt",
    ),
    read=words(
        "sim pin ram rom asi asean tol di ke dan ya ini itu ada apa kami anda saya yang dari pos bus tim ban jam",
        "hari bagi atau bila jika lalu bisa dua pak bu ibu mas wita app nip jos oke ok gas cek isi nik",
    )
    - words(
        "nip nik",
    ),
    labels_for_roman=words(
        "bab kelas abad gang gg bagian jilid tahap tipe pasal perang semester golongan pakubuwono hamengkubuwono",
    ),
    code_words=words(
        "kode pin otp hubungi dial sandi password pos ekstensi plat nopol polisi",
    ),
    id_words=words(
        "nomor no rekening pesanan tiket referensi id resi tagihan faktur kasus pelacakan kartu pelanggan akun",
        "adalah nik antrean registrasi pengaduan laporan",
    ),
    time_words=words(
        "pukul pkl pk jam sekitar",
    ),
    date_words=words(
        "tanggal tgl",
    ),
    time_marks=".:",
    ordinals={1: "pertama"},
    ordinal_prefix="ke",
    time=_time,
    fractions={n: (f"per{name}", f"per{name}") for n, name in ((3, "tiga"), (4, "empat"), (5, "lima"), (8, "delapan"))},
    fraction_words={
        (1, 2): "setengah",
        (1, 4): "seperempat",
        (1, 3): "sepertiga",
        (1, 5): "seperlima",
        (1, 8): "seperdelapan",
        (1, 10): "sepersepuluh",
    },
)
