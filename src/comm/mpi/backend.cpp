#include <cstdint>
#include <cstdlib>
#include <exception>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "lockstep/base/error.hpp"

#include "comm/agreed_outcome.hpp"
#include "comm/backends.hpp"
#include "comm/mpi/gather.hpp"
#include "comm/mpi/link.hpp"
#include "comm/mpi/mailbox.hpp"
#include "comm/mpi/memory.hpp"
#include "comm/mpi/waiting.hpp"
#include "comm/node_gather.hpp"

namespace lockstep::comm {
namespace {

class MpiCommunicator final : public Communicator {
public:
    MpiCommunicator(std::shared_ptr<MpiLink> link, MpiConfig config, bool is_root)
        : config_(std::move(config)),
          is_root_(is_root),
          link_(std::move(link)),
          gather_(make_gather()),
          waiting_(link_->rank(), link_->size()) {}
    ~MpiCommunicator() override;
    /// Makes ready to gather by nodes, where that pays and memory can be shared. Collective.
    void open_nodes();

    [[nodiscard]] int rank() const noexcept override { return link_->rank(); }
    [[nodiscard]] int size() const noexcept override { return link_->size(); }
    [[nodiscard]] std::string_view backend() const noexcept override { return "mpi"; }
    [[noreturn]] void abort(int code) override {
        link_->table().abort(code);
        std::_Exit(code);
    }
    [[nodiscard]] std::string library() const override {
        char text[mpi_text_bytes] = {};
        if (link_->table().library(text) != 0) {
            return {};
        }
        const std::string_view all = text;
        return std::string(all.substr(0, all.find_first_of(",\n")));
    }
    [[nodiscard]] std::string host(int rank) const override { return link_->host(rank); }
    [[nodiscard]] bool can_recover() const noexcept override {
        return link_->table().can_recover();
    }

protected:
    void do_allgatherv(const CallStamp& stamp,
                       std::span<const std::byte> send,
                       std::span<std::byte> receive,
                       const Layout& layout) override {
        compare(stamp);
        if (by_nodes_ && layout.total() * stamp.width >= by_nodes_from(config_.nodes.gather)) {
            gather_by_nodes(stamp, send, receive, layout);
        } else {
            gather_->run(stamp, send, receive, layout);
        }
    }
    void do_broadcast(const CallStamp& stamp, std::span<std::byte> buffer, int root) override {
        compare(stamp);
        gather_->broadcast(buffer, root);
    }
    void do_barrier(const CallStamp& stamp) override {
        compare(stamp);
        link_->settle(link_->table().barrier(link_->comm()), "barrier");
    }
    std::unique_ptr<Communicator> do_split_local() override {
        return std::make_unique<MpiCommunicator>(
            link_->split_node(config_.nodes.part), config_, false);
    }
    std::unique_ptr<SharedMemory> do_allocate(std::size_t bytes) override {
        return bytes > 0 && is_on_one_node() ? share_memory(link_, *this, bytes)
                                             : Communicator::do_allocate(bytes);
    }
    std::unique_ptr<Mailbox> do_open_mailbox(std::size_t bytes) override {
        return open_mpi_mailbox(link_->duplicate(), *this, bytes);
    }
    std::vector<int> do_recover() override;
    void do_time(const CallStamp& stamp, double seconds) noexcept override {
        add_wait(waiting_.add(stamp, seconds));
    }

private:
    [[nodiscard]] std::unique_ptr<MpiGather> make_gather() const {
        return std::make_unique<MpiGather>(*link_, config_);
    }
    void compare(const CallStamp& stamp);
    void gather_by_nodes(const CallStamp& stamp,
                         std::span<const std::byte> send,
                         std::span<std::byte> receive,
                         const Layout& layout);
    [[nodiscard]] bool is_on_one_node();

