#include "lockstep/formats/cobre/output.hpp"

#include "formats/cobre/write/tables/models.hpp"
#include "formats/cobre/write/tables/simulation.hpp"
#include "formats/cobre/write/tables/solver.hpp"
#include "formats/cobre/write/tables/stochastic.hpp"
#include "formats/cobre/write/tables/training.hpp"

namespace lockstep::formats::cobre {

std::vector<ColumnDescription> describe_columns() {
    std::vector<ColumnDescription> columns;
    out::describe_training_tables(columns);
    out::describe_solver_tables(columns);
    out::describe_model_tables(columns);
    out::describe_stochastic_tables(columns);
    out::describe_simulation_tables(columns);
    return columns;
}

}  // namespace lockstep::formats::cobre
