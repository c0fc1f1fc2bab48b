"""Looks inside attention: records what any PyTorch model attends to, verified, and shows it in Softscope.

    import softscope

    softscope.show(model, "cat.jpg", transform=transform)       # live: the window asks, the model answers
    recording = softscope.record(model, picture, transform=transform)
    recording.heads("blocks.3.attn")[0].row(100)
"""

import importlib.util as _util

__all__ = ["JacobianRow", "Live", "Recording", "connect", "figure", "jacobian", "log", "read", "record",
           "record_attention", "recording", "show", "silenced"]
__version__ = "0.1.0"

if _util.find_spec("torch") is not None:
    from .figure import figure
    from .jacobian import JacobianRow, jacobian
    from .live import Live, connect, log
    from .record import record, record_attention, recording
    from .recorded import Recording, read
    from .show import show
    from .silence import silenced
else:
    # The program, which comes with the package, runs without it.
    def __getattr__(name: str) -> object:
        if name in __all__:
            raise ImportError(f"softscope.{name} needs PyTorch, which is not installed here: pip install torch")
        raise AttributeError(f"module 'softscope' has no attribute {name!r}")
