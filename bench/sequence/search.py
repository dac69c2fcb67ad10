"""How many iterations does a learner need until its test F1 is good enough?

Programs that save a model only at their end have to be trained anew for each number of
iterations that one wants to look at.
"""

from common.measure import say

# Iterations after which F1 is looked at: fine enough to see a maximum that passes.
STEPS = [1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48]
SLOW_STEPS = [16, 24, 32, 48, 64, 96, 128]


class Learner:
    """One program with one algorithm, and what was tried with it.

    train  a function: from iterations to the result of a training, with its F1 under "f1"
    """

    def __init__(self, tool, algorithm, steps, train):
        self.tool, self.algorithm, self.steps, self.train = tool, algorithm, steps, train
        self.f1 = {}  # by iterations
        self.iterations = self.wall = None  # what is needed, if anything is enough

    def attempt(self, iterations):
        result = self.train(iterations)
        self.f1[iterations] = result["f1"]
        say("d %-8s %-6s %4d iterations %9.3f s  F1 %.2f"
            % (self.tool, self.algorithm, iterations, result["wall"], result["f1"]))
        return result

    def climb(self, target):
        """Takes the steps one by one until the target is reached."""
        for iterations in self.steps:
            if self.attempt(iterations)["f1"] >= target:
                break

    def settle(self, target):
        """Sets iterations to the fewest that reach the target; what lies between those that were
        tried and the next fewer is looked at by halves, down to an eighth."""
        enough = [n for n, f1 in self.f1.items() if f1 >= target]
        if not enough:
            return
        high = min(enough)
        low = max((n for n in self.f1 if n < high), default=0)
        while high - low > max(1, high // 8):
            middle = (low + high) // 2
            if self.attempt(middle)["f1"] >= target:
                high = middle
            else:
                low = middle
        self.iterations = high

    def time(self):
        """Trains with just the iterations needed, and notes the seconds."""
        if self.iterations:
            self.wall = self.attempt(self.iterations)["wall"]
