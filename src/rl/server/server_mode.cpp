#include <algorithm>
#include <chrono>
#include <exception>
#include <optional>
#include <type_traits>
#include <utility>

#include "lockstep/base/error.hpp"
#include "lockstep/base/index.hpp"
#include "lockstep/base/stopwatch.hpp"
#include "lockstep/runtime/courier.hpp"

#include "rl/modes/learning_mode.hpp"
#include "rl/server/parameter_server.hpp"
#include "rl/server/server_figures.hpp"
#include "rl/server/server_worker.hpp"
#include "rl/server/shard_messages.hpp"
#include "rl/server/shard_server.hpp"

namespace lockstep::rl {
namespace {

// Between two slices all ranks meet: for reports, checkpoints and the wish to stop.
constexpr double seconds_of_a_slice = 0.25;
constexpr std::chrono::milliseconds longest_wait{50};
constexpr std::uint32_t letter = 1;  // the kind of all that travels

/// The first ranks serve, rank 0 first among them, the others work; a rank that is alone does both
/// in turns. Ranks are one more than servers, or there are fewer servers.
///
/// A round is a slice of time, or with staleness 0 one round of the server. When it ends nobody
/// works, and all ranks have the server's table. A slice in which a rank was lost is done again.
class ServerMode final : public LearningMode {
public:
    explicit ServerMode(const ModeContext& context) : context_(context) { start(); }

    void play(std::int64_t transitions_done) override {
        figures_.transitions = transitions_done;
        keep();
        try {
            rests_ = servers_ - static_cast<int>(!worker_);
            if (is_server()) {
                serve();
            } else if (shard_) {
                hold_shard();
            } else {
                work();
            }
        } catch (const comm::PeerFailed&) {
            // Who is lost is told by the exchange that follows.
        }
    }
    [[nodiscard]] std::int64_t planned() const override {
        return next_.transitions - figures_.transitions;
    }
    void exchange() override {
        if (is_server()) {
            next_ = figures_of(*server_);
        }
        context_.team.ranks.broadcast(std::span(&next_, 1), 0);
    }
    void commit() override { figures_ = next_; }
    void drop() override {
        context_.table.store() = kept_;
        if (server_) {
            load_server(state_);
        }
    }
    void repartition() override {
        if (is_server() && !server_) {
            throw CommError("the rank that served is lost; resume from the newest checkpoint");
        }
        if (server_) {
            state_ = server_state();
        }
        start();
        load_parts(state_);
    }

    [[nodiscard]] Counts counts() const override { return figures_.counts; }
    void add_returns(std::vector<double>& returns) const override {
        if (server_) {
            server_->add_returns(returns);
        }
    }
    ModeFigures take_figures() override {
        ModeFigures figures;
        if (worker_) {
            const auto own = worker_->take_figures();
            figures.learn_seconds = own.seconds;
            figures.transitions = own.transitions;
            figures.entries_changed = own.entries_changed;
            figures.entries_sent = own.entries_sent;
        }
        figures.bytes_sent = std::exchange(bytes_sent_, 0);
        figures.bytes_received = std::exchange(bytes_received_, 0);
        return figures;
    }
    void describe(LearnReport& report) override {
        report_on(figures_, reported_, report);
        if (server_) {
            report.worker_events = server_->take_events();
            report.worker_tables = server_->worker_tables();
        }
        reported_ = figures_;
    }

    void save(ByteWriter& bytes) override {
        auto state = is_server() ? server_state() : std::vector<std::byte>{};
        comm::broadcast_list(context_.team.ranks, state, 0);
        bytes.add_array(state);
    }
    void load(ByteReader& bytes) override {
        const auto state = bytes.view_array<std::byte>();
        start();
        ParameterServer reader(
            context_.world, context_.options, context_.table, context_.team.threads, {});
        ByteReader own(state);
        reader.load(own, 0);
        figures_ = figures_of(reader);
        reported_ = figures_;
        load_parts(state);
    }

private:
    [[nodiscard]] int rank() const { return context_.team.ranks.rank(); }
    [[nodiscard]] bool is_server() const { return rank() == 0; }
    [[nodiscard]] bool is_alone() const { return context_.team.ranks.size() == 1; }

