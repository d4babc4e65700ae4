#include "progress.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <utility>

#include <fmt/format.h>

#include "json_lines.hpp"

namespace lockstep::cli {
namespace {

constexpr std::string_view separator = "  ";

std::string joined(const std::vector<Field>& fields) {
    std::string line;
    for (const auto& field : fields)
        line.append(line.empty() ? "" : separator).append(field.text);
    return line;
}

std::string cut_off(std::string_view text, int width) {
    std::string kept;
    auto columns = 0;
    for (const auto c : text) {
        if ((static_cast<unsigned char>(c) & 0xC0) != 0x80 && ++columns > width)
            break;
        kept.push_back(c);
    }
    return kept;
}

std::string clock(double seconds) {
    const auto whole = static_cast<std::int64_t>(std::clamp(seconds, 0.0, 1e9) + 0.5);
    if (whole < 3600)
        return fmt::format("{}:{:02}", whole / 60, whole % 60);
    return fmt::format("{}:{:02}:{:02}", whole / 3600, whole / 60 % 60, whole % 60);
}

std::string bar(double share, const Terminal& terminal) {
    constexpr auto cells = 20;
    const auto full = static_cast<int>(std::clamp(share, 0.0, 1.0) * cells);
    std::string text;
    for (auto cell = 0; cell < cells; ++cell)
        text += terminal.has_unicode ? (cell < full ? "━" : "╌") : (cell < full ? "#" : "-");
    return text;
}

std::string remaining_text(const std::optional<Forecast>& forecast) {
    if (!forecast)
        return {};
    return fmt::format("{}{} left", forecast->is_limit ? "at most " : "", clock(forecast->seconds));
}

std::string amount(double dollars, const app::MoneyUnit& unit) {
    return app::digits(dollars / unit.dollars, 5);
}

double since(std::chrono::steady_clock::time_point start) {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

std::string upper_text(const sddp::IterationReport& report,
                       const app::MoneyUnit& unit,
                       const Terminal& terminal) {
    const auto mean = "upper " + amount(report.upper_bound, unit);
    if (report.half_width_95 == 0)  // one trajectory has no spread
        return fmt::format("{} {}", mean, unit.name);
    return fmt::format("{} {} {} {}",
                       mean,
                       terminal.has_unicode ? "±" : "+-",
                       app::digits(report.half_width_95 / unit.dollars, 3),
                       unit.name);
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

std::string fit(std::vector<Field> fields, int width) {
    std::erase_if(fields, [](const Field& field) { return field.text.empty(); });
    auto line = joined(fields);
    while (columns_of(line) > width) {
        const auto least =
            std::max_element(fields.begin(), fields.end(), [](const Field& a, const Field& b) {
                return a.rank < b.rank;
            });
        if (least == fields.end() || least->rank == 0)
            return cut_off(line, width);
        fields.erase(least);
        line = joined(fields);
    }
    return line;
}

std::string training_line(const sddp::IterationReport& report,
                          const TimeLeft& time_left,
                          const Terminal& terminal) {
    const auto unit = app::unit_for(report.upper_bound);
    const auto limit = time_left.iteration_limit();
    return fit({{fmt::format("training {}/{}", report.iteration, limit), 0},
                {bar(static_cast<double>(report.iteration) / std::max(1, limit), terminal), 6},
                {"lower " + amount(report.lower_bound, unit), 1},
                {upper_text(report, unit, terminal), 2},
                {"gap " + app::percent(report.gap), 3},
                {app::count(report.cuts_active) + " cuts", 5},
                {remaining_text(time_left.forecast()), 4}},
               terminal.width - 1);
}

std::string simulation_line(int done, int total, double seconds, const Terminal& terminal) {
    const auto share = static_cast<double>(done) / std::max(1, total);
    return fit({{fmt::format("simulation {}/{}", app::count(done), app::count(total)), 0},
                {bar(share, terminal), 3},
                {fmt::format("{:.0f} %", 100 * share), 2},
                {done > 0 ? clock(seconds / share - seconds) + " left" : std::string(), 1}},
               terminal.width - 1);
}

std::string table_head(const app::MoneyUnit& unit) {
    const auto with_unit = [&](const char* name) {
        return fmt::format("{} [{}]", name, unit.name);
    };
    return fmt::format("{:>9} {:>14} {:>14} {:>12} {:>9} {:>9} {:>8}\n",
                       "iteration",
                       with_unit("lower"),
                       with_unit("upper"),
                       "+-95% CI",
                       "gap",
                       "cuts",
                       "seconds");
}

std::string table_row(const sddp::IterationReport& report, const app::MoneyUnit& unit) {
    return fmt::format(
        "{:>9} {:>14} {:>14} {:>12} {:>9} {:>9} {:>8.1f}\n",
        report.iteration,
        app::digits(report.lower_bound / unit.dollars, 7),
        app::digits(report.upper_bound / unit.dollars, 7),
        report.half_width_95 == 0 ? "-" : app::digits(report.half_width_95 / unit.dollars, 4),
        app::percent(report.gap),
        app::count(report.cuts_active),
        report.elapsed_seconds);
}

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
