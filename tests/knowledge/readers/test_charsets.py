"""Files that do not say in which character set they are, by language, character set and length."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from knowledge.readers.text import decode_bytes

# By language, the character sets that it is written in, and sentences.
LANGUAGES = {
    "German": (
        ("cp1252", "cp1250", "iso8859_2"),
        [
            "Die Prüfung der Größe erfolgt in München; für spätere Änderungen gilt das Übliche.",
            "Übergeben Sie die Schlüssel bitte persönlich.",
            "Die Öffnungszeiten ändern sich im März, außer an Feiertagen.",
        ],
    ),
    "French": (
        ("cp1252",),
        [
            "L'épaisseur a été vérifiée à l'extérieur, où l'élève était présent.",
            "Où êtes-vous né ? À Nîmes, là-bas, près du théâtre.",
            "Le coût élevé dépasse déjà la réserve prévue par le comité.",
        ],
    ),
    "Spanish": (
        ("cp1252",),
        [
            "El niño comió una manzana en España, según informó la compañía.",
            "¿Cuándo terminará la revisión técnica? Mañana, quizás.",
            "La tubería está dañada y el técnico llegará después.",
        ],
    ),
    "Swedish": (
        ("cp1252",),
        [
            "Tjockleken på plåten är högst fem millimeter.",
            "Använd alltid hörselskydd när du går in i hallen på våren.",
            "Mätningen görs före gjutning, både på övre och nedre sidan.",
        ],
    ),
    "Polish": (
        ("cp1250", "iso8859_2"),
        [
            "Minimalna grubość płyty wynosi pięć milimetrów.",
            "Proszę sprawdzić ją przed wylaniem betonu, także ścianę.",
            "Zgłoszenia przyjmujemy codziennie, również w święta. Dziękujemy!",
        ],
    ),
    "Czech": (
        ("cp1250", "iso8859_2"),
        [
            "Tloušťka desky je nejvýše pět milimetrů, změřte ji před betonáží.",
            "Zařízení smí obsluhovat pouze proškolený pracovník.",
            "Přihlášky přijímáme každý den, i o svátcích. Děkujeme!",
        ],
    ),
    "Hungarian": (
        ("cp1250", "iso8859_2"),
        [
            "A lemez vastagsága legfeljebb öt milliméter, ellenőrizze a betonozás előtt.",
            "Kérjük, jelezze előre, ha később érkezik.",
            "A készüléket csak képzett dolgozó kezelheti, különösen hűtés közben.",
        ],
    ),
    "Turkish": (
        ("cp1254", "iso8859_9"),
        [
            "Plakanın kalınlığı en fazla beş milimetredir, döküm öncesi kontrol edilmelidir.",
            "Lütfen koruyucu gözlüğünüzü takınız.",
            "Başvurular her gün alınır; bayramlarda da açığız. Teşekkür ederiz!",
        ],
    ),
    "Russian": (
        ("cp1251", "koi8_r"),
        [
            "Защитный слой бетона составляет 45 мм для наружных элементов.",
            "Проверьте толщину перед заливкой.",
            "Заявки принимаются каждый день, также в праздники. Спасибо!",
        ],
    ),
    "Greek": (
        ("cp1253",),
        [
            "Η επικάλυψη του σκυροδέματος είναι 45 χιλιοστά για εξωτερικά μέλη.",
            "Παρακαλούμε ελέγξτε το πάχος πριν από τη σκυροδέτηση.",
        ],
    ),
    "Chinese": (
        ("gb18030",),
        [
            "混凝土保护层厚度为四十五毫米,设计人员必须确认。",
            "请在浇筑前检查厚度。",
            "我们每天接受申请,节假日也不例外。谢谢!",
        ],
    ),
    "Traditional Chinese": (
        ("big5",),
        [
            "混凝土保護層厚度為四十五毫米,設計人員必須確認。",
            "請在澆築前檢查厚度。",
            "我們每天接受申請,節假日也不例外。謝謝!",
        ],
    ),
    "Korean": (
        ("euc_kr",),
        [
            "콘크리트 피복 두께는 사십오 밀리미터이며 설계자가 확인해야 합니다.",
            "타설 전에 두께를 확인하십시오.",
            "신청은 매일 받으며 공휴일에도 받습니다. 감사합니다!",
        ],
    ),
    "Japanese": (
        ("shift_jis", "euc_jp"),
        [
            "コンクリートのかぶり厚さは四十五ミリです。設計者は必ず確認してください。",
            "打設前に厚さを確認してください。",
            "申請は毎日受け付けています。祝日も同じです。ありがとうございます。",
        ],
    ),
}


def table() -> Iterator[tuple[str, str, str]]:
    for language, (charsets, sentences) in LANGUAGES.items():
        whole = "\n".join(sentences)
        for charset in ("utf-8", *charsets):
            yield from ((language, charset, text) for text in (*sentences, whole, "\r\n".join([whole] * 12)))


@pytest.mark.parametrize(("language", "charset", "text"), list(table()))
def test_a_line_a_paragraph_and_a_page_are_read_in_their_character_set(language: str, charset: str, text: str):
    assert decode_bytes(text.encode(charset)) == text


@pytest.mark.parametrize("language", ["German", "French", "Spanish", "Swedish"])
def test_a_western_word_is_none_of_another_script(language: str):
    words = " ".join(LANGUAGES[language][1]).split()
    assert [decode_bytes(word.encode("cp1252")) for word in words] == words


@pytest.mark.parametrize(
    ("charset", "text"),
    [
        ("cp1252", "“Größe”"),
        ("cp1252", "He said “no…”"),
        ("cp1252", "été"),
        ("cp1252", "• Größe\n• Übung\n• Äpfel"),
        ("cp1252", "ÜBERGRÖSSE ÄNDERN"),
        ("cp1252", "SÃO PAULO – AÇÃO"),
        ("cp1252", "Ærø, Øresund, Åland"),
        ("cp1251", "The cover (защитный слой) is 45 mm."),
        ("cp1251", "ВНИМАНИЕ! ВЫСОКОЕ НАПРЯЖЕНИЕ"),
        ("cp1251", "Товщина захисного шару бетону — 45 мм, її перевіряють."),
        ("cp1251", "ОБЩИЕ ПОЛОЖЕНИЯ"),
        ("koi8_r", "ВНИМАНИЕ! ВЫСОКОЕ НАПРЯЖЕНИЕ"),
        ("koi8_r", "ОБЩИЕ ПОЛОЖЕНИЯ"),
        ("cp866", "Привет, мир!"),
        ("cp1253", "Άρθρο 5"),
        ("cp1253", "ΩΡΑΡΙΟ ΛΕΙΤΟΥΡΓΙΑΣ"),
        ("cp1253", "ΓΕΝΙΚΟΙ ΟΡΟΙ ΣΥΝΑΛΛΑΓΩΝ ΤΗΣ ΕΤΑΙΡΕΙΑΣ"),
        ("cp1253", "ΟΝΟΜΑ;ΕΠΩΝΥΜΟ;ΤΗΛΕΦΩΝΟ\nΓΙΩΡΓΟΣ;ΠΑΠΑΔΟΠΟΥΛΟΣ;210"),
        ("cp1255", "שלום עולם, זהו מסמך קצר בעברית."),
        ("cp1256", "هذا مستند قصير باللغة العربية."),
        ("cp874", "สวัสดีชาวโลก นี่คือเอกสารภาษาไทยสั้นๆ"),
        ("gb18030", "PDF文件说明"),
        ("big5", "混凝土 C30 保護層 45mm"),
        ("cp949", "콘크리트 C30 피복 45mm"),
        ("cp932", "コンクリート C30 かぶり 45mm"),
        ("cp932", "ﾊﾝｶｸ ｶﾀｶﾅ ﾃｽﾄ"),
        ("cp932", "ﾔﾏﾀﾞ ﾀﾛｳ,ﾄｳｷﾖｳﾄ\nｽｽﾞｷ ｲﾁﾛｳ,ｵｵｻｶｼ\n"),
        ("cp932", "氏名 ﾔﾏﾀﾞ ﾀﾛｳ 東京都千代田区"),
        ("euc_jp", "PDFファイル"),
    ],
)
def test_a_few_words_are_read_in_their_character_set(charset: str, text: str):
    assert decode_bytes(text.encode(charset)) == text
