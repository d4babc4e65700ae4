#include "lockstep/rl/environments/taxi.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "lockstep/base/error.hpp"
#include "lockstep/base/index.hpp"

#include "rl/environments/grid_text.hpp"

namespace lockstep::rl {
namespace {

constexpr int in_taxi = 4;
constexpr std::array<int, 4> marked_cells{0, 4, 20, 23};  // R, G, Y, B

struct Place {
    int cell;  // row * 5 + column
    int passenger;
    int destination;
};

Place place_of(int s) {
    return {s / 20, s / 4 % 5, s % 4};
}

int state_of(const Place& place) {
    return (place.cell * 5 + place.passenger) * 4 + place.destination;
}

// Is a wall on the east side of the cell?
bool has_wall(int row, int column) {
    return (row <= 1 && column == 1) || (row >= 3 && (column == 0 || column == 2));
}

// 0 south, 1 north, 2 east, 3 west.
int cell_after(int cell, int heading) {
    const int row = cell / 5;
    const int column = cell % 5;
    switch (heading) {
        case 0:
            return row < 4 ? cell + 5 : cell;
        case 1:
            return row > 0 ? cell - 5 : cell;
        case 2:
            return column < 4 && !has_wall(row, column) ? cell + 1 : cell;
        default:
            return column > 0 && !has_wall(row, column - 1) ? cell - 1 : cell;
    }
}

ThreeWayTable::Way moved(int s, int heading) {
    Place place = place_of(s);
    place.cell = cell_after(place.cell, heading);
    return {state_of(place), -1, false};
}

bool is_marked(int cell) {
    return std::find(marked_cells.begin(), marked_cells.end(), cell) != marked_cells.end();
}

ThreeWayTable::Way picked_up(int s) {
    Place place = place_of(s);
    if (place.passenger == in_taxi || marked_cells[at(place.passenger)] != place.cell) {
        return {s, -10, false};
    }
    place.passenger = in_taxi;
    return {state_of(place), -1, false};
}

ThreeWayTable::Way dropped_off(int s) {
    Place place = place_of(s);
    if (place.passenger != in_taxi || !is_marked(place.cell)) {
        return {s, -10, false};
    }
    const auto* const mark = std::find(marked_cells.begin(), marked_cells.end(), place.cell);
    place.passenger = static_cast<int>(mark - marked_cells.begin());
    const bool arrived = place.passenger == place.destination;
    return {state_of(place), arrived ? 20.0 : -1.0, arrived};
}

ThreeWayTable::Way way(int s, int action) {
    if (action < 4) {
        return moved(s, action);
    }
    return action == 4 ? picked_up(s) : dropped_off(s);
}

// A move that is blocked drifts nowhere; else to the left or right of the heading.
std::array<ThreeWayTable::Way, 3> rainy_ways(int s, int heading) {
    static constexpr std::array<int, 4> left{2, 3, 1, 0};
    const ThreeWayTable::Way ahead = moved(s, heading);
    if (ahead.next == s) {
        return {ahead, ahead, ahead};
    }
    const int left_heading = left[at(heading)];
    return {ahead, moved(s, left_heading), moved(s, left_heading ^ 1)};
}

void check_probability(double probability, const char* name) {
    if (!(probability >= 0 && probability <= 1)) {
        throw InputError(fmt::format("{} {}: must be from 0 to 1", name, probability));
    }
}

TaxiOptions checked(const TaxiOptions& options) {
    check_probability(options.rainy_probability, "rainy_probability");
    check_probability(options.fickle_probability, "fickle_probability");
    return options;
}

// With the mask, a pair that changes nothing is not set, which is what illegal means.
bool is_legal(const TaxiOptions& options, int s, int a) {
    return !options.masked || way(s, a).next != s;
}

ThreeWayTable table_of(const TaxiOptions& options) {
    const double aside = (1.0 - options.rainy_probability) / 2.0;
    ThreeWayTable table(500, 6, {options.rainy_probability, aside, aside});
    for (int s = 0; s < table.states(); ++s) {
        for (int a = 0; a < table.actions(); ++a) {
            if (!is_legal(options, s, a)) {
                continue;
            }
            if (options.rainy && a < 4) {
                table.set_three(s, a, rainy_ways(s, a));
            } else {
                table.set_only(s, a, way(s, a));
            }
        }
    }
    return table;
}

std::vector<std::uint8_t> masks_of(const TaxiOptions& options) {
    std::vector<std::uint8_t> masks(500, 0);
    for (int s = 0; s < 500; ++s) {
        for (int a = 0; a < 6; ++a) {
            masks[at(s)] |=
                static_cast<std::uint8_t>(is_legal(options, s, a) ? 1U << unsigned(a) : 0U);
        }
    }
    return masks;
}

std::vector<Start> taxi_starts() {
    std::vector<std::int32_t> states;
    for (int s = 0; s < 500; ++s) {
        const Place place = place_of(s);
        if (place.passenger != in_taxi && place.passenger != place.destination) {
            states.push_back(s);
        }
    }
    return even_starts(states);
}

}  // namespace

Taxi::Taxi(TaxiOptions options)
    : options_(checked(options)),
      table_(table_of(options_)),
      masks_(masks_of(options_)),
      starts_(taxi_starts()) {}

std::string Taxi::describe() const {
    std::string text = options_.rainy
                           ? fmt::format("Taxi, rainy (ahead {:.3g})", options_.rainy_probability)
                           : "Taxi, dry";
    if (options_.fickle) {
        text += fmt::format(", fickle passenger ({:.3g})", options_.fickle_probability);
    }
    return options_.masked ? text + ", masked" : text;
}

std::string Taxi::render_text(int s) const {
    static constexpr std::string_view marks = "RGYB";
    const Place place = place_of(s);
    const auto letter = [](int row, int column) {
        const auto* const mark =
            std::find(marked_cells.begin(), marked_cells.end(), row * 5 + column);
        return mark == marked_cells.end() ? '.' : marks[at(mark - marked_cells.begin())];
    };
    const std::string passenger = place.passenger == in_taxi
                                      ? "in the taxi"
                                      : std::string("at ") + marks[at(place.passenger)];
    const auto wall = [](int row, int column) { return has_wall(row, column) ? "|" : " "; };
    return grid_text(5, 5, place.cell, letter, wall) +
           fmt::format("passenger {}, to {}\n", passenger, marks[at(place.destination)]);
}

std::optional<Model> Taxi::model() const {
    if (options_.fickle) {
        return std::nullopt;
    }
    ModelBuilder builder(states(), actions());
    table_.add_to(builder);
    starts_.add_to(builder);
    return builder.build();
}

}  // namespace lockstep::rl
