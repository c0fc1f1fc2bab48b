"""Looks inside attention: records what any PyTorch model attends to, verified, and shows it in Softscope.

    import softscope

    softscope.show(model, "cat.jpg", transform=transform)       # live: the window asks, the model answers
    recording = softscope.record(model, picture, transform=transform)
    recording.heads("blocks.3.attn")[0].row(100)
"""

from .jacobian import JacobianRow, jacobian
from .live import Live, connect, log
from .record import record, record_attention, recording
from .recorded import Recording, read
from .show import show
from .silence import silenced

__all__ = ["JacobianRow", "Live", "Recording", "connect", "jacobian", "log", "read", "record", "record_attention", "recording", "show",
           "silenced"]
__version__ = "0.1.0"
