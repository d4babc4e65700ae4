#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <queue>
#include <vector>

#include "lockstep/rl/environments/split_mix.hpp"
#include "lockstep/rl/learn/world.hpp"
#include "lockstep/runtime/thread_team.hpp"

#include "rl/learn/table_store.hpp"
#include "rl/server/parameter_server.hpp"
#include "rl/server/server_worker.hpp"

namespace lockstep::test {

/// A parameter server and workers that really learn, in simulated time: a worker takes as long as
/// its speed says. What the network does to messages is drawn from the seed.
class SimulatedCluster {
public:
    struct Network {
        double seconds = 50e-6;  ///< of a message
        double jitter = 0;       ///< up to so many seconds more: messages overtake each other
        double duplicated = 0;   ///< share of messages that come twice
        std::uint64_t seed = 1;
        bool asks_early = false;  ///< workers ask for the next leases while they play
    };
    SimulatedCluster(const rl::World& world,
                     const rl::LearnOptions& options,
                     Network network,
                     rl::ParameterServer::Settings settings = {})
        : world_(world),
          options_(options),
          network_(network),
          settings_(settings),
          table_(std::make_unique<rl::TableStore>(world, options)),
          server_(
              std::make_unique<rl::ParameterServer>(world, options, *table_, threads_, settings)) {
        server_->open(rl::ParameterServer::never, 0);
        later(0, [this] { tick(); });
    }

    /// A worker comes.
    /// @param speed  transitions a second
    int add_worker(double speed, double when = 0) {
        const int id = static_cast<int>(workers_.size()) + 1;
        workers_.push_back(std::make_unique<Worker>(world_, options_, threads_, speed));
        later(when, [this, id] { say_hello(id); });
        return id;
    }
    /// It is killed: what it has not pushed is lost. Its connection is closed, or only silent.
    void kill_worker(int id, double when, bool is_silent = false) {
        later(when, [this, id, is_silent] {
            of(id).is_dead = true;
            if (!is_silent && server_) {
                server_->on_leave(id, now_);
                deliver();
            }
        });
    }
    void slow_down(int id, double when, double factor) {
        later(when, [this, id, factor] { of(id).speed /= factor; });
    }
    /// The server keeps a checkpoint, goes on for a while, is killed and restarted from it.
    void restart_server(double kept, double killed, double restarted) {
        later(kept, [this] { keep_checkpoint(); });
        later(killed, [this] { server_.reset(); });
        later(restarted, [this] { restart(); });
    }

    /// Until all transitions count.
    /// @returns simulated seconds; negative: they do not within an hour
    double run() {
        while (now_ < 3600) {
            if (server_ && server_->is_done()) {
                return now_;
            }
            const Event event = events_.top();
            events_.pop();
            now_ = event.at;
            event.act();
        }
        return -1;
    }

    /// How far the copies of workers are from the server's table, once they have its last news.
    double largest_difference() {
        server_->rest();
        for (const auto& letter : server_->take_letters()) {
            if (rl::kind_of(letter.bytes) == rl::MessageKind::rest) {
                of(static_cast<int>(letter.peer)).worker.take(rl::unpack_news(letter.bytes));
            }
        }
        double most = 0;
        for (const auto& worker : workers_) {
            for (std::size_t i = 0; !worker->is_dead && i < table_->store().size(); ++i) {
                most = std::max(
                    most, std::abs(worker->table.store().value(i) - table_->store().value(i)));
            }
        }
        return most;
    }

    [[nodiscard]] const rl::ParameterServer& server() const { return *server_; }
    [[nodiscard]] const rl::TableStore& table() const { return *table_; }
    /// Simulated seconds that a worker played.
    [[nodiscard]] double busy(int id) const {
        return workers_[static_cast<std::size_t>(id) - 1]->busy;
    }

private:
    struct Worker {
        Worker(const rl::World& world,
               const rl::LearnOptions& options,
               runtime::ThreadTeam& threads,
               double steps_a_second)
            : table(world, options),
              worker(world, options, threads, table),
              speed(steps_a_second) {}
        rl::TableStore table;
        rl::ServerWorker worker;
        double speed;
        double busy = 0;
        bool is_dead = false;
        bool is_playing = false;
        std::uint64_t run = 0;
        std::int64_t number = 0;
        std::deque<rl::Work> works;
        std::vector<rl::LeaseId> current;  // played, or not sent yet
        std::optional<rl::Push> unsent;    // nobody was there to take it
    };
    struct Event {
        double at;
        std::int64_t order;
        std::function<void()> act;
        bool operator<(const Event& other) const {
            return at != other.at ? at > other.at : order > other.order;
        }
    };

