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
from pspllm.evaluation import (
    Answer,
    Answers,
    Evaluation,
    Mean,
    Prompt,
    Score,
    evaluate,
    evaluate_conversation,
)
from pspllm.files import WrittenModel, convert, quantize, quantize_to_codes
from pspllm.memory import Budget, Numbers, Region, budget
from pspllm.model import Chat, Model, Shape, Text
from pspllm.simulation import simulate

__all__ = [
    "Answer",
    "Answers",
    "Budget",
    "Chat",
    "Evaluation",
    "Failure",
    "Mean",
    "Model",
    "Numbers",
    "Prompt",
    "Region",
    "Score",
    "Shape",
    "Text",
    "WrittenModel",
    "budget",
    "convert",
    "evaluate",
    "evaluate_conversation",
    "quantize",
    "quantize_to_codes",
    "simulate",
]
