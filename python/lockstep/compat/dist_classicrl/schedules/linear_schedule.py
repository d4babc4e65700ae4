"""A number that moves by the same with every transition."""

from lockstep.compat.dist_classicrl.schedules.base_schedules import BaseSchedule


class LinearSchedule(BaseSchedule):
    """Plus `decay_rate` with every transition."""

    def __init__(self, value: float, decay_rate: float):
        super().__init__(value)
        self.decay_rate = decay_rate

    def update(self, steps: int) -> None:
        self.value += steps * self.decay_rate
