"""Words that turn a sentence round or count in it, by language.

Written as people write them and compared casefolded, as whole words. A sentence may only
be said to stand in a quote when it denies and counts as the quote does, so a word too
many costs a mark of doubt, and a word missing a wrong answer without one. A language
that is not listed, and one that denies by endings, has no list: there a sentence
stands in a quote only word for word.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

_NEGATIONS: Final = {
    "en": """
        not non no never none nobody nothing nowhere neither nor without cannot cant dont
        doesnt didnt isnt arent wasnt werent wont wouldnt shouldnt couldnt mustnt hasnt
        havent hadnt neednt mightnt aint hardly barely scarcely seldom rarely unable
        except unless
    """,
    "de": """
        nicht nichts nie niemals niemand niemandem niemanden nirgends nirgendwo kein
        keine keinem keinen keiner keines keins keinerlei keinesfalls keineswegs ohne weder
        außer kaum selten nein
    """,
    "fr": """
        ne n non pas jamais aucun aucune aucuns aucunes rien personne nul nulle ni sans
        sauf guère nulles nuls
    """,
    "es": """
        no nunca jamás ningún ninguna ninguno ningunos ningunas nada nadie ni sin tampoco
        excepto salvo
    """,
    "it": """
        non no mai nessun nessuna nessuno niente nulla né senza neanche nemmeno neppure
        tranne eccetto
    """,
    "pt": """
        não nunca jamais nenhum nenhuma nenhuns nenhumas nada ninguém nem sem tampouco
        exceto salvo
    """,
    "nl": """
        niet geen nooit niets niks niemand nergens zonder noch nee behalve
    """,
    "sv": "inte ej icke aldrig ingen inget inga ingenting utan varken nej utom knappt",
    "da": "ikke ej aldrig ingen intet ingenting uden hverken nej undtagen næppe",
    "no": "ikke ei aldri ingen intet inkje ingenting uten verken nei unntatt neppe",
    "pl": """
        nie nigdy nikt nikogo nikomu nic niczego nigdzie żaden żadna żadne żadnego żadnej
        żadnych bez ani oprócz
    """,
    "ru": """
        не нет ни никогда никто никого никому ничто ничего нигде никакой никакая никакие
        без нельзя кроме
    """,
    "uk": "не ні ані ніколи ніхто нікого ніщо нічого ніде жоден жодна жодного без крім",
}

# From two to twelve: what is written in letters at all. One is an article in many.
_NUMBERS: Final = {
    "en": """
        zero two three four five six seven eight nine ten eleven twelve thirteen fourteen
        fifteen sixteen seventeen eighteen nineteen twenty thirty forty fifty sixty
        seventy eighty ninety hundred hundreds thousand thousands million millions
        billion billions trillion dozen dozens half quarter double twice thrice once
        first second third fourth fifth sixth seventh eighth ninth tenth
    """,
    "de": """
        null zwei drei vier fünf sechs sieben acht neun zehn elf zwölf zwanzig dreißig vierzig
        fünfzig hundert tausend million millionen milliarde milliarden dutzend halb halbe halben doppelt zweimal
        einmal erste ersten erster zweite zweiten dritte dritten vierte vierten
    """,
    "fr": """
        zéro deux trois quatre cinq six sept huit neuf dix onze douze treize quatorze
        quinze seize vingt trente quarante
        cinquante soixante cent cents mille milliard milliards million millions demi demie double deuxième troisième
        quatrième premier première
    """,
    "es": """
        dos tres cuatro cinco seis siete ocho nueve diez once doce veinte treinta
        cuarenta cincuenta cien ciento mil millón millones medio media doble primer
        primera primero segundo segunda tercero tercera cuarto cuarta
    """,
    "it": """
        due tre quattro cinque sei sette otto nove dieci undici dodici venti trenta
        quaranta cinquanta cento mille mila milione milioni mezzo mezza doppio primo
        prima secondo seconda terzo terza quarto quarta
    """,
    "pt": """
        dois duas três quatro cinco seis sete oito nove dez onze doze vinte trinta
        quarenta cinquenta cem cento mil milhão milhões meio meia dobro primeiro primeira
        segundo segunda terceiro terceira
    """,
    "nl": """
        twee drie vier vijf zes zeven acht negen tien elf twaalf twintig dertig veertig
        vijftig honderd duizend miljoen half halve dubbel eerste tweede derde vierde
    """,
    "sv": """
        två tre fyra fem sex sju åtta nio tio elva tolv tjugo trettio fyrtio femtio
        hundra tusen miljon miljoner halv halva dubbel första andra tredje
    """,
    "da": """
        to tre fire fem seks syv otte ni ti elleve tolv tyve tredive fyrre halvtreds
        hundrede tusind million millioner halv halve dobbelt første anden tredje
    """,
    "no": """
        to tre fire fem seks sju syv åtte ni ti elleve tolv tjue tretti førti femti
        hundre tusen million millioner halv halve dobbelt første andre tredje
    """,
    "pl": """
        dwa dwie dwóch trzy trzech cztery czterech pięć sześć siedem osiem dziewięć
        dziesięć jedenaście dwanaście dwadzieścia trzydzieści sto tysiąc tysiące milion
        pół podwójny pierwszy pierwsza drugi druga trzeci trzecia
    """,
    "ru": """
        два две двух три трёх трех четыре пять шесть семь восемь девять десять
        одиннадцать двенадцать двадцать тридцать сорок пятьдесят сто тысяча тысячи тысяч
        миллион половина двойной первый первая второй вторая третий третья
    """,
    "uk": """
        два дві двох три трьох чотири п'ять шість сім вісім дев'ять десять одинадцять
        дванадцять двадцять тридцять сорок п'ятдесят сто тисяча тисячі мільйон половина
        перший перша другий друга третій третя
    """,
}


def _listed(lists: Mapping[str, str]) -> Mapping[str, frozenset[str]]:
    return MappingProxyType(
        {
            language: frozenset(words.casefold().split())
            for language, words in lists.items()
        }
    )


NEGATIONS: Final = _listed(_NEGATIONS)
NUMBER_WORDS: Final = _listed(_NUMBERS)
