from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from knowledge.readers.isolation.reader_process import read_pages
from knowledge.readers.latin_charsets import latin_charset
from knowledge.readers.text import decode_bytes
from knowledge.readers.text_cleaning import clean_text
from knowledge.readers.types import EmptyDocument, PageText, TooLarge
from tests.knowledge.readers.made import read_here, read_text


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-32"])
def test_marked_and_plain_unicode_is_read(tmp_path, encoding):
    (tmp_path / "a.txt").write_bytes("Betondeckung 45 mm ≥ 20 mm".encode(encoding))
    assert read_text(tmp_path / "a.txt", "text") == "Betondeckung 45 mm ≥ 20 mm"


def test_an_old_character_set_is_guessed(tmp_path):
    sentence = "Die Prüfung der Größe erfolgt in München; für spätere Änderungen gilt das Übliche."
    (tmp_path / "a.txt").write_bytes(sentence.encode("cp1252"))
    assert read_text(tmp_path / "a.txt", "text") == sentence


@pytest.mark.parametrize(
    "text",
    [
        "Café “à la carte” – 5 € 20 °C",
        "La couverture d’enrobage est de 45 mm à l’extérieur ; l’élève a été prévenu. Où ? Là-bas.\n" * 3,
        "The cover is 45 mm. The engineer checks it before the pour.\n" * 4000 + "See the engineer’s note, £5 or €6.",
        "El niño comió una manzana; ¿qué pasó? España, año 2020, 1ª planta.",
    ],
)
def test_windows_1252_without_a_charset_is_read_as_it_was_written(tmp_path, text):
    (tmp_path / "a.txt").write_bytes(text.encode("cp1252"))
    assert read_text(tmp_path / "a.txt", "text").strip() == text.strip()
    (tmp_path / "a.html").write_bytes(f"<html><body><p>{text}".encode("cp1252"))
    assert " ".join(read_text(tmp_path / "a.html", "html").split()) == " ".join(text.split())


NATIONAL_TEXTS = [
    ("cp1250", "Minimalna grubość płyty wynosi 5 mm. Proszę sprawdzić ją przed wylaniem betonu – „zawsze”."),
    ("cp1250", "Zażółć gęślą jaźń"),
    ("iso8859_2", "Minimalna grubość płyty wynosi 5 mm. Proszę sprawdzić ją przed wylaniem betonu, także ścianę."),
    ("cp1250", "Příliš žluťoučký kůň úpěl ďábelské ódy."),
    ("cp1250", "Tloušťka desky je nejvýše pět milimetrů."),
    ("iso8859_2", "Tloušťka desky je nejvýše pět milimetrů, změřte ji před betonáží."),
    ("cp1250", "A lemez vastagsága legfeljebb öt milliméter, ellenőrizze a betonozás előtt, kérjük."),
    ("cp1250", "Hrúbka dosky je najviac päť milimetrov; skontrolujte ju pred betonážou."),
    ("cp1250", "Debelina plošče je največ pet milimetrov, preverite jo pred betoniranjem."),
    ("cp1250", "Grosimea plăcii este de cel mult cinci milimetri şi trebuie verificată înainte de turnare."),
    ("cp1254", "Plakanın kalınlığı en fazla beş milimetredir, döküm öncesi kontrol edilmelidir."),
    ("cp1254", "Ağırlık sınırı 5 kg"),
    ("cp1257", "Plokštės storis yra ne didesnis kaip penki milimetrai, patikrinkite prieš betonuodami."),
]


@pytest.mark.parametrize(("encoding", "text"), NATIONAL_TEXTS)
def test_latin_text_of_other_countries_has_its_letters(tmp_path, encoding: str, text: str):
    (tmp_path / "a.txt").write_bytes(text.encode(encoding))
    assert read_text(tmp_path / "a.txt", "text") == text


WESTERN_SENTENCES = [
    "Die Prüfung der Größe erfolgt in München.",
    "La épaisseur de la dalle a été vérifiée à l’intérieur, c’est-à-dire où elle est posée.",
    "El niño comió una manzana en España; ¿qué pasó después?",
    "Não há informações sobre as dimensões dos aviões.",
    "Þykkt plötunnar er að hámarki fimm millimetrar og það skal athuga.",
    "Tjockleken på plåten är högst fem millimeter.",
    "Levyn paksuus on enintään viisi millimetriä, mitä täytyy tarkistaa.",
    "Pladens tykkelse må højst være fem millimeter på stedet.",
    "La qualità della città è più alta, perché così è già.",
    "The café in Zürich and São Paulo costs £5, the naïve Malmö one €6.",
    "De geïnteresseerde patiënten zijn één voor één gecoördineerd.",
]


