#include <algorithm>
#include <deque>
#include <exception>
#include <memory>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "lockstep/base/error.hpp"
#include "lockstep/base/index.hpp"
#include "lockstep/runtime/courier.hpp"

#include "runtime/farm/frames.hpp"
#include "runtime/farm/thread_workers.hpp"

namespace lockstep::runtime {
namespace {

using Clock = std::chrono::steady_clock;
using comm::PeerFailed;
using std::chrono::milliseconds;

// Threads of this rank wake nobody who waits for messages of others.
constexpr milliseconds between_looks{1};
constexpr milliseconds idle_wait{100};

constexpr std::uint32_t number_of(FrameKind kind) noexcept {
    return static_cast<std::uint32_t>(kind);
}

/// Rank 0's side. Worker w is thread w % threads of rank w / threads.
class RankWorkers final : public Workers {
public:
    RankWorkers(comm::Communicator& ranks, const TaskFunctions& functions, int threads)
        : ranks_(ranks.size()),
          threads_(threads),
          functions_(functions),
          courier_(ranks),
          local_(functions, threads),
          is_lost_(at(ranks_)),
          tickets_(at(ranks_ * threads), idle) {}

    [[nodiscard]] int size() const override { return ranks_ * threads_; }
    [[nodiscard]] bool is_alive(int worker) const override {
        return !is_lost_[at(worker / threads_)];
    }
    [[nodiscard]] bool has_function(const std::string& name) const override {
        return functions_.contains(name);
    }
    void start(int worker, Assignment assignment) override {
        tickets_[at(worker)] = assignment.ticket;
        if (is_local(worker)) {
            local_.start(worker, std::move(assignment));
        } else {
            send(worker, FrameKind::task, pack(assignment));
        }
    }
    void ask_to_stop(int worker) override {
        if (is_local(worker)) {
            local_.ask_to_stop(worker);
        } else if (is_alive(worker)) {
            send(worker, FrameKind::stop, pack(tickets_[at(worker)]));
        }
    }
    std::optional<Report> wait(milliseconds limit) override;
    void close() override;

private:
    static constexpr std::int64_t idle = -1;

    [[nodiscard]] bool is_local(int worker) const { return worker < threads_; }
    void send(int worker, FrameKind kind, Bytes payload);
    void exchange(milliseconds limit);
    void hear(int from, std::span<const std::byte> payload);
    void lose(const PeerFailed& loss);
    [[nodiscard]] bool has_local_work() const;

