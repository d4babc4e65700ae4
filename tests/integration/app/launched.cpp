#include "integration/app/launched.hpp"

#include <csignal>
#include <cstdlib>

#include <fmt/format.h>

#include "lockstep/io/json.hpp"

#include "integration/app/ranks_of.hpp"

namespace lockstep::cli {
namespace {

// Every process of a test inherits it.
constexpr const char* mark = "LOCKSTEP_TEST_CASE";

}  // namespace

Words joined(const std::vector<Words>& parts) {
    Words all;
    for (const auto& part : parts) {
        all.insert(all.end(), part.begin(), part.end());
    }
    return all;
}

int count(const std::string& text, const std::string& part) {
    int times = 0;
    for (auto at = text.find(part); at != text.npos; at = text.find(part, at + part.size())) {
        ++times;
    }
    return times;
}

std::function<void()> with_environment(const Words& names_and_values) {
    return [names_and_values] {
        for (std::size_t i = 0; i + 1 < names_and_values.size(); i += 2) {
            ::setenv(names_and_values[i].c_str(), names_and_values[i + 1].c_str(), 1);
        }
    };
}

LaunchedTest::LaunchedTest() {
    ::setenv(mark, copy.path().c_str(), 1);
}

std::vector<pid_t> LaunchedTest::left_processes() const {
    return processes_left_with(mark, copy.path());
}

LaunchedTest::~LaunchedTest() {
    for (const auto process : left_processes()) {
        ADD_FAILURE() << "process " << process << " still runs";
        ::kill(process, SIGKILL);
    }
}

Words LaunchedTest::job(int iterations, const Words& more, int threads) const {
    return joined(
        {{"run",
          copy.path(),
          "--output",
          copy.output(),
          "--threads",
          std::to_string(threads),
          "--set",
          fmt::format(R"(training.stopping_rules=[{{"type":"iteration_limit","limit":{}}}])",
                      iterations),
          "--set",
          "simulation.selection.num_scenarios=5"},
         more});
}

Words LaunchedTest::launch(int ranks, const Words& job, const Words& options) {
    return joined({{"launch", "-n", std::to_string(ranks)}, options, {"--", program_path()}, job});
}

testing::AssertionResult LaunchedTest::has_bits_of(int iterations) const {
    const auto other = copy.output() + "-undisturbed";
    auto undisturbed = job(iterations, {"--quiet"});
    undisturbed[3] = other;
    const auto ran = run(undisturbed);
    const auto compared = run({"compare", "--deep", copy.output(), other});
    if (ran.exit_code == 0 && compared.exit_code == 0) {
        return testing::AssertionSuccess();
    }
    return testing::AssertionFailure() << ran.err << compared.out << compared.err;
}

int LaunchedTest::trained_iterations() const {
    const auto told = run({"sddp", "summary", copy.output(), "--json"});
    const auto summary = io::parse_json(told.out, "summary");
    return static_cast<int>(*summary.find("training")->find("iterations")->if_integer());
}

}  // namespace lockstep::cli
