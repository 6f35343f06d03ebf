"""Where sentences end, in the languages that pages are written in."""
# Marks and letters of many scripts are what is tested here.
# ruff: noqa: RUF001

from __future__ import annotations

import time

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from nlweb_ask.index.sentences import sentences


def cut(text: str, language: str = "en") -> list[str]:
    return [text[piece.start : piece.end] for piece in sentences(text, language)]


def kinds(text: str, language: str = "en") -> list[tuple[str, str]]:
    return [(p.kind, text[p.start : p.end]) for p in sentences(text, language)]


# Each bar stands where a sentence ends; what stands between them is the text.
CASES = [
    ("en", "We open at nine. |We close at five.", "two-sentences"),
    ("en", "Mr. Smith met Dr. Jones. |They talked.", "titles"),
    ("en", "Bring water, e.g. a bottle. |Then go.", "abbreviation-within"),
    ("en", "Ask at the desk, i.e. Room 4. |It is open.", "abbreviation-before-capital"),
    ("en", "We close at 5 p.m. |Then we clean.", "abbreviation-that-ends"),
    ("en", "A ticket costs 3.50 euros. |Cash only.", "decimal"),
    ("en", "It rose by 3.5. |Then it fell.", "decimal-at-the-end"),
    ("en", "Use version 2.0.1 of it. |It works.", "version"),
    ("en", "It ended in 1990. |Nobody knew.", "year-at-the-end"),
    ("en", "J. R. Miller wrote it. |He lived here.", "initials"),
    ("en", "He moved to the U.S. Army. |He stayed.", "dotted-capitals"),
    ("en", "See No. 5 and p. 12 of it. |Thanks.", "before-numbers"),
    ("en", "Wait... what is it? |A kettle.", "ellipsis-within"),
    ("en", "And so on… |Next we sing.", "ellipsis-at-the-end"),
    ("en", "Really?! |Yes!", "several-marks"),
    ("en", "“Go home.” |He went.", "quotes-behind-the-stop"),
    ("en", '"Really?" he asked. |"Yes."', "question-in-quotes-goes-on"),
    ("en", "(It is free.) |Come in.", "bracket-behind-the-stop"),
    ("en", "It is old.[12] |It is big.", "note-behind-the-stop"),
    ("en", "Yahoo! is a name. |So is Jeopardy!", "cry-in-a-name"),
    ("en", "It works. |iPhone users first.", "small-letter-that-begins-a-name"),
    ("en", "Go to example.org. |Click there.", "host-name"),
    ("en", "Write to a.b@c.example. |We answer.", "address"),
    ("en", "1. Open the door. |2. Close it.", "numbered"),
    ("de", "Am 3. Oktober ist zu. |Danach nicht.", "german-date"),
    ("de", "Im 19. Jahrhundert gebaut. |Heute leer.", "german-ordinal"),
    ("de", "Wir haben z. B. Räder. |Auch Helme.", "german-abbreviation"),
    ("de", "Ludwig II. starb 1886. |Niemand weiß, wie.", "german-king"),
    ("de", "Das war 1990. |Dann kam der Rest.", "german-year"),
    ("de", "Er sagte: „Komm.“ |Sie kam.", "german-quotes"),
    ("fr", "Mme. Petit et M. Dupont sont là. |Ils parlent.", "french-titles"),
    ("fr", "Il dit : « Bonjour. » |Puis il part.", "french-quotes"),
    ("fr", "C’est ouvert ? |Oui !", "french-spaced-marks"),
    ("es", "¿Está abierto? |¡Sí! |El Sr. López lo sabe.", "spanish"),
    ("it", "Il dott. Rossi è qui. |Buongiorno.", "italian"),
    ("it", "Lo dice l'art. 5 della legge. |Fine.", "abbreviation-with-an-article"),
    (
        "fr",
        "Il date d\u2019env. 90 ans. |Il est vieux.",
        "french-article-of-an-abbreviation",
    ),
    ("es", "Vive en EE. UU. y trabaja en RR. HH. con Ana. |Fin.", "doubled-letters"),
    ("de", "Dr. med. Weber und Dr. rer. nat. Roth. |Beide da.", "german-doctors"),
    ("de", "Wir sind in der Hauptstr. 12 im Hof. |Kommt!", "german-street"),
    ("cs", "Viz obr. 3 na straně. |Konec.", "czech-figure"),
    ("hi", "डॉ. शर्मा और के. एल. राहुल आए. |वे गए।", "hindi-titles-and-initials"),
    ("he", "זה פתוח!\u200f |זה סגור.\u200f |סוף.", "mark-of-direction-behind-the-stop"),
    (
        "en",
        "It is open.\u200b |It is free.\ufeff",
        "sign-without-width-behind-the-stop",
    ),
    ("ur", "یہ کتاب ہے۔\u200f |ختم؟\u200f |ہاں۔", "mark-of-direction-behind-wide-stop"),
    ("pt", "O Sr. Silva mora na av. Central. |É longe.", "portuguese"),
    ("nl", "Dhr. Jansen komt bijv. Maandag. |Goed.", "dutch"),
    ("pl", "Mieszka przy ul. Długiej. |Jest blisko.", "polish"),
    ("cs", "Dne 5. Května je zavřeno. |Potom ne.", "czech-date"),
    ("ru", "Он живёт в г. Москве. |Там холодно.", "russian"),
    ("el", "Ο κ. Νίκου είναι εδώ. |Καλημέρα.", "greek"),
    ("tr", "Dr. Yılmaz geldi. |Sonra gitti.", "turkish"),
    ("ar", "هل هو مفتوح؟ |نعم. |شكرا!", "arabic"),
    ("ur", "یہ پہلا ہے۔ |یہ دوسرا ہے۔", "urdu"),
    ("hi", "यह पहला है। |यह दूसरा है।", "devanagari"),
    ("hy", "Սա առաջինն է։ |Սա երկրորդն է։", "armenian"),
    ("am", "ይህ አንድ ነው። |ይህ ሁለት ነው።", "ethiopic"),
    ("my", "ဒါကပထမပါ။ |ဒါကဒုတိယပါ။", "burmese"),
    ("km", "នេះជាទីមួយ។ |នេះជាទីពីរ។", "khmer"),
    ("ja", "九時に開く。|五時に閉まる。|月曜は休み", "japanese"),
    ("ja", "「行く。」と言った。|次の日は雨。", "japanese-quote-goes-on"),
    ("ja", "本当？|はい！|3.5キロです。", "japanese-marks"),
    ("zh", "今天开门。|几点？|九点！", "chinese"),
    ("zh", "他说：“好。”|然后走了。", "chinese-quotes"),
    ("ko", "오늘은 엽니다. |내일은 쉽니다.", "korean"),
    ("he", "המוזיאון פתוח. |הכניסה חינם.", "hebrew"),
    (
        "th",
        "พิพิธภัณฑ์เปิดทุกวันตั้งแต่เวลาเก้าโมงเช้าถึงห้าโมงเย็น |กรุณาซื้อบัตรก่อนเข้าชม",
        "thai-clauses",
    ),
]


