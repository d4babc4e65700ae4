"""The table of a campaign: by feature how many cases were equal, refused by both, explained or different."""

from collections import Counter

import known
from features import REGISTRY

COLUMNS = ("cases", "equal", "refused", "explained", "differs")
NO_FEATURE = "base system alone"


def count(verdicts):
    """{feature: Counter}, and the Counter of all."""
    by_feature, total = {}, Counter()
    for verdict in verdicts:
        for counter in [total] + [by_feature.setdefault(name, Counter())
                                  for name in verdict.features or [NO_FEATURE]]:
            counter["cases"] += 1
            counter[verdict.verdict] += 1
    return by_feature, total


def line(cells, widths):
    return "| " + " | ".join(str(cell).rjust(width) if i else str(cell).ljust(width)
                             for i, (cell, width) in enumerate(zip(cells, widths))) + " |"


def markdown(head, rows):
    widths = [max(len(str(row[i])) for row in [head, *rows]) for i in range(len(head))]
    rule = "| " + " | ".join("-" * (w - 1) + ":" if i else "-" * w for i, w in enumerate(widths)) + " |"
    return "\n".join([line(head, widths), rule, *(line(row, widths) for row in rows)])


def features_table(verdicts):
    by_feature, total = count(verdicts)
    order = [NO_FEATURE, *REGISTRY]
    rows = [(name, *(by_feature[name][column] for column in COLUMNS)) for name in order if name in by_feature]
    return markdown(("feature", *COLUMNS), [*rows, ("all cases", *(total[column] for column in COLUMNS))])


def rules_table(verdicts):
    counter = Counter(verdict.rule for verdict in verdicts if verdict.verdict == "explained")
    counter.update(note for verdict in verdicts for note in set(verdict.notes))
    rows = [(rule.name, counter[rule.name], rule.whose, rule.reason) for rule in known.RULES if counter[rule.name]]
    return markdown(("rule", "cases", "whose", "reason"), rows) if rows else "no rule was used"


def text(verdicts):
    statuses = Counter(verdict.status for verdict in verdicts if verdict.verdict in ("equal", "refused"))
    parts = [features_table(verdicts), "", rules_table(verdicts), "",
             "agreed on: " + ", ".join(f"{status} {n}" for status, n in sorted(statuses.items()))]
    different = [verdict for verdict in verdicts if verdict.verdict == "differs"]
    if different:
        parts += ["", "different:"]
        parts += [f"  {v.case}: {v.differences[0]['kind']} ({', '.join(v.features) or 'no feature'})"
                  for v in different]
    return "\n".join(parts)
