#pragma once

#include "lockstep/formats/cobre/case.hpp"
#include "lockstep/io/json.hpp"
#include "lockstep/sddp/problem.hpp"

namespace lockstep::formats::cobre::out {

/// hydro_models.json: the production and evaporation model of each plant, by ranges of stages.
io::Json hydro_models(const CaseFacts& input, const sddp::Problem& problem);

/// model_provenance.json: where the parts of the model came from.
io::Json model_provenance(const sddp::Problem& problem);

/// fitting_report.json: what estimation found.
io::Json fitting_report(const sddp::Problem& problem);

/// correlation.json as scenarios/ has it.
io::Json correlation(const sddp::Problem& problem, const sddp::CorrelationModel& model);

}  // namespace lockstep::formats::cobre::out
