#include <algorithm>

#include <fmt/format.h>

#include "lockstep/sddp/month_names.hpp"

#include "formats/cobre/translate/calendar.hpp"
#include "formats/cobre/translate/json_edit.hpp"
#include "formats/cobre/translate/old_case.hpp"

namespace lockstep::formats::cobre::translate {

namespace {

constexpr const char* path = "stages.json";
constexpr const char* conditions_path = "initial_conditions.json";

std::optional<Date> day_at(const io::Json& object, std::string_view key) {
    const io::Json* value = object.find(key);
    return value != nullptr && value->if_string() != nullptr ? parse_day(*value->if_string())
                                                             : std::nullopt;
}

double hours_of(io::Json& stage) {
    double hours = 0;
    for_each_object(stage, "blocks", [&](io::Json& block) {
        const io::Json* value = block.find("hours");
        hours += value != nullptr ? value->if_number().value_or(0) : 0;
    });
    return hours;
}

void note_stage(OldCase& old, io::Json& stage) {
    const auto id = integer(stage, "id");
    const auto start = day_at(stage, "start_date");
    const auto end = day_at(stage, "end_date");
    if (id && start && end) {
        old.stages.push_back({*id, *start, *end, integer(stage, "season_id"), hours_of(stage)});
    }
}

void translate_stage(OldCase& old, io::Json& stage) {
    old.refuse_new_key(path, stage, "num_openings");
    rename(stage, "num_scenarios", "num_openings");
    note_stage(old, stage);
}

bool says(const io::Json& object, std::string_view key, std::string_view text) {
    const io::Json* value = object.find(key);
    return value != nullptr && value->if_string() != nullptr && *value->if_string() == text;
}

io::Json twelve_months() {
    io::Json seasons = io::Json::array();
    for (int month = 0; month < 12; ++month) {
        seasons.push(
            io::Json::Object{{"id", month},
                             {"month_start", month + 1},
                             {"label", sddp::month_names[static_cast<std::size_t>(month)]}});
    }
    return io::Json::Object{{"cycle_type", "monthly"}, {"seasons", seasons}};
}

bool is_in_one_month(const OldStage& stage) {
    return stage.end <= month_of(stage.start).end;
}

/// Without seasons 0.5 shifted no lags, and 0.18 has no memory: months take their place.
void add_seasons(OldCase& old, io::Json& root) {
    const io::Json* seasons = root.find("season_definitions");
    if (seasons != nullptr && !seasons->is_null()) {
        return;
    }
    const bool has_memory = old.table("scenarios/inflow_ar_coefficients.parquet") != nullptr ||
                            old.table("scenarios/inflow_history.parquet") != nullptr;
    if (has_memory && !std::all_of(old.stages.begin(), old.stages.end(), is_in_one_month)) {
        old.refuse(path,
                   "season_definitions",
                   "inflows have a memory, there are no seasons, and stages are no months");
        return;
    }
    for (const char* list : {"pre_study_stages", "stages"}) {
        for_each_object(root, list, [&](io::Json& stage) {
            take(stage, "season_id");
            if (const auto start = day_at(stage, "start_date"); has_memory && start) {
                const auto month = std::chrono::year_month_day(*start).month();
                stage.set("season_id", static_cast<int>(static_cast<unsigned>(month)) - 1);
            }
        });
    }
    if (has_memory) {
        root.set("season_definitions", twelve_months());
        old.got_months = true;
    }
}

void warn_of_risk(OldCase& old, io::Json& root) {
    bool has_cvar = false;
    for_each_object(root, "stages", [&](io::Json& stage) {
        const io::Json* risk = stage.find("risk_measure");
        has_cvar = has_cvar || (risk != nullptr && risk->find("cvar") != nullptr);
    });
    if (has_cvar) {
        old.problems.add(ProblemKind::model_quality,
                         path,
                         "risk_measure",
                         "CVaR is exact: Cobre 0.5 weighed outcomes greedily, its bounds differ");
    }
}

void note_features(OldCase& old, io::Json& root) {
    bool is_chronological = false;
    for_each_object(root, "stages", [&](io::Json& stage) {
        is_chronological = is_chronological || says(stage, "block_mode", "chronological");
    });
    if (is_chronological) {
        old.remarks.emplace_back("chronological blocks");
    }
    const io::Json* graph = root.find("policy_graph");
    if (graph != nullptr && says(*graph, "type", "cyclic")) {
        old.remarks.emplace_back("a cyclic policy graph");
    }
}

/// Windows of the values of one plant, the latest first.
void add_windows(OldCase& old,
                 const SeasonCalendar& seasons,
                 io::Json& entry,
                 io::Json& observations) {
    const io::Json* values = entry.find("values_m3s");
    const io::Json* hydro = entry.find("hydro_id");
    if (values == nullptr || values->if_array() == nullptr || hydro == nullptr) {
        return;
    }
    std::optional<Window> window =
        old.stages.empty() ? std::nullopt : seasons.period(old.stages.front().start);
    for (const io::Json& value : *values->if_array()) {
        window = window ? seasons.before(*window) : std::nullopt;
        if (!window) {
            old.refuse(conditions_path,
                       "past_inflows",
                       "no season of stages.json ends where the study or the period before starts");
            return;
        }
        io::Json observation = io::Json::object();
        observation.set("hydro_id", *hydro);
        observation.set("start_date", day_text(window->start));
        observation.set("end_date", day_text(window->end));
        observation.set("value_m3s", value);
        observation.set_line(entry.line());
        observations.push(std::move(observation));
    }
}

/// Observations of one plant and period.
struct Record {
    std::int32_t hydro = 0;
    Window window;
    double sum = 0;
    int count = 0;
};

std::vector<Record> records_of(const io::Table& table, const SeasonCalendar& seasons) {
    const auto& hydros = std::get<std::vector<std::int32_t>>(table.find("hydro_id")->values);
    const auto& dates = std::get<std::vector<io::Day>>(table.find("date")->values);
    const auto& values = std::get<std::vector<double>>(table.find("value_m3s")->values);
    std::map<std::pair<std::int32_t, Date>, Record> by_period;
    for (std::size_t i = 0; i < dates.size(); ++i) {
        const Window window = seasons.record(dates[i]);
        Record& record = by_period[{hydros[i], window.start}];
        record.hydro = hydros[i];
        record.window = window;
        record.sum += values[i];
        ++record.count;
    }
    std::vector<Record> records;
    for (const auto& [key, record] : by_period) {
        records.push_back(record);
    }
    return records;
}

io::Table windows_of(const std::vector<Record>& records) {
    std::vector<std::int32_t> hydros;
    std::vector<io::Day> starts;
    std::vector<io::Day> ends;
    std::vector<double> values;
    for (const Record& record : records) {
        hydros.push_back(record.hydro);
        starts.push_back(record.window.start);
        ends.push_back(record.window.end);
        values.push_back(record.count == 1 ? record.sum : record.sum / record.count);
    }
    return {{{"hydro_id", std::move(hydros), false, {}},
             {"start_date", std::move(starts), false, {}},
             {"end_date", std::move(ends), false, {}},
             {"value_m3s", std::move(values), false, {}}}};
}

template <typename T>
bool holds(const io::Table& table, std::string_view name) {
    const io::Column* column = table.find(name);
    return column != nullptr && std::holds_alternative<std::vector<T>>(column->values);
}

}  // namespace

void translate_stages(OldCase& old) {
    io::Json* root = old.find(path);
    if (root == nullptr) {
        return;
    }
    for_each_object(*root, "stages", [&](io::Json& stage) { translate_stage(old, stage); });
    std::erase_if(old.stages, [](const OldStage& stage) { return stage.id < 0; });
    std::stable_sort(old.stages.begin(), old.stages.end(), [](const auto& a, const auto& b) {
        return a.id < b.id;
    });
    note_features(old, *root);
    warn_of_risk(old, *root);
    add_seasons(old, *root);
}

void translate_past_inflows(OldCase& old) {
    io::Json* conditions = old.find(conditions_path);
    io::Json* stages = old.find(path);
    if (conditions == nullptr || stages == nullptr) {
        return;
    }
    if (member(*conditions, "past_inflows") == nullptr) {
        return;
    }
    const SeasonCalendar seasons(stages->find("season_definitions"));
    io::Json observations = take(*conditions, "recent_observations").value_or(io::Json::array());
    if (observations.if_array() == nullptr) {
        observations = io::Json::array();
    }
    for_each_object(*conditions, "past_inflows", [&](io::Json& entry) {
        add_windows(old, seasons, entry, observations);
    });
    take(*conditions, "past_inflows");
    conditions->set("recent_observations", std::move(observations));
}

void translate_history(OldCase& old) {
    io::Table* history = old.table("scenarios/inflow_history.parquet");
    io::Json* stages = old.find(path);
    if (history == nullptr || stages == nullptr) {
        return;
    }
    if (!holds<std::int32_t>(*history, "hydro_id") || !holds<io::Day>(*history, "date") ||
        !holds<double>(*history, "value_m3s")) {
        old.refuse("scenarios/inflow_history.parquet",
                   "",
                   "it needs hydro_id INT32, date DATE and value_m3s DOUBLE");
        return;
    }
    const SeasonCalendar seasons(stages->find("season_definitions"));
    *history = windows_of(records_of(*history, seasons));
}

}  // namespace lockstep::formats::cobre::translate
