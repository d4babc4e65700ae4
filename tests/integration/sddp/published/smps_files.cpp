#include "sddp/published/published_problem.hpp"
#include "support/linear/smps.hpp"
#include "support/places.hpp"

// Stochastic linear programmes in SMPS, integers relaxed; tests/data/sddp/README.md names their
// origins.

namespace lockstep::test {

namespace {

PublishedProblem of_files(const std::string& id,
                          const std::string& base,
                          double floor,
                          bool normalise = false,
                          double penalty = 0) {
    const bool is_small = id != "sslp_10_50_50_lp" && id != "sslp_15_45_15_lp";
    return {id,
            [=] {
                return read_smps(source_dir() / "tests" / "data" / "sddp" / "smps" / base,
                                 normalise,
                                 floor,
                                 penalty);
            },
            false,
            400,
            1,
            is_small};
}

}  // namespace

std::vector<PublishedProblem> smps_problems() {
    return {
        of_files("LandS_smps_27scen", "electric/LandS", 0),
        of_files("smi_app0110R", "smi/app0110R", 0, true),
        of_files("smi_app0110", "smi/app0110", 0, true),
        of_files("sslp_5_25_50", "sslp/sslp_5_25_50", -1e5),
        of_files("sslp_5_25_100", "sslp/sslp_5_25_100", -1e5),
        of_files("sslp_15_45_5", "sslp/sslp_15_45_5", -1e5),
        of_files("sslp_10_50_50_lp", "sslp/sslp_10_50_50", -1e5),
        of_files("sslp_15_45_10_lp", "sslp/sslp_15_45_10", -1e5),
        of_files("sslp_15_45_15_lp", "sslp/sslp_15_45_15", -1e5),
        of_files("sizes3_lp", "sizes/sizes3", 0),
        of_files("sizes5_lp", "sizes/sizes5", 0),
        of_files("sizes10_lp", "sizes/sizes10", 0, false, 1e4),
    };
}

}  // namespace lockstep::test
