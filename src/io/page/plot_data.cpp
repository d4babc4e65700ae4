#include "io/page/plot_data.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

#include <fmt/format.h>

#include "lockstep/base/error.hpp"

#include "io/page/axis.hpp"
#include "io/page/drawing.hpp"
#include "io/page/packed.hpp"

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

Range range_of(const Plot& plot) {
    Range range;
    for (const Band& band : plot.bands) {
        range.include(band.low);
        range.include(band.high);
    }
    for (const Series& line : plot.lines) {
        range.include(line.y);
    }
    return range;
}

Rounding rounding_for(const Plot& plot) {
    return plot.log_y ? Rounding() : Rounding(range_of(plot));
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

Json plot_look(const Plot& plot) {
    Json data = labels_of(plot.title, plot.x_label, plot.y_label);
    data.set("x_ticks", texts(plot.x_ticks));
    data.set("from_zero", plot.from_zero).set("log_y", plot.log_y).set("log_x", plot.log_x);
    Json bands = Json::array();
    for (std::size_t i = 0; i < plot.bands.size(); ++i) {
        Json item;
        add_look(item, look_of_band(plot, i));
        bands.push(std::move(item.set("x", positions(plot.bands[i].x))));
    }
    Json lines = Json::array();
    for (std::size_t i = 0; i < plot.lines.size(); ++i) {
        const LegendEntry look = look_of_line(plot, i);
        Json item;
        add_look(item, look);
        item.set("dash", look.dash).set("width", look.width).set("marker", look.marker);
        lines.push(std::move(item.set("x", positions(plot.lines[i].x))));
    }
    return data.set("bands", std::move(bands)).set("lines", std::move(lines));
}

Json& member(Json& data, std::string_view name) {
    for (auto& [key, value] : *data.if_object()) {
        if (key == name) {
            return value;
        }
    }
    throw AssertionError("a plot without lines or bands");
}

// A logarithmic axis shows what is small beside the span.
Json numbers_of(const Plot& plot, const std::vector<double>& values, double span) {
    return plot.log_y ? Rounding().numbers(values) : Json(packed(values, span));
}

Json packed_values(const Plot& plot) {
    const Range range = range_of(plot);
    const double span = range.high - range.low;
    Json values = Json::array();
    for (const Band& band : plot.bands) {
        values.push(numbers_of(plot, band.low, span));
        values.push(numbers_of(plot, band.high, span));
    }
    for (const Series& line : plot.lines) {
        values.push(numbers_of(plot, line.y, span));
    }
    return values;
}

}  // namespace

Json plot_data(const Plot& plot) {
    const Rounding rounding = rounding_for(plot);
    Json data = plot_look(plot);
    auto& bands = *member(data, "bands").if_array();
    for (std::size_t i = 0; i < bands.size(); ++i) {
        bands[i]
            .set("low", rounding.numbers(plot.bands[i].low))
            .set("high", rounding.numbers(plot.bands[i].high));
    }
    auto& lines = *member(data, "lines").if_array();
    for (std::size_t i = 0; i < lines.size(); ++i) {
        lines[i].set("y", rounding.numbers(plot.lines[i].y));
        if (!plot.lines[i].error.empty()) {
            lines[i].set("error", rounding.numbers(plot.lines[i].error));
        }
    }
    return data;
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

Json choice_data(const std::vector<const Plot*>& plots) {
    const auto look_of = [](const Plot& plot) {
        Json look = plot_look(plot);
        std::erase_if(*look.if_object(),
                      [](const Json::Member& member) { return member.first == "title"; });
        return look;
    };
    Json first;
    std::string first_text;
    Json items = Json::array();
    for (const Plot* plot : plots) {
        if (plot == nullptr) {
            items.push(Json());
            continue;
        }
        Json look = look_of(*plot);
        const std::string text = to_text(look);
        if (first.is_null()) {
            first = look;
            first_text = text;
        }
        Json item;
        item.set("title", plot->title);
        if (text != first_text) {
            item.set("look", std::move(look));
        }
        items.push(std::move(item.set("values", packed_values(*plot))));
    }
    Json data;
    return data.set("look", std::move(first)).set("items", std::move(items));
}

std::string embedded(std::string_view json) {
    std::string text;
    for (const char c : json) {
        text += c == '<' ? std::string("\\u003c") : std::string(1, c);
    }
    return text;
}

}  // namespace lockstep::io
