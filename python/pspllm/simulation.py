"""The simulated console."""

from collections.abc import Sequence
from typing import Any

from pspllm.checks import Path, text_path


def simulate(
    stick: Path,
    device: str = "psp2000",
    *,
    name: str = "",
    prompt: str | None = None,
    autorun: Sequence[str] = (),
    keys: str = "",
    screenshots: Sequence[Path] = (),
    switches: str = "conservative",
    max_cycles: float = 1e12,
    profile: bool = False,
    keep_stick: bool = True,
) -> dict[str, Any]:
    """Runs a memory stick's program in the simulator and gives its report, as `pspllm simulate --json` writes
    it.

    stick: a stick's folder (with PSP/GAME/NAME/EBOOT.PBP), a program's folder, EBOOT.PBP, PRX or static ELF.
    device: psp1000 or psp2000. prompt: run without a person, by an autorun.txt with this prompt; autorun:
    further lines of it ("steps=64"). keys: what a person presses (docs/simulator.md). switches: timing
    constants: conservative, optimistic or both, then name=value. profile: tables by function and part.
    keep_stick: leave the folder as it was.

    Speeds in the report are modelled, not measured. Raises Failure where it cannot run; a program that faults
    or does not end says so in the report.
    """
    from pspllm import _simulator
    from pspllm._engine import Failure

    try:
        return _simulator.simulate(
            text_path(stick),
            device,
            name,
            prompt,
            list(autorun),
            keys,
            [text_path(path) for path in screenshots],
            switches,
            max_cycles,
            profile,
            keep_stick,
        )
    except RuntimeError as error:
        raise Failure(str(error)) from None
