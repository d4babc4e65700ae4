#include <map>
#include <optional>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lockstep/base/error.hpp"
#include "lockstep/comm/launch.hpp"

namespace lockstep::comm {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;
using Variables = std::map<std::string, std::string, std::less<>>;

CommConfig choose(const Variables& variables, std::string_view asked = "") {
    return choose_backend(
        [&](std::string_view name) -> std::optional<std::string> {
            const auto found = variables.find(name);
            return found == variables.end() ? std::nullopt : std::optional(found->second);
        },
        asked);
}

std::string usage_error(const Variables& variables, std::string_view asked = "") {
    try {
        choose(variables, asked);
    } catch (const UsageError& error) {
        return error.what();
    }
    return "";
}

Variables with(Variables variables, const Variables& others) {
    for (const auto& [name, value] : others) {
        variables[name] = value;
    }
    return variables;
}

const Variables shm{
    {"LOCKSTEP_SHM_NAME", "/run7"}, {"LOCKSTEP_SHM_RANK", "1"}, {"LOCKSTEP_SHM_SIZE", "2"}};
const Variables tcp{
    {"LOCKSTEP_TCP_COORDINATOR", "node0"}, {"LOCKSTEP_TCP_RANK", "1"}, {"LOCKSTEP_TCP_SIZE", "2"}};
const Variables batch_script{{"SLURM_PROCID", "0"}, {"SLURM_NTASKS", "4"}, {"SLURM_JOB_ID", "9"}};

// What launchers set, and what that stands for.
struct Launch {
    std::string name;
    Variables variables;
    BackendKind backend;
    std::string flavour;  // of mpi
    int claimed_size;
};

void PrintTo(const Launch& launch, std::ostream* out) {
    *out << launch.name;
}

class LaunchTest : public testing::TestWithParam<Launch> {};

TEST_P(LaunchTest, IsRecognised) {
    const auto config = choose(GetParam().variables);

    EXPECT_EQ(config.backend, GetParam().backend);
    EXPECT_EQ(config.mpi.flavour, GetParam().flavour);
    EXPECT_EQ(config.mpi.claimed_size, GetParam().claimed_size);
}

INSTANTIATE_TEST_SUITE_P(
    LaunchEnvironment,
    LaunchTest,
    testing::Values(
        Launch{"Nothing", {}, BackendKind::local, "", 0},
        Launch{"OpenMpi",
               {{"OMPI_COMM_WORLD_RANK", "0"},
                {"OMPI_COMM_WORLD_SIZE", "3"},
                {"PMIX_RANK", "0"},
                {"PMIX_NAMESPACE", "prte-1"}},
               BackendKind::mpi,
               "openmpi",
               3},
        Launch{"Hydra",
               {{"PMI_RANK", "1"}, {"PMI_SIZE", "2"}, {"PMI_FD", "6"}, {"MPI_LOCALRANKID", "1"}},
               BackendKind::mpi,
               "mpich",
               2},
        Launch{"HydraWithoutRank", {{"PMI_FD", "6"}}, BackendKind::mpi, "mpich", 0},
        Launch{"LocalRankAlone", {{"MPI_LOCALRANKID", "1"}}, BackendKind::mpi, "mpich", 0},
        Launch{"SlurmWithPmix",
               {{"PMIX_RANK", "3"},
                {"SLURM_PROCID", "3"},
                {"SLURM_STEP_ID", "0"},
                {"SLURM_NTASKS", "4"},
                {"SLURM_STEP_NUM_TASKS", "4"}},
               BackendKind::mpi,
               "openmpi",
               4},
        Launch{"SlurmWithPmi2",
               {{"PMI_RANK", "3"},
                {"PMI_SIZE", "4"},
                {"PMI_FD", "9"},
                {"SLURM_PROCID", "3"},
                {"SLURM_STEP_ID", "0"},
                {"SLURM_NTASKS", "4"},
                {"SLURM_STEP_NUM_TASKS", "4"}},
               BackendKind::mpi,
               "mpich",
               4},
        Launch{"SlurmStepOfSeveralTasks",
               {{"SLURM_PROCID", "0"},
                {"SLURM_STEP_ID", "0"},
                {"SLURM_NTASKS", "4"},
                {"SLURM_STEP_NUM_TASKS", "4"}},
               BackendKind::mpi,
               "openmpi",
               4},
        Launch{"SlurmStepOfOneTask",
               {{"SLURM_PROCID", "0"}, {"SLURM_STEP_ID", "0"}, {"SLURM_NTASKS", "1"}},
               BackendKind::local,
               "",
               0},
        Launch{"SlurmBatchScript", batch_script, BackendKind::local, "", 0},
        Launch{"OwnShm", shm, BackendKind::shm, "", 0},
        Launch{"OwnTcp", tcp, BackendKind::tcp, "", 0},
        Launch{"OwnTcpInsideSlurm",
               with(tcp, with(batch_script, {{"SLURM_STEP_ID", "0"}})),
               BackendKind::tcp,
               "",
               0},
        Launch{"OwnShmBesideOpenMpi",
               with(shm, {{"OMPI_COMM_WORLD_RANK", "0"}}),
               BackendKind::shm,
               "",
               0},
        Launch{"EmptyVariablesAreUnset",
               {{"OMPI_COMM_WORLD_RANK", ""}, {"LOCKSTEP_SHM_NAME", ""}},
               BackendKind::local,
               "",
               0}),
    [](const auto& launch) { return launch.param.name; });

TEST(LaunchEnvironmentTest, FollowsTheNameThatIsAskedFor) {
    const Variables open_mpi{{"OMPI_COMM_WORLD_RANK", "0"}};
    EXPECT_EQ(choose(open_mpi, "local").backend, BackendKind::local);
    EXPECT_EQ(choose(open_mpi, "auto").backend, BackendKind::mpi);
    EXPECT_EQ(choose({}, "mpi").backend, BackendKind::mpi);
    EXPECT_EQ(choose(with(shm, tcp), "tcp").backend, BackendKind::tcp);
    EXPECT_EQ(choose(with(open_mpi, {{"LOCKSTEP_COMM_BACKEND", "local"}})).backend,
              BackendKind::local);
    EXPECT_EQ(choose({{"LOCKSTEP_COMM_BACKEND", "mpi"}}, "local").backend, BackendKind::local);
}

TEST(LaunchEnvironmentTest, NamesTheBackendsItKnows) {
    const std::string message =
        "unknown communication backend 'nccl'; known: auto, local, shm, tcp, mpi";
    EXPECT_EQ(usage_error({}, "nccl"), message);
    EXPECT_EQ(usage_error({{"LOCKSTEP_COMM_BACKEND", "nccl"}}), message);
}

TEST(LaunchEnvironmentTest, RefusesTwoBackendsAtOnce) {
    EXPECT_EQ(
        usage_error(with(shm, tcp)),
        "LOCKSTEP_SHM_* and LOCKSTEP_TCP_* are both set: which backend is ambiguous; unset one "
        "group or set LOCKSTEP_COMM_BACKEND");
}

TEST(LaunchEnvironmentTest, NamesTheVariableThatIsMissing) {
    for (const auto* group : {&shm, &tcp}) {
        for (const auto& [name, value] : *group) {
            auto rest = *group;
            rest.erase(name);
            EXPECT_THAT(usage_error(rest), StartsWith(name + " is not set; the "));
        }
    }
    EXPECT_EQ(usage_error({}, "shm"),
              "LOCKSTEP_SHM_NAME is not set; the shm backend needs it on every rank ('lockstep "
              "launch' sets it)");
}

struct Wrong {
    Variables base;
    std::string name;
    std::string value;
    std::string allowed;
};

TEST(LaunchEnvironmentTest, NamesTheValueThatIsWrongAndWhatIsAllowed) {
    const Variables mpi{{"OMPI_COMM_WORLD_RANK", "0"}};
    const std::vector<Wrong> cases{
        {shm, "LOCKSTEP_SHM_NAME", "run7", "a '/' and then a name without '/'"},
        {shm, "LOCKSTEP_SHM_NAME", "/a/b", "a '/' and then a name without '/'"},
        {shm, "LOCKSTEP_SHM_SIZE", "0", "a number from 1 to 4096"},
        {shm, "LOCKSTEP_SHM_SIZE", "two", "a number from 1 to 4096"},
        {shm, "LOCKSTEP_SHM_RANK", "-1", "a number from 0 to 4095"},
        {shm, "LOCKSTEP_SHM_RANK", "1x", "a number from 0 to 4095"},
        {shm, "LOCKSTEP_SHM_BUFFER_BYTES", "1", "a number from 4096 to 4294967296"},
        {shm, "LOCKSTEP_SHM_SINGLE_COPY", "yes", "0 or 1"},
        {shm, "LOCKSTEP_LAUNCH_REGISTRY", "-1", "a number from 0 to 1048576"},
        {tcp, "LOCKSTEP_LAUNCH_REGISTRY", "x", "a number from 0 to 1048576"},
        {tcp, "LOCKSTEP_TCP_SIZE", "99999999999999999999", "a number from 1 to 1048576"},
        {tcp, "LOCKSTEP_TCP_PORT", "65536", "a number from 1 to 65535"},
        {tcp, "LOCKSTEP_TCP_COORDINATOR", "node0:", "host, host:port, [v6] or [v6]:port"},
        {tcp, "LOCKSTEP_TCP_COORDINATOR", ":29500", "host, host:port, [v6] or [v6]:port"},
        {tcp, "LOCKSTEP_TCP_COORDINATOR", "node0:http", "host, host:port, [v6] or [v6]:port"},
        {tcp, "LOCKSTEP_TCP_COORDINATOR", "[::1", "host, host:port, [v6] or [v6]:port"},
        {tcp, "LOCKSTEP_TCP_COORDINATOR", "[]:1", "host, host:port, [v6] or [v6]:port"},
        {tcp, "LOCKSTEP_TCP_ALGO", "tree", "auto, star, ring"},
        {tcp, "LOCKSTEP_COMM_GATHER", "tree", "auto, flat, nodes"},
        {tcp, "LOCKSTEP_TCP_RECOVER_TIMEOUT_MS", "0", "a number from 1 to 2147483647"},
        {shm, "LOCKSTEP_SHM_RECOVER_TIMEOUT_MS", "0", "a number from 1 to 2147483647"},
        {mpi, "LOCKSTEP_MPI_FLAVOUR", "intel", "openmpi, mpich"},
        {mpi, "LOCKSTEP_MPI_PERSISTENT", "1", "off, on, auto"},
        {mpi, "LOCKSTEP_MPI_LARGEST_COUNT", "0", "a number from 1 to 2147483647"},
        {mpi, "OMPI_COMM_WORLD_SIZE", "0", "a number from 1 to 1048576"},
        {{}, "LOCKSTEP_COMM_CHECK", "on", "0 or 1"},
        {{}, "LOCKSTEP_EXPECT_RANKS", "0", "a number from 1 to 1048576"},
    };
    for (const auto& [base, name, value, allowed] : cases) {
        EXPECT_EQ(usage_error(with(base, {{name, value}})),
                  fmt::format("{} is '{}', must be {}", name, value, allowed));
    }
}

TEST(LaunchEnvironmentTest, RefusesARankBeyondTheSize) {
    EXPECT_EQ(usage_error(with(shm, {{"LOCKSTEP_SHM_RANK", "2"}})),
              "LOCKSTEP_SHM_RANK is 2, must be 0 to 1");
    EXPECT_EQ(usage_error(with(tcp, {{"LOCKSTEP_TCP_RANK", "7"}})),
              "LOCKSTEP_TCP_RANK is 7, must be 0 to 1");
}

TEST(LaunchEnvironmentTest, ReadsWhatShmNeeds) {
    const auto config = choose(with(shm,
                                    {{"LOCKSTEP_SHM_BUFFER_BYTES", "65536"},
                                     {"LOCKSTEP_SHM_SPIN", "0"},
                                     {"LOCKSTEP_SHM_TIMEOUT_MS", "50"},
                                     {"LOCKSTEP_SHM_RECOVER_TIMEOUT_MS", "60"},
                                     {"LOCKSTEP_SHM_SINGLE_COPY", "0"}}))
                            .shm;
    EXPECT_EQ(config.name, "/run7");
    EXPECT_EQ(config.rank, 1);
    EXPECT_EQ(config.size, 2);
    EXPECT_EQ(config.buffer_bytes, 65536);
    EXPECT_EQ(config.spin, 0);
    EXPECT_EQ(config.timeout_ms, 50);
    EXPECT_EQ(config.recover_timeout_ms, 60);
    EXPECT_FALSE(config.single_copy);
}

TEST(LaunchEnvironmentTest, ReadsTheCoordinatorInEachForm) {
    const auto address = [](const std::string& text) {
        const auto config =
            choose(with(tcp, {{"LOCKSTEP_TCP_COORDINATOR", text}, {"LOCKSTEP_TCP_PORT", "4000"}}))
                .tcp;
        return config.coordinator + " " + std::to_string(config.port);
    };
    EXPECT_EQ(address("node0"), "node0 4000");
    EXPECT_EQ(address("10.0.0.1:5000"), "10.0.0.1 5000");
    EXPECT_EQ(address("[fe80::1]"), "fe80::1 4000");
    EXPECT_EQ(address("[fe80::1]:5000"), "fe80::1 5000");
}

TEST(LaunchEnvironmentTest, ReadsWhatRanksOfANodeNeed) {
    const Variables wishes{{"LOCKSTEP_COMM_GATHER", "nodes"},
                           {"LOCKSTEP_COMM_NODE", "socket1"},
                           {"LOCKSTEP_SHM_SPIN", "7"},
                           {"LOCKSTEP_TCP_RECOVER_TIMEOUT_MS", "60"}};
    const auto config = choose(with(tcp, wishes));
    EXPECT_EQ(config.tcp.nodes.gather, NodeConfig::Gather::by_nodes);
    EXPECT_EQ(config.tcp.nodes.part, "socket1");
    EXPECT_EQ(config.tcp.recover_timeout_ms, 60);
    EXPECT_EQ(config.shm.spin, 7);
    EXPECT_EQ(choose(tcp).tcp.nodes.gather, NodeConfig::Gather::automatic);
    EXPECT_EQ(choose(with({{"PMI_RANK", "0"}}, wishes)).mpi.nodes.part, "socket1");
    EXPECT_EQ(usage_error(with(tcp, {{"LOCKSTEP_COMM_NODE", std::string(201, 'x')}})),
              "LOCKSTEP_COMM_NODE has 201 characters, must be 200 or fewer");
}

TEST(LaunchEnvironmentTest, TakesTheIndexOfAKubernetesJobForTheRank) {
    auto variables = tcp;
    variables.erase("LOCKSTEP_TCP_RANK");
    variables["JOB_COMPLETION_INDEX"] = "0";
    EXPECT_EQ(choose(variables).tcp.rank, 0);
    EXPECT_EQ(choose(with(variables, {{"LOCKSTEP_TCP_RANK", "1"}})).tcp.rank, 1);
    EXPECT_EQ(usage_error(with(variables, {{"JOB_COMPLETION_INDEX", "2"}})),
              "JOB_COMPLETION_INDEX is 2, must be 0 to 1");
    EXPECT_EQ(choose({{"JOB_COMPLETION_INDEX", "0"}}).backend, BackendKind::local);
}

TEST(LaunchEnvironmentTest, TakesOneTokenOnly) {
    EXPECT_EQ(choose(with(tcp, {{"LOCKSTEP_TCP_TOKEN", "abc"}})).tcp.token, "abc");
    EXPECT_FALSE(choose(with(tcp, {})).tcp.trusts_network);
    EXPECT_TRUE(choose(with(tcp, {{"LOCKSTEP_TCP_TRUST_NETWORK", "1"}})).tcp.trusts_network);
    EXPECT_THAT(
        usage_error(with(tcp, {{"LOCKSTEP_TCP_TOKEN", "abc"}, {"LOCKSTEP_TCP_TOKEN_FILE", "/t"}})),
        AllOf(HasSubstr("LOCKSTEP_TCP_TOKEN and LOCKSTEP_TCP_TOKEN_FILE"), HasSubstr("set one")));
}

TEST(LaunchEnvironmentTest, ReadsWhatMpiNeeds) {
    const auto config = choose({{"PMI_RANK", "0"},
                                {"LOCKSTEP_MPI_FLAVOUR", "openmpi"},
                                {"LOCKSTEP_MPI_PLUGIN_DIR", "/opt/plugins"},
                                {"LOCKSTEP_MPI_PERSISTENT", "auto"},
                                {"LOCKSTEP_MPI_LARGEST_COUNT", "1000"},
                                {"LOCKSTEP_COMM_CHECK", "1"}})
                            .mpi;
    EXPECT_EQ(config.flavour, "openmpi");
    EXPECT_EQ(config.plugin_directory, "/opt/plugins");
    EXPECT_EQ(config.persistent, MpiConfig::Persistent::automatic);
    EXPECT_EQ(config.largest_count, 1000);
    EXPECT_TRUE(config.check_calls);
}

TEST(LaunchEnvironmentTest, RefusesARunOfAnotherSizeThanExpected) {
    CommConfig config = choose({{"LOCKSTEP_EXPECT_RANKS", "3"}});
    try {
        connect(config);
        ADD_FAILURE() << "one rank passed for three";
    } catch (const WrongSize& error) {
        EXPECT_STREQ(error.what(),
                     "LOCKSTEP_EXPECT_RANKS asks for 3 ranks but this process sees 1");
    }
}

}  // namespace
}  // namespace lockstep::comm
