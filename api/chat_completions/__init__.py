"""The OpenAI-compatible API: a plugin is a model, a question is a chat.

`/v1/models` lists the plugins that a key may ask, `/v1/chat/completions` asks one. The questions reach the pipeline of
`/api/v1/query`; this package only translates, so that clients written for OpenAI's protocol work without a change.

What is different from a bare language model, and why:

- *System and developer messages are not obeyed.* The author of the plugin decides who speaks and by which rules; an
  answer is worth nothing if a caller can change these rules. Such messages are not refused either: nearly every client
  sends one. Parameters of sampling (`temperature`, `max_tokens`, `stop`, `seed` …) have no effect for the same reason:
  a verified text is neither sampled nor cut off. `lexic.ignored` names what had no effect.
- *Tools are ignored*, so that agents which always send some get an answer in words; a call on which `tool_choice`
  insists has the arguments that the documents give it. Messages of tools are left out: a source is a page of the
  plugin, not what a caller brings.
- *A schema is filled* (`response_format`, or that of a forced call) with values that stand in cited spans, and not with
  what anything writes: see `querying.answering.structured`. Where a field that may not be empty would be, the request
  fails with 422: a value that fits and that nothing says would be worse than none.
- *What would be misread is refused*: more than one choice (`n`), JSON without a schema, and images, sound or files in a
  message.
- *Refusals are ordinary text* with `finish_reason` "stop". The protocol's `refusal` field means that a model declined
  for reasons of safety, and clients treat it as an error or show nothing, as `content` is null then. A person has to
  see that the documents say nothing. Programs read `lexic.outcome`.
- *A clarification is ordinary text* too: the question and its options. Answering it in the next turn is enough, for
  the conversation comes back whole (see `querying.question.clarification_replies`); `lexic.clarification` has the token
  for programs.
- `citations` stand beside `choices`; in a stream they come with the last chunk of the text. The message also has the
  protocol's own `annotations`, one for each `[Source N]` in the text.
"""
