#include "lockstep/formats/xpcs/records.hpp"

#include <utility>

#include "lockstep/io/file.hpp"

#include "formats/records/field_writer.hpp"
#include "formats/records/record_file.hpp"
#include "formats/xpcs/value_fields.hpp"

namespace lockstep::formats::xpcs {
namespace {

using records::computed;

constexpr int format_version = 1;
constexpr int indent = 2;

struct DataFields : DataRecord {
    template <typename Fields>
    void fields(Fields& f) {
        f.required("file", file, {"That was read", "run.h5"});
        f.required("layout", layout, {"Of the file", "APS-U"});
        f.required("q", q, {"Wavevector [1/Å]", "0.0054"});
        f.required("gap", gap, {"Stator to rotor [Å]", "2000000"});
        f.required("dt", dt, {"Between frames [s]", "0.1"});
        f.required("frames", frames, {"That were fitted", "63"});
        f.required("angles", angles, {"Detector angles", "6"});
        f.required("pairs", pairs, {"Pairs of frames that count", "11718"});
        f.required("notes", notes, {"What was decided while reading"});
    }
};

struct HeldFields : HeldRecord {
    template <typename Fields>
    void fields(Fields& f) {
        f.required("name", name, {"Of the parameter", "D_offset"});
        f.required("unit", unit, {"Of the value", "Å²/s"});
        f.required("value", value, {"Where it stood", "0"}, computed);
    }
};

struct MinimumFields : MinimumRecord {
    template <typename Fields>
    void fields(Fields& f) {
        f.required("chi_squared", chi_squared, {"Of its best fit", "11718"}, computed);
        f.required("starts", starts, {"That ended there", "3"});
        f.required("physical", physical, {"Parameters in the mode's order"});
    }
};

struct AloneFields : AloneRecord {
    template <typename Fields>
    void fields(Fields& f) {
        f.required("phi", phi, {"[degrees]", "30"});
        f.required("used", is_used, {"In what the angles say together", "true"});
        f.required("chi_squared", chi_squared, {"Of the angle", "1953"}, computed);
        f.required("ending", ending, {"Why its fit ended", "converged"});
        f.required("physical", physical, {"Parameters in the mode's order"});
    }
};

struct SequentialFields : SequentialRecord {
    std::vector<AloneFields> entries;

    template <typename Fields>
    void fields(Fields& f) {
        f.required("used", is_used, {"The fit's values are combined from them", "true"});
        f.required("weighting", weighting, {"Of the angles", "inverse_variance"});
        f.required("angles", entries, {"Each fitted alone"});
    }
};

struct SearchFields : SearchRecord {
    std::vector<MinimumFields> entries;

    template <typename Fields>
    void fields(Fields& f) {
        f.required("kind", kind, {"multi-start or cma-es", "multi-start"});
        f.required("starts", starts, {"That were fitted", "6"});
        f.required("runs", runs, {"Of the evolution", "0"});
        f.required("evaluations", evaluations, {"Apart from local fits", "10"});
        f.required("start_chi_squared",
                   start_chi_squared,
                   {"Of the fit from the start", "11718"},
                   computed);
        f.required("skipped", is_skipped, {"The fit from the start was good enough", "false"});
        f.optional("result", is_result, {"Its best point was not refined", "false"});
        f.required("minima", entries, {"Near the best in chi squared, the best first"});
    }
};

struct AngleFields : AngleRecord {
    template <typename Fields>
    void fields(Fields& f) {
        f.required("phi", phi, {"[degrees]", "30"});
        f.required("contrast", contrast, {"Of speckle", "0.3"});
        f.required("offset", offset, {"Of g2", "1"});
        f.required("sigma", sigma, {"Standard deviation of a value of c2", "0.004"});
        f.required("residual", residual, {"Root mean square", "0.004"}, computed);
        f.optional("photons", photons, {"Per pixel and frame", "0.2"}, computed);
        f.optional("pixels", pixels, {"That make such residuals", "30000"}, computed);
    }
};

struct IterationFields : IterationRecord {
    template <typename Fields>
    void fields(Fields& f) {
        f.required("number", number, {"0 is the start", "1"});
        f.required("chi_squared", chi_squared, {"Each pair of frames once", "11718"}, computed);
        f.required("gradient", gradient, {"Cosine, 0 at a minimum", "1e-9"}, computed);
    }
};

struct IndividualFields : IndividualRecord {
    std::vector<ValueFields> entries;

