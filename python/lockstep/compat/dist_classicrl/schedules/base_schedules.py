"""What schedules have in common."""

from abc import ABC, abstractmethod


class BaseSchedule(ABC):
    """A number, and what so many transitions make of it."""

    def __init__(self, value: float, min_value: float = -1e9):
        self.value, self.min_value = value, min_value

    def get_value(self) -> float:
        """The number as it is now."""
        return self.value

    def set_value(self, value: float) -> None:
        """Overwrites the number."""
        self.value = value

    def set_mp(self) -> None:
        """Nothing: there is one process, and the value stays a double."""

    @abstractmethod
    def update(self, steps: int) -> None:
        """So many transitions were learned from."""
