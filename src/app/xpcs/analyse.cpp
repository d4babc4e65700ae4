#include "lockstep/app/xpcs/analyse.hpp"

#include "app/xpcs/stages/analysis.hpp"

namespace lockstep::app {

XpcsOutcome analyse_measurement(const XpcsRequest& request,
                                comm::Communicator& ranks,
                                Observer& observer) {
    Analysis analysis(request, load_dataset, ranks, observer);
    analysis.start();
    analysis.fit();
    analysis.job().on_root([&] { analysis.write_fit(); });
    if (analysis.is_to_sample()) {
        analysis.sample();
        if (analysis.has_posterior()) {
            analysis.job().on_root([&] { analysis.write_posterior(); });
        }
    }
    return analysis.finish();
}

}  // namespace lockstep::app
