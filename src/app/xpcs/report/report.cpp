#include <algorithm>

#include "lockstep/xpcs/model/physics.hpp"

#include "app/xpcs/report/parts.hpp"
#include "app/xpcs/wing.hpp"

namespace lockstep::app {

const formats::xpcs::ValueRecord* find_value(const formats::xpcs::FitRecord& fit,
                                             const std::string& name) {
    const auto found = std::ranges::find(fit.values, name, &formats::xpcs::ValueRecord::name);
    return found == fit.values.end() ? nullptr : &*found;
}

const formats::xpcs::QuantityRecord* find_quantity(const XpcsResults& results,
                                                   const std::string& name) {
    if (!results.posterior) {
        return nullptr;
    }
    const auto& all = results.posterior->quantities;
    const auto found = std::ranges::find(all, name, &formats::xpcs::QuantityRecord::name);
    return found == all.end() ? nullptr : &*found;
}

std::string with_unit(const formats::xpcs::ValueRecord& value) {
    return value.unit.empty() || value.unit == "1" ? value.name
                                                   : value.name + " [" + value.unit + "]";
}

bool is_physical(const std::string& name) {
    const auto parameters = xpcs::parameters_of(xpcs::Motion::laminar_flow);
    return std::ranges::any_of(parameters, [&](const auto& p) { return p.name == name; });
}

io::Page xpcs_report(const std::filesystem::path& output) {
    const auto metadata = open_output(output).metadata;
    if (metadata.part("batch") != nullptr) {
        return xpcs_batch_report(output);
    }
    XpcsResults results{output, metadata, formats::xpcs::read_fit(output)};
    if (results.metadata.part("posterior") != nullptr) {
        results.posterior = formats::xpcs::read_posterior(output);
    }
    io::Page page(results.fit.data.file + " · Lockstep");
    add_fit_facts(page, results);
    add_matrices(page, results);
    add_transport(page, results);
    add_parameters(page, results);
    add_posterior(page, results);
    add_shards(page, results);
    add_iterations(page, results);
    add_run(page, results);
    page.data("summary", io::to_text(to_json(results.fit)));
    return page;
}

}  // namespace lockstep::app
