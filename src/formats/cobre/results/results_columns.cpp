#include "formats/cobre/results/results_columns.hpp"

#include <limits>
#include <type_traits>

namespace lockstep::formats::cobre::out {

std::vector<double> numbers(const io::Table& table,
                            std::string_view name,
                            const std::string& file) {
    const io::Column* column = table.find(name);
    if (column == nullptr) {
        throw InputError(fmt::format("{}: column \"{}\" is missing", file, name));
    }
    std::vector<double> out;
    std::visit(
        [&]<typename T>(const std::vector<T>& values) {
            if constexpr (std::is_arithmetic_v<T>) {
                out.assign(values.begin(), values.end());
            } else {
                throw InputError(fmt::format(
                    "{}: column \"{}\" is of type {}", file, name, io::type_name(*column)));
            }
        },
        column->values);
    for (std::size_t row = 0; row < out.size(); ++row) {
        if (!column->is_present(row)) {
            out[row] = std::numeric_limits<double>::quiet_NaN();
        }
    }
    return out;
}

}  // namespace lockstep::formats::cobre::out
