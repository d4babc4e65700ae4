#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "formats/cobre/records.hpp"
#include "formats/records/about.hpp"
#include "formats/records/fields.hpp"

namespace lockstep::formats::cobre::raw {

// config.json, as written. Where openings and scenarios come from.

enum class Scheme { in_sample, out_of_sample, historical, external };
constexpr std::array<Choice<Scheme>, 4> choices(Scheme) {
    return {{{"in_sample", Scheme::in_sample},
             {"out_of_sample", Scheme::out_of_sample},
             {"historical", Scheme::historical},
             {"external", Scheme::external}}};
}

struct ClassSource {
    Scheme scheme = Scheme::in_sample;
    template <typename Fields>
    void fields(Fields& f) {
        f.optional(
            "scheme",
            scheme,
            {"in_sample: an opening of the stage, drawn at random; out_of_sample: noise "
             "that the openings do not hold; historical (inflow only): years of "
             "scenarios/inflow_history.parquet; external: ready-made scenarios. With external "
             "inflows or loads in training their moments replace those of the statistics"});
    }
};

enum class OpeningsSource { generated, file };
constexpr std::array<Choice<OpeningsSource>, 2> choices(OpeningsSource) {
    return {{{"generated", OpeningsSource::generated}, {"file", OpeningsSource::file}}};
}

struct Openings {
    OpeningsSource source = OpeningsSource::generated;
    template <typename Fields>
    void fields(Fields& f) {
        f.required("source",
                   source,
                   {"generated: drawn from the model; file: scenarios/noise_openings.parquet"});
    }
};

struct YearRange {
    int from = 1;
    int to = 1;
    template <typename Fields>
    void fields(Fields& f) {
        f.required("from", from, {"First year", "1931"}, within(1, 9999));
        f.required("to", to, {"Last year, which counts", "2020"}, within(1, 9999));
    }
};

/// [1950, 1951, …] or {"from": …, "to": …}.
struct HistoricalYears {
    std::vector<int> years;
};
io::Json schema_of(const HistoricalYears& example, Range range);
void read_value(const ValueAt& at, HistoricalYears& out, Range range);

struct ScenarioSource {
    std::optional<std::int64_t> seed;
    std::optional<HistoricalYears> historical_years;
    ClassSource inflow;
    ClassSource load;
    ClassSource ncs;
    std::optional<Openings> openings;
    template <typename Fields>
    void fields(Fields& f) {
        f.optional("seed",
                   seed,
                   {"Seed of out-of-sample noise; required unless every scheme is in_sample", "7"});
        f.optional("historical_years",
                   historical_years,
                   {"Years of the record in which a historical scenario may begin: a list, or from "
                    "and to; null: all that it holds",
                    "[1950, 1951, 1952]"});
        f.optional("inflow", inflow, {"Where inflows of the trajectories come from"});
        f.optional("load", load, {"Where random loads of the trajectories come from"});
        f.optional("ncs", ncs, {"Where random availabilities of the trajectories come from"});
        f.optional("openings",
                   openings,
                   {"Where the openings that the policy is trained on come from; null: they are "
                    "generated"});
    }
};

}  // namespace lockstep::formats::cobre::raw
