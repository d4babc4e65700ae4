#pragma once

#include <cstddef>
#include <string>
#include <variant>
#include <vector>

#include "lockstep/base/index.hpp"
#include "lockstep/io/json.hpp"
#include "lockstep/io/npz.hpp"
#include "lockstep/xpcs/model/measurement.hpp"

#include "support/json_numbers.hpp"
#include "support/places.hpp"

namespace lockstep::test {

inline io::Json xpcs_json(const std::string& name) {
    return io::read_json(source_dir() / "tests/data/xpcs" / name);
}

inline std::vector<double> npz_numbers(const io::NpzFile& file, const std::string& name) {
    return std::get<std::vector<double>>(file.read(name).values);
}

inline constexpr double golden_q = 0.0054;
inline constexpr double golden_gap = 2e6;

/// A data set of golden-peers.json that peers.npz holds: "st_7k", "lam_24k".
inline xpcs::Measurement peer_measurement(const std::string& name) {
    const auto peers = xpcs_json("golden-peers.json");
    const io::Json& recipe = member(peers, {"generator", "datasets", name});
    const io::NpzFile file(source_dir() / "tests/data/xpcs/peers.npz");
    xpcs::Measurement data;
    data.q = golden_q;
    data.gap = golden_gap;
    data.dt = number(member(recipe, {"dt"}));
    data.frames = static_cast<int>(integer(member(recipe, {"M"}))) - 1;
    data.phi = numbers(member(recipe, {"phi"}));
    data.c2 = npz_numbers(file, name + "_c2");
    data.diagonal = npz_numbers(file, name + "_diagonal");
    return data;
}

/// A cache of homodyne without its first frame.
inline xpcs::Measurement cached_measurement(const std::string& name, double dt) {
    const io::NpzFile file(source_dir() / "tests/data/xpcs" / name);
    const auto c2 = npz_numbers(file, "c2_exp");
    xpcs::Measurement data;
    data.q = golden_q;
    data.gap = golden_gap;
    data.dt = dt;
    data.phi = npz_numbers(file, "phi_angles_list");
    const int whole = static_cast<int>(npz_numbers(file, "t1").size());
    data.frames = whole - 1;
    const auto value = [&](int angle, int i, int j) {
        return c2[at((angle * whole + i) * whole + j)];
    };
    for (int angle = 0; angle < data.angles(); ++angle) {
        for (int i = 1; i < whole; ++i) {
            data.diagonal.push_back(value(angle, i, i));
            for (int j = i + 1; j < whole; ++j) {
                data.c2.push_back(value(angle, i, j));
            }
        }
    }
    return data;
}

}  // namespace lockstep::test
