#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <span>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "lockstep/base/error.hpp"
#include "lockstep/base/index.hpp"
#include "lockstep/lp/model.hpp"

namespace lockstep::lp {
namespace {

constexpr std::size_t longest_name = 100;  // Clp reads fields of up to 160 characters
constexpr std::string_view objective_name = "OBJ";

/// What a field of free MPS may hold: no space, and nothing that readers take for a comment or
/// sign.
std::string sanitised(std::string_view name) {
    std::string clean(name.substr(0, longest_name));
    std::ranges::replace_if(
        clean,
        [](char c) {
            const auto byte = static_cast<unsigned char>(c);
            return std::isalnum(byte) == 0 &&
                   std::string_view("_.[](),:#-").find(c) == std::string_view::npos;
        },
        '_');
    if (!clean.empty() && (std::isalpha(static_cast<unsigned char>(clean.front())) == 0)) {
        clean.insert(clean.begin(), '_');
    }
    return clean;
}

/// Names that are sanitised, unique and complete: an empty one becomes `letter` and its number.
std::vector<std::string> unique_names(std::span<const std::string> given, int count, char letter) {
    if (!given.empty() && given.size() != static_cast<std::size_t>(count)) {
        throw AssertionError(fmt::format(
            "to_mps: {} names for {} {}s", given.size(), count, letter == 'c' ? "column" : "row"));
    }
    std::unordered_set<std::string> taken{std::string(objective_name)};
    std::vector<std::string> names;
    for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i) {
        std::string name = given.empty() ? std::string() : sanitised(given[i]);
        if (name.empty()) {
            name = fmt::format("{}{}", letter, i);
        }
        while (!taken.insert(name).second) {
            name += fmt::format("_{}", i);
        }
        names.push_back(std::move(name));
    }
    return names;
}

bool is_finite(double bound) {
    return std::isfinite(bound);
}

char row_type(double lower, double upper) {
    if (lower == upper) {
        return 'E';
    }
    if (is_finite(lower)) {
        return 'G';
    }
    return is_finite(upper) ? 'L' : 'N';
}

class Writer {
public:
    Writer(const Model& model, std::vector<std::string> columns, std::vector<std::string> rows)
        : model_(model), columns_(std::move(columns)), rows_(std::move(rows)) {}

    std::string text() {
        write("NAME lockstep FREE\nROWS\n N {}\n", objective_name);
        write_rows();
        write_columns();
        write_right_hand_sides();
        write_ranges();
        write_bounds();
        write("ENDATA\n");
        return std::move(text_);
    }

private:
    template <class... Arguments>
    void write(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
        fmt::format_to(std::back_inserter(text_), format, std::forward<Arguments>(arguments)...);
    }

    void write_rows() {
        for (std::size_t i = 0; i < rows_.size(); ++i) {
            write(" {} {}\n", row_type(model_.row_lower[i], model_.row_upper[i]), rows_[i]);
        }
    }

    void write_columns() {
        write("COLUMNS\n");
        for (std::size_t j = 0; j < columns_.size(); ++j) {
            // The cost is written even if it is zero, so that an empty column is not lost.
            write(" {} {} {}\n", columns_[j], objective_name, model_.cost[j]);
            for (int k = model_.column_start[j]; k < model_.column_start[j + 1]; ++k) {
                const auto entry = static_cast<std::size_t>(k);
                write(" {} {} {}\n",
                      columns_[j],
                      rows_[at(model_.row_index[entry])],
                      model_.value[entry]);
            }
        }
    }

    void write_right_hand_sides() {
        write("RHS\n");
        for (std::size_t i = 0; i < rows_.size(); ++i) {
            const double lower = model_.row_lower[i];
            const double side = is_finite(lower) ? lower : model_.row_upper[i];
            if (is_finite(side) && side != 0.0) {
                write(" RHS {} {}\n", rows_[i], side);
            }
        }
    }

    void write_ranges() {
        write("RANGES\n");
        for (std::size_t i = 0; i < rows_.size(); ++i) {
            const double lower = model_.row_lower[i];
            const double upper = model_.row_upper[i];
            if (is_finite(lower) && is_finite(upper) && lower != upper) {
                write(" RNG {} {}\n", rows_[i], upper - lower);
            }
        }
    }

    void write_bounds() {
        write("BOUNDS\n");
        for (std::size_t j = 0; j < columns_.size(); ++j) {
            write_bounds_of(columns_[j], model_.column_lower[j], model_.column_upper[j]);
        }
    }

    /// The lower bound comes first and is always written: a negative upper bound alone means a
    /// lower bound of 0 to some readers and -infinity to others.
    void write_bounds_of(const std::string& name, double lower, double upper) {
        if (lower == upper) {
            write(" FX BND {} {}\n", name, lower);
        } else if (!is_finite(lower) && !is_finite(upper)) {
            write(" FR BND {}\n", name);
        } else {
            if (!is_finite(lower)) {
                write(" MI BND {}\n", name);
            } else {
                write(" LO BND {} {}\n", name, lower);
            }
            if (is_finite(upper)) {
                write(" UP BND {} {}\n", name, upper);
            }
        }
    }

    const Model& model_;
    std::vector<std::string> columns_;
    std::vector<std::string> rows_;
    std::string text_;
};

}  // namespace

std::string to_mps(const Model& model,
                   std::span<const std::string> column_names,
                   std::span<const std::string> row_names) {
    return Writer(model,
                  unique_names(column_names, model.columns(), 'c'),
                  unique_names(row_names, model.rows(), 'r'))
        .text();
}

}  // namespace lockstep::lp
