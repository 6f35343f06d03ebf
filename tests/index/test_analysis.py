"""What a question and a page must share for one to find the other."""
# Letters of many scripts are what is tested here.
# ruff: noqa: RUF001

from __future__ import annotations

import re
import string
import threading
import time
import unicodedata
from collections.abc import Callable
from itertools import product

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from nlweb_ask.index import analysis
from nlweb_ask.index.analysis import (
    ANALYZER_VERSION,
    MAX_TERM_LENGTH,
    analyze,
    analyze_with_forms,
    term_key,
)
from nlweb_ask.index.letters import TOKEN, normalized
from nlweb_ask.index.pieces import occurrences
from nlweb_ask.index.question_words import (
    MAX_QUESTION_TERMS,
    analyze_question,
    question_words,
)
from nlweb_ask.index.stopwords import STOP_WORDS

LONG_ENGLISH = (
    "The harbour office is open to the public from nine until noon and it is closed "
    "on Sundays, when nobody who works there is at home."
)


def found(question: str, text: str, language: str, site: list[str] | None = None):
    """The terms that the question and the page have in common."""
    asked = analyze_question(question, site or [language])
    return set(asked) & set(analyze(text, language))


@pytest.mark.parametrize(
    ("question", "text", "language"),
    [
        pytest.param("opening HOURS", "Opening hour", "en", id="case-and-plural"),
        pytest.param("kiln firing", "Kiln-firing schedule", "en", id="hyphen"),
        pytest.param("kilnfiring", "Kiln-firing", "en", id="hyphen-left-out"),
        pytest.param("nodejs", "Node.js install", "en", id="point-left-out"),
        pytest.param("node.js", "nodejs install", "en", id="point-put-in"),
        pytest.param("hx42", "Pump HX-42", "en", id="number-of-a-model"),
        pytest.param("HX 42", "Pump HX-42", "en", id="number-apart"),
        pytest.param("ducks' pond", "the duck's home", "en", id="genitive"),
        pytest.param("oreilly", "O'Reilly's pub", "en", id="apostrophe-in-a-name"),
        pytest.param("USA", "the U.S.A. today", "en", id="initials"),
        pytest.param("US", "the U.S. army", "en", id="initials-like-a-stop-word"),
        pytest.param("museum", "the museum\u2019s shop", "en", id="curly-apostrophe"),
        pytest.param("absolute url", "get_absolute_url()", "en", id="snake-case"),
        pytest.param("41000", "41,000 euros", "en", id="thousands"),
        pytest.param("3.11", "Python 3.11", "en", id="number-with-a-point"),
        pytest.param("creperie", "Crêperie", "fr", id="accents-left-out"),
        pytest.param("CRÊPERIE", "creperie", "fr", id="accents-put-in"),
        pytest.param("marche", "Le marché", "fr", id="stem-needs-the-accent"),
        pytest.param("été", "L'été au port", "fr", id="elision"),
        pytest.param("estaciones", "La estación", "es", id="spanish-plural"),
        pytest.param("estacion", "Las estaciones", "es", id="spanish-without-accents"),
        pytest.param("strasse", "Straße", "de", id="sharp-s"),
        pytest.param("orsted", "Ørsted", "da", id="stroke"),
        pytest.param("lodz", "Łódź", "pl", id="polish"),
        pytest.param("Zu\u0308rich", "Z\u00fcrich", "de", id="decomposed"),
        pytest.param("izmir", "İzmir", "tr", id="dotted-i"),
        pytest.param("İZMİR", "izmir", "tr", id="dotted-capital"),
        pytest.param("ığdır", "IĞDIR", "tr", id="dotless-i"),
        pytest.param("IĞDIR", "Iğdır", "tr", id="dotless-capitals"),
        pytest.param("igdir", "Iğdır", "tr", id="without-turkish-letters"),
        pytest.param("елка", "Ёлка", "ru", id="yo"),
        pytest.param("αθηνα", "Αθήνα", "el", id="greek-accent"),
        pytest.param("水族館", "水族館は九時に開きます", "ja", id="japanese-compound"),
        pytest.param("茶", "お茶の淹れ方", "ja", id="one-sign-in-a-name"),
        pytest.param("ﾗｰﾒﾝ", "ラーメン店", "ja", id="half-width"),
        pytest.param("도서관", "도서관은 열려 있습니다", "ko", id="korean-ending"),
        pytest.param("हिन्दी", "हिन्दी में", "hi", id="vowel-signs"),
        pytest.param("लड़कियों", "लड़की", "hi", id="hindi-plural"),
        pytest.param("किताबहरू", "किताब", "ne", id="nepali-plural"),
        pytest.param("புத்தகங்கள்", "புத்தகம்", "ta", id="tamil-plural"),
        pytest.param("ภาษา", "ภาษาไทย", "th", id="thai"),
        pytest.param("كتاب", "الكِتَاب", "ar", id="arabic-vowel-points"),
        pytest.param("2024", "٢٠٢٤", "ar", id="arabic-digits"),
        pytest.param("ﬁle", "file", "en", id="ligature"),
        pytest.param("kindergarten", "Kinder\u00adgarten", "de", id="soft-hyphen"),
        pytest.param("п'ять", "п\u02bcять", "uk", id="apostrophe-that-is-a-letter"),
        pytest.param("o'zbek", "o\u02bbzbek", "uz", id="turned-comma-that-is-a-letter"),
        pytest.param("o\u2018zbek", "ozbek", "uz", id="turned-comma-that-is-a-quote"),
        pytest.param("Hawaii", "Hawai\u02bbi", "en", id="okina-left-out"),
        pytest.param("geht's", "geht\u00b4s", "de", id="accent-for-an-apostrophe"),
        pytest.param("میخواهم", "می\u200cخواهم", "fa", id="zero-width-left-out"),
        pytest.param("می خواهم", "می\u200cخواهم", "fa", id="space-for-zero-width"),
        pytest.param("می\u200cخواهم", "میخواهم", "fa", id="zero-width-put-in"),
        pytest.param("абв", "а\u200cб\u200cв", "xx", id="several-of-zero-width"),
        pytest.param("ශ්රී", "ශ්\u200dරී ලංකා", "si", id="joiner-left-out"),
        pytest.param("workspace", "work\u2060space", "en", id="word-joiner"),
        pytest.param("שלום", "ש\u200fלום", "he", id="direction-mark-in-a-word"),
        pytest.param(
            "葛飾", "葛\U000e0100飾区の町の地図と案内", "ja", id="variant-of-a-sign"
        ),
        pytest.param("c++", "我用C++写程序", "zh", id="name-of-signs-among-ideograms"),
        pytest.param("acme", "Acme™ pumps", "en", id="trade-mark-sign"),
    ],
)
def test_a_question_finds_a_text_that_writes_it_otherwise(question, text, language):
    assert found(question, text, language)


