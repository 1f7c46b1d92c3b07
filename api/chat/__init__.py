"""The OpenAI-compatible door: a plugin is a model, a question is a chat.

`/v1/models` lists the plugins that a key may ask, `/v1/chat/completions` asks one. The same questions reach the same
pipeline as at `/api/v1/query`; here is only the translation, which clients written for OpenAI's protocol understand
as they are.

What is different from a bare language model, and why:

- *System and developer messages are not obeyed.* Who speaks, and by which rules, is the expert's part of the plugin,
  and an answer that a caller could talk out of its rules would be worth nothing. They are not refused either: nearly
  every client sends one. The same holds for what decides how a model writes (`temperature`, `max_tokens`, `stop`,
  `seed` …): a verified text is neither sampled nor cut off. `lexic.ignored` names what had no effect.
- *Tools are ignored*, so that agents which always send some get an answer in words; a `tool_choice` that insists on a
  call is refused. Messages of tools are left out: a source is a page of the plugin, not what a caller brings.
- *What would be misread is refused*: more than one choice (`n`), answers as JSON (`response_format`; the structured
  part of an answer is in `citations` and `lexic`), and images, sound or files in a message.
- *Refusals are ordinary text* with `finish_reason` "stop". The protocol's `refusal` field says that a model declined
  to help for reasons of safety, and clients treat it as a fault or show nothing, as `content` is null then. That
  the documents are silent is an answer, and one that a person has to see. Programs read `lexic.outcome`.
- *A clarification is ordinary text* too: the question and its options. Answering it in the next turn is enough, for
  the conversation comes back whole (see `querying.question.followups`); `lexic.clarification` has the token for
  programs.
- `citations` stand beside `choices`; in a stream they come with the last chunk of the text. The message also has the
  protocol's own `annotations`, one for each `[Source N]` in the text.
"""
