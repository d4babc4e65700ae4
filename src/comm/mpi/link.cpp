#include "comm/mpi/link.hpp"

#include <algorithm>
#include <chrono>
#include <thread>
#include <utility>

#include <fmt/format.h>

#include "lockstep/base/digest.hpp"
#include "lockstep/base/error.hpp"
#include "lockstep/comm/communicator.hpp"

#include "comm/backends.hpp"

namespace lockstep::comm {
namespace {

using namespace std::chrono_literals;

constexpr auto patience = 2s;            // with ranks that may be gone
constexpr auto patience_for_news = 10s;  // from a launcher that knows who is

// Asks every millisecond, until it is so or patience ends.
template <typename F>
bool comes_true(std::chrono::seconds patience_left, F&& is_so) {
    const auto end = std::chrono::steady_clock::now() + patience_left;
    while (!is_so()) {
        if (std::chrono::steady_clock::now() > end) {
            return false;
        }
        std::this_thread::sleep_for(1ms);
    }
    return true;
}

}  // namespace

MpiLink::MpiLink(std::shared_ptr<MpiSession> session, MpiComm* comm)
    : MpiLink(std::move(session), comm, {}) {
    char own[mpi_name_bytes] = {};
    std::vector<char> all(index(size_) * mpi_name_bytes);
    check(table().processor_name(own), "processor_name");
    settle(table().allgather(comm_, own, all.data(), mpi_name_bytes), "exchange of host names");
    for (int rank = 0; rank < size_; ++rank) {
        hosts_.emplace_back(all.data() + index(rank) * mpi_name_bytes);
    }
}

MpiLink::MpiLink(std::shared_ptr<MpiSession> session, MpiComm* comm, std::vector<std::string> hosts)
    : session_(std::move(session)),
      table_(session_->table()),
      can_recover_(table_.can_recover()),
      comm_(comm),
      hosts_(std::move(hosts)),
      era_(session_->era()) {
    table().shape(comm_, &rank_, &size_);
    session_->add(this);
}

MpiLink::~MpiLink() {
    session_->remove(this);
    if (!is_in_doubt_ && is_whole()) {
        table().free(comm_);
    }
}

std::unique_ptr<MpiLink> MpiLink::split_node(const std::string& part) const {
    MpiComm* made = nullptr;
    settle(table().split_node(comm_, &made), "split_local");
    auto node = std::make_unique<MpiLink>(session_, made);
    DigestBuilder name;
    name.add(part);
    const auto own = name.digest()[0];
    const auto parts = node->gather(own);
    const auto first = std::ranges::find(parts, own);
    const bool is_whole = std::ranges::count(parts, own) == node->size();
    if (is_whole) {
        return node;
    }
    // NOLINTNEXTLINE(clang-analyzer-cplusplus.NewDeleteLeaks): the caller owns it
    return node->split(static_cast<int>(first - parts.begin()));
}

std::unique_ptr<MpiLink> MpiLink::split(int colour) const {
    MpiComm* made = nullptr;
    settle(table().split(comm_, colour, &made), "split");
    return made == nullptr ? nullptr : std::make_unique<MpiLink>(session_, made);
}

std::vector<std::uint64_t> MpiLink::gather(std::uint64_t own) const {
    std::vector<std::uint64_t> all(index(size_));
    settle(table().allgather(comm_, &own, all.data(), sizeof own), "exchange of numbers");
    return all;
}

std::unique_ptr<MpiLink> MpiLink::duplicate() const {
    MpiComm* made = nullptr;
    settle(table().duplicate(comm_, &made), "duplicate");
    return std::make_unique<MpiLink>(session_, made, hosts_);
}

std::unique_ptr<MpiLink> MpiLink::shrink(std::vector<int>& lost) {
    revoke_era();
    refuse_everywhere();
    MpiComm* made = nullptr;
    std::vector<int> survivors(index(size_), -1);
    if (const int code = table().shrink(comm_, &made, survivors.data()); code != 0) {
        throw CommError(
            fmt::format("recover: the survivors do not meet: {}", session_->describe(code)));
    }
    std::vector<std::string> hosts;
    std::size_t next = 0;
    for (int rank = 0; rank < size_; ++rank) {
        if (next < survivors.size() && survivors[next] == rank) {
            hosts.push_back(host(rank));
            ++next;
        } else {
            lost.push_back(rank);
        }
    }
    return std::make_unique<MpiLink>(session_, made, std::move(hosts));
}

bool MpiLink::meet() const {
    MpiRequest* barrier = nullptr;
    if (table().begin_barrier(comm_, &barrier) != 0) {
        return false;
    }
    bool is_done = false;
    const bool have_come =
        comes_true(patience, [&] { return table().test(barrier, &is_done) != 0 || is_done; });
    if (is_done) {
        table().free_request(barrier);  // else it is left alone, since it is under way
    }
    return have_come && is_done;
}

void MpiLink::fail(int code, std::string_view call) const {
    const auto message = fmt::format(
        "{} failed on rank {} ({}): {}", call, rank_, own_host(), session_->describe(code));
    if (!can_recover_ || table().classify_error(code) == MpiFailure::other) {
        throw CommError(message);
    }
    fail_for_lost(call, message);
}

void MpiLink::pass_on(std::string_view call, const std::string& message) const {
    if (!can_recover_) {
        throw CommError(message);
    }
    fail_for_lost(call, message);
}

void MpiLink::fail_for_lost(std::string_view call, const std::string& otherwise) const {
    revoke_era();
    const int lost = wait_for_lost();
    if (lost < 0) {
        throw CommError(otherwise);
    }
    throw PeerFailed(
        fmt::format("rank {} ({}) is gone while rank {} was in {}", lost, host(lost), rank_, call),
        lost);
}

void MpiLink::agree(int code, std::string_view call) const {
    if (code != 0) {
        table().revoke(comm_);
    }
    bool is_well = code == 0;
    const int agreed = table().agree(comm_, &is_well);
    is_settled_lost_ = agreed != 0 || !is_well;
    check(agreed, call);
    check(code, call);
    if (!is_well) {
        fail_for_lost(call, fmt::format("{} failed on another rank", call));
    }
}

// Whatever the survivors wait for in communicators of this era ends.
void MpiLink::revoke_era() const noexcept {
    if (!is_whole()) {
        return;
    }
    for (const MpiLink* link : session_->links()) {
        if (link->is_whole()) {
            table().revoke(link->comm_);
        }
    }
    session_->begin_era();
}

// This rank may know of the loss from elsewhere, while others wait for its word in a collective.
void MpiLink::refuse_everywhere() {
    MpiRequest* own = nullptr;
    for (MpiLink* link : session_->links()) {
        if (link->era_ == era_ && !link->is_settled_lost_) {
            MpiRequest* refusal = nullptr;
            link->is_settled_lost_ = table().begin_refusal(link->comm_, &refusal) == 0;
            if (link == this) {
                own = refusal;
            }
        }
    }
    bool is_done = own == nullptr;
    while (!is_done) {
        if (table().test(own, &is_done) != 0) {
            break;  // the answer that a rank is lost
        }
    }
}

// A rank that was told by the others may hear a little later which one is lost. It may be none of
// these ranks, but of a communicator that this one is a part of.
int MpiLink::wait_for_lost() const {
    int lost = -1;
    const auto is_known = [&](const MpiLink* link) {
        return link->era_ == era_ && (table().first_lost(link->comm_, &lost) != 0 || lost >= 0);
    };
    static_cast<void>(comes_true(patience_for_news, [&] {
        return is_known(this) || std::ranges::any_of(session_->links(), is_known);
    }));
    table().first_lost(comm_, &lost);
    return lost;
}

}  // namespace lockstep::comm
