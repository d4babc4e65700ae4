#include "rl/server/parameter_server.hpp"

#include <cmath>
#include <cstdint>
#include <memory>
#include <numeric>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lockstep/rl/environments/registry.hpp"

#include "rl/exchange/staleness.hpp"
#include "support/rl/learning.hpp"
#include "support/rl/simulated_cluster.hpp"

namespace lockstep {
namespace {

using rl::LearnOptions;
using rl::Mode;
using rl::ParameterServer;
using test::lake;
using test::SimulatedCluster;

LearnOptions options_of(int staleness) {
    LearnOptions options;
    options.mode = Mode::server;
    options.workers = 6;
    options.steps = 60'011;
    options.sync_frequency = 500;
    options.staleness = staleness;
    options.exploration.level = rl::parse_schedule("0.3");
    options.seed = 7;
    return options;
}

Digest digest_of(const SimulatedCluster& cluster) {
    return rl::digest_of(cluster.table().table());
}

// Every update visits one pair: what the table itself says of how many transitions are in it.
std::int64_t visits_in(const SimulatedCluster& cluster) {
    const auto visits = cluster.table().store().visits();
    return std::accumulate(visits.begin(), visits.end(), std::int64_t{0});
}

void expect_each_transition_once(const SimulatedCluster& cluster, const LearnOptions& options) {
    EXPECT_EQ(cluster.server().ledger().transitions(), options.steps);
    EXPECT_EQ(visits_in(cluster), options.steps);
    EXPECT_EQ(cluster.server().counts().transitions, options.steps);
}

class ParameterServerTest : public testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(AcceptanceRows6And7, ParameterServerTest, testing::Values(0, 1, 4, -1));

TEST_P(ParameterServerTest, CountsEachTransitionOnceWhateverHappens) {
    const auto world = lake();
    const auto options = options_of(GetParam());
    std::int64_t reissued = 0;
    std::int64_t refused = 0;
    for (std::uint64_t seed = 1; seed <= 25; ++seed) {
        SCOPED_TRACE(seed);
        SimulatedCluster::Network network{20e-6, 2e-3, 0.1, seed, seed % 2 == 0};
        ParameterServer::Settings settings;
        settings.dead_after = 5;
        SimulatedCluster cluster(*world, options, network, settings);
        const auto dice = [&](std::uint64_t i) {
            return rl::unit_interval(rl::split_mix(~seed, i));
        };
        for (std::uint64_t i = 0; i < 5; ++i) {
            const int id = cluster.add_worker(20'000 * (1 + dice(10 * i)), dice(10 * i + 1));
            if (i > 0) {  // one lives to end the work
                cluster.kill_worker(id, 2 * dice(10 * i + 2), dice(10 * i + 3) < 0.5);
            }
            cluster.slow_down(id, dice(10 * i + 4), 4);
        }
        if (seed % 3 == 0) {
            cluster.restart_server(0.5, 0.7 + dice(100), 2 + dice(101));
        }
        EXPECT_GT(cluster.run(), 0);
        expect_each_transition_once(cluster, options);
        const auto& ledger = cluster.server().ledger();
        if (options.staleness >= 0) {
            EXPECT_LE(ledger.most_ahead(), options.staleness);
        }
        reissued += ledger.reissued();
        refused += ledger.refused();
    }
    EXPECT_GT(reissued, 25);
    EXPECT_GT(refused, 25);
}

TEST(AcceptanceRow6, WithoutStalenessHasTheBitsOfRounds) {
    const auto world = lake();
    for (const double ratio : {0.0, 0.5}) {
        auto options = options_of(0);
        options.compression_ratio = ratio;
        auto rounds = options;
        rounds.mode = Mode::allreduce;
        const auto expected = test::learn_alone(*world, rounds).digest;
        for (const std::uint64_t seed : {1U, 2U, 3U}) {
            SimulatedCluster cluster(*world, options, {20e-6, 2e-3, 0.1, seed});
            for (int i = 0; i < static_cast<int>(seed); ++i) {
                cluster.add_worker(10'000 * (i + 1), 0.1 * i);
            }
            cluster.kill_worker(cluster.add_worker(30'000), 0.5);
            cluster.restart_server(0.6, 1.1, 1.2);
            EXPECT_GT(cluster.run(), 0);
            EXPECT_EQ(digest_of(cluster), expected) << ratio << ' ' << seed;
        }
    }
}

TEST(ParameterServer, OneWorkerLearnsAsIfAlone) {
    const auto world = lake();
    auto options = options_of(1);
    options.workers = 1;
    SimulatedCluster cluster(*world, options, {});
    cluster.add_worker(10'000);
    EXPECT_GT(cluster.run(), 0);
    auto serial = options;
    serial.mode = Mode::serial;
    serial.compression_ratio = 0;
    const auto expected = test::learn_alone(*world, serial).table;
    const auto table = cluster.table().table();
    EXPECT_EQ(table.visits, expected.visits);
    for (std::size_t i = 0; i < table.values.size(); ++i) {
        EXPECT_NEAR(table.values[i], expected.values[i], 1e-12) << i;
    }
}

TEST(ParameterServer, FastWorkersGetMoreAndNobodyWaits) {
    const auto world = lake();
    auto options = options_of(1);
    options.steps = 2'000'000;
    options.sync_frequency = 5'000;
    SimulatedCluster cluster(*world, options, {});
    for (const double speed : {4e5, 4e5, 4e5, 1e5}) {
        cluster.add_worker(speed);
    }
    const double seconds = cluster.run();
    double busy = 0;
    for (int id = 1; id <= 4; ++id) {
        busy += cluster.busy(id);
    }
    EXPECT_LT(1 - busy / (4 * seconds), 0.05);
    EXPECT_LT(seconds, 2e6 / 1.3e6 * 1.05);
}

TEST(ParameterServer, ALateWorkerKeepsNobodyWaiting) {
    const auto world = lake();
    auto options = options_of(1);
    options.steps = 600'000;
    SimulatedCluster cluster(*world, options, {});
    cluster.add_worker(1e5);
    cluster.add_worker(1e5, 1.5);
    const double seconds = cluster.run();
    EXPECT_NEAR(seconds, 1.5 + 450'000 / 2e5, 0.1);
    EXPECT_LE(cluster.server().ledger().most_ahead(), 1);
    const auto tables = cluster.server().worker_tables();
    ASSERT_EQ(tables.size(), 2U);
    for (const auto& table : tables) {
        EXPECT_EQ(table.version + table.behind,
                  static_cast<std::int64_t>(cluster.server().version()));
        EXPECT_LE(table.behind, 4);
    }
}

// Messages that take half as long as leases.
TEST(ParameterServer, WhoAsksEarlyHardlyWaitsForItsNextLease) {
    const auto world = lake();
    auto options = options_of(2);
    options.steps = 400'000;
    for (const bool asks_early : {false, true}) {
        SimulatedCluster::Network network;
        network.seconds = 2.5e-3;
        network.asks_early = asks_early;
        SimulatedCluster cluster(*world, options, network);
        cluster.add_worker(1e5);
        cluster.add_worker(1e5);
        const double seconds = cluster.run();
        const double idle = 1 - (cluster.busy(1) + cluster.busy(2)) / (2 * seconds);
        EXPECT_EQ(idle < 0.05, asks_early) << idle;
        EXPECT_LE(cluster.server().ledger().most_ahead(), 2);
        expect_each_transition_once(cluster, options);
    }
}

// News leave out what a worker has of itself. Leases are lost, given to others, and refused.
TEST(ParameterServer, CopiesOfWorkersStayThoseOfTheServer) {
    const auto world = lake();
    auto options = options_of(2);
    options.steps = 400'000;
    for (const bool is_disturbed : {false, true}) {
        SimulatedCluster::Network network;
        network.asks_early = true;
        ParameterServer::Settings settings;
        settings.is_narrow = true;
        settings.keep_own = true;
        settings.dead_after = 5;
        SimulatedCluster cluster(*world, options, network, settings);
        for (int i = 0; i < 3; ++i) {
            cluster.add_worker(1e4 * (i + 1));
        }
        if (is_disturbed) {
            cluster.slow_down(2, 0.3, 600);
            cluster.kill_worker(cluster.add_worker(1e5), 0.4, true);
        }
        EXPECT_GT(cluster.run(), 0);
        EXPECT_EQ(cluster.server().ledger().refused() > 0, is_disturbed);
        EXPECT_LT(cluster.largest_difference(), 4e-6) << is_disturbed;
        expect_each_transition_once(cluster, options);
    }
}

TEST(ParameterServer, AWorkerThatFallsSilentCostsFiveSeconds) {
    const auto world = lake();
    auto options = options_of(1);
    options.steps = 300'000;
    ParameterServer::Settings settings;
    settings.dead_after = 5;
    SimulatedCluster cluster(*world, options, {}, settings);
    cluster.add_worker(1e5);
    cluster.kill_worker(cluster.add_worker(1e5), 0.5, true);
    const double seconds = cluster.run();
    EXPECT_LE(seconds, 0.5 + 5.3 + 250'000 / 1e5);
    EXPECT_EQ(cluster.server().ledger().reissued(), 1);
    expect_each_transition_once(cluster, options);
}

TEST(ParameterServer, TellsOfWorkersThatComeFallSilentAndAreGivenUp) {
    const auto world = lake();
    const auto options = options_of(1);
    rl::TableStore table(*world, options);
    runtime::ThreadTeam threads(1);
    ParameterServer::Settings settings;
    settings.suspect_after = 3;
    settings.dead_after = 5;
    ParameterServer server(*world, options, table, threads, settings);
    const auto hello = rl::pack(rl::Hello{0, 0, 1, {}, rl::task_of(*world, options)});
    const auto events = [&] {
        std::string text;
        for (const auto& event : server.take_events()) {
            text += std::to_string(static_cast<int>(event.kind)) + "/" +
                    std::to_string(event.worker) + " ";
        }
        return text;
    };
    server.on_message(7, hello, 0);
    server.on_message(8, hello, 0);
    EXPECT_EQ(events(), "0/1 0/2 ");  // came
    server.on_message(7, rl::pack(rl::MessageKind::beat), 2);
    server.tick(3.1);
    EXPECT_EQ(events(), "1/2 ");  // suspected, once
    server.tick(3.2);
    EXPECT_EQ(events(), "");
    EXPECT_EQ(server.suspected(), 1);
    server.on_message(8, rl::pack(rl::MessageKind::beat), 4);
    EXPECT_EQ(events(), "2/2 ");  // back
    EXPECT_EQ(server.suspected(), 0);
    server.on_leave(8, 4.5);
    EXPECT_EQ(events(), "3/2 ");  // left
    server.tick(7.1);
    EXPECT_EQ(events(), "1/1 4/1 ");  // suspected and lost: nobody looked in between
    EXPECT_EQ(server.workers(), 0);
}

TEST(ParameterServer, SlowWorkersMakeTablesOlderAndDelayAdaptiveStepsShorter) {
    const auto world = lake();
    auto options = options_of(-1);
    options.steps = 400'000;
    const auto learn = [&](bool is_adaptive) {
        options.delay_adaptive = is_adaptive;
        auto cluster =
            std::make_unique<SimulatedCluster>(*world, options, SimulatedCluster::Network{});
        for (int i = 0; i < 3; ++i) {
            cluster->add_worker(1e5);
        }
        cluster->slow_down(cluster->add_worker(1e5), 0.3, 40);
        EXPECT_GT(cluster->run(), 0);
        return cluster;
    };
    const auto plain = learn(false);
    const auto adaptive = learn(true);
    const auto staleness = rl::staleness_of(plain->server().ledger().ages());
    EXPECT_GT(staleness.max, 1);
    EXPECT_EQ(staleness.p95, 0);
    EXPECT_NE(digest_of(*plain), digest_of(*adaptive));
    expect_each_transition_once(*adaptive, options);
}

TEST(ParameterServer, RefusesWhoLearnsSomethingElse) {
    const auto world = lake();
    const auto options = options_of(1);
    rl::TableStore table(*world, options);
    runtime::ThreadTeam threads(1);
    ParameterServer server(*world, options, table, threads, {});
    auto other = options;
    other.discount_factor = 0.5;
    server.on_message(3, rl::pack(rl::Hello{0, 0, 1, {}, rl::task_of(*world, other)}), 0);
    const auto letters = server.take_letters();
    ASSERT_EQ(letters.size(), 1U);
    EXPECT_THAT(rl::unpack_text(letters[0].bytes),
                testing::HasSubstr("same environment and options"));
    EXPECT_EQ(server.take_dropped(), std::vector<std::int64_t>{3});
    EXPECT_EQ(server.workers(), 0);
}

TEST(ParameterServer, DamagedMessagesCostTheirSenderOnly) {
    const auto world = lake();
    const auto options = options_of(1);
    rl::TableStore table(*world, options);
    runtime::ThreadTeam threads(1);
    ParameterServer server(*world, options, table, threads, {});
    server.open(ParameterServer::never, 0);
    const auto hello = rl::pack(rl::Hello{0, 0, 1, {}, rl::task_of(*world, options)});
    server.on_message(1, hello, 0);
    server.on_message(1, rl::pack(rl::MessageKind::ask), 0);
    const auto lease = rl::unpack_work(server.take_letters().at(1).bytes).leases.at(0);
    rl::Push push{1, {{lease.id, 0.1, {}, {}, lease.state, {std::byte{0xff}}, {}}}};
    auto bytes = rl::pack(push);
    for (std::size_t length = 0; length <= bytes.size(); ++length) {
        server.on_message(1, std::span(bytes).first(length), 0);
        server.on_message(1, hello, 0);
        EXPECT_EQ(server.ledger().transitions(), 0) << length;
    }
    EXPECT_EQ(rl::digest_of(table.table()), rl::digest_of(rl::TableStore(*world, options).table()));
}

}  // namespace
}  // namespace lockstep
