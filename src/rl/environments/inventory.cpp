#include "lockstep/rl/environments/inventory.hpp"

#include <cmath>

#include <fmt/format.h>

#include "lockstep/base/error.hpp"
#include "lockstep/rl/environments/generated_model.hpp"

namespace lockstep::rl {
namespace {

void check_pieces(const char* name, std::int32_t pieces, std::int32_t least, std::int32_t most) {
    if (pieces < least || pieces > most) {
        throw InputError(fmt::format("{} {}: must be {} to {}", name, pieces, least, most));
    }
}

void check_cost(const char* name, double cost) {
    if (!std::isfinite(cost)) {
        throw InputError(fmt::format("{} {}: must be finite", name, cost));
    }
}

}  // namespace

Inventory::Inventory(InventoryOptions options) : options_(options) {
    check_pieces("capacity", options.capacity, 1, 63);
    check_pieces("most_demand", options.most_demand, 0, 1'000);
    check_pieces("first_stock", options.first_stock, 0, options.capacity);
    check_cost("order_cost", options.order_cost);
    check_cost("piece_cost", options.piece_cost);
    check_cost("holding_cost", options.holding_cost);
    check_cost("lost_sale_cost", options.lost_sale_cost);
}

std::string Inventory::describe() const {
    return fmt::format(
        "inventory of {} pieces, demand 0 to {}", options_.capacity, options_.most_demand);
}

std::vector<Start> Inventory::starts() const {
    return {{options_.first_stock, 1.0}};
}

std::optional<Model> Inventory::model() const {
    return generated_model(*this);
}

}  // namespace lockstep::rl
