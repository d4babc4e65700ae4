#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include <fmt/format.h>

#include "lockstep/base/index.hpp"
#include "lockstep/formats/homodyne/data.hpp"
#include "lockstep/formats/homodyne/matrices.hpp"

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

/// What is common to all matrices of a measurement.
lockstep::xpcs::Measurement empty_measurement(const Selection& selection,
                                              const Configuration& configuration,
                                              FirstFrame first) {
    lockstep::xpcs::Measurement m;
    m.q = selection.q.front();
    m.gap = configuration.analyzer.gap;
    m.dt = configuration.analyzer.dt;
    m.phi = selection.phi;
    m.first_frame = first == FirstFrame::dropped && selection.count > 2 ? 1 : 0;
    m.frames = selection.count - m.first_frame;
    return m;
}

/// What one matrix has, found while its values go to `c2`.
class OneMatrix {
public:
    OneMatrix(std::span<const double> square, int frames, int skipped, Triangle triangle)
        : square_(square), frames_(frames), skipped_(skipped), triangle_(triangle) {
        facts_.shape = words(triangle);
        facts_.diagonal.resize(at(frames - skipped));
        facts_.dropped.resize(skipped > 0 ? at(frames) : 0);
        facts_.pairs.assign(at(frames), 0);
    }

    MatrixFacts take(std::span<double> c2) {
        for (std::size_t j = 0; j < facts_.dropped.size(); ++j) {
            facts_.dropped[j] = value(0, static_cast<int>(j));
        }
        auto pair = c2.begin();
        for (int i = skipped_; i < frames_; ++i) {
            facts_.diagonal[at(i - skipped_)] = value(i, i);
            for (int j = i + 1; j < frames_; ++j) {
                *pair = value(i, j);
                count(*pair++, i, j);
            }
        }
        return std::move(facts_);
    }

private:
    // Values that are not finite are masked.
    double value(int i, int j) {
        const double found = pair_value(square_, frames_, triangle_, i, j);
        if (std::isinf(found)) {
            ++facts_.infinite;
            return nan;
        }
        if (triangle_ == Triangle::both &&
            std::isnan(pair_value(square_, frames_, Triangle::lower, i, j))) {
            return nan;
        }
        return found;
    }

    void count(double found, int i, int j) {
        if (std::isnan(found)) {
            ++facts_.masked;
            return;
        }
        ++facts_.pairs[at(i)];
        ++facts_.pairs[at(j)];
        facts_.sum += found;
    }

    std::span<const double> square_;
    int frames_;
    int skipped_;
    Triangle triangle_;
    MatrixFacts facts_;
};

/// What people are told of the matrices together.
class Notes {
public:
    Notes(const std::vector<MatrixFacts>& facts, const Selection& selection, int first_frame)
        : facts_(facts), selection_(selection), first_frame_(first_frame) {}

    std::vector<std::string> of(std::int64_t pairs) {
        note_shapes();
        note_masked(pairs);
        note_level(pairs);
        return std::move(notes_);
    }

private:
    void note_shapes() {
        if (std::ranges::all_of(
                facts_, [&](const auto& each) { return each.shape == facts_.front().shape; })) {
            notes_.push_back(fmt::format("the matrices are {}", facts_.front().shape));
            return;
        }
        for (std::size_t k = 0; k < facts_.size(); ++k) {
            notes_.push_back(fmt::format(
                "of {} matrices, {} is {}", facts_.size(), selection_.names[k], facts_[k].shape));
        }
    }

    void note_masked(std::int64_t pairs) {
        std::vector<int> empty;
        for (int k = first_frame_; k < selection_.count; ++k) {
            if (total([&](const auto& each) { return each.pairs[at(k)]; }) == 0) {
                empty.push_back(selection_.first + k + 1);
            }
        }
        if (!empty.empty()) {
            notes_.push_back(fmt::format("frames {} hold no values: masked", ranges_text(empty)));
        }
        if (masked() > 0) {
            notes_.push_back(fmt::format("{} of {} pairs are masked, {} of them infinite",
                                         masked(),
                                         pairs,
                                         total([](const auto& each) { return each.infinite; })));
        }
    }

    // Correlations fall from 1 + contrast to 1.
    void note_level(std::int64_t pairs) {
        double sum = 0;
        for (const auto& each : facts_) {
            sum += each.sum;
        }
        const auto count = static_cast<double>(pairs - masked());
        const double mean = sum / count;
        if (count > 0 && (mean < 0.5 || mean > 3)) {
            notes_.push_back(fmt::format(
                "the values have the mean {:.4g}, but correlations fall to about 1{}",
                mean,
                mean < 0.5 ? ": if their baseline is 0, set lockstep.data.baseline to 1" : ""));
        }
    }

    template <typename F>
    [[nodiscard]] std::int64_t total(F&& of) const {
        std::int64_t sum = 0;
        for (const auto& each : facts_) {
            sum += of(each);
        }
        return sum;
    }
    [[nodiscard]] std::int64_t masked() const {
        return total([](const auto& each) { return each.masked; });
    }

    const std::vector<MatrixFacts>& facts_;
    const Selection& selection_;
    int first_frame_;
    std::vector<std::string> notes_;
};

template <typename T>
void append(std::vector<T>& to, const std::vector<T>& more) {
    to.insert(to.end(), more.begin(), more.end());
}

