#pragma once

#include <random>
#include <vector>

#include "lockstep/lp/model.hpp"

/// Linear programmes of the sizes that stage problems have, the same for each run of a benchmark.
namespace lockstep::bench {

/// Row bounds that a benchmark draws anew before each solve: row_lower in [low, high]; an
/// equation's upper bound follows.
struct Noise {
    int row;
    double low;
    double high;
    bool equation;
};

struct NoisyModel {
    lp::Model model;
    std::vector<Noise> noise;
};

/// Covering problem with `entries` random entries a column; one row's demand moves at a time.
inline NoisyModel covering_model(int rows, int columns, int entries) {
    std::mt19937 generator(1);
    std::uniform_real_distribution<double> unit(0.0, 1.0);
    std::uniform_int_distribution<int> any_row(0, rows - 1);
    lp::ModelBuilder builder;
    NoisyModel result;
    for (int row = 0; row < rows; ++row) {
        builder.add_row(5.0 + 10.0 * unit(generator), lp::infinity);
        result.noise.push_back({row, 5.0, 15.0, false});
    }
    for (int column = 0; column < columns; ++column) {
        builder.add_column(1.0 + 10.0 * unit(generator), 0.0, 50.0);
        for (int k = 0; k < entries; ++k) {
            builder.add_entry(any_row(generator), column, 0.1 + unit(generator));
        }
    }
    result.model = builder.build();
    return result;
}

struct DispatchSize {
    int hydros;
    int buses;
    int thermals;
    int blocks;
    int cuts;
};

/// One stage of a hydrothermal dispatch: cascades, buses in a ring, thermal plants, deficit in two
/// steps, cuts on the storages; every inflow and every load moves.
inline NoisyModel dispatch_model(const DispatchSize& size) {
    std::mt19937 generator(2);
    std::uniform_real_distribution<double> unit(0.0, 1.0);
    lp::ModelBuilder builder;
    NoisyModel result;
    std::vector<int> balance(static_cast<std::size_t>(size.hydros));
    std::vector<int> storage(static_cast<std::size_t>(size.hydros));
    for (std::size_t h = 0; h < balance.size(); ++h) {
        const double inflow = 100.0 + 200.0 * unit(generator);
        balance[h] = builder.add_row(500.0 + inflow, 500.0 + inflow);
        result.noise.push_back({balance[h], 500.0 + 0.5 * inflow, 500.0 + 1.5 * inflow, true});
        storage[h] = builder.add_column(0.0, 50.0, 1000.0);
        builder.add_entry(balance[h], storage[h], 1.0);
        const int missing = builder.add_column(2000.0, 0.0, lp::infinity);
        builder.add_entry(balance[h], missing, 1.0);
    }
    const int theta = builder.add_column(1.0, 0.0, lp::infinity);
    for (int block = 0; block < size.blocks; ++block) {
        std::vector<int> load(static_cast<std::size_t>(size.buses));
        for (int& row : load) {
            const double plants = static_cast<double>(size.hydros + size.thermals) / size.buses;
            const double demand = 55.0 * plants * (0.9 + 0.2 * unit(generator));
            row = builder.add_row(demand, demand);
            result.noise.push_back({row, 0.95 * demand, 1.05 * demand, true});
            for (const double cost : {1500.0, 5000.0}) {
                const int deficit =
                    builder.add_column(cost, 0.0, cost > 2000.0 ? lp::infinity : 0.2 * demand);
                builder.add_entry(row, deficit, 1.0);
            }
            const int excess = builder.add_column(0.01, 0.0, lp::infinity);
            builder.add_entry(row, excess, -1.0);
        }
        for (std::size_t b = 0; size.buses > 1 && b < load.size(); ++b) {
            for (const double sign : {1.0, -1.0}) {
                const int flow = builder.add_column(0.005, 0.0, 300.0);
                builder.add_entry(load[b], flow, -sign);
                builder.add_entry(load[(b + 1) % load.size()], flow, sign);
            }
        }
        for (std::size_t h = 0; h < balance.size(); ++h) {
            const int turbined = builder.add_column(0.001, 0.0, 250.0 / size.blocks);
            const int spilled = builder.add_column(0.002, 0.0, lp::infinity);
            const int generation = builder.add_column(0.0, 0.0, 300.0);
            const int production = builder.add_row(0.0, 0.0);
            builder.add_entry(production, generation, 1.0);
            builder.add_entry(production, turbined, -size.blocks * (0.2 + 0.6 * unit(generator)));
            builder.add_entry(load[h % load.size()], generation, 1.0);
            for (const int water : {turbined, spilled}) {
                builder.add_entry(balance[h], water, 1.0);
                if (h % 4 != 3 && h + 1 < balance.size()) {
                    builder.add_entry(balance[h + 1], water, -1.0);
                }
            }
        }
        for (int t = 0; t < size.thermals; ++t) {
            const int plant = builder.add_column(20.0 + 500.0 * unit(generator), 0.0, 80.0);
            builder.add_entry(load[static_cast<std::size_t>(t) % load.size()], plant, 1.0);
        }
    }
    for (int cut = 0; cut < size.cuts; ++cut) {
        double level = 0.0;
        const int row = builder.add_row(0.0, lp::infinity);
        builder.add_entry(row, theta, 1.0);
        std::vector<double> slope(balance.size());
        for (std::size_t h = 0; h < balance.size(); ++h) {
            slope[h] = 200.0 * unit(generator);
            level += slope[h] * 1000.0 * unit(generator);
            builder.add_entry(row, storage[h], slope[h]);
        }
        result.noise.push_back({row, 0.9 * level, 1.1 * level, false});
    }
    result.model = builder.build();
    return result;
}

}  // namespace lockstep::bench