SENTENCES = {
    "de": "Große Straßenfüchse überqueren die Brücke",
    "fr": "L'été dernier, j'ai aimé le château",
    "tr": "İstanbul'da ışıklı çarşılar IĞDIR'dan güzeldir",
    "hu": "Árvíztűrő tükörfúrógép",
    "ru": "Ёлка стоит в центре города",
    "uk": "П\u02bcять їжаків пішли в ліс",
    "el": "Η Αθήνα είναι όμορφη πόλη",
    "hy": "Երևանը Հայաստանի մայրաքաղաքն է",
    "ka": "თბილისი საქართველოს დედაქალაქია",
    "he": "הספרייה פתוחה בכל יום",
    "ar": "المكتبة مفتوحة كل يوم",
    "fa": "کتاب\u200cهای کتابخانه را می\u200cخوانم",
    "ur": "یہ کتاب بہت اچھی ہے",
    "hi": "संग्रहालय हर दिन खुला रहता है",
    "bn": "গ্রন্থাগার প্রতিদিন খোলা থাকে",
    "ta": "நூலகம் தினமும் திறந்திருக்கும்",
    "ml": "ഗ്രന്ഥശാല എല്ലാ ദിവസവും തുറക്കും",
    "si": "ශ්\u200dරී ලංකාවේ පුස්තකාලය විවෘතයි",
    "th": "ห้องสมุดเปิดทุกวันน้ำใจดี",
    "lo": "ຫໍສະໝຸດເປີດທຸກມື້ນ້ຳ",
    "km": "បណ្ណាល័យបើកជារៀងរាល់ថ្ងៃ",
    "my": "စာကြည့်တိုက်သည်နေ့တိုင်းဖွင့်သည်",
    "ko": "도서관은 매일 열려 있습니다",
    "ja": "図書館は毎日ガラスの扉を開きます",
    "zh": "图书馆每天都开放",
    "vi": "Thư viện mở cửa mỗi ngày",
    "am": "ቤተ መጻሕፍቱ በየቀኑ ክፍት ነው",
    "bo": "དཔེ་མཛོད་ཁང་ཉིན་ལྟར་སྒོ་འབྱེད",
}
WAYS: dict[str, Callable[[str], str]] = {
    "as-it-stands": str,
    "decomposed": lambda text: unicodedata.normalize("NFD", text),
    "compatible-and-decomposed": lambda text: unicodedata.normalize("NFKD", text),
    "capitals": str.upper,
    "small": str.lower,
    "soft-hyphen": lambda text: f"{text[:3]}\u00ad{text[3:]}",
    "direction-marks": lambda text: f"\u200f{text}\u200e",
    "wide": lambda text: re.sub("[!-~]", lambda sign: chr(ord(sign[0]) + 0xFEE0), text),
}


