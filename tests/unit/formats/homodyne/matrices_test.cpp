#include "lockstep/formats/homodyne/matrices.hpp"

#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lockstep/base/error.hpp"

#include "unit/formats/homodyne/data_fixture.hpp"
#include "unit/io/temporary_folder.hpp"

namespace lockstep::formats::homodyne {
namespace {

/// Of three frames.
WholeMatrices of(const std::vector<double>& values) {
    return {0.0054, 2e6, 0.1, 0, {30}, 3, values};
}

TEST(HomodyneMatricesTest, TakesFullMatricesAndHalvesAlikeAndGivesThemBack) {
    const std::vector<double> full{1.5, 1.2, 1.1, 1.2, 1.6, 1.3, 1.1, 1.3, 1.7};
    const std::vector<double> half{1.5, 1.2, 1.1, 0, 1.6, 1.3, 0, 0, 1.7};
    for (const auto& values : {full, half}) {
        const auto loaded = load(of(values));
        EXPECT_EQ(loaded.measurement.first_frame, 1);
        EXPECT_THAT(loaded.measurement.c2, testing::ElementsAre(1.3));
        EXPECT_EQ(whole_frames(loaded), 3);
        std::vector<double> whole(9);
        fill_whole(loaded, 0, whole);
        EXPECT_EQ(whole, full);
    }
}

TEST(HomodyneMatricesTest, KeepsAllFramesThatBeginLater) {
    const std::vector<double> full{1.5, 1.2, 1.1, 1.2, 1.6, 1.3, 1.1, 1.3, 1.7};
    auto matrices = of(full);
    matrices.first_frame = 1;
    EXPECT_EQ(load(matrices).measurement.frames, 3);
}

TEST(HomodyneMatricesTest, RefusesWhatIsNotSymmetric) {
    const std::vector<double> values{1.5, 1.2, 1.1, 1.4, 1.6, 1.3, 1.1, 1.3, 1.7};
    EXPECT_THROW(load(of(values)), InputError);
}

TEST(HomodyneMatricesTest, WritesAnArchiveThatTheLoaderReads) {
    const std::vector<double> full{1.5, 1.2, 1.1, 1.2, 1.6, 1.3, 1.1, 1.3, 1.7};
    const io::TemporaryFolder folder;
    const auto loaded = load(of(full));
    write_npz(folder.path() / "data.npz", loaded);
    const auto again = load(configuration_of(folder.path() / "data.npz"));
    EXPECT_THAT(again.measurement.c2, testing::ElementsAre(1.3));
    EXPECT_EQ(again.dropped, loaded.dropped);
    EXPECT_EQ(again.measurement.diagonal, loaded.measurement.diagonal);
}

}  // namespace
}  // namespace lockstep::formats::homodyne
