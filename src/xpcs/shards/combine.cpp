#include "xpcs/shards/combine.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "lockstep/base/error.hpp"
#include "lockstep/base/index.hpp"
#include "lockstep/xpcs/cmc/consensus.hpp"
#include "lockstep/xpcs/cmc/diagnostics.hpp"
#include "lockstep/xpcs/cmc/importance.hpp"

#include "xpcs/cmc/two_modes.hpp"

namespace lockstep::xpcs {
namespace {

using cmc::ShardVerdict;

constexpr int fewest_for_outliers = 8;  // of fewer shards the median deviation is mere chance
constexpr double least_share_of_range = 0.01;
// Beyond it the variance of importance weights is too large for means [Vehtari2024].
constexpr double largest_k = 0.7;

class Combining {
public:
    Combining(const ShardRun& run,
              const PosteriorFrame& frame,
              const SampleOptions& sampling,
              const ConsensusOptions& how,
              runtime::ThreadTeam& threads)
        : run_(run), frame_(frame), sampling_(sampling), how_(how), threads_(threads) {
        for (const auto& shard : run.drawn()) {
            result_.shards.push_back(shard.figures);
        }
        result_.is_complete = run.is_complete();
        result_.combination = how.combination;
    }

    ConsensusResult result(const nlsq::Box& box) {
        judge();
        summarise();
        vary(box);
        result_.shortfall = shortfall();
        if (result_.shortfall.empty()) {
            choose();
            combine();
        }
        return std::move(result_);
    }

private:
    [[nodiscard]] MatrixView<const double> matrix(const ShardDraws& shard) const {
        return {
            shard.values.data(), std::ssize(shard.values) / frame_.dimension(), frame_.dimension()};
    }

    void judge() {
        std::vector<cmc::ShardResult> judged;
        for (const ShardDraws& shard : run_.drawn()) {
            judged.push_back(shard.values.empty() ? cmc::ShardResult{} : result_of(shard));
        }
        auto limits = how_.limits;
        if (how_.shards < fewest_for_outliers) {
            limits.deviations = std::numeric_limits<double>::infinity();
        }
        const auto verdicts = cmc::judge_shards(judged, limits);
        for (std::size_t shard = 0; shard < judged.size(); ++shard) {
            result_.shards[shard].verdict = verdicts[shard];
            if (verdicts[shard] == ShardVerdict::kept) {
                kept_.push_back(static_cast<int>(shard));
                draws_.push_back(matrix(run_.drawn()[shard]));
                moments_.push_back(std::move(judged[shard].moments));
            }
        }
    }

    [[nodiscard]] cmc::ShardResult result_of(const ShardDraws& shard) const {
        const auto draws = matrix(shard);
        return {cmc::moments_of(draws),
                static_cast<double>(shard.figures.divergences) / static_cast<double>(draws.rows()),
                shard.figures.largest_rhat};
    }

    void summarise() {
        result_.parameters = frame_.physical_names();
        for (std::size_t shard = 0; shard < result_.shards.size(); ++shard) {
            if (const auto& drawn = run_.drawn()[shard]; !drawn.values.empty()) {
                result_.shards[shard].summaries = summaries_of(drawn);
            }
        }
    }

    [[nodiscard]] std::vector<cmc::Summary> summaries_of(const ShardDraws& shard) const {
        const auto draws = matrix(shard);
        const std::size_t count = result_.parameters.size();
        std::vector<std::vector<double>> columns(count);
        std::vector<double> physical(count);
        for (std::ptrdiff_t draw = 0; draw < draws.rows(); ++draw) {
            frame_.physical_of(draws.row(draw), physical);
            for (std::size_t k = 0; k < count; ++k) {
                columns[k].push_back(physical[k]);
            }
        }
        const bool has_chains = shard.figures.method == SampleMethod::chains;
        const std::ptrdiff_t chains = has_chains ? sampling_.chains : 1;
        std::vector<cmc::Summary> summaries;
        for (const auto& column : columns) {
            summaries.push_back(
                cmc::summarise({column.data(), chains, std::ssize(column) / chains}));
        }
        return summaries;
    }

    void vary(const nlsq::Box& box) {
        if (kept_.size() < 2) {
            return;
        }
        for (std::size_t k = 0; k < result_.parameters.size(); ++k) {
            const auto place = std::ranges::find(box.names, result_.parameters[k]);
            const auto p = at(place - box.names.begin());
            const double value = variation_of(k, box.upper[p] - box.lower[p]);
            if (value > result_.variation.value) {
                result_.variation = {result_.parameters[k], value};
            }
        }
    }

