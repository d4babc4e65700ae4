#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <limits>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "lockstep/rl/learn/report.hpp"
#include "lockstep/rl/learn/world.hpp"
#include "lockstep/runtime/thread_team.hpp"

#include "rl/exchange/combine.hpp"
#include "rl/exchange/retention.hpp"
#include "rl/learn/table_store.hpp"
#include "rl/server/lease_size.hpp"
#include "rl/server/ledger.hpp"
#include "rl/server/messages.hpp"
#include "rl/server/shared_table.hpp"
#include "rl/server/speed.hpp"

namespace lockstep::rl {

/// Names what a server and its workers must agree on: environment and options.
Digest task_of(const World& world, const LearnOptions& options);

/// Holds the table and hands out work: told what comes, it says what to send. Knows no network and
/// no clock but the caller's.
///
/// With staleness 0 the environments play rounds as in mode allreduce, and what they learned is
/// combined in their order: the same bits, whoever plays. Otherwise leases are as long as a worker
/// is fast, each push is composed with the table as it arrives, and a worker waits as long as it
/// would be more than `staleness` leases ahead of another one.
/// @par Source  [Ho2013]: stale synchronous parallel; [Adibi2024]: steps by delay
class ParameterServer {
public:
    static constexpr double never = std::numeric_limits<double>::infinity();
    struct Settings {
        std::uint64_t run = 1;             ///< the same after a restart
        std::uint64_t session = 1;         ///< another one after a restart
        double heartbeat = 1;              ///< seconds after which a silent worker tells of itself
        double suspect_after = never;      ///< seconds of silence
        double dead_after = never;         ///< the same
        bool is_narrow = false;            ///< with staleness, values travel as Width::scaled
        bool keep_own = false;             ///< with staleness, workers do: ServerWorker::keep_own()
        std::vector<std::int64_t> others;  ///< peers that hold the other parts of the table
    };
    /// Table, options, world and threads must outlive it.
    ParameterServer(const World& world,
                    const LearnOptions& options,
                    TableStore& table,
                    runtime::ThreadTeam& threads,
                    const Settings& settings);

    /// @param now  seconds, of a clock that never goes back
    void on_message(std::int64_t peer, std::span<const std::byte> message, double now);
    void on_leave(std::int64_t peer, double now);
    /// Looks who is silent; to be called several times a second.
    void tick(double now);

    /// What is to be sent, since the call before.
    [[nodiscard]] std::vector<Letter> take_letters();
    /// On whom to hang up then: silent, or refused.
    [[nodiscard]] std::vector<std::int64_t> take_dropped();

    /// Hands out work until then, and no more than ends about then. With staleness 0 one round,
    /// unless it is never to rest.
    void open(double rest_at, double now);
    /// Time is up or all is done, and nobody works.
    [[nodiscard]] bool is_at_rest(double now) const;
    /// Gives all workers, and all servers, the table as it is.
    void rest();
    /// All transitions count.
    [[nodiscard]] bool is_done() const { return ledger_.transitions() == options_.steps; }
    /// Tells all workers that no work will follow.
    void end();
    /// Why a worker cannot go on, where that is no fault of its own.
    [[nodiscard]] const std::optional<std::string>& failure() const noexcept { return failure_; }

    [[nodiscard]] const Ledger& ledger() const noexcept { return ledger_; }
    [[nodiscard]] const Counts& counts() const noexcept { return counts_; }
    /// Of all threads of all workers, since this server started.
    [[nodiscard]] double learn_seconds() const noexcept { return learn_seconds_; }
    /// Appends what the last episodes paid.
    void add_returns(std::vector<double>& returns) const;
    [[nodiscard]] std::uint64_t version() const noexcept { return shared_.version(); }
    [[nodiscard]] int workers() const noexcept { return static_cast<int>(peers_.size()); }
    [[nodiscard]] std::int64_t threads() const;  ///< of all workers
    [[nodiscard]] int suspected() const;
    /// Since the call before.
    [[nodiscard]] std::vector<WorkerEvent> take_events();
    [[nodiscard]] std::vector<WorkerTable> worker_tables() const;

