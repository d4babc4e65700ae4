#include "formats/homodyne/load/selection.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "lockstep/base/index.hpp"

namespace lockstep::formats::homodyne {
namespace {

constexpr double angstrom_per_nm = 10;
constexpr double same_step = 1e-6;    // relative
constexpr double near_enough = 1e-3;  // relative: a wavevector as it was typed

bool is_per_nm(const std::string& unit) {
    return unit.find("nm") != std::string::npos || unit.find("nanomet") != std::string::npos;
}

// Where bounds are normalised like the angle; low > high goes by way of 180.
bool is_between(double angle, double low, double high) {
    const double from = normalized_angle(low);
    const double to = normalized_angle(high);
    return from <= to ? from <= angle && angle <= to : angle >= from || angle <= to;
}

class Chooser {
public:
    Chooser(const MatrixSource& source, const Configuration& configuration)
        : source_(source), c_(configuration), labels_(source.labels()) {
        name_ = c_.data.file.string();
        chosen_.selection.layout = source.layout();
        chosen_.matrices.resize(labels_.size());
        std::iota(chosen_.matrices.begin(), chosen_.matrices.end(), 0);
    }

    Chosen run() {
        for (std::string& text : source_.notes()) {
            note(std::move(text));
        }
        convert_units();
        filter_matrices();
        if (!source_.is_selected()) {
            select_wavevector();
        }
        normalize_angles();
        filter_angles();
        sort_by_angle();
        select_frames();
        check_step();
        note_wavevectors();
        return std::move(chosen_);
    }

private:
    void note(std::string text) { chosen_.selection.notes.push_back(std::move(text)); }

    void convert_units() {
        const std::string unit = c_.data.q_unit.empty() ? source_.q_unit() : c_.data.q_unit;
        if (!is_per_nm(unit)) {
            return;
        }
        for (MatrixLabel& label : labels_) {
            label.q /= angstrom_per_nm;
        }
        note(fmt::format("wavevectors are in {}: divided by 10", unit));
    }

    [[nodiscard]] bool passes(const MatrixLabel& label) const {
        const MatrixFilter& f = c_.matrix_filter;
        const bool has_q = f.q_min || f.q_max;
        const bool has_phi = f.phi_min && f.phi_max;
        const bool q = f.q_min.value_or(label.q) <= label.q && label.q <= f.q_max.value_or(label.q);
        const bool phi =
            !has_phi || is_between(normalized_angle(label.phi), *f.phi_min, *f.phi_max);
        return f.combination == MatrixFilter::Combination::all_of || !has_q || !has_phi ? q && phi
                                                                                        : q || phi;
    }

    void filter_matrices() {
        if (!c_.matrix_filter.is_on || source_.is_selected()) {
            return;
        }
        std::vector<int> left;
        std::copy_if(
            chosen_.matrices.begin(), chosen_.matrices.end(), std::back_inserter(left), [&](int k) {
                return passes(labels_[at(k)]);
            });
        if (left.empty() && !c_.matrix_filter.falls_back) {
            refuse(
                c_.file,
                fmt::format(
                    "data_filtering leaves none of the {} matrices of {}", labels_.size(), name_));
        }
        note(fmt::format("data_filtering leaves {} of {} matrices{}",
                         left.size(),
                         labels_.size(),
                         left.empty() ? ": all are taken, as fallback_on_empty says" : ""));
        if (!left.empty()) {
            chosen_.matrices = std::move(left);
        }
    }

    [[nodiscard]] double nearest_wavevector() const {
        const double wanted = c_.analyzer.wavevector_q;
        double nearest = labels_[at(chosen_.matrices.front())].q;
        for (const int k : chosen_.matrices) {
            if (std::abs(labels_[at(k)].q - wanted) < std::abs(nearest - wanted)) {
                nearest = labels_[at(k)].q;
            }
        }
        return nearest;
    }

    // One that is far off is a slip of the unit or a template that nobody filled in.
    void require_near(double nearest) const {
        const double wanted = c_.analyzer.wavevector_q;
        if (std::abs(nearest - wanted) <= c_.analyzer.q_tolerance_fraction * wanted) {
            return;
        }
        const double ratio = nearest / wanted;
        const bool is_ten = ratio > 5 && ratio < 20;
        const bool is_tenth = ratio > 0.05 && ratio < 0.2;
        const std::string_view advice =
            is_ten     ? "ten times as much: if the file is in 1/nm, set lockstep.data.q_unit to "
                         "\"1/nm\""
            : is_tenth ? "a tenth: if the configuration is in 1/nm, divide it by 10"
                       : "set wavevector_q to one that the file has";
        refuse(name_,
               fmt::format(
                   "has no matrix within {} % of wavevector_q {} 1/Å; its nearest is {:.6g}, {}",
                   100 * c_.analyzer.q_tolerance_fraction,
                   wanted,
                   nearest,
                   advice));
    }

