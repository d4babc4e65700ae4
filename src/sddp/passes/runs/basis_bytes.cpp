#include "sddp/passes/runs/basis_bytes.hpp"

#include <algorithm>

#include "lockstep/comm/gather_list.hpp"

namespace lockstep::sddp {

namespace {

using Statuses = std::vector<lp::VariableStatus>;

constexpr std::size_t statuses_a_byte = 4;
constexpr unsigned bits_a_status = 2;

void pack_statuses(const Statuses& statuses, ByteWriter& out) {
    std::vector<std::uint8_t> packed((statuses.size() + statuses_a_byte - 1) / statuses_a_byte);
    for (std::size_t i = 0; i < statuses.size(); ++i) {
        const auto shift = bits_a_status * static_cast<unsigned>(i % statuses_a_byte);
        auto& byte = packed[i / statuses_a_byte];
        byte = static_cast<std::uint8_t>(byte | static_cast<unsigned>(statuses[i]) << shift);
    }
    out.add(static_cast<std::uint64_t>(statuses.size()));
    out.add_array(packed);
}

Statuses unpack_statuses(ByteReader& in) {
    const auto count = in.read<std::uint64_t>();
    const auto packed = in.read_array<std::uint8_t>();
    if (packed.size() != count / statuses_a_byte + (count % statuses_a_byte != 0 ? 1 : 0)) {
        throw InputError("a basis has not as many statuses as it says");
    }
    Statuses statuses(static_cast<std::size_t>(count));
    for (std::size_t i = 0; i < statuses.size(); ++i) {
        const auto shift = bits_a_status * static_cast<unsigned>(i % statuses_a_byte);
        statuses[i] =
            static_cast<lp::VariableStatus>(unsigned{packed[i / statuses_a_byte]} >> shift & 3U);
    }
    return statuses;
}

// The items of a rank, group after group.
template <typename F>
void for_each_of(int rank, const comm::Layout& items, std::span<StoredBasis> bases, F&& body) {
    const auto extent = static_cast<std::size_t>(items.extent());
    const auto begin = static_cast<std::size_t>(items.offset(rank));
    for (std::size_t group = 0; group < bases.size(); group += extent) {
        for (std::size_t i = 0; i < static_cast<std::size_t>(items.count(rank)); ++i) {
            body(bases[group + begin + i]);
        }
    }
}

}  // namespace

void pack(const StoredBasis& basis, ByteWriter& out) {
    pack_statuses(basis.basis.column, out);
    pack_statuses(basis.basis.row, out);
    out.add_array(basis.cuts);
}

StoredBasis unpack_basis(ByteReader& in) {
    StoredBasis basis;
    basis.basis.column = unpack_statuses(in);
    basis.basis.row = unpack_statuses(in);
    basis.cuts = in.read_array<int>();
    return basis;
}

void gather_bases(comm::Communicator& ranks,
                  const comm::Layout& items,
                  std::span<StoredBasis> bases) {
    if (ranks.size() == 1 || bases.empty()) {
        return;
    }
    ByteWriter mine;
    for_each_of(ranks.rank(), items, bases, [&](const StoredBasis& basis) { pack(basis, mine); });
    const auto all = comm::gather_list(ranks, mine.bytes());
    ByteReader in(all);
    for (int rank = 0; rank < ranks.size(); ++rank) {
        for_each_of(rank, items, bases, [&](StoredBasis& basis) { basis = unpack_basis(in); });
    }
}

}  // namespace lockstep::sddp
