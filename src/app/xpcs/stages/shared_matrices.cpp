#include "app/xpcs/stages/shared_matrices.hpp"

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "lockstep/app/text.hpp"
#include "lockstep/base/bytes.hpp"
#include "lockstep/base/index.hpp"
#include "lockstep/comm/gather_list.hpp"
#include "lockstep/io/scratch_file.hpp"
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

/// The matrices of a measurement, read by the ranks of a node.
class Reading {
public:
    Reading(Matrices& matrices, runtime::Team& team)
        : matrices_(matrices), team_(team), node_(team.node()) {}

    [[nodiscard]] std::size_t bytes() const { return at(matrices_.angles()) * angle_bytes(); }

    /// None where ranks share no memory.
    std::optional<SharedMatrices> into_memory() {
        const auto memory = runtime::NodeMemory::create(node_, bytes());
        if (!memory) {
            return std::nullopt;
        }
        const auto facts = read([&](std::size_t begin, std::size_t end) {
            return memory->region().partition_span(begin, end);
        });
        memory->region().fence();
        return assembled(memory, memory->bytes(), facts);
    }

    SharedMatrices into_file(const std::filesystem::path& folder) {
        const auto file = shared_file(folder);
        const auto facts = read([&](std::size_t begin, std::size_t end) {
            return file->bytes().subspan(begin, end - begin);
        });
        auto shared = assembled(file, file->bytes().data(), facts);
        shared.loaded.selection.notes.push_back(
            fmt::format("the matrices, {} MB, are kept in a file in {} instead of memory",
                        digits(1e-6 * static_cast<double>(bytes()), 3),
                        folder.string()));
        return shared;
    }

private:
    [[nodiscard]] std::size_t angle_bytes() const { return at(matrices_.pairs()) * sizeof(double); }

    // Nobody finds it once the ranks of the node have it.
    std::shared_ptr<io::ScratchFile> shared_file(const std::filesystem::path& folder) {
        std::shared_ptr<io::ScratchFile> file;
        comm::agree(team_.ranks, [&] {
            if (node_->rank() == 0) {
                file = io::ScratchFile::create(folder, bytes());
            }
        });
        const std::string own = file ? file->path().string() : "";
        const auto path = comm::gather_list(*node_, std::vector<char>(own.begin(), own.end()));
        comm::agree(team_.ranks, [&] {
            if (!file) {
                file = io::ScratchFile::open(std::string(path.begin(), path.end()));
            }
        });
        file->remove_name();
        return file;
    }

    /// The facts of all angles, of which this rank reads a block.
    /// @param room  bytes [begin, end) of where the values go
    template <typename Room>
    std::vector<MatrixFacts> read(Room&& room) {
        const auto mine = runtime::block_of(matrices_.angles(), node_->rank(), node_->size());
        std::vector<MatrixFacts> own;
        comm::agree(team_.ranks, [&] {
            for (auto angle = mine.begin; angle < mine.end; ++angle) {
                const auto bytes = room(at(angle) * angle_bytes(), at(angle + 1) * angle_bytes());
                own.push_back(matrices_.read(
                    static_cast<int>(angle),
                    {reinterpret_cast<double*>(bytes.data()), at(matrices_.pairs())}));
            }
        });
        return gathered(own, matrices_.angles(), *node_);
    }

    SharedMatrices assembled(std::shared_ptr<const void> owner,
                             const std::byte* bytes_of_all,
                             const std::vector<MatrixFacts>& facts) {
        const auto* values = reinterpret_cast<const double*>(bytes_of_all);
        SharedMatrices shared;
        shared.borrowed_bytes = node_->rank() == 0 ? 0 : static_cast<std::int64_t>(bytes());
        comm::agree(team_.ranks, [&] {
            shared.loaded =
                matrices_.assemble({std::move(owner), values, bytes() / sizeof(double)}, facts);
        });
        return shared;
    }

    Matrices& matrices_;
    runtime::Team& team_;
    std::shared_ptr<comm::Communicator> node_;
};

}  // namespace

SharedMatrices load_shared(const formats::homodyne::Configuration& configuration,
                           runtime::Team& team,
                           const MatrixStorage& storage) {
    std::optional<Matrices> matrices;
    comm::agree(team.ranks, [&] { matrices.emplace(configuration); });
    Reading reading(*matrices, team);
    if (storage.takes(static_cast<std::int64_t>(reading.bytes()))) {
        return reading.into_file(storage.folder);
    }
    if (auto shared = reading.into_memory()) {
        return std::move(*shared);
    }
    SharedMatrices own;
    comm::agree(team.ranks, [&] { own.loaded = matrices->read_all(); });
    return own;
}

}  // namespace lockstep::app
