#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "lockstep/base/index.hpp"
#include "lockstep/comm/communicator.hpp"
#include "lockstep/comm/launch.hpp"

#include "comm/node_gather.hpp"
#include "comm/tcp/connections.hpp"
#include "comm/tcp/exchange.hpp"
#include "comm/tcp/failure_detector.hpp"
#include "comm/tcp/membership.hpp"

namespace lockstep::comm::tcp {

struct Options {
    int timeout_ms;
    int recover_timeout_ms;
    bool may_go_around;
    NodeConfig::Gather gather;
    ShmConfig node_memory;  ///< between the ranks of a node
};

/// The run, which survives losses, or a part of it, which does not.
class TcpCommunicator final : public Communicator {
public:
    /// @param run  whose whole it is; empty: it is a part
    TcpCommunicator(std::shared_ptr<FailureDetector> detector,
                    std::shared_ptr<Connections> connections,
                    Options options,
                    Membership run = {});
    /// Makes ready to gather by nodes, where that pays and memory can be shared. Collective, before
    /// any other call.
    /// @throws PeerFailed  a rank is lost; CommError  too late
    void open_nodes(Deadline deadline);

    [[nodiscard]] int rank() const noexcept override { return connections_->rank(); }
    [[nodiscard]] int size() const noexcept override { return connections_->size(); }
    [[nodiscard]] std::string_view backend() const noexcept override { return "tcp"; }
    [[noreturn]] void abort(int code) override;
    [[nodiscard]] std::string host(int rank) const override {
        return connections_->place().members[at(rank)].host;
    }
    [[nodiscard]] bool can_recover() const noexcept override { return membership_.epoch > 0; }

protected:
    void do_allgatherv(const CallStamp& stamp,
                       std::span<const std::byte> send,
                       std::span<std::byte> receive,
                       const Layout& layout) override;
    void do_broadcast(const CallStamp& stamp, std::span<std::byte> buffer, int root) override;
    void do_barrier(const CallStamp& stamp) override;
    std::unique_ptr<Communicator> do_split_local() override;
    std::unique_ptr<Mailbox> do_open_mailbox(std::size_t bytes) override;
    std::vector<int> do_recover() override;

private:
    /// Which making of something shared the ranks are in.
    enum class Making : std::uint64_t { node = 1, mailbox };
    /// Ends what was made from a communicator and from those that were made from it.
    using Made = std::vector<std::function<void()>>;
    using Places = std::vector<std::span<std::byte>>;

    void exchange(const CallStamp& stamp, Places places);
    template <typename F>
    void measure_wait(const CallStamp& stamp, F&& transfer);
    template <typename F>
    auto make(Making making, F&& create);
    template <typename F>
    auto guard(const CallStamp& stamp, F&& transfer);
    [[noreturn]] void lose_rank(const CallStamp& stamp, int rank);
    [[noreturn]] void lose(const CallStamp& stamp, const Cause& cause);
    void revoke_made() noexcept;

    [[nodiscard]] NodeMap map_members() const;
    std::unique_ptr<Communicator> share_node();
    std::unique_ptr<Communicator> split_by_wires();
    std::unique_ptr<Communicator> open_leaders(const NodeMap& nodes, Deadline deadline);
    std::unique_ptr<TcpCommunicator> make_part(const Connections::Place& place, Deadline deadline);
    std::shared_ptr<Connections> connect_part(const Connections::Place& place, Deadline deadline);
    void remember(const std::weak_ptr<Revocable>& made);
    [[nodiscard]] bool has_met_survivors(Deadline deadline);

    std::shared_ptr<FailureDetector> detector_;
    Options options_;
    Membership membership_;  // of the whole run; epoch 0: a part of it
    std::shared_ptr<Connections> connections_;
    std::shared_ptr<Made> made_ = std::make_shared<Made>();
    std::uint64_t makings_ = 0;
    std::unique_ptr<NodeGather> by_nodes_;
};

/// Connects the members. Collective.
/// @throws as Connections
std::shared_ptr<Connections> connect_members(FailureDetector& detector,
                                             const Membership& membership,
                                             const Options& options,
                                             Deadline deadline);

}  // namespace lockstep::comm::tcp
