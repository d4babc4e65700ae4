#include "sddp/hydro/process/noise/correlation.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "lockstep/base/index.hpp"
#include "lockstep/base/matrix_view.hpp"
#include "lockstep/sddp/subject.hpp"

namespace lockstep::sddp {
namespace {

// --- symmetric square root -----------------------------------------------------------------------

double off_diagonal_norm2(MatrixView<const double> matrix) {
    double sum = 0;
    for (std::ptrdiff_t row = 0; row < matrix.rows(); ++row) {
        for (std::ptrdiff_t column = 0; column < row; ++column) {
            sum += 2 * matrix(row, column) * matrix(row, column);
        }
    }
    return sum;
}

struct Rotation {
    double cosine = 1;
    double sine = 0;
};

/// The smaller of the two rotations that make the entry (p, q) vanish.
Rotation annihilating(MatrixView<const double> matrix, std::ptrdiff_t p, std::ptrdiff_t q) {
    const double theta = (matrix(q, q) - matrix(p, p)) / (2 * matrix(p, q));
    const double tangent =
        std::copysign(1.0, theta) / (std::abs(theta) + std::sqrt(theta * theta + 1));
    const double cosine = 1 / std::sqrt(tangent * tangent + 1);
    return {cosine, tangent * cosine};
}

void rotate_columns(MatrixView<double> matrix, Rotation by, std::ptrdiff_t p, std::ptrdiff_t q) {
    for (std::ptrdiff_t row = 0; row < matrix.rows(); ++row) {
        const double at_p = matrix(row, p);
        const double at_q = matrix(row, q);
        matrix(row, p) = by.cosine * at_p - by.sine * at_q;
        matrix(row, q) = by.sine * at_p + by.cosine * at_q;
    }
}

void rotate_rows(MatrixView<double> matrix, Rotation by, std::ptrdiff_t p, std::ptrdiff_t q) {
    for (std::ptrdiff_t column = 0; column < matrix.cols(); ++column) {
        const double at_p = matrix(p, column);
        const double at_q = matrix(q, column);
        matrix(p, column) = by.cosine * at_p - by.sine * at_q;
        matrix(q, column) = by.sine * at_p + by.cosine * at_q;
    }
}

/// Cyclic Jacobi: leaves eigenvalues on the diagonal of `matrix`, eigenvectors in the columns of
/// `vectors`.
void diagonalise(MatrixView<double> matrix, MatrixView<double> vectors) {
    constexpr double negligible = 1e-24;
    constexpr int most_sweeps = 100;
    for (int sweep = 0; sweep < most_sweeps && off_diagonal_norm2(matrix) >= negligible; ++sweep) {
        for (std::ptrdiff_t p = 0; p < matrix.rows(); ++p) {
            for (std::ptrdiff_t q = p + 1; q < matrix.rows(); ++q) {
                if (matrix(p, q) == 0) {
                    continue;
                }
                const Rotation by = annihilating(matrix, p, q);
                rotate_columns(matrix, by, p, q);
                rotate_rows(matrix, by, p, q);
                rotate_columns(vectors, by, p, q);
            }
        }
    }
}

// --- profiles ------------------------------------------------------------------------------------

/// Where an entity's noise stands in the noise vector; none for an entity that is not stochastic.
std::optional<std::size_t> position(const NoiseLayout& layout, NoiseClass noise, int entity) {
    const auto hydros = static_cast<std::size_t>(layout.hydros);
    if (noise == NoiseClass::inflow) {
        return static_cast<std::size_t>(entity);
    }
    const std::vector<int>& list = noise == NoiseClass::load ? layout.buses : layout.sources;
    const auto found = std::ranges::find(list, entity);
    if (found == list.end()) {
        return std::nullopt;
    }
    const std::size_t before = hydros + (noise == NoiseClass::load ? 0 : layout.buses.size());
    return before + static_cast<std::size_t>(std::distance(list.begin(), found));
}

NoiseClass class_of(const CorrelationGroup& group, std::size_t member) {
    return group.classes.empty() ? group.noise : group.classes[member];
}

int find_profile(const CorrelationModel& model, std::string_view name) {
    const auto found = std::ranges::find(model.profiles, name, &CorrelationProfile::name);
    return found == model.profiles.end()
               ? -1
               : static_cast<int>(std::distance(model.profiles.begin(), found));
}

/// The scheduled profile, else "default", else the only one, else -1 with a problem.
int profile_of(const CorrelationModel& model, const Stage& stage, Problems& problems) {
    const std::string entity = fmt::format("stage {}", stage.id);
    for (const auto& [stage_id, name] : model.schedule) {
        if (stage_id != stage.id) {
            continue;
        }
        const int profile = find_profile(model, name);
        if (profile < 0) {
            problems.add(
                ProblemKind::invalid_reference,
                subject::correlation,
                entity,
                fmt::format("schedule names the profile \"{}\", which does not exist", name));
        }
        return profile;
    }
    if (const int fallback = find_profile(model, "default"); fallback >= 0) {
        return fallback;
    }
    if (model.profiles.size() > 1) {
        problems.add(ProblemKind::invalid_value,
                     subject::correlation,
                     entity,
                     fmt::format("{} profiles, but neither a schedule entry for this stage nor a "
                                 "profile \"default\"",
                                 model.profiles.size()));
    }
    return model.profiles.size() == 1 ? 0 : -1;
}

// --- matrices that no data can have --------------------------------------------------------------

/// Largest difference between root·rootᵀ and the matrix.
double misfit(const std::vector<double>& root,
              const std::vector<double>& matrix,
              std::size_t size) {
    double largest = 0;
    for (std::size_t i = 0; i < size; ++i) {
        for (std::size_t j = 0; j <= i; ++j) {
            double product = 0;
            for (std::size_t k = 0; k < size; ++k) {
                product += root[i * size + k] * root[j * size + k];
            }
            largest = std::max(largest, std::abs(product - matrix[i * size + j]));
        }
    }
    return largest;
}

/// Every noise keeps its deviation of 1.
void scale_rows_to_one(std::vector<double>& root, std::size_t size) {
    for (std::size_t i = 0; i < size; ++i) {
        const std::span<double> row = std::span(root).subspan(i * size, size);
        double squares = 0;
        for (const double cell : row) {
            squares += cell * cell;
        }
        for (double& cell : row) {
            cell /= std::sqrt(squares);
        }
    }
}

void report_repair(const CorrelationProfile& profile,
                   double repair,
                   CorrelationSource source,
                   Problems& problems) {
    constexpr double largest_repair = 0.1;
    if (repair == 0) {
        return;
    }
    const bool is_estimated = source == CorrelationSource::estimated;
    const bool is_refused = !is_estimated && repair > largest_repair;
    problems.add(
        is_refused ? ProblemKind::invalid_value : ProblemKind::model_quality,
        is_estimated ? subject::inflow_history : subject::correlation,
        fmt::format("profile {}", profile.name),
        fmt::format(
            "no data can have these correlations together (the matrix has negative "
            "eigenvalues); {}{:.3g}",
            is_refused ? "an entry would have to move by " : "repaired: entries moved by up to ",
            repair));
}

}  // namespace

std::vector<double> symmetric_root(std::span<const double> matrix, std::size_t size) {
    std::vector<double> diagonal(matrix.begin(), matrix.end());
    std::vector<double> vectors(size * size, 0.0);
    const MatrixView<double> values(diagonal.data(), size, size);
    const MatrixView<double> basis(vectors.data(), size, size);
    for (std::size_t i = 0; i < size; ++i) {
        basis(i, i) = 1;
    }
    diagonalise(values, basis);

    std::vector<double> root(size * size, 0.0);
    const MatrixView<double> result(root.data(), size, size);
    for (std::size_t k = 0; k < size; ++k) {
        const double stretch = std::sqrt(std::max(values(k, k), 0.0));
        for (std::size_t row = 0; row < size; ++row) {
            for (std::size_t column = 0; column < size; ++column) {
                result(row, column) += basis(row, k) * stretch * basis(column, k);
            }
        }
    }
    return root;
}

NoiseCorrelation::NoiseCorrelation(const Calendar& calendar,
                                   const NoiseLayout& layout,
                                   const std::optional<CorrelationModel>& model,
                                   CorrelationSource source,
                                   Problems& problems)
    : profile_(calendar.stages.size(), -1) {
    if (!model || model->profiles.empty()) {
        return;
    }
    for (const CorrelationProfile& profile : model->profiles) {
        std::vector<Block>& blocks = profiles_.emplace_back();
        double repair = 0;
        for (const CorrelationGroup& group : profile.groups) {
            double own = 0;
            blocks.push_back(make_block(group, layout, own));
            if (!group.classes.empty()) {
                joined_classes_.push_back(group.classes);
            }
            repair = std::max(repair, own);
        }
        report_repair(profile, repair, source, problems);
    }
    for (std::size_t t = 0; t < calendar.stages.size(); ++t) {
        profile_[t] = profile_of(*model, calendar.stages[t], problems);
    }
}

NoiseCorrelation::Block NoiseCorrelation::make_block(const CorrelationGroup& group,
                                                     const NoiseLayout& layout,
                                                     double& repair) {
    Block block;
    block.noise_class = group.noise;
    block.is_across = !group.classes.empty();
    std::vector<std::size_t> members;
    for (std::size_t i = 0; i < group.entities.size(); ++i) {
        if (const auto place = position(layout, class_of(group, i), group.entities[i])) {
            block.positions.push_back(*place);
            members.push_back(i);
        }
    }
    std::vector<double> matrix;
    for (const std::size_t row : members) {
        for (const std::size_t column : members) {
            matrix.push_back(group.matrix[row * group.entities.size() + column]);
        }
    }
    block.root = symmetric_root(matrix, members.size());
    constexpr double rounding = 1e-6;
    if (misfit(block.root, matrix, members.size()) > rounding) {
        scale_rows_to_one(block.root, members.size());
        repair = misfit(block.root, matrix, members.size());
    }
    return block;
}

void NoiseCorrelation::apply(const Block& block, std::span<double> noise) {
    thread_local std::vector<double> independent;  // grows once; draw() must not allocate
    const std::size_t size = block.positions.size();
    independent.resize(std::max(independent.size(), size));
    for (std::size_t i = 0; i < size; ++i) {
        independent[i] = noise[block.positions[i]];
    }
    for (std::size_t row = 0; row < size; ++row) {
        double sum = 0;
        for (std::size_t column = 0; column < size; ++column) {
            sum += block.root[row * size + column] * independent[column];
        }
        noise[block.positions[row]] = sum;
    }
}

void NoiseCorrelation::apply(int stage, std::span<double> noise) const {
    for (const NoiseClass each : {NoiseClass::inflow, NoiseClass::load, NoiseClass::source}) {
        apply(stage, each, noise);
        apply_across(stage, each, noise);
    }
}

void NoiseCorrelation::apply(int stage, NoiseClass noise_class, std::span<double> noise) const {
    apply_blocks(stage, noise_class, false, noise);
}

void NoiseCorrelation::apply_across(int stage,
                                    NoiseClass first_class,
                                    std::span<double> noise) const {
    apply_blocks(stage, first_class, true, noise);
}

void NoiseCorrelation::apply_blocks(int stage,
                                    NoiseClass noise_class,
                                    bool is_across,
                                    std::span<double> noise) const {
    const int profile = profile_[at(stage)];
    if (profile < 0) {
        return;
    }
    for (const Block& block : profiles_[at(profile)]) {
        if (block.noise_class == noise_class && block.is_across == is_across) {
            apply(block, noise);
        }
    }
}

}  // namespace lockstep::sddp