    Worker& of(int id) { return *workers_[static_cast<std::size_t>(id) - 1]; }
    void later(double at, std::function<void()> act) {
        events_.push({std::max(at, now_), ++order_, std::move(act)});
    }
    double draw() { return rl::unit_interval(rl::split_mix(network_.seed, drawn_++)); }
    // A message is on its way, perhaps twice.
    void travel(const std::function<void()>& arrive) {
        const int copies = draw() < network_.duplicated ? 2 : 1;
        for (int copy = 0; copy < copies; ++copy) {
            later(now_ + network_.seconds + network_.jitter * draw(), arrive);
        }
    }

    void tick() {
        if (server_) {
            server_->tick(now_);
            deliver();
        }
        later(now_ + 0.25, [this] { tick(); });
        for (int id = 1; id <= static_cast<int>(workers_.size()); ++id) {
            if (!of(id).is_dead && of(id).number != 0) {
                to_server(id, rl::pack(rl::MessageKind::beat));
            }
        }
    }
    void to_server(int id, std::vector<std::byte> bytes) {
        travel([this, id, bytes = std::move(bytes)] {
            if (server_) {
                server_->on_message(id, bytes, now_);
                deliver();
            }
        });
    }
    void deliver() {
        for (auto& letter : server_->take_letters()) {
            const auto id = static_cast<int>(letter.peer);
            travel([this, id, bytes = std::move(letter.bytes)] { hear(id, bytes); });
        }
        static_cast<void>(server_->take_dropped());
    }
    void say_hello(int id) {
        Worker& worker = of(id);
        to_server(
            id,
            rl::pack(rl::Hello{
                worker.run, worker.number, 1, worker.current, rl::task_of(world_, options_)}));
    }
    void hear(int id, const std::vector<std::byte>& bytes) {
        Worker& worker = of(id);
        if (worker.is_dead) {
            return;
        }
        switch (rl::kind_of(bytes)) {
            case rl::MessageKind::welcome: {
                const auto welcome = rl::unpack_welcome(bytes);
                worker.run = welcome.run;
                worker.number = welcome.worker;
                if (worker.unsent) {
                    worker.current.clear();
                    to_server(id, rl::pack(*std::exchange(worker.unsent, {})));
                } else {
                    to_server(id, rl::pack(rl::MessageKind::ask));
                }
                break;
            }
            case rl::MessageKind::work:
                worker.works.push_back(rl::unpack_work(bytes));
                play_next(id);
                break;
            case rl::MessageKind::again:
                say_hello(id);
                break;
            default:
                break;
        }
    }
    void play_next(int id) {
        Worker& worker = of(id);
        while (!worker.is_playing && !worker.works.empty()) {
            const rl::Work work = std::move(worker.works.front());
            worker.works.pop_front();
            if (worker.worker.is_new(work)) {
                play(id, work);
            }
        }
    }
    void play(int id, const rl::Work& work) {
        Worker& worker = of(id);
        if (network_.asks_early) {
            worker.worker.keep_own();
            to_server(id, rl::pack(rl::MessageKind::ask));
        }
        auto push = worker.worker.play(work);
        double seconds = 0;
        for (auto& result : push.results) {
            result.seconds = static_cast<double>(result.counts.transitions) / worker.speed;
            seconds += result.seconds;
            worker.current.push_back(result.id);
        }
        worker.is_playing = true;
        worker.busy += seconds;
        later(now_ + seconds,
              [this, id, push = std::move(push)]() mutable { end_play(id, std::move(push)); });
    }
    void end_play(int id, rl::Push push) {
        Worker& worker = of(id);
        if (worker.is_dead) {
            return;
        }
        worker.is_playing = false;
        if (server_) {
            worker.current.clear();
            to_server(id, rl::pack(push));
        } else {
            worker.unsent = std::move(push);
        }
        play_next(id);
    }

    void keep_checkpoint() {
        Saved saved;
        saved.table = table_->store();
        ByteWriter bytes;
        server_->save(bytes);
        saved.server = bytes.take();
        saved_ = std::move(saved);
    }
    void restart() {
        table_->store() = saved_.table;
        ++settings_.session;
        server_ =
            std::make_unique<rl::ParameterServer>(world_, options_, *table_, threads_, settings_);
        ByteReader bytes(saved_.server);
        server_->load(bytes, now_);
        server_->open(rl::ParameterServer::never, now_);
        for (int id = 1; id <= static_cast<int>(workers_.size()); ++id) {
            if (!of(id).is_dead) {
                say_hello(id);
            }
        }
        deliver();
    }

    struct Saved {
        rl::CellStore table;
        std::vector<std::byte> server;
    };

    const rl::World& world_;
    rl::LearnOptions options_;
    Network network_;
    rl::ParameterServer::Settings settings_;
    runtime::ThreadTeam threads_{1};
    std::unique_ptr<rl::TableStore> table_;
    std::unique_ptr<rl::ParameterServer> server_;
    std::vector<std::unique_ptr<Worker>> workers_;
    std::priority_queue<Event> events_;
    std::int64_t order_ = 0;
    std::uint64_t drawn_ = 0;
    double now_ = 0;
    Saved saved_;
};

}  // namespace lockstep::test
