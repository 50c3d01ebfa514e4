"""How each matrix of a head is made of the ones before it, with its shape below it, in LaTeX."""

from attnviz.figures.products import Products
from attnviz.figures.whole import Whole, is_product, scaled_name
from attnviz.figures.writing import LATEX, hand_of

_SYMBOLS = {
    "inputs": "I",
    "positions": "E",
    "encoded_inputs": "(I + E)",
    "w_q": "W^q",
    "w_k": "W^k",
    "w_v": "W^v",
    "w_o": "W^O",
    "query": "Q",
    "key": "K",
    "value": "V",
    "scores": "A",
    "weights": "A'",
}


def shaped(page: Products, name: str) -> str:
    """Write one matrix as a product with shapes, Q = I W^q, or as what makes it otherwise."""
    whole, made = Whole(hand_of(LATEX, page.notation), page.one), _under(page, name)
    if name == "scores" and not (is_product(page.one) and page.one.choices.score == "dot"):
        return " = ".join(whole.scores)
    if name == "weights":
        return " = ".join(whole.weights)
    if name == "head_outputs" and page.one.relative_value is not None:
        return " = ".join(whole.output)
    two = page.factors(name)
    if two is None:
        return made
    other = _under(page, two[1], turned=name == "scores")
    product = r" \; ".join(page.notation.pair(_under(page, two[0]), other))
    if name in ("query", "key") and page.trace.position.turn is not None:
        product = rf"\operatorname{{turn}} \bigl( {product} \bigr)"
    return f"{made} = {product}"


def _under(page: Products, name: str, *, turned: bool = False) -> str:
    array = page.notation.laid(page.stops[name].array)
    rows, columns = (array.T if turned else array).shape
    symbol = _symbol(page, name) + (r"^{\top}" if turned else "")
    return rf"\underset{{{rows} \times {columns}}}{{{symbol}}}"


def _symbol(page: Products, name: str) -> str:
    hand = hand_of(LATEX, page.notation)
    if name == "head_outputs":
        return f"O^{{{page.head + 1}}}" if "output" in page.stops else "O"
    if name == "concatenated":
        dots, last = (r"\vdots", r" \\ ") if page.notation.columns else (r"\cdots", " & ")
        heads = last.join(["O^1", dots, f"O^{{{page.trace.n_heads}}}"])
        return rf"\begin{{pmatrix}} {heads} \end{{pmatrix}}"
    if name == "output":
        return "O"
    if name == "scaled_scores":
        return scaled_name(hand, page.one, "A")
    if name == "masked_scores":
        terms = [scaled_name(hand, page.one, "A")]
        terms += [symbol for symbol, there in _added(page) if there is not None]
        return " + ".join(terms)
    return _SYMBOLS[name]


def _added(page: Products) -> tuple[tuple[str, object], ...]:
    return ("B", page.one.bias), ("M", page.one.mask)
