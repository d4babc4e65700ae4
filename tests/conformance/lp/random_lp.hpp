#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "lockstep/base/index.hpp"
#include "lockstep/lp/model.hpp"

#include "support/dice.hpp"

/// Random linear programmes whose optimum is known by construction.
namespace lockstep::lp::testing {

using test::Dice;

struct KnownLp {
    Model model;
    double optimum = 0.0;
};

struct KnownLpShape {
    int rows = 10;
    int columns = 20;
    int entries_per_column = 3;
    int degeneracy = 4;  ///< one in so many active bounds has a zero gradient
};

/// Picks a point, its active bounds and a dual solution, then the cost that makes it optimal:
/// cost = Aᵀ dual + reduced cost. Rows are equations, ranges and inequalities; columns are boxed,
/// half-bounded, free and fixed.
inline KnownLp make_known_lp(const KnownLpShape& shape, std::uint32_t seed) {
    Dice dice(seed);
    ModelBuilder builder;
    const auto gradient = [&] {
        return dice.integer(0, shape.degeneracy - 1) == 0 ? 0.0 : dice.uniform(0.1, 10.0);
    };
    std::vector<double> point;
    for (int column = 0; column < shape.columns; ++column) {
        const double x = dice.uniform(-10.0, 10.0);
        const double low_gap = dice.uniform(1.0, 20.0);
        const double high_gap = dice.uniform(1.0, 20.0);
        point.push_back(x);
        switch (dice.integer(0, 6)) {
            case 0:
                builder.add_column(gradient(), x, infinity);
                break;
            case 1:
                builder.add_column(-gradient(), -infinity, x);
                break;
            case 2:
                builder.add_column(gradient(), x, x + high_gap);
                break;
            case 3:
                builder.add_column(-gradient(), x - low_gap, x);
                break;
            case 4:
                builder.add_column(0.0, x - low_gap, x + high_gap);
                break;
            case 5:
                builder.add_column(0.0, -infinity, infinity);
                break;
            default:
                builder.add_column(dice.uniform(-5.0, 5.0), x, x);
                break;
        }
    }
    struct Entry {
        int row;
        int column;
        double value;
    };
    std::vector<Entry> entries;
    std::vector<double> activity(static_cast<std::size_t>(shape.rows), 0.0);
    for (int column = 0; column < shape.columns; ++column) {
        for (int k = 0; k < shape.entries_per_column; ++k) {
            const Entry entry{dice.integer(0, shape.rows - 1), column, dice.uniform(-4.0, 4.0)};
            entries.push_back(entry);
            activity[at(entry.row)] += entry.value * point[at(column)];
        }
    }
    std::vector<double> dual;
    for (const double level : activity) {
        const double gap = dice.uniform(1.0, 20.0);
        switch (dice.integer(0, 4)) {
            case 0:
                builder.add_row(level, level);
                dual.push_back(dice.uniform(-10.0, 10.0));
                break;
            case 1:
                builder.add_row(level, infinity);
                dual.push_back(gradient());
                break;
            case 2:
                builder.add_row(-infinity, level);
                dual.push_back(-gradient());
                break;
            case 3:
                builder.add_row(level, level + gap);
                dual.push_back(gradient());
                break;
            default:
                builder.add_row(level - gap, level + gap);
                dual.push_back(0.0);
                break;
        }
    }
    for (const Entry& entry : entries) {
        builder.add_entry(entry.row, entry.column, entry.value);
    }
    KnownLp known;
    known.model = builder.build();
    for (const Entry& entry : entries) {
        known.model.cost[at(entry.column)] += entry.value * dual[at(entry.row)];
    }
    for (std::size_t column = 0; column < point.size(); ++column) {
        known.optimum += known.model.cost[column] * point[column];
    }
    return known;
}

}  // namespace lockstep::lp::testing
