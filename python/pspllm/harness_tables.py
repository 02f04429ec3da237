"""The harness's findings as text."""

from collections.abc import Sequence

from pspllm.harness import Plan, Run


def mebibytes(count: int) -> str:
    """With two digits behind the point: "16.30 MiB"."""
    return f"{count / 2**20:.2f} MiB"


def plan_table(plans: Sequence[Plan], memory: int) -> str:
    """A line a choice of numbers."""
    lines = [
        f"{'numbers':<14} {'bits a weight':>13} {'weights':>12} {'needed':>12} {'of the limit':>12}  "
        f"{'fits':<4} {'console, tokens/s':>17}"
    ]
    for plan in plans:
        budget = plan.budget
        weights = next(region.bytes for region in budget.regions if region.name == "weights")
        lines.append(
            f"{plan.label:<14} {budget.bits_per_weight:>13.2f} {mebibytes(weights):>12} "
            f"{mebibytes(budget.needed_bytes):>12} {budget.needed_bytes / memory:>12.1%}  "
            f"{'yes' if budget.fits else 'no':<4} {plan.tokens_per_second:>17.2f}"
        )
    lines.append(
        "bits a weight: of all tensors, scales and codebooks included. Console speed: an estimate from"
    )
    lines.append("modelled cycles a weight (docs/performance.md), not a measurement.")
    return "\n".join(lines)


def region_table(plan: Plan, memory: int) -> str:
    """A line a region."""
    lines = [f"{'region':<12} {'bytes':>13} {'share':>8}  what it holds"]
    for region in plan.budget.regions:
        lines.append(f"{region.name:<12} {region.bytes:>13,} {region.share:>8.2%}  {region.description}")
    left = memory - plan.budget.needed_bytes
    lines.append(f"{'left' if left >= 0 else 'missing':<12} {abs(left):>13,} {abs(left) / memory:>8.2%}")
    return "\n".join(lines)


def run_lines(run: Run) -> str:
    """What was seen while it ran."""
    return (
        f"ran inside the limit ({run.label}): one block of {run.block_bytes:,} bytes, "
        f"{run.allowed_bytes:,} allowed\n"
        f"{run.tokens} tokens in {run.seconds:.3f} s on this computer ({run.tokens_per_second:,.0f} tokens/s)"
    )
