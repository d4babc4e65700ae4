#include <chrono>
#include <optional>
#include <utility>

#include "formats/cobre/translate/calendar.hpp"
#include "formats/cobre/translate/json_edit.hpp"
#include "formats/cobre/translate/old_case.hpp"

namespace lockstep::formats::cobre::translate {

namespace {

constexpr const char* path = "system/hydros.json";
constexpr std::size_t months = 12;

/// 0.5 took the coefficient of the season's number and divided by the hours of the stage, 0.18
/// takes that of the calendar month and divides by the hours of that.
struct MonthRule {
    int season = 0;
    double factor = 1;
    friend bool operator==(const MonthRule&, const MonthRule&) = default;
};

std::size_t month_number(Date day) {
    return static_cast<unsigned>(std::chrono::year_month_day(day).month()) - 1;
}

MonthRule rule_of(const OldStage& stage) {
    const Window month = month_of(stage.start);
    const double month_hours = 24.0 * static_cast<double>((month.end - month.start).count());
    return {*stage.season, month_hours / stage.hours};
}

bool has_evaporation(io::Json& hydros) {
    bool found = false;
    for_each_object(hydros, "hydros", [&](io::Json& hydro) {
        const io::Json* evaporation = hydro.find("evaporation");
        found = found || (evaporation != nullptr && !evaporation->is_null());
    });
    return found;
}

/// Whether 0.5 would have taken it; says why not.
bool check(OldCase& old, const OldStage& stage) {
    const bool is_month = stage.season && *stage.season >= 0 && *stage.season < 12;
    if (!is_month) {
        old.refuse("stages.json",
                   "stage " + std::to_string(stage.id),
                   "evaporation needs a season from 0 to 11 in every stage");
    }
    return is_month && stage.hours > 0;
}

/// Values of the months by the rules; months without a stage keep theirs.
void reorder(io::Json& values,
             const std::vector<std::optional<MonthRule>>& rules,
             bool are_scaled) {
    io::Json::Array* list = values.if_array();
    if (list == nullptr || list->size() != months) {
        return;
    }
    const io::Json::Array before = *list;
    for (std::size_t month = 0; month < months; ++month) {
        if (!rules[month]) {
            continue;
        }
        const io::Json& value = before[static_cast<std::size_t>(rules[month]->season)];
        const auto number = value.if_number();
        const bool is_changed = are_scaled && number && rules[month]->factor != 1;
        (*list)[month] = is_changed ? io::Json(*number * rules[month]->factor) : value;
    }
}

void reorder_all(io::Json& hydros, const std::vector<std::optional<MonthRule>>& rules) {
    for_each_object(hydros, "hydros", [&](io::Json& hydro) {
        io::Json* evaporation = member(hydro, "evaporation");
        if (evaporation == nullptr) {
            return;
        }
        if (io::Json* coefficients = member(*evaporation, "coefficients_mm")) {
            reorder(*coefficients, rules, true);
        }
        if (io::Json* volumes = member(*evaporation, "reference_volumes_hm3")) {
            reorder(*volumes, rules, false);
        }
    });
}

}  // namespace

void translate_evaporation(OldCase& old) {
    io::Json* hydros = old.find(path);
    if (hydros == nullptr || !has_evaporation(*hydros)) {
        return;
    }
    std::vector<std::optional<MonthRule>> rules(months);
    bool are_enough = true;
    for (const OldStage& stage : old.stages) {
        if (!check(old, stage)) {
            return;
        }
        const MonthRule rule = rule_of(stage);
        std::optional<MonthRule>& known = rules[month_number(stage.start)];
        are_enough = are_enough && (!known || *known == rule);
        known = rule;
    }
    if (are_enough) {
        reorder_all(*hydros, rules);
        return;
    }
    for (const OldStage& stage : old.stages) {
        old.evaporation[stage.id] = {*stage.season, stage.hours};
    }
}

}  // namespace lockstep::formats::cobre::translate
