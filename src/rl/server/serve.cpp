#include "lockstep/rl/serve.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

#include <fmt/format.h>

#include "lockstep/base/error.hpp"
#include "lockstep/base/stopwatch.hpp"

#include "rl/learn/training.hpp"
#include "rl/modes/learning_mode.hpp"
#include "rl/server/parameter_server.hpp"
#include "rl/server/server_figures.hpp"

namespace lockstep::rl {
namespace {

// Between two slices reports and checkpoints are made; workers do not notice.
constexpr double seconds_of_a_slice = 0.2;
constexpr std::chrono::milliseconds longest_wait{50};
constexpr double shortest_heartbeat = 0.5;  // workers look up from their play so often
constexpr double longest_heartbeat = 3600;

ParameterServer::Settings settings_of(std::uint64_t number, const ServeOptions& serving) {
    ParameterServer::Settings settings;
    settings.run = number;
    settings.session = number;
    settings.heartbeat = serving.heartbeat_seconds;
    settings.suspect_after = serving.suspected_heartbeats * serving.heartbeat_seconds;
    settings.dead_after = serving.dead_heartbeats * serving.heartbeat_seconds;
    settings.is_narrow = true;
    settings.keep_own = true;
    return settings;
}

/// Serves the workers of a hub. A round is a slice of time.
class HubMode final : public LearningMode {
public:
    HubMode(const ModeContext& context,
            comm::HubServer& hub,
            std::span<const std::byte> task,
            const ServeOptions& serving)
        : hub_(hub),
          task_(task),
          server_(context.world,
                  context.options,
                  context.table,
                  context.team.threads,
                  settings_of(hub.number(), serving)) {
        server_.open(ParameterServer::never, 0);
    }

    void play(std::int64_t /*transitions_done*/) override {
        const Stopwatch slice;
        while (slice.seconds() < seconds_of_a_slice && !server_.is_done()) {
            if (auto event = hub_.wait(longest_wait)) {
                hear(*event);
            }
            server_.tick(clock_.seconds());
            send();
            if (server_.failure()) {
                server_.end();
                send();
                throw ModelError(fmt::format("a worker cannot go on: {}", *server_.failure()));
            }
        }
        if (server_.is_done()) {
            server_.end();
            send();
        }
    }
    [[nodiscard]] std::int64_t planned() const override {
        return server_.ledger().transitions() - figures_.transitions;
    }
    void commit() override { figures_ = figures_of(server_); }

    [[nodiscard]] Counts counts() const override { return figures_.counts; }
    void add_returns(std::vector<double>& returns) const override { server_.add_returns(returns); }
    ModeFigures take_figures() override {
        ModeFigures figures;
        figures.learn_seconds = figures_.learn_seconds - reported_.learn_seconds;
        figures.transitions = figures_.transitions - reported_.transitions;
        return figures;
    }
    void describe(LearnReport& report) override {
        report_on(figures_, reported_, report);
        report.threads = static_cast<int>(server_.threads());
        report.worker_events = server_.take_events();
        report.worker_tables = server_.worker_tables();
        report.bytes_sent = std::exchange(bytes_, 0);
        const auto transitions = figures_.transitions - reported_.transitions;
        report.bytes_per_update = transitions > 0 ? static_cast<double>(report.bytes_sent) /
                                                        static_cast<double>(transitions)
                                                  : 0;
        reported_ = figures_;
    }

    void save(ByteWriter& bytes) override {
        ByteWriter own;
        server_.save(own);
        bytes.add_array(own.bytes());
    }
    void load(ByteReader& bytes) override {
        ByteReader own(bytes.view_array<std::byte>());
        server_.load(own, clock_.seconds());
        server_.open(ParameterServer::never, clock_.seconds());
        figures_ = figures_of(server_);
        reported_ = figures_;
    }

private:
    using Kind = comm::HubServer::Event::Kind;

    void hear(const comm::HubServer::Event& event) {
        if (event.kind == Kind::joined) {
            hub_.send(event.peer, task_);
        } else if (event.kind == Kind::left) {
            server_.on_leave(event.peer, clock_.seconds());
        } else {
            bytes_ += std::ssize(event.bytes);
            server_.on_message(event.peer, event.bytes, clock_.seconds());
        }
    }
    void send() {
        for (const auto& [peer, bytes] : server_.take_letters()) {
            bytes_ += std::ssize(bytes);
            hub_.send(peer, bytes);
        }
        for (const std::int64_t peer : server_.take_dropped()) {
            hub_.drop(peer);
        }
    }

    comm::HubServer& hub_;
    std::span<const std::byte> task_;
    Stopwatch clock_;
    ParameterServer server_;
    ServerFigures figures_;   // at the end of the last round
    ServerFigures reported_;  // in the last report
    std::int64_t bytes_ = 0;  // of messages, since then
};

}  // namespace

void ServeOptions::validate() const {
    if (!(heartbeat_seconds >= shortest_heartbeat && heartbeat_seconds <= longest_heartbeat)) {
        throw InputError(fmt::format("heartbeat_interval is {} s: must be {} to {} s",
                                     heartbeat_seconds,
                                     shortest_heartbeat,
                                     longest_heartbeat));
    }
    if (!(suspected_heartbeats >= 1 && dead_heartbeats > suspected_heartbeats)) {
        throw InputError(
            fmt::format("a worker is suspected after {} heartbeats and lost after {}: must be at "
                        "least 1, and more",
                        suspected_heartbeats,
                        dead_heartbeats));
    }
}

LearnResult serve(const World& world,
                  const LearnOptions& options,
                  runtime::Team& team,
                  comm::HubServer& hub,
                  std::span<const std::byte> task,
                  LearnObserver& observer,
                  const runtime::EngineState* resume_from,
                  const ServeOptions& serving) {
    options.validate();
    serving.validate();
    return Training(
               world,
               options,
               team,
               observer,
               [&](const ModeContext& context) {
                   return std::make_unique<HubMode>(context, hub, task, serving);
               },
               resume_from)
        .run();
}

}  // namespace lockstep::rl
