#include "xpcs/model/free_parameters.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "lockstep/base/error.hpp"
#include "lockstep/base/index.hpp"

namespace lockstep::xpcs {
namespace {

void check(Motion motion, const std::vector<std::string>& held) {
    std::string names;
    for (const auto& parameter : parameters_of(motion)) {
        names += (names.empty() ? "" : ", ") + std::string(parameter.name);
    }
    for (const auto& name : held) {
        const auto known = parameters_of(motion);
        if (std::ranges::none_of(known, [&](const auto& each) { return each.name == name; })) {
            throw InputError(
                fmt::format("\"{}\" cannot be held: the parameters are {}", name, names));
        }
    }
}

}  // namespace

FreeParameters::FreeParameters(Motion motion, const std::vector<std::string>& held)
    : all_(static_cast<int>(parameters_of(motion).size())) {
    check(motion, held);
    for (int p = 0; p < all_; ++p) {
        if (std::ranges::find(held, parameters_of(motion)[at(p)].name) == held.end()) {
            free_.push_back(p);
        }
    }
    if (free_.empty()) {
        throw InputError("all parameters are held: nothing is left to fit");
    }
}

bool FreeParameters::is_free(int parameter) const noexcept {
    return std::ranges::binary_search(free_, parameter);
}

std::vector<double> FreeParameters::part_of(std::span<const double> whole) const {
    std::vector<double> part(free_.size());
    take_part(whole, part);
    return part;
}

void FreeParameters::take_part(std::span<const double> whole, std::span<double> part) const {
    for (std::size_t k = 0; k < free_.size(); ++k) {
        part[k] = whole[at(free_[k])];
    }
}

void FreeParameters::take_square(std::span<const double> whole,
                                 std::span<double> part,
                                 int before) const {
    const int size = before + count();
    const auto place = [&](int k) { return k < before ? k : before + free_[at(k - before)]; };
    for (int row = 0; row < size; ++row) {
        for (int column = 0; column < size; ++column) {
            part[at(row * size + column)] = whole[at(place(row) * (before + all_) + place(column))];
        }
    }
}

void FreeParameters::put(std::span<const double> part, std::span<double> whole) const {
    for (std::size_t k = 0; k < free_.size(); ++k) {
        whole[at(free_[k])] = part[k];
    }
}

}  // namespace lockstep::xpcs
