#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <span>
#include <utility>
#include <variant>
#include <vector>

#include <fmt/format.h>

#include "lockstep/app/text.hpp"
#include "lockstep/base/error.hpp"
#include "lockstep/base/index.hpp"
#include "lockstep/io/file.hpp"
#include "lockstep/io/npz.hpp"

#include "app/xpcs/report/parts.hpp"

namespace lockstep::app {
namespace {

using formats::xpcs::PosteriorRecord;
using Numbers = std::vector<double>;

constexpr std::size_t rank_bins = 20;
constexpr std::size_t energy_bins = 30;
constexpr std::size_t trace_points = 300;

// What is commonly asked of chains [Vehtari2021], [Betancourt2016], and of weights [Vehtari2024].
constexpr double largest_rhat = 1.01;
constexpr double least_ess = 400;
constexpr double least_bfmi = 0.3;
constexpr double largest_k = 0.5;

/// The draws of posterior.npz.
struct Draws {
    std::size_t chains = 0;
    std::size_t draws = 0;  ///< a chain
    std::vector<std::string> names;
    Numbers values;  ///< [chains, draws, names]
    Numbers energy;  ///< [chains, draws]; empty: none

    [[nodiscard]] Numbers of(std::size_t name) const {
        Numbers found;
        for (std::size_t k = name; k < values.size(); k += names.size()) {
            found.push_back(values[k]);
        }
        return found;
    }
};

template <typename T>
std::vector<T> read_array(const io::NpzFile& file,
                          const std::filesystem::path& path,
                          const char* name,
                          const std::vector<std::int64_t>& shape) {
    auto array = file.read(name);
    auto* values = std::get_if<std::vector<T>>(&array.values);
    if (values == nullptr || array.shape != shape) {
        throw InputError(fmt::format(
            "{}: {} has another type or shape than posterior.json of this output says; run the "
            "sampling again",
            path.string(),
            name));
    }
    return std::move(*values);
}

Draws read_draws(const std::filesystem::path& path, const PosteriorRecord& record) {
    const io::NpzFile file(path);
    const auto names = static_cast<std::int64_t>(record.quantities.size());
    const std::vector<std::int64_t> each{record.chains, record.draws};
    Draws draws{at(record.chains), at(record.draws), {}, {}, {}};
    draws.names = read_array<std::string>(file, path, "param_names", {names});
    draws.values = read_array<double>(file, path, "samples", {each[0], each[1], names});
    if (file.has("energy")) {
        draws.energy = read_array<double>(file, path, "energy", each);
    }
    return draws;
}

std::string importance_words(const PosteriorRecord& record) {
    const double k = record.pareto_k.value_or(0);
    return fmt::format(
        "{} points were drawn around the fit and weighed by the posterior. The tail of the weights "
        "has the shape k = {}{}; {} of the points count (effective size), and the draws are "
        "independent.",
        count(record.points.value_or(0)),
        record.pareto_k ? digits(k, 2) : "unknown",
        !record.pareto_k ? ""
        : k <= largest_k ? ", so the weights can be relied on (they could not above 0.5)"
                         : ", so the weights cannot be relied on (they could up to 0.5): run with "
                           "--sampler nuts",
        count(static_cast<std::int64_t>(record.effective_size.value_or(0))));
}

std::string shard_words(const PosteriorRecord& record) {
    return fmt::format(
        "{} draws of the posteriors of shards, combined: that of all data would "
        "have taken longer than was allowed.",
        count(record.draws));
}

std::string chain_words(const PosteriorRecord& record) {
    double rhat = 1;
    double ess = static_cast<double>(record.chains) * record.draws;
    for (const auto& of : record.quantities) {
        rhat = std::max(rhat, of.rhat.value_or(1));
        ess = std::min({ess, of.ess_bulk, of.ess_tail});
    }
    const double bfmi =
        record.e_bfmi.empty() ? 1 : *std::min_element(record.e_bfmi.begin(), record.e_bfmi.end());
    const auto divergences = record.divergences.value_or(0);
    const bool is_good =
        rhat <= largest_rhat && ess >= least_ess && bfmi >= least_bfmi && divergences == 0;
    return fmt::format(
        "{} of {} draws by the no-U-turn sampler: the largest R-hat is {} (1.01 at most is asked "
        "for), the least effective size {} (400 at least), {}, the least E-BFMI {} (0.3 at least). "
        "{}",
        plural(record.chains, "chain"),
        count(record.draws),
        digits(rhat, 4),
        count(static_cast<std::int64_t>(ess)),
        plural(divergences, "divergence"),
        digits(bfmi, 2),
        is_good ? "The draws can be relied on."
                : "That is not all fulfilled: take the posterior with care.");
}

void add_quantities(io::Page& page, const PosteriorRecord& record) {
    std::vector<std::vector<std::string>> rows;
    for (const auto& of : record.quantities) {
        rows.push_back({of.name,
                        digits(of.mean),
                        digits(of.sd, 3),
                        digits(of.mcse, 2),
                        digits(of.q05),
                        digits(of.median),
                        digits(of.q95),
                        of.rhat ? digits(*of.rhat, 4) : "–",
                        count(static_cast<std::int64_t>(of.ess_bulk)),
                        count(static_cast<std::int64_t>(of.ess_tail))});
    }
    page.table({"Quantity",
                "Mean",
                "Deviation",
                "Monte-Carlo error",
                "5 %",
                "50 %",
                "95 %",
                "R-hat",
                "ESS",
                "Tail ESS"},
               rows);
}

void add_corner(io::Page& page, const XpcsResults& results, const Draws& draws) {
    io::Corner corner{"Draws of the physical parameters and of their pairs"};
    for (std::size_t k = 0; k < draws.names.size(); ++k) {
        if (const auto* value = find_value(results.fit, draws.names[k]);
            value != nullptr && is_physical(draws.names[k])) {
            corner.names.push_back(with_unit(*value));
            corner.draws.push_back(draws.of(k));
            corner.marks.push_back(value->value);
        }
    }
    if (!corner.names.empty()) {
        page.corner(corner);
        page.paragraph(
            "Shades: the densest cells that hold 25, 50, 75, 95 % and all of the draws. "
            "Lines: the fit.");
    }
}

std::string chain_name(std::size_t chain) {
    return fmt::format("chain {}", chain + 1);
}

io::Plot trace_of(const Draws& draws, const Numbers& values, const std::string& name) {
    io::Plot plot{"Trace", "draw", name};
    const std::size_t stride = std::max<std::size_t>(1, draws.draws / trace_points);
    for (std::size_t chain = 0; chain < draws.chains; ++chain) {
        io::Series line{chain_name(chain), {}, {}, false, true};
        for (std::size_t draw = 0; draw < draws.draws; draw += stride) {
            line.x.push_back(static_cast<double>(draw));
            line.y.push_back(values[chain * draws.draws + draw]);
        }
        plot.lines.push_back(std::move(line));
    }
    return plot;
}

/// How often draws of a chain have ranks of each twentieth among all, beside an even share.
io::Plot ranks_of(const Draws& draws, const Numbers& values) {
    std::vector<std::size_t> order(values.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::stable_sort(order, [&](auto a, auto b) { return values[a] < values[b]; });
    std::vector<Numbers> counts(draws.chains, Numbers(rank_bins));
    for (std::size_t rank = 0; rank < order.size(); ++rank) {
        counts[order[rank] / draws.draws][rank * rank_bins / order.size()] += 1;
    }
    io::Plot plot{
        "Ranks among the draws of all chains", "rank [%]", "share of a chain beside an even one"};
    plot.from_zero = true;
    const double even = static_cast<double>(draws.draws) / rank_bins;
    for (std::size_t chain = 0; chain < draws.chains; ++chain) {
        io::Series line{chain_name(chain), {}, {}};
        for (std::size_t bin = 0; bin < rank_bins; ++bin) {
            line.x.push_back(100 * (static_cast<double>(bin) + 0.5) / rank_bins);
            line.y.push_back(counts[chain][bin] / even);
        }
        plot.lines.push_back(std::move(line));
    }
    return plot;
}

void add_chains(io::Page& page, const Draws& draws) {
    std::vector<io::Choice> choices;
    for (std::size_t k = 0; k < draws.names.size(); ++k) {
        const auto values = draws.of(k);
        choices.push_back(
            {draws.names[k], {trace_of(draws, values, draws.names[k]), ranks_of(draws, values)}});
    }
    page.heading("Chains");
    page.paragraph(
        "Chains that agree overlie each other as one band of noise, and their ranks are "
        "even: near 1 everywhere.");
    page.choice("Quantity", choices);
}

/// Density of values about 0 in bins between ± `reach`.
io::Series density_of(std::string name, const Numbers& values, double reach) {
    io::Series line{std::move(name), {}, Numbers(energy_bins)};
    const double width = 2 * reach / energy_bins;
    for (std::size_t bin = 0; bin < energy_bins; ++bin) {
        line.x.push_back(-reach + (static_cast<double>(bin) + 0.5) * width);
    }
    for (const double value : values) {
        const double place = (value + reach) / width;
        if (place >= 0 && place < static_cast<double>(energy_bins)) {
            line.y[static_cast<std::size_t>(place)] +=
                1 / (width * static_cast<double>(values.size()));
        }
    }
    return line;
}

void add_energy(io::Page& page, const PosteriorRecord& record, const Draws& draws) {
    if (draws.energy.empty()) {
        return;
    }
    const double mean = std::accumulate(draws.energy.begin(), draws.energy.end(), 0.0) /
                        static_cast<double>(draws.energy.size());
    Numbers marginal;
    Numbers transitions;
    double reach = 0;
    for (std::size_t k = 0; k < draws.energy.size(); ++k) {
        marginal.push_back(draws.energy[k] - mean);
        reach = std::max(reach, std::abs(marginal.back()));
        if (k % draws.draws > 0) {
            transitions.push_back(draws.energy[k] - draws.energy[k - 1]);
        }
    }
    if (!(reach > 0) || !std::isfinite(reach) || transitions.empty()) {
        return;
    }
    io::Plot plot{"Energy", "energy about its mean", "density"};
    plot.from_zero = true;
    plot.lines = {density_of("energy", marginal, reach),
                  density_of("its change from draw to draw", transitions, reach)};
    page.plot(plot);
    std::vector<std::vector<std::string>> rows;
    for (std::size_t chain = 0; chain < record.e_bfmi.size(); ++chain) {
        rows.push_back({fmt::format("{}", chain + 1), digits(record.e_bfmi[chain], 3)});
    }
    page.paragraph(
        "The closer the two curves, the better the draws explore the posterior; where "
        "the changes are much narrower (E-BFMI below 0.3), its tails are missed.");
    page.table({"Chain", "E-BFMI"}, rows);
}

std::string words_of(const PosteriorRecord& record) {
    if (record.method == "shards") {
        return shard_words(record);
    }
    return record.method == "chains" ? chain_words(record) : importance_words(record);
}

}  // namespace

void add_posterior(io::Page& page, const XpcsResults& results) {
    if (!results.posterior) {
        return;
    }
    const auto& record = *results.posterior;
    page.heading("Posterior");
    page.paragraph(words_of(record));
    page.paragraph(
        "Its density takes the points of C(t₁, t₂) as independent, as every package "
        "does: its widths are to be read beside the classical errors.");
    for (const auto& remark : record.remarks) {
        page.paragraph(fmt::format("Not as fitted: {}.", remark));
    }
    if (!record.is_complete) {
        page.paragraph("The sampling was ended early; the draws until then are here.");
    }
    const auto path = results.output / "posterior.npz";
    if (!io::is_there(path)) {
        page.paragraph("posterior.npz is not there, so that its draws cannot be shown.");
        add_quantities(page, record);
        return;
    }
    const auto draws = read_draws(path, record);
    add_corner(page, results, draws);
    add_quantities(page, record);
    if (draws.chains > 1) {
        add_chains(page, draws);
        add_energy(page, record, draws);
    }
}

}  // namespace lockstep::app
