#include <algorithm>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <thread>
#include <utility>

#include <fmt/format.h>

#include "lockstep/base/error.hpp"
#include "lockstep/base/index.hpp"
#include "lockstep/io/file.hpp"

#include "runtime/farm/cluster/files.hpp"
#include "runtime/farm/cluster/queue.hpp"
#include "runtime/farm/workers.hpp"

namespace lockstep::runtime {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr milliseconds shortest_poll{5};

/// A place for a task: which one is there, and how far it is.
struct Desk {
    enum class State { idle, waiting, submitted, begun };
    State state = State::idle;
    std::int64_t ticket = 0;
    ElementTask task{};
    fs::path array{};
    std::string job{};
    int element = 0;
    std::optional<Clock::time_point> missing_since{};  // in the queue

    [[nodiscard]] bool is_away() const {
        return state == State::submitted || state == State::begun;
    }
};

class ClusterWorkers final : public Workers {
public:
    ClusterWorkers(TaskFunctions functions,
                   ClusterOptions cluster,
                   std::unique_ptr<ClusterQueue> queue,
                   int desks)
        : functions_(std::move(functions)),
          options_(std::move(cluster)),
          queue_(std::move(queue)),
          desks_(at(desks)) {
        options_.folder = fs::absolute(options_.folder);
        io::make_folder(results_folder(options_.folder));
    }

    [[nodiscard]] int size() const override { return static_cast<int>(desks_.size()); }
    [[nodiscard]] bool has_function(const std::string& name) const override {
        return functions_.contains(name);
    }
    [[nodiscard]] bool has_begun(int worker) const override {
        return desks_[at(worker)].state == Desk::State::begun;
    }
    void start(int worker, Assignment assignment) override;
    std::optional<Report> wait(milliseconds limit) override;
    void ask_to_stop(int worker) override;
    void kill(int worker) override;
    void close() override { send_cancels(); }

private:
    void submit_waiting();
    void submit(std::vector<int> workers);
    [[nodiscard]] fs::path new_array() const;
    void look();
    void look_at(int worker, const std::set<std::string>& results);
    [[nodiscard]] std::set<std::string> results() const;
    void ask_queue();
    void find_missing(const std::string& job, const std::set<int>& living);
    void send_cancels();
    void report(int worker, Report report);
    void give_up(int worker, Report::Kind kind, const std::string& why);

