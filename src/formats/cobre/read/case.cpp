#include "lockstep/formats/cobre/case.hpp"

#include <fmt/format.h>

#include "formats/cobre/resolve/process/inflow_tables.hpp"
#include "formats/cobre/resolve/resolve.hpp"
#include "formats/cobre/translate/translate.hpp"

namespace lockstep::formats::cobre {

namespace {

Resolver make_resolver(const raw::Case& raw, Problems& problems) {
    sddp::Calendar calendar = resolve_calendar(raw.stages, problems);
    IdMap stages("stage", calendar.stages);
    return {std::move(calendar),
            std::move(stages),
            IdMap("bus", raw.buses),
            IdMap("line", raw.lines),
            IdMap("thermal", raw.thermals),
            IdMap("non-controllable source", raw.sources),
            IdMap("hydro", raw.hydros),
            IdMap("contract", raw.contracts),
            IdMap("pumping station", raw.pumping_stations),
            IdMap("battery", raw.batteries),
            problems};
}

sddp::System resolve_system(const raw::Case& raw, const Resolver& resolver, CaseFacts& facts) {
    sddp::System system;
    resolve_buses(raw, resolver, system);
    resolve_lines(raw, resolver, system);
    resolve_thermals(raw, resolver, system);
    resolve_deliveries(raw, resolver, system);
    resolve_sources(raw, resolver, system);
    resolve_hydros(raw, resolver, system);
    resolve_contracts(raw, resolver, system);
    resolve_pumping_stations(raw, resolver, system);
    resolve_batteries(raw, resolver, system);
    const std::vector<ReservoirCurve> curves = resolve_geometry(raw.geometry, resolver);
    const auto plants = resolve_production(raw, curves, resolver, system, facts);
    facts.evaporation_lines = resolve_evaporation(raw, curves, resolver, system);
    facts.constraint_terms = resolve_generic(raw, plants, resolver, system);
    return system;
}

void warn_of_translation(const Translation& translation, Problems& problems) {
    problems.add(
        ProblemKind::model_quality,
        "config.json",
        "",
        fmt::format(
            "a case of Cobre 0.5, translated while reading: lockstep sddp convert writes it "
            "in the 0.18 format{}{}",
            translation.effects.empty() ? "" : "; ",
            translation.effects));
}

}  // namespace

Case read_case(const std::filesystem::path& directory,
               const std::vector<Setting>& settings,
               Problems& problems) {
    Files files(directory, problems);
    Case out;
    out.facts.directory = directory;
    const std::size_t errors_before = problems.error_count();
    const auto translation = translate_old_case(files, problems);
    raw::Case raw = raw::read_files(files, settings, problems);
    if (translation) {
        warn_of_translation(*translation, problems);
        raw.evaporation = translation->evaporation;
        out.facts.declared_ratios = translation->ratios;
    }
    out.facts.input_digest = files.digest();
    out.facts.model_digest = files.digest("config.json");
    out.facts.training_digest = raw.training_digest;
    const bool is_read = problems.error_count() == errors_before;
    check_references(raw, problems);
    if (!is_read) {
        return out;  // what was not read would only bring false errors below
    }
    refuse_unsupported(raw, problems);
    out.facts.config = resolve_config(raw.config, problems);
    const Resolver resolver = make_resolver(raw, problems);
    if (resolver.calendar.stages.empty()) {
        return out;  // reported; all that follows is about stages
    }
    check_transitions(raw.stages, resolver);
    out.study.graph = resolve_policy_graph(raw.stages, resolver);
    resolve_enumeration(out.study.graph, resolver, out.facts.config);
    check_penalty_order(raw, problems);
    check_completeness(raw, problems);
    out.study.system = resolve_system(raw, resolver, out.facts);
    out.study.process = resolve_process(raw, resolver, out.study.system);
    out.study.process.node_inflows = resolve_node_inflows(raw, out.study.graph, resolver);
    out.study.calendar = resolver.calendar;
    return out;
}

}  // namespace lockstep::formats::cobre
