#include <fmt/format.h>

#include "lockstep/base/index.hpp"

#include "formats/cobre/resolve/bounds.hpp"
#include "formats/cobre/resolve/resolve.hpp"
#include "formats/cobre/resolve/service.hpp"

namespace lockstep::formats::cobre {

namespace {

constexpr const char* file = "system/energy_contracts.json";
constexpr const char* bounds_file = "constraints/contract_bounds.parquet";

sddp::Contract make_contract(const raw::Contract& contract, const Resolver& resolver) {
    const Origin origin = line_of(file, contract.line, "contract", contract.id);
    check_lifecycle(contract, origin, resolver);
    check_order(
        resolver, origin, "min_mw > max_mw", contract.limits.min_mw, contract.limits.max_mw);
    sddp::Contract out;
    out.id = contract.id;
    out.name = contract.name;
    out.bus = resolver.buses.find(contract.bus_id);
    out.is_import = contract.type == raw::ContractType::import_power;
    out.price = resolver.by_block(contract.price_per_mwh);
    out.min_mw = resolver.by_block(contract.limits.min_mw);
    out.max_mw = resolver.by_block(contract.limits.max_mw);
    return out;
}

}  // namespace

void resolve_contracts(const raw::Case& raw, const Resolver& resolver, sddp::System& system) {
    for (const raw::Contract& contract : raw.contracts) {
        system.contracts.push_back(make_contract(contract, resolver));
    }
    for_each_override(resolver,
                      bounds_file,
                      resolver.contracts,
                      raw.contract_bounds,
                      [&](const raw::ContractBounds& row, const OverrideCell& cell) {
                          sddp::Contract& contract = system.contracts[at(cell.entity)];
                          apply(contract.min_mw, cell, row.min_mw);
                          apply(contract.max_mw, cell, row.max_mw);
                          apply(contract.price, cell, row.price);
                      });
    for (std::size_t i = 0; i < system.contracts.size(); ++i) {
        sddp::Contract& contract = system.contracts[i];
        finish_limits(resolver,
                      raw.contracts[i],
                      raw.contracts[i].limits.min_mw <= raw.contracts[i].limits.max_mw,
                      {bounds_file, fmt::format("contract {}", contract.id)},
                      "min_mw > max_mw",
                      contract.min_mw,
                      contract.max_mw);
    }
}

}  // namespace lockstep::formats::cobre
