"""Language models of PspLlm from Python: run them, measure them, lay them over a console's memory, shrink
them.

    import pspllm

    model = pspllm.Model("models/stories-2M/model.bin")
    for piece in model.generate("Once upon a time", temperature=0.8, seed=7):
        print(piece, end="", flush=True)
 Everything is computed by the C++ engine, bit for bit as the command line does. Whatever the engine or a file
makes impossible raises Failure with one sentence; Ctrl-C raises KeyboardInterrupt and leaves everything
usable.
"""

from pspllm._engine import Failure
from pspllm.evaluation import Evaluation, evaluate
from pspllm.files import WrittenModel, convert, quantize, quantize_to_codes
from pspllm.memory import Budget, Numbers, Region, budget
from pspllm.model import Chat, Model, Shape, Text
from pspllm.simulation import simulate

__all__ = [
    "Budget",
    "Chat",
    "Evaluation",
    "Failure",
    "Model",
    "Numbers",
    "Region",
    "Shape",
    "Text",
    "WrittenModel",
    "budget",
    "convert",
    "evaluate",
    "quantize",
    "quantize_to_codes",
    "simulate",
]