    /// All but the table. Rounds that are not complete are played again.
    void save(ByteWriter& bytes) const;
    /// Workers of before may come back for a while, with what they have.
    /// @throws InputError  damaged, or of something else
    void load(ByteReader& bytes, double now);

private:
    /// One environment: what its learner goes on from.
    struct Item {
        std::vector<std::byte> state;
        bool is_leased = false;
        // Of the round under way.
        bool is_in = false;       // nothing more is to come
        bool is_pending = false;  // what came is not combined yet
        LeaseId id;
        Delta delta;
        std::vector<std::byte> next_state;
        Counts next_counts;
    };
    struct Worker {
        std::optional<std::int64_t> peer;  // none: it may come back
        std::int64_t threads = 1;
        std::int64_t clock = 0;      // leases, one after the other
        std::int64_t last_push = 0;  // that counted
        std::uint64_t has_version = 0;
        double heard = 0;
        bool is_asking = false;
        bool is_suspected = false;
        Speed speed;
    };
    struct Held {
        std::int64_t worker = 0;
        std::int32_t item = 0;
        std::int64_t transitions = 0;
        std::int64_t clock = 0;
        std::uint64_t version = 0;  // of the table that it learns from
        double deadline = 0;
        std::size_t arrived = 0;  // parts that other servers have
    };
    /// Other servers do not have all of it yet.
    struct Incomplete {
        std::int64_t worker = 0;
        Push push;
    };

    [[nodiscard]] bool has_rounds() const noexcept { return options_.staleness == 0; }

    void hear(std::int64_t peer, std::span<const std::byte> message, double now);
    void greet(std::int64_t peer, const Hello& hello, double now);
    void receive(std::int64_t number, Push push);
    void note_arrived(std::int64_t peer, std::span<const LeaseId> leases);
    [[nodiscard]] bool is_whole(const Push& push) const;
    void ask(std::int64_t number);
    void tell_others(const std::vector<std::byte>& bytes);
    void take(std::int64_t number, Push push);
    void take(const Held& held, LeaseResult result);
    void note(const LeaseResult& result);
    void compose(const Held& held, LeaseResult& result, const Delta& delta);
    void keep_for_round(const Held& held, LeaseResult& result, Delta delta);
    void end_round();
    void plan_round();
    [[nodiscard]] bool is_time_up(double now) const;
    void release(const LeaseId& id);
    template <typename F>
    void release_if(F&& is_lost);
    void suspect(double now);
    void lose(std::int64_t number);
    void note(WorkerEvent::Kind kind, std::int64_t number, double silent = 0);
    void refuse(std::int64_t peer, const std::string& text);

    void grant_all(double now);
    bool grant(std::int64_t number, Worker& worker, double now);
    [[nodiscard]] std::int64_t works_of(std::int64_t number) const;
    [[nodiscard]] std::optional<std::int32_t> next_item() const;
    [[nodiscard]] std::int64_t size_for(const Worker& worker, std::int32_t item, double now) const;
    [[nodiscard]] std::optional<std::int64_t> lowest_clock() const;
    [[nodiscard]] News news_for(std::int64_t number, Worker& worker) const;
    void send(const Worker& worker, std::vector<std::byte> bytes);

    const LearnOptions& options_;
    Settings settings_;
    runtime::ThreadTeam& threads_;
    SharedTable shared_;
    Combiner combiner_;
    Retention retention_;
    Digest task_;
    LeaseRule rule_;
    Ledger ledger_;
    Counts counts_;
    double learn_seconds_ = 0;
    std::deque<double> returns_;

    std::vector<Item> items_;
    std::map<LeaseId, Held> held_;
    std::vector<Incomplete> incomplete_;
    std::vector<std::uint64_t> others_have_;  // versions, as Settings::others
    std::int64_t next_lease_ = 1;
    std::int64_t left_ = 0;     // transitions that are neither done nor leased
    std::int64_t round_ = 0;    // with rounds: those that are done
    std::int64_t planned_ = 0;  // transitions of the round under way
    std::int64_t last_round_ = 0;
    double rest_at_ = 0;

    std::map<std::int64_t, Worker> workers_;      // by number
    std::map<std::int64_t, std::int64_t> peers_;  // number of the worker
    std::int64_t next_worker_ = 1;
    std::deque<std::int64_t> asking_;  // numbers, first come first served
    std::vector<Letter> letters_;
    std::vector<std::int64_t> dropped_;
    std::vector<WorkerEvent> events_;
    std::optional<std::string> failure_;
};

}  // namespace lockstep::rl
