#include "rl/server/parameter_server.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "lockstep/base/error.hpp"
#include "lockstep/base/index.hpp"

#include "rl/modes/shares.hpp"
#include "rl/server/shard_messages.hpp"

namespace lockstep::rl {
namespace {

// A lease that takes so much longer than it should is somebody else's.
constexpr double patience_seconds = 5;
constexpr double patience_factor = 10;
constexpr double patience_unknown = 600;
// For workers to come back to a server that was started anew.
constexpr double patience_return = 15;
constexpr std::int64_t most_threads = 4096;

// Learner and what waits to be sent, as a worker packs them; nothing waits yet.
std::vector<std::byte> first_state(const World& world, const LearnOptions& options, int item) {
    ByteWriter learner;
    world.learner(options, static_cast<std::uint32_t>(item), options.workers)->save(learner);
    ByteWriter state;
    state.add_array(learner.bytes());
    state.add_array(encode(Delta{}, Width::f64));
    return state.take();
}

}  // namespace

Digest task_of(const World& world, const LearnOptions& options) {
    DigestBuilder task;
    task.add(world.describe());
    task.add(world.states());
    task.add(world.actions());
    task.add(to_string(options.algorithm));
    task.add(options.discount_factor);
    task.add(to_string(options.learning_rate));
    task.add(to_string(options.exploration.rule));
    task.add(to_string(options.exploration.level));
    task.add(options.exploration.random_ties);
    task.add(options.initial_value);
    task.add(options.seed);
    task.add(options.n_steps);
    task.add(options.lambda);
    task.add(options.workers);
    task.add(options.compression_ratio);
    task.add(options.error_feedback);
    task.add(options.staleness);
    return task.digest();
}

ParameterServer::ParameterServer(const World& world,
                                 const LearnOptions& options,
                                 TableStore& table,
                                 runtime::ThreadTeam& threads,
                                 const Settings& settings)
    : options_(options),
      settings_(settings),
      threads_(threads),
      shared_(table,
              {0, 1 + static_cast<int>(settings.others.size())},
              settings.keep_own && options.staleness != 0),
      combiner_(options.combine, options.learning_rate, options.workers),
      retention_(options.learning_rate),
      task_(task_of(world, options)),
      rule_{options.transitions_of_a_round(), options.lease_seconds},
      ledger_(options.workers, options.staleness),
      items_(at(options.workers)),
      others_have_(settings.others.size()),
      left_(options.steps) {
    for (int i = 0; i < options.workers; ++i) {
        items_[at(i)].state = first_state(world, options, i);
    }
    if (options.first_table) {
        shared_.renew();  // workers begin without it
    }
    plan_round();
}

template <typename F>
void ParameterServer::release_if(F&& is_lost) {
    std::vector<LeaseId> lost;
    for (const auto& [id, held] : held_) {
        if (is_lost(id, held)) {
            lost.push_back(id);
        }
    }
    std::for_each(lost.begin(), lost.end(), [this](const LeaseId& id) { release(id); });
}

void ParameterServer::on_message(std::int64_t peer,
                                 std::span<const std::byte> message,
                                 double now) {
    try {
        hear(peer, message, now);
    } catch (const InputError& error) {
        refuse(peer, error.what());
    }
    grant_all(now);
}

void ParameterServer::hear(std::int64_t peer, std::span<const std::byte> message, double now) {
    const auto kind = kind_of(message);
    if (kind == MessageKind::hello) {
        return greet(peer, unpack_hello(message), now);
    }
    if (kind == MessageKind::arrived) {
        return note_arrived(peer, unpack_leases(message));
    }
    if (kind == MessageKind::failed && std::ranges::count(settings_.others, peer) > 0) {
        failure_ = unpack_text(message);
        return;
    }
    const auto known = peers_.find(peer);
    if (known == peers_.end()) {
        letters_.push_back({peer, pack(MessageKind::again)});
        return;
    }
    Worker& worker = workers_.at(known->second);
    worker.heard = now;
    if (std::exchange(worker.is_suspected, false)) {
        note(WorkerEvent::Kind::back, known->second);
    }
    if (kind == MessageKind::push) {
        receive(known->second, unpack_push(message));
    } else if (kind == MessageKind::failed) {
        failure_ = unpack_text(message);
    } else if (kind == MessageKind::ask) {
        ask(known->second);
    }
}

void ParameterServer::ask(std::int64_t number) {
    if (!std::exchange(workers_.at(number).is_asking, true)) {
        asking_.push_back(number);
    }
}

// A push asks for more, once it counts: what its worker gets next has it.
void ParameterServer::receive(std::int64_t number, Push push) {
    if (!is_whole(push)) {
        incomplete_.push_back({number, std::move(push)});
        return;
    }
    take(number, std::move(push));
    ask(number);
}

// Of leases that do not count any more nothing is to come.
bool ParameterServer::is_whole(const Push& push) const {
    return std::ranges::all_of(push.results, [&](const LeaseResult& result) {
        const auto held = held_.find(result.id);
        return held == held_.end() || held->second.arrived == settings_.others.size();
    });
}

void ParameterServer::note_arrived(std::int64_t peer, std::span<const LeaseId> leases) {
    for (const LeaseId& id : leases) {
        if (const auto held = held_.find(id); held != held_.end()) {
            ++held->second.arrived;
        } else {
            letters_.push_back({peer, pack(MessageKind::forget, {id})});
        }
    }
    const auto is_ready = [this](const Incomplete& one) { return is_whole(one.push); };
    for (auto next = std::ranges::find_if(incomplete_, is_ready); next != incomplete_.end();
         next = std::ranges::find_if(incomplete_, is_ready)) {
        Incomplete ready = std::move(*next);
        incomplete_.erase(next);
        try {
            receive(ready.worker, std::move(ready.push));
        } catch (const InputError& error) {
            refuse(*workers_.at(ready.worker).peer, error.what());
        }
    }
}

void ParameterServer::tell_others(const std::vector<std::byte>& bytes) {
    for (const std::int64_t peer : settings_.others) {
        letters_.push_back({peer, bytes});
    }
}

// Who was known to the server's session before keeps its number and its leases.
void ParameterServer::greet(std::int64_t peer, const Hello& hello, double now) {
    if (hello.task != task_) {
        throw InputError(
            "this worker learns something else than the server: start both with the "
            "same environment and options");
    }
    if (hello.threads < 1 || hello.threads > most_threads) {
        throw InputError(
            fmt::format("a worker has {} threads: must be 1 to {}", hello.threads, most_threads));
    }
    if (const auto before = peers_.find(peer); before != peers_.end()) {
        lose(before->second);
    }
    auto number = hello.worker;
    const auto returning = workers_.find(number);
    if (hello.run != settings_.run || returning == workers_.end() || returning->second.peer) {
        number = next_worker_++;
    }
    Worker& worker = workers_[number];
    worker.peer = peer;
    worker.threads = hello.threads;
    worker.heard = now;
    worker.has_version = 0;
    release_if([&](const LeaseId& id, const Held& held) {
        return held.worker == number &&
               std::find(hello.leases.begin(), hello.leases.end(), id) == hello.leases.end();
    });
    peers_[peer] = number;
    worker.is_suspected = false;
    note(WorkerEvent::Kind::came, number);
    send(worker, pack(Welcome{settings_.run, number, worker.last_push, settings_.heartbeat}));
}

void ParameterServer::take(std::int64_t number, Push push) {
    Worker& worker = workers_.at(number);
    if (push.sequence <= worker.last_push) {
        ledger_.refuse();
        worker.has_version = 0;
        return;
    }
    bool counts = false;
    for (LeaseResult& result : push.results) {
        const auto found = held_.find(result.id);
        if (found == held_.end() || found->second.worker != number) {
            ledger_.refuse();
            worker.has_version = 0;  // its copy has what the table will not have
            continue;
        }
        const Held held = found->second;
        take(held, std::move(result));
        held_.erase(found);
        items_[at(held.item)].is_leased = false;
        counts = true;
    }
    worker.last_push = push.sequence;
    worker.clock += static_cast<std::int64_t>(counts);
    if (!push.results.empty()) {
        // Pushes come in the order of leases: those before it were overtaken, or are lost.
        release_if([&](const LeaseId& id, const Held& held) {
            return held.worker == number && id < push.results.back().id;
        });
    }
    if (has_rounds()) {
        end_round();
    }
}

void ParameterServer::take(const Held& held, LeaseResult result) {
    Delta delta = decode(result.delta, shared_.shape().cells());
    if (result.counts.transitions != held.transitions ||
        (!has_rounds() && result.losses.size() != delta.size()) ||
        !std::all_of(delta.changes.begin(), delta.changes.end(), [](double change) {
            return std::isfinite(change);
        })) {
        throw InputError("a push is not what its lease asks for");
    }
    workers_.at(held.worker).speed.add(static_cast<double>(held.transitions), result.seconds);
    note(result);
    if (has_rounds()) {
        keep_for_round(held, result, std::move(delta));
    } else {
        compose(held, result, delta);
    }
}

void ParameterServer::note(const LeaseResult& result) {
    learn_seconds_ += result.seconds;
    returns_.insert(returns_.end(), result.returns.begin(), result.returns.end());
    while (returns_.size() > Tally::kept) {
        returns_.pop_front();
    }
}

void ParameterServer::add_returns(std::vector<double>& returns) const {
    returns.insert(returns.end(), returns_.begin(), returns_.end());
}

void ParameterServer::compose(const Held& held, LeaseResult& result, const Delta& delta) {
    const auto pushes = static_cast<std::int64_t>(shared_.version() - held.version);
    const std::int64_t age = pushes / std::max<std::int64_t>(1, threads());
    const double share = options_.delay_adaptive ? 1 / (1 + static_cast<double>(age)) : 1;
    std::vector<double> left;
    for (const std::uint32_t loss : result.losses) {
        left.push_back(retention_.left(loss));
    }
    shared_.compose(delta, left, share, static_cast<std::uint32_t>(held.worker));
    tell_others(pack(Apply{share, {result.id}}));
    ledger_.count(result.id, age);
    counts_.add(result.counts);
    items_[at(held.item)].state = std::move(result.state);
}

void ParameterServer::keep_for_round(const Held& held, LeaseResult& result, Delta delta) {
    Item& item = items_[at(held.item)];
    item.is_in = true;
    item.is_pending = true;
    item.id = result.id;
    item.delta = std::move(delta);
    item.next_state = std::move(result.state);
    item.next_counts = result.counts;
}

// In the order of the environments, whoever played them when.
void ParameterServer::end_round() {
    if (planned_ == 0 ||
        !std::all_of(items_.begin(), items_.end(), [](const Item& item) { return item.is_in; })) {
        return;
    }
    std::vector<const Delta*> deltas;
    for (const Item& item : items_) {
        deltas.push_back(&item.delta);
    }
    shared_.combine(deltas, combiner_, threads_);
    Apply step;
    for (Item& item : items_) {
        step.leases.push_back(item.is_pending ? item.id : LeaseId{});
        if (item.is_pending) {
            ledger_.count(item.id, 0);
            counts_.add(item.next_counts);
            item.state = std::move(item.next_state);
        }
    }
    tell_others(pack(step));
    ++round_;
    plan_round();
}

// Who has no share of the last round learns nothing in it, but may have changes that wait.
void ParameterServer::plan_round() {
    if (!has_rounds()) {
        return;
    }
    const auto count = static_cast<std::int64_t>(items_.size());
    planned_ =
        std::min(options_.transitions_of_a_round() * count, options_.steps - ledger_.transitions());
    for (std::int64_t i = 0; i < count; ++i) {
        Item& item = items_[at(i)];
        item.is_in =
            planned_ == 0 || (options_.compression_ratio == 0 && share_of(planned_, i, count) == 0);
        item.is_pending = false;
        item.delta.clear();
    }
}

void ParameterServer::on_leave(std::int64_t peer, double now) {
    if (const auto known = peers_.find(peer); known != peers_.end()) {
        note(WorkerEvent::Kind::left, known->second);
        lose(known->second);
        grant_all(now);
    }
}

void ParameterServer::suspect(double now) {
    for (auto& [number, worker] : workers_) {
        const double silent = now - worker.heard;
        if (worker.peer && !worker.is_suspected && silent > settings_.suspect_after) {
            worker.is_suspected = true;
            note(WorkerEvent::Kind::suspected, number, silent);
        }
    }
}

int ParameterServer::suspected() const {
    return static_cast<int>(std::ranges::count_if(
        workers_, [](const auto& entry) { return entry.second.is_suspected; }));
}

void ParameterServer::note(WorkerEvent::Kind kind, std::int64_t number, double silent) {
    events_.push_back({kind, number, silent});
}

std::vector<WorkerEvent> ParameterServer::take_events() {
    return std::exchange(events_, {});
}

std::vector<WorkerTable> ParameterServer::worker_tables() const {
    std::vector<WorkerTable> tables;
    for (const auto& [number, worker] : workers_) {
        tables.push_back({number,
                          static_cast<std::int64_t>(worker.has_version),
                          static_cast<std::int64_t>(version() - worker.has_version)});
    }
    return tables;
}

void ParameterServer::tick(double now) {
    suspect(now);
    std::vector<std::int64_t> silent;
    for (const auto& [number, worker] : workers_) {
        if (now - worker.heard > (worker.peer ? settings_.dead_after : patience_return)) {
            silent.push_back(number);
        }
    }
    for (const std::int64_t number : silent) {
        if (const auto peer = workers_.at(number).peer) {
            dropped_.push_back(*peer);
        }
        note(WorkerEvent::Kind::lost, number, now - workers_.at(number).heard);
        lose(number);
    }
    release_if([now](const LeaseId&, const Held& held) { return now > held.deadline; });
    grant_all(now);
}

void ParameterServer::release(const LeaseId& id) {
    const Held held = held_.at(id);
    held_.erase(id);
    items_[at(held.item)].is_leased = false;
    left_ += held.transitions;
    ledger_.release(id);
    tell_others(pack(MessageKind::forget, {id}));
}

void ParameterServer::lose(std::int64_t number) {
    release_if([number](const LeaseId&, const Held& held) { return held.worker == number; });
    if (const auto peer = workers_.at(number).peer) {
        peers_.erase(*peer);
    }
    workers_.erase(number);
    std::erase(asking_, number);
    std::erase_if(incomplete_, [number](const Incomplete& one) { return one.worker == number; });
}

void ParameterServer::refuse(std::int64_t peer, const std::string& text) {
    letters_.push_back({peer, pack(MessageKind::refusal, text)});
    dropped_.push_back(peer);
    if (const auto known = peers_.find(peer); known != peers_.end()) {
        lose(known->second);
    }
}

void ParameterServer::grant_all(double now) {
    std::deque<std::int64_t> still;
    for (const std::int64_t number : std::exchange(asking_, {})) {
        Worker& worker = workers_.at(number);
        worker.is_asking = !grant(number, worker, now);
        if (worker.is_asking) {
            still.push_back(number);
        }
    }
    asking_ = std::move(still);
}

// A worker that comes late, or has waited for long, starts with the slowest. With staleness it may
// have its next leases while it plays, which are then one further.
bool ParameterServer::grant(std::int64_t number, Worker& worker, double now) {
    const auto ahead = works_of(number);
    if (is_time_up(now) || ahead > (has_rounds() ? 0 : 1)) {
        return false;
    }
    const auto lowest = lowest_clock();
    if (has_rounds()) {
        worker.clock = round_;
    } else if (lowest) {
        worker.clock = std::max(worker.clock, *lowest);
        if (options_.staleness >= 0 && worker.clock + ahead > *lowest + options_.staleness) {
            return false;
        }
    }
    const auto clock = worker.clock + ahead;
    Work work;
    work.acknowledged = worker.last_push;
    while (std::ssize(work.leases) < worker.threads) {
        const auto item = left_ > 0 || has_rounds() ? next_item() : std::nullopt;
        if (!item) {
            break;
        }
        const auto size = size_for(worker, *item, now);
        const LeaseId id{settings_.session, next_lease_++};
        const double rate = worker.speed.rate();
        const double patience =
            rate > 0 ? patience_seconds + patience_factor * static_cast<double>(size) / rate
                     : patience_unknown;
        const double deadline = now + static_cast<double>(1 + ahead) * patience;
        ledger_.open(id, {*item, ledger_.transitions(*item), size, clock});
        held_[id] = {number, *item, size, clock, shared_.version(), deadline, 0};
        items_[at(*item)].is_leased = true;
        left_ -= size;
        work.leases.push_back({id, *item, size, items_[at(*item)].state});
    }
    if (work.leases.empty()) {
        return false;
    }
    work.news = news_for(number, worker);
    send(worker, pack(work));
    return true;
}

// Who has nothing yet, or more than the table has, gets all.
News ParameterServer::news_for(std::int64_t number, Worker& worker) const {
    const auto reader = worker.has_version > 0 ? static_cast<std::uint32_t>(number) : 0;
    News news = shared_.newer_than(worker.has_version, reader);
    if (settings_.is_narrow && !has_rounds()) {
        news.width = scaled_if_moderate(news.values);
    } else if (options_.table_precision == Precision::f32) {
        news.width = narrowest(news.values);
    }
    worker.has_version = news.version;
    return news;
}

// Leases that were handed out together have one clock.
std::int64_t ParameterServer::works_of(std::int64_t number) const {
    std::set<std::int64_t> clocks;
    for (const auto& [id, held] : held_) {
        if (held.worker == number) {
            clocks.insert(held.clock);
        }
    }
    return std::ssize(clocks);
}

// The environment that has played least; of these the first.
std::optional<std::int32_t> ParameterServer::next_item() const {
    std::optional<std::int32_t> next;
    for (std::int32_t i = 0; i < std::ssize(items_); ++i) {
        const Item& item = items_[at(i)];
        if (!item.is_leased && !item.is_in &&
            (!next || ledger_.transitions(i) < ledger_.transitions(*next))) {
            next = i;
        }
    }
    return next;
}

std::int64_t ParameterServer::size_for(const Worker& worker, std::int32_t item, double now) const {
    if (has_rounds()) {
        return share_of(planned_, item, std::ssize(items_));
    }
    LeaseRule::Speeds speeds{worker.speed.rate(), 0, 0};
    for (const auto& [number, other] : workers_) {
        speeds.fastest = std::max(speeds.fastest, other.speed.rate());
        speeds.all += other.speed.rate() * static_cast<double>(other.threads);
    }
    return rule_.size(speeds, left_, rest_at_ - now);
}

std::optional<std::int64_t> ParameterServer::lowest_clock() const {
    std::optional<std::int64_t> lowest;
    for (const auto& [id, held] : held_) {
        lowest = std::min(lowest.value_or(held.clock), held.clock);
    }
    return lowest;
}

std::int64_t ParameterServer::threads() const {
    std::int64_t threads = 0;
    for (const auto& [number, worker] : workers_) {
        threads += worker.threads;
    }
    return threads;
}

void ParameterServer::send(const Worker& worker, std::vector<std::byte> bytes) {
    if (worker.peer) {
        letters_.push_back({*worker.peer, std::move(bytes)});
    }
}

std::vector<Letter> ParameterServer::take_letters() {
    return std::exchange(letters_, {});
}

std::vector<std::int64_t> ParameterServer::take_dropped() {
    return std::exchange(dropped_, {});
}

void ParameterServer::open(double rest_at, double now) {
    rest_at_ = rest_at;
    last_round_ = rest_at == never ? std::numeric_limits<std::int64_t>::max() : round_ + 1;
    grant_all(now);
}

bool ParameterServer::is_time_up(double now) const {
    return has_rounds() ? round_ >= last_round_ : now >= rest_at_;
}

bool ParameterServer::is_at_rest(double now) const {
    return held_.empty() && (is_time_up(now) || is_done());
}

void ParameterServer::rest() {
    for (auto& [number, worker] : workers_) {
        worker.is_asking = false;
        send(worker, pack(MessageKind::rest, news_for(number, worker)));
    }
    asking_.clear();
    for (std::size_t i = 0; i < others_have_.size(); ++i) {
        const auto news = shared_.newer_than(std::exchange(others_have_[i], version()));
        letters_.push_back({settings_.others[i], pack(MessageKind::rest, news)});
    }
}

void ParameterServer::end() {
    for (const auto& [peer, number] : peers_) {
        letters_.push_back({peer, pack(MessageKind::end)});
    }
}

void ParameterServer::save(ByteWriter& bytes) const {
    bytes.add(settings_.run);
    bytes.add(next_worker_);
    bytes.add(round_);
    bytes.add(counts_);
    for (const Item& item : items_) {
        bytes.add_array(item.state);
    }
    Ledger ledger = ledger_;
    std::vector<std::pair<LeaseId, Held>> held(held_.begin(), held_.end());
    if (has_rounds()) {
        std::for_each(
            held.begin(), held.end(), [&](const auto& entry) { ledger.release(entry.first); });
        for (const Item& item : items_) {
            if (item.is_pending) {
                ledger.release(item.id);
            }
        }
        held.clear();
    }
    ledger.save(bytes);
    bytes.add(static_cast<std::uint64_t>(held.size()));
    for (const auto& [id, lease] : held) {
        const Worker& worker = workers_.at(lease.worker);
        bytes.add(id);
        bytes.add(lease.worker);
        bytes.add(std::int64_t{lease.item});
        bytes.add(lease.transitions);
        bytes.add(lease.clock);
        bytes.add(worker.clock);
        bytes.add(worker.last_push);
    }
}

void ParameterServer::load(ByteReader& bytes, double now) {
    settings_.run = bytes.read<std::uint64_t>();
    next_worker_ = bytes.read<std::int64_t>();
    round_ = bytes.read<std::int64_t>();
    counts_ = bytes.read<Counts>();
    for (Item& item : items_) {
        item = {};
        item.state = bytes.read_array<std::byte>();
    }
    ledger_.load(bytes);
    left_ = options_.steps - ledger_.transitions();
    held_.clear();
    workers_.clear();
    peers_.clear();
    asking_.clear();
    incomplete_.clear();
    letters_.clear();
    for (auto left = bytes.read<std::uint64_t>(); left > 0; --left) {
        const auto id = bytes.read<LeaseId>();
        Held held;
        held.worker = bytes.read<std::int64_t>();
        const auto item = bytes.read<std::int64_t>();
        held.transitions = bytes.read<std::int64_t>();
        held.clock = bytes.read<std::int64_t>();
        if (item < 0 || item >= std::ssize(items_)) {
            throw InputError("the checkpoint has a lease of an environment that does not exist");
        }
        held.item = static_cast<std::int32_t>(item);
        held.deadline = now + patience_return;
        Worker& worker = workers_[held.worker];
        worker.clock = bytes.read<std::int64_t>();
        worker.last_push = bytes.read<std::int64_t>();
        worker.heard = now;
        items_[at(item)].is_leased = true;
        left_ -= held.transitions;
        held_[id] = held;
    }
    shared_.renew();
    plan_round();
}

}  // namespace lockstep::rl
