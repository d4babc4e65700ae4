#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <utility>

#include "lockstep/app/text.hpp"
#include "lockstep/formats/xpcs/batch.hpp"
#include "lockstep/formats/xpcs/records.hpp"

#include "app/xpcs/wing.hpp"

namespace lockstep::app {
namespace {

constexpr auto nan = std::numeric_limits<double>::quiet_NaN();

Difference difference_of(const std::string& part,
                         const std::string& where,
                         const std::string& quantity,
                         double left,
                         double right) {
    const double absolute = std::abs(left - right);
    const double largest = std::max(std::abs(left), std::abs(right));
    return {part,
            where,
            quantity,
            exact(left),
            exact(right),
            absolute,
            largest > 0 ? absolute / largest : 0};
}

/// The first value that differs; records of one name stand at one place.
template <typename Record, typename F>
std::vector<Difference> first_of(const std::string& part,
                                 const std::vector<Record>& left,
                                 const std::vector<Record>& right,
                                 const char* quantity,
                                 F value) {
    if (left.size() != right.size()) {
        return {difference_of(part,
                              "the number of values",
                              quantity,
                              static_cast<double>(left.size()),
                              static_cast<double>(right.size()))};
    }
    for (std::size_t k = 0; k < left.size(); ++k) {
        if (value(left[k]) != value(right[k])) {
            return {difference_of(part, left[k].name, quantity, value(left[k]), value(right[k]))};
        }
    }
    return {};
}

/// The first dataset whose digests differ.
std::vector<Difference> batch_differences(const PartOnDisk& left, const PartOnDisk& right) {
    const auto a = formats::xpcs::read_batch(left.output).datasets;
    const auto b = formats::xpcs::read_batch(right.output).datasets;
    if (a.size() != b.size()) {
        return {difference_of("batch",
                              "the datasets",
                              "number",
                              static_cast<double>(a.size()),
                              static_cast<double>(b.size()))};
    }
    const auto told = [](const std::string& where,
                         const char* quantity,
                         const std::string& of_left,
                         const std::string& of_right) {
        return Difference{"batch", where, quantity, of_left, of_right, nan, nan};
    };
    for (std::size_t k = 0; k < a.size(); ++k) {
        if (a[k].name != b[k].name) {
            return {told("the datasets", "name", a[k].name, b[k].name)};
        }
        if (a[k].fit_digest != b[k].fit_digest) {
            return {told(a[k].name, "fit digest", a[k].fit_digest, b[k].fit_digest)};
        }
        if (a[k].posterior_digest != b[k].posterior_digest) {
            return {
                told(a[k].name, "posterior digest", a[k].posterior_digest, b[k].posterior_digest)};
        }
    }
    return {};
}

}  // namespace

std::vector<Difference> xpcs_differences(const PartOnDisk& left, const PartOnDisk& right) {
    if (left.part.name == "batch") {
        return batch_differences(left, right);
    }
    if (left.part.name == "fit") {
        const auto a = formats::xpcs::read_fit(left.output);
        const auto b = formats::xpcs::read_fit(right.output);
        auto found =
            first_of("fit", a.values, b.values, "value", [](const auto& of) { return of.value; });
        if (found.empty()) {
            found = first_of("fit", a.values, b.values, "error", [](const auto& of) {
                return of.error.value_or(-1);
            });
        }
        if (found.empty() && a.chi_squared != b.chi_squared) {
            found.push_back(
                difference_of("fit", "the minimum", "chi_squared", a.chi_squared, b.chi_squared));
        }
        return found;
    }
    const auto a = formats::xpcs::read_posterior(left.output);
    const auto b = formats::xpcs::read_posterior(right.output);
    return first_of(
        "posterior", a.quantities, b.quantities, "mean", [](const auto& of) { return of.mean; });
}

}  // namespace lockstep::app
