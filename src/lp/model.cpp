#include "lockstep/lp/model.hpp"

#include <cstddef>
#include <span>
#include <vector>

#include <fmt/format.h>

#include "lockstep/base/error.hpp"
#include "lockstep/base/index.hpp"

namespace lockstep::lp {
namespace {

/// Position of the first item of each of `count` keys, and one past the last.
template <class Entry, class Key>
std::vector<int> first_positions(const std::vector<Entry>& entries, int count, Key key) {
    std::vector<int> start(at(count) + 1, 0);
    for (const Entry& entry : entries) {
        ++start[at(key(entry)) + 1];
    }
    for (std::size_t k = 1; k < start.size(); ++k) {
        start[k] += start[k - 1];
    }
    return start;
}

/// Stable counting sort: equal keys stay in order of arrival.
template <class Entry, class Key>
std::vector<Entry> sorted_by(const std::vector<Entry>& entries, int count, Key key) {
    std::vector<int> next = first_positions(entries, count, key);
    std::vector<Entry> sorted(entries.size());
    for (const Entry& entry : entries) {
        sorted[at(next[at(key(entry))]++)] = entry;
    }
    return sorted;
}

}  // namespace

int ModelBuilder::add_column(double cost, double lower, double upper) {
    model_.cost.push_back(cost);
    model_.column_lower.push_back(lower);
    model_.column_upper.push_back(upper);
    return columns() - 1;
}

int ModelBuilder::add_row(double lower, double upper) {
    model_.row_lower.push_back(lower);
    model_.row_upper.push_back(upper);
    return rows() - 1;
}

void ModelBuilder::add(const Model& model) {
    const int first_row = rows();
    const int first_column = columns();
    for (int r = 0; r < model.rows(); ++r) {
        add_row(model.row_lower[at(r)], model.row_upper[at(r)]);
    }
    for (int j = 0; j < model.columns(); ++j) {
        add_column(model.cost[at(j)], model.column_lower[at(j)], model.column_upper[at(j)]);
        for (int e = model.column_start[at(j)]; e < model.column_start[at(j) + 1]; ++e) {
            add_entry(first_row + model.row_index[at(e)], first_column + j, model.value[at(e)]);
        }
    }
}

void ModelBuilder::add_entry(int row, int column, double value) {
    if (row < 0 || row >= rows() || column < 0 || column >= columns()) {
        throw AssertionError(
            fmt::format("ModelBuilder: entry ({}, {}) lies outside {} rows x {} columns",
                        row,
                        column,
                        rows(),
                        columns()));
    }
    entries_.push_back({row, column, value});
}

Model ModelBuilder::build() const {
    const auto by_row = sorted_by(entries_, rows(), [](const Entry& e) { return e.row; });
    const auto sorted = sorted_by(by_row, columns(), [](const Entry& e) { return e.column; });
    Model model = model_;
    model.column_start.assign(1, 0);
    std::size_t next = 0;
    for (int column = 0; column < columns(); ++column) {
        while (next < sorted.size() && sorted[next].column == column) {
            const int row = sorted[next].row;
            double sum = 0.0;
            for (; next < sorted.size() && sorted[next].column == column && sorted[next].row == row;
                 ++next) {
                sum += sorted[next].value;
            }
            if (sum != 0.0) {
                model.row_index.push_back(row);
                model.value.push_back(sum);
            }
        }
        model.column_start.push_back(static_cast<int>(model.row_index.size()));
    }
    return model;
}

void RowBlock::clear() {
    lower.clear();
    upper.clear();
    start.clear();
    column.clear();
    value.clear();
}

void RowBlock::add(double row_lower,
                   double row_upper,
                   std::span<const int> columns,
                   std::span<const double> values) {
    if (columns.size() != values.size()) {
        throw AssertionError(fmt::format(
            "RowBlock: a row has {} columns but {} values", columns.size(), values.size()));
    }
    if (start.empty()) {
        start.push_back(0);
    }
    lower.push_back(row_lower);
    upper.push_back(row_upper);
    column.insert(column.end(), columns.begin(), columns.end());
    value.insert(value.end(), values.begin(), values.end());
    start.push_back(static_cast<int>(column.size()));
}

}  // namespace lockstep::lp