    int ranks_;
    int threads_;
    const TaskFunctions& functions_;
    Courier courier_;
    ThreadWorkers local_;
    std::vector<bool> is_lost_;          // by rank
    std::vector<std::int64_t> tickets_;  // by worker
    std::deque<Report> reports_;
};

// The worker of a rank goes in front of what the frame holds.
void RankWorkers::send(int worker, FrameKind kind, Bytes payload) {
    const auto number = pack(std::int64_t{worker % threads_});
    payload.insert(payload.begin(), number.begin(), number.end());
    courier_.send(worker / threads_, number_of(kind), payload);
}

std::optional<Report> RankWorkers::wait(milliseconds limit) {
    const auto end = Clock::now() + limit;
    auto left = limit;
    do {
        if (auto report = local_.wait(milliseconds(0))) {
            reports_.push_back(std::move(*report));
        }
        if (reports_.empty()) {
            exchange(left);
        }
        left = std::chrono::ceil<milliseconds>(end - Clock::now());
    } while (reports_.empty() && left.count() > 0);
    if (reports_.empty()) {
        return {};
    }
    auto report = std::move(reports_.front());
    reports_.pop_front();
    tickets_[at(report.worker)] = idle;
    return report;
}

void RankWorkers::exchange(milliseconds limit) {
    const bool is_brief = has_local_work() || courier_.has_output();
    try {
        courier_.flush();
        if (ranks_ == 1) {
            if (auto report = local_.wait(limit)) {
                reports_.push_back(std::move(*report));
            }
        } else if (auto received =
                       courier_.wait(std::min(limit, is_brief ? between_looks : idle_wait))) {
            hear(received->from, received->payload);
        }
    } catch (const PeerFailed& loss) {
        lose(loss);
    }
}

bool RankWorkers::has_local_work() const {
    return std::any_of(tickets_.begin(), tickets_.begin() + threads_, [](std::int64_t ticket) {
        return ticket != idle;
    });
}

void RankWorkers::hear(int from, std::span<const std::byte> payload) {
    auto report = unpack_report(payload);
    report.worker += from * threads_;
    if (!is_lost_[at(from)] && tickets_[at(report.worker)] == report.ticket) {
        reports_.push_back(std::move(report));
    }
}

// Told twice of one rank: this transport does not go on without it.
void RankWorkers::lose(const PeerFailed& loss) {
    const int rank = loss.rank();
    if (rank < 0 || rank >= ranks_ || is_lost_[at(rank)]) {
        throw loss;
    }
    is_lost_[at(rank)] = true;
    courier_.forget(rank);
    for (int worker = rank * threads_; worker < (rank + 1) * threads_; ++worker) {
        if (const auto ticket = tickets_[at(worker)]; ticket != idle) {
            reports_.push_back({worker, ticket, Report::Kind::crashed, {}, loss.what()});
        }
    }
}

void RankWorkers::close() {
    for (int rank = 1; rank < ranks_; ++rank) {
        if (!is_lost_[at(rank)]) {
            courier_.send(rank, number_of(FrameKind::end), {});
        }
    }
    while (courier_.has_output()) {
        exchange(between_looks);
    }
    local_.close();
}

/// Another rank's side: hands on what rank 0 sends to threads of its own.
class RankServer {
public:
    RankServer(comm::Communicator& ranks, const TaskFunctions& functions, int threads)
        : courier_(ranks), local_(functions, threads), tickets_(at(threads), -1) {}

    void run() {
        while (!has_ended_ || busy_ > 0) {
            const bool is_brief = busy_ > 0 || courier_.has_output();
            try {
                courier_.flush();
                if (auto received = courier_.wait(is_brief ? between_looks : idle_wait)) {
                    hear(static_cast<FrameKind>(received->kind), received->payload);
                }
            } catch (const PeerFailed& loss) {
                if (loss.rank() == 0 || courier_.has_forgotten(loss.rank())) {
                    throw;
                }
                courier_.forget(loss.rank());
            }
            while (auto report = local_.wait(milliseconds(0))) {
                --busy_;
                courier_.send(0, number_of(FrameKind::report), pack(*report));
            }
        }
    }

private:
    void hear(FrameKind kind, std::span<const std::byte> payload) {
        if (kind == FrameKind::end) {
            has_ended_ = true;
            return;
        }
        const int worker = static_cast<int>(unpack_ticket(payload));
        const auto rest = payload.subspan(sizeof(std::int64_t));
        if (kind == FrameKind::task) {
            auto assignment = unpack_assignment(rest);
            tickets_[at(worker)] = assignment.ticket;
            ++busy_;
            local_.start(worker, std::move(assignment));
        } else if (kind == FrameKind::stop && unpack_ticket(rest) == tickets_[at(worker)]) {
            local_.ask_to_stop(worker);
        }
    }

    Courier courier_;
    ThreadWorkers local_;
    std::vector<std::int64_t> tickets_;  // by thread
    int busy_ = 0;
    bool has_ended_ = false;
};

}  // namespace

void run_rank_farm(comm::Communicator& ranks,
                   const TaskFunctions& functions,
                   const FarmOptions& options,
                   const std::function<void(TaskFarm&)>& body) {
    check_workers(options);
    if (ranks.rank() != 0) {
        return RankServer(ranks, functions, options.workers).run();
    }
    TaskFarm farm(
        "ranks", std::make_unique<RankWorkers>(ranks, functions, options.workers), options);
    body(farm);
    farm.shutdown(TaskFarm::Wait::yes);
}

}  // namespace lockstep::runtime
