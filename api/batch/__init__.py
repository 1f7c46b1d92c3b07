"""Many questions at once, as a job: JSON lines in, JSON lines out.

A line is the body of `POST /api/v1/query`, with an `id` of the caller's own. A worker asks them one after the other,
each counted against the limits and the budget of the key as if it had been asked alone; where a limit is used up, it
waits. Answers stand in the log of questions and nowhere else: the results are read from there, so what is erased or
closed to the key is gone from them as well.
"""
