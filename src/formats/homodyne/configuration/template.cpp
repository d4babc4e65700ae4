#include "lockstep/formats/homodyne/template.hpp"

#include <string_view>

#include <fmt/format.h>

#include "lockstep/io/json.hpp"

namespace lockstep::formats::homodyne {
namespace {

constexpr std::string_view static_head =
    R"(# Diffusion alone: g2 = offset + contrast g1^2, g1 = exp(-q^2/2 |integral of D|),
# D(t) = D0 t^alpha + D_offset. Check with: lockstep xpcs validate THIS_FILE
analysis_mode: static
)";

constexpr std::string_view flow_head =
    R"(# Diffusion in a shear flow: D(t) = D0 t^alpha + D_offset and the shear rate
# gamma_dot_t0 t^beta + gamma_dot_t_offset; the flow runs along the angle phi0.
# Check with: lockstep xpcs validate THIS_FILE
analysis_mode: laminar_flow
)";

// @…@ is replaced.
constexpr std::string_view measurement = R"(
analyzer_parameters:
  dt: @dt@              # s between the frames of the matrices (frame time x stride x average)
  start_frame: 1        # counted from 1
  end_frame: @end_frame@         # -1: the last of the file
  scattering:
    wavevector_q: @q@ # 1/angstrom; matrices nearest to it are taken
  geometry:
    stator_rotor_gap: @gap@ # angstrom: 2000000 is 200 micrometres; only a flow needs it

experimental_data:
  data_folder_path: @folder@
  data_file_name: @file@
)";

constexpr std::string_view flow_angles = R"(
# Angles along the flow (0, 180) and across it (90, -90) together determine phi0.
phi_filtering:
  enabled: false
  target_ranges:        # degrees in (-180, 180]; min above max goes by way of 180
    - min_angle: -20
      max_angle: 20
    - min_angle: 70
      max_angle: 110
)";

constexpr std::string_view static_start = R"(
initial_parameters:
  parameter_names: [D0, alpha, D_offset]
  values: [10000.0, -0.8, 100.0]

parameter_space:        # bounds of the fit; with prior_mu and prior_sigma also of the posterior
  bounds:
    - name: D0          # angstrom^2/s^(1+alpha)
      min: 100.0
      max: 100000.0
    - name: alpha
      min: -2.0
      max: 2.0
    - name: D_offset    # angstrom^2/s
      min: -100000.0
      max: 100000.0
)";

constexpr std::string_view flow_start = R"(
initial_parameters:
  parameter_names: [D0, alpha, D_offset, gamma_dot_t0, beta, gamma_dot_t_offset, phi0]
  values: [10000.0, -0.8, 100.0, 0.001, -0.2, 0.0, 0.0]

parameter_space:        # bounds of the fit; with prior_mu and prior_sigma also of the posterior
  bounds:
    - name: D0          # angstrom^2/s^(1+alpha)
      min: 100.0
      max: 100000.0
    - name: alpha
      min: -2.0
      max: 2.0
    - name: D_offset    # angstrom^2/s
      min: -100000.0
      max: 100000.0
    - name: gamma_dot_t0 # 1/s^(1+beta)
      min: 0.000001
      max: 0.5
    - name: beta
      min: -2.0
      max: 2.0
    - name: gamma_dot_t_offset # 1/s
      min: -0.1
      max: 0.1
    - name: phi0        # degrees
      min: -10.0
      max: 10.0
)";

constexpr std::string_view computing = R"(
optimization:
  nlsq:
    loss: linear        # or soft_l1, huber, cauchy, arctan against outliers
    max_iterations: 200
    anti_degeneracy:
      per_angle_mode: individual # each angle its own contrast and offset; auto as homodyne: one for all
    multi_start:
      enable: false
      n_starts: 10
      seed: 42
  cmc:
    seed: 42
    sharding:
      strategy: random
      num_shards: auto
    per_shard_mcmc:
      num_warmup: 500
      num_samples: 1500
      num_chains: 4
)";

void replace(std::string& text, std::string_view what, const std::string& with) {
    text.replace(text.find(what), what.size(), with);
}

// A text that YAML reads as this text, whatever stands in it.
std::string quoted(const std::string& text) {
    return io::to_text(io::Json(text));
}

}  // namespace

std::string template_text(lockstep::xpcs::Motion motion, const TemplateFacts& facts) {
    const bool is_flow = motion == lockstep::xpcs::Motion::laminar_flow;
    std::string data(measurement);
    replace(data, "@dt@", fmt::format("{}", facts.dt));
    replace(data, "@end_frame@", fmt::format("{}", facts.end_frame));
    replace(data, "@q@", fmt::format("{}", facts.q));
    replace(data, "@gap@", fmt::format("{}", facts.gap));
    replace(data, "@folder@", quoted(facts.folder));
    replace(data, "@file@", quoted(facts.file));
    std::string text(is_flow ? flow_head : static_head);
    text += data;
    text += is_flow ? flow_angles : "";
    text += is_flow ? flow_start : static_start;
    text += computing;
    return text;
}

}  // namespace lockstep::formats::homodyne
