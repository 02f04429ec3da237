"""How fast a console would be, estimated from figures that were modelled on the simulator
(docs/performance.md).

An estimate, not a simulation and not a measurement: simulate() runs the real program cycle by cycle.
"""

from pspllm.memory import Budget

CLOCK_HZ = 333e6
"""The PSP's processor at its highest setting."""

# Cycles a weight of one generated token's matrix products.
# q80: bench/psp_cycles.json, matmul_q80 288x768: 436,068 cycles for 221,184 weights.
_Q80_CYCLES = 1.97
# Byte codes: bench/psp_cycles.json, matmul_codes 1152x576 at 6 weights a byte: 718,681 cycles for 663,552
# weights; what is done is done once a byte.
_CODE_CYCLES_A_BYTE = 6.5
# f32: line fills of 64 bytes in 56 cycles for 4 bytes a weight, and the vector unit's issue as in q80.
_F32_CYCLES = 4 * 56 / 64 + 0.91
# Everything else of a token (norms, attention, sampler, screen), spread over its weights:
# docs/performance.md, 34.7 M cycles a token less 29.8 M in matrix kernels, 15.2 M weights.
_OTHER_CYCLES = 0.32


def cycles_a_weight(number_format: str) -> float:
    """number_format: a key of Budget.matrix_weights."""
    if number_format == "q80":
        return _Q80_CYCLES
    if number_format == "f32":
        return _F32_CYCLES
    width = int(number_format.removeprefix("codes, ").split()[0])
    return _CODE_CYCLES_A_BYTE / width


def estimated_tokens_per_second(budget: Budget) -> float:
    """Of generated tokens with a short context."""
    cycles = sum(
        count * (cycles_a_weight(number_format) + _OTHER_CYCLES)
        for number_format, count in budget.matrix_weights.items()
    )
    return CLOCK_HZ / cycles