    template <typename Fields>
    void fields(Fields& f) {
        f.required("chi_squared", chi_squared, {"With scales of their own", "11000"}, computed);
        f.required(
            "chi_squared_drop", chi_squared_drop, {"Below that of the fit", "300"}, computed);
        f.required("more_parameters", more_parameters, {"Than the fit has", "10"});
        f.required("better", is_better, {"By more than chance", "true"});
        f.required("values", entries, {"That were fitted"});
    }
};

struct QuantityFields : QuantityRecord {
    template <typename Fields>
    void fields(Fields& f) {
        f.required("name", name, {"Of the parameter", "D0"});
        f.required("mean", mean, {"Of the draws", "12000"}, computed);
        f.required("sd", sd, {"Of the draws", "100"}, computed);
        f.required("q05", q05, {"5 % quantile", "11800"}, computed);
        f.required("median", median, {"50 % quantile", "12000"}, computed);
        f.required("q95", q95, {"95 % quantile", "12200"}, computed);
        f.optional("rhat", rhat, {"Rank-normalised split R-hat", "1.001"}, computed);
        f.required("ess_bulk", ess_bulk, {"Effective draws", "4000"}, computed);
        f.required("ess_tail",
                   ess_tail,
                   {"Effective draws, of the 5 and 95 % quantiles", "3000"},
                   computed);
        f.required("mcse", mcse, {"Monte-Carlo error of the mean", "1.5"}, computed);
    }
};

struct ShardValueFields : ShardValueRecord {
    template <typename Fields>
    void fields(Fields& f) {
        f.required("name", name, {"Of the parameter", "D0"});
        f.required("mean", mean, {"Of the draws", "12000"}, computed);
        f.required("sd", sd, {"Of the draws", "200"}, computed);
        f.optional("rhat", rhat, {"Rank-normalised split R-hat", "1.001"}, computed);
        f.optional("ess", ess, {"Effective draws", "4000"}, computed);
    }
};

struct ShardFields : ShardRecord {
    std::vector<ShardValueFields> entries;

    ShardFields() = default;
    explicit ShardFields(const ShardRecord& record)
        : ShardRecord(record), entries(as<ShardValueFields>(record.values)) {}
    [[nodiscard]] ShardRecord record() const {
        auto record = static_cast<const ShardRecord&>(*this);
        record.values = back<ShardValueRecord>(entries);
        return record;
    }

    template <typename Fields>
    void fields(Fields& f) {
        f.optional("phi", phi, {"Of the one angle [degrees]", "45"}, computed);
        f.required("pairs", pairs, {"Of frames, over all angles", "2930"});
        f.required("method", method, {"importance, chains or shards", "importance"});
        f.optional("pareto_k", k, {"Shape of the weights' tail", "0.1"}, computed);
        f.optional("rhat", rhat, {"Largest, of chains", "1.002"}, computed);
        f.optional("acceptance", acceptance, {"Mean, of chains", "0.9"}, computed);
        f.required("divergences", divergences, {"Of all draws", "0"});
        f.required("verdict", verdict, {"kept, or why it was left out", "kept"});
        f.required("attempts", attempts, {"At its tasks", "1"});
        f.required("seconds", seconds, {"Of its tasks", "0.1"});
        f.required("failure", failure, {"Of a task", ""});
        f.optional("values", entries, {"Of its own posterior"});
    }
};

struct ChoiceFields : ChoiceRecord {
    template <typename Fields>
    void fields(Fields& f) {
        f.required("name", taken, {"What was taken", "random"});
        f.required("asked", asked, {"By option or configuration", "auto"});
        f.required("remark", remark, {"Why it is something else", ""});
    }
};

struct VariationFields : VariationRecord {
    template <typename Fields>
    void fields(Fields& f) {
        f.required("parameter", parameter, {"Whose means differ most", "D0"});
        f.required("value", value, {"Standard deviation by mean", "0.02"}, computed);
    }
};

struct FarmFields : FarmRecord {
    template <typename Fields>
    void fields(Fields& f) {
        f.required("name", farm, {"Where the tasks ran", "threads"});
        f.required("workers", workers, {"That ran them", "2"});
        f.required("asked", asked, {"By option or configuration", "auto"});
        f.required("remark", remark, {"Why it is another farm", ""});
    }
};

struct ConsensusFields : ConsensusRecord {
    ChoiceFields dealt;
    std::optional<VariationFields> varied;
    std::vector<QuantityFields> entries;
    FarmFields where;
    std::vector<ShardFields> of_each;

