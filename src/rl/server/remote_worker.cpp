#include <algorithm>
#include <chrono>
#include <optional>
#include <utility>

#include "lockstep/base/error.hpp"
#include "lockstep/base/stopwatch.hpp"
#include "lockstep/comm/communicator.hpp"
#include "lockstep/rl/serve.hpp"

#include "rl/learn/table_store.hpp"
#include "rl/server/messages.hpp"
#include "rl/server/parameter_server.hpp"
#include "rl/server/server_worker.hpp"

namespace lockstep::rl {
namespace {

using comm::PeerFailed;

constexpr std::chrono::milliseconds longest_wait{200};
constexpr std::chrono::seconds patience_for_task{30};

/// What is between a worker and its server while they are connected.
class Visit {
public:
    Visit(comm::HubClient& hub, ServerWorker& worker, RemoteWorker::Result& result)
        : hub_(hub), worker_(worker), result_(result) {}

    void send(const std::vector<std::byte>& message) {
        hub_.send(message);
        silent_ = {};
    }
    void beat() {
        if (silent_.seconds() >= heartbeat_) {
            send(pack(MessageKind::beat));
        }
    }
    void set_heartbeat(double seconds) { heartbeat_ = seconds; }
    [[nodiscard]] std::optional<std::vector<std::byte>> wait() { return hub_.wait(longest_wait); }

    /// A lost server is noticed when there is something to push.
    [[nodiscard]] Push play(const Work& work) {
        bool is_lost = false;
        auto push = worker_.play(work, [&] {
            try {
                if (!is_lost) {
                    beat();
                }
            } catch (const PeerFailed&) {
                is_lost = true;
            }
        });
        for (const auto& one : push.results) {
            result_.transitions += one.counts.transitions;
            result_.learn_seconds += one.seconds;
            ++result_.leases;
        }
        return push;
    }

private:
    comm::HubClient& hub_;
    ServerWorker& worker_;
    RemoteWorker::Result& result_;
    Stopwatch silent_;
    double heartbeat_ = 1;
};

/// A worker over all its visits.
class Service {
public:
    Service(const World& world, const LearnOptions& options, runtime::ThreadTeam& threads)
        : table_(world, options),
          worker_(world, options, threads, table_),
          threads_(threads.size()),
          asks_early_(options.staleness != 0),
          task_(task_of(world, options)) {
        worker_.keep_own();
    }

    /// @returns false: the server has no more work, or the caller wants to stop
    /// @throws PeerFailed  the server is gone
    bool visit(comm::HubClient& hub, const std::function<bool()>& stop_requested) {
        Visit visit(hub, worker_, result);
        greet(visit);
        while (!stop_requested || !stop_requested()) {
            visit.beat();
            if (const auto message = visit.wait(); message && !obey(*message, visit)) {
                return false;
            }
        }
        return false;
    }

    RemoteWorker::Result result;

private:
    void greet(Visit& visit) {
        Hello hello{run_, number_, threads_, {}, task_};
        for (const auto& one : unsent_ ? unsent_->results : std::vector<LeaseResult>{}) {
            hello.leases.push_back(one.id);
        }
        visit.send(pack(hello));
    }
    bool obey(std::span<const std::byte> message, Visit& visit) {
        switch (kind_of(message)) {
            case MessageKind::welcome:
                return settle(unpack_welcome(message), visit);
            case MessageKind::work:
                return work(unpack_work(message), visit);
            case MessageKind::again:
                greet(visit);
                return true;
            case MessageKind::refusal:
                throw InputError(unpack_text(message));
            case MessageKind::end:
                return false;
            default:
                return true;
        }
    }
    bool settle(const Welcome& welcome, Visit& visit) {
        run_ = welcome.run;
        number_ = welcome.worker;
        visit.set_heartbeat(welcome.heartbeat);
        if (unsent_) {
            push(visit);
        } else {
            visit.send(pack(MessageKind::ask));
        }
        return true;
    }
    bool work(const Work& work, Visit& visit) {
        if (!worker_.is_new(work)) {
            return true;
        }
        if (asks_early_) {
            visit.send(pack(MessageKind::ask));
        }
        try {
            unsent_ = visit.play(work);
        } catch (const ModelError& error) {
            visit.send(pack(MessageKind::failed, error.what()));
            throw;
        }
        push(visit);
        return true;
    }
    // What could not be sent stays.
    void push(Visit& visit) {
        visit.send(pack(*unsent_));
        unsent_.reset();
    }

    TableStore table_;
    ServerWorker worker_;
    std::int64_t threads_;
    bool asks_early_;  // so that the next leases are here when these are done
    Digest task_;
    std::uint64_t run_ = 0;
    std::int64_t number_ = 0;
    std::optional<Push> unsent_;
};

}  // namespace

RemoteWorker::RemoteWorker(comm::HubConfig config) : config_(std::move(config)) {
    connect();
}

RemoteWorker::~RemoteWorker() = default;

void RemoteWorker::connect() {
    hub_ = std::make_unique<comm::HubClient>(config_);
    auto task = hub_->wait(patience_for_task);
    if (!task) {
        throw CommError("the server says nothing: is it busy, or another program?");
    }
    task_ = std::move(*task);
}

RemoteWorker::Result RemoteWorker::work(const World& world,
                                        const LearnOptions& options,
                                        runtime::ThreadTeam& threads,
                                        const std::function<bool()>& stop_requested) {
    const Stopwatch clock;
    Service service(world, options, threads);
    for (bool goes_on = true; goes_on;) {
        try {
            goes_on = service.visit(*hub_, stop_requested);
        } catch (const PeerFailed&) {
            ++service.result.reconnects;
            connect();
        }
    }
    service.result.seconds = clock.seconds();
    return service.result;
}

}  // namespace lockstep::rl
