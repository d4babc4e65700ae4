#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lockstep/base/index.hpp"

#include "conformance/comm/backends.hpp"
#include "support/places.hpp"

namespace lockstep::comm {
namespace {

using std::chrono::milliseconds;
using testing::AllOf;
using testing::HasSubstr;
using Clock = std::chrono::steady_clock;

void sleep_ms(int time) {
    std::this_thread::sleep_for(milliseconds(time));
}

/// A rank in a process of its own, and what it writes.
class Worker {
public:
    /// @param launcher  command that starts the command that follows it; empty: none
    Worker(const std::vector<std::string>& variables,
           const std::vector<std::string>& arguments,
           const std::vector<std::string>& launcher = {}) {
        int ends[2];
        if (pipe2(ends, O_CLOEXEC) != 0) {
            throw std::runtime_error("no pipe");
        }
        process_ = fork();
        if (process_ == 0) {
            dup2(ends[1], STDOUT_FILENO);
            dup2(ends[1], STDERR_FILENO);
            start(variables, arguments, launcher);
        }
        close(ends[1]);
        output_ = ends[0];
    }
    ~Worker() {
        if (process_ > 0) {
            ::kill(process_, SIGKILL);
            waitpid(process_, nullptr, 0);
        }
        close(output_);
    }
    Worker(const Worker&) = delete;
    Worker& operator=(const Worker&) = delete;

    void send(int signal) const { ::kill(process_, signal); }
    /// Whether it writes `text` before the deadline.
    bool says(const std::string& text, Clock::time_point deadline) {
        while (text_.find(text) == std::string::npos) {
            if (!read_some(deadline)) {
                return false;
            }
        }
        return true;
    }
    /// Exit code, 128 + signal, or -1 when it has not ended by the deadline.
    int end(Clock::time_point deadline) {
        while (read_some(deadline)) {
        }
        int status = 0;
        while (waitpid(process_, &status, WNOHANG) == 0) {
            if (Clock::now() > deadline) {
                return -1;
            }
            sleep_ms(1);
        }
        process_ = 0;
        return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    }
    [[nodiscard]] const std::string& text() const { return text_; }

private:
    [[noreturn]] static void start(const std::vector<std::string>& variables,
                                   const std::vector<std::string>& arguments,
                                   std::vector<std::string> words) {
        words.push_back(test::build_dir() / LOCKSTEP_TCP_WORKER);
        words.insert(words.end(), arguments.begin(), arguments.end());
        std::vector<char*> pointers;
        for (auto& word : words) {
            pointers.push_back(word.data());
        }
        pointers.push_back(nullptr);
        for (const auto& variable : variables) {
            const auto equals = variable.find('=');
            setenv(variable.substr(0, equals).c_str(), variable.substr(equals + 1).c_str(), 1);
        }
        execvp(pointers.front(), pointers.data());
        std::_Exit(127);
    }
    // False at the end of the output, or when nothing comes in time.
    bool read_some(Clock::time_point deadline) {
        const auto left = std::chrono::ceil<milliseconds>(deadline - Clock::now()).count();
        pollfd entry{output_, POLLIN, 0};
        if (left <= 0 || poll(&entry, 1, static_cast<int>(left)) <= 0) {
            return false;
        }
        char bytes[4096];
        const auto count = read(output_, bytes, sizeof bytes);
        if (count > 0) {
            text_.append(bytes, static_cast<std::size_t>(count));
        }
        return count > 0;
    }

