#include "app/xpcs/draws_file.hpp"

#include <array>
#include <cstdint>
#include <vector>

#include "lockstep/io/npz.hpp"

namespace lockstep::app {

void write_draws(const std::filesystem::path& path, const xpcs::SampleResult& result) {
    const auto names = static_cast<std::int64_t>(result.names.size());
    const std::array<std::int64_t, 3> shape{result.chains, result.draws, names};
    io::NpzWriter file(path, io::NpzStorage::stored);
    file.add("samples", result.values, shape);
    file.add("param_names", result.names, std::span(&shape[2], 1));
    file.add("log_density", result.log_density, std::span(shape.data(), 2));
    if (result.method == xpcs::SampleMethod::chains) {
        std::vector<double> energy;
        for (const auto& of_chain : result.chain_figures.energies) {
            energy.insert(energy.end(), of_chain.begin(), of_chain.end());
        }
        file.add("energy", energy, std::span(shape.data(), 2));
    }
    file.close();
}

}  // namespace lockstep::app
