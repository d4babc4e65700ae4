#include <algorithm>
#include <cmath>
#include <iterator>
#include <tuple>
#include <utility>

#include "lockstep/sddp/process_data.hpp"

namespace lockstep::sddp {
namespace {

using Rows = std::vector<ExternalValue>;

ExternalMoments moments_of(Rows::const_iterator first, Rows::const_iterator last) {
    ExternalMoments out{first->entity, first->stage, first->value, 0};
    const auto is_first = [&](const ExternalValue& row) { return row.value == first->value; };
    if (std::all_of(first, last, is_first)) {
        return out;
    }
    const auto count = static_cast<double>(std::distance(first, last));
    double sum = 0;
    std::for_each(first, last, [&](const ExternalValue& row) { sum += row.value; });
    out.mean = sum / count;
    double squares = 0;
    std::for_each(first, last, [&](const ExternalValue& row) {
        squares += (row.value - out.mean) * (row.value - out.mean);
    });
    out.std = std::sqrt(squares / count);
    return out;
}

}  // namespace

std::vector<ExternalMoments> external_moments(std::vector<ExternalValue> rows) {
    std::ranges::sort(rows, {}, [](const ExternalValue& row) {
        return std::tuple(row.entity, row.stage, row.scenario);
    });
    std::vector<ExternalMoments> out;
    for (auto first = rows.cbegin(); first != rows.cend();) {
        const auto last = std::find_if(first, rows.cend(), [&](const ExternalValue& row) {
            return row.entity != first->entity || row.stage != first->stage;
        });
        out.push_back(moments_of(first, last));
        first = last;
    }
    return out;
}

}  // namespace lockstep::sddp