    // Collective.
    void start() {
        courier_.emplace(context_.team.ranks);
        server_.reset();
        shard_.reset();
        worker_.reset();
        const auto& [world, options, team, table] = context_;
        servers_ = std::clamp(team.ranks.size() - 1, 1, options.servers);
        if (is_server()) {
            ParameterServer::Settings settings;
            for (int rank = 1; rank < servers_; ++rank) {
                settings.others.push_back(rank);
            }
            server_.emplace(world, options, table, team.threads, settings);
        } else if (rank() < servers_) {
            shard_.emplace(
                options, table, team.threads, ShardServer::Settings{{rank(), servers_}, 0, false});
        }
        if (rank() >= servers_ || is_alone()) {
            worker_.emplace(world, options, team.threads, table);
        }
        versions_.assign(at(servers_), 0);
        work_.reset();
        is_known_ = false;
    }
    // What drop() goes back to, where a rank may be lost.
    void keep() {
        if (!context_.team.ranks.can_recover() || is_alone()) {
            return;
        }
        kept_ = context_.table.store();
        if (is_server()) {
            state_ = server_state();
        }
    }
    [[nodiscard]] std::vector<std::byte> server_state() const {
        ByteWriter bytes;
        server_->save(bytes);
        return bytes.take();
    }
    void load_server(std::span<const std::byte> state) {
        ByteReader bytes(state);
        server_->load(bytes, clock_.seconds());
    }
    // After start(), as the table is what it was then.
    void load_parts(std::span<const std::byte> state) {
        if (server_) {
            load_server(state);
        }
        if (shard_) {
            shard_->renew();
        }
    }
    // Greets once, then only asks.
    std::vector<std::vector<std::byte>> first_words() {
        std::vector<std::vector<std::byte>> words;
        if (!std::exchange(is_known_, true)) {
            Hello hello;
            hello.threads = context_.team.threads.size();
            hello.task = task_of(context_.world, context_.options);
            words.push_back(pack(hello));
        }
        words.push_back(pack(MessageKind::ask));
        return words;
    }

    void post(int to, std::span<const std::byte> message) {
        courier_->send(to, letter, message);
        bytes_sent_ += std::ssize(message);
    }
    std::optional<runtime::Courier::Received> await(std::chrono::milliseconds limit) {
        auto received = courier_->wait(limit);
        if (received) {
            bytes_received_ += std::ssize(received->payload);
        }
        return received;
    }

    void serve() {
        missing_ = is_alone() ? 1 : context_.team.ranks.size() - servers_;
        server_->open(clock_.seconds() + seconds_of_a_slice, clock_.seconds());
        if (is_alone()) {
            for (const auto& words : first_words()) {
                hear(0, words);
            }
        }
        while (missing_ > 0 || !server_->is_at_rest(clock_.seconds())) {
            send_letters();
            if (auto received = await(is_alone() ? std::chrono::milliseconds(0) : longest_wait)) {
                hear(received->from, received->payload);
            }
            if (server_->failure() || has_nobody()) {
                break;
            }
            server_->tick(clock_.seconds());
        }
        server_->rest();
        send_letters();
        while (rests_ > 0) {
            if (const auto received = await(pause())) {
                hear(received->from, received->payload);
                send_letters();
            }
        }
        send_all();
    }
    // All workers were refused; why is for them to tell.
    [[nodiscard]] bool has_nobody() const { return missing_ == 0 && server_->workers() == 0; }
    void hear(int from, std::span<const std::byte> message) {
        if (kind_of(message) == MessageKind::rest) {
            return take_rest(message);
        }
        missing_ -= static_cast<int>(kind_of(message) == MessageKind::ask);
        server_->on_message(from, message, clock_.seconds());
    }
    // Those to this rank itself are obeyed at once.
    void send_letters() {
        for (auto letters = server_->take_letters(); !letters.empty();
             letters = server_->take_letters()) {
            for (const auto& [peer, bytes] : letters) {
                if (is_alone()) {
                    obey(0, bytes, [this](const auto& answer) { hear(0, answer); });
                } else {
                    post(static_cast<int>(peer), bytes);
                }
            }
        }
        courier_->flush();
    }

    // Where the table is whole between slices, a part of it comes from each server.
    void take_rest(std::span<const std::byte> message) {
        const auto news = unpack_news(message);
        if (worker_) {
            worker_->take(news);
        } else {
            take_news(news, context_.table);
        }
        --rests_;
    }
    // What waits for room needs another try soon.
    [[nodiscard]] std::chrono::milliseconds pause() const {
        return courier_->has_output() ? std::chrono::milliseconds(1) : longest_wait;
    }
    void send_all() {
        while (courier_->has_output()) {
            courier_->flush();
        }
    }

