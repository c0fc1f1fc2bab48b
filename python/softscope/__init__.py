"""Looks inside attention: records what any PyTorch model attends to, verified, and shows it in Softscope.

    import softscope

    recording = softscope.record(model, picture, transform=transform)
    recording.heads("blocks.3.attn")[0].row(100)
    softscope.show(recording)
"""

from .jacobian import JacobianRow, jacobian
from .record import record, record_attention, recording, show
from .recorded import Recording, read

__all__ = ["JacobianRow", "Recording", "jacobian", "read", "record", "record_attention", "recording", "show"]
__version__ = "0.1.0"
