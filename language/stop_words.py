"""Words that say nothing about what a text is about."""

from __future__ import annotations

from functools import cache

from stop_words import StopWordError, get_stop_words

# The words that PostgreSQL's `english` configuration leaves out, so the words that the search index leaves out.
_INDEX_STOP_WORDS = """
i me my myself we our ours ourselves you your yours yourself yourselves he him his himself she her hers herself
it its itself they them their theirs themselves what which who whom this that these those am is are was were be
been being have has had having do does did doing a an the and but if or because as until while of at by for with
about against between into through during before after above below to from up down in out on off over under
again further then once here there when where why how all any both each few more most other some such no nor not
only own same so than too very s t can will just don should now
"""
_REQUEST_WORDS = "also could let please shall tell us use used using whether whose within without would yes"

# What questions are put with, as far as the lists of stop words leave it out. Of Chinese and Japanese characters too:
# they are looked at in pairs.
_QUESTION_WORDS = {
    "ar": "هل ما ماذا متى أين كيف كم لماذا لمن من أي أية يوجد توجد يجب يمكن أستطيع",
    "de": "was wann warum weshalb wem wen wer wie wieso wieviel viel viele wo welche welchem welchen welcher welches"
    " darf dürfen kann können muss müssen soll sollen gibt brauche möchte möchten mag ab beim wurde wurden worden"
    " lang lange oft hoch",
    "es": "qué quién quiénes cuál cuáles cuándo cuánto cuánta cuántos cuántas cómo dónde puedo puede debo debe hay"
    " tengo",
    "fr": "quel quelle quels quelles quand combien comment pourquoi où qui quoi peut peux doit dois faut",
    "hi": "क्या कब कितना कितनी कितने कैसे कैसा कैसी कहाँ कहां क्यों कौन कौनसा किस किसे किसको किसने किससे किसका किसकी किसके किन अगर"
    " चाहिए मिलता मिलती मिलते करूँ करूं"
    # Verbs that only help others, in the forms that questions have.
    " होगी होंगे होंगी होनी सके सकेगा सकेगी सकेंगे जाए जाएँ जाएगा जाएगी जाएँगे जाता जाती जाते जाना जाने जानी गई गए गये"
    " करती करनी करे करेगा करेगी करेंगे कराना कराने करवाना करवाने किए किये रहता रहती रहते रहना रहने रही रहेगा रहेगी"
    " पड़ता पड़ती पड़ते पड़ना पड़े पड़ेगा पड़ेगी होता होती होगा सकता सकते सकती",
    "ja": "何 誰 幾 か ど い つ こ な す ま で",
    "pt": "que quem qual quais quando quanto quanta quantos quantas como onde posso pode devo deve há tenho",
    "ru": "что кто кого кому чем когда где куда как какой какая какие каким сколько почему зачем можно нужно надо ли",
    "zh": "什 么 怎 样 吗 呢 哪 几 谁 多 少 久 能 会 要 可 以 需 有 没 不 到 请 问 想 应",
}

STOP_WORDS = frozenset(_INDEX_STOP_WORDS.split())
# Those and what else a request is put into words with; the search index keeps these.
REQUEST_STOP_WORDS = STOP_WORDS | frozenset(_REQUEST_WORDS.split())


@cache
def stop_words_in(language: str) -> frozenset[str]:
    """The stop words of a language by its code and what its questions are put with, as far as we have lists of them:
    that of the package `stop-words`, and ours."""
    asking = frozenset(_QUESTION_WORDS.get(language, "").split())
    try:
        return asking | frozenset(get_stop_words(language))
    except StopWordError:
        return asking
