#include "lockstep/app/report.hpp"

#include <array>
#include <cstdint>
#include <memory>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lockstep/app/xpcs/analyse.hpp"
#include "lockstep/app/xpcs/prepare.hpp"
#include "lockstep/base/error.hpp"
#include "lockstep/formats/xpcs/records.hpp"
#include "lockstep/io/file.hpp"
#include "lockstep/io/npz.hpp"

#include "unit/app/temporary_folder.hpp"
#include "unit/io/page/markup.hpp"

namespace lockstep::app {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

/// An analysis of the template's measurement, small.
class XpcsReportTest : public testing::Test {
protected:
    static void SetUpTestSuite() {
        inputs = std::make_unique<TemporaryFolder>();
        init_analysis(*inputs / "first", "laminar_flow", true);
    }
    static void TearDownTestSuite() { inputs.reset(); }

    std::filesystem::path analyse(XpcsWork work, xpcs::SampleMethod method) {
        XpcsRequest request;
        request.run.input = *inputs / "first/config.yaml";
        request.run.output = folder / "results";
        request.run.threads = 1;
        request.data_file = *inputs / "first/measurement.h5";
        request.work = work;
        request.errors.pixels = 200;
        request.method = method;
        request.chains = 2;
        request.warmup = 60;
        request.draws = 100;
        Observer nobody;
        analyse_measurement(request, *comm::make_local(), nobody);
        return request.run.output;
    }
    static inline std::unique_ptr<TemporaryFolder> inputs;
    TemporaryFolder folder;
};

/// What stands on the page without scripts, styles and the data that they use.
std::string body_of(std::string html) {
    for (const auto* element : {"script", "style"}) {
        const std::string open = std::string("<") + element;
        const std::string close = std::string("</") + element + ">";
        for (auto at = html.find(open); at != std::string::npos; at = html.find(open)) {
            html.erase(at, html.find(close, at) + close.size() - at);
        }
    }
    return html.substr(html.find("<main>"), html.find("</body>") - html.find("<main>"));
}

TEST_F(XpcsReportTest, ShowsAFitWithItsMatricesAndChains) {
    const auto page =
        io::read_file(make_report(analyse(XpcsWork::both, xpcs::SampleMethod::chains)));

    for (const auto* part : {"parametric bootstrap",
                             "11,718 pairs of frames",
                             "Correlation by angle",
                             "(data − model) / σ",
                             "g₁² over the lag",
                             "D(t)",
                             "Shear rate",
                             "90 % intervals about the fit",
                             "Contrast by angle",
                             "Draws of the physical parameters and of their pairs",
                             "2 chains of 100 draws",
                             "Ranks among the draws of all chains",
                             "E-BFMI",
                             "χ² above its last value",
                             "Ranks × threads"}) {
        EXPECT_THAT(page, HasSubstr(part));
    }
    // Of one angle three images with their scales stand on the page, the others in its data.
    const auto body = body_of(page);
    EXPECT_EQ(io::count(body, "data:image/png"), 6U);
    EXPECT_EQ(io::count(page, "data:image/png"), 6U + 6U * 6U);
    for (const auto* outside : {"src=\"http", "href=\"http", "@import", "url(http"}) {
        EXPECT_THAT(page, Not(HasSubstr(outside)));
    }
}

TEST_F(XpcsReportTest, SaysWhatTheWeightsOfPointsMean) {
    const auto page =
        io::read_file(make_report(analyse(XpcsWork::both, xpcs::SampleMethod::importance)));

    EXPECT_THAT(page,
                AllOf(HasSubstr("so the weights can be relied on"),
                      HasSubstr("of the points count (effective size)"),
                      Not(HasSubstr("Ranks among the draws"))));
}

TEST_F(XpcsReportTest, KeepsTheStartAndEachIteration) {
    const auto output = analyse(XpcsWork::fit, xpcs::SampleMethod::automatic);
    const auto fit = formats::xpcs::read_fit(output);

    ASSERT_EQ(fit.history.size(), static_cast<std::size_t>(fit.iterations) + 1);
    for (int number = 0; number <= fit.iterations; ++number) {
        EXPECT_EQ(fit.history[static_cast<std::size_t>(number)].number, number);
    }
    EXPECT_GT(fit.history.front().chi_squared, fit.chi_squared);
    EXPECT_EQ(fit.history.back().gradient, fit.gradient);
}

TEST_F(XpcsReportTest, EscapesNamesAndDoesWithoutTheMatrices) {
    const auto output = analyse(XpcsWork::fit, xpcs::SampleMethod::automatic);
    auto fit = formats::xpcs::read_fit(output);
    const std::string evil = "</script><b x='\"'>&";
    fit.data.file = fit.data.layout = fit.remark = fit.error_method = fit.ending = evil;
    fit.data.notes = {evil};
    fit.values.back().name = fit.values.back().unit = fit.values.back().bound = evil;
    fit.individual = formats::xpcs::IndividualRecord{1, 2, 3, true, fit.values};
    formats::xpcs::write_fit(output, fit);
    std::filesystem::remove(output / "nlsq/fitted_data.npz");

    const auto page = io::read_file(make_report(output));

    EXPECT_THAT(page, Not(HasSubstr("<b x")));
    EXPECT_THAT(page, HasSubstr("matrices cannot be shown"));
}

TEST_F(XpcsReportTest, RefusesMatricesOfAnotherFit) {
    const auto output = analyse(XpcsWork::fit, xpcs::SampleMethod::automatic);
    const std::array<std::int64_t, 3> shape{1, 2, 2};
    io::NpzWriter file(output / "nlsq/fitted_data.npz");
    file.add("c2_exp", std::array{1., 1., 1., 1.}, shape);
    file.close();

    try {
        make_report(output);
        FAIL() << "matrices of one angle stand for six";
    } catch (const InputError& error) {
        EXPECT_THAT(error.what(), HasSubstr("c2_exp is no list of 6 square matrices"));
    }
}

}  // namespace
}  // namespace lockstep::app
