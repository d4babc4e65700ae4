#include "support/xpcs/posterior.hpp"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>

#include "support/json_numbers.hpp"
#include "support/places.hpp"

namespace lockstep::test {
namespace {

std::filesystem::path folder() {
    return source_dir() / "tests/data/xpcs/posteriordb";
}

std::vector<std::vector<double>> read_rows(const std::filesystem::path& path) {
    std::ifstream file(path);
    std::string line;
    std::getline(file, line);
    std::vector<std::vector<double>> rows;
    while (std::getline(file, line)) {
        std::vector<double> row;
        for (const char* place = line.c_str(); *place != '\0';) {
            char* end = nullptr;
            row.push_back(std::strtod(place, &end));
            place = *end == ',' ? end + 1 : end;
        }
        rows.push_back(row);
    }
    return rows;
}

using Make = OwnedPosterior (*)(const io::Json&);

// Those that are no regressions.
const std::map<std::string, Make>& special() {
    static const std::map<std::string, Make> makers{
        {"eight_schools-eight_schools_noncentered", make_eight_schools},
        {"low_dim_gauss_mix-low_dim_gauss_mix", make_normal_mixture},
        {"arma-arma11", make_arma},
        {"garch-garch11", make_garch},
        {"gp_pois_regr-gp_regr", make_gaussian_process},
        {"hudson_lynx_hare-lotka_volterra", make_lotka_volterra},
        {"one_comp_mm_elim_abs-one_comp_mm_elim_abs", make_elimination},
    };
    return makers;
}

constexpr const char* german_credit = "german_credit_logistic";
constexpr const char* several_modes = "hudson_lynx_hare-lotka_volterra";
constexpr const char* narrowing = "one_comp_mm_elim_abs-one_comp_mm_elim_abs";

}  // namespace

const std::vector<std::string>& posterior_names() {
    static const std::vector<std::string> names{
        "arK-arK",
        "arma-arma11",
        "earnings-logearn_interaction",
        "eight_schools-eight_schools_noncentered",
        "garch-garch11",
        german_credit,
        "gp_pois_regr-gp_regr",
        "hudson_lynx_hare-lotka_volterra",
        "kidiq-kidscore_interaction",
        "kidiq-kidscore_momhsiq",
        "kilpisjarvi_mod-kilpisjarvi",
        "low_dim_gauss_mix-low_dim_gauss_mix",
        "mesquite-logmesquite_logvash",
        "nes1992-nes",
        "one_comp_mm_elim_abs-one_comp_mm_elim_abs",
        "sblrc-blr",
        "sblri-blr",
    };
    return names;
}

ReferencePosterior reference_of(const std::string& name) {
    const io::Json json = io::read_json(folder() / "reference" / (name + ".json"));
    ReferencePosterior reference;
    reference.name = name;
    if (name == narrowing) {
        reference.target_acceptance = 0.95;
    }
    if (name == several_modes) {
        reference.start_spread = 0.3;
    }
    reference.mean = numbers(member(json, {"mean"}));
    reference.sd = numbers(member(json, {"sd"}));
    for (std::size_t i = 0; i < reference.mean.size(); ++i) {
        const io::Json* names = json.find("parameters");
        reference.parameters.push_back(names != nullptr ? *array(*names)[i].if_string()
                                                        : "w[" + std::to_string(i + 1) + "]");
        const std::string& parameter = reference.parameters.back();
        reference.has_sd.push_back(parameter != "K_m" && parameter != "V_m");
    }
    if (json.find("quantiles") != nullptr) {
        reference.quantiles.resize(reference.mean.size());
        for (const char* key : {"q05", "q25", "q50", "q75", "q95"}) {
            const auto values = numbers(member(json, {"quantiles", key}));
            for (std::size_t i = 0; i < values.size(); ++i) {
                reference.quantiles[i].push_back(values[i]);
            }
        }
    }
    return reference;
}

OwnedPosterior make_posterior(const std::string& name) {
    if (name == german_credit) {
        return make_german_credit(read_rows(folder() / "data" / "german_credit_numeric.csv"));
    }
    const std::string data = name.substr(0, name.find('-'));
    const io::Json json = io::read_json(folder() / "data" / (data + ".json"));
    const auto found = special().find(name);
    return found != special().end() ? found->second(json) : make_regression(name, json);
}

}  // namespace lockstep::test
