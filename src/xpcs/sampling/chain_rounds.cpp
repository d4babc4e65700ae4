#include "xpcs/sampling/chain_rounds.hpp"

#include <utility>

#include "lockstep/base/bytes.hpp"
#include "lockstep/base/index.hpp"
#include "lockstep/base/stopwatch.hpp"
#include "lockstep/comm/gather_list.hpp"

namespace lockstep::xpcs {
namespace {

constexpr std::int64_t first_iterations = 10;
constexpr std::int64_t most_iterations = 100;

std::vector<std::byte> bytes_of(const cmc::ChainTeam& chains, int chain) {
    ByteWriter writer;
    chains.chain(chain).save(writer);
    return writer.take();
}

}  // namespace

ChainRounds::ChainRounds(runtime::Team& team, cmc::ChainTeam& chains, std::function<bool()> goes_on)
    : team_(team),
      chains_(chains),
      goes_on_(std::move(goes_on)),
      pace_(first_iterations, most_iterations),
      first_leapfrogs_(leapfrogs()) {
    for (int chain = 0; chain < chains.count(); ++chain) {
        saved_.push_back(bytes_of(chains, chain));
    }
}

std::int64_t ChainRounds::leapfrogs() const {
    std::int64_t total = 0;
    for (int chain = 0; chain < chains_.count(); ++chain) {
        total += chains_.progress(chain).leapfrogs;
    }
    return total;
}

double ChainRounds::seconds_a_leapfrog() const noexcept {
    const auto done = leapfrogs() - first_leapfrogs_;
    return done == 0 ? 0 : timed_seconds_ / static_cast<double>(done);
}

std::vector<int> ChainRounds::own_chains() const {
    std::vector<int> own;
    for (int chain = team_.ranks.rank(); chain < chains_.count(); chain += team_.ranks.size()) {
        own.push_back(chain);
    }
    return own;
}

void ChainRounds::work() {
    comm::agree(team_.ranks, [&] {
        const Stopwatch watch;
        chains_.advance(team_.threads, own_chains(), static_cast<int>(pace_.size()));
        seconds_ = watch.seconds();
    });
    seconds_ = team_.ranks.allreduce(seconds_, comm::ReduceOp::max);
    exchange();
}

/// Of all ranks' chains, each with its length, by rank.
void ChainRounds::exchange() {
    ByteWriter own;
    for (const int chain : own_chains()) {
        own.add(chain);
        own.add_array(bytes_of(chains_, chain));
    }
    const auto all = comm::gather_list(team_.ranks, own.bytes());
    pending_.resize(at(chains_.count()));
    ByteReader reader(all);
    while (!reader.at_end()) {
        const auto chain = reader.read<int>();
        pending_[at(chain)] = reader.read_array<std::byte>();
    }
}

void ChainRounds::commit() {
    saved_.swap(pending_);
    for (int chain = 0; chain < chains_.count(); ++chain) {
        if (chain % team_.ranks.size() != team_.ranks.rank()) {
            ByteReader reader(saved_[at(chain)]);
            chains_.restore(chain, reader);
        }
    }
    pace_.learn(pace_.size(), seconds_);
    timed_seconds_ += seconds_;
}

void ChainRounds::drop() {
    for (int chain = 0; chain < chains_.count(); ++chain) {
        ByteReader reader(saved_[at(chain)]);
        chains_.restore(chain, reader);
    }
}

}  // namespace lockstep::xpcs