    pid_t process_ = 0;
    int output_ = -1;
    std::string text_;
};

/// Two hosts on this machine: network namespaces with a cable between them.
class TwoHosts {
public:
    TwoHosts() : name_("ls" + std::to_string(getpid() % 100000)) {
        works_ = run("netns add " + host(1)) && run("netns add " + host(2)) &&
                 run("link add " + cable(1) + " netns " + host(1) + " type veth peer name " +
                     cable(2) + " netns " + host(2));
        for (int i = 1; works_ && i <= 2; ++i) {
            works_ = run("-n " + host(i) + " addr add " + address(i) + "/24 dev " + cable(i)) &&
                     run("-n " + host(i) + " link set lo up") &&
                     run("-n " + host(i) + " link set " + cable(i) + " up");
        }
    }
    ~TwoHosts() {
        run("netns del " + host(1));
        run("netns del " + host(2));
    }
    TwoHosts(const TwoHosts&) = delete;
    TwoHosts& operator=(const TwoHosts&) = delete;

    [[nodiscard]] bool works() const { return works_; }
    [[nodiscard]] std::string host(int number) const {
        return name_ + "h" + std::to_string(number);
    }
    [[nodiscard]] static std::string address(int number) {
        return "10.213.77." + std::to_string(number);
    }
    // The second host keeps its address, and its ranks each other.
    void cut() const { run("-n " + host(1) + " link set " + cable(1) + " down"); }
    // Each host sends to a card that is not there; neither notices.
    void lose_packets() const {
        for (int i = 1; i <= 2; ++i) {
            run("-n " + host(i) + " neigh replace " + address(3 - i) +
                " lladdr 02:00:00:00:00:01 nud permanent dev " + cable(i));
        }
    }
    // Of what the first host sends. Whether this machine can do so.
    [[nodiscard]] bool limit_rate(const std::string& rate) const {
        return std::system(("tc -n " + host(1) + " qdisc add dev " + cable(1) + " root tbf rate " +
                            rate + " burst 64kb latency 200ms 2>/dev/null")
                               .c_str()) == 0;
    }

private:
    [[nodiscard]] std::string cable(int number) const {
        return name_ + "c" + std::to_string(number);
    }
    static bool run(const std::string& command) {
        return std::system(("ip " + command + " 2>/dev/null").c_str()) == 0;
    }

    std::string name_;
    bool works_ = false;
};

/// The ranks of one run.
class Ranks {
public:
    Ranks(int port,
          int size,
          const std::vector<std::string>& arguments,
          const std::vector<std::string>& variables = {},
          int nodes = 1) {
        for (int rank = 0; rank < size; ++rank) {
            std::vector<std::string> all{"LOCKSTEP_TCP_COORDINATOR=127.0.0.1:" +
                                         std::to_string(port)};
            all.insert(all.end(), variables.begin(), variables.end());
            all.push_back("LOCKSTEP_TCP_RANK=" + std::to_string(rank));
            all.push_back("LOCKSTEP_TCP_SIZE=" + std::to_string(size));
            all.push_back("LOCKSTEP_COMM_NODE=" + std::to_string(rank % nodes));
            workers_.push_back(std::make_unique<Worker>(all, arguments));
        }
    }
    /// Rank 0 on the first host, the others on the second.
    Ranks(const TwoHosts& hosts, int size, const std::vector<std::string>& arguments) {
        for (int rank = 0; rank < size; ++rank) {
            workers_.push_back(std::make_unique<Worker>(
                std::vector<std::string>{"LOCKSTEP_TCP_COORDINATOR=" + TwoHosts::address(1),
                                         "LOCKSTEP_TCP_TOKEN=secret",
                                         "LOCKSTEP_TCP_RANK=" + std::to_string(rank),
                                         "LOCKSTEP_TCP_SIZE=" + std::to_string(size),
                                         "LOCKSTEP_TCP_HEARTBEAT_MS=100",
                                         "LOCKSTEP_TCP_DEAD_AFTER_MS=1000"},
                arguments,
                std::vector<std::string>{"ip", "netns", "exec", hosts.host(rank == 0 ? 1 : 2)}));
        }
    }

