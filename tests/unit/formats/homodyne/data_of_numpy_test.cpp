#include <algorithm>
#include <array>
#include <cmath>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lockstep/formats/homodyne/data.hpp"
#include "lockstep/io/npy.hpp"
#include "lockstep/io/npz.hpp"

#include "unit/formats/homodyne/data_fixture.hpp"
#include "unit/io/temporary_folder.hpp"

namespace lockstep::formats::homodyne {
namespace {

using io::TemporaryFolder;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;

TEST(HomodyneDataOfNumpyTest, ReadsAMeasuredMatrix) {
    const Loaded loaded =
        load(configuration_of(shared_data("nsls2_two_time_350.npy")), FirstFrame::kept);

    EXPECT_EQ(loaded.selection.layout, "plain array");
    EXPECT_EQ(loaded.measurement.frames, 350);
    EXPECT_THAT(loaded.selection.notes, Contains("the matrices are full and symmetric"));
    EXPECT_NEAR(sum_of(loaded.measurement) / (350.0 * 350.0), 1.0342, 5e-5);
    const auto [low, high] =
        std::minmax_element(loaded.measurement.c2.begin(), loaded.measurement.c2.end());
    EXPECT_NEAR(*low, 0.757, 5e-4);
    EXPECT_LE(*high, 1.3545);
}

TEST(HomodyneDataOfNumpyTest, ReadsSeveralMatricesAlongEitherAxis) {
    const TemporaryFolder folder;
    std::vector<double> first;
    std::vector<double> last(18);
    for (int k = 0; k < 2; ++k) {
        for (int i = 0; i < 3; ++i) {
            for (int j = 0; j < 3; ++j) {
                first.push_back(1 + 0.1 * k + 0.01 * (i + j));
                last[static_cast<std::size_t>((i * 3 + j) * 2 + k)] = first.back();
            }
        }
    }
    io::write_npy(folder / "first.npy", first, std::array<std::int64_t, 3>{2, 3, 3});
    io::write_npy(folder / "last.npy", last, std::array<std::int64_t, 3>{3, 3, 2});
    Configuration c = configuration_of(folder / "first.npy");
    c.data.plain.phi = {40, 10};
    const Loaded one = load(c, FirstFrame::kept);
    c.data.file = folder / "last.npy";
    c.data.plain.axis = PlainData::Axis::last;
    const Loaded other = load(c, FirstFrame::kept);

    EXPECT_THAT(one.selection.phi, ElementsAre(10, 40));
    EXPECT_NEAR(value_at(one.measurement, 0, 0, 1), 1.11, 1e-12);
    EXPECT_EQ(one.measurement.c2, other.measurement.c2);

    c.data.plain.phi = {10};
    EXPECT_THAT(load_refusal(c), HasSubstr("holds 2 matrices, but lockstep.data.phi has 1 angles"));
    c.data.plain.phi = {10, 20};
    c.data.plain.axis = PlainData::Axis::first;
    EXPECT_THAT(load_refusal(c), HasSubstr("last.npy"));
}

TEST(HomodyneDataOfNumpyTest, AddsABaselineWhereItIsToldTo) {
    const TemporaryFolder folder;
    io::write_npy(folder / "a.npy",
                  std::vector<double>{0.3, 0.1, 0.05, 0.1, 0.3, 0.1, 0.05, 0.1, 0.3},
                  std::array<std::int64_t, 2>{3, 3});
    Configuration c = configuration_of(folder / "a.npy");
    EXPECT_THAT(load(c).selection.notes,
                Contains(HasSubstr("if their baseline is 0, set lockstep.data.baseline to 1")));
    c.data.plain.baseline = 1;
    EXPECT_EQ(value_at(load(c).measurement, 0, 0, 1), 1.1);
}

TEST(HomodyneDataOfNumpyTest, RefusesACacheOfSomethingElse) {
    EXPECT_THAT(load_refusal(configuration_of(shared_data("st3_cache.npz"), 1, 40)),
                HasSubstr("this cache is of frames 1 to 48, the configuration asks for 1 to 40: "
                          "remove it, or name the file that it was made from"));
    EXPECT_THAT(
        load_refusal(configuration_of(shared_data("st3_cache.npz"), 1, -1, 0.0055)),
        HasSubstr("this cache is of wavevector_q 0.0054, the configuration asks for 0.0055"));
}

TEST(HomodyneDataOfNumpyTest, ReadsTheCacheItWroteOnlyWhereTheSourceIsGone) {
    const TemporaryFolder folder;
    Configuration c = configuration_of(shared_data("st3_cache.npz"), 1, 48);
    c.data.cache_template = "c_q${wavevector_q}_{start_frame}_${end_frame}.npz";
    c.data.cache_folder = folder.path();
    const Loaded loaded = load(c, FirstFrame::kept);
    EXPECT_EQ(cache_path(c), folder / "c_q0.0054_1_48.npz");

    write_cache(c, loaded);
    c.data.file = folder / "gone.h5";
    const Loaded cached = load(c, FirstFrame::kept);

    EXPECT_EQ(cached.measurement.c2, loaded.measurement.c2);
    EXPECT_EQ(cached.measurement.phi, loaded.measurement.phi);
    EXPECT_EQ(cached.selection.layout, "homodyne's cache");
    c.data.cache_is_used = false;
    EXPECT_THAT(load_refusal(c), HasSubstr("gone.h5: no such file (experimental_data of a.yaml"));
}

TEST(HomodyneDataOfNumpyTest, WritesTheSameCacheOfWhatAFitReads) {
    const TemporaryFolder folder;
    Configuration c = configuration_of(shared_data("st3_cache.npz"), 1, 48);
    c.data.cache_folder = folder.path() / "kept";
    write_cache(c, load(c, FirstFrame::kept));
    const auto kept = io::read_file(cache_path(c));
    EXPECT_FALSE(is_cache_wanted(c));  // of a cache
    c.data.cache_folder = folder.path() / "dropped";
    write_cache(c, load(c, FirstFrame::dropped));

    EXPECT_EQ(io::read_file(cache_path(c)), kept);
    EXPECT_EQ(io::read_file(folder / "dropped/phi_angles_list.txt"),
              "# Phi angles (degrees)\n0.000000\n45.000000\n90.000000\n");
    EXPECT_THAT(io::read_file(folder / "dropped/wavevector_q_list.txt"),
                HasSubstr("\n5.40000000e-03\n"));
    c.data.file = "a.h5";
    EXPECT_TRUE(is_cache_wanted(c));
    c.data.cache_is_used = false;
    EXPECT_FALSE(is_cache_wanted(c));
}

TEST(HomodyneDataOfNumpyTest, RefusesAConfigurationWithoutData) {
    EXPECT_THAT(load_refusal(configuration_of("")),
                HasSubstr("a.yaml: names no data: set experimental_data.data_folder_path"));
}

TEST(HomodyneDataOfNumpyTest, NormalizesAngles) {
    EXPECT_EQ(normalized_angle(180), 180);
    EXPECT_EQ(normalized_angle(-180), 180);
    EXPECT_EQ(normalized_angle(270), -90);
    EXPECT_EQ(normalized_angle(-190), 170);
    EXPECT_EQ(normalized_angle(720), 0);
}

TEST(HomodyneDataOfNumpyTest, DoubtsUnusualUnits) {
    Configuration c = configuration_of("a.h5");
    EXPECT_TRUE(unit_doubts(c).empty());
    c.motion = lockstep::xpcs::Motion::diffusion;
    c.analyzer.gap = 200;
    EXPECT_TRUE(unit_doubts(c).empty());  // which only a flow has
    c.motion = lockstep::xpcs::Motion::laminar_flow;
    c.analyzer.wavevector_q = 5.4;
    c.analyzer.dt = 100;  // of frames of 0.1 s
    EXPECT_THAT(unit_doubts(c),
                ElementsAre(HasSubstr("if it is in 1/nm, divide it by 10"),
                            HasSubstr("in µm by 10000"),
                            HasSubstr("if it is in ms, divide it by 1000")));
}

}  // namespace
}  // namespace lockstep::formats::homodyne
