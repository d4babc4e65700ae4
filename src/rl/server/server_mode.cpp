#include <algorithm>
#include <chrono>
#include <optional>
#include <utility>

#include "lockstep/base/error.hpp"
#include "lockstep/base/index.hpp"
#include "lockstep/base/stopwatch.hpp"
#include "lockstep/runtime/courier.hpp"

#include "rl/modes/learning_mode.hpp"
#include "rl/server/parameter_server.hpp"
#include "rl/server/server_figures.hpp"
#include "rl/server/server_worker.hpp"

namespace lockstep::rl {
namespace {

// Between two slices all ranks meet: for reports, checkpoints and the wish to stop.
constexpr double seconds_of_a_slice = 0.25;
constexpr std::chrono::milliseconds longest_wait{50};
constexpr std::uint32_t letter = 1;  // the kind of all that travels

/// Rank 0 serves, the others work; a rank that is alone does both in turns.
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
            if (is_server()) {
                serve();
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
        std::copy(values_.begin(), values_.end(), context_.table.values().begin());
        std::copy(visits_.begin(), visits_.end(), context_.table.visits().begin());
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
        if (server_) {
            load_server(state_);
        }
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
        if (is_server()) {
            load_server(state);
        }
    }

private:
    [[nodiscard]] bool is_server() const { return context_.team.ranks.rank() == 0; }
    [[nodiscard]] bool is_alone() const { return context_.team.ranks.size() == 1; }

    // Collective.
    void start() {
        courier_.emplace(context_.team.ranks);
        server_.reset();
        worker_.reset();
        if (is_server()) {
            server_.emplace(context_.world,
                            context_.options,
                            context_.table,
                            context_.team.threads,
                            ParameterServer::Settings{});
        }
        if (!is_server() || is_alone()) {
            worker_.emplace(
                context_.world, context_.options, context_.team.threads, context_.table);
        }
        is_known_ = false;
    }
    // What drop() goes back to, where a rank may be lost.
    void keep() {
        if (!context_.team.ranks.can_recover() || is_alone()) {
            return;
        }
        values_.assign(context_.table.values().begin(), context_.table.values().end());
        visits_.assign(context_.table.visits().begin(), context_.table.visits().end());
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

    void serve() {
        missing_ = context_.team.ranks.size() - (is_alone() ? 0 : 1);
        server_->open(clock_.seconds() + seconds_of_a_slice, clock_.seconds());
        if (is_alone()) {
            for (const auto& words : first_words()) {
                hear(0, words);
            }
        }
        while (missing_ > 0 || !server_->is_at_rest(clock_.seconds())) {
            send_letters();
            if (auto received =
                    courier_->wait(is_alone() ? std::chrono::milliseconds(0) : longest_wait)) {
                hear(received->from, received->payload);
            }
            if (server_->failure()) {
                break;
            }
            server_->tick(clock_.seconds());
        }
        server_->rest();
        send_letters();
        while (courier_->has_output()) {
            courier_->flush();
        }
        if (is_alone() && server_->failure()) {
            throw ModelError(*server_->failure());
        }
    }
    void hear(int from, std::span<const std::byte> message) {
        missing_ -= static_cast<int>(kind_of(message) == MessageKind::ask);
        server_->on_message(from, message, clock_.seconds());
    }
    // Those to this rank itself are obeyed at once.
    void send_letters() {
        for (auto letters = server_->take_letters(); !letters.empty();
             letters = server_->take_letters()) {
            for (const auto& [peer, bytes] : letters) {
                if (is_alone()) {
                    obey(bytes, [this](const auto& answer) { hear(0, answer); });
                } else {
                    courier_->send(static_cast<int>(peer), letter, bytes);
                }
            }
        }
        courier_->flush();
    }

    void work() {
        const auto send = [this](const std::vector<std::byte>& message) {
            courier_->send(0, letter, message);
            courier_->flush();
        };
        for (const auto& words : first_words()) {
            send(words);
        }
        for (bool goes_on = true; goes_on;) {
            courier_->flush();
            if (const auto received = courier_->wait(
                    courier_->has_output() ? std::chrono::milliseconds(1) : longest_wait)) {
                goes_on = obey(received->payload, send);
            }
        }
    }
    // false: the slice has ended.
    template <typename Send>
    bool obey(std::span<const std::byte> message, Send&& send) {
        switch (kind_of(message)) {
            case MessageKind::work:
                send(pack(played(unpack_work(message), send)));
                return true;
            case MessageKind::rest:
                worker_->take(unpack_news(message));
                return false;
            case MessageKind::refusal:
                throw InputError(unpack_text(message));
            default:
                return true;
        }
    }
    template <typename Send>
    Push played(const Work& work, Send&& send) {
        try {
            return worker_->play(work);
        } catch (const ModelError& error) {
            if (!is_alone()) {
                send(pack(MessageKind::failed, error.what()));
                while (courier_->has_output()) {
                    courier_->flush();
                }
            }
            throw;
        }
    }

    ModeContext context_;
    Stopwatch clock_;
    std::optional<runtime::Courier> courier_;
    std::optional<ParameterServer> server_;
    std::optional<ServerWorker> worker_;
    bool is_known_ = false;  // to the server
    int missing_ = 0;        // workers that have not come to this slice yet

    ServerFigures figures_;  // at the end of the last round
    ServerFigures next_;     // of the pending one
    ServerFigures reported_;
    std::vector<double> values_;  // of the table as the round began; so the others
    std::vector<std::uint32_t> visits_;
    std::vector<std::byte> state_;
};

}  // namespace

std::unique_ptr<LearningMode> make_server(const ModeContext& context) {
    return std::make_unique<ServerMode>(context);
}

}  // namespace lockstep::rl
