"""The trainer of `CRF`, which prints one line for each iteration."""

from ..pycrfsuite import Trainer

_COLUMNS = (
    ("loss", "loss={:<8.2f} "),
    ("active_features", "active={:<5} "),
    ("avg_precision", "precision={:0.3f}  "),
    ("avg_recall", "recall={:0.3f}  "),
    ("avg_f1", "F1={:0.3f}  "),
    ("item_accuracy_float", "Acc(item/seq)={:0.3f} "),
    ("instance_accuracy_float", "{:0.3f}  "),
    ("feature_norm", "feature_norm={:<8.2f}"),
)


class LinePerIterationTrainer(Trainer):
    """Prints a line for each iteration, and at the end the scores of the held-out data."""

    def on_iteration(self, log, info):
        line = f"Iter {info['num']:<3} time={info['time']:<5.2f} "
        line += "".join(form.format(info[name]) for name, form in _COLUMNS if name in info)
        print(line.strip())

    def on_optimization_end(self, log):
        last = self.logparser.last_iteration
        if last and last["scores"]:
            _print_scores(last["scores"])
        super().on_optimization_end(log)


def _print_scores(scores):
    width = max(5, *map(len, scores))
    lines = [f"{'Label':<{width}}  Precision  Recall     F1  Support"]
    for label, s in sorted(scores.items()):
        numbers = [" " * 6 if x is None else f"{x:6.3f}" for x in (s.precision, s.recall, s.f1 or 0)]
        lines.append(f"{label:<{width}}     {numbers[0]}  {numbers[1]} {numbers[2]}  {s.ref:7}")
    rule = len(lines[0])
    print("=" * rule, lines[0], *lines[1:], "-" * rule, sep="\n")
