"""What notebooks show."""

from html import escape

_COLOURS = ("#cfe8fc", "#d5f5d0", "#fde2c8", "#eadcf8", "#fbd3dc", "#fff3b8", "#d0f0ee", "#e3e3e3")


def _cell(cell):
    text = str(cell)
    number = text.strip("+-").replace(".", "", 1).isdigit()
    style = ' style="text-align:right"' if number else ""
    return f"<td{style}>{escape(text)}</td>"


def _table(head, rows):
    cells = "".join(f"<th>{escape(str(cell))}</th>" for cell in head)
    body = "".join("<tr>" + "".join(map(_cell, row)) + "</tr>" for row in rows)
    return f"<table><thead><tr>{cells}</tr></thead><tbody>{body}</tbody></table>"


def model_html(model):
    top = model.top_features(5)
    rows = [(label, ", ".join(f"{name} {weight:.3g}" for name, weight in sides["for"]),
             ", ".join(f"{name} {weight:.3g}" for name, weight in sides["against"]))
            for label, sides in top.items()]
    return f"<p>{escape(repr(model))}</p>" + _table(("label", "for", "against"), rows)


def scores_html(scores):
    chunks = scores.get("chunks")
    kind, found = ("type", chunks["types"]) if chunks else ("label", scores.get("classes", ()))
    rows = [(each[kind], f"{each['precision']:.4f}", f"{each['recall']:.4f}", f"{each['f1']:.4f}",
             each["support"]) for each in found]
    return (f"<p>{escape(repr(scores))}</p>"
            + _table((kind, "precision", "recall", "F1", "support"), rows))


def study_html(study):
    rows = [("*" if row is study.best else "", row.name, f"{row.score:.4f}", f"{row.error:.4f}")
            for row in study]
    return _table(("", "setting", study.measure, "std. error"), rows)


def explanation_html(explanation):
    labels = [each["label"] for each in explanation.classes]
    rows = [["score"] + [f"{each['score']:.3f}" for each in explanation.classes],
            ["probability"] + [f"{each['probability']:.3f}" for each in explanation.classes]]
    rows += [[each["feature"]] + [f"{part:+.3f}" for part in each["contributions"]]
             for each in explanation.features]
    unknown = ", ".join(map(escape, explanation.unknown))
    return _table([""] + labels, rows) + (f"<p>unknown: {unknown}</p>" if unknown else "")


class TaggedSequence:
    """Tokens, their labels and segments; notebooks show the segments as coloured spans."""

    def __init__(self, tokens, labels, segments):
        self.tokens, self.labels, self.segments = tokens, labels, segments

    def _word(self, t):
        token = self.tokens[t]
        if isinstance(token, str):
            return token
        if isinstance(token, dict):
            return str(next((token[key] for key in ("word", "w", "token") if key in token), t))
        return str(token[0]) if token else str(t)

    def __repr__(self):
        return " ".join(f"{self._word(t)}/{label}" for t, label in enumerate(self.labels))

    def _repr_html_(self):
        types = sorted({segment.type for segment in self.segments})
        begins = {segment.begin: segment for segment in self.segments}
        parts, t = [], 0
        while t < len(self.labels):
            segment = begins.get(t)
            if segment is None:
                parts.append(escape(self._word(t)))
                t += 1
                continue
            words = " ".join(self._word(i) for i in range(segment.begin, segment.end))
            colour = _COLOURS[types.index(segment.type) % len(_COLOURS)]
            parts.append(f'<mark style="background:{colour}" '
                         f'title="{segment.probability:.3f}">{escape(words)} '
                         f"<small>{escape(segment.type)}</small></mark>")
            t = segment.end
        return f"<p>{' '.join(parts)}</p>"