@pytest.mark.parametrize("language", SENTENCES)
def test_every_word_of_a_sentence_is_found_however_it_is_written(language):
    read = {how: write(SENTENCES[language]) for how, write in WAYS.items()}
    lost = [
        (page, asked, word.text)
        for page, asked in product(read, repeat=2)
        for word in question_words(read[asked], [language])
        if set(word.terms).isdisjoint(analyze(read[page], language))
    ]
    assert lost == []


@pytest.mark.parametrize(
    ("question", "text", "language"),
    [
        pytest.param("水族館", "水曜日は休館です", "ja", id="first-sign-only"),
        pytest.param("C++", "C#", "en", id="c-plus-plus-by-its-name-is-not-c-sharp"),
        pytest.param("が", "か", "ja", id="voiced-sign-is-another"),
        pytest.param("мои", "мой", "xx", id="short-i-is-another-letter"),
    ],
)
def test_a_question_does_not_find_another_word(question, text, language):
    assert not found(question, text, language) - {"c"}


@pytest.mark.parametrize("name", ["C++", "C#", ".NET", ".htaccess", "F#"])
def test_a_name_made_of_signs_is_a_term_beside_its_letters(name):
    bare = name.lower().strip(".+#")
    assert analyze(f"Install {name} today, please.", "en")[1:3] == [
        *analyze(bare, "en"),
        name.lower(),
    ]


@pytest.mark.parametrize("text", ["go. Next", "wait...and see", "page#top", "a.b"])
def test_a_stop_in_a_sentence_makes_no_name(text):
    assert not [term for term in analyze(text, "en") if term.startswith((".", "#"))]


def test_a_page_keeps_no_stop_word_in_running_text():
    assert not {"the", "is", "to", "it", "~the"} & set(analyze(LONG_ENGLISH, "en"))


@pytest.mark.parametrize(
    ("question", "title"),
    [
        pytest.param("IT", "IT", id="acronym"),
        pytest.param("it", "The IT desk", id="acronym-in-small-letters"),
        pytest.param("who are we?", "Who we are", id="only-stop-words"),
        pytest.param("the who", "The Who in concert", id="band"),
        pytest.param("about", "About the museum", id="one-word-of-a-title"),
    ],
)
def test_a_question_of_stop_words_finds_a_title(question, title):
    assert found(question, title, "en")


def test_a_stop_word_in_capitals_is_a_name():
    assert "it" in analyze(LONG_ENGLISH + " The IT desk is here.", "en")
    assert analyze_question("gates AND", ["en"]) == ["gate", "and"]


def test_a_question_typed_in_capitals_has_stop_words():
    assert analyze_question("WHO IS IN THE MUSEUM", ["en"]) == ["museum"]


def test_stop_words_are_dropped_when_a_question_has_other_words():
    assert analyze_question("What are the ducks' pond rules?", ["en"]) == [
        "duck",
        "pond",
        "rule",
    ]


@pytest.mark.parametrize(
    "contraction", ["don't", "don\u2019t", "dont", "isn't", "we'll"]
)
def test_a_contraction_is_a_stop_word(contraction):
    assert analyze_question(f"{contraction} feed bread", ["en"]) == ["feed", "bread"]


def test_every_language_reads_the_question():
    terms = analyze_question("opening bibliothèques", ["en", "fr"])
    assert {"open", "opening"} <= set(terms)
    stems = {term for term in analyze("bibliothèque", "fr") if term.isalpha()}
    assert stems
    assert stems <= set(terms)