    template <typename Fields>
    void fields(Fields& f) {
        f.required("shards", shards, {"That the pairs were dealt to", "4"});
        f.required("kept", kept, {"That were combined", "4"});
        f.optional("sharding", dealt, {"How pairs were dealt"});
        f.required("combination", combination.taken, {"How", "precision"});
        f.optional("combination_asked", combination.asked, {"By option or configuration", "auto"});
        f.optional("combination_remark", combination.remark, {"Why it is another one", ""});
        f.optional("variation", varied, {"Between means of shards"});
        f.optional("shortfall", shortfall, {"Why nothing was combined", ""});
        f.optional(
            "largest_shift", largest_shift, {"Of a mean [sd of the whole]", "0.1"}, computed);
        f.optional("smallest_width", smallest_width, {"[sd of the whole]", "0.97"}, computed);
        f.optional("largest_width", largest_width, {"[sd of the whole]", "1.03"}, computed);
        f.optional("largest_correlation_difference",
                   largest_correlation_difference,
                   {"From the whole", "0.02"},
                   computed);
        f.required("quantities", entries, {"Of the combined draws"});
        f.optional("farm", where, {"Where the tasks ran"});
        f.optional("each", of_each, {"Of the shards"});
        f.optional("digest", digest, {"Of the combined draws", ""});
    }
};

ConsensusFields fields_of(const ConsensusRecord& record) {
    ConsensusFields fields;
    static_cast<ConsensusRecord&>(fields) = record;
    fields.dealt = {record.sharding};
    if (record.variation) {
        fields.varied = VariationFields{*record.variation};
    }
    fields.entries = as<QuantityFields>(record.quantities);
    fields.where = {record.farm};
    for (const auto& shard : record.each) {
        fields.of_each.emplace_back(shard);
    }
    return fields;
}

ConsensusRecord record_of(const ConsensusFields& fields) {
    auto record = static_cast<const ConsensusRecord&>(fields);
    record.sharding = fields.dealt;
    record.variation = fields.varied;
    record.quantities = back<QuantityRecord>(fields.entries);
    record.farm = fields.where;
    for (const auto& shard : fields.of_each) {
        record.each.push_back(shard.record());
    }
    return record;
}

struct FitFields {
    int version = format_version;
    FitRecord record;
    DataFields data;
    std::vector<ValueFields> values;
    std::vector<HeldFields> held;
    std::vector<AngleFields> angles;
    std::vector<IterationFields> history;
    std::optional<SearchFields> search;
    std::optional<SequentialFields> sequential;
    std::optional<IndividualFields> individual;

    template <typename Fields>
    void fields(Fields& f) {
        auto& r = record;
        f.required("format_version", version, {"Of this file", "1"}, {1, format_version});
        f.required("data", data, {"What was fitted"});
        f.required("mode", r.mode, {"static or laminar_flow", "static"});
        f.required("shear_term", r.shear_term, {"homodyne or paper", "homodyne"});
        f.required("scaling", r.scaling, {"Of contrasts and offsets", "individual"});
        f.optional("objective", r.objective, {"pairs or compat-grid", "pairs"});
        f.optional("legacy_chi_squared",
                   r.legacy_chi_squared,
                   {"Of compat-grid: what homodyne reports", "29627.8"},
                   computed);
        f.required("loss", r.loss, {"linear, soft_l1, huber, cauchy or arctan", "linear"});
        f.required("loss_scale", r.loss_scale, {"Standard deviations", "1"});
        f.required(
            "minimised", r.minimised, {"Sum of the loss; linear: chi squared", "11718"}, computed);
        f.required("chi_squared", r.chi_squared, {"Each pair of frames once", "11718"}, computed);
        f.required("degrees_of_freedom", r.degrees_of_freedom, {"Pairs less values", "11699"});
        f.required("ending", r.ending, {"Why the fit ended", "converged"});
        f.required("converged", r.is_converged, {"Whether it is a minimum", "true"});
        f.required("iterations", r.iterations, {"Of the fit", "6"});
        f.required("evaluations", r.evaluations, {"Of the sum of squares", "7"});
        f.required("gradient", r.gradient, {"Cosine, 0 at a minimum", "1e-9"}, computed);
        f.optional("condition", r.condition, {"Of the Jacobian's scaled columns", "340"}, computed);
        f.required("remark", r.remark, {"What the data do not determine", ""});
        f.required("error_method", r.error_method, {"speckle, blocks or classical", "speckle"});
        f.required("values", values, {"That were fitted"});
        f.required("held", held, {"Parameters that were not"});
        f.required("angles", angles, {"Of the detector"});
        f.required("covariance", r.covariance, {"In the order of values"}, computed);
        f.required("start", r.start, {"Of the physical parameters"}, computed);
        f.required("history", history, {"The start and each iteration"});
        f.optional("search", search, {"Beyond the start's own valley"});
        f.optional("sequential", sequential, {"Angles fitted one by one"});
        f.required("penalty", r.penalty, {"Of regularised scales", "0"}, computed);
        f.optional("individual", individual, {"The same data with scales for each angle"});
        f.required("seconds", r.seconds, {"Of the fit", "0.01"});
        f.required("digest", r.digest, {"Of values, chi squared and errors", ""});
    }
};

struct PosteriorFields {
    int version = format_version;
    PosteriorRecord record;
    DataFields data;
    std::vector<QuantityFields> quantities;
    std::optional<ConsensusFields> consensus;