    // The first server rests first: all that it had to say of this slice came before.
    void hold_shard() {
        while (rests_ > 0) {
            courier_->flush();
            if (const auto received = await(pause())) {
                if (kind_of(received->payload) == MessageKind::rest) {
                    if (received->from == 0) {
                        rest_shard(unpack_news(received->payload).version);
                    }
                    take_rest(received->payload);
                } else {
                    hear_shard(received->from, received->payload);
                }
                send_shard();
            }
        }
        send_all();
        rethrow_failure();
    }
    void hear_shard(int from, std::span<const std::byte> message) {
        try {
            shard_->on_message(from, message);
        } catch (const InputError& error) {
            post(from, pack(MessageKind::refusal, error.what()));
        } catch (const AssertionError& error) {
            failure_ = std::make_exception_ptr(error);
            post(0, pack(MessageKind::failed, error.what()));
        }
    }
    void rest_shard(std::uint64_t version) {
        if (version != shard_->version() && !failure_) {
            failure_ = std::make_exception_ptr(
                AssertionError("servers of one table are at different versions"));
        }
        for (int to = 0; to < context_.team.ranks.size(); ++to) {
            if (to != rank()) {
                post(to, pack(MessageKind::rest, shard_->news_for(to)));
            }
        }
    }
    void send_shard() {
        for (const auto& [peer, bytes] : shard_->take_letters()) {
            post(static_cast<int>(peer), bytes);
        }
        courier_->flush();
    }

    void work() {
        work_.reset();
        const auto send = [this](const std::vector<std::byte>& message) {
            post(0, message);
            courier_->flush();
        };
        for (const auto& words : first_words()) {
            send(words);
        }
        while (rests_ > 0) {
            courier_->flush();
            if (const auto received = await(pause())) {
                obey(received->from, received->payload, send);
            }
        }
        rethrow_failure();
    }
    void rethrow_failure() const {
        if (failure_) {
            std::rethrow_exception(failure_);
        }
    }
    template <typename Send>
    void obey(int from, std::span<const std::byte> message, Send&& send) {
        switch (kind_of(message)) {
            case MessageKind::work:
                work_ = unpack_work(message);
                pull();
                break;
            case MessageKind::news:
                take_part(from, unpack_news(message));
                break;
            case MessageKind::rest:
                return take_rest(message);
            case MessageKind::refusal:
                return fail(from, InputError(unpack_text(message)), send);
            default:
                return;
        }
        if (has_all()) {
            try {
                push(worker_->play(*std::exchange(work_, {})), send);
            } catch (const ModelError& error) {
                fail(from, error, send);
            }
        }
    }
    // The first server ends the slice for all. Whom it has refused it does not know any more.
    template <typename Failure, typename Send>
    void fail(int from, const Failure& failure, Send&& send) {
        if (is_alone() || (from == 0 && std::is_same_v<Failure, InputError>)) {
            throw Failure(failure);
        }
        failure_ = std::make_exception_ptr(failure);
        send(pack(MessageKind::failed, failure.what()));
    }
    // Of the other servers, what the first one has told its part of.
    void pull() {
        for (int server = 1; server < servers_; ++server) {
            post(server, pack(Pull{work_->news.version}));
        }
    }
    void take_part(int server, const News& news) {
        worker_->take(news);
        versions_[at(server)] = news.version;
    }
    [[nodiscard]] bool has_all() const {
        return work_ && std::all_of(versions_.begin() + 1, versions_.end(), [&](auto version) {
                   return version >= work_->news.version;
               });
    }
    template <typename Send>
    void push(Push push, Send&& send) {
        const auto& table = context_.table;
        const auto parts =
            take_parts(push, {table.planes(), table.states(), table.actions()}, servers_);
        for (int server = 1; server < servers_; ++server) {
            post(server, pack(parts[at(server - 1)]));
        }
        send(pack(push));
    }

    ModeContext context_;
    Stopwatch clock_;
    std::optional<runtime::Courier> courier_;
    std::optional<ParameterServer> server_;
    std::optional<ServerWorker> worker_;
    std::optional<ShardServer> shard_;  // of a server that is not the first
    int servers_ = 1;
    int rests_ = 0;                        // servers that have not told their part of the table yet
    std::optional<Work> work_;             // waits for parts of the table
    std::exception_ptr failure_;           // of this rank, told once all rest
    std::vector<std::uint64_t> versions_;  // [servers], of what this worker has; the first: unused
    bool is_known_ = false;                // to the server
    std::int64_t bytes_sent_ = 0;          // since the last figures
    std::int64_t bytes_received_ = 0;
    int missing_ = 0;  // workers that have not come to this slice yet

    ServerFigures figures_;  // at the end of the last round
    ServerFigures next_;     // of the pending one
    ServerFigures reported_;
    CellStore kept_;  // the table as the round began; so the others
    std::vector<std::byte> state_;
};

}  // namespace

std::unique_ptr<LearningMode> make_server(const ModeContext& context) {
    return std::make_unique<ServerMode>(context);
}

}  // namespace lockstep::rl