@pytest.mark.parametrize(
    ("language", "marked"),
    [pytest.param(language, marked, id=name) for language, marked, name in CASES],
)
def test_a_text_is_cut_where_its_sentences_end(language, marked):
    expected = [part.strip() for part in marked.split("|")]
    assert cut(marked.replace("|", ""), language) == expected


def test_lines_stand_alone():
    text = "Opening hours\n- Monday: nine\n- Tuesday: ten\nNever on Sunday"
    assert cut(text) == text.split("\n")


def test_lines_that_were_wrapped_by_hand_are_one_sentence():
    first = (
        "The workshop is open to everybody who wants to mend a bicycle, a\n"
        "Dutch one or another, and it has all tools that are needed for it, so\n"
        "Tuesday evening is a good time to come by and to have a look."
    )
    assert cut(f"{first} We are\nglad to help.") == [first, "We are\nglad to help."]


def test_a_line_that_goes_on_with_a_small_letter_is_one_sentence():
    text = "All the bicycles that we lend to members\nare blue."
    assert cut(text) == [text]


def test_a_heading_is_a_line_and_what_stops_is_a_sentence():
    assert kinds("Opening hours\n\nWe open at nine.") == [
        ("line", "Opening hours"),
        ("sentence", "We open at nine."),
    ]


CODE = [
    "```\nrun. Now\n\nstop. Here\n```",
    ">>> kettle.boil()",
    "def boil(kettle):\n    return kettle.on()",
    "$ make tea",
    "x = kettle(1)\ny = x.boil()",
    "<div class='a'>\n</div>",
    "const kettle = new Kettle();",
]


@pytest.mark.parametrize("code", CODE)
def test_a_block_of_code_is_one_piece(code):
    text = f"This boils water.\n\n{code}\n\nThen it whistles."
    assert kinds(text) == [
        ("sentence", "This boils water."),
        ("code", code),
        ("sentence", "Then it whistles."),
    ]


def test_a_table_is_one_piece():
    table = "Day | Opens. At\nMonday | 9.30 Sharp\nTuesday | 10"
    assert kinds(f"When we open.\n{table}\nCome in.") == [
        ("sentence", "When we open."),
        ("table", table),
        ("sentence", "Come in."),
    ]


def test_an_empty_text_has_none():
    assert sentences("") == sentences(" \n\t ") == []


WRITTEN = st.text(
    st.sampled_from("ab A.!?…。「」\"'”»)(1-|`{;=ก។\n\t \u00a0é۔[]"), max_size=80
)


@given(
    text=WRITTEN | st.text(max_size=80), language=st.sampled_from(["en", "de", "ja"])
)
@example(text="`````\n.", language="en")
@example(text="a.\x1cb", language="en")
def test_the_pieces_are_the_whole_text_in_order(text, language):
    end = 0
    for piece in sentences(text, language):
        assert text[end : piece.start].strip() == ""
        words = text[piece.start : piece.end]
        assert words == words.strip() != ""
        end = piece.end
    assert text[end:].strip() == ""


@pytest.mark.parametrize(
    "part",
    [".", "。", "! ", "a. ", '."', "1. ", "| ", "= ", "`", "\n", "(", "[1]", "ก "],
)
def test_a_long_row_of_marks_takes_no_long_time(part):
    began = time.thread_time()
    sentences(part * (20_000 // len(part)), "en")
    assert time.thread_time() - began < 2


@pytest.mark.parametrize(
    ("begin", "part"),
    [
        *(("from a import", " "), ("from a", " "), ("from", " "), ("import a", " ")),
        *(("def x", ": "), ("class x", " "), ("const ", "(="), ("x", " ")),
    ],
)
def test_a_line_that_is_nearly_one_of_a_program_takes_no_long_time(begin, part):
    began = time.thread_time()
    sentences(begin + part * (10_000 // len(part)) + "!", "en")
    assert time.thread_time() - began < 2
