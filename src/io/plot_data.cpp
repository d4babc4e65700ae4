#include "io/plot_data.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

#include <fmt/format.h>

#include "io/axis.hpp"
#include "io/drawing.hpp"

namespace lockstep::io {

namespace {

/// Rounds numbers of one picture: to six digits, or to a millionth of what the axis spans where
/// that is finer, as for a bound that hardly moves any more.
class Rounding {
public:
    Rounding() = default;
    explicit Rounding(const Range& range) {
        if (range.high > range.low) {
            finest_ = decade_of(range.high - range.low) - 4;
        }
    }

    [[nodiscard]] Json number(double value) const {
        if (!is_drawable(value)) {
            return {};
        }
        const double rounded = value == 0.0 ? 0.0 : rounded_to(decade_of(value) - finest_, value);
        if (rounded == std::round(rounded) && std::abs(rounded) < 1e15) {
            return static_cast<std::int64_t>(rounded);  // without ".0"
        }
        return rounded;
    }

    [[nodiscard]] Json numbers(const std::vector<double>& values) const {
        Json list = Json::array();
        for (const double value : values) {
            list.push(number(value));
        }
        return list;
    }

private:
    /// The value with a digit before the point and some behind it.
    static double rounded_to(int digits, double value) {
        const std::string text = fmt::format("{:.{}e}", value, std::clamp(digits, 4, 16));
        double rounded = 0.0;
        std::from_chars(text.data(), text.data() + text.size(), rounded);
        return rounded;
    }

    int finest_ = 1000;  ///< decade of the last digit worth writing
};

Rounding rounding_for(const Plot& plot) {
    Range range;
    for (const Band& band : plot.bands) {
        range.include(band.low);
        range.include(band.high);
    }
    for (const Series& line : plot.lines) {
        range.include(line.y);
    }
    return plot.log_y ? Rounding() : Rounding(range);
}

Json positions(const std::vector<double>& x) {
    bool counts = !x.empty() && x.front() == std::round(x.front()) && std::abs(x.front()) < 1e6;
    for (std::size_t i = 1; counts && i < x.size(); ++i) {
        counts = x[i] == x[i - 1] + 1.0;
    }
    return counts ? Rounding().number(x.front()) : Rounding().numbers(x);
}

Json texts(const std::vector<std::string>& values) {
    Json list = Json::array();
    for (const std::string& value : values) {
        list.push(value);
    }
    return list;
}

/// Members that plots and bars share.
Json labels_of(const std::string& title, const std::string& x, const std::string& y) {
    Json data;
    data.set("title", title).set("x_label", x).set("y_label", y);
    return data;
}

void add_look(Json& item, const LegendEntry& look) {
    item.set("name", look.name)
        .set("color", static_cast<int>(look.color % 8))
        .set("opacity", look.opacity);
}

}  // namespace

Json plot_data(const Plot& plot) {
    Json data = labels_of(plot.title, plot.x_label, plot.y_label);
    data.set("x_ticks", texts(plot.x_ticks));
    data.set("from_zero", plot.from_zero).set("log_y", plot.log_y);
    const Rounding rounding = rounding_for(plot);
    Json bands = Json::array();
    for (std::size_t i = 0; i < plot.bands.size(); ++i) {
        const Band& band = plot.bands[i];
        Json item;
        add_look(item, look_of_band(plot, i));
        item.set("x", positions(band.x))
            .set("low", rounding.numbers(band.low))
            .set("high", rounding.numbers(band.high));
        bands.push(std::move(item));
    }
    Json lines = Json::array();
    for (std::size_t i = 0; i < plot.lines.size(); ++i) {
        const Series& line = plot.lines[i];
        Json item;
        item.set("name", line.name)
            .set("color", static_cast<int>(i % 8))
            .set("dashed", line.dashed);
        item.set("x", positions(line.x)).set("y", rounding.numbers(line.y));
        lines.push(std::move(item));
    }
    return data.set("bands", std::move(bands)).set("lines", std::move(lines));
}

Json plot_data(const Bars& bars) {
    Json data = labels_of(bars.title, bars.x_label, bars.y_label);
    data.set("labels", texts(bars.labels));
    Json parts = Json::array();
    for (std::size_t i = 0; i < bars.parts.size(); ++i) {
        Json item;
        add_look(item, look_of_part(bars, i));
        item.set("value", Rounding().numbers(bars.parts[i].value));
        parts.push(std::move(item));
    }
    return data.set("parts", std::move(parts));
}

Json choice_data(const std::vector<std::pair<std::string, Plot>>& plots) {
    Json names = Json::array();
    Json all = Json::array();
    Json first;
    for (const auto& [name, plot] : plots) {
        names.push(name);
        Json data = plot_data(plot);
        if (first.is_null()) {
            first = data;
        } else {
            std::erase_if(*data.if_object(), [&](const Json::Member& member) {
                return to_text(member.second) == to_text(*first.find(member.first));
            });
        }
        all.push(std::move(data));
    }
    Json data;
    return data.set("names", std::move(names)).set("plots", std::move(all));
}

std::string embedded(std::string_view json) {
    std::string text;
    for (const char c : json) {
        text += c == '<' ? std::string("\\u003c") : std::string(1, c);
    }
    return text;
}

}  // namespace lockstep::io
