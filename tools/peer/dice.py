"""Draws for the generator: all of them come from one seed, so a case can be made again."""

import random


class Dice:
    def __init__(self, *seed):
        self.random = random.Random("/".join(map(str, seed)))

    def number(self, low, high, digits=2):
        """A number with few digits: cases are read by people."""
        return round(self.random.uniform(low, high), digits)

    def integer(self, low, high):
        """Both ends belong to it."""
        return self.random.randint(low, high)

    def chance(self, probability):
        return self.random.random() < probability

    def pick(self, values):
        return values[self.random.randrange(len(values))]

    def some(self, values, least=1):
        """A part of the values in their order."""
        values = list(values)
        count = self.random.randint(min(least, len(values)), len(values))
        chosen = set(self.random.sample(range(len(values)), count))
        return [value for i, value in enumerate(values) if i in chosen]

    def shuffled(self, values):
        values = list(values)
        self.random.shuffle(values)
        return values

    def normal(self):
        return self.random.gauss(0, 1)
