"""Clustering: items without labels, links, and questions."""

from collections import namedtuple

from . import _caucus
from ._data import path_list
from ._model import Model
from ._options import option_pairs
from ._progress import reporting

_ANSWERS = {True: 0, False: 1, None: 2, "undo": 3, "quit": 4}  # caucus_answer


class Question:
    """Do two items belong together? Set `answer` to True, False, None (ask another question),
    "undo" or "quit"."""

    def __init__(self, a, b, together, number, total, a_features, b_features):
        self.a, self.b = a, b
        self.together = together  #: the share of samples in which they are together
        self.number, self.total = number, total
        self.a_features, self.b_features = a_features, b_features
        self.answer = None

    def __repr__(self):
        return f"<caucus.Question {self.number} of {self.total}: {self.a!r} and {self.b!r}?>"


Answer = namedtuple("Answer", "a b together")


class Clustering(_caucus.Clustering):
    """Groups items without labels by a Dirichlet process mixture or by k-means.

    `items` is a dict or an iterable of (name, features), or a path or a list of paths; `links` has
    triples (a, b, together), where `together` is True, False or a probability; `classes` is a dict
    {item: class}, which scores the result and answers questions. Options are those of
    `caucus cluster`. Then either `run`, or answer the `questions`.
    """

    def __new__(cls, items, *, links=(), classes=None, **options):
        made = super().__new__(cls, option_pairs("cluster", {**options, "json": True}))
        paths = path_list(items)
        if paths:
            made.read(paths)
        else:
            for name, features in items.items() if hasattr(items, "items") else items:
                made.add(name, features)
        for a, b, together in links:
            made.link(a, b, float(together))
        for item, name in (classes or {}).items():
            made.set_class(item, name)
        return made

    def run(self, answer=None, progress=None):
        """Draws samples, asks the questions of the option ask, and finds the consensus.
        `answer` is called with each Question and returns its answer."""

        def ask(*fields):
            return _answer_number(answer(Question(*fields)))

        with reporting(progress) as callback:
            super().run(ask if answer else None, callback)
        return self

    def questions(self, progress=None):
        """Runs the clustering and yields each Question; set its `answer` before the next one.

        >>> items = {"cat": {"purrs": 9}, "lion": {"purrs": 7}, "car": {"drives": 8}}
        >>> clustering = Clustering(items, ask=1, chains=1)
        >>> for question in clustering.questions():
        ...     question.answer = question.a != "car" and question.b != "car"
        >>> len(clustering.answers)
        1
        """
        import queue
        import threading

        asked, answers, failure = queue.Queue(), queue.Queue(), []

        def answer(question):
            asked.put(question)
            return answers.get()

        def work():
            try:
                self.run(answer, progress)
            except BaseException as error:
                failure.append(error)
            asked.put(None)

        thread = threading.Thread(target=work, daemon=True)
        thread.start()
        try:
            for question in iter(asked.get, None):
                yield question
                answers.put(question.answer)
        finally:
            answers.put("quit")  # no effect unless the loop was left early
            thread.join()
        if failure:
            raise failure[0]

    @property
    def clusters(self):
        """The items of each cluster of the consensus."""
        items, assignment, _, _ = self.results()
        groups = [[] for _ in range(max(assignment, default=-1) + 1)]
        for item, cluster in zip(items, assignment):
            groups[cluster].append(item)
        return groups

    @property
    def assignment(self):
        """The cluster of each item, from 0."""
        items, assignment, _, _ = self.results()
        return dict(zip(items, assignment))

    @property
    def certainty(self):
        """The mean share of samples in which an item is with the others of its cluster."""
        items, _, certainty, _ = self.results()
        return dict(zip(items, certainty))

    @property
    def answers(self):
        """The questions that were answered."""
        return [Answer(*each) for each in self.results()[3]]

    def report(self):
        """The report of `caucus cluster --json`, as a dict."""
        import json

        return json.loads(super().report())

    def model(self):
        """A model that assigns new items to the clusters, its classes "c1", "c2" ..."""
        return super().model(Model)


def _answer_number(answer):
    try:
        return _ANSWERS[answer]
    except (KeyError, TypeError):
        raise ValueError(f"{answer!r} is no answer; choose True, False, None, 'undo' or 'quit'"
                         ) from None


def cluster(items, *, links=(), classes=None, answer=None, progress=None, **options):
    """Groups items without labels; see `Clustering`. `answer` is called with each Question.

    >>> fruit = {"apple": {"sweet": 9}, "pear": {"sweet": 8}, "bus": {"fast": 7}, "car": {"fast": 9}}
    >>> sorted(cluster(fruit, seed=1).clusters)
    [['apple', 'pear'], ['bus', 'car']]
    """
    return Clustering(items, links=links, classes=classes, **options).run(answer, progress)
