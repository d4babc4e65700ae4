#include "sddp/passes/runs/simulation_start.hpp"

#include <algorithm>
#include <cstdint>

#include "lockstep/base/bytes.hpp"
#include "lockstep/base/error.hpp"

#include "sddp/passes/runs/basis_bytes.hpp"

namespace lockstep::sddp {
namespace {

bool are_cuts(const std::vector<int>& cuts, const CutPool& pool) {
    return std::ranges::all_of(cuts, [&](int cut) { return cut >= 0 && cut < pool.size(); });
}

bool fits(const StoredBasis& basis, const StageLp& stage, const CutPool& pool) {
    const auto& model = stage.model;
    return basis.basis.column.size() == model.cost.size() &&
           basis.basis.row.size() == model.row_lower.size() + basis.cuts.size() &&
           are_cuts(basis.cuts, pool);
}

}  // namespace

void pack(const SimulationStart& start, ByteWriter& out) {
    out.add(static_cast<std::uint64_t>(start.bases.size()));
    for (const auto& basis : start.bases) {
        pack(basis, out);
    }
    out.add_array(start.working_set);
}

SimulationStart unpack_simulation_start(std::span<const std::byte> bytes) {
    ByteReader in(bytes);
    SimulationStart start;
    const auto count = in.read<std::uint64_t>();
    if (count > most_start_bases) {
        throw InputError("more bases than a simulation starts from");
    }
    for (std::uint64_t i = 0; i < count; ++i) {
        start.bases.push_back(unpack_basis(in));
    }
    start.working_set = in.read_array<int>();
    if (!in.at_end()) {
        throw InputError("longer than what it holds");
    }
    return start;
}

bool fits(const SimulationStart& start, const StageLp& stage, const CutPool& pool) {
    return !start.bases.empty() && are_cuts(start.working_set, pool) &&
           std::ranges::adjacent_find(start.working_set, std::ranges::greater_equal()) ==
               start.working_set.end() &&
           std::ranges::all_of(start.bases,
                               [&](const auto& basis) { return fits(basis, stage, pool); });
}

}  // namespace lockstep::sddp