    TaskFunctions functions_;
    ClusterOptions options_;
    std::unique_ptr<ClusterQueue> queue_;
    std::vector<Desk> desks_;
    std::deque<Report> reports_;
    std::map<std::string, std::vector<int>> cancels_;  // elements by job, that are to be cancelled
    milliseconds pause_ = shortest_poll;
    Clock::time_point queue_asked_ = Clock::now();
};

void ClusterWorkers::start(int worker, Assignment assignment) {
    auto& desk = desks_[at(worker)];
    desk = {};
    desk.ticket = assignment.ticket;
    desk.task.key = key_of(options_.identity, assignment);
    desk.task.assignment = std::move(assignment);
    auto found = read_result(options_.folder, desk.task.key);
    if (found && found->report.kind == Report::Kind::done) {
        return report(worker, std::move(found->report));
    }
    std::error_code ignored;
    fs::remove(result_file(options_.folder, desk.task.key), ignored);
    desk.state = Desk::State::waiting;
}

std::optional<Report> ClusterWorkers::wait(milliseconds limit) {
    const auto end = Clock::now() + limit;
    if (reports_.empty()) {
        send_cancels();
        submit_waiting();
        look();
    }
    while (reports_.empty() && Clock::now() < end) {
        std::this_thread::sleep_until(std::min(end, Clock::now() + pause_));
        pause_ = std::min(options_.poll, pause_ + pause_ / 2);
        look();
    }
    if (reports_.empty()) {
        return {};
    }
    pause_ = std::min(shortest_poll, options_.poll);
    auto first = std::move(reports_.front());
    reports_.pop_front();
    return first;
}

// All that wait at once, in as few arrays as may be.
void ClusterWorkers::submit_waiting() {
    std::vector<int> workers;
    for (int worker = 0; worker < size(); ++worker) {
        if (desks_[at(worker)].state == Desk::State::waiting) {
            workers.push_back(worker);
        }
        if (std::ssize(workers) == options_.largest_array) {
            submit(std::exchange(workers, {}));
        }
    }
    if (!workers.empty()) {
        submit(std::move(workers));
    }
}

void ClusterWorkers::submit(std::vector<int> workers) {
    const auto array = new_array();
    for (int element = 0; element < std::ssize(workers); ++element) {
        write_task(array, element, desks_[at(workers[at(element)])].task);
    }
    const auto job = queue_->submit(array, static_cast<int>(workers.size()));
    for (int element = 0; element < std::ssize(workers); ++element) {
        auto& desk = desks_[at(workers[at(element)])];
        desk.task.assignment = {};
        desk.state = Desk::State::submitted;
        desk.array = array;
        desk.job = job;
        desk.element = element;
    }
}

// An earlier farm may have left some.
fs::path ClusterWorkers::new_array() const {
    for (int number = 0;; ++number) {
        auto array = options_.folder / fmt::format("array-{}", number);
        std::error_code error;
        if (fs::create_directory(array, error)) {
            return array;
        }
        if (error) {
            throw IoError(fmt::format("cannot make {}: {}", array.string(), error.message()),
                          IoError::Direction::write);
        }
    }
}

void ClusterWorkers::look() {
    const auto there = results();
    for (int worker = 0; worker < size(); ++worker) {
        if (desks_[at(worker)].is_away()) {
            look_at(worker, there);
        }
    }
    if (reports_.empty() && Clock::now() >= queue_asked_ + options_.queue_poll) {
        ask_queue();
        queue_asked_ = Clock::now();
    }
}

std::set<std::string> ClusterWorkers::results() const {
    std::set<std::string> names;
    std::error_code error;
    for (fs::directory_iterator entries(results_folder(options_.folder), error), end;
         !error && entries != end;
         entries.increment(error)) {
        names.insert(entries->path().stem().string());
    }
    return names;
}

void ClusterWorkers::look_at(int worker, const std::set<std::string>& results) {
    auto& desk = desks_[at(worker)];
    if (desk.state == Desk::State::submitted && runtime::has_begun(desk.array, desk.element)) {
        desk.state = Desk::State::begun;
    }
    if (results.contains(desk.task.key)) {
        auto found = read_result(options_.folder, desk.task.key);
        // An attempt that was given up may still say that it was stopped.
        if (found && (found->report.kind == Report::Kind::done ||
                      found->origin == origin_of(desk.array, desk.element))) {
            return report(worker, std::move(found->report));
        }
    }
    if (desk.missing_since && Clock::now() >= *desk.missing_since + options_.settle) {
        give_up(worker,
                Report::Kind::crashed,
                fmt::format("element {} of job {} ended without a result; see {}",
                            desk.element,
                            desk.job,
                            desk.array.string()));
    }
}

void ClusterWorkers::ask_queue() {
    std::set<std::string> jobs;
    for (const auto& desk : desks_) {
        if (desk.is_away()) {
            jobs.insert(desk.job);
        }
    }
    for (const auto& job : jobs) {
        if (const auto living = queue_->living(job)) {
            find_missing(job, *living);
        }
    }
}

void ClusterWorkers::find_missing(const std::string& job, const std::set<int>& living) {
    for (auto& desk : desks_) {
        if (desk.is_away() && desk.job == job) {
            if (living.contains(desk.element)) {
                desk.missing_since.reset();
            } else if (!desk.missing_since) {
                desk.missing_since = Clock::now();
            }
        }
    }
}

// One that has begun says itself that it was stopped.
void ClusterWorkers::ask_to_stop(int worker) {
    auto& desk = desks_[at(worker)];
    if (desk.is_away()) {
        cancels_[desk.job].push_back(desk.element);
    }
    if (desk.state == Desk::State::waiting || desk.state == Desk::State::submitted) {
        give_up(worker, Report::Kind::stopped, "the task was stopped");
    }
}

void ClusterWorkers::kill(int worker) {
    const auto& desk = desks_[at(worker)];
    if (desk.is_away()) {
        cancels_[desk.job].push_back(desk.element);
        give_up(worker, Report::Kind::crashed, "the task was cancelled and did not end");
    }
}

void ClusterWorkers::send_cancels() {
    for (const auto& [job, elements] : std::exchange(cancels_, {})) {
        queue_->cancel(job, elements);
    }
}

void ClusterWorkers::report(int worker, Report report) {
    auto& desk = desks_[at(worker)];
    report.worker = worker;
    report.ticket = desk.ticket;
    desk.state = Desk::State::idle;
    reports_.push_back(std::move(report));
}

void ClusterWorkers::give_up(int worker, Report::Kind kind, const std::string& why) {
    Report ended;
    ended.kind = kind;
    ended.error = why;
    report(worker, std::move(ended));
}

std::unique_ptr<TaskFarm> make_farm(std::string_view backend,
                                    TaskFunctions functions,
                                    const ClusterOptions& cluster,
                                    std::unique_ptr<ClusterQueue> queue,
                                    const FarmOptions& options) {
    check_workers(options);
    check_cluster(cluster);
    return std::make_unique<TaskFarm>(
        backend,
        std::make_unique<ClusterWorkers>(
            std::move(functions), cluster, std::move(queue), options.workers),
        options);
}

}  // namespace

std::unique_ptr<TaskFarm> make_slurm_farm(TaskFunctions functions,
                                          const ClusterOptions& cluster,
                                          const FarmOptions& options) {
    return make_farm("slurm", std::move(functions), cluster, make_slurm_queue(cluster), options);
}

std::unique_ptr<TaskFarm> make_pbs_farm(TaskFunctions functions,
                                        const ClusterOptions& cluster,
                                        const FarmOptions& options) {
    return make_farm("pbs", std::move(functions), cluster, make_pbs_queue(cluster), options);
}

}  // namespace lockstep::runtime
