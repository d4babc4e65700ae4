#include "display.hpp"

#include <fmt/format.h>

#include "json_lines.hpp"
#include "progress.hpp"
#include "ranks.hpp"
#include "terminal.hpp"

namespace lockstep::cli {
namespace {

/// Speaks on rank 0 alone, whichever that is after a loss.
class FirstRank final : public app::Observer {
public:
    FirstRank(const comm::Communicator& ranks, app::Observer& observer)
        : ranks_(ranks), observer_(observer) {}

    void on_warning(const Problem& problem) override {
        speak([&] { observer_.on_warning(problem); });
    }
    void on_notice(app::Notice kind, const std::string& text) override {
        speak([&] { observer_.on_notice(kind, text); });
    }
    void on_start(const app::RunFacts& facts) override {
        speak([&] { observer_.on_start(facts); });
    }
    void on_progress(const app::Progress& progress) override {
        speak([&] { observer_.on_progress(progress); });
    }
    void on_phase_end(const app::PhaseEnd& end) override {
        speak([&] { observer_.on_phase_end(end); });
    }
    bool stop_requested() override { return observer_.stop_requested(); }

private:
    template <typename F>
    void speak(F&& say) {
        if (ranks_.rank() == 0) {
            say();
        }
    }
    const comm::Communicator& ranks_;
    app::Observer& observer_;
};

// Shells tell a process that a signal ended this way.
int exit_code_of(const Ending& ending) {
    return ending.signal == 0 ? ending.exit_code : 128 + ending.signal;
}

io::Json end_event(const Ending& ending) {
    auto object = io::Json::object();
    object.set("event", "end");
    object.set("exit_code", exit_code_of(ending));
    object.set("summary", ending.summary);
    return object;
}

void say_end(const Ending& ending, const Voice& voice) {
    if (voice.json) {
        return print_line(end_event(ending));
    }
    if (voice.quiet) {
        return;
    }
    print(ending.text);
    if (ending.signal != 0) {
        print("\nEnded early by a signal; everything done until then is written.\n");
    }
    if (!ending.output.empty()) {
        print(fmt::format("\nPlots: lockstep report {}\n", ending.output));
    }
}

}  // namespace

int on_display(const std::string& backend,
               const Voice& voice,
               const std::function<Ending(comm::Communicator&, app::Observer&)>& use_case) {
    return on_ranks(backend, voice, [&](comm::Communicator& ranks) {
        const auto progress = make_progress(voice);
        FirstRank observer(ranks, *progress);
        const auto ending = use_case(ranks, observer);
        if (ranks.rank() == 0) {
            say_end(ending, voice);
        }
        return exit_code_of(ending);
    });
}

}  // namespace lockstep::cli
