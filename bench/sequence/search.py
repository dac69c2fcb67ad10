"""How many iterations does a learner need until its F1 on development data is good enough?

Programs that save a model only at their end have to be trained anew for each number of
iterations that one wants to look at.
"""

from common.measure import say

# Iterations after which F1 is looked at: fine enough to see a maximum that passes.
STEPS = [1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48]
SLOW_STEPS = [16, 24, 32, 48, 64, 96, 128]
SLOW = 2  # a learner that took so many times as long as the fastest of its side is given up
FAR = 0.2  # F1 below the target: a learner that ends there is not looked at more closely


class Learner:
    """One program with one algorithm, and what was tried with it.

    kind     "items" or "template"
    threads  whether it uses more than one
    train    a function: from iterations to the result of a training, with its F1 under "f1"
    """

    def __init__(self, tool, algorithm, kind, threads, steps, train):
        self.tool, self.algorithm, self.kind, self.threads = tool, algorithm, kind, threads
        self.steps, self.train = steps, train
        self.tried = {}  # (seconds, F1) by iterations
        self.iterations = self.wall = None  # what is needed, if anything is enough
        self.beyond = None  # seconds that are not enough, where it was given up

    def attempt(self, iterations):
        """(seconds, F1) of a training."""
        result = self.train(iterations)
        self.tried[iterations] = result["wall"], result["f1"]
        say("d %-8s %-10s %-8s %4d iterations %9.3f s  F1 %.2f"
            % (self.tool, self.algorithm, self.kind, iterations, *self.tried[iterations]))
        return self.tried[iterations]

    def climb(self, target, fastest):
        """Takes the steps one by one until the target is reached or the time is up, which is SLOW
        times that of the fastest so far; what lies between the last two steps is then looked at by
        halves, down to an eighth, and the fewest iterations that reach the target are timed once
        more: the least counts, as other work of the machine can only add to it."""
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