    template <typename Fields>
    void fields(Fields& f) {
        auto& r = record;
        f.required("format_version", version, {"Of this file", "1"}, {1, format_version});
        f.required("data", data, {"What was sampled"});
        f.required("mode", r.mode, {"static or laminar_flow", "static"});
        f.required("scaling", r.scaling, {"Of contrasts and offsets", "individual"});
        f.required("method", r.method, {"importance or chains", "importance"});
        f.required("chains", r.chains, {"That were run; 1: draws are independent", "4"});
        f.required("draws", r.draws, {"Of a chain", "1000"});
        f.required("quantities", quantities, {"That were drawn"});
        f.optional("points", r.points, {"That were weighed", "8000"});
        f.optional("pareto_k", r.pareto_k, {"Shape of the weights' tail", "0.1"}, computed);
        f.optional("effective_size", r.effective_size, {"Of the points", "7900"}, computed);
        f.optional("leapfrogs", r.leapfrogs, {"Of all draws", "40000"});
        f.optional("divergences", r.divergences, {"Of all draws", "0"});
        f.optional("acceptance", r.acceptance, {"Mean over the draws", "0.9"});
        f.required("e_bfmi", r.e_bfmi, {"Of each chain"}, computed);
        f.optional("remarks", r.remarks, {"What the fit has and the density has not"});
        f.optional("consensus", consensus, {"The same from shards of the data"});
        f.required("complete", r.is_complete, {"false: ended by request", "true"});
        f.required("seconds", r.seconds, {"Of the sampling", "0.5"});
        f.required("digest", r.digest, {"Of the draws", ""});
    }
};

}  // namespace

io::Json to_json(const FitRecord& record) {
    FitFields file;
    file.record = record;
    file.data = {record.data};
    file.values = as<ValueFields>(record.values);
    file.held = as<HeldFields>(record.held);
    file.angles = as<AngleFields>(record.angles);
    file.history = as<IterationFields>(record.history);
    if (record.search) {
        file.search = SearchFields{*record.search, as<MinimumFields>(record.search->minima)};
    }
    if (record.sequential) {
        file.sequential =
            SequentialFields{*record.sequential, as<AloneFields>(record.sequential->angles)};
    }
    if (record.individual) {
        file.individual =
            IndividualFields{*record.individual, as<ValueFields>(record.individual->values)};
    }
    return records::written(file);
}

io::Json to_json(const PosteriorRecord& record) {
    PosteriorFields file;
    file.record = record;
    file.data = {record.data};
    file.quantities = as<QuantityFields>(record.quantities);
    if (record.consensus) {
        file.consensus = fields_of(*record.consensus);
    }
    return records::written(file);
}

void write_fit(const std::filesystem::path& output, const FitRecord& record) {
    io::write_file(output / "fit.json", io::to_text(to_json(record), indent) + "\n");
}

void write_posterior(const std::filesystem::path& output, const PosteriorRecord& record) {
    io::write_file(output / "posterior.json", io::to_text(to_json(record), indent) + "\n");
}

FitRecord read_fit(const std::filesystem::path& output) {
    auto file = records::read_record<FitFields>(output / "fit.json");
    file.record.data = file.data;
    file.record.values = back<ValueRecord>(file.values);
    file.record.held = back<HeldRecord>(file.held);
    file.record.angles = back<AngleRecord>(file.angles);
    file.record.history = back<IterationRecord>(file.history);
    if (file.search) {
        file.record.search = *file.search;
        file.record.search->minima = back<MinimumRecord>(file.search->entries);
    }
    if (file.sequential) {
        file.record.sequential = *file.sequential;
        file.record.sequential->angles = back<AloneRecord>(file.sequential->entries);
    }
    if (file.individual) {
        file.record.individual = *file.individual;
        file.record.individual->values = back<ValueRecord>(file.individual->entries);
    }
    return std::move(file.record);
}

PosteriorRecord read_posterior(const std::filesystem::path& output) {
    auto file = records::read_record<PosteriorFields>(output / "posterior.json");
    file.record.data = file.data;
    file.record.quantities = back<QuantityRecord>(file.quantities);
    if (file.consensus) {
        file.record.consensus = record_of(*file.consensus);
    }
    return std::move(file.record);
}

}  // namespace lockstep::formats::xpcs
