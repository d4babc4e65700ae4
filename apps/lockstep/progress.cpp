#include "progress.hpp"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <utility>

#include <fmt/format.h>

#include "lockstep/app/text.hpp"

#include "json_lines.hpp"
#include "progress_text.hpp"

namespace lockstep::cli {
namespace {

double since(std::chrono::steady_clock::time_point start) {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

std::string head_line(const app::RunFacts& facts) {
    auto line =
        fmt::format("{}: {}, {}", facts.name, facts.headline, app::plural(facts.threads, "thread"));
    if (facts.ranks > 1) {
        line += fmt::format(" on each of {} ranks", facts.ranks);
    }
    return line + "\n";
}

std::string warning_line(const Problem& problem) {
    return "warning: " + to_string(problem) + "\n";
}

std::string end_line(const app::PhaseEnd& end) {
    return fmt::format("{}: {}\n", end.phase, end.sentence);
}

/// Tells what nobody may miss.
class Quiet : public app::Observer {
public:
    void on_notice(app::Notice kind, const std::string& text) override {
        if (kind == app::Notice::trouble) {
            tell(text + "\n");
        }
    }
};

/// Rewrites one line in place.
class TerminalProgress : public app::Observer {
public:
    explicit TerminalProgress(const Terminal& terminal) : terminal_(terminal) {}
    ~TerminalProgress() override { erase(); }

    void on_warning(const Problem& problem) override { keep(warning_line(problem)); }
    void on_notice(app::Notice, const std::string& text) override { keep(text + "\n"); }
    void on_start(const app::RunFacts& facts) override { keep(head_line(facts)); }
    void on_phase_end(const app::PhaseEnd& end) override { keep(end_line(end)); }

    // Small inputs make thousands of steps a second; nobody reads more than twenty lines of those.
    void on_progress(const app::Progress& progress) override {
        constexpr double shortest_interval_s = 0.05;
        if (is_drawn_ && since(drawn_at_) < shortest_interval_s) {
            return;
        }
        terminal_.width = terminal_of(stderr).width;
        tell(paint(progress_line(progress, terminal_)));
        is_drawn_ = true;
        drawn_at_ = std::chrono::steady_clock::now();
    }

private:
    [[nodiscard]] std::string paint(const std::string& line) const {
        const auto* color = terminal_.has_color ? "\033[36m" : "";
        const auto* plain = terminal_.has_color ? "\033[0m" : "";
        return fmt::format("\r{}{}{}\033[K", color, line, plain);
    }

    void erase() {
        if (std::exchange(is_drawn_, false)) {
            tell("\r\033[K");
        }
    }

    void keep(const std::string& line) {
        erase();
        tell(line);
    }

    Terminal terminal_;
    std::chrono::steady_clock::time_point drawn_at_;
    bool is_drawn_ = false;
};

/// A table for files and pipes; a phase without figures tells its tenths.
class TableProgress : public app::Observer {
public:
    void on_warning(const Problem& problem) override { tell(warning_line(problem)); }
    void on_notice(app::Notice, const std::string& text) override { tell(text + "\n"); }
    void on_start(const app::RunFacts& facts) override { tell(head_line(facts)); }
    void on_phase_end(const app::PhaseEnd& end) override { tell(end_line(end)); }

    void on_progress(const app::Progress& progress) override {
        if (progress.is_told) {
            return;
        }
        if (progress.figures.empty()) {
            return tell_tenths(progress);
        }
        if (std::exchange(phase_, progress.phase) != progress.phase) {
            columns_ = columns_of_table(progress);
            tell(table_head(columns_));
        }
        tell(table_row(progress, columns_));
    }

private:
    void tell_tenths(const app::Progress& progress) {
        const auto tenth = progress.done * 10 / std::max<std::int64_t>(1, progress.total);
        if (std::exchange(told_, tenth) != tenth) {
            tell(fmt::format("{}: {} of {} {}s\n",
                             progress.phase,
                             app::count(progress.done),
                             app::count(progress.total),
                             progress.step));
        }
    }

    std::string phase_;
    TableColumns columns_;
    std::int64_t told_ = -1;
};

}  // namespace

std::unique_ptr<app::Observer> make_progress(const Voice& voice) {
    if (voice.json) {
        return std::make_unique<JsonLines>();
    }
    if (voice.quiet) {
        return std::make_unique<Quiet>();
    }
    const auto terminal = terminal_of(stderr);
    if (terminal.is_terminal) {
        return std::make_unique<TerminalProgress>(terminal);
    }
    return std::make_unique<TableProgress>();
}

}  // namespace lockstep::cli
