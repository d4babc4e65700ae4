#pragma once

#include <string>
#include <vector>

namespace lockstep::io {

/// Can be drawn: finite, and so small that differences stay finite.
bool is_drawable(double value) noexcept;

/// The n of 10^n <= |value| < 10^(n+1), up to 14 digits; value is neither 0 nor NaN nor infinite.
int decade_of(double value);

/// Smallest and largest of the values that were included.
struct Range {
    double low = 0.0;
    double high = 0.0;
    bool empty = true;

    void include(double value) noexcept;
    void include(const std::vector<double>& values, bool positive_only = false) noexcept;
};

/// How values map to the length of an axis, and where its ticks stand.
struct Axis {
    double low = 0.0;
    double high = 1.0;
    bool logarithmic = false;
    std::vector<double> ticks;
    std::vector<std::string> labels;  ///< [ticks]

    /// 0 at `low`, 1 at `high`; NaN for what cannot be drawn.
    [[nodiscard]] double fraction(double value) const noexcept;
};

/// An axis that ends at round numbers and has about `most` ticks. An empty range gives no ticks.
Axis value_axis(Range range, bool from_zero, int most);

/// The same with powers of ten; the range holds positive values only.
Axis log_axis(Range range, int most);

/// An axis that ends where the data end, with round ticks inside; whole numbers only if `whole`.
Axis position_axis(Range range, bool whole, int most);

/// A value for reading: five digits, all of a whole number, with separators; "–" for NaN.
std::string value_text(double value);

/// Ticks of one axis: separators, from ten million on one suffix (M, G, T), and as many decimals as
/// their distance needs. `largest`: of an axis whose ticks are written one by one.
std::vector<std::string> tick_texts(const std::vector<double>& ticks,
                                    double step,
                                    double largest = 0.0);

}  // namespace lockstep::io
