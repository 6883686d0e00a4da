"""Indonesian."""

from gateway.text.languages.rules import COMMON_CLOSING, COMMON_TITLES, SentenceRules, words

CODE = "id"

SENTENCES = SentenceRules(
    titles=COMMON_TITLES
    | words(
        "drg drh drs dra ir hj kh ust ustz bpk bp sdr sdri tn ny nn yth kol jend letjen laksda marsda mayjen",
        "brigjen letkol kapt pdt jl jln gg kec kel kab kp ds desa prov kota dsn komp perum ged pt cv ud pd fa yay",
        "a.n an u.p u.b d.a d/a c.q s.d sd a.l y.l m.k kpd yg dgn utk dr tsb spt krn dlm thd dg sbg atas up bag",
        "dep",
    ),
    before_number=words(
        "no nomor hlm hal tgl pkl jam telp tel hp tlp faks rt rw lt blok bl thn th psl ps jilid jld bab gbr ayat",
        "min maks rp sek kira jan feb mar apr jun jul agu agt sep okt nov des sen sel rab kam jum sab vol ed cet",
        "km kav",
    ),
    closing=COMMON_CLOSING
    | words(
        "dll dsb dst dkk tbk alm almh s.kom m.kom s.pd m.pd s.h m.h s.e m.m s.t m.t s.sos m.si s.si s.psi s.ked",
        "s.farm s.ag m.ag s.ip m.ip s.s m.a m.b.a m.hum m.kes s.kep s.tp s.p s.ds s.sn lc b.a swt saw a.s r.a wib",
        "wita wit",
    ),
    labels=words(
        "blok gedung golongan kelas kelompok tipe vitamin terminal pintu gerbang lantai opsi pilihan rencana",
        "paket hepatitis bagian ruang seksi tim jalur zona peron grup huruf tombol jawaban sim rute loket menara",
        "sayap",
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
