"""A number that stays."""

from lockstep.compat.dist_classicrl.schedules.base_schedules import BaseSchedule


class ConstantSchedule(BaseSchedule):
    """Stays at `value`."""

    def __init__(self, value: float):
        super().__init__(value, value)

    def update(self, steps: int) -> None:
        pass
