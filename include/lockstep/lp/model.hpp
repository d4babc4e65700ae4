#pragma once

#include <limits>
#include <span>
#include <string>
#include <vector>

#include "lockstep/base/shared_array.hpp"

namespace lockstep::lp {

inline constexpr double infinity = std::numeric_limits<double>::infinity();

/// Linear programme: minimise cost·x with row_lower <= A x <= row_upper and column bounds.
///
/// A is stored by columns without zeros or repeated entries, row indices ascending in a column.
struct Model {
    SharedArray<double> cost;          ///< [columns]
    SharedArray<double> column_lower;  ///< [columns], may be -infinity
    SharedArray<double> column_upper;  ///< [columns], may be +infinity
    SharedArray<double> row_lower;     ///< [rows]
    SharedArray<double> row_upper;     ///< [rows]
    SharedArray<int> column_start;     ///< [columns + 1]
    SharedArray<int> row_index;        ///< [entries]
    SharedArray<double> value;         ///< [entries]

    [[nodiscard]] int columns() const noexcept { return static_cast<int>(cost.size()); }
    [[nodiscard]] int rows() const noexcept { return static_cast<int>(row_lower.size()); }
};

/// Gathers a model entry by entry, in any order.
class ModelBuilder {
public:
    /// Bounds may be infinite; crossed ones make a model without a solution.
    /// @return index of the new column
    int add_column(double cost, double lower, double upper);
    /// @return index of the new row
    int add_row(double lower, double upper);
    /// Adds `value` to entry (row, column).
    void add_entry(int row, int column, double value);
    /// Adds the columns and rows of a model, with its entries.
    void add(const Model& model);

    [[nodiscard]] int columns() const noexcept { return static_cast<int>(model_.cost.size()); }
    [[nodiscard]] int rows() const noexcept { return static_cast<int>(model_.row_lower.size()); }

    /// The model: repeated entries summed in order of arrival, zeros dropped.
    [[nodiscard]] Model build() const;

private:
    struct Entry {
        int row;
        int column;
        double value;
    };
    Model model_;
    std::vector<Entry> entries_;
};

/// Rows to append, stored by rows.
struct RowBlock {
    std::vector<double> lower;  ///< [rows]
    std::vector<double> upper;  ///< [rows]
    std::vector<int> start;     ///< [rows + 1], start[0] = 0; empty when there is no row
    std::vector<int> column;    ///< [entries]
    std::vector<double> value;  ///< [entries]

    [[nodiscard]] int rows() const noexcept { return static_cast<int>(lower.size()); }
    void clear();
    /// Appends a row.
    void add(double row_lower,
             double row_upper,
             std::span<const int> columns,
             std::span<const double> values);
};

/// Writes `model` as a free-format MPS file that other solvers read. Names may be empty (c0…, r0…).
/// @return the text of the file
std::string to_mps(const Model& model,
                   std::span<const std::string> column_names = {},
                   std::span<const std::string> row_names = {});

}  // namespace lockstep::lp
