"""The cache sizes of functions that analyse texts."""

from __future__ import annotations

# A question is answered from some 300 sentences, each analysed many times over. A larger cache helps the next question
# little, as it is answered from others, and a sentence takes about 8 kB over all caches.
CACHED_SENTENCES = 1024
# Passages with all their sentences; a question has ten to twenty of them.
CACHED_PASSAGES = 128
