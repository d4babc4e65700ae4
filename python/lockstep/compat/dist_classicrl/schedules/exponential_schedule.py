"""A number that is multiplied with every transition, down to a least value."""

from lockstep.compat.dist_classicrl.schedules.base_schedules import BaseSchedule


class ExponentialSchedule(BaseSchedule):
    """Times `decay_rate` with every transition, down to `min_value`."""

    def __init__(self, value: float, min_value: float, decay_rate: float):
        super().__init__(value, min_value)
        self.decay_rate = decay_rate

    def update(self, steps: int) -> None:
        self.value = max(self.value * self.decay_rate**steps, self.min_value)
