"""A plan for people (a table, its reasons, a picture) and for machines (JSON)."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from gateway.plan.autoscaling import requests
from gateway.plan.comparison import Verdict, published_instances
from gateway.plan.fleet import Plan
from gateway.plan.inputs import Inputs
from gateway.plan.ladder import Ladder

# Sentences this many times longer than the ladder's requests make its first audio doubtful.
_LONGER = 2.0


def reasons(ladder: Ladder, inputs: Inputs, plan: Plan) -> list[str]:
    """How each figure came about, a sentence or three each."""
    told = [*_size(ladder, inputs, plan), *_scaling(inputs, plan)]
    told.append(
        "The published formula, ceil(requests/s x time alone / 0.75 Q_max), would have given "
        f"{published_instances(ladder, inputs)}: it takes what may queue for what runs side by side."
    )
    sentence_s = inputs.calls.sentence_s
    if not ladder.whole_text_first and sentence_s > _LONGER * ladder.request_audio_s:
        told.append(
            f"Mind: the ladder's requests had {ladder.request_audio_s:.1f} s of speech, your sentences "
            f"have {sentence_s:.1f} s; measure with longer text."
        )
    return told


def _size(ladder: Ladder, inputs: Inputs, plan: Plan) -> list[str]:
    calls, promises, instance = inputs.calls, inputs.promises, plan.instance
    enough = plan.most - promises.spare_instances
    return [
        f"Calls: {calls.at_once:.0f} at once. The bot answers every {calls.turn_s:.1f} s with "
        f"{calls.turn_audio_s:.1f} s of speech, so they need {calls.at_once * calls.talk_share:.0f} s of it a second.",
        f"One instance: {instance.by_speech:.0f} calls would keep it speaking without pause. So that "
        f"{1 - promises.late_share:.0%} of the replies begin within {promises.first_audio_ms:.0f} ms and go on without "
        f"holes, it holds {instance.at_once}; one more would break the limit of {instance.limit}. "
        f"(Q_max, {ladder.q_max(promises.first_audio_ms)}, counts clients who ask without pause; a call does not.)",
        f"At the peak: {enough} instances hold {instance.held_by(enough):.0f} calls, with at most "
        f"{promises.refused_share:.1%} of the callers refused; {promises.spare_instances} may be missing besides. "
        f"Together {plan.most}.",
    ]


def _scaling(inputs: Inputs, plan: Plan) -> list[str]:
    spare, scale_out = inputs.promises.spare_instances, inputs.scale_out
    told = [
        f"A new instance takes {scale_out.total_s:.0f} s: {scale_out.detect_s:.0f} to notice, "
        f"{scale_out.fulfil_s:.0f} to serve. An endpoint that is being updated takes no further order, so the fleet "
        f"must bear growth for {plan.window_s:.0f} s: {plan.growth:.0f} calls."
    ]
    if plan.fixed:
        told.append(
            f"All {plan.most} instances stay on: no smaller fleet could bear that and still be half full. Slower "
            "growth, or a start that takes less time, would change it."
        )
        return told
    held = plan.instance.held_by(plan.least - spare)
    return [
        *told,
        f"The fleet begins with {plan.least}, the fewest that bear it half full: {plan.least - spare} hold {held:.0f} "
        f"calls; less growth, shared by {plan.least}, an instance is to have {plan.target}.",
        f"Cooldowns: {plan.scale_out_cooldown_s} s after an order, until the metric shows its effect; "
        f"{plan.scale_in_cooldown_s} s between two instances that go, at least three scale-outs. One goes when an "
        f"instance has fewer than {plan.scale_in_below} calls: the rest then stay below the target.",
    ]


def print_plan(console: Console, ladder: Ladder, inputs: Inputs, plan: Plan) -> None:
    console.print(f"Ladder: {ladder.source} ({ladder.scheme})", highlight=False)
    table = Table("what", "figure")
    for what, figure in (
        ("calls an instance holds", f"{plan.instance.at_once}"),
        ("instances at the peak", f"{plan.most}"),
        ("instances at least", f"{plan.least}"),
        ("scaling target, calls an instance", f"{plan.target}"),
        ("scale out: cooldown", f"{plan.scale_out_cooldown_s} s"),
        ("scale in: below, cooldown", f"{plan.scale_in_below}, {plan.scale_in_cooldown_s} s"),
    ):
        table.add_row(what, figure)
    console.print(table)
    for sentence in reasons(ladder, inputs, plan):
        console.print(f"- {sentence}", highlight=False)


def print_verdicts(console: Console, verdicts: Sequence[Verdict]) -> None:
    table = Table("fleet", "instances", "late replies, worst phase", "callers refused", "holds")
    for v in verdicts:
        table.add_row(
            v.fleet,
            f"{v.most}",
            f"{v.late_share:.1%} ± {v.late_error:.1%}",
            f"{v.refused_share:.2%}",
            "yes" if v.holds else "no",
        )
    console.print(f"Simulated, {len(verdicts[0].days)} days each; a share within its error of the promise holds:")
    console.print(table)


def as_json(ladder: Ladder, inputs: Inputs, plan: Plan, verdicts: Sequence[Verdict]) -> dict[str, Any]:
    """Everything, for other programs; `requests` are bodies for AWS by operation."""
    answer: dict[str, Any] = {
        "ladder": {"source": ladder.source, "scheme": ladder.scheme},
        "inputs": inputs.model_dump(),
        "instance": {
            "calls": plan.instance.at_once,
            "calls_by_speech": round(plan.instance.by_speech, 1),
            "limit": plan.instance.limit,
        },
        "fleet": {
            "instances_least": plan.least,
            "instances_most": plan.most,
            "target_calls": plan.target,
            "scale_in_below_calls": plan.scale_in_below,
            "growth_window_s": round(plan.window_s, 1),
            "growth_calls": round(plan.growth, 1),
            "scale_out_cooldown_s": plan.scale_out_cooldown_s,
            "scale_in_cooldown_s": plan.scale_in_cooldown_s,
        },
        "published_formula_instances": published_instances(ladder, inputs),
        "reasons": reasons(ladder, inputs, plan),
        "requests": requests(plan, inputs.endpoint),
    }
    if verdicts:
        answer["simulation"] = [
            {
                "fleet": v.fleet,
                "instances_most": v.most,
                "late_share": round(v.late_share, 4),
                "late_error": round(v.late_error, 4),
                "refused_share": round(v.refused_share, 5),
                "holds": v.holds,
            }
            for v in verdicts
        ]
    return answer


def draw(verdicts: Sequence[Verdict], calls_an_instance: int, out: Path) -> None:
    """Write the first day of every fleet as a picture. Raises OSError, ValueError, ImportError (matplotlib)."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(8, 3 * len(verdicts)), layout="constrained")
    for axes, verdict in zip(figure.subplots(len(verdicts), sharex=True, squeeze=False)[:, 0], verdicts, strict=True):
        seconds, calls, instances = zip(*verdict.days[0].course, strict=True)
        minutes = [s / 60 for s in seconds]
        axes.plot(minutes, calls, label="calls at once")
        axes.step(minutes, [calls_an_instance * n for n in instances], where="post", label="what the instances hold")
        axes.set(
            title=f"{verdict.fleet}: {verdict.late_share:.1%} late in its worst phase", xlabel="minutes", ylim=(0, None)
        )
        axes.legend()
    figure.savefig(out)