    MpiConfig config_;
    bool is_root_;  // has all ranks, so its end is that of MPI
    std::shared_ptr<MpiLink> link_;
    std::unique_ptr<MpiGather> gather_;
    MpiWaiting waiting_;
    std::vector<CallStamp> stamps_;
    std::optional<bool> is_on_one_node_;
    std::unique_ptr<NodeGather> by_nodes_;
};

// Ranks in different calls would wait for each other forever, or take each other's bytes.
void MpiCommunicator::compare(const CallStamp& stamp) {
    if (!config_.check_calls) {
        return;
    }
    stamps_.resize(static_cast<std::size_t>(size()));
    link_->settle(
        link_->table().allgather(link_->comm(), &stamp, stamps_.data(), sizeof(CallStamp)),
        "comparison of calls");
    check_stamps(stamps_);
}

bool MpiCommunicator::is_on_one_node() {
    if (!is_on_one_node_) {
        is_on_one_node_ = link_->split_node(config_.nodes.part)->size() == size();
    }
    return *is_on_one_node_;
}

void MpiCommunicator::gather_by_nodes(const CallStamp& stamp,
                                      std::span<const std::byte> send,
                                      std::span<std::byte> receive,
                                      const Layout& layout) {
    try {
        by_nodes_->run(send, receive, layout, stamp.width);
    } catch (const CommError& error) {
        link_->pass_on("allgatherv", error.what());
    }
}

// Collectives of this communicator begin once it is whole, so those that it takes until then are
// those of another one with the same link.
void MpiCommunicator::open_nodes() {
    if (config_.nodes.gather == NodeConfig::Gather::flat) {
        return;
    }
    auto node = link_->split_node(config_.nodes.part);
    const auto first = node->gather(static_cast<std::uint64_t>(rank())).front();
    std::vector<std::string> names;
    for (const auto leader : link_->gather(first)) {
        names.push_back(std::to_string(leader));
    }
    const NodeMap nodes = map_nodes(names, rank());
    if (!gathers_by_nodes(config_.nodes.gather, nodes)) {
        return;
    }
    const auto part_of = [&](std::unique_ptr<MpiLink> link) {
        return link ? std::make_unique<MpiCommunicator>(std::move(link), config_, false) : nullptr;
    };
    auto leaders = part_of(link_->split(node->rank() == 0 ? 0 : -1));
    MpiCommunicator all(link_, config_, false);
    try {
        agree_on_outcome(all, [&] {
            by_nodes_ =
                std::make_unique<NodeGather>(nodes, part_of(std::move(node)), std::move(leaders));
        });
    } catch (const IoError&) {
        by_nodes_.reset();
    }
}

std::vector<int> MpiCommunicator::do_recover() {
    std::vector<int> lost;
    std::unique_ptr<MpiLink> survivors = link_->shrink(lost);
    link_->doubt();
    by_nodes_.reset();
    gather_.reset();
    is_on_one_node_.reset();
    link_ = std::move(survivors);
    gather_ = make_gather();
    waiting_ = MpiWaiting(rank(), size());
    try {
        open_nodes();
    } catch (const PeerFailed&) {
        by_nodes_.reset();  // the next collective tells of it
    }
    return lost;
}

// After an error nobody knows where the others are. If they all come here, MPI is ended in good
// order; if not, the launcher finds a process that left without, and ends the job. After a loss
// MPI is not ended at all, so that nobody may leave before the others are through.
MpiCommunicator::~MpiCommunicator() {
    const bool is_in_doubt = is_broken() || std::uncaught_exceptions() > 0;
    if (is_in_doubt) {
        link_->doubt();
    }
    if (is_in_doubt && is_root_) {
        for (MpiLink* link : link_->session()->links()) {
            link->doubt();
        }
    }
    if (is_root_ && (is_in_doubt || link_->session()->era() > 0) && !link_->meet()) {
        link_->session()->abandon();
    }
}

}  // namespace

std::unique_ptr<Communicator> make_mpi(const MpiConfig& config) {
    auto session = MpiSession::open(load_mpi(config.flavour, config.plugin_directory));
    MpiComm* world = nullptr;
    if (const int code = session->table().duplicate_world(&world); code != 0) {
        throw CommError("MPI gives no communicator: " + session->describe(code));
    }
    auto link = std::make_unique<MpiLink>(std::move(session), world);
    auto run = std::make_unique<MpiCommunicator>(std::move(link), config, true);
    run->open_nodes();
    return run;
}

}  // namespace lockstep::comm
