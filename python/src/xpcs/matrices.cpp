#include "matrices.hpp"

#include <cmath>
#include <filesystem>
#include <span>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "lockstep/app/run_options.hpp"
#include "lockstep/base/error.hpp"
#include "lockstep/base/index.hpp"
#include "lockstep/formats/homodyne/matrices.hpp"
#include "lockstep/io/json.hpp"
#include "lockstep/io/yaml.hpp"
#include "lockstep/runtime/thread_team.hpp"
#include "lockstep/runtime/topology.hpp"
#include "lockstep/xpcs/simulate.hpp"

#include "array.hpp"
#include "filling.hpp"
#include "own_array.hpp"

namespace lockstep::python {

namespace {

namespace homodyne = formats::homodyne;

int threads_or_usual(int threads) {
    app::RunRequest usual;
    fill(app::output_options(), usual, {});
    const int wanted = threads > 0 ? threads : usual.threads;
    return wanted > 0 ? wanted : runtime::usable_cpus();
}

Matrices kept(homodyne::Loaded loaded) {
    // Placed lists are shared by their copies.
    auto values = std::make_shared<SharedArray<double>>(std::move(loaded.measurement.c2));
    const double* data = values->data();
    const std::size_t size = values->size();
    loaded.measurement.c2 = SharedArray<double>(std::move(values), data, size);
    return {std::make_shared<const homodyne::Loaded>(std::move(loaded))};
}

std::size_t frames_of(const Matrices& matrices) {
    return at(homodyne::whole_frames(*matrices.loaded));
}
std::size_t angles_of(const Matrices& matrices) {
    return at(matrices.loaded->measurement.angles());
}
/// Of the matrices as a whole: t_k = (first + k)·dt.
int first_frame_of(const Matrices& matrices) {
    return matrices.loaded->measurement.first_frame - (matrices.loaded->dropped.empty() ? 0 : 1);
}

void refuse_value(std::span<const double> values, std::size_t frames, bool is_masked) {
    for (std::size_t k = 0; k < values.size(); ++k) {
        if (!std::isfinite(values[k]) && !(is_masked && std::isnan(values[k]))) {
            throw nb::value_error(
                fmt::format("c2[{}, {}, {}] is {}; nan=\"mask\" leaves the pairs of frames out "
                            "that are NaN",
                            k / (frames * frames),
                            k / frames % frames,
                            k % frames,
                            values[k])
                    .c_str());
        }
    }
}

Matrices from_array(nb::handle c2,
                    std::vector<double> phi,
                    double q,
                    double gap,
                    double dt,
                    int first_frame,
                    bool is_masked) {
    const Numbers<double> values(c2, "c2", 3);
    if (values.length(1) != values.length(2) || values.length(0) != phi.size()) {
        throw nb::value_error(fmt::format("c2 has the shape ({}, {}, {}), must have ({} angles of "
                                          "phi, n, n)",
                                          values.length(0),
                                          values.length(1),
                                          values.length(2),
                                          phi.size())
                                  .c_str());
    }
    if (values.length(1) < 2 || values.length(1) > 46'340 || phi.empty()) {
        throw nb::value_error(
            fmt::format("c2 has {} angles of {} frames, must have at least one of 2 to 46340",
                        phi.size(),
                        values.length(1))
                .c_str());
    }
    const homodyne::WholeMatrices whole{q,
                                        gap,
                                        dt,
                                        first_frame,
                                        std::move(phi),
                                        static_cast<int>(values.length(1)),
                                        values.values()};
    const nb::gil_scoped_release others_may_run;
    refuse_value(whole.values, values.length(1), is_masked);
    return kept(homodyne::load(whole));
}

Matrices from_text(const std::string& text, const std::string& name) {
    return kept(homodyne::load(homodyne::parse_configuration(text, name)));
}

Matrices from_file(const std::filesystem::path& path, const std::filesystem::path& data_file) {
    auto configuration = homodyne::read_configuration(path);
    if (!data_file.empty()) {
        configuration.data.file = data_file;
    }
    return kept(homodyne::load(configuration));
}

/// [angles, frames, frames] by the values of each pair i < j and of the diagonal.
template <typename Fill>
nb::object squares(std::size_t angles, std::size_t frames, Fill&& fill) {
    std::vector<double> values(angles * frames * frames);
    {
        const nb::gil_scoped_release others_may_run;
        for (std::size_t angle = 0; angle < angles; ++angle) {
            fill(static_cast<int>(angle),
                 std::span(values).subspan(angle * frames * frames, frames * frames));
        }
    }
    return array_of(std::move(values), {angles, frames, frames});
}

nb::object whole(Matrices& matrices) {
    if (matrices.whole.is_none()) {
        matrices.whole =
            squares(angles_of(matrices), frames_of(matrices), [&](int angle, auto full) {
                homodyne::fill_whole(*matrices.loaded, angle, full);
            });
    }
    return matrices.whole;
}

nb::object pairs(const Matrices& matrices) {
    const auto& measurement = matrices.loaded->measurement;
    return array_of(measurement.c2.data(),
                    {angles_of(matrices), at(xpcs::pair_count(measurement.frames))},
                    matrices.loaded);
}

nb::object phi(const Matrices& matrices) {
    return array_of(
        matrices.loaded->measurement.phi.data(), {angles_of(matrices)}, matrices.loaded);
}

void save(const Matrices& matrices, const std::filesystem::path& path) {
    const auto& loaded = *matrices.loaded;
    if (loaded.measurement.first_frame != 0 && loaded.dropped.empty()) {
        throw InputError(
            "the matrices begin after t = 0, which files do not say: saved is what "
            "begins there");
    }
    if (path.extension() == ".npz") {
        homodyne::write_npz(path, loaded);
    } else if (path.extension() == ".h5" || path.extension() == ".hdf5" ||
               path.extension() == ".hdf") {
        homodyne::write_aps(path, loaded);
    } else {
        throw InputError(fmt::format("{} has to end in .npz, .h5, .hdf5 or .hdf", path.string()));
    }
}

xpcs::Measurement instrument(
    std::vector<double> phi, double q, double gap, double dt, int frames, int first_frame) {
    xpcs::Measurement like;
    like.q = q;
    like.gap = gap;
    like.dt = dt;
    like.frames = frames;
    like.first_frame = first_frame;
    like.phi = std::move(phi);
    // What validate() says of an instrument, it says of one with values.
    if (frames < 2 || frames > 46'340 || like.phi.empty()) {
        throw InputError(fmt::format(
            "{} angles of {} frames: must be at least one of 2 to 46340", like.phi.size(), frames));
    }
    auto whole = like;
    const auto angles = at(whole.angles());
    whole.frames = 2;
    whole.c2.assign(angles, 1.0);
    whole.diagonal.assign(2 * angles, 1.0);
    whole.validate();
    return like;
}

xpcs::Truth truth_of(bool is_flow,
                     bool is_paper,
                     std::vector<double> physical,
                     const std::vector<double>& contrast,
                     const std::vector<double>& offset,
                     std::size_t angles) {
    xpcs::Truth truth;
    truth.motion = is_flow ? xpcs::Motion::laminar_flow : xpcs::Motion::diffusion;
    truth.shear = is_paper ? xpcs::ShearTerm::paper : xpcs::ShearTerm::homodyne;
    truth.physical = std::move(physical);
    if (truth.physical.size() != xpcs::parameters_of(truth.motion).size() ||
        contrast.size() != angles || offset.size() != angles) {
        throw InputError(
            fmt::format("{} parameters, {} contrasts and {} offsets, must be {} and "
                        "one an angle, {}",
                        truth.physical.size(),
                        contrast.size(),
                        offset.size(),
                        xpcs::parameters_of(truth.motion).size(),
                        angles));
    }
    for (std::size_t angle = 0; angle < angles; ++angle) {
        truth.scales.push_back({contrast[angle], offset[angle]});
    }
    return truth;
}

void scale(std::span<const double> g1_squared, xpcs::Scale by, int frames, std::span<double> full) {
    for (int i = 0; i < frames; ++i) {
        const auto row = g1_squared.subspan(at(xpcs::pair_row(i, frames)));
        full[at(std::int64_t{i} * frames + i)] = by.offset + by.contrast;
        for (int j = i + 1; j < frames; ++j) {
            const double value = by.offset + by.contrast * row[at(j - i - 1)];
            full[at(std::int64_t{i} * frames + j)] = value;
            full[at(std::int64_t{j} * frames + i)] = value;
        }
    }
}

nb::object model(std::vector<double> phi,
                 double q,
                 double gap,
                 double dt,
                 int frames,
                 int first_frame,
                 bool is_flow,
                 bool is_paper,
                 std::vector<double> physical,
                 const std::vector<double>& contrast,
                 const std::vector<double>& offset) {
    const auto like = instrument(std::move(phi), q, gap, dt, frames, first_frame);
    const auto truth =
        truth_of(is_flow, is_paper, std::move(physical), contrast, offset, at(like.angles()));
    std::vector<double> g1_squared(at(xpcs::pair_count(frames)));
    return squares(at(like.angles()), at(frames), [&](int angle, auto full) {
        xpcs::fill_g1_squared(like, truth, angle, g1_squared);
        scale(g1_squared, truth.scales[at(angle)], frames, full);
    });
}

/// With the first frame dropped as of a file.
homodyne::Loaded as_loaded(const xpcs::Measurement& measured) {
    const homodyne::Loaded loaded{measured, {}, {}};
    const auto square = at(std::int64_t{measured.frames} * measured.frames);
    std::vector<double> values(at(measured.angles()) * square);
    for (int angle = 0; angle < measured.angles(); ++angle) {
        homodyne::fill_whole(loaded, angle, std::span(values).subspan(at(angle) * square, square));
    }
    return homodyne::load(homodyne::WholeMatrices{measured.q,
                                                  measured.gap,
                                                  measured.dt,
                                                  measured.first_frame,
                                                  measured.phi,
                                                  measured.frames,
                                                  values});
}

Matrices simulate(std::vector<double> phi,
                  double q,
                  double gap,
                  double dt,
                  int frames,
                  bool is_flow,
                  bool is_paper,
                  std::vector<double> physical,
                  const std::vector<double>& contrast,
                  const std::vector<double>& offset,
                  bool is_speckle,
                  double sigma,
                  int pixels,
                  double photons,
                  std::uint64_t seed,
                  int threads) {
    const auto like = instrument(std::move(phi), q, gap, dt, frames, 0);
    const auto truth =
        truth_of(is_flow, is_paper, std::move(physical), contrast, offset, at(like.angles()));
    xpcs::SimulatedNoise noise;
    noise.kind =
        is_speckle ? xpcs::SimulatedNoise::Kind::speckle : xpcs::SimulatedNoise::Kind::normal;
    noise.sigma = sigma;
    noise.pixels = pixels;
    noise.photons = photons;
    noise.seed = seed;
    const int team_size = threads_or_usual(threads);
    const nb::gil_scoped_release others_may_run;
    runtime::ThreadTeam team(team_size);
    return kept(as_loaded(xpcs::simulate(like, truth, noise, team)));
}

nb::list parameters(bool is_flow) {
    nb::list all;
    for (const auto& each :
         xpcs::parameters_of(is_flow ? xpcs::Motion::laminar_flow : xpcs::Motion::diffusion)) {
        all.append(nb::make_tuple(
            std::string(each.name), std::string(each.unit), each.start, each.lower, each.upper));
    }
    return all;
}

}  // namespace

void bind_matrices(nb::module_& m) {
    const auto free = nb::call_guard<nb::gil_scoped_release>();
    nb::class_<Matrices>(m, "Matrices", "Two-time matrices of one wavevector; nobody changes them.")
        .def_static("from_array", &from_array)
        .def_static("from_text", &from_text, free)
        .def_static("from_file", &from_file, free)
        .def_static("simulate", &simulate)
        .def_prop_ro("c2", &whole)
        .def_prop_ro("pairs", &pairs)
        .def_prop_ro("phi", &phi)
        .def_prop_ro("q", [](const Matrices& of) { return of.loaded->measurement.q; })
        .def_prop_ro("gap", [](const Matrices& of) { return of.loaded->measurement.gap; })
        .def_prop_ro("dt", [](const Matrices& of) { return of.loaded->measurement.dt; })
        .def_prop_ro("frames", &frames_of)
        .def_prop_ro("first_frame", &first_frame_of)
        .def_prop_ro("layout", [](const Matrices& of) { return of.loaded->selection.layout; })
        .def_prop_ro("q_list", [](const Matrices& of) { return of.loaded->selection.q; })
        .def_prop_ro("notes", [](const Matrices& of) { return of.loaded->selection.notes; })
        .def("save", &save, free);
    m.def("model", &model);
    m.def("json_of_yaml", [](const std::string& text, const std::string& name) {
        return io::to_text(io::parse_yaml(text, name));
    });
    m.def("parameters", &parameters, "Name, unit, start, least and most of each parameter.");
}

}  // namespace lockstep::python
