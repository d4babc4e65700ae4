#include "app/xpcs/inference_data.hpp"

#include <algorithm>
#include <array>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include "lockstep/base/build_info.hpp"
#include "lockstep/base/index.hpp"
#include "lockstep/io/hdf5.hpp"
#include "lockstep/xpcs/model/physics.hpp"

namespace lockstep::app {
namespace {

using Texts = std::vector<std::string>;

/// One group: its variables share the axes chain and draw.
class Group {
public:
    Group(io::Hdf5Writer& file, std::string name, const xpcs::SampleResult& result)
        : file_(file), name_(std::move(name)), shape_{result.chains, result.draws} {
        write_axis("chain", result.chains);
        write_axis("draw", result.draws);
        file_.set(name_, "inference_library", Texts{"lockstep"});
        file_.set(name_, "inference_library_version", Texts{std::string(build_info().version)});
    }

    template <typename T>
    void add(const std::string& variable, const std::vector<T>& values) {
        file_.write(path(variable), std::span<const T>(values), shape_, {});
        file_.label(path(variable), std::array{path("chain"), path("draw")});
    }
    void set(const std::string& variable, const std::string& attribute, const std::string& text) {
        file_.set(path(variable), attribute, Texts{text});
    }
    void set(const std::string& attribute, const std::string& text) {
        file_.set(name_, attribute, Texts{text});
    }

private:
    [[nodiscard]] std::string path(const std::string& variable) const {
        return name_ + "/" + variable;
    }

    void write_axis(const std::string& axis, int length) {
        std::vector<std::int64_t> numbers(at(length));
        std::iota(numbers.begin(), numbers.end(), 0);
        const std::array<std::int64_t, 1> shape{length};
        file_.write(path(axis), std::span<const std::int64_t>(numbers), shape, {});
    }

    io::Hdf5Writer& file_;
    std::string name_;
    std::array<std::int64_t, 2> shape_;
};

void write_posterior(io::Hdf5Writer& file, const xpcs::SampleResult& result) {
    Group group(file, "posterior", result);
    const auto parameters = xpcs::parameters_of(xpcs::Motion::laminar_flow);
    for (int k = 0; k < static_cast<int>(result.names.size()); ++k) {
        const std::string& name = result.names[at(k)];
        group.add(name, result.of(k));
        const auto known = std::ranges::find(parameters, name, &xpcs::ParameterDescription::name);
        if (known != parameters.end() && !known->unit.empty()) {
            group.set(name, "units", std::string(known->unit));
        }
    }
}

/// [chains, draws] of a statistic of each draw.
template <typename To, typename From>
std::vector<To> joined(const xpcs::SampleResult& result,
                       std::vector<From> xpcs::cmc::ChainDraws::*statistic) {
    std::vector<To> values;
    for (const auto& chain : result.chain_figures.statistics) {
        values.insert(values.end(), (chain.*statistic).begin(), (chain.*statistic).end());
    }
    return values;
}

std::vector<double> step_sizes(const xpcs::SampleResult& result) {
    std::vector<double> values;
    for (const double size : result.chain_figures.step_sizes) {
        values.insert(values.end(), at(result.draws), size);
    }
    return values;
}

void write_statistics(io::Hdf5Writer& file, const xpcs::SampleResult& result) {
    using Draws = xpcs::cmc::ChainDraws;
    using Count = std::int64_t;
    Group group(file, "sample_stats", result);
    group.add("lp", result.log_density);
    if (result.method != xpcs::SampleMethod::chains) {
        group.set("sampling_method", "importance resampling");
        return;
    }
    group.set("sampling_method", "NUTS");
    group.add("energy", joined<double>(result, &Draws::energy));
    group.add("acceptance_rate", joined<double>(result, &Draws::acceptance));
    group.add("n_steps", joined<Count>(result, &Draws::leapfrogs));
    group.add("tree_depth", joined<Count>(result, &Draws::tree_depth));
    group.add("diverging", joined<Count>(result, &Draws::is_divergent));
    group.set("diverging", "dtype", "bool");  // how xarray keeps truth values
    group.add("step_size", step_sizes(result));
}

}  // namespace

void write_inference_data(const std::filesystem::path& path, const xpcs::SampleResult& result) {
    const auto file = io::create_hdf5(path);
    write_posterior(*file, result);
    write_statistics(*file, result);
    file->close();
}

}  // namespace lockstep::app