SHORT_WESTERN_TEXTS = [
    "Debit 500 m³/h",
    "Caudal 500 m³",
    "Item;Qty\nTank 5 m³;2\nPump;1",
    "cap.;25 m³\nvol.;30 m³",
    "Name: Muñoz",
    "To: Mr Nuño",
    "¥100; £20",
]
OTHER_SHORT_WESTERN_TEXTS = [
    "Muñoz; Nuño; Peña; Ordóñez; Gómez; López; Ocón",
    "Flow 5 m³K; 7 m³K; 9 m³h",
    "¹Data of 2020; ³Data of 2021; ¹Dane",
    "Total £m; £bn; £bn",
    "¿Nuño? ¿Muñoz? ¿Toño?",
    "Lunedì; martedì; mercoledì; più; è; così",
    "Côté; Bäcker; Håkan",
    "Skåne; Västerås; Åkare; Nässjö",
    "Où? Très naïf. Élève, père, mère, zèle.",
    "Þýða; öðru; ýta; þörf",
    "½ l; ¼ l; ¾ l; ¼ kg",
    "São João; Não; Põe; Limões",
]


@pytest.mark.parametrize("text", SHORT_WESTERN_TEXTS)
def test_a_few_western_words_are_never_taken_for_those_of_another_country(text: str):
    assert decode_bytes(text.encode("cp1252")) == text


@pytest.mark.parametrize("text", SHORT_WESTERN_TEXTS + OTHER_SHORT_WESTERN_TEXTS)
def test_a_sign_or_a_letter_of_a_few_western_words_decides_nothing(text: str):
    assert latin_charset(text.encode("cp1252")) == "cp1252"


def test_a_text_of_another_country_is_read_in_the_confined_process(tmp_path):
    encoding, text = NATIONAL_TEXTS[0]
    (tmp_path / "a.txt").write_bytes(text.encode(encoding))
    [_, page] = read_pages(tmp_path / "a.txt", source_type="text")
    assert isinstance(page, PageText)
    assert page.text == text


@given(st.lists(st.sampled_from(WESTERN_SENTENCES), min_size=1, max_size=5))
def test_western_text_is_never_taken_for_that_of_another_country(sentences: list[str]):
    text = " ".join(sentences)
    assert decode_bytes(text.encode("cp1252")) == text


@given(st.sampled_from(NATIONAL_TEXTS), st.integers(1, 200))
def test_a_long_text_of_another_country_is_read_as_a_short_one(one: tuple[str, str], times: int):
    encoding, sentence = one
    assert decode_bytes((sentence + "\r\n").encode(encoding) * times) == (sentence + "\r\n") * times


def test_a_foreign_name_in_a_long_text_changes_nothing():
    text = "Plakanın kalınlığı en fazla beş milimetredir, döküm öncesi kontrol edilmelidir. " * 5 + "José."
    assert decode_bytes(text.encode("cp1254")) == text


@pytest.mark.parametrize(
    ("encoding", "text"),
    [
        ("cp1251", "Защитный слой бетона составляет 45 мм для наружных элементов. Проверьте толщину.\n" * 3),
        ("cp1253", "Η επικάλυψη του σκυροδέματος είναι 45 χιλιοστά για εξωτερικά μέλη.\n" * 3),
        ("shift_jis", "コンクリートのかぶり厚さは四十五ミリです。設計者は必ず確認してください。\n" * 3),
    ],
)
def test_other_scripts_are_still_guessed(tmp_path, encoding, text):
    (tmp_path / "a.txt").write_bytes(text.encode(encoding))
    assert read_text(tmp_path / "a.txt", "text").strip() == text.strip()


def test_a_form_feed_makes_no_page(tmp_path):
    (tmp_path / "a.txt").write_bytes(b"one\r\n\x0ctwo\x00")
    header, pages = read_here(tmp_path / "a.txt", "text")
    assert (header.paged, header.page_total, [page.text for page in pages]) == (False, 1, ["one\n\ntwo"])


def test_nothing_to_read_is_empty(tmp_path):
    (tmp_path / "a.txt").write_bytes(b" \n --- \n")
    with pytest.raises(EmptyDocument):
        read_here(tmp_path / "a.txt", "text")


def test_more_than_the_limit_is_refused(tmp_path):
    (tmp_path / "a.txt").write_text("x" * 101)
    with pytest.raises(TooLarge):
        read_here(tmp_path / "a.txt", "text", max_unpaged_characters=100)


@given(st.binary(max_size=300))
def test_any_bytes_become_text_that_can_be_stored(data):
    text = clean_text(decode_bytes(data))
    assert "\x00" not in text
    text.encode("utf-8")


@given(st.text(st.characters()))
def test_cleaning_twice_changes_nothing_more(text):
    assert clean_text(clean_text(text)) == clean_text(text)


@pytest.mark.parametrize(
    ("text", "heading"),
    [
        ("Studio safety rules\n\nDry clay is never swept.\n", "Studio safety rules"),
        ("\n\n  Ropes\n=====\n\nReplaced after ten years.", "Ropes"),
        ("Dry clay is never swept.\n\nFloors are mopped wet.", None),
        ("Dry clay\nis never swept\n\nFloors", None),
        ("- milk\n\n- eggs", None),
        ("Only this line", None),
        ("x" * 90 + "\n\nToo long.", None),
        ("a b c d e f g h i j k l m\n\nToo many words.", None),
    ],
)
def test_a_short_first_line_that_stands_alone_is_the_heading(tmp_path, text, heading):
    (tmp_path / "a.txt").write_text(text)
    _, [page] = read_here(tmp_path / "a.txt", "text")
    assert [one.title for one in page.headings] == ([heading] if heading else [])
    assert all(page.text[one.start :].startswith(one.title) for one in page.headings)
