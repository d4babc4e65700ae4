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
            measurement.phi) {
    model.set(fit.physical);
    for (int angle = 0; angle < measurement.angles(); ++angle) {
        data.push_back(
            {std::span(measurement.c2).subspan(measurement.row(angle, 0), at(model.pairs())),
             fit.scales[at(angle)]});
    }
}

void add_spread(const Scaling& scaling,
                int angle,
                const Eigen::MatrixXd& spread,
                Eigen::MatrixXd& sum) {
    const auto columns = spread.rows();
    const Eigen::Index linear = scaling.coefficients();
    Eigen::MatrixXd map = Eigen::MatrixXd::Zero(columns, sum.rows());
    for (int function = 0; function < scaling.functions(); ++function) {
        map(0, function) = scaling.basis(angle, function);
        map(1, scaling.functions() + function) = scaling.basis(angle, function);
    }
    for (Eigen::Index p = 2; p < columns; ++p) {
        map(p, linear + p - 2) = 1;
    }
    sum += map.transpose() * spread * map;
}

}  // namespace lockstep::xpcs
