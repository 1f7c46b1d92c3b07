"""OpenAI's Responses API: the questions of `/v1/chat/completions` in the shape that newer clients send.

What is read, ignored and refused is decided in `api.chat_completions`; this package only knows the other shape. A
response is stored with its query row (`querying.models.StoredResponse`), unless `store` is false, so that it can be
read again, deleted, and continued by `previous_response_id` or by a reference to its message.
"""
