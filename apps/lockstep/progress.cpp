#include "progress.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <utility>

#include <fmt/format.h>

#include "json_lines.hpp"
#include "progress_text.hpp"

namespace lockstep::cli {
namespace {

double since(std::chrono::steady_clock::time_point start) {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

std::string head_line(const app::RunStart& start) {
    auto line = fmt::format("{}: {}, {}, {}, {}",
                            start.case_name,
                            app::plural(start.stages, "stage"),
                            app::plural(start.hydros, "hydro"),
                            app::plural(start.thermals, "thermal"),
                            app::plural(start.threads, "thread"));
    if (start.ranks > 1)
        line += fmt::format(" on each of {} ranks", start.ranks);
    return line + "\n";
}

std::string warning_line(const lockstep::Problem& problem) {
    return "warning: " + to_string(problem) + "\n";
}

std::string training_end_line(const sddp::TrainResult& result) {
    return fmt::format(
        "training: {} in {}, ended by {}\n",
        app::plural(static_cast<std::int64_t>(result.iterations.size()), "iteration"),
        app::duration(result.seconds),
        app::stop_words(std::string(to_string(result.stop))));
}

std::string simulation_end_line(const sddp::SimulateResult& result) {
    return fmt::format("simulation: {} in {}\n",
                       app::plural(static_cast<std::int64_t>(result.total_cost.size()), "scenario"),
                       app::duration(result.seconds));
}

/// Rewrites one line in place.
class TerminalProgress : public app::RunObserver {
public:
    explicit TerminalProgress(const Terminal& terminal) : terminal_(terminal) {}
    ~TerminalProgress() override { erase(); }

    void on_warning(const lockstep::Problem& problem) override { keep(warning_line(problem)); }

    void on_notice(const std::string& text) override { keep(text + "\n"); }

    void on_start(const app::RunStart& start) override {
        time_left_ = TimeLeft(start.train);
        keep(head_line(start));
    }

    void on_iteration(const sddp::IterationReport& report) override {
        time_left_.add(report);
        refresh([&] { return training_line(report, time_left_, terminal_); });
    }

    void on_training_end(const sddp::TrainResult& result) override {
        keep(training_end_line(result));
        simulation_began_ = std::chrono::steady_clock::now();
    }

    void on_simulation_progress(int done, int total) override {
        refresh([&] { return simulation_line(done, total, since(simulation_began_), terminal_); });
    }

    void on_simulation_end(const sddp::SimulateResult& result) override {
        keep(simulation_end_line(result));
    }

private:
    // Small cases run thousands of iterations a second; nobody reads more than twenty lines of
    // those.
    static constexpr double shortest_interval_s = 0.05;

    template <typename F>
    void refresh(F&& line) {
        if (is_drawn_ && since(drawn_at_) < shortest_interval_s)
            return;
        terminal_.width = terminal_of(stderr).width;
        tell(paint(line()));
        is_drawn_ = true;
        drawn_at_ = std::chrono::steady_clock::now();
    }

    [[nodiscard]] std::string paint(const std::string& line) const {
        const auto* color = terminal_.has_color ? "\033[36m" : "";
        const auto* plain = terminal_.has_color ? "\033[0m" : "";
        return fmt::format("\r{}{}{}\033[K", color, line, plain);
    }

    void erase() {
        if (std::exchange(is_drawn_, false))
            tell("\r\033[K");
    }

    void keep(const std::string& line) {
        erase();
        tell(line);
    }

    Terminal terminal_;
    TimeLeft time_left_{sddp::TrainOptions{}};
    std::chrono::steady_clock::time_point simulation_began_ = std::chrono::steady_clock::now();
    std::chrono::steady_clock::time_point drawn_at_;
    bool is_drawn_ = false;
};

/// A table for files and pipes.
class TableProgress : public app::RunObserver {
public:
    void on_warning(const lockstep::Problem& problem) override { tell(warning_line(problem)); }
    void on_notice(const std::string& text) override { tell(text + "\n"); }
    void on_start(const app::RunStart& start) override { tell(head_line(start)); }

    void on_iteration(const sddp::IterationReport& report) override {
        if (report.iteration == 1 || !has_head_) {
            unit_ = app::unit_for(std::max(report.lower_bound, report.upper_bound));
            tell(table_head(unit_));
            has_head_ = true;
        }
        tell(table_row(report, unit_));
    }

    void on_training_end(const sddp::TrainResult& result) override {
        tell(training_end_line(result));
    }

    void on_simulation_progress(int done, int total) override {
        const auto tenth = done * 10LL / std::max(1, total);
        if (std::exchange(told_, tenth) != tenth)
            tell(fmt::format(
                "simulation: {} of {} scenarios\n", app::count(done), app::count(total)));
    }

    void on_simulation_end(const sddp::SimulateResult& result) override {
        tell(simulation_end_line(result));
    }

private:
    app::MoneyUnit unit_;
    bool has_head_ = false;
    long long told_ = -1;
};

}  // namespace

std::unique_ptr<app::RunObserver> make_progress(const Voice& voice) {
    if (voice.json)
        return std::make_unique<JsonLines>();
    if (voice.quiet)
        return std::make_unique<app::RunObserver>();
    const auto terminal = terminal_of(stderr);
    if (terminal.is_terminal)
        return std::make_unique<TerminalProgress>(terminal);
    return std::make_unique<TableProgress>();
}

}  // namespace lockstep::cli
