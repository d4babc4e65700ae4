#include "lockstep/formats/homodyne/template.hpp"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace lockstep::formats::homodyne {
namespace {

using testing::IsEmpty;

class HomodyneTemplateTest : public testing::TestWithParam<lockstep::xpcs::Motion> {};

TEST_P(HomodyneTemplateTest, IsReadWithoutANote) {
    const TemplateFacts facts{.folder = "/data/a \"b\": c",
                              .file = "lam6.h5",
                              .dt = 0.001,
                              .end_frame = 2000,
                              .q = 0.01,
                              .gap = 1.5e6};

    const Configuration c = parse_configuration(template_text(GetParam(), facts), "a.yaml");

    EXPECT_EQ(c.motion, GetParam());
    EXPECT_THAT(c.notes, IsEmpty());
    EXPECT_THAT(c.ignored, IsEmpty()) << "a key that does nothing has no place in a template";
    EXPECT_EQ(c.data.file, "/data/a \"b\": c/lam6.h5");
    EXPECT_EQ(c.analyzer.dt, 0.001);
    EXPECT_EQ(c.analyzer.end_frame, 2000);
    EXPECT_EQ(c.analyzer.wavevector_q, 0.01);
    EXPECT_EQ(c.analyzer.gap, 1.5e6);
    EXPECT_EQ(c.start.values.size(), c.bounds.size());
    EXPECT_EQ(c.bounds.size(), GetParam() == lockstep::xpcs::Motion::laminar_flow ? 7U : 3U);
}

INSTANTIATE_TEST_SUITE_P(Modes,
                         HomodyneTemplateTest,
                         testing::Values(lockstep::xpcs::Motion::diffusion,
                                         lockstep::xpcs::Motion::laminar_flow));

}  // namespace
}  // namespace lockstep::formats::homodyne
