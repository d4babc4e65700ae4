#include "app/rl/compare.hpp"

#include <optional>
#include <utility>

#include <fmt/format.h>

#include "lockstep/io/file.hpp"
#include "lockstep/io/table.hpp"

#include "app/table_difference.hpp"

namespace lockstep::app {
namespace {

std::string place_of(const io::Table& table, const TableDifference& found) {
    const auto* states = table.find("state");
    if (!found.row || states == nullptr || *found.row >= states->size()) {
        return found.row ? fmt::format("row {}", *found.row) : "the columns";
    }
    auto where =
        fmt::format("state {}", std::get<std::vector<std::int32_t>>(states->values)[*found.row]);
    if (const auto* actions = table.find("action"); actions != nullptr && !actions->nullable) {
        where += fmt::format(", action {}",
                             std::get<std::vector<std::int32_t>>(actions->values)[*found.row]);
    }
    return where;
}

std::vector<Difference> differing_rows(const PartOnDisk& left,
                                       const PartOnDisk& right,
                                       const char* file) {
    const auto a = io::read_parquet(left.output / file);
    auto found = first_difference(a, io::read_parquet(right.output / file));
    if (!found) {
        return {};
    }
    return {{left.part.name,
             place_of(a, *found),
             found->column,
             std::move(found->left),
             std::move(found->right),
             found->absolute,
             found->relative}};
}

}  // namespace

std::vector<Difference> rl_differences(const PartOnDisk& left, const PartOnDisk& right) {
    const bool is_training = left.part.name == "training";
    return differing_rows(
        left, right, is_training ? "training/q_table.parquet" : "solution/values.parquet");
}

}  // namespace lockstep::app
