#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "formats/cobre/read/raw/about.hpp"
#include "formats/cobre/records.hpp"
#include "formats/records/about.hpp"
#include "formats/records/columns.hpp"
#include "formats/records/fields.hpp"

namespace lockstep::formats::cobre::raw {

// scenarios/*: statistics, coefficients, history, factors, correlation, openings.

struct InflowHistory {
    int hydro_id = 0;
    Date start_date{};
    Date end_date{};
    double value_m3s = 0;
    template <typename Columns>
    static void columns(Columns& c) {
        c.required("hydro_id", &InflowHistory::hydro_id, about::hydro_id);
        c.required("start_date", &InflowHistory::start_date, about::window_start);
        c.required("end_date", &InflowHistory::end_date, about::window_end);
        c.required("value_m3s", &InflowHistory::value_m3s, about::observed_inflow);
    }
};

struct InflowStatistics {
    int entity_id = 0;
    int stage_id = 0;
    double mean_m3s = 0;
    double std_m3s = 0;
    template <typename Columns>
    static void columns(Columns& c) {
        c.required("hydro_id", &InflowStatistics::entity_id, about::hydro_id);
        c.required("stage_id", &InflowStatistics::stage_id, about::any_stage_id);
        c.required("mean_m3s",
                   &InflowStatistics::mean_m3s,
                   {"Mean of the natural inflow between the plant and those upstream", "350"});
        c.required("std_m3s",
                   &InflowStatistics::std_m3s,
                   {"Standard deviation of that inflow; 0: no noise", "90"},
                   non_negative);
    }
};

struct NodeInflowStatistics {
    int hydro_id = 0;
    int node_id = 0;
    double mean_m3s = 0;
    double std_m3s = 0;
    template <typename Columns>
    static void columns(Columns& c) {
        c.required("hydro_id", &NodeInflowStatistics::hydro_id, about::hydro_id);
        c.required("node_id",
                   &NodeInflowStatistics::node_id,
                   {"Node of the policy graph: a regime of the inflow", "3"});
        c.required("mean_m3s",
                   &NodeInflowStatistics::mean_m3s,
                   {"Mean of the inflow there, in place of that of the stage", "350"});
        c.required("std_m3s",
                   &NodeInflowStatistics::std_m3s,
                   {"Standard deviation there", "90"},
                   non_negative);
    }
};

struct ArCoefficient {
    int entity_id = 0;
    int stage_id = 0;
    int lag = 1;
    double coefficient = 0;
    template <typename Columns>
    static void columns(Columns& c) {
        c.required("hydro_id", &ArCoefficient::entity_id, about::hydro_id);
        c.required("stage_id", &ArCoefficient::stage_id, about::any_stage_id);
        c.required("lag",
                   &ArCoefficient::lag,
                   {"Periods back; a plant and stage has rows for 1, 2 … without gaps", "1"},
                   at_least(1));
        c.required("coefficient",
                   &ArCoefficient::coefficient,
                   {"Standardised coefficient: of the lagged inflow, less its mean, divided by its "
                    "deviation, on the inflow taken alike",
                    "0.6",
                    dimensionless});
    }
};

struct AnnualComponent {
    int entity_id = 0;
    int stage_id = 0;
    double coefficient = 0;
    double mean_m3s = 0;
    double std_m3s = 0;
    template <typename Columns>
    static void columns(Columns& c) {
        c.required("hydro_id", &AnnualComponent::entity_id, about::hydro_id);
        c.required("stage_id", &AnnualComponent::stage_id, about::any_stage_id);
        c.required("annual_coefficient",
                   &AnnualComponent::coefficient,
                   {"Standardised coefficient of the mean of the last twelve months",
                    "0.2",
                    dimensionless});
        c.required("annual_mean_m3s",
                   &AnnualComponent::mean_m3s,
                   {"Mean of that twelve-month mean", "340"});
        c.required("annual_std_m3s",
                   &AnnualComponent::std_m3s,
                   {"Standard deviation of that twelve-month mean", "60"},
                   positive);
    }
};

struct LoadStatistics {
    int entity_id = 0;
    int stage_id = 0;
    double mean_mw = 0;
    double std_mw = 0;
    template <typename Columns>
    static void columns(Columns& c) {
        c.required("bus_id", &LoadStatistics::entity_id, about::bus_id);
        c.required("stage_id", &LoadStatistics::stage_id, about::stage_id);
        c.required("mean_mw",
                   &LoadStatistics::mean_mw,
                   {"Mean load of the stage, before the factors of its blocks", "1200"});
        c.required(
            "std_mw",
            &LoadStatistics::std_mw,
            {"Standard deviation of the load; a bus with 0 in every stage has no noise", "30"},
            non_negative);
    }
};

struct SourceStatistics {
    int entity_id = 0;
    int stage_id = 0;
    double mean = 0;
    double std = 0;
    template <typename Columns>
    static void columns(Columns& c) {
        c.required("ncs_id", &SourceStatistics::entity_id, about::ncs_id);
        c.required("stage_id", &SourceStatistics::stage_id, about::stage_id);
        c.required(
            "mean",
            &SourceStatistics::mean,
            {"Mean availability, as a share of the installed capacity", "0.35", dimensionless},
            share);
        c.required("std",
                   &SourceStatistics::std,
                   {"Standard deviation of the availability, which is kept within 0 and 1",
                    "0.1",
                    dimensionless},
                   non_negative);
    }
};

struct ExternalInflow {
    int stage_id = 0;
    int scenario_id = 0;
    int entity_id = 0;
    double value = 0;
    template <typename Columns>
    static void columns(Columns& c) {
        c.required("stage_id", &ExternalInflow::stage_id, about::stage_id);
        c.required("scenario_id", &ExternalInflow::scenario_id, about::scenario_id, at_least(0));
        c.required("hydro_id", &ExternalInflow::entity_id, about::hydro_id);
        c.required("value_m3s",
                   &ExternalInflow::value,
                   {"Inflow of the stage in the scenario; every plant needs one", "310"});
    }
};

struct ExternalLoad {
    int stage_id = 0;
    int scenario_id = 0;
    int entity_id = 0;
    double value = 0;
    template <typename Columns>
    static void columns(Columns& c) {
        c.required("stage_id", &ExternalLoad::stage_id, about::stage_id);
        c.required("scenario_id", &ExternalLoad::scenario_id, about::scenario_id, at_least(0));
        c.required("bus_id", &ExternalLoad::entity_id, about::bus_id);
        c.required("value_mw",
                   &ExternalLoad::value,
                   {"Load of the stage in the scenario, before the factors of its blocks", "1180"});
    }
};

struct ExternalSource {
    int stage_id = 0;
    int scenario_id = 0;
    int entity_id = 0;
    double value = 0;
    template <typename Columns>
    static void columns(Columns& c) {
        c.required("stage_id", &ExternalSource::stage_id, about::stage_id);
        c.required("scenario_id", &ExternalSource::scenario_id, about::scenario_id, at_least(0));
        c.required("ncs_id", &ExternalSource::entity_id, about::ncs_id);
        c.required(
            "availability_factor",
            &ExternalSource::value,
            {"Availability in the scenario, as a share of the installed capacity; the source "
             "needs rows in non_controllable_stats",
             "0.4",
             dimensionless},
            share);
    }
};

struct NoiseOpening {
    int stage_id = 0;
    std::uint32_t opening_index = 0;
    std::uint32_t entity_index = 0;
    double value = 0;
    template <typename Columns>
    static void columns(Columns& c) {
        c.required("stage_id", &NoiseOpening::stage_id, about::stage_id);
        c.required("opening_index",
                   &NoiseOpening::opening_index,
                   {"Opening of the stage, from 0; all num_openings of them are needed", "0"});
        c.required("entity_index",
                   &NoiseOpening::entity_index,
                   {"Place in the noise vector, from 0: plants by operational_start_date and id, "
                    "then buses with random load and sources with statistics, each by id",
                    "0"});
        c.required("value",
                   &NoiseOpening::value,
                   {"Standardised noise, correlation included: deviations from the mean",
                    "-0.43",
                    dimensionless});
    }
};

struct BlockFactor {
    int block_id = 0;
    double factor = 1;
    template <typename Fields>
    void fields(Fields& f) {
        f.required("block_id", block_id, {"Block of the stage, from 0", "0"}, at_least(0));
        f.required("factor",
                   factor,
                   {"What the mean of the stage is multiplied by in the block", "1.15"},
                   positive);
    }
};

/// Factors of an entity in a stage.
struct StageFactors {
    int line = 0;
    int entity_id = 0;
    int stage_id = 0;
    std::vector<BlockFactor> block_factors;
    template <typename Fields>
    void factor_fields(Fields& f, const char* entity_key, const About& entity) {
        f.line(line);
        f.required(entity_key, entity_id, entity, at_least(0));
        f.required("stage_id", stage_id, about::stage_id);
        f.required("block_factors",
                   block_factors,
                   {"Factors of the blocks of the stage; 1 in a block that is not listed"});
    }
};

struct LoadFactor : StageFactors {
    template <typename Fields>
    void fields(Fields& f) {
        factor_fields(f, "bus_id", about::bus_id);
    }
};

struct LoadFactors {
    std::vector<LoadFactor> factors;
    template <typename Fields>
    void fields(Fields& f) {
        f.required("load_factors", factors, {"Loads that differ between the blocks of a stage"});
    }
};

struct SourceFactor : StageFactors {
    template <typename Fields>
    void fields(Fields& f) {
        factor_fields(f, "ncs_id", about::ncs_id);
    }
};

struct SourceFactors {
    std::vector<SourceFactor> factors;
    template <typename Fields>
    void fields(Fields& f) {
        f.required("non_controllable_factors",
                   factors,
                   {"Availabilities that differ between the blocks of a stage"});
    }
};

enum class NoiseClass { inflow, load, ncs };
constexpr std::array<Choice<NoiseClass>, 3> choices(NoiseClass) {
    return {{{"inflow", NoiseClass::inflow}, {"load", NoiseClass::load}, {"ncs", NoiseClass::ncs}}};
}

struct CorrelationEntity {
    int line = 0;
    NoiseClass type = NoiseClass::inflow;
    int id = 0;
    template <typename Fields>
    void fields(Fields& f) {
        f.line(line);
        f.required("type",
                   type,
                   {"inflow: a plant; load: a bus; ncs: a source that is not controllable. All of "
                    "a group are of one type unless it is across_classes"});
        f.required("id", id, {"Its id in the file of its kind", "1"}, at_least(0));
    }
};

struct CorrelationGroup {
    int line = 0;
    std::string name;
    std::vector<CorrelationEntity> entities;
    std::vector<std::vector<double>> matrix;
    bool across_classes = false;
    template <typename Fields>
    void fields(Fields& f) {
        f.line(line);
        f.required("name", name, {"Name for people", "south"});
        f.optional("across_classes",
                   across_classes,
                   {"Whether entities may be of several types: inflows that go with loads or with "
                    "availabilities. Their schemes have to be the same. Not in Cobre"});
        f.required("entities",
                   entities,
                   {"Entities whose noise is correlated, in the order of the matrix"});
        f.required("matrix",
                   matrix,
                   {"Correlation of each with each: symmetric, 1 on the diagonal",
                    "[[1.0, 0.7], [0.7, 1.0]]",
                    dimensionless},
                   within(-1, 1));
    }
};

struct CorrelationProfile {
    int line = 0;
    std::vector<CorrelationGroup> correlation_groups;
    template <typename Fields>
    void fields(Fields& f) {
        f.line(line);
        f.required("correlation_groups",
                   correlation_groups,
                   {"Groups of correlated entities; who is in none has noise of its own"});
    }
};

struct ScheduleEntry {
    int line = 0;
    int stage_id = 0;
    std::string profile_name;
    template <typename Fields>
    void fields(Fields& f) {
        f.line(line);
        f.required("stage_id", stage_id, about::stage_id);
        f.required("profile_name", profile_name, {"Profile of the stage", "default"});
    }
};

enum class CorrelationMethod { spectral };
constexpr std::array<Choice<CorrelationMethod>, 1> choices(CorrelationMethod) {
    return {{{"spectral", CorrelationMethod::spectral}}};
}

struct Correlation {
    CorrelationMethod method = CorrelationMethod::spectral;
    std::vector<std::pair<std::string, CorrelationProfile>> profiles;
    std::vector<ScheduleEntry> schedule;
    template <typename Fields>
    void fields(Fields& f) {
        f.required("method",
                   method,
                   {"How correlated noise is made from independent noise: by the symmetric square "
                    "root of the matrix"});
        f.required(
            "profiles",
            profiles,
            {"Correlations by name; default holds in every stage without an entry of the schedule",
             R"({"default": {"correlation_groups": []}})"});
        f.optional("schedule", schedule, {"Stages with a profile of their own"});
    }
};

}  // namespace lockstep::formats::cobre::raw
