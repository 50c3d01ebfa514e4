"""Real models: what each attention layer of a transformers model did with a text or a picture.

    results.py    Token, Capture: what was captured; read it first
    layers.py     Layer: queries, keys and values of one layer; weights of one head, made on demand
    visible.py    who may see whom, as a rule where one says it; what is added to the scores
    overview.py   the map of one head in a few pixels, for texts of any length
    views.py      one head as it is looked at: pieces or words, one text of two, heads together
    explained.py  why one weight is what it is
    read_otherwise.py  the same head read in other ways than by its weights
    listed.py     all heads in a table, and how far they are apart
    corpus.py     every head over several texts, such as the sentences of corpus.toml
    cards.py      questions that are answered by finding a head, with the rule of each answer
    given.py      the attentions that another program returned, as a Capture
    uploads.py    the same from a file, NPZ or JSON
    outputs.py    W^O of a layer, and what goes past it; projecting.py finds both
    tokens.py     a tokenizer's pieces as tokens that can be read
    words.py      words and characters of a text, and attention between words
    images.py     a picture in a file, opened with care; pictures.py, as a vision model wants it
    catalogue.py  the models that the product knows, and which names a server allows
    capture.py    the function that transformers calls instead of its own attention
    recorder.py   what one attention call is made of, and the recorder of a whole pass
    eager.py      the attentions that a model hands out itself, to compare with
    hooked.py     what hooks catch of models that compute their attention by themselves
    rebuilt.py    layers of those, as far as their own weights bear out what was caught
    model.py      Model: one loaded model, and its `capture`
    writing.py    a causal model writes, and each head's row at each step is kept
    written.py    what was written; repeats.py, a stretch that comes twice
    load.py       `load_model`: a name or a folder becomes a Model
    hub.py        what a model hub says of a model, and whether it is kept here
    adding.py     a model of the catalogue, fetched, checked and rewritten
    tiny.py       small models of every family, made from a seed
    worker.py     another process that runs the models for the web pages
    turns.py      who may ask that process next, in the order in which they came
    serve.py      what runs in that process
    wire.py       captures as bytes, and back

    editing/      heads off, edges cut, tokens masked, and what that changes
    comparing/    one head beside another, or beside itself on another text
    conversion/   weights in other formats, rewritten once
    training/     small models taught while somebody watches
    induction/    the package's own model, and the film of its training

Files that bring torch or transformers are named in tests/test_architecture.py; the others need
numpy alone, so that the web pages can use them.
"""
