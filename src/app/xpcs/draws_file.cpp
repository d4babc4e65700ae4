#include "app/xpcs/draws_file.hpp"

#include <array>
#include <cstdint>
#include <vector>

#include "lockstep/io/hdf5.hpp"
#include "lockstep/io/npz.hpp"

#include "app/xpcs/inference_data.hpp"

namespace lockstep::app {

namespace {

constexpr auto archive = "posterior.npz";
constexpr auto inference_data = "posterior.nc";

void write_archive(const std::filesystem::path& path, const xpcs::SampleResult& result) {
    const auto names = static_cast<std::int64_t>(result.names.size());
    const std::array<std::int64_t, 3> shape{result.chains, result.draws, names};
    io::NpzWriter file(path, io::NpzStorage::stored);
    file.add("samples", result.values, shape);
    file.add("param_names", result.names, std::span(&shape[2], 1));
    file.add("log_density", result.log_density, std::span(shape.data(), 2));
    if (result.method == xpcs::SampleMethod::chains) {
        std::vector<double> energy;
        for (const auto& of : result.chain_figures.statistics) {
            energy.insert(energy.end(), of.energy.begin(), of.energy.end());
        }
        file.add("energy", energy, std::span(shape.data(), 2));
    }
    file.close();
}

}  // namespace

void write_draws(const std::filesystem::path& folder, const xpcs::SampleResult& result) {
    write_archive(folder / archive, result);
    if (io::has_hdf5()) {
        write_inference_data(folder / inference_data, result);
    }
}

std::vector<std::string> draws_files() {
    return io::has_hdf5() ? std::vector<std::string>{archive, inference_data}
                          : std::vector<std::string>{archive};
}

}  // namespace lockstep::app
