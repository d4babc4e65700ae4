#include "lockstep/formats/cobre/output.hpp"

#include "formats/cobre/policy/policy_files_tables.hpp"
#include "formats/cobre/write/tables_models.hpp"
#include "formats/cobre/write/tables_simulation.hpp"
#include "formats/cobre/write/tables_solver.hpp"
#include "formats/cobre/write/tables_stochastic.hpp"
#include "formats/cobre/write/tables_training.hpp"

namespace lockstep::formats::cobre {

std::vector<ColumnDescription> describe_columns() {
    std::vector<ColumnDescription> columns;
    out::describe_training_tables(columns);
    out::describe_solver_tables(columns);
    out::describe_model_tables(columns);
    out::describe_stochastic_tables(columns);
    out::describe_simulation_tables(columns);
    out::describe_policy_tables(columns);
    return columns;
}

}  // namespace lockstep::formats::cobre
