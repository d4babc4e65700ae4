#include <algorithm>

#include <fmt/format.h>

#include "formats/cobre/translate/json_edit.hpp"
#include "formats/cobre/translate/old_case.hpp"

namespace lockstep::formats::cobre::translate {

namespace {

constexpr const char* path = "config.json";

/// What 0.5 ran where no rule limits the iterations.
constexpr int default_iterations = 100;

/// "sampled" with the count that a key of the object gives.
void translate_selection(OldCase& old, io::Json& object, const char* key, bool is_needed) {
    old.refuse_new_key(path, object, "selection");
    auto count = take(object, key);
    if (count || is_needed) {
        io::Json selection = io::Json::object();
        selection.set("method", "sampled");
        if (count) {
            selection.set(key, *std::move(count));
        }
        object.set("selection", std::move(selection));
    }
}

bool has_type(const io::Json& rule, std::string_view type) {
    const io::Json* found = rule.find("type");
    return found != nullptr && found->if_string() != nullptr && *found->if_string() == type;
}

/// A simulation rule counted as a limit of 100 iterations, and so did none at all.
void translate_rules(io::Json& training) {
    io::Json* rules = member(training, "stopping_rules");
    io::Json::Array* list = rules != nullptr ? rules->if_array() : nullptr;
    if (list == nullptr) {
        return;
    }
    std::erase_if(*list, [](const io::Json& rule) { return has_type(rule, "simulation"); });
    const bool is_limited = std::any_of(list->begin(), list->end(), [](const io::Json& rule) {
        return has_type(rule, "iteration_limit");
    });
    if (!is_limited) {
        rules->push(io::Json::Object{{"type", "iteration_limit"}, {"limit", default_iterations}});
    }
}

/// Any text but "all" meant any.
void translate_mode(io::Json& training) {
    io::Json* mode = member(training, "stopping_mode");
    if (mode == nullptr || mode->if_string() == nullptr) {
        return;
    }
    std::string text = *mode->if_string();
    std::transform(text.begin(), text.end(), text.begin(), [](char c) {
        return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    });
    *mode = text == "all" ? "all" : "any";
}

void translate_cut_selection(io::Json& training) {
    io::Json* cuts = member(training, "cut_selection");
    if (cuts == nullptr || cuts->if_object() == nullptr) {
        return;
    }
    const auto enabled = take(*cuts, "enabled");
    auto method = take(*cuts, "method");
    auto frequency = take(*cuts, "check_frequency");
    auto tolerance = take(*cuts, "domination_epsilon");
    rename(*cuts, "cut_activity_tolerance", "row_activity_tolerance");
    if (!enabled || enabled->if_bool() == nullptr || !*enabled->if_bool()) {
        return;
    }
    io::Json rule = io::Json::object();
    rule.set("method", method ? *std::move(method) : io::Json("level1"));
    if (frequency) {
        rule.set("check_frequency", *std::move(frequency));
    }
    if (rule.find("method")->if_string() != nullptr &&
        *rule.find("method")->if_string() == "domination") {
        rule.set("domination_tolerance", tolerance ? *std::move(tolerance) : io::Json(0.0));
    }
    cuts->set("selection", std::move(rule));
}

/// Openings of a file were used where there was one.
void translate_openings(OldCase& old, io::Json& training) {
    if (old.table("scenarios/noise_openings.parquet") == nullptr) {
        return;
    }
    if (io::Json* source = object_at(training, "scenario_source")) {
        source->set("openings", io::Json::Object{{"source", "file"}});
    }
}

/// Unknown names meant none, "fixed" meant pacf.
void translate_modeling(io::Json& config) {
    io::Json* modeling = member(config, "modeling");
    io::Json* treatment =
        modeling != nullptr ? member(*modeling, "inflow_non_negativity") : nullptr;
    io::Json* method = treatment != nullptr ? member(*treatment, "method") : nullptr;
    if (treatment != nullptr) {
        take(*treatment, "penalty_cost");
    }
    if (method != nullptr && method->if_string() != nullptr) {
        const std::string& name = *method->if_string();
        if (name != "penalty" && name != "truncation" && name != "truncation_with_penalty") {
            *method = "none";
        }
    }
    io::Json* estimation = member(config, "estimation");
    io::Json* order = estimation != nullptr ? member(*estimation, "order_selection") : nullptr;
    if (order != nullptr && order->if_string() != nullptr && *order->if_string() == "fixed") {
        *order = "pacf";
    }
}

void check_policy(OldCase& old, const io::Json& config) {
    const io::Json* policy = config.find("policy");
    const io::Json* boundary = policy != nullptr ? policy->find("boundary") : nullptr;
    if (boundary != nullptr && !boundary->is_null()) {
        old.refuse(path, "policy.boundary", "policies of 0.5 are not read");
    }
}

}  // namespace

void translate_config(OldCase& old) {
    io::Json* config = old.find(path);
    io::Json* training = config != nullptr ? member(*config, "training") : nullptr;
    if (training == nullptr) {
        return;
    }
    translate_selection(old, *training, "forward_passes", true);
    translate_rules(*training);
    translate_mode(*training);
    translate_cut_selection(*training);
    translate_openings(old, *training);
    if (io::Json* simulation = member(*config, "simulation")) {
        translate_selection(old, *simulation, "num_scenarios", false);
    }
    translate_modeling(*config);
    check_policy(old, *config);
}

}  // namespace lockstep::formats::cobre::translate
