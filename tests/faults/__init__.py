"""Faults at the worst moment of each kind of work, with real processes, a real PostgreSQL and a real Redis.

Some stand beside what they break: a Redis that is killed, frozen or slow in tests/lexic/test_redis_cache.py, garbage
and half answers of language models and embedders in tests/querying/test_openai_llm.py and tests/knowledge/embedders,
`kill -9` of the supervisor and of what it runs in tests/local/test_up.py, a backup that is killed or has no room in
tests/backups, and readers behind a pooler in tests/knowledge/test_lease.py. Faults under traffic are those of
`make soak`.
"""