    [[nodiscard]] double variation_of(std::size_t parameter, double range) const {
        const auto count = static_cast<double>(kept_.size());
        double mean = 0;
        for (const int shard : kept_) {
            mean += result_.shards[at(shard)].summaries[parameter].mean / count;
        }
        double squares = 0;
        for (const int shard : kept_) {
            const double off = result_.shards[at(shard)].summaries[parameter].mean - mean;
            squares += off * off;
        }
        return std::sqrt(squares / (count - 1)) /
               std::max(std::abs(mean), least_share_of_range * range);
    }

    [[nodiscard]] std::string shortfall() const {
        if (!run_.is_complete()) {
            return "ended by request";
        }
        if (!run_.abort_text().empty()) {
            return run_.abort_text();
        }
        if (kept_.empty() || static_cast<double>(kept_.size()) < how_.least_success * how_.shards) {
            return fmt::format(
                "only {} of {} shards can be combined: take fewer shards, or sample all data",
                kept_.size(),
                how_.shards);
        }
        if (result_.variation.value > how_.largest_variation) {
            return fmt::format(
                "means of {} differ between shards by {:.3g} times their size, more "
                "than {:.3g}: take fewer shards, or sample all data",
                result_.variation.parameter,
                result_.variation.value,
                how_.largest_variation);
        }
        return "";
    }

    void take_instead(Combination combination, const std::string& why) {
        result_.combination = combination;
        result_.remark += (result_.remark.empty() ? "" : "; ") + why;
    }

    void choose() {
        if (how_.combination == Combination::density_product) {
            return;
        }
        for (std::size_t k = 0; k < kept_.size(); ++k) {
            if (has_two_modes(draws_[k])) {
                return take_instead(Combination::density_product,
                                    fmt::format("shard {} has two modes", kept_[k]));
            }
        }
    }

    [[nodiscard]] static bool has_two_modes(MatrixView<const double> draws) {
        std::vector<double> column(at(draws.rows()));
        for (std::ptrdiff_t k = 0; k < draws.cols(); ++k) {
            for (std::ptrdiff_t draw = 0; draw < draws.rows(); ++draw) {
                column[at(draw)] = draws.row(draw)[at(k)];
            }
            if (cmc::has_two_modes(column)) {
                return true;
            }
        }
        return false;
    }

    void combine() {
        const int count = sampling_.chains * sampling_.draws;
        result_.draws.names = frame_.names();
        result_.draws.method = SampleMethod::importance;
        result_.draws.chains = 1;
        result_.draws.draws = count;
        if (result_.combination == Combination::density_product) {
            if (const auto points = product_of_densities(count); !points.empty()) {
                result_.combined = cmc::moments_of(
                    MatrixView<const double>(points.data(), count, frame_.dimension()));
                return frame_.describe(points, threads_, result_.draws);
            }
        }
        result_.combined = normal_product();
        frame_.describe(
            cmc::normal_draws(result_.combined, count, sampling_.seed, 0), threads_, result_.draws);
    }

    /// None where it cannot be relied on; then another rule has been chosen.
    std::vector<double> product_of_densities(int count) {
        const auto instead = how_.combination == Combination::density_product
                                 ? Combination::precision
                                 : how_.combination;
        try {
            const auto product =
                cmc::density_product(draws_, 2 * count, sampling_.seed, 0, threads_);
            if (product.k <= largest_k) {
                return cmc::resample(product, count, sampling_.seed, 0);
            }
            take_instead(instead,
                         fmt::format("the product of densities has weights with k = {:.2f}, above "
                                     "{}",
                                     product.k,
                                     largest_k));
        } catch (const ModelError& error) {
            take_instead(instead, fmt::format("the product of densities: {}", error.what()));
        } catch (const InputError& error) {
            take_instead(instead, fmt::format("the product of densities: {}", error.what()));
        }
        return {};
    }

    cmc::Moments normal_product() {
        if (result_.combination == Combination::precision) {
            try {
                return cmc::product_of_normals(moments_);
            } catch (const InputError& error) {
                take_instead(Combination::marginals, error.what());
            }
        }
        return cmc::combine_marginals(moments_,
                                      result_.combination == Combination::plain_marginals
                                          ? cmc::MarginalRule::plain
                                          : cmc::MarginalRule::robust);
    }

    const ShardRun& run_;
    const PosteriorFrame& frame_;
    const SampleOptions& sampling_;
    const ConsensusOptions& how_;
    runtime::ThreadTeam& threads_;
    ConsensusResult result_;
    std::vector<int> kept_;                        // shards
    std::vector<MatrixView<const double>> draws_;  // of these
    std::vector<cmc::Moments> moments_;            // of these
};

}  // namespace

ConsensusResult combine_shards(const ShardRun& run,
                               const PosteriorFrame& frame,
                               const FitOptions& options,
                               const SampleOptions& sampling,
                               const ConsensusOptions& how,
                               runtime::ThreadTeam& threads) {
    return Combining(run, frame, sampling, how, threads).result(options.box());
}

}  // namespace lockstep::xpcs
