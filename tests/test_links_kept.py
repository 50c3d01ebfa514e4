"""Links that people have kept. What was shared once opens the same view for years.

The lines of KEPT are never changed and never removed, only added to: each is a link that a version
of attnviz wrote or understood, as it stands in somebody's mail, slide or course page.
"""

from dataclasses import fields
from urllib.parse import parse_qsl

import pytest

from attnviz.scene import scene_of
from attnviz.settings import Settings, from_query

# Version 0.1.
KEPT: list[tuple[str, Settings]] = [
    ("", Settings()),
    ("lang=zh-Hant&q=0&key=3&digits=3", Settings(language="zh-Hant", query=0, key=3, digits=3)),
    ("lang=en&notation=column&digits=4", Settings(language="en", notation="column", digits=4)),
    ("step=weights&predict=1", Settings(step="weights", predict=True)),
    ("present=1&panel=maps", Settings(present=True, panel="maps")),
    ("ex=two_heads&head=1&pos=example", Settings(example="two_heads", head=1, positions="example")),
    ("ex=thinking_machines&scale=0.125", Settings(example="thinking_machines", scale=0.125)),
    (
        "text=the+cat+sat+on+the+mat&split=characters",
        Settings(sentence="the cat sat on the mat", split="characters"),
    ),
    ("text=%E4%BB%96%E6%9C%83%E9%96%8B%E6%9C%83", Settings(sentence="他會開會")),
    (
        r"tok=a%5C%21b%7C%5C-%7C%26&in=1%2C0%2C2%3B0%2C1.5%2C-.25%3B.1%2C1e-07%2C3",
        Settings(
            pieces=("a|b", "\\", "&"),
            vectors=((1.0, 0.0, 2.0), (0.0, 1.5, -0.25), (0.1, 1e-07, 3.0)),
        ),
    ),
    (
        "in=1%2C0%3B0%2C1&w=typed&dk=1&dv=2&wq=1%3B-2&wk=.5%3B0&wv=1%2C0%3B0%2C1&wo=2%2C0%3B0%2C2",
        Settings(
            vectors=((1.0, 0.0), (0.0, 1.0)),
            w_source="typed",
            d_k=1,
            d_v=2,
            w_q=((1.0,), (-2.0,)),
            w_k=((0.5,), (0.0,)),
            w_v=((1.0, 0.0), (0.0, 1.0)),
            w_o=((2.0, 0.0), (0.0, 2.0)),
        ),
    ),
    (
        "heads=4&kv=2&d=6&dk=3&dv=5&w=random&seed=7",
        Settings(n_heads=4, n_kv_heads=2, d_model=6, d_k=3, d_v=5, w_source="random", seed=7),
    ),
    ("w=identity&score=cosine&scale=sqrt_d_k&temp=0", Settings(
        w_source="identity", score="cosine", scale="sqrt_d_k", temperature=0.0)),
    ("score=additive&temp=0.5&scale=-2", Settings(score="additive", temperature=0.5, scale=-2.0)),
    ("score=bilinear&norm=sparsemax", Settings(score="bilinear", normalizer="sparsemax")),
    ("norm=entmax&alpha=1.25", Settings(normalizer="entmax", alpha=1.25)),
    ("norm=topk&top=3", Settings(normalizer="topk", k=3)),
    ("norm=sigmoid&bias=-1.5", Settings(normalizer="sigmoid", bias=-1.5)),
    ("mask=causal&align=upper_left", Settings(mask="causal", align="upper_left")),
    ("mask=causal_window&radius=2", Settings(mask="causal_window", radius=2)),
    ("mask=dilated&steps=2&gap=3", Settings(mask="dilated", steps=2, gap=3)),
    ("mask=block&block=3", Settings(mask="block", block_size=3)),
    (
        "mask=global_tokens&global=0%2C3&radius=0",
        Settings(mask="global_tokens", global_tokens=(0, 3), radius=0),
    ),
    ("mask=padding&pad=2", Settings(mask="padding", padding=2)),
    (
        "mask=graph&cells=1100.0110.0011.1001&loops=0",
        Settings(mask="graph", cells=("1100", "0110", "0011", "1001"), self_loops=False),
    ),
    (
        "mask=custom&cells=1000.1100.1110.1111",
        Settings(mask="custom", cells=("1000", "1100", "1110", "1111")),
    ),
    ("pos=sinusoidal&base=100", Settings(positions="sinusoidal", base=100.0)),
    (
        "pos=learned&pv=1%2C0%2C0%3B0%2C1%2C0%3B0%2C0%2C1%3B1%2C1%2C1",
        Settings(
            positions="learned",
            position_vectors=(
                (1.0, 0.0, 0.0),
                (0.0, 1.0, 0.0),
                (0.0, 0.0, 1.0),
                (1.0, 1.0, 1.0),
            ),
        ),
    ),
    ("pos=rotary&pairs=half&dk=4", Settings(positions="rotary", pairs="half", d_k=4)),
    ("pos=alibi&sym=0", Settings(positions="alibi", symmetric=False)),
    (
        "pos=t5&buckets=16&far=32&both=0",
        Settings(positions="t5", n_buckets=16, max_distance=32, bidirectional=False),
    ),
    ("pos=shaw&clip=1", Settings(positions="shaw", clip=1)),
    ("panel=axis&axis=query", Settings(panel="axis", axis="query")),
    ("panel=ladder&rung=mean", Settings(panel="ladder", rung="mean")),
    ("join=average&drop=0%2C1", Settings(joining="average", dropped=(0, 1))),
    ("wiring=slice&target=previous", Settings(wiring="slice", target="previous")),
    (
        "order=3%2C1%2C0%2C2&combine=concatenate",
        Settings(order=(3, 1, 0, 2), combining="concatenate"),
    ),
    ("exp=scale&amount=16", Settings(experiment="scale", amount=16)),
    ("panel=dropout&amount=.2&draw=3", Settings(panel="dropout", amount=0.2, draw=3)),
    ("panel=head_count&width=8&amount=2", Settings(panel="head_count", width=8, amount=2)),
    ("b=norm%3Dsparsemax%26temp%3D0.25", Settings(other="temp=0.25&norm=sparsemax")),
    (
        "move=v2%3A-.873%2C2%3Bq1%3A1%2C-1.5",
        Settings(moves=(("v", 2, -0.873, 2.0), ("q", 1, 1.0, -1.5))),
    ),
    (
        "model=smollm2&t=a+b&t2=c&t3=d&lh=3.1%2C0.2&mix=max&unit=words&part=ab&special=0",
        Settings(
            model="smollm2",
            passage="a b",
            passage_pair="c",
            passage_target="d",
            heads_shown=((3, 1), (0, 2)),
            mixing="max",
            unit="words",
            part="ab",
            specials=False,
        ),
    ),
    (
        "q=400&hold=key&colours=log&long=windows&win=2&find=saw",
        Settings(
            query=400, held="key", colours="log", overflow="windows", window=2, find="saw"
        ),
    ),
    (
        "reading=rollout&hide=0%2C1200&sort=induction_up&type=previous",
        Settings(
            reading="rollout", hidden=(0, 1200), sorting="induction_up", head_type="previous"
        ),
    ),
    (
        "edit=off.3.1%3Beven.0.2%3Bcut.1.-1.5.2%3Bmask.4&vs=text&vt=she+saw&vm=zh&vh=2.1&gen=3&card=it",
        Settings(
            edits=(("off", 3, 1), ("even", 0, 2), ("cut", 1, -1, 5, 2), ("mask", 4)),
            against="text",
            against_text="she saw",
            against_model="zh",
            against_head=((2, 1),),
            generated=3,
            card="it",
        ),
    ),
    ("pic=house&edges=010.001.100", Settings(picture="house", edges=("010", "001", "100"))),
    (
        "task=two_saws&table=I%2FPRON&vocab=12&tw=8&th=2&tp=1&lr=.02&freeze=qv&snap=40",
        Settings(
            task="two_saws",
            task_table="I/PRON",
            vocabulary=12,
            trained_width=8,
            trained_heads=2,
            placed=True,
            learning_rate=0.02,
            frozen="qv",
            snapshot=40,
        ),
    ),
    # What a class platform adds to a link is left alone.
    ("q=2&embed=true&utm_source=moodle", Settings(query=2)),
]  # fmt: skip


def read(link: str) -> tuple[Settings, tuple[str, ...]]:
    return from_query(dict(parse_qsl(link, keep_blank_values=True)))


@pytest.mark.parametrize(("link", "settings"), KEPT, ids=[link or "empty" for link, _ in KEPT])
def test_a_kept_link_gives_what_it_gave(link, settings):
    assert read(link) == (settings, ())


@pytest.mark.parametrize("link", [link for link, _ in KEPT], ids=lambda link: link or "empty")
def test_a_kept_link_still_opens(link):
    scene_of(read(link)[0])


def test_the_kept_links_have_every_key():
    kept = {key for link, _ in KEPT for key, _ in parse_qsl(link)}
    assert {each.metadata["link"].key for each in fields(Settings)} <= kept
