#include "formats/cobre/results/results_policy.hpp"

#include <fmt/format.h>

#include "lockstep/base/error.hpp"
#include "lockstep/formats/cobre/results.hpp"

#include "formats/cobre/policy/policy_files_manifest.hpp"
#include "formats/cobre/results/results_columns.hpp"

namespace lockstep::formats::cobre {
namespace {

int integer_or_zero(const io::Json& object, std::string_view key) {
    const io::Json* value = object.find(key);
    const std::int64_t* found = value == nullptr ? nullptr : value->if_integer();
    return found == nullptr ? 0 : static_cast<int>(*found);
}

}  // namespace

std::vector<StateVariable> read_state(const std::filesystem::path& policy) {
    const io::Json manifest = out::read_manifest(policy);
    const io::Json* variables = manifest.find("state_variables");
    std::vector<StateVariable> state;
    if (variables != nullptr && variables->if_array() != nullptr) {
        for (const io::Json& variable : *variables->if_array()) {
            const bool is_commitment = variable.find("slot_index") != nullptr;
            state.push_back({integer_or_zero(variable, "entity_id"),
                             is_commitment ? -1 : integer_or_zero(variable, "lag_index")});
        }
    }
    return state;
}

}  // namespace lockstep::formats::cobre

namespace lockstep::formats::cobre::out {

bool has_nodes(const std::filesystem::path& policy) {
    return read_manifest(policy).find("nodes") != nullptr;
}

CutRows read_cut_rows(const std::filesystem::path& policy, std::size_t stage, std::size_t width) {
    const auto path = cuts_path(policy, stage);
    const io::Table table = io::read_parquet(path);
    const std::string file = path.string();
    const auto intercept = column<double>(table, "intercept", file);
    const auto active = column<std::uint8_t>(table, "active", file);
    const auto slopes = column<std::vector<double>>(table, "coefficients", file);
    CutRows rows;
    for (std::size_t cut = 0; cut < intercept.size(); ++cut) {
        if (slopes[cut].size() != width) {
            throw InputError(fmt::format("{}: a cut has {} coefficients, the state {} variables",
                                         file,
                                         slopes[cut].size(),
                                         width));
        }
        if (active[cut] != 0) {
            rows.intercept.push_back(intercept[cut]);
            rows.slopes.push_back(slopes[cut]);
        }
    }
    return rows;
}

}  // namespace lockstep::formats::cobre::out
