#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include <fmt/format.h>

#include "lockstep/base/index.hpp"
#include "lockstep/formats/homodyne/data.hpp"

#include "formats/homodyne/load/matrix_source.hpp"
#include "formats/homodyne/load/selection.hpp"
#include "formats/homodyne/load/triangle.hpp"

namespace lockstep::formats::homodyne {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

std::string_view words(Triangle triangle) {
    switch (triangle) {
        case Triangle::upper:
            return "halves: upper triangles with the diagonal";
        case Triangle::lower:
            return "halves: lower triangles with the diagonal";
        default:
            return "full and symmetric";
    }
}

// "12, 14-17, 30"; long lists are cut.
std::string ranges_text(const std::vector<int>& frames) {
    std::string text;
    int shown = 0;
    for (std::size_t k = 0; k < frames.size();) {
        std::size_t end = k + 1;
        while (end < frames.size() && frames[end] == frames[end - 1] + 1) {
            ++end;
        }
        if (++shown > 10) {
            return text + ", …";
        }
        text += text.empty() ? "" : ", ";
        text += end - k == 1 ? fmt::format("{}", frames[k])
                             : fmt::format("{}-{}", frames[k], frames[end - 1]);
        k = end;
    }
    return text;
}

class Loader {
public:
    Loader(const MatrixSource& source, Chosen chosen, const Configuration& c, FirstFrame first)
        : source_(source),
          chosen_(std::move(chosen)),
          c_(c),
          frames_(chosen_.selection.count),
          drops_(first == FirstFrame::dropped && frames_ > 2) {
        loaded_.selection = std::move(chosen_.selection);
        square_.resize(at(frames_) * at(frames_));
    }

    Loaded run() {
        prepare();
        for (int angle = 0; angle < loaded_.measurement.angles(); ++angle) {
            source_.read(chosen_.matrices[at(angle)], loaded_.selection.first, frames_, square_);
            add_baseline();
            take(angle, triangle_here(angle));
            require_values(angle);
        }
        note_triangles();
        note_masked();
        note_level();
        return std::move(loaded_);
    }

private:
    void note(std::string text) { loaded_.selection.notes.push_back(std::move(text)); }

    void prepare() {
        lockstep::xpcs::Measurement& m = loaded_.measurement;
        const Selection& s = loaded_.selection;
        m.q = s.q.front();
        m.gap = c_.analyzer.gap;
        m.dt = c_.analyzer.dt;
        m.phi = s.phi;
        m.first_frame = drops_ ? 1 : 0;
        m.frames = frames_ - m.first_frame;
        m.c2.resize(m.row(m.angles(), 0));
        m.diagonal.resize(s.phi.size() * at(m.frames));
        if (drops_) {
            loaded_.dropped.resize(s.phi.size() * at(frames_));
        }
        pairs_.assign(at(frames_), 0);
        added_ = c_.data.plain.baseline ? c_.data.plain.baseline : source_.baseline();
        if (added_.value_or(0) != 0) {
            note(fmt::format("{} is added to all values: the matrices have the baseline {}",
                             *added_,
                             1 - *added_));
        }
    }

    void add_baseline() {
        if (const double added = added_.value_or(0); added != 0) {
            for (double& value : square_) {
                value += value == 0 ? 0 : added;
            }
        }
    }

    Triangle triangle_here(int angle) {
        const Triangle triangle = triangle_of(square_, frames_);
        if (triangle == Triangle::asymmetric) {
            refuse(c_.data.file.string(),
                   fmt::format("{} is not symmetric and no half either (upper triangle with the "
                               "diagonal): it is no two-time correlation matrix",
                               loaded_.selection.names[at(angle)]));
        }
        triangles_.push_back(triangle);
        return triangle;
    }

    // Values that are not finite are masked.
    double value(Triangle triangle, int i, int j) {
        const double found = pair_value(square_, frames_, triangle, i, j);
        if (std::isinf(found)) {
            ++infinite_;
            return nan;
        }
        if (triangle == Triangle::both &&
            std::isnan(pair_value(square_, frames_, Triangle::lower, i, j))) {
            return nan;
        }
        return found;
    }

