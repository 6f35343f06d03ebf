"""Words behind whose point a sentence goes on, by language.

Without the point at the end and in small letters. Of those behind which it may as well
end only the ones are here that nearly always go on. Single letters need no entry.
"""
# Whole words of other scripts, not letters mistaken for Latin ones.
# ruff: noqa: RUF001

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

_LISTS: Final = {
    "any": """
        mr mrs ms dr prof st vs cf e.g i.e eg ie al fig figs op vol vols ed eds no nos
        nr art ca approx
    """,
    # Only before a number.
    "number": """
        no nos nr nrs n.º nº núm núms p pp pag pág págs str s sec sect ch chap chapt cap
        eq eqs ex par abs art kap bd tel ext fig abb tab jan feb mar apr jun jul aug sep
        sept oct okt nov dec dez déc févr janv avr juil ene abr ago dic genn febbr
        с стр гл рис табл тел п пп ст obr rys ryc
    """,
    "en": """
        messrs mx jr sr rev hon gen col capt lt sgt maj cmdr adm gov sen rep pres supt
        mt ft ave blvd rd dept univ assn bros viz esp incl excl min max est misc
    """,
    "de": """
        hr hrn fr frl dipl ing mag bzw bspw vgl ggf evtl inkl exkl zzgl abzgl bzgl sog
        usf allg insb insbes mind max min ca geb gest verh ehem jhd jh nachf stv str
        z.b d.h u.a o.ä i.d.r u.u z.t v.a s.o s.u m.e n.chr v.chr
        jan feb mär apr jun jul aug sep sept okt nov dez mo di mi do sa so
        med phil rer nat jur
    """,
    "fr": """
        m mm mme mmes mlle mlles me mgr dr pr st ste av bd boul chap art réf env éd p.ex
        c.-à-d càd ex janv févr avr juil sept oct nov déc
    """,
    "es": """
        sr sra sres srta d da dr dra dres prof profa ud uds vd vds av avda c/ pág págs
        núm art cap ej p.ej aprox admón excmo excma ing lic arq gral ee rr cc ff jj
    """,
    "it": """
        sig sigg sig.ra sig.na dott dott.ssa ing avv arch on prof prof.ssa rag geom pag
        pagg cap art es p.es cfr ecc circa tel fraz
    """,
    "pt": """
        sr sra srs sras dr dra prof profa eng exmo exma av pág págs núm art cap ex p.ex
        aprox arq lda gen cel
    """,
    "ca": "sr sra srs dr dra prof av pl pàg núm art cap ex p.ex aprox",
    "nl": """
        dhr mw mevr mej drs ir mr dr prof bijv bv b.v o.a d.w.z m.b.t t.a.v i.v.m t.o.v
        ca resp incl excl max min blz nr art hfst jl
    """,
    "sv": "dr prof t.ex bl.a d.v.s s.k ca resp inkl exkl max min tel nr kap jfr",
    "da": "dr prof hr fr f.eks bl.a d.v.s dvs ca inkl ekskl maks min tlf nr kap jf",
    "no": "dr prof hr fr f.eks bl.a dvs ca inkl ekskl maks min tlf nr kap jf",
    "fi": "tri prof esim ks mm ym ts n klo puh nro s t",
    "pl": "p ul al pl prof dr hab mgr inż im np tzn tzw ok m.in godz nr tel str gen ks św",
    "cs": "p pí ul nám prof dr mgr ing bc tzv např mj resp popř č čp str tel sv",
    "hu": "dr prof ifj id pl kb ún ill stb tel sz u utca",
    "ro": "dl dna dr prof ing str bd nr pag art ex aprox sf",
    "tr": "dr prof doç av sn alb yrd örn bkz mah cad sok no vb s",
    "ru": """
        г гг ул пр пл пер д кв корп стр им проф акад доц инж св тов гр см напр ср рис
        табл гл т.е т.к т.н млн млрд тыс руб коп тел
    """,
    "uk": "р рр вул пл просп буд кв ім проф акад св див напр рис табл т.з тис млн млрд",
    "hi": """
        डॉ प्रो श्री पं इं रु कि मी ए बी सी डी ई एफ जी एच आई जे के एल एम एन ओ पी आर एस टी यू वी
        डब्ल्यू एक्स वाई
    """,
    "sr": "г гђа др проф ул бр св нпр тзв стр",
    "el": "κ κα κος δρ καθ π.χ δηλ βλ σελ αρ οδ λεωφ τηλ",
}

ABBREVIATIONS: Final[Mapping[str, frozenset[str]]] = MappingProxyType(
    {name: frozenset(words.split()) for name, words in _LISTS.items()}
)
# They look like initials, and yet a capital letter behind them begins a sentence.
ENDING: Final = frozenset("a.m p.m b.c a.d u.s.a ph.d".split())
# Languages that write "3." for "third".
ORDINALS: Final = frozenset(
    "cs da de et eu fi hr hu is lt lv nb nn no pl sk sl sr tr".split()
)
