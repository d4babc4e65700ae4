#include <algorithm>
#include <array>
#include <utility>

#include "formats/cobre/translate/json_edit.hpp"
#include "formats/cobre/translate/old_case.hpp"

namespace lockstep::formats::cobre::translate {

namespace {

/// The same for all, so that ids order them as before.
constexpr const char* start_of_operation = "2000-01-01";

/// A list of entities, and what 0.5 read of them without effect when there is any or when one has
/// an entry or exit stage.
struct EntityList {
    const char* path;
    const char* array;
    const char* ignored_entities;
    const char* ignored_stages;
};

constexpr std::array<EntityList, 7> lists = {{
    {"system/buses.json", "buses", nullptr, nullptr},
    {"system/lines.json", "lines", nullptr, "entry and exit stages of lines"},
    {"system/hydros.json", "hydros", nullptr, "entry and exit stages of hydros"},
    {"system/thermals.json", "thermals", nullptr, "entry and exit stages of thermals"},
    {"system/non_controllable_sources.json", "non_controllable_sources", nullptr, nullptr},
    {"system/pumping_stations.json", "pumping_stations", "pumping stations", nullptr},
    {"system/energy_contracts.json", "contracts", "energy contracts", nullptr},
}};

bool is_given(const io::Json& object, std::string_view key) {
    const io::Json* value = object.find(key);
    return value != nullptr && !value->is_null();
}

void remark(OldCase& old, const char* what) {
    if (what != nullptr &&
        std::find(old.remarks.begin(), old.remarks.end(), what) == old.remarks.end()) {
        old.remarks.emplace_back(what);
    }
}

void translate_list(OldCase& old, const EntityList& list) {
    io::Json* root = old.find(list.path);
    if (root == nullptr) {
        return;
    }
    for_each_object(*root, list.array, [&](io::Json& entity) {
        old.refuse_new_key(list.path, entity, "operational_start_date");
        entity.set("operational_start_date", start_of_operation);
        remark(old, list.ignored_entities);
        if (is_given(entity, "entry_stage_id") || is_given(entity, "exit_stage_id")) {
            remark(old, list.ignored_stages);
        }
    });
}

void translate_thermal(OldCase& old, io::Json& thermal) {
    old.refuse_new_key("system/thermals.json", thermal, "anticipated_config");
    if (!is_given(thermal, "gnl_config")) {
        take(thermal, "gnl_config");
        return;
    }
    remark(old, "generation that is decided ahead");
    rename(thermal, "gnl_config", "anticipated_config");
    rename(*member(thermal, "anticipated_config"), "lag_stages", "lead_stages");
}

/// One group with the limits of the plant.
io::Json unit_group(const io::Json& hydro, std::optional<io::Json> bus) {
    io::Json group = io::Json::object();
    group.set("id", 0);
    if (const io::Json* name = hydro.find("name")) {
        group.set("name", *name);
    }
    if (bus) {
        group.set("bus_id", *std::move(bus));
    }
    const io::Json* generation = hydro.find("generation");
    for (const char* key :
         {"min_generation_mw", "max_generation_mw", "min_turbined_m3s", "max_turbined_m3s"}) {
        const io::Json* limit = generation != nullptr ? generation->find(key) : nullptr;
        if (limit != nullptr) {
            group.set(key, *limit);
        }
    }
    group.set_line(hydro.line());
    return group;
}

void translate_hydro(OldCase& old, io::Json& hydro) {
    old.refuse_new_key("system/hydros.json", hydro, "unit_groups");
    old.refuse_new_key("system/hydros.json", hydro, "travel_time_hours");
    auto bus = take(hydro, "bus_id");
    io::Json groups = io::Json::array();
    groups.push(unit_group(hydro, std::move(bus)));
    hydro.set("unit_groups", std::move(groups));
    if (is_given(hydro, "filling")) {
        remark(old, "filling of reservoirs");
        rename(*member(hydro, "filling"), "filling_inflow_m3s", "filling_min_rate_m3s");
    }
    if (io::Json* penalties = member(hydro, "penalties")) {
        rename(*penalties, "fpha_turbined_cost", "turbined_cost");
    }
}

void translate_penalties(OldCase& old) {
    io::Json* root = old.find("penalties.json");
    io::Json* hydro = root != nullptr ? member(*root, "hydro") : nullptr;
    if (hydro != nullptr) {
        old.refuse_new_key("penalties.json", *hydro, "turbined_cost");
        rename(*hydro, "fpha_turbined_cost", "turbined_cost");
    }
}

}  // namespace

void translate_entities(OldCase& old) {
    for (const EntityList& list : lists) {
        translate_list(old, list);
    }
    if (io::Json* thermals = old.find("system/thermals.json")) {
        for_each_object(
            *thermals, "thermals", [&](io::Json& thermal) { translate_thermal(old, thermal); });
    }
    if (io::Json* hydros = old.find("system/hydros.json")) {
        for_each_object(*hydros, "hydros", [&](io::Json& hydro) { translate_hydro(old, hydro); });
    }
    translate_penalties(old);
}

}  // namespace lockstep::formats::cobre::translate
