import os

# What numpy multiplies here takes less than a millisecond. Its threads wait for one another by spinning, which on busy
# cores takes tens. It reads this once, when it is loaded.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
