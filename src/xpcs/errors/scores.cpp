#include "xpcs/errors/scores.hpp"

#include "lockstep/base/index.hpp"

namespace lockstep::xpcs {

FittedModel::FittedModel(const Measurement& measurement,
                         const FitOptions& options,
                         const FitResult& fit)
    : scaling(options.scale, measurement.phi),
      model(options.motion,
            options.shear,
            {measurement.q, measurement.gap, measurement.dt},
            {measurement.first_frame, measurement.frames},
            measurement.phi),
      fitted(fit.fitted) {
    model.set(fit.physical);
    for (int angle = 0; angle < measurement.angles(); ++angle) {
        data.push_back(
            {std::span(measurement.c2).subspan(measurement.row(angle, 0), at(model.pairs())),
             fit.scales[at(angle)]});
    }
}

void add_spread(const FittedModel& fitted,
                int angle,
                const Eigen::MatrixXd& spread,
                Eigen::MatrixXd& sum) {
    const Scaling& scaling = fitted.scaling;
    const auto columns = spread.rows();
    const Eigen::Index linear = scaling.coefficients();
    Eigen::MatrixXd map = Eigen::MatrixXd::Zero(columns, sum.rows());
    for (int function = 0; function < scaling.functions(); ++function) {
        map(0, function) = scaling.basis(angle, function);
        map(1, scaling.functions() + function) = scaling.basis(angle, function);
    }
    for (std::size_t k = 0; k < fitted.fitted.size(); ++k) {
        map(2 + fitted.fitted[k], linear + static_cast<Eigen::Index>(k)) = 1;
    }
    sum += map.transpose() * spread * map;
}

}  // namespace lockstep::xpcs