def test_other_languages_than_the_questions_own_come_second():
    [word] = question_words("Where is the opening?", ["de", "en"])
    assert (word.terms, word.others) == (("open",), ("opening",))


def test_a_question_without_stop_words_is_in_every_language():
    [word] = question_words("opening", ["de", "en"])
    assert (set(word.terms), word.others) == ({"open", "opening"}, ())


def test_a_corrected_word_counts_beside_the_typed_one():
    typed, right = "mend a pucnture", "mend a puncture"
    words = question_words(typed, ["en"], right)
    assert [word.terms for word in words] == [("mend",), ("pucntur", "punctur")]


def test_accents_as_typed_are_a_term_beside_the_bare_word():
    assert analyze("Café", "en") == ["cafe", "=café"]
    assert "=cafe" not in analyze("Cafe", "en")


def test_whole_forms_are_kept_for_spelling_only():
    terms, forms = analyze_with_forms("The runners' crêpes", "en")
    assert forms == {"?runners", "?crepes"}
    assert forms.isdisjoint(terms)
    assert forms.isdisjoint(analyze_question("runners crêpes", ["en"]))


def test_a_word_is_no_term_where_the_language_of_the_question_says_nothing_by_it():
    assert analyze_question("Was ist die Hauptstadt?", ["en", "de"]) == ["hauptstadt"]


def test_a_word_counts_where_it_is_a_stop_word_of_another_language():
    assert "die" in analyze_question("how to roll a die", ["de", "en"])
    assert "die" not in analyze("die", "de")


def test_question_terms_are_distinct_and_in_order():
    assert analyze_question("ferry harbour ferry", ["en"]) == ["ferri", "harbour"]


def test_a_long_question_has_at_most_64_terms_in_all_languages_together():
    words = " ".join(f"word{number}ing" for number in range(100))
    terms = analyze_question(words, ["en", "de", "fr"])
    assert len(terms) == MAX_QUESTION_TERMS
    assert terms[0] == "word0ing"


@pytest.mark.parametrize("text", ["", " ", '"', "*", "\0", "?!.", "-", "' '", "###"])
def test_signs_alone_give_no_term(text):
    assert analyze(text, "en") == []
    assert analyze_question(text, ["en"]) == []


def test_a_nul_separates_words():
    assert analyze("kiln\0firing", "en") == analyze("kiln firing", "en")


def test_an_unknown_language_keeps_its_words():
    assert analyze("the runners", "xx") == ["the", "runners"]


@pytest.mark.parametrize(("code", "term"), [("en-us", "runner"), ("xx", "runners")])
def test_a_page_without_a_language_is_in_the_sites_own(settings, code, term):
    settings.LANGUAGE_CODE = code
    assert analyze("runners") == [term]


@pytest.mark.parametrize("tag", ["en", "en-GB", "EN_us"])
def test_a_regional_tag_is_read_as_its_language(tag):
    assert analyze("runners", tag) == ["runner"]


@pytest.mark.parametrize("language", sorted(analysis.STEMMERS))
def test_a_stemmed_word_is_never_lost(language):
    for words in STOP_WORDS.values():
        assert all(analyze(f"{word}zzz", language) for word in words[::9])


@given(st.text(max_size=200), st.sampled_from(["en", "de", "ja", "tr", "xx"]))
# Composed it is as short as a name, whose ideograms also stand alone.
@example("0" * 28 + "\u00c0" * 5 + "\u00d9\U0002ebe1", "en")
def test_composed_and_decomposed_text_gives_the_same_terms(text, language):
    composed = unicodedata.normalize("NFC", text)
    decomposed = unicodedata.normalize("NFD", text)
    assert analyze(composed, language) == analyze(decomposed, language)


@given(st.text(max_size=300), st.sampled_from(["en", "fr", "ja", "tr", "ar", ""]))
def test_terms_of_any_text_are_short_and_not_empty(text, language):
    for term in analyze(text, language) + analyze_question(text, [language]):
        assert 0 < len(term) <= 3 * MAX_TERM_LENGTH


@given(st.text(alphabet=string.printable, max_size=200))
def test_a_text_is_found_by_itself(text):
    terms = set(analyze(text, "en"))
    asked = set(analyze_question(text, ["en"]))
    assert bool(asked) == bool(terms)
    assert len(asked) == MAX_QUESTION_TERMS or not asked or asked & terms


