"""Numbers that change with every transition."""

from lockstep.compat.dist_classicrl.schedules.base_schedules import BaseSchedule
from lockstep.compat.dist_classicrl.schedules.constant_schedule import ConstantSchedule
from lockstep.compat.dist_classicrl.schedules.exponential_schedule import ExponentialSchedule
from lockstep.compat.dist_classicrl.schedules.linear_schedule import LinearSchedule

__all__ = ["BaseSchedule", "ConstantSchedule", "ExponentialSchedule", "LinearSchedule"]
