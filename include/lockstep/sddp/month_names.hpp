#pragma once

#include <array>

namespace lockstep::sddp {

/// January first.
inline constexpr std::array<const char*, 12> month_names{"January",
                                                         "February",
                                                         "March",
                                                         "April",
                                                         "May",
                                                         "June",
                                                         "July",
                                                         "August",
                                                         "September",
                                                         "October",
                                                         "November",
                                                         "December"};

}  // namespace lockstep::sddp
