#include <charconv>
#include <initializer_list>
#include <limits>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "lockstep/base/error.hpp"
#include "lockstep/comm/hub.hpp"
#include "lockstep/comm/launch.hpp"

namespace lockstep::comm {
namespace {

/// Environment variables with the messages that go with them.
class Variables {
public:
    explicit Variables(const Environment& environment) : environment_(environment) {}

    [[nodiscard]] std::optional<std::string> find(std::string_view name) const {
        auto value = environment_(name);
        if (value && value->empty()) {
            value.reset();
        }
        return value;
    }
    [[nodiscard]] bool has(std::string_view name) const { return find(name).has_value(); }
    [[nodiscard]] bool has_any(std::initializer_list<std::string_view> names) const {
        return first_of(names).has_value();
    }
    [[nodiscard]] std::optional<std::string_view> first_of(
        std::initializer_list<std::string_view> names) const {
        for (const auto name : names) {
            if (has(name)) {
                return name;
            }
        }
        return {};
    }

    [[nodiscard]] std::string text(std::string_view name, std::string_view backend) const {
        auto value = find(name);
        if (!value) {
            throw UsageError(fmt::format(
                "{} is not set; the {} backend needs it on every rank ('lockstep launch' sets it)",
                name,
                backend));
        }
        return *value;
    }
    [[nodiscard]] std::string text_or(std::string_view name, std::string fallback) const {
        auto value = find(name);
        return value ? *value : std::move(fallback);
    }
    [[nodiscard]] std::int64_t number(std::string_view name,
                                      std::string_view backend,
                                      std::int64_t lowest,
                                      std::int64_t highest) const {
        return parse(name, text(name, backend), lowest, highest);
    }
    template <typename T>
    void read(std::string_view name, T& into, std::int64_t lowest, std::int64_t highest) const {
        if (const auto value = find(name)) {
            into = static_cast<T>(parse(name, *value, lowest, highest));
        }
    }
    [[nodiscard]] bool flag(std::string_view name, bool fallback) const {
        const auto value = find(name);
        if (!value) {
            return fallback;
        }
        if (*value != "0" && *value != "1") {
            throw UsageError(fmt::format("{} is '{}', must be 0 or 1", name, *value));
        }
        return *value == "1";
    }
    template <typename T>
    void choice(std::string_view name,
                T& into,
                std::initializer_list<std::pair<std::string_view, T>> values) const {
        const auto value = find(name);
        if (!value) {
            return;
        }
        std::vector<std::string_view> allowed;
        for (const auto& [word, meaning] : values) {
            if (word == *value) {
                into = meaning;
                return;
            }
            allowed.push_back(word);
        }
        throw UsageError(
            fmt::format("{} is '{}', must be {}", name, *value, fmt::join(allowed, ", ")));
    }

private:
    static std::int64_t parse(std::string_view name,
                              const std::string& value,
                              std::int64_t lowest,
                              std::int64_t highest) {
        std::int64_t number = 0;
        const auto* end = value.data() + value.size();
        const auto [stop, error] = std::from_chars(value.data(), end, number);
        if (error != std::errc() || stop != end || number < lowest || number > highest) {
            throw UsageError(fmt::format(
                "{} is '{}', must be a number from {} to {}", name, value, lowest, highest));
        }
        return number;
    }