@pytest.mark.parametrize(
    "piece",
    [
        *("a", "a-", ".", "'a", "the ", "水", "a_", "C++", "1,", "é", "\u0301", "#"),
        # Marks out of their order, which normalising sorts.
        *("\u0301\u0316", "\uff9e\u0316"),
    ],
)
def test_the_time_to_read_grows_with_the_length_only(piece):
    text = (piece * 200_000)[:200_000]
    began = time.thread_time()
    analyze(text, "en")
    assert time.thread_time() - began < 5


@pytest.mark.parametrize("word", ["こんばんは、がぎぐげご。", "crème_brûlée", "ｶﾞｷﾞ"])
def test_long_runs_without_spaces_lose_no_mark_of_their_letters(word):
    composed = normalized(word * 500)
    assert normalized(unicodedata.normalize("NFD", word * 500)) == composed
    assert composed == normalized(word) * 500


def test_a_word_without_end_is_cut():
    assert analyze("a" * 1_000_000, "en") == ["a" * MAX_TERM_LENGTH]


def test_threads_do_not_mix_their_stems():
    words = [f"running{letter}s" for letter in string.ascii_lowercase * 4]
    expected = [analyze(word, "en") for word in words]
    got: list[list[list[str]]] = []

    def read():
        analysis._word_terms.cache_clear()
        analysis._short_token_terms.cache_clear()
        got.append([analyze(word, "en") for word in words])

    threads = [threading.Thread(target=read) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert got == [expected] * 8


def test_a_key_is_the_same_in_every_process():
    assert term_key("kettl") == 8818686623388636231
    assert -(2**63) <= term_key("\ud800") < 2**63


def terms_told_apart(text: str, language: str) -> tuple[list[int], set[int]]:
    terms, forms = analyze_with_forms(text, language)
    return sorted(map(term_key, terms)), {term_key(form) for form in forms}


def terms_by_key(text: str, language: str) -> tuple[list[int], set[int]]:
    # Between others: each text is read by itself.
    found = occurrences(["The kettle", text, "\n", "IT DESK"], language)
    keys = found.keys[(found.texts == 1) & ~found.is_form].tolist()
    return sorted(keys), set(found.keys[(found.texts == 1) & found.is_form].tolist())


WRITTEN = st.sampled_from(
    "the of IT WHO C++ C# .NET node.js HX-42 3.2.1 l'eau don't U.S.A. e-mail 1,000 café "
    "CAFÉ İstanbul foo_bar a@b.co 日本語 水 สวัสดี - ++ kettles \u00a8 \u2122 \u0301a".split()
)
SPACES = st.sampled_from([" ", "  ", "\n", "\t", "\u2028", "\x1c", "\u00ad", "\u3000"])
LANGUAGES = st.sampled_from(["en", "fr", "tr", "ja", "", "zz"])


@given(st.lists(st.tuples(WRITTEN | st.text(max_size=5), SPACES)), LANGUAGES)
def test_a_page_has_the_same_terms_when_they_are_read_as_keys(pieces, language):
    text = "".join(word + space for word, space in pieces)
    for each in (text, text.upper()):
        assert terms_by_key(each, language) == terms_told_apart(each, language)


@pytest.mark.parametrize("words", [12, 13])
@pytest.mark.parametrize("text", ["the {}", "THE {}", "水 {}", "the" + " the{}" * 14])
def test_a_name_has_its_stop_words_in_keys_too(text, words):
    text = text.replace("{}", " a" * (words - 1))
    assert terms_by_key(text, "en") == terms_told_apart(text, "en")


def test_white_space_is_in_no_word_and_no_sign_is_normalised_across_it():
    for sign in filter(str.isspace, map(chr, range(0x110000))):
        assert not TOKEN.search(sign)
    for mark in map(chr, range(0x110000)):
        apart = f"a {normalized(mark)} a"
        assert normalized(f"a {mark} a") == apart


def test_the_version_fits_the_column_of_a_document():
    assert 0 < ANALYZER_VERSION * 1000 < 2**31


def test_a_question_is_read_in_the_sites_own_language_of_the_moment(settings):
    for code, terms in [("en", ["boil"]), ("de", ["boiling"]), ("en", ["boil"])]:
        settings.LANGUAGE_CODE = code
        assert analyze_question("boiling", [""]) == terms
