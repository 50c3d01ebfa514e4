"""One head beside another, or beside itself on another text. Numpy alone.

aligned.py        two maps on the tokens that they share, and how far apart they are
heads_apart.py    how far every head of a model is from another
minimal_pairs.py  sentences that differ in one place
"""
