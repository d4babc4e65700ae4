#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "comm/mpi/library.hpp"

namespace lockstep::comm {

/// A communicator of MPI with its members. Ended collectively, unless a rank is in doubt whether
/// the others will come too.
class MpiLink {
public:
    /// Takes `comm` over. Collective.
    MpiLink(std::shared_ptr<MpiSession> session, MpiComm* comm);
    /// As above, where the hosts are known.
    MpiLink(std::shared_ptr<MpiSession> session, MpiComm* comm, std::vector<std::string> hosts);
    ~MpiLink();
    MpiLink(const MpiLink&) = delete;
    MpiLink& operator=(const MpiLink&) = delete;

    [[nodiscard]] int rank() const noexcept { return rank_; }
    [[nodiscard]] int size() const noexcept { return size_; }
    [[nodiscard]] MpiComm* comm() const noexcept { return comm_; }
    [[nodiscard]] const MpiTable& table() const noexcept { return table_; }
    [[nodiscard]] const std::shared_ptr<MpiSession>& session() const noexcept { return session_; }
    [[nodiscard]] const std::string& host(int rank) const { return hosts_.at(index(rank)); }

    /// A communicator of the ranks of this node that name the same part of it.
    [[nodiscard]] std::unique_ptr<MpiLink> split_node(const std::string& part) const;
    /// One of the ranks of each colour; null for those whose colour is negative.
    [[nodiscard]] std::unique_ptr<MpiLink> split(int colour) const;
    /// One number of each rank, on every rank.
    [[nodiscard]] std::vector<std::uint64_t> gather(std::uint64_t own) const;
    /// One of the same ranks.
    [[nodiscard]] std::unique_ptr<MpiLink> duplicate() const;
    /// One of the survivors; `lost` gets the others' ranks here, ascending.
    [[nodiscard]] std::unique_ptr<MpiLink> shrink(std::vector<int>& lost);

    /// For calls of this rank alone.
    /// @throws PeerFailed  a rank is gone; CommError  anything else
    void check(int code, std::string_view call) const {
        if (code != 0) {
            fail(code, call);
        }
    }
    /// For collectives. Where ranks may be lost the survivors agree on how it ended, since MPI's
    /// collectives then fail on some ranks and not on others, and have been seen to succeed without
    /// data.
    /// @throws as check, on all ranks or on none
    void settle(int code, std::string_view call) const {
        if (can_recover_) {
            agree(code, call);
        } else {
            check(code, call);
        }
    }

    /// Tells of a loss that a part of this communicator has found.
    /// @throws PeerFailed  as numbered here, where ranks may be lost; CommError  with `message`
    [[noreturn]] void pass_on(std::string_view call, const std::string& message) const;

    /// No rank was lost since it was made.
    [[nodiscard]] bool is_whole() const noexcept { return era_ == session_->era(); }
    /// It will not be ended collectively.
    void doubt() noexcept { is_in_doubt_ = true; }
    [[nodiscard]] bool is_in_doubt() const noexcept { return is_in_doubt_; }
    /// Waits a while for all ranks.
    /// @returns whether they came
    [[nodiscard]] bool meet() const;

private:
    [[noreturn]] void fail(int code, std::string_view call) const;
    [[noreturn]] void fail_for_lost(std::string_view call, const std::string& otherwise) const;
    void agree(int code, std::string_view call) const;
    void refuse_everywhere();
    void revoke_era() const noexcept;
    [[nodiscard]] int wait_for_lost() const;
    [[nodiscard]] static std::size_t index(int rank) { return static_cast<std::size_t>(rank); }

    std::shared_ptr<MpiSession> session_;
    const MpiTable& table_;
    bool can_recover_;
    MpiComm* comm_;
    int rank_ = 0;
    int size_ = 1;
    std::vector<std::string> hosts_;
    int era_;
    bool is_in_doubt_ = false;
    mutable bool is_settled_lost_ = false;  // all survivors know that it is broken
};

}  // namespace lockstep::comm
