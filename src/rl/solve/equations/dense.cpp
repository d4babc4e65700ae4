#include "rl/solve/equations/dense.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "lockstep/base/index.hpp"

namespace lockstep::rl {
namespace {

/// Rows of I - gamma·P, and R as the last column.
class Equations {
public:
    Equations(const RowTable& policy, double gamma)
        : size_(at(policy.states())), cells_(size_ * (size_ + 1), 0.0) {
        const RowBlock rows = policy.all();
        for (std::size_t s = 0; s < size_; ++s) {
            cell(s, s) = 1;
            for (std::int64_t p = rows.pair_first[s]; p < rows.pair_first[s + 1]; ++p) {
                cell(s, size_) = rows.reward[p];
                for (std::int64_t k = rows.first[p]; k < rows.first[p + 1]; ++k) {
                    cell(s, at(rows.next[k])) -= gamma * rows.probability[k];
                }
            }
        }
    }

    bool eliminate() {
        for (std::size_t column = 0; column < size_; ++column) {
            take_pivot(column);
            if (cell(column, column) == 0) {
                return false;
            }
            for (std::size_t row = column + 1; row < size_; ++row) {
                subtract(column, row);
            }
        }
        return true;
    }

    [[nodiscard]] std::vector<double> substitute() {
        std::vector<double> v(size_);
        for (std::size_t row = size_; row-- > 0;) {
            double rest = cell(row, size_);
            for (std::size_t column = row + 1; column < size_; ++column) {
                rest -= cell(row, column) * v[column];
            }
            v[row] = rest / cell(row, row);
        }
        return v;
    }

private:
    double& cell(std::size_t row, std::size_t column) { return cells_[row * (size_ + 1) + column]; }

    void take_pivot(std::size_t column) {
        std::size_t best = column;
        for (std::size_t row = column + 1; row < size_; ++row) {
            if (std::abs(cell(row, column)) > std::abs(cell(best, column))) {
                best = row;
            }
        }
        if (best != column) {
            std::swap_ranges(&cell(best, 0), &cell(best, size_) + 1, &cell(column, 0));
        }
    }

    void subtract(std::size_t pivot, std::size_t row) {
        const double factor = cell(row, pivot) / cell(pivot, pivot);
        if (factor == 0) {
            return;
        }
        for (std::size_t column = pivot; column <= size_; ++column) {
            cell(row, column) -= factor * cell(pivot, column);
        }
    }

    std::size_t size_;
    std::vector<double> cells_;
};

}  // namespace

std::vector<double> dense_values(const RowTable& policy, double gamma) {
    Equations equations(policy, gamma);
    return equations.eliminate() ? equations.substitute() : std::vector<double>{};
}

}  // namespace lockstep::rl
