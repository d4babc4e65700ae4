#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include "lockstep/base/index.hpp"
#include "lockstep/formats/homodyne/results.hpp"
#include "lockstep/io/npz.hpp"

namespace lockstep::formats::homodyne {
namespace {

constexpr double share_of_value = 0.05;  // what homodyne takes for the error of a value in plots

// Sums of a straight line through points, about their means.
class Line {
public:
    void add(std::span<const double> x, std::span<const double> y) {
        for (std::size_t k = 0; k < x.size(); ++k) {
            if (std::isfinite(x[k]) && std::isfinite(y[k])) {
                ++count_;
                x_ += x[k];
                y_ += y[k];
            }
        }
        x_ /= count_;
        y_ /= count_;
        for (std::size_t k = 0; k < x.size(); ++k) {
            if (std::isfinite(x[k]) && std::isfinite(y[k])) {
                xx_ += (x[k] - x_) * (x[k] - x_);
                xy_ += (x[k] - x_) * (y[k] - y_);
            }
        }
    }
    // Where all x are the same there is no slope.
    [[nodiscard]] double slope() const noexcept { return xx_ > 0 ? xy_ / xx_ : 0; }
    [[nodiscard]] double intercept() const noexcept { return y_ - slope() * x_; }

private:
    double count_ = 0;
    double x_ = 0;
    double y_ = 0;
    double xx_ = 0;
    double xy_ = 0;
};

// Matrices of one angle after the other, with the frame t = 0.
class FittedData {
public:
    FittedData(const Loaded& loaded, const Theory& theory)
        : m_(loaded.measurement),
          dropped_(loaded.dropped),
          theory_(theory),
          frames_(m_.frames + m_.first_frame),
          data_(at(frames_) * at(frames_)),
          model_(data_.size()) {}

    void write(const std::filesystem::path& path, std::span<const ScaleEstimate> scales) {
        regress();
        std::vector<double> solver;
        for (const ScaleEstimate& scale : scales) {
            solver.insert(solver.end(), {scale.contrast, scale.offset});
        }
        // Noise hardly gets smaller by deflating, which would take ten times as long as the fit.
        io::NpzWriter file(path, io::NpzStorage::stored);
        file.add("phi_angles", m_.phi, std::array<std::int64_t, 1>{m_.angles()});
        add(file, "c2_exp", [](double data, double, int) { return data; });
        add(file, "c2_theoretical_raw", [](double, double g, int) { return 1 + g; });
        add(file, "c2_theoretical_scaled", [&](double, double g, int angle) {
            return scaled(regression_, g, angle);
        });
        add_pairs(file, "per_angle_scaling", regression_);
        if (!solver.empty()) {
            add_pairs(file, "per_angle_scaling_solver", solver);
            add(file, "c2_solver_scaled", [&](double, double g, int angle) {
                return scaled(solver, g, angle);
            });
        }
        add(file, "residuals", [&](double data, double g, int angle) {
            return data - scaled(regression_, g, angle);
        });
        add(file, "residuals_normalized", [&](double data, double g, int angle) {
            return (data - scaled(regression_, g, angle)) / (share_of_value * data);
        });
        add_times(file);
        file.add("q", std::span(&m_.q, 1), std::array<std::int64_t, 1>{1});
        file.close();
    }

private:
    static double scaled(const std::vector<double>& scales, double g, int angle) {
        return scales[at(2 * angle)] * g + scales[at(2 * angle + 1)];
    }

    void put(int i, int j, double value) {
        data_[at(std::int64_t{i} * frames_ + j)] = value;
        data_[at(std::int64_t{j} * frames_ + i)] = value;
    }

    // The pair of the two first frames, where the first was dropped.
    [[nodiscard]] double first_side(int angle) const {
        return m_.first_frame == 0 ? std::numeric_limits<double>::quiet_NaN()
                                   : dropped_[at(std::int64_t{angle} * frames_ + 1)];
    }

    void fill_data(int angle) {
        const int skipped = m_.first_frame;
        if (skipped > 0) {
            put(0, 0, first_side(angle));
            for (int j = 1; j < frames_; ++j) {
                put(0, j, dropped_[at(std::int64_t{angle} * frames_ + j)]);
            }
        }
        const std::vector<double> diagonal = neighbour_diagonal(m_, angle, first_side(angle));
        for (int i = 0; i < m_.frames; ++i) {
            put(i + skipped, i + skipped, diagonal[at(i)]);
            const std::size_t row = m_.row(angle, i);
            for (int j = i + 1; j < m_.frames; ++j) {
                put(i + skipped, j + skipped, m_.c2[row + at(j - i - 1)]);
            }
        }
    }

    void regress() {
        for (int angle = 0; angle < m_.angles(); ++angle) {
            fill_data(angle);
            theory_(angle, model_);
            Line line;
            line.add(model_, data_);
            regression_.insert(regression_.end(), {line.slope(), line.intercept()});
        }
    }

    template <typename Value>
    void add(io::NpzWriter& file, std::string_view name, const Value& value) {
        const std::array<std::int64_t, 3> shape{m_.angles(), frames_, frames_};
        file.add_parts(name, shape, [&](std::int64_t part) {
            const int angle = static_cast<int>(part);
            fill_data(angle);
            theory_(angle, model_);
            for (std::size_t k = 0; k < data_.size(); ++k) {
                data_[k] = value(data_[k], model_[k], angle);
            }
            return std::span<const double>(data_);
        });
    }

    void add_pairs(io::NpzWriter& file, std::string_view name, const std::vector<double>& scales) {
        file.add(name, scales, std::array<std::int64_t, 2>{m_.angles(), 2});
    }

    void add_times(io::NpzWriter& file) {
        std::vector<double> times(at(frames_));
        for (int k = 0; k < frames_; ++k) {
            times[at(k)] = k * m_.dt;
        }
        for (const char* const name : {"t1", "t2"}) {
            file.add(name, times, std::array<std::int64_t, 1>{frames_});
        }
    }

    const xpcs::Measurement& m_;
    const std::vector<double>& dropped_;
    const Theory& theory_;
    int frames_;
    std::vector<double> data_;
    std::vector<double> model_;
    std::vector<double> regression_;  ///< [angles, 2]: contrast, offset
};

}  // namespace

void write_fitted_data(const std::filesystem::path& folder,
                       const Loaded& loaded,
                       const Theory& theory,
                       std::span<const ScaleEstimate> scales) {
    FittedData(loaded, theory).write(folder / "fitted_data.npz", scales);
}

}  // namespace lockstep::formats::homodyne
