#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <fmt/format.h>

#include "lockstep/base/error.hpp"
#include "lockstep/base/index.hpp"
#include "lockstep/io/file.hpp"
#include "lockstep/io/npz.hpp"

#include "app/xpcs/report/parts.hpp"

namespace lockstep::app {
namespace {

using formats::xpcs::AngleRecord;
using Numbers = std::vector<double>;

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double page_cells = 2.5e6;  // of all images: some megabytes
constexpr double clipped = 0.005;     // of the values of an image, beyond each end of the colours

/// Matrices [angles, frames, frames] of a fit.
struct Matrices {
    std::int64_t angles = 0;
    std::int64_t frames = 0;
    Numbers values;

    [[nodiscard]] std::span<const double> of(std::size_t angle) const {
        const std::size_t size = at(frames) * at(frames);
        return std::span(values).subspan(angle * size, size);
    }
};

Matrices read_matrices(const io::NpzFile& file,
                       const std::filesystem::path& path,
                       const char* name,
                       std::size_t angles) {
    auto array = file.read(name);
    auto* values = std::get_if<Numbers>(&array.values);
    const auto& shape = array.shape;
    if (values == nullptr || shape.size() != 3 || shape[0] != static_cast<std::int64_t>(angles) ||
        shape[1] != shape[2] || shape[1] < 2) {
        throw InputError(
            fmt::format("{}: {} is no list of {} square matrices, as fit.json of this output has "
                        "them; run the fit again",
                        path.string(),
                        name,
                        angles));
    }
    return {shape[0], shape[1], std::move(*values)};
}

double quantile(Numbers values, double share) {
    std::erase_if(values, [](double v) { return !std::isfinite(v); });
    if (values.empty()) {
        return nan;
    }
    const auto place = static_cast<std::ptrdiff_t>(share * static_cast<double>(values.size() - 1));
    std::ranges::nth_element(values, values.begin() + place);
    return values[at(place)];
}

/// The matrices of one angle.
class AngleView {
public:
    AngleView(const formats::xpcs::FitRecord& fit,
              std::size_t angle,
              std::span<const double> data,
              std::span<const double> model,
              std::int64_t frames,
              int most)
        : fit_(fit),
          of_(fit.angles[angle]),
          data_(data),
          model_(model),
          frames_(frames),
          // The first frame, where it is not fitted, is in the file.
          first_(std::max<std::int64_t>(0, frames - fit.data.frames)),
          most_(most) {}

    [[nodiscard]] io::Choice choice() const { return {name(), {correlation()}, maps()}; }

private:
    [[nodiscard]] std::string name() const { return fmt::format("φ = {:.6g}°", of_.phi); }

    [[nodiscard]] std::size_t place(std::int64_t i, std::int64_t j) const {
        return at(i * frames_ + j);
    }

    template <typename Value>
    [[nodiscard]] io::HeatMap map_of(const char* title, const char* label, Value value) const {
        const auto side = static_cast<int>(frames_ - first_);
        io::HeatMap map{
            fmt::format("{}, {}", title, name()), "t₂ [s]", "t₁ [s]", label, side, side};
        map.values.reserve(at(side) * at(side));
        for (auto i = first_; i < frames_; ++i) {
            for (auto j = first_; j < frames_; ++j) {
                map.values.push_back(value(place(i, j)));
            }
        }
        const double dt = fit_.data.dt;
        map.x_ends = {(static_cast<double>(first_) - 0.5) * dt,
                      (static_cast<double>(frames_) - 0.5) * dt};
        map.y_ends = map.x_ends;
        return map.averaged(most_);
    }

    [[nodiscard]] std::vector<io::HeatMap> maps() const {
        const double sigma = of_.sigma > 0 ? of_.sigma : 1;
        std::vector<io::HeatMap> maps{
            map_of("Data", "C", [&](std::size_t k) { return data_[k]; }),
            map_of("Model", "C", [&](std::size_t k) { return model_[k]; }),
            // The diagonal is no part of the fit.
            map_of("Residual", "(data − model) / σ", [&](std::size_t k) {
                return k % at(frames_ + 1) == 0 ? nan : (data_[k] - model_[k]) / sigma;
            })};
        set_scales(maps);
        return maps;
    }

