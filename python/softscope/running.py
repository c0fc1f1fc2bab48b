"""A module while it runs, with what is noticed of it, and attention that waits for the modules around it."""

from __future__ import annotations

from typing import Any, Dict, List, NamedTuple, Optional

import torch
from torch import nn

from .follow import Work
from .maps import Refused
from .numbering import Order
from .order import Written
from .windows import Windows


class Frame:
    """A module while it runs."""

    def __init__(self, name: str, module: nn.Module, place: int) -> None:
        self.name = name
        self.module = module
        self.place = place  # on the tape
        self.begin = 0  # the number of products before it
        self.products = 0  # and in it, once it has run
        self.times = 1  # that the module has run, this one included
        self.claims: List[Any] = []
        self.moved = False  # tokens were rolled or padded before a module in it
        self.rolled = False  # and not padded alone
        self.padded: List[int] = []  # how many numbers tokens were that were padded
        self.padded_within = False  # by a module in it that returned them
        self.has_products = False  # of tokens, in it or in a module in it
        self.failed: Optional[int] = None  # where on the tape a module in it began that an exception left
        self.inputs: List[torch.Tensor] = []
        self.waiting: List[Waiting] = []
        self.written: Dict[int, Written] = {}  # tensors that are being filled slice by slice
        self.reordered = False  # tokens were picked or reordered before it
        self.attends = False  # it has a product of tokens that is not a module's in it
        self.order = Order(False, False)  # of the tokens that it is given


class Waiting(NamedTuple):
    """Attention within windows, until a module around it tells where its tokens lie."""
    frame: "Frame"  # of the module that computed it
    windows: Windows
    around: int  # modules around it that were asked
    work: Work  # that asking them has taken


class Left(NamedTuple):
    """A module that ran a product and could not explain it, with the reasons that were found there."""
    frame: Frame
    refused: List[Refused]
