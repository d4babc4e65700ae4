#pragma once

#include <string>
#include <vector>

#include "lockstep/app/sddp/summary.hpp"
#include "lockstep/formats/cobre/simulation_summary.hpp"
#include "lockstep/io/page.hpp"

namespace lockstep::app {

// The parts of a report, each added to `page` only where the results have something for it.

/// What came out, and whether it ended as it should.
void add_facts(io::Page& page, const Summary& summary, const formats::cobre::Results& results);

/// Bounds, cuts and time over the iterations.
void add_training(io::Page& page, const Summary& summary, const formats::cobre::Results& results);

/// Costs, plants, exchanges, prices, deficits over the stages.
void add_simulation(io::Page& page,
                    const formats::cobre::Results& results,
                    const formats::cobre::SimulationSummary& simulation);

/// Where the inflow model came from, with what the run was made and how to make it again.
void add_origin(io::Page& page, const Summary& summary, const formats::cobre::Results& results);

/// Names of stages for an axis: "2018-01" where every stage is a month, dates otherwise.
std::vector<std::string> stage_names(const std::vector<formats::cobre::StageLabel>& stages);

/// Groups of consecutive iterations, at most `most`, as [first, end).
struct Group {
    std::size_t begin = 0;
    std::size_t end = 0;
};
std::vector<Group> groups_of(std::size_t count, std::size_t most);

}  // namespace lockstep::app
