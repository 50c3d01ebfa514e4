"""The page Heads: what each head does, how heads are wired and joined, and one to design."""

from attnviz.ui.rooms.heads.challenge import challenge
from attnviz.ui.rooms.heads.every_head import every_head
from attnviz.ui.rooms.heads.head_count import head_count
from attnviz.ui.rooms.heads.joining import joining
from attnviz.ui.rooms.heads.sharing import sharing
from attnviz.ui.rooms.heads.two_saws import two_saws
from attnviz.ui.rooms.heads.wirings import wirings

PANELS = {
    "every_head": every_head,
    "two_saws": two_saws,
    "head_count": head_count,
    "joining": joining,
    "wirings": wirings,
    "sharing": sharing,
    "challenge": challenge,
}
