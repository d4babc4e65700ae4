#include "sddp/hydro/process/fitting/correlation.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <map>
#include <numeric>
#include <set>
#include <string>

#include <fmt/format.h>

#include "lockstep/base/index.hpp"

namespace lockstep::sddp {
namespace {

constexpr int enough_for_a_season = 30;

struct Pearson {
    double value = 0;
    int count = 0;
};

template <typename Visit>
void for_common_steps(const SeasonSeries& a,
                      const SeasonSeries& b,
                      SeasonSet seasons,
                      Visit visit) {
    for (int t = std::max(a.first, b.first); t < std::min(a.end(), b.end()); ++t) {
        if (a.has(t) && b.has(t) && seasons.test(at(a.season(t)))) {
            visit(a(t), b(t));
        }
    }
}

Pearson pearson(const SeasonSeries& a, const SeasonSeries& b, SeasonSet seasons) {
    Pearson result;
    double mean_a = 0;
    double mean_b = 0;
    for_common_steps(a, b, seasons, [&](double x, double y) {
        mean_a += x;
        mean_b += y;
        ++result.count;
    });
    if (result.count == 0) {
        return result;
    }
    mean_a /= result.count;
    mean_b /= result.count;
    double aa = 0;
    double bb = 0;
    double ab = 0;
    for_common_steps(a, b, seasons, [&](double x, double y) {
        aa += (x - mean_a) * (x - mean_a);
        bb += (y - mean_b) * (y - mean_b);
        ab += (x - mean_a) * (y - mean_b);
    });
    const double scale = std::sqrt(aa) * std::sqrt(bb);
    result.value = scale > 0 ? std::clamp(ab / scale, -1.0, 1.0) : 0;
    return result;
}

struct ResidualProfile {
    CorrelationProfile profile;
    int fewest = std::numeric_limits<int>::max();  ///< common residuals of any pair
};

ResidualProfile make_profile(std::string name,
                             const std::vector<SeasonSeries>& residuals,
                             SeasonSet seasons) {
    const std::size_t size = residuals.size();
    CorrelationGroup group;
    group.noise = NoiseClass::inflow;
    group.entities.resize(size);
    std::iota(group.entities.begin(), group.entities.end(), 0);
    group.matrix.assign(size * size, 0.0);
    ResidualProfile result;
    for (std::size_t i = 0; i < size; ++i) {
        group.matrix[i * size + i] = 1;
        result.fewest = std::min(result.fewest, pearson(residuals[i], residuals[i], seasons).count);
        for (std::size_t j = 0; j < i; ++j) {
            const Pearson pair = pearson(residuals[i], residuals[j], seasons);
            group.matrix[i * size + j] = pair.value;
            group.matrix[j * size + i] = pair.value;
            result.fewest = std::min(result.fewest, pair.count);
        }
    }
    result.profile = {std::move(name), {std::move(group)}};
    return result;
}

SeasonSet only(int season) {
    return SeasonSet().set(at(season));
}

}  // namespace

SeasonSeries residuals(const SeasonMoments& moments, const PlantFit& fit) {
    SeasonSeries result = moments.series();
    result.values.clear();
    for (int t = result.first; t < moments.series().end(); ++t) {
        const SeasonFit& season = fit[at(moments.series().season(t))];
        bool is_known = moments.series().has(t);
        double value = is_known ? moments.standardised(t) : 0;
        for (int lag = 1; lag <= season.order(); ++lag) {
            is_known = is_known && moments.series().has(t - lag);
            value -=
                is_known ? season.coefficients[at(lag - 1)] * moments.standardised(t - lag) : 0;
        }
        result.values.push_back(is_known ? value : std::numeric_limits<double>::quiet_NaN());
    }
    return result;
}

CorrelationModel residual_correlation(const Calendar& calendar,
                                      const std::map<int, int>& places,
                                      const std::vector<SeasonSeries>& residuals,
                                      SeasonSet seasons) {
    CorrelationModel model;
    model.profiles.push_back(make_profile("default", residuals, seasons).profile);
    std::set<int> own_profile;
    for (const auto& [season, place] : places) {
        ResidualProfile seasonal =
            make_profile(fmt::format("season_{:02}", season), residuals, only(place) & seasons);
        if (seasonal.fewest >= enough_for_a_season) {
            model.profiles.push_back(std::move(seasonal.profile));
            own_profile.insert(season);
        }
    }
    for (const Stage& stage : calendar.stages) {
        if (own_profile.contains(stage.season)) {
            model.schedule.emplace_back(stage.id, fmt::format("season_{:02}", stage.season));
        }
    }
    return model;
}

}  // namespace lockstep::sddp