    void take(int angle, Triangle triangle) {
        lockstep::xpcs::Measurement& m = loaded_.measurement;
        const int skipped = m.first_frame;
        auto pair = m.c2.begin() + static_cast<std::ptrdiff_t>(m.row(angle, 0));
        for (int i = 0; i < frames_; ++i) {
            if (i < skipped) {
                for (int j = 0; j < frames_; ++j) {
                    loaded_.dropped[at(angle * frames_ + j)] = value(triangle, 0, j);
                }
                continue;
            }
            m.diagonal[at(angle * m.frames + i - skipped)] = value(triangle, i, i);
            for (int j = i + 1; j < frames_; ++j) {
                const double found = value(triangle, i, j);
                *pair++ = found;
                count(found, i, j);
            }
        }
    }

    void require_values(int angle) const {
        const lockstep::xpcs::Measurement& m = loaded_.measurement;
        const auto first = m.c2.begin() + static_cast<std::ptrdiff_t>(m.row(angle, 0));
        const auto end = first + static_cast<std::ptrdiff_t>(lockstep::xpcs::pair_count(m.frames));
        if (std::all_of(first, end, [](double pair) { return std::isnan(pair); })) {
            refuse(c_.data.file.string(),
                   fmt::format("{} has no finite value off its diagonal: leave its angle {} out by "
                               "phi_filtering",
                               loaded_.selection.names[at(angle)],
                               m.phi[at(angle)]));
        }
    }

    void count(double found, int i, int j) {
        if (std::isnan(found)) {
            ++masked_;
            return;
        }
        ++pairs_[at(i)];
        ++pairs_[at(j)];
        sum_ += found;
    }

    void note_triangles() {
        if (std::all_of(triangles_.begin(), triangles_.end(), [&](Triangle each) {
                return each == triangles_.front();
            })) {
            note(fmt::format("the matrices are {}", words(triangles_.front())));
            return;
        }
        for (std::size_t k = 0; k < triangles_.size(); ++k) {
            note(fmt::format("of {} matrices, {} is {}",
                             triangles_.size(),
                             loaded_.selection.names[k],
                             words(triangles_[k])));
        }
    }

    void note_masked() {
        std::vector<int> empty;
        for (int k = loaded_.measurement.first_frame; k < frames_; ++k) {
            if (pairs_[at(k)] == 0) {
                empty.push_back(loaded_.selection.first + k + 1);
            }
        }
        if (!empty.empty()) {
            note(fmt::format("frames {} hold no values: masked", ranges_text(empty)));
        }
        if (masked_ > 0) {
            note(fmt::format("{} of {} pairs are masked, {} of them infinite",
                             masked_,
                             loaded_.measurement.c2.size(),
                             infinite_));
        }
    }

    // Correlations fall from 1 + contrast to 1.
    void note_level() {
        const auto count = static_cast<double>(std::ssize(loaded_.measurement.c2) - masked_);
        const double mean = sum_ / count;
        if (count > 0 && (mean < 0.5 || mean > 3)) {
            note(fmt::format(
                "the values have the mean {:.4g}, but correlations fall to about 1{}",
                mean,
                mean < 0.5 ? ": if their baseline is 0, set lockstep.data.baseline to 1" : ""));
        }
    }

    const MatrixSource& source_;
    Chosen chosen_;
    const Configuration& c_;
    int frames_;
    bool drops_;
    Loaded loaded_;
    std::vector<double> square_;
    std::vector<Triangle> triangles_;
    std::vector<std::int64_t> pairs_;  ///< [frames] with a value, over all angles
    std::optional<double> added_;
    std::int64_t masked_ = 0;
    std::int64_t infinite_ = 0;
    double sum_ = 0;
};

}  // namespace

Selection look_at(const Configuration& configuration) {
    return choose(*open_matrices(configuration), configuration).selection;
}

Loaded load(const Configuration& configuration, FirstFrame first) {
    const auto source = open_matrices(configuration);
    Loaded loaded = Loader(*source, choose(*source, configuration), configuration, first).run();
    loaded.measurement.validate();
    return loaded;
}

}  // namespace lockstep::formats::homodyne