    static void set_scales(std::vector<io::HeatMap>& maps) {
        const double low =
            std::min(quantile(maps[0].values, clipped), quantile(maps[1].values, clipped));
        const double high =
            std::max(quantile(maps[0].values, 1 - clipped), quantile(maps[1].values, 1 - clipped));
        for (int k = 0; k < 2 && high > low; ++k) {
            maps[at(k)].low = low;
            maps[at(k)].high = high;
        }
        auto sizes = maps[2].values;
        std::ranges::transform(sizes, sizes.begin(), [](double v) { return std::abs(v); });
        const double most = quantile(std::move(sizes), 1 - clipped);
        maps[2].high = most > 0 ? most : 1;
        maps[2].low = -maps[2].high;
        maps[2].diverging = true;
    }

    /// g₁² of data and model over the lag: means along the diagonals.
    [[nodiscard]] io::Plot correlation() const {
        io::Plot plot{fmt::format("g₁² over the lag, {}", name()),
                      "lag t₂ − t₁ [s]",
                      "(C − offset) / contrast"};
        plot.log_x = true;
        plot.lines = {{"data", {}, {}}, {"model", {}, {}, true}};
        const auto most = frames_ - first_;
        for (std::int64_t lag = 1; lag < most;) {
            const auto end = std::min(most, std::max(lag + 1, lag + lag / 12));
            add_lags(plot, lag, end);
            lag = end;
        }
        return plot;
    }

    /// One point, of the lags [begin, end).
    void add_lags(io::Plot& plot, std::int64_t begin, std::int64_t end) const {
        double count = 0;
        double data = 0;
        double model = 0;
        double lags = 0;
        for (auto lag = begin; lag < end; ++lag) {
            for (auto i = first_; i + lag < frames_; ++i) {
                const std::size_t k = place(i, i + lag);
                if (std::isfinite(data_[k]) && std::isfinite(model_[k])) {
                    count += 1;
                    data += data_[k];
                    model += model_[k];
                    lags += static_cast<double>(lag);
                }
            }
        }
        if (count > 0) {
            for (auto& line : plot.lines) {
                line.x.push_back(lags / count * fit_.data.dt);
            }
            plot.lines[0].y.push_back(scaled(data / count));
            plot.lines[1].y.push_back(scaled(model / count));
        }
    }

    [[nodiscard]] double scaled(double c2) const {
        return of_.contrast > 0 ? (c2 - of_.offset) / of_.contrast : nan;
    }

    const formats::xpcs::FitRecord& fit_;
    const AngleRecord& of_;
    std::span<const double> data_;
    std::span<const double> model_;
    std::int64_t frames_;
    std::int64_t first_;
    int most_;
};

}  // namespace

void add_matrices(io::Page& page, const XpcsResults& results) {
    const auto path = results.output / "nlsq" / "fitted_data.npz";
    page.heading("Correlation by angle");
    if (!io::is_there(path)) {
        page.paragraph("nlsq/fitted_data.npz is not there, so that matrices cannot be shown.");
        return;
    }
    const io::NpzFile file(path);
    const std::size_t angles = results.fit.angles.size();
    const auto data = read_matrices(file, path, "c2_exp", angles);
    const auto model = read_matrices(file, path, "c2_solver_scaled", angles);
    if (data.frames != model.frames) {
        throw InputError(
            fmt::format("{}: c2_exp has {} frames and c2_solver_scaled {}; run the "
                        "fit again",
                        path.string(),
                        data.frames,
                        model.frames));
    }
    const int most = std::clamp(
        static_cast<int>(std::sqrt(page_cells / (3 * static_cast<double>(angles)))), 64, 400);
    std::vector<io::Choice> choices;
    for (std::size_t angle = 0; angle < angles; ++angle) {
        choices.push_back(
            AngleView(results.fit, angle, data.of(angle), model.of(angle), data.frames, most)
                .choice());
    }
    page.paragraph(
        "Residuals in stripes and patches are the noise of speckle, which neighbours share; a "
        "pattern that comes again at other angles is what the model misses. Data and model share "
        "their colours, which end where 0.5 % of the points lie beyond; g₁² is the mean along the "
        "diagonals, over all ages of the sample.");
    page.choice("Angle", choices);
}

}  // namespace lockstep::app
