#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "formats/cobre/records.hpp"
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
        c.required("hydro_id", &InflowHistory::hydro_id);
        c.required("start_date", &InflowHistory::start_date);
        c.required("end_date", &InflowHistory::end_date);
        c.required("value_m3s", &InflowHistory::value_m3s);
    }
};

struct InflowStatistics {
    int entity_id = 0;
    int stage_id = 0;
    double mean_m3s = 0;
    double std_m3s = 0;
    template <typename Columns>
    static void columns(Columns& c) {
        c.required("hydro_id", &InflowStatistics::entity_id);
        c.required("stage_id", &InflowStatistics::stage_id);
        c.required("mean_m3s", &InflowStatistics::mean_m3s);
        c.required("std_m3s", &InflowStatistics::std_m3s, non_negative);
    }
};

struct ArCoefficient {
    int entity_id = 0;
    int stage_id = 0;
    int lag = 1;
    double coefficient = 0;
    template <typename Columns>
    static void columns(Columns& c) {
        c.required("hydro_id", &ArCoefficient::entity_id);
        c.required("stage_id", &ArCoefficient::stage_id);
        c.required("lag", &ArCoefficient::lag, at_least(1));
        c.required("coefficient", &ArCoefficient::coefficient);
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
        c.required("hydro_id", &AnnualComponent::entity_id);
        c.required("stage_id", &AnnualComponent::stage_id);
        c.required("annual_coefficient", &AnnualComponent::coefficient);
        c.required("annual_mean_m3s", &AnnualComponent::mean_m3s);
        c.required("annual_std_m3s", &AnnualComponent::std_m3s, positive);
    }
};

struct LoadStatistics {
    int entity_id = 0;
    int stage_id = 0;
    double mean_mw = 0;
    double std_mw = 0;
    template <typename Columns>
    static void columns(Columns& c) {
        c.required("bus_id", &LoadStatistics::entity_id);
        c.required("stage_id", &LoadStatistics::stage_id);
        c.required("mean_mw", &LoadStatistics::mean_mw);
        c.required("std_mw", &LoadStatistics::std_mw, non_negative);
    }
};

struct SourceStatistics {
    int entity_id = 0;
    int stage_id = 0;
    double mean = 0;
    double std = 0;
    template <typename Columns>
    static void columns(Columns& c) {
        c.required("ncs_id", &SourceStatistics::entity_id);
        c.required("stage_id", &SourceStatistics::stage_id);
        c.required("mean", &SourceStatistics::mean, share);
        c.required("std", &SourceStatistics::std, non_negative);
    }
};

struct NoiseOpening {
    int stage_id = 0;
    std::uint32_t opening_index = 0;
    std::uint32_t entity_index = 0;
    double value = 0;
    template <typename Columns>
    static void columns(Columns& c) {
        c.required("stage_id", &NoiseOpening::stage_id);
        c.required("opening_index", &NoiseOpening::opening_index);
        c.required("entity_index", &NoiseOpening::entity_index);
        c.required("value", &NoiseOpening::value);
    }
};

struct BlockFactor {
    int block_id = 0;
    double factor = 1;
    template <typename Fields>
    void fields(Fields& f) {
        f.required("block_id", block_id, at_least(0));
        f.required("factor", factor, positive);
    }
};

/// Factors of an entity in a stage.
struct StageFactors {
    int line = 0;
    int entity_id = 0;
    int stage_id = 0;
    std::vector<BlockFactor> block_factors;
    template <typename Fields>
    void factor_fields(Fields& f, const char* entity_key) {
        f.line(line);
        f.required(entity_key, entity_id, at_least(0));
        f.required("stage_id", stage_id);
        f.required("block_factors", block_factors);
    }
};

struct LoadFactor : StageFactors {
    template <typename Fields>
    void fields(Fields& f) {
        factor_fields(f, "bus_id");
    }
};

struct LoadFactors {
    std::vector<LoadFactor> factors;
    template <typename Fields>
    void fields(Fields& f) {
        f.required("load_factors", factors);
    }
};

struct SourceFactor : StageFactors {
    template <typename Fields>
    void fields(Fields& f) {
        factor_fields(f, "ncs_id");
    }
};

struct SourceFactors {
    std::vector<SourceFactor> factors;
    template <typename Fields>
    void fields(Fields& f) {
        f.required("non_controllable_factors", factors);
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
        f.required("type", type);
        f.required("id", id, at_least(0));
    }
};

struct CorrelationGroup {
    int line = 0;
    std::string name;
    std::vector<CorrelationEntity> entities;
    std::vector<std::vector<double>> matrix;
    template <typename Fields>
    void fields(Fields& f) {
        f.line(line);
        f.required("name", name);
        f.required("entities", entities);
        f.required("matrix", matrix, within(-1, 1));
    }
};

struct CorrelationProfile {
    int line = 0;
    std::vector<CorrelationGroup> correlation_groups;
    template <typename Fields>
    void fields(Fields& f) {
        f.line(line);
        f.required("correlation_groups", correlation_groups);
    }
};

struct ScheduleEntry {
    int line = 0;
    int stage_id = 0;
    std::string profile_name;
    template <typename Fields>
    void fields(Fields& f) {
        f.line(line);
        f.required("stage_id", stage_id);
        f.required("profile_name", profile_name);
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
        f.required("method", method);
        f.required("profiles", profiles);
        f.optional("schedule", schedule);
    }
};

}  // namespace lockstep::formats::cobre::raw
