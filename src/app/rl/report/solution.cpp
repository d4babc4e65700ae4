#include "lockstep/formats/rl/solution.hpp"

#include <utility>

#include <fmt/format.h>

#include "lockstep/app/rl/solve.hpp"
#include "lockstep/app/text.hpp"
#include "lockstep/base/index.hpp"

#include "app/rl/report/parts.hpp"

namespace lockstep::app {
namespace {

using formats::rl::SolutionRecord;

io::Fact criterion_of(const SolutionRecord& record) {
    if (record.criterion == "average") {
        return {"Criterion", "average reward"};
    }
    return {
        "Discount factor",
        exact(record.discount_factor),
        record.horizon == 0 ? "" : fmt::format("over the next {}", plural(record.horizon, "step"))};
}

void add_facts(io::Page& page, const SolutionRecord& record) {
    std::vector<io::Fact> facts;
    if (record.start) {
        facts.push_back(
            {record.criterion == "average" ? "Reward a step" : "Value at the start",
             digits(record.start->value, 9),
             fmt::format(
                 "proven: {} to {}", exact(record.start->lower), exact(record.start->upper))});
    }
    facts.push_back({"Bounds",
                     fmt::format("± {:.2g}", record.half_width),
                     fmt::format("in the worst state, asked for {:.2g}", record.tolerance)});
    facts.push_back(criterion_of(record));
    facts.push_back({"States with a choice",
                     count(record.choices),
                     fmt::format("{} with several best actions", count(record.ties))});
    facts.push_back({"Sweeps",
                     count(record.sweeps),
                     fmt::format("{}, ended by {}", record.method, ending_words(record.ending))});
    facts.push_back({"Time", duration(record.seconds)});
    facts.push_back({"Digest", record.digest.substr(0, 8)});
    page.facts(facts);
}

}  // namespace

void add_solution(io::Page& page, const std::filesystem::path& output) {
    const auto record = formats::rl::read_solution_record(output);
    auto read = formats::rl::read_solution_values(output);
    StateValues values{std::move(read.value), std::move(read.best), {}};
    values.remark = [&read](std::int32_t state) {
        return fmt::format(
            "proven: {} to {}", exact(read.lower[at(state)]), exact(read.upper[at(state)]));
    };
    add_facts(page, record);
    add_policy(page, subject_of(record.environment), values);
}

}  // namespace lockstep::app
