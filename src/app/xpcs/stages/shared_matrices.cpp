#include "app/xpcs/stages/shared_matrices.hpp"

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "lockstep/base/bytes.hpp"
#include "lockstep/base/index.hpp"
#include "lockstep/comm/gather_list.hpp"
#include "lockstep/runtime/node_memory.hpp"
#include "lockstep/runtime/work_partition.hpp"

namespace lockstep::app {
namespace {

using formats::homodyne::Matrices;
using formats::homodyne::MatrixFacts;

void pack(const MatrixFacts& facts, ByteWriter& out) {
    out.add_array(std::span<const char>(facts.shape));
    out.add_array(facts.diagonal);
    out.add_array(facts.dropped);
    out.add_array(facts.pairs);
    out.add(facts.masked);
    out.add(facts.infinite);
    out.add(facts.sum);
}

MatrixFacts unpack(ByteReader& in) {
    MatrixFacts facts;
    const auto shape = in.read_array<char>();
    facts.shape.assign(shape.begin(), shape.end());
    facts.diagonal = in.read_array<double>();
    facts.dropped = in.read_array<double>();
    facts.pairs = in.read_array<std::int64_t>();
    facts.masked = in.read<std::int64_t>();
    facts.infinite = in.read<std::int64_t>();
    facts.sum = in.read<double>();
    return facts;
}

/// Of all angles, in their order, of which each rank of the node has a block.
std::vector<MatrixFacts> gathered(const std::vector<MatrixFacts>& own,
                                  int angles,
                                  comm::Communicator& node) {
    ByteWriter out;
    for (const auto& facts : own) {
        pack(facts, out);
    }
    const auto all = comm::gather_list(node, out.bytes());
    ByteReader in(all);
    std::vector<MatrixFacts> facts;
    for (int angle = 0; angle < angles; ++angle) {
        facts.push_back(unpack(in));
    }
    return facts;
}

}  // namespace

SharedMatrices load_shared(const formats::homodyne::Configuration& configuration,
                           runtime::Team& team) {
    std::optional<Matrices> matrices;
    comm::agree(team.ranks, [&] { matrices.emplace(configuration); });
    const auto node = team.node();
    const auto width = at(matrices->pairs()) * sizeof(double);
    const auto count = at(matrices->angles()) * at(matrices->pairs());
    const auto memory = runtime::NodeMemory::create(node, count * sizeof(double));
    if (!memory) {
        SharedMatrices own;
        comm::agree(team.ranks, [&] { own.loaded = formats::homodyne::load(configuration); });
        return own;
    }
    const auto mine = runtime::block_of(matrices->angles(), node->rank(), node->size());
    std::vector<MatrixFacts> facts;
    comm::agree(team.ranks, [&] {
        for (auto angle = mine.begin; angle < mine.end; ++angle) {
            const auto bytes =
                memory->region().partition_span(at(angle) * width, at(angle + 1) * width);
            facts.push_back(
                matrices->read(static_cast<int>(angle),
                               {reinterpret_cast<double*>(bytes.data()), at(matrices->pairs())}));
        }
    });
    memory->region().fence();
    facts = gathered(facts, matrices->angles(), *node);
    const auto* values = reinterpret_cast<const double*>(memory->bytes());
    SharedMatrices shared;
    shared.borrowed_bytes = memory->borrowed_bytes();
    comm::agree(team.ranks, [&] {
        shared.loaded = matrices->assemble({memory, values, count}, facts);
    });
    return shared;
}

}  // namespace lockstep::app
