"""The fewest iterations after which the F1 of a learner on development data is good enough.

Programs save a model only at their end, so each number of iterations needs a training of its own.
"""

from common.measure import say

# Iterations to try: close enough to notice a maximum in between.
STEPS = [1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48]
SLOW_STEPS = [16, 24, 32, 48, 64, 96, 128]
SLOW = 2  # a learner that takes this many times the time of the fastest of its side is given up
FAR = 0.2  # a learner that ends this far below the target is not searched


class Learner:
    """One program with one algorithm, and its trials.

    kind     "items" or "template"
    threads  whether it uses more than one thread
    train    a function from iterations to the result of a training, which has its F1 as "f1"
    """

    def __init__(self, tool, algorithm, kind, threads, steps, train):
        self.tool, self.algorithm, self.kind, self.threads = tool, algorithm, kind, threads
        self.steps, self.train = steps, train
        self.tried = {}  # (seconds, F1) by iterations
        self.iterations = self.wall = None  # what it needs to reach the target
        self.beyond = None  # seconds without success, if it was given up

    def attempt(self, iterations):
        """(seconds, F1) of a training."""
        result = self.train(iterations)
        self.tried[iterations] = result["wall"], result["f1"]
        say("d %-8s %-10s %-8s %4d iterations %9.3f s  F1 %.2f"
            % (self.tool, self.algorithm, self.kind, iterations, *self.tried[iterations]))
        return self.tried[iterations]

    def climb(self, target, fastest):
        """Tries the steps until one reaches the target or takes SLOW times the time of the fastest so far. Then
        it bisects between the last two steps, down to an eighth, and times the fewest iterations that reach
        the target once more: the lower time counts, as other work of the machine can only add to it."""
        if self.steps[-1] in self.tried and self.tried[self.steps[-1]][1] < target - FAR:
            return
        low = 0
        for high in self.steps:
            wall, f1 = self.tried.get(high) or self.attempt(high)
            if f1 >= target:
                break
            if fastest and wall > SLOW * fastest:
                self.beyond = wall
                return
            low = high
        else:
            return
        while high - low > max(1, high // 8):
            middle = (low + high) // 2
            if self.attempt(middle)[1] >= target:
                high = middle
            else:
                low = middle
        self.iterations = high
        self.wall = min(self.tried[high][0], self.attempt(high)[0])
