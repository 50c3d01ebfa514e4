"""The package's own model: two layers of attention that learned to copy what came before.

make.py         the script that trained it, and put it into the folder weights
film.py         what it could do at ten moments of its training
frames.py       the model as it was at one of them; moved.py gives it its weights
replayed.py     the same in numpy: who looks where, and what it expects
signs.py        its tokenizer: one token for each character

film and replayed need numpy alone; the others bring torch.
"""
