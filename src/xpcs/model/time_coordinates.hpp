#pragma once

#include <array>
#include <span>
#include <vector>

#include "lockstep/xpcs/model/physics.hpp"

#include "xpcs/model/free_parameters.hpp"

namespace lockstep::xpcs {

/// A power law with an offset, rate t^power + offset, by its values at three times: equation (21)
/// of docs/xpcs/theory.md. Data tell the
/// values, each by its own part of the time axis, while rate, power and offset go together along
/// bent valleys: a posterior that is no Gaussian in these is nearly one in those.
class PowerLawValues {
public:
    /// Three times in geometric progression, so that the power follows in closed form.
    PowerLawValues(double first, double last);

    using Three = std::array<double, 3>;

    [[nodiscard]] Three values_of(const Three& law) const;
    /// (rate, power, offset) by equation (22); false where no power law has these values.
    [[nodiscard]] bool law_of(const Three& values, Three& law) const;

    /// Derivatives by the law become those by the values, in place; and the logarithm of the volume
    /// that the law spans a volume of the values, with its derivatives by the law.
    struct Volume {
        double log = 0;
        Three gradient{};
    };
    [[nodiscard]] Volume volume_at(const Three& law) const;
    [[nodiscard]] Three gradient_by_values(const Three& law, const Three& gradient) const;
    /// ∂values/∂law, row by row.
    [[nodiscard]] std::array<Three, 3> jacobian(const Three& law) const;

private:
    Three log_times_;
};

/// The physical parameters by coordinates in which their posterior is nearly Gaussian: D and γ̇ at
/// three times each instead of rate, power and offset; phi0 as it is, and a law as it is of which
/// a parameter is held.
class TimeCoordinates {
public:
    TimeCoordinates(Motion motion,
                    double dt,
                    const FrameTimes& frames,
                    const FreeParameters& parameters);

    [[nodiscard]] int dimension() const noexcept { return dimension_; }
    void to_values(std::span<const double> physical, std::span<double> values) const;
    /// False where there are no such parameters.
    bool to_physical(std::span<const double> values, std::span<double> physical) const;
    /// log |∂physical/∂values|, and the gradient of (a function of the physical parameters + that)
    /// by the values; `gradient` holds that by the parameters on entry.
    double transform_gradient(std::span<const double> physical, std::span<double> gradient) const;
    [[nodiscard]] double log_volume(std::span<const double> physical) const;
    /// J C Jᵀ with J = ∂values/∂physical: a covariance [n, n] in the new coordinates.
    [[nodiscard]] std::vector<double> transform_covariance(
        std::span<const double> physical, std::span<const double> covariance) const;

private:
    int dimension_;
    std::vector<int> laws_;  // that are told by values
    PowerLawValues law_;
};

}  // namespace lockstep::xpcs
