#include "formats/cobre/tables.hpp"

#include <variant>

#include "formats/cobre/policy_files_tables.hpp"
#include "formats/cobre/tables_models.hpp"
#include "formats/cobre/tables_simulation.hpp"
#include "formats/cobre/tables_solver.hpp"
#include "formats/cobre/tables_stochastic.hpp"
#include "formats/cobre/tables_training.hpp"

namespace lockstep::formats::cobre {

void out::clear_rows(io::Table& table) {
    for (io::Column& column : table.columns) {
        std::visit([](auto& values) { values.clear(); }, column.values);
        column.present.clear();
    }
}

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
