#include "formats/cobre/write/output_resolved.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <tuple>
#include <vector>

#include "lockstep/base/index.hpp"

#include "formats/cobre/write/output_files.hpp"
#include "formats/cobre/write/tables/models.hpp"

namespace lockstep::formats::cobre::out {
namespace {

using io::Json;

void add_rows(const sddp::GenericConstraint& constraint,
              const NamedTerms& named,
              const sddp::Calendar& calendar,
              std::vector<EchoRow>& out) {
    auto coefficient = named.coefficients.begin();
    for (const sddp::ConstraintRow& row : constraint.rows) {
        const int stage_id = calendar.stages[at(row.stage)].id;
        if (named.terms.empty()) {
            out.push_back({&constraint, &row, stage_id, 0, nullptr, 0});
        }
        for (std::size_t i = 0; i < named.terms.size(); ++i) {
            out.push_back({&constraint,
                           &row,
                           stage_id,
                           static_cast<int>(i),
                           &named.terms[i],
                           *coefficient++});
        }
    }
}

std::vector<EchoRow> echo_rows(const CaseFacts& input, const sddp::Problem& problem) {
    const auto& constraints = problem.system.constraints;
    std::vector<EchoRow> rows;
    for (std::size_t c = 0; c < constraints.size(); ++c) {
        if (c < input.constraint_terms.size()) {
            add_rows(constraints[c], input.constraint_terms[c], problem.calendar, rows);
        } else {
            add_rows(constraints[c], {}, problem.calendar, rows);
        }
    }
    const auto order = [](const EchoRow& row) {
        return std::tuple(row.constraint->id, row.row->stage, row.row->block, row.term);
    };
    std::stable_sort(rows.begin(), rows.end(), [&](const EchoRow& a, const EchoRow& b) {
        return order(a) < order(b);
    });
    return rows;
}

std::vector<PlaneRow> plane_rows(const CaseFacts& input) {
    std::vector<PlaneRow> rows;
    for (const FittedPlanes& planes : input.fitted_planes) {
        for (const int stage_id : planes.stage_ids) {
            for (int i = 0; i < static_cast<int>(planes.fit.planes.size()); ++i) {
                rows.push_back({&planes, stage_id, i});
            }
        }
    }
    std::sort(rows.begin(), rows.end(), [](const PlaneRow& a, const PlaneRow& b) {
        return std::tuple(a.planes->hydro_id, a.stage_id, a.plane) <
               std::tuple(b.planes->hydro_id, b.stage_id, b.plane);
    });
    return rows;
}

std::vector<FitPointRow> point_rows(const CaseFacts& input) {
    std::vector<FitPointRow> rows;
    for (const FittedPlanes& planes : input.fitted_planes) {
        for (const sddp::FitPoint& point : planes.fit.points) {
            if (input.config.export_fitting_points) {
                rows.push_back({&planes, &point});
            }
        }
    }
    return rows;
}

std::vector<FixedDelivery> fixed_deliveries(const sddp::Problem& problem) {
    std::vector<FixedDelivery> rows;
    for (const sddp::Thermal& thermal : problem.system.thermals) {
        for (const sddp::Delivery& delivery : thermal.decided_in(-1)) {
            if (delivery.stage >= problem.stage_count()) {
                rows.push_back({&thermal, &delivery});
            }
        }
    }
    return rows;
}

/// Absent input, absent output.
template <typename Row>
void write_or_remove(const std::filesystem::path& output,
                     const TableDefinition<Row>& definition,
                     const std::vector<Row>& rows) {
    if (rows.empty()) {
        remove_table(output, definition);
    } else {
        write_table(output, definition, rows);
    }
}

Json range(const sddp::SizeRange& range) {
    Json out = Json::array();
    out.push(range.least);
    out.push(range.most);
    return out;
}

Json ranges(const sddp::SizeRange& matrix, const sddp::SizeRange& objective) {
    return Json::Object{{"matrix_coeff_range", range(matrix)},
                        {"matrix_coeff_ratio", matrix.ratio()},
                        {"objective_range", range(objective)},
                        {"objective_ratio", objective.ratio()}};
}

/// Factors that are 1 but for at most one of `count`.
Json factors(int count, double exception) {
    return Json::Object{
        {"min", std::min(1.0, exception)},
        {"max", std::max(1.0, exception)},
        {"median", count > 2 ? 1.0 : (count == 2 ? (1 + exception) / 2 : exception)},
        {"count", count}};
}

Json stage_report(const sddp::StageScaling& stage, int stage_id) {
    return Json::Object{{"stage_id", stage_id},
                        {"dimensions",
                         Json::Object{{"num_cols", stage.columns},
                                      {"num_rows", stage.rows},
                                      {"num_nz", static_cast<std::int64_t>(stage.entries)}}},
                        {"objective_scale", stage.objective_scale},
                        {"pre_scaling", ranges(stage.matrix, stage.objective_in_dollars)},
                        {"post_scaling", ranges(stage.matrix, stage.objective)},
                        {"col_scale", factors(stage.columns, stage.future_cost_unit)},
                        {"row_scale", factors(stage.rows, 1)}};
}

}  // namespace

void write_resolved(const std::filesystem::path& output,
                    const CaseFacts& input,
                    const sddp::Problem& problem) {
    write_or_remove(output, resolved_echo_table(), echo_rows(input, problem));
    write_or_remove(output, evaporation_models_table(), input.evaporation_lines);
    write_or_remove(output, fitted_planes_table(), plane_rows(input));
    write_or_remove(output, fit_points_table(), point_rows(input));
    write_or_remove(output, fixed_deliveries_table(), fixed_deliveries(problem));
}

// Cobre divides all costs by one number; here each stage has its own, a power of two.
Json scaling_report(const sddp::TrainResult& result, const sddp::Calendar& calendar) {
    Json stages = Json::array();
    double worst = 1;
    for (std::size_t t = 0; t < result.scaling.size(); ++t) {
        stages.push(stage_report(result.scaling[t], calendar.stages[t].id));
        worst = std::max(worst, result.scaling[t].matrix.ratio());
    }
    return Json::Object{
        {"cost_scale_factor", 1.0},
        {"stages", stages},
        {"summary",
         Json::Object{{"worst_pre_scaling_matrix_ratio", worst},
                      {"worst_post_scaling_matrix_ratio", worst},
                      {"improvement_factor", 1.0},
                      {"num_stages", static_cast<std::int64_t>(result.scaling.size())}}}};
}

}  // namespace lockstep::formats::cobre::out