    void select_wavevector() {
        const double nearest = nearest_wavevector();
        require_near(nearest);
        const bool is_exact = chosen_.selection.layout == "APS-U";
        const double width =
            is_exact ? 1e-10 : nearest * c_.analyzer.q_tolerance_fraction;  // as homodyne does
        std::erase_if(chosen_.matrices,
                      [&](int k) { return std::abs(labels_[at(k)].q - nearest) > width; });
        if (std::abs(nearest - c_.analyzer.wavevector_q) > near_enough * nearest) {
            note(fmt::format("wavevector {} 1/Å is taken: the nearest to {}",
                             nearest,
                             c_.analyzer.wavevector_q));
        }
    }

    void normalize_angles() {
        for (const int k : chosen_.matrices) {
            double& phi = labels_[at(k)].phi;
            if (!std::isfinite(phi)) {
                refuse(name_, fmt::format("{} has the angle {}", labels_[at(k)].name, phi));
            }
            if (std::abs(phi) > 360) {
                note(fmt::format(
                    "angle {} degrees of {} is taken modulo 360", phi, labels_[at(k)].name));
            }
            phi = normalized_angle(phi);
        }
    }

    [[nodiscard]] bool is_in_range(double phi) const {
        return std::any_of(
            c_.phi_filter.ranges.begin(), c_.phi_filter.ranges.end(), [&](const AngleRange& range) {
                return is_between(phi, range.low, range.high);
            });
    }

    void filter_angles() {
        if (!c_.phi_filter.is_on || c_.phi_filter.ranges.empty()) {
            return;
        }
        std::vector<int> left;
        std::vector<double> all;
        for (const int k : chosen_.matrices) {
            all.push_back(labels_[at(k)].phi);
            if (is_in_range(all.back())) {
                left.push_back(k);
            }
        }
        if (left.empty() && !c_.phi_filter.falls_back) {
            refuse(
                c_.file,
                fmt::format("phi_filtering.target_ranges hold none of the angles {} degrees: widen "
                            "them, or set phi_filtering.enabled to false",
                            fmt::join(all, ", ")));
        }
        note(fmt::format("phi_filtering keeps {} of {} angles{}",
                         left.size(),
                         all.size(),
                         left.empty() ? ": all are taken, as fallback_to_all_angles says" : ""));
        if (!left.empty()) {
            chosen_.matrices = std::move(left);
        }
    }

    void sort_by_angle() {
        std::stable_sort(chosen_.matrices.begin(), chosen_.matrices.end(), [&](int a, int b) {
            return labels_[at(a)].phi < labels_[at(b)].phi;
        });
        for (const int k : chosen_.matrices) {
            const MatrixLabel& label = labels_[at(k)];
            chosen_.selection.names.push_back(label.name);
            chosen_.selection.q.push_back(label.q);
            chosen_.selection.phi.push_back(label.phi);
        }
    }

    void select_frames() {
        Selection& s = chosen_.selection;
        s.file_frames = source_.frames();
        s.count = s.file_frames;
        if (source_.is_selected()) {
            return;
        }
        const Analyzer& a = c_.analyzer;
        const std::int64_t start = std::max<std::int64_t>(a.start_frame, 1);
        const std::int64_t end =
            a.end_frame < 1 ? s.file_frames : std::min<std::int64_t>(a.end_frame, s.file_frames);
        if (end <= start) {
            refuse(
                name_,
                fmt::format(
                    "has {} frames: start_frame {} leaves no two of them", s.file_frames, start));
        }
        if (a.end_frame > s.file_frames) {
            note(fmt::format("end_frame {} is beyond the {} frames of the file: all are taken",
                             a.end_frame,
                             s.file_frames));
        }
        s.first = static_cast<int>(start - 1);
        s.count = static_cast<int>(end - start + 1);
    }

    void check_step() {
        const auto step = source_.step();
        const double dt = c_.analyzer.dt;
        if (!step || std::abs(*step - dt) <= same_step * dt) {
            return;
        }
        const double ratio = dt / *step;
        const bool is_ms = ratio > 999 && ratio < 1001;
        note(
            fmt::format("dt is {} s in the configuration, which is taken, but {} s by the file "
                        "(frame time, stride and average){}",
                        dt,
                        *step,
                        is_ms ? ": it looks like milliseconds, divide it by 1000" : ""));
    }

    // The model has one wavevector, homodyne's the first that was kept.
    void note_wavevectors() {
        const auto& q = chosen_.selection.q;
        const auto [low, high] = std::minmax_element(q.begin(), q.end());
        if (*high - *low > near_enough * *high) {
            note(
                fmt::format("matrices of different wavevectors are fitted with one: {} to {} 1/Å, "
                            "{} is taken; a smaller q_tolerance_fraction keeps them apart",
                            *low,
                            *high,
                            q.front()));
        }
    }

    const MatrixSource& source_;
    const Configuration& c_;
    std::vector<MatrixLabel> labels_;
    std::string name_;
    Chosen chosen_;
};

}  // namespace

double normalized_angle(double degrees) noexcept {
    const double turned = std::fmod(degrees, 360);
    const double positive = turned < 0 ? turned + 360 : turned;
    return positive > 180 ? positive - 360 : positive;
}

Chosen choose(const MatrixSource& source, const Configuration& configuration) {
    return Chooser(source, configuration).run();
}

}  // namespace lockstep::formats::homodyne