    [[nodiscard]] Worker& rank(int rank) { return *workers_[at(rank)]; }
    [[nodiscard]] int size() const { return static_cast<int>(workers_.size()); }
    void wait_until_ready() {
        for (auto& worker : workers_) {
            ASSERT_TRUE(worker->says("ready", Clock::now() + milliseconds(20'000)))
                << worker->text();
        }
    }
    // All ranks but the killed ones end with this code within this time.
    void expect_end(int code, int within_ms, const std::set<int>& killed = {}) {
        const auto deadline = Clock::now() + milliseconds(within_ms);
        for (int number = 0; number < size(); ++number) {
            EXPECT_EQ(rank(number).end(deadline), killed.contains(number) ? 128 + SIGKILL : code)
                << "rank " << number << ": " << rank(number).text();
        }
    }
    // What the ranks that were not killed print at the end.
    [[nodiscard]] std::set<std::string> states(const std::set<int>& killed = {}) {
        std::set<std::string> states;
        for (int number = 0; number < size(); ++number) {
            const std::string& text = rank(number).text();
            const auto state = text.find("state ");
            if (!killed.contains(number)) {
                states.insert(state == std::string::npos ? "none" : text.substr(state, 22));
            }
        }
        return states;
    }

private:
    std::vector<std::unique_ptr<Worker>> workers_;
};

// What `rounds` of a call leave, by one rank alone.
std::set<std::string> state_of(const std::string& call, const std::string& rounds) {
    Ranks run(free_port(), 1, {call, rounds, "0"});
    run.expect_end(0, 20'000);
    return run.states();
}

class TcpFaultTest : public testing::TestWithParam<const char*> {};

TEST_P(TcpFaultTest, SurvivorsOfAKilledRankEnd) {
    const int port = free_port();
    for (int killed = 0; killed < 3; ++killed) {
        Ranks run(port, 3, {GetParam(), "1000000000", "0"});
        run.wait_until_ready();
        sleep_ms(10 + 7 * killed);

        run.rank(killed).send(SIGKILL);

        run.expect_end(71, 2000, {killed});
        for (int survivor = 0; survivor < 3; ++survivor) {
            if (survivor != killed) {
                EXPECT_THAT(
                    run.rank(survivor).text(),
                    AllOf(HasSubstr("rank " + std::to_string(killed) + " ("),
                          HasSubstr("while rank " + std::to_string(survivor) + " waits in ")));
            }
        }
    }
}

TEST_P(TcpFaultTest, SurvivorsOfAKilledRankFinishTheWork) {
    const auto expected = state_of(GetParam(), "200");
    const int port = free_port();
    for (int killed = 0; killed < 4; ++killed) {
        Ranks run(port, 4, {GetParam(), "200", "1", "recover"});
        run.wait_until_ready();
        sleep_ms(10 + 7 * killed);

        run.rank(killed).send(SIGKILL);

        run.expect_end(0, 20'000, {killed});
        EXPECT_EQ(run.states({killed}), expected) << "without rank " << killed;
    }
}

INSTANTIATE_TEST_SUITE_P(Calls,
                         TcpFaultTest,
                         testing::Values("barrier", "broadcast", "allreduce", "gather", "ring"),
                         [](const auto& call) { return std::string(call.param); });

TEST(TcpFaultsTest, SurvivorsOfSeveralKilledRanksFinishTheWork) {
    const auto expected = state_of("gather", "200");
    const std::vector<std::pair<int, int>> pairs{{0, 1}, {2, 0}, {3, 2}, {1, 3}};
    for (const auto& [first, second] : pairs) {
        for (const int apart_ms : {0, 1, 30}) {
            Ranks run(free_port(), 4, {"gather", "200", "1", "recover"});
            run.wait_until_ready();

            run.rank(first).send(SIGKILL);
            sleep_ms(apart_ms);
            run.rank(second).send(SIGKILL);

            run.expect_end(0, 20'000, {first, second});
            EXPECT_EQ(run.states({first, second}), expected)
                << "without ranks " << first << " and " << second;
        }
    }
}

// Killed at any point of a gather by nodes: leaders of nodes, and others.
TEST(TcpFaultsTest, SurvivorsOfAGatherByNodesFinishTheWork) {
    for (const char* call : {"gather", "ring"}) {
        const auto expected = state_of(call, "200");
        for (int killed = 0; killed < 4; ++killed) {
            Ranks run(
                free_port(), 4, {call, "200", "1", "recover"}, {"LOCKSTEP_COMM_GATHER=nodes"}, 2);
            run.wait_until_ready();
            sleep_ms(5 + 7 * killed);

            run.rank(killed).send(SIGKILL);

            run.expect_end(0, 20'000, {killed});
            EXPECT_EQ(run.states({killed}), expected) << call << " without rank " << killed;
        }
    }
}

// Longer than the time after which a silent host counts as dead; large data fill the streams.
TEST(TcpFaultsTest, AStoppedRankIsWaitedFor) {
    const auto expected = state_of("large", "6");
    Ranks first(free_port(), 3, {"large", "6", "100"});
    Ranks second(free_port(), 3, {"large", "6", "100"});
    const auto send = [&](int signal) {
        first.rank(0).send(signal);
        second.rank(1).send(signal);
    };
    first.wait_until_ready();
    second.wait_until_ready();
    send(SIGSTOP);
    sleep_ms(15'000);  // 10 s, by default, is what a dead host has
    send(SIGCONT);
    for (auto* run : {&first, &second}) {
        run->expect_end(0, 20'000);
        EXPECT_EQ(run->states(), expected);
    }
}

TEST(TcpFaultsTest, AStoppedSurvivorIsWaitedForInRecovery) {
    const auto expected = state_of("gather", "200");
    for (int stopped = 1; stopped < 3; ++stopped) {
        Ranks run(free_port(), 4, {"gather", "200", "1", "recover"});
        run.wait_until_ready();

        run.rank(stopped).send(SIGSTOP);
        run.rank(0).send(SIGKILL);
        sleep_ms(1000);
        run.rank(stopped).send(SIGCONT);

        run.expect_end(0, 20'000, {0});
        EXPECT_EQ(run.states({0}), expected);
    }
}

TEST(TcpFaultsTest, RanksBeyondABrokenNetworkAreLost) {
    const TwoHosts hosts;
    if (!hosts.works()) {
        GTEST_SKIP() << "this machine gives no network namespaces";
    }
    Ranks ranks(hosts, 3, {"ring", "1000000000", "0"});
    ranks.wait_until_ready();

    hosts.cut();

    ranks.expect_end(71, 3000);
    for (int rank = 0; rank < 3; ++rank) {
        EXPECT_THAT(ranks.rank(rank).text(), HasSubstr("cannot be reached any more"));
    }
}

TEST(TcpFaultsTest, RanksWhosePacketsVanishAreLost) {
    const TwoHosts hosts;
    if (!hosts.works()) {
        GTEST_SKIP() << "this machine gives no network namespaces";
    }
    Ranks ranks(hosts, 3, {"ring", "1000000000", "0"});
    ranks.wait_until_ready();

    hosts.lose_packets();

    ranks.expect_end(71, 3000);
    for (int rank = 0; rank < 3; ++rank) {
        EXPECT_THAT(ranks.rank(rank).text(), HasSubstr("cannot be reached any more"));
    }
}

// 256 kB of each round's 384 kB leave the first host.
TEST(TcpFaultsTest, ANarrowNetworkOnlyTakesLonger) {
    const TwoHosts hosts;
    if (!hosts.works()) {
        GTEST_SKIP() << "this machine gives no network namespaces";
    }
    if (!hosts.limit_rate("100mbit")) {
        GTEST_SKIP() << "this machine's kernel limits no rate";
    }
    const auto start = Clock::now();
    Ranks ranks(hosts, 3, {"ring", "40", "0"});

    ranks.expect_end(0, 20'000);

    EXPECT_GT(Clock::now() - start, milliseconds(600));
    EXPECT_EQ(ranks.states(), state_of("ring", "40"));
}

// Rank 0 alone cannot know that it is not the one that is cut off.
TEST(TcpFaultsTest, OnlyTheLargerSideOfABrokenNetworkGoesOn) {
    const TwoHosts hosts;
    if (!hosts.works()) {
        GTEST_SKIP() << "this machine gives no network namespaces";
    }
    const auto expected = state_of("gather", "600");
    Ranks ranks(hosts, 3, {"gather", "600", "1", "recover"});
    ranks.wait_until_ready();

    hosts.cut();

    const auto deadline = Clock::now() + milliseconds(20'000);
    EXPECT_EQ(ranks.rank(0).end(deadline), 71);
    EXPECT_THAT(ranks.rank(0).text(), HasSubstr("1 of 3 ranks cannot tell"));
    EXPECT_EQ(ranks.rank(1).end(deadline), 0) << ranks.rank(1).text();
    EXPECT_EQ(ranks.rank(2).end(deadline), 0) << ranks.rank(2).text();
    EXPECT_EQ(ranks.states({0}), expected);
}

// Rank 1 sees another mount of the shared memory than ranks 0 and 2.
TEST(TcpFaultsTest, RanksOfANodeAreThoseThatShareMemory) {
    const std::vector<std::string> apart{
        "unshare", "--mount", "sh", "-c", "mount -t tmpfs tmpfs /dev/shm && exec \"$@\"", "sh"};
    if (std::system("unshare --mount mount -t tmpfs tmpfs /dev/shm 2>/dev/null") != 0) {
        GTEST_SKIP() << "this machine gives no mount namespaces";
    }
    const std::string port = std::to_string(free_port());
    std::vector<std::unique_ptr<Worker>> workers;
    for (int rank = 0; rank < 3; ++rank) {
        workers.push_back(std::make_unique<Worker>(
            std::vector<std::string>{"LOCKSTEP_TCP_COORDINATOR=127.0.0.1:" + port,
                                     "LOCKSTEP_TCP_RANK=" + std::to_string(rank),
                                     "LOCKSTEP_TCP_SIZE=3"},
            std::vector<std::string>{"node"},
            rank == 1 ? apart : std::vector<std::string>{}));
    }
    const auto deadline = Clock::now() + milliseconds(20'000);
    for (int rank = 0; rank < 3; ++rank) {
        Worker& worker = *workers[at(rank)];
        EXPECT_EQ(worker.end(deadline), 0);
        EXPECT_EQ(worker.text(),
                  std::string(rank == 1 ? "node of 1" : "node of 2") +
                      (is_built(BackendKind::shm) ? ", shared\n" : ", apart\n"));
    }
}

TEST(TcpFaultsTest, ARankThatAbortsEndsAll) {
    Ranks run(free_port(), 3, {"abort"});
    const auto deadline = Clock::now() + milliseconds(10'000);

    EXPECT_EQ(run.rank(1).end(deadline), 9);
    for (const int other : {0, 2}) {
        EXPECT_EQ(run.rank(other).end(deadline), 71);
        EXPECT_THAT(run.rank(other).text(), HasSubstr("ended the run with code 9"));
    }
}

// Rank 0 is lost; one survivor ends the run while the others look for each other.
TEST(TcpFaultsTest, ARankThatAbortsEndsThoseThatRecover) {
    for (const int aborts : {1, 2}) {
        Ranks run(free_port(), 4, {"gather", "1000000000", "0", "recover", std::to_string(aborts)});
        run.wait_until_ready();

        run.rank(0).send(SIGKILL);

        const auto deadline = Clock::now() + milliseconds(10'000);
        for (int rank = 1; rank < 4; ++rank) {
            EXPECT_EQ(run.rank(rank).end(deadline), rank == aborts ? 9 : 71);
            if (rank != aborts) {
                EXPECT_THAT(
                    run.rank(rank).text(),
                    HasSubstr("rank " + std::to_string(aborts) + " ended the run with code 9"));
            }
        }
    }
}

}  // namespace
}  // namespace lockstep::comm
