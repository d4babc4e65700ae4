#include <memory>
#include <utility>
#include <vector>

#include "lockstep/base/index.hpp"

#include "comm/backends.hpp"
#include "comm/tcp/communicator.hpp"
#include "comm/tcp/rendezvous.hpp"

namespace lockstep::comm {
namespace tcp {
namespace {

constexpr const char* names_of_node_memory = "/lockstep-tcp";

Options options_of(const TcpConfig& config, const ShmConfig& node) {
    Options options{config.timeout_ms,
                    config.recover_timeout_ms,
                    config.algorithm != TcpConfig::Algorithm::star,
                    config.nodes.gather,
                    node};
    options.node_memory.name = names_of_node_memory;
    return options;
}

// A rank that ends while others still connect may have said why.
std::shared_ptr<Connections> connect_first(FailureDetector& detector,
                                           const Membership& membership,
                                           const Options& options,
                                           Deadline deadline) {
    try {
        return connect_members(detector, membership, options, deadline);
    } catch (const LinkLost& loss) {
        std::vector<int> ids;
        for (const Member& member : membership.members) {
            ids.push_back(member.id);
        }
        throw RankLost(detector.cause_of_loss(membership.fingerprint(), ids[at(loss.rank())], ids));
    }
}

}  // namespace
}  // namespace tcp

std::unique_ptr<Communicator> make_tcp(const TcpConfig& config, const ShmConfig& node) {
    const auto options = tcp::options_of(config, node);
    auto [detector, membership] = tcp::meet(config);
    const auto deadline = tcp::after_ms(config.connect_timeout_ms);
    auto connections = tcp::connect_first(*detector, membership, options, deadline);
    auto run = std::make_unique<tcp::TcpCommunicator>(
        std::move(detector), std::move(connections), options, std::move(membership));
    run->open_nodes(deadline);
    return run;
}

}  // namespace lockstep::comm