/// @param measurement  without values
Loaded assembled(lockstep::xpcs::Measurement measurement,
                 Selection selection,
                 SharedArray<double> c2,
                 const std::vector<MatrixFacts>& facts) {
    Loaded loaded{std::move(measurement), std::move(selection)};
    loaded.measurement.c2 = std::move(c2);
    for (const auto& each : facts) {
        append(loaded.measurement.diagonal, each.diagonal);
        append(loaded.dropped, each.dropped);
    }
    const auto pairs = std::int64_t{loaded.measurement.angles()} *
                       lockstep::xpcs::pair_count(loaded.measurement.frames);
    append(loaded.selection.notes,
           Notes(facts, loaded.selection, loaded.measurement.first_frame).of(pairs));
    loaded.measurement.validate();
    return loaded;
}

Triangle triangle_or_refuse(std::span<const double> square,
                            int frames,
                            const std::string& file,
                            const std::string& name) {
    const Triangle found = triangle_of(square, frames);
    if (found == Triangle::asymmetric) {
        refuse(file,
               fmt::format("{} is not symmetric and no half either (upper triangle with the "
                           "diagonal): it is no two-time correlation matrix",
                           name));
    }
    return found;
}

}  // namespace

struct Matrices::State {
    State(const Configuration& configuration, FirstFrame first)
        : file(configuration.data.file.string()),
          source(open_matrices(configuration)),
          chosen(choose(*source, configuration)),
          measurement(empty_measurement(chosen.selection, configuration, first)),
          added(configuration.data.plain.baseline ? configuration.data.plain.baseline
                                                  : source->baseline()) {
        if (added.value_or(0) != 0) {
            chosen.selection.notes.push_back(
                fmt::format("{} is added to all values: the matrices have the baseline {}",
                            *added,
                            1 - *added));
        }
    }

    void read_square(int angle) {
        const Selection& selection = chosen.selection;
        square.resize(at(selection.count) * at(selection.count));
        source->read(chosen.matrices[at(angle)], selection.first, selection.count, square);
        if (const double more = added.value_or(0); more != 0) {
            for (double& value : square) {
                value += value == 0 ? 0 : more;
            }
        }
    }

    [[nodiscard]] Triangle triangle(int angle) const {
        return triangle_or_refuse(
            square, chosen.selection.count, file, chosen.selection.names[at(angle)]);
    }

    std::string file;
    std::unique_ptr<MatrixSource> source;
    Chosen chosen;
    lockstep::xpcs::Measurement measurement;  // without values
    std::optional<double> added;
    std::vector<double> square;  // of the matrix that was read last
};

Matrices::Matrices(const Configuration& configuration, FirstFrame first)
    : state_(std::make_unique<State>(configuration, first)) {}
Matrices::~Matrices() = default;

int Matrices::angles() const noexcept {
    return state_->measurement.angles();
}
std::int64_t Matrices::pairs() const noexcept {
    return lockstep::xpcs::pair_count(state_->measurement.frames);
}

MatrixFacts Matrices::read(int angle, std::span<double> c2) {
    state_->read_square(angle);
    auto facts = OneMatrix(state_->square,
                           state_->chosen.selection.count,
                           state_->measurement.first_frame,
                           state_->triangle(angle))
                     .take(c2);
    if (facts.masked == pairs()) {
        refuse(state_->file,
               fmt::format("{} has no finite value off its diagonal: leave its angle {} out by "
                           "phi_filtering",
                           state_->chosen.selection.names[at(angle)],
                           state_->measurement.phi[at(angle)]));
    }
    return facts;
}

Loaded Matrices::assemble(SharedArray<double> c2, const std::vector<MatrixFacts>& facts) const {
    return assembled(state_->measurement, state_->chosen.selection, std::move(c2), facts);
}

Loaded Matrices::read_all() {
    std::vector<double> c2(at(angles() * pairs()));
    std::vector<MatrixFacts> facts;
    for (int angle = 0; angle < angles(); ++angle) {
        facts.push_back(read(angle, std::span(c2).subspan(at(angle * pairs()), at(pairs()))));
    }
    return assemble(std::move(c2), facts);
}

Loaded load(const WholeMatrices& matrices) {
    const int angles = static_cast<int>(matrices.phi.size());
    const auto square = at(std::int64_t{matrices.frames} * matrices.frames);
    const int skipped = matrices.first_frame == 0 && matrices.frames > 2 ? 1 : 0;
    lockstep::xpcs::Measurement m;
    m.q = matrices.q;
    m.gap = matrices.gap;
    m.dt = matrices.dt;
    m.phi = matrices.phi;
    m.first_frame = matrices.first_frame + skipped;
    m.frames = matrices.frames - skipped;
    Selection selection;
    selection.layout = "arrays";
    selection.q.assign(at(angles), m.q);
    selection.phi = m.phi;
    selection.file_frames = selection.count = matrices.frames;
    const auto pairs = at(lockstep::xpcs::pair_count(m.frames));
    std::vector<double> c2(at(angles) * pairs);
    std::vector<MatrixFacts> facts;
    for (int angle = 0; angle < angles; ++angle) {
        const auto& name = selection.names.emplace_back(fmt::format("c2[{}]", angle));
        const auto values = matrices.values.subspan(at(angle) * square, square);
        const auto triangle = triangle_or_refuse(values, matrices.frames, "the array", name);
        facts.push_back(OneMatrix(values, matrices.frames, skipped, triangle)
                            .take(std::span(c2).subspan(at(angle) * pairs, pairs)));
    }
    return assembled(std::move(m), std::move(selection), std::move(c2), facts);
}

Selection look_at(const Configuration& configuration) {
    return choose(*open_matrices(configuration), configuration).selection;
}

Loaded load(const Configuration& configuration, FirstFrame first) {
    return Matrices(configuration, first).read_all();
}

}  // namespace lockstep::formats::homodyne