    const Environment& environment_;
};

constexpr std::int64_t most_ranks = 1 << 20;
constexpr std::int64_t highest_descriptor = 1 << 20;
constexpr std::int64_t longest_ms = std::numeric_limits<int>::max();

void check_rank(std::string_view name, int rank, int size) {
    if (rank >= size) {
        throw UsageError(fmt::format("{} is {}, must be 0 to {}", name, rank, size - 1));
    }
}

// How ranks that share memory exchange, over shm and within the nodes of other backends.
ShmConfig shared_memory(const Variables& variables) {
    ShmConfig config;
    variables.read("LOCKSTEP_SHM_BUFFER_BYTES", config.buffer_bytes, 4096, std::int64_t{1} << 32);
    variables.read("LOCKSTEP_SHM_SPIN", config.spin, 0, 1 << 30);
    config.single_copy = variables.flag("LOCKSTEP_SHM_SINGLE_COPY", true);
    return config;
}

ShmConfig shm_config(const Variables& variables) {
    ShmConfig config = shared_memory(variables);
    config.name = variables.text("LOCKSTEP_SHM_NAME", "shm");
    if (config.name.size() < 2 || config.name[0] != '/' ||
        config.name.find('/', 1) != std::string::npos || config.name.size() > 200) {
        throw UsageError(fmt::format(
            "LOCKSTEP_SHM_NAME is '{}', must be a '/' and then a name without '/'", config.name));
    }
    config.size = static_cast<int>(variables.number("LOCKSTEP_SHM_SIZE", "shm", 1, 4096));
    config.rank = static_cast<int>(variables.number("LOCKSTEP_SHM_RANK", "shm", 0, 4095));
    check_rank("LOCKSTEP_SHM_RANK", config.rank, config.size);
    variables.read("LOCKSTEP_SHM_TIMEOUT_MS", config.timeout_ms, 1, longest_ms);
    variables.read("LOCKSTEP_LAUNCH_REGISTRY", config.launch_registry, 0, highest_descriptor);
    variables.read("LOCKSTEP_SHM_RECOVER_TIMEOUT_MS", config.recover_timeout_ms, 1, longest_ms);
    return config;
}

NodeConfig node_config(const Variables& variables) {
    constexpr std::size_t longest_part = 200;
    NodeConfig config;
    using Gather = NodeConfig::Gather;
    variables.choice(
        "LOCKSTEP_COMM_GATHER",
        config.gather,
        {{"auto", Gather::automatic}, {"flat", Gather::flat}, {"nodes", Gather::by_nodes}});
    config.part = variables.text_or("LOCKSTEP_COMM_NODE", "");
    if (config.part.size() > longest_part) {
        throw UsageError(fmt::format("LOCKSTEP_COMM_NODE has {} characters, must be {} or fewer",
                                     config.part.size(),
                                     longest_part));
    }
    return config;
}

// "host", "host:port", "[v6]", "[v6]:port".
void split_address(std::string_view name,
                   const std::string& address,
                   std::string& host,
                   int& number) {
    const auto bad = [&] {
        return UsageError(
            fmt::format("{} is '{}', must be host, host:port, [v6] or [v6]:port", name, address));
    };
    std::string port;
    if (address.starts_with('[')) {
        const auto close = address.find(']');
        if (close == std::string::npos || close == 1) {
            throw bad();
        }
        host = address.substr(1, close - 1);
        port = address.substr(close + 1);
        if (!port.empty() && port[0] != ':') {
            throw bad();
        }
    } else {
        const auto colon = address.find(':');
        host = address.substr(0, colon);
        if (colon != std::string::npos) {
            port = address.substr(colon);
        }
    }
    if (host.empty() || port == ":") {
        throw bad();
    }
    if (!port.empty()) {
        const auto* end = port.data() + port.size();
        const auto [stop, error] = std::from_chars(port.data() + 1, end, number);
        if (error != std::errc() || stop != end || number < 1 || number > 65535) {
            throw bad();
        }
    }
}

template <typename Config>
void read_guard(const Variables& variables, Config& config) {
    config.token = variables.text_or("LOCKSTEP_TCP_TOKEN", "");
    config.token_file = variables.text_or("LOCKSTEP_TCP_TOKEN_FILE", "");
    if (!config.token.empty() && !config.token_file.empty()) {
        throw UsageError("LOCKSTEP_TCP_TOKEN and LOCKSTEP_TCP_TOKEN_FILE are both set; set one");
    }
    config.trusts_network = variables.flag("LOCKSTEP_TCP_TRUST_NETWORK", false);
}

TcpConfig tcp_config(const Variables& variables) {
    TcpConfig config;
    variables.read("LOCKSTEP_TCP_PORT", config.port, 1, 65535);
    constexpr auto coordinator = "LOCKSTEP_TCP_COORDINATOR";
    split_address(coordinator, variables.text(coordinator, "tcp"), config.coordinator, config.port);
    config.size = static_cast<int>(variables.number("LOCKSTEP_TCP_SIZE", "tcp", 1, most_ranks));
    // Indexed jobs of Kubernetes number their pods.
    const std::string_view rank_name =
        !variables.has("LOCKSTEP_TCP_RANK") && variables.has("JOB_COMPLETION_INDEX")
            ? "JOB_COMPLETION_INDEX"
            : "LOCKSTEP_TCP_RANK";
    config.rank = static_cast<int>(variables.number(rank_name, "tcp", 0, most_ranks - 1));
    check_rank(rank_name, config.rank, config.size);
    config.bind_address = variables.text_or("LOCKSTEP_TCP_BIND_ADDR", "");
    variables.read("LOCKSTEP_TCP_CONNECT_TIMEOUT_MS", config.connect_timeout_ms, 1, longest_ms);
    variables.read("LOCKSTEP_TCP_HEARTBEAT_MS", config.heartbeat_ms, 1, longest_ms);
    variables.read("LOCKSTEP_TCP_DEAD_AFTER_MS", config.dead_after_ms, 1, longest_ms);
    variables.read("LOCKSTEP_TCP_TIMEOUT_MS", config.timeout_ms, 0, longest_ms);
    variables.read("LOCKSTEP_LAUNCH_REGISTRY", config.launch_registry, 0, highest_descriptor);
    variables.read("LOCKSTEP_TCP_RECOVER_TIMEOUT_MS", config.recover_timeout_ms, 1, longest_ms);
    config.nodes = node_config(variables);
    read_guard(variables, config);
    using Algorithm = TcpConfig::Algorithm;
    variables.choice(
        "LOCKSTEP_TCP_ALGO",
        config.algorithm,
        {{"auto", Algorithm::automatic}, {"star", Algorithm::star}, {"ring", Algorithm::ring}});
    return config;
}

// What a launcher claims to have started; a wrong plug-in makes every rank a world of its own.
int claimed_size(const Variables& variables) {
    const auto name =
        variables.first_of({"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "SLURM_STEP_NUM_TASKS"});
    int size = 0;
    if (name) {
        variables.read(*name, size, 1, most_ranks);
    }
    return size;
}

MpiConfig mpi_config(const Variables& variables) {
    MpiConfig config;
    const bool by_hydra = variables.has_any({"PMI_RANK", "PMI_FD", "MPI_LOCALRANKID"}) &&
                          !variables.has_any({"OMPI_COMM_WORLD_RANK", "PMIX_RANK"});
    config.flavour = by_hydra ? "mpich" : "openmpi";
    variables.choice<std::string>(
        "LOCKSTEP_MPI_FLAVOUR", config.flavour, {{"openmpi", "openmpi"}, {"mpich", "mpich"}});
    config.plugin_directory = variables.text_or("LOCKSTEP_MPI_PLUGIN_DIR", "");
    using Persistent = MpiConfig::Persistent;
    variables.choice(
        "LOCKSTEP_MPI_PERSISTENT",
        config.persistent,
        {{"off", Persistent::off}, {"on", Persistent::on}, {"auto", Persistent::automatic}});
    config.claimed_size = claimed_size(variables);
    variables.read("LOCKSTEP_MPI_LARGEST_COUNT", config.largest_count, 1, config.largest_count);
    config.nodes = node_config(variables);
    return config;
}

bool is_mpi_launch(const Variables& variables) {
    if (variables.has_any(
            {"PMIX_RANK", "PMI_RANK", "PMI_FD", "OMPI_COMM_WORLD_RANK", "MPI_LOCALRANKID"})) {
        return true;
    }
    // A batch script has SLURM_PROCID too, but is no step.
    int tasks = 1;
    variables.read("SLURM_NTASKS", tasks, 1, most_ranks);
    return variables.has("SLURM_PROCID") && variables.has("SLURM_STEP_ID") && tasks > 1;
}

BackendKind found_out(const Variables& variables) {
    const bool shm =
        variables.has_any({"LOCKSTEP_SHM_NAME", "LOCKSTEP_SHM_RANK", "LOCKSTEP_SHM_SIZE"});
    const bool tcp =
        variables.has_any({"LOCKSTEP_TCP_COORDINATOR", "LOCKSTEP_TCP_RANK", "LOCKSTEP_TCP_SIZE"});
    if (shm && tcp) {
        throw UsageError(
            "LOCKSTEP_SHM_* and LOCKSTEP_TCP_* are both set: which backend is ambiguous; unset one "
            "group or set LOCKSTEP_COMM_BACKEND");
    }
    if (shm) {
        return BackendKind::shm;
    }
    if (tcp) {
        return BackendKind::tcp;
    }
    return is_mpi_launch(variables) ? BackendKind::mpi : BackendKind::local;
}

BackendKind named(const std::string& name) {
    constexpr std::string_view names[] = {"local", "shm", "tcp", "mpi"};
    for (int kind = 0; kind < 4; ++kind) {
        if (name == names[kind]) {
            return static_cast<BackendKind>(kind);
        }
    }
    throw UsageError(
        fmt::format("unknown communication backend '{}'; known: auto, local, shm, tcp, mpi", name));
}

}  // namespace

HubConfig hub_config(std::string_view name,
                     const std::string& address,
                     const Environment& environment) {
    const Variables variables(environment);
    HubConfig config;
    config.port = default_hub_port;
    split_address(name, address, config.host, config.port);
    variables.read("LOCKSTEP_TCP_CONNECT_TIMEOUT_MS", config.connect_timeout_ms, 1, longest_ms);
    variables.read("LOCKSTEP_TCP_DEAD_AFTER_MS", config.dead_after_ms, 1, longest_ms);
    read_guard(variables, config);
    return config;
}

CommConfig choose_backend(const Environment& environment, std::string_view asked) {
    const Variables variables(environment);
    auto name = std::string(asked);
    if (name.empty()) {
        name = variables.text_or("LOCKSTEP_COMM_BACKEND", "auto");
    }
    CommConfig config;
    config.backend = name == "auto" ? found_out(variables) : named(name);
    config.check_calls = variables.flag("LOCKSTEP_COMM_CHECK", false);
    variables.read("LOCKSTEP_EXPECT_RANKS", config.expect_ranks, 1, most_ranks);
    switch (config.backend) {
        case BackendKind::local:
            break;
        case BackendKind::shm:
            config.shm = shm_config(variables);
            break;
        case BackendKind::tcp:
            config.tcp = tcp_config(variables);
            config.shm = shared_memory(variables);
            break;
        case BackendKind::mpi:
            config.mpi = mpi_config(variables);
            config.mpi.check_calls = config.check_calls;
            break;
    }
    return config;
}

}  // namespace lockstep::comm
