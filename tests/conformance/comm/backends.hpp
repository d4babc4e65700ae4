#pragma once

#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <exception>
#include <functional>
#include <optional>
#include <ostream>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <arpa/inet.h>
#include <sys/socket.h>
#include <unistd.h>

#include "lockstep/base/error.hpp"
#include "lockstep/base/index.hpp"
#include "lockstep/comm/communicator.hpp"
#include "lockstep/comm/launch.hpp"

#include "conformance/comm/world_listener.hpp"

namespace lockstep::comm {

/// A way to run a body on some ranks. The conformance tests run on each; a new backend adds its
/// lines here.
struct Backend {
    std::string name;
    int ranks;  // of the communicator that a body sees
    /// Runs the body on every rank and rethrows what a rank threw.
    std::function<void(const std::function<void(Communicator&)>&)> run;
    bool can_break = true;  // a rank may leave or fail, and the next run is whole again
    int nodes = 0;          // of equal size, though on one host; 0: as the host is
};

inline void PrintTo(const Backend& backend, std::ostream* out) {
    *out << backend.name;
}

/// The ranks that a launcher started, this process one of them: the binary itself is launched, by
/// 'lockstep launch', mpirun or srun, with LOCKSTEP_TEST_WORLD set.
inline Communicator& world() {
    static const auto communicator = connect(choose_backend([](std::string_view name) {
        const char* value = std::getenv(std::string(name).c_str());
        return value == nullptr ? std::optional<std::string>() : std::optional<std::string>(value);
    }));
    return *communicator;
}

/// The first that is no CommError, else the first.
inline void rethrow_most_telling(const std::vector<std::exception_ptr>& errors) {
    std::exception_ptr first;
    for (const auto& error : errors) {
        try {
            if (error) {
                std::rethrow_exception(error);
            }
        } catch (const CommError&) {
            if (!first) {
                first = error;
            }
        }
    }
    if (first) {
        std::rethrow_exception(first);
    }
}

inline bool is_world() {
    return std::getenv("LOCKSTEP_TEST_WORLD") != nullptr;
}

/// Nodes that the launcher makes up.
inline int world_nodes() {
    const char* nodes = std::getenv("LOCKSTEP_TEST_NODES");
    return nodes == nullptr ? 0 : std::atoi(nodes);
}

/// Runs the body on threads, each with a communicator of its own from `configure(rank)`, and
/// rethrows the exception of the lowest rank that threw none that others caused, else the lowest
/// rank's.
inline void run_connected(int ranks,
                          const std::function<CommConfig(int)>& configure,
                          const std::function<void(Communicator&)>& body) {
    std::vector<std::exception_ptr> errors(static_cast<std::size_t>(ranks));
    {
        std::vector<std::jthread> threads;
        for (int rank = 0; rank < ranks; ++rank) {
            threads.emplace_back([&, rank] {
                try {
                    body(*connect(configure(rank)));
                } catch (...) {
                    errors[at(rank)] = std::current_exception();
                }
            });
        }
    }
    rethrow_most_telling(errors);
}

inline CommConfig shm_config(const std::string& name, int rank, int ranks) {
    CommConfig config;
    config.backend = BackendKind::shm;
    config.shm.name = name;
    config.shm.rank = rank;
    config.shm.size = ranks;
    config.shm.buffer_bytes = std::size_t{256} << 10;  // quick to make, and payloads exceed it
    config.shm.timeout_ms = 20'000;
    return config;
}

/// @param change  makes it another backend, which needs another name
inline Backend shm_backend(int ranks,
                           const std::string& name = "shm",
                           const std::function<void(ShmConfig&)>& change = {}) {
    return {name + "_" + std::to_string(ranks), ranks, [ranks, change](const auto& body) {
                static std::atomic<int> runs = 0;
                const auto segment =
                    "/lockstep-test-" + std::to_string(getpid()) + "-" + std::to_string(runs++);
                run_connected(
                    ranks,
                    [&](int rank) {
                        auto config = shm_config(segment, rank, ranks);
                        if (change) {
                            change(config.shm);
                        }
                        return config;
                    },
                    body);
            }};
}

/// A port of the loopback address on which nobody listens, below those that the system gives away.
inline int free_port() {
    static std::atomic<unsigned> next = static_cast<unsigned>(getpid()) * 37;
    for (int attempt = 0; attempt < 1000; ++attempt) {
        const auto port = static_cast<std::uint16_t>(12000 + next++ % 20000);
        const int probe = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
        sockaddr_in address{};
        address.sin_family = AF_INET;
        address.sin_port = htons(port);
        address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
        const bool is_free = bind(probe,
                                  static_cast<const sockaddr*>(static_cast<const void*>(&address)),
                                  sizeof address) == 0;
        close(probe);
        if (is_free) {
            return port;
        }
    }
    throw CommError("no free port found");
}

/// Ranks that are threads of this process and meet by TCP over the loopback address.
/// @param nodes  to which the ranks are dealt in turn, though they share memory
inline void run_over_tcp(const TcpConfig& tcp,
                         const std::function<void(Communicator&)>& body,
                         int nodes = 0) {
    CommConfig config;
    config.backend = BackendKind::tcp;
    config.tcp = tcp;
    config.tcp.coordinator = "127.0.0.1";
    config.tcp.port = free_port();
    run_connected(
        tcp.size,
        [&](int rank) {
            auto own = config;
            own.tcp.rank = rank;
            if (nodes > 0) {
                own.tcp.nodes.part = std::to_string(rank % nodes);
            }
            return own;
        },
        body);
}

inline Backend tcp_backend(int ranks,
                           const std::string& name = "tcp",
                           TcpConfig::Algorithm algorithm = TcpConfig::Algorithm::automatic) {
    return {name + "_" + std::to_string(ranks), ranks, [ranks, algorithm](const auto& body) {
                TcpConfig config;
                config.size = ranks;
                config.algorithm = algorithm;
                run_over_tcp(config, body);
            }};
}

/// Four ranks on two nodes, which gather whatever they gather by nodes.
inline Backend nodes_backend() {
    return {"tcp_4_on_2_nodes",
            4,
            [](const auto& body) {
                TcpConfig config;
                config.size = 4;
                config.nodes.gather = NodeConfig::Gather::by_nodes;
                run_over_tcp(config, body, 2);
            },
            true,
            2};
}

/// All but those whose nodes are made up.
inline std::vector<Backend> flat_backends() {
    std::vector<Backend> backends;
    if (is_world()) {
        keep_in_step(world());
        backends.push_back({"world",
                            world().size(),
                            [](const auto& body) { body(world()); },
                            false,
                            world_nodes()});
        return backends;
    }
    backends.push_back({"local", 1, [](const auto& body) { body(*make_local()); }});
    for (int ranks = 1; ranks <= 4; ++ranks) {
        backends.push_back({"in_process_" + std::to_string(ranks),
                            ranks,
                            [ranks](const auto& body) { run_in_process(ranks, body); }});
    }
    for (int ranks = 1; ranks <= 4 && is_built(BackendKind::shm); ++ranks) {
        backends.push_back(shm_backend(ranks));
    }
    for (int ranks = 1; ranks <= 4 && is_built(BackendKind::tcp); ++ranks) {
        backends.push_back(tcp_backend(ranks));
    }
    return backends;
}

inline std::vector<Backend> all_backends() {
    auto backends = flat_backends();
    if (!is_world() && is_built(BackendKind::shm) && is_built(BackendKind::tcp)) {
        backends.push_back(nodes_backend());
    }
    return backends;
}

}  // namespace lockstep::comm
