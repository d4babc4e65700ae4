#include "lockstep/formats/homodyne/data.hpp"

#include <cmath>
#include <fstream>
#include <limits>
#include <random>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lockstep/base/error.hpp"
#include "lockstep/io/file.hpp"
#include "lockstep/io/hdf5.hpp"
#include "lockstep/io/json.hpp"

#include "unit/formats/homodyne/data_fixture.hpp"
#include "unit/io/temporary_folder.hpp"

namespace lockstep::formats::homodyne {
namespace {

using io::TemporaryFolder;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

using Shape = std::vector<std::int64_t>;

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

struct Case {
    const char* name;
    int start;
    int end;
    double q;
};

class HomodyneGoldenTest : public testing::TestWithParam<Case> {};

// Sum over the whole matrices with the diagonals that homodyne's loader makes.
double corrected_sum(const xpcs::Measurement& m) {
    double sum = sum_of(m);
    for (const double value : m.diagonal) {
        sum -= value;
    }
    for (int angle = 0; angle < m.angles(); ++angle) {
        for (const double value : neighbour_diagonal(m, angle)) {
            sum += value;
        }
    }
    return sum;
}

// homodyne's own loader on the same files.
TEST_P(HomodyneGoldenTest, LoadsWhatHomodyneLoads) {
    const io::Json golden = io::read_json(shared_data("golden.json"));
    const io::Json& wanted = *golden.find("loader")->find(GetParam().name);
    const auto number = [&](const char* key) { return wanted.find(key)->if_number().value(); };
    const std::string file = *wanted.find("config")->find("data_file")->if_string();

    const Loaded loaded =
        load(configuration_of(shared_data(file), GetParam().start, GetParam().end, GetParam().q),
             FirstFrame::kept);

    const xpcs::Measurement& m = loaded.measurement;
    ASSERT_EQ(m.frames, number("n_time"));
    ASSERT_EQ(m.phi.size(), wanted.find("phi")->if_array()->size());
    for (std::size_t k = 0; k < m.phi.size(); ++k) {
        EXPECT_EQ(m.phi[k], (*wanted.find("phi")->if_array())[k].if_number());
        EXPECT_EQ(loaded.selection.q[k], (*wanted.find("q_list")->if_array())[k].if_number());
    }
    EXPECT_EQ(neighbour_diagonal(m, 0).front(), number("c2_0_0_0"));
    EXPECT_EQ(value_at(m, 1, 3, 7), number("c2_1_3_7"));
    EXPECT_EQ(neighbour_diagonal(m, m.angles() - 1).back(), number("c2_m1_m1_m1"));
    EXPECT_NEAR(corrected_sum(m), number("sum"), 1e-12 * number("sum"));
    EXPECT_NEAR(m.time(m.frames - 1), number("t_last"), 1e-15 * number("t_last"));
}

INSTANTIATE_TEST_SUITE_P(Loader,
                         HomodyneGoldenTest,
                         testing::Values(Case{"old_full", 1, 64, 0.0054},
                                         Case{"old_slice", 11, 50, 0.0054},
                                         Case{"old_other_q", 1, -1, 0.0093},
                                         Case{"u_full", 1, 64, 0.0054},
                                         Case{"npz_direct", 1, 48, 0.0054}),
                         [](const auto& test) { return std::string(test.param.name); });

TEST(HomodyneDataTest, FindsTheSameBitsInBothLayoutsAndTheCache) {
    const Loaded old = load(configuration_of(shared_data("lam6_aps_old.h5")));
    const Loaded now = load(configuration_of(shared_data("lam6_aps_u.h5")));
    const Loaded cache = load(configuration_of(shared_data("lam6_cache.npz")));

    EXPECT_EQ(old.measurement.c2, now.measurement.c2);
    EXPECT_EQ(old.measurement.diagonal, now.measurement.diagonal);
    EXPECT_EQ(old.measurement.c2, cache.measurement.c2);
    EXPECT_EQ(old.selection.layout, "APS before the upgrade");
    EXPECT_EQ(now.selection.layout, "APS-U");
    EXPECT_EQ(cache.selection.layout, "homodyne's cache");
}

TEST(HomodyneDataTest, DropsTheFirstFrameAndKeepsItApart) {
    const Configuration c = configuration_of(shared_data("lam6_aps_old.h5"));
    const Loaded kept = load(c, FirstFrame::kept);
    const Loaded dropped = load(c);

    EXPECT_EQ(dropped.measurement.frames, 63);
    EXPECT_EQ(dropped.measurement.first_frame, 1);
    EXPECT_EQ(dropped.measurement.time(0), 0.1);
    EXPECT_EQ(value_at(dropped.measurement, 2, 4, 9), value_at(kept.measurement, 2, 5, 10));
    EXPECT_EQ(dropped.dropped.size(), 6U * 64U);
    EXPECT_EQ(dropped.dropped[64], value_at(kept.measurement, 1, 0, 0));
    EXPECT_EQ(dropped.dropped[65], value_at(kept.measurement, 1, 0, 1));
}

TEST(HomodyneDataTest, SaysWhatItDecided) {
    const auto notes = load(configuration_of(shared_data("lam6_aps_u.h5"))).selection.notes;

    EXPECT_THAT(notes, Contains(HasSubstr("/xpcs/qmap/dynamic_index_mapping is missing")));
    EXPECT_THAT(notes, Contains("the matrices are halves: upper triangles with the diagonal"));
}

TEST(HomodyneDataTest, LooksWithoutReadingMatrices) {
    const Selection s = look_at(configuration_of(shared_data("lam6_aps_old.h5"), 11, 50));

    EXPECT_EQ(s.file_frames, 64);
    EXPECT_EQ(s.first, 10);
    EXPECT_EQ(s.count, 40);
    EXPECT_THAT(s.phi, ElementsAre(-60, -30, 0, 30, 60, 90));
    EXPECT_THAT(s.names.front(), HasSubstr("g2_0000"));
}

TEST(HomodyneDataTest, FiltersAnglesByWayOf180) {
    Configuration c = configuration_of(shared_data("lam6_aps_old.h5"));
    c.phi_filter.is_on = true;
    c.phi_filter.ranges = {{60, -60}, {0, 0}};
    EXPECT_THAT(look_at(c).phi, ElementsAre(-60, 0, 60, 90));

    c.phi_filter.ranges = {{10, 20}};
    EXPECT_THAT(
        load_refusal(c),
        HasSubstr("a.yaml: phi_filtering.target_ranges hold none of the angles -60, -30, 0, "
                  "30, 60, 90 degrees: widen them"));
    c.phi_filter.falls_back = true;
    EXPECT_EQ(look_at(c).phi.size(), 6U);
    EXPECT_THAT(look_at(c).notes, Contains(HasSubstr("phi_filtering keeps 0 of 6 angles: all")));
}

TEST(HomodyneDataTest, FiltersMatricesBeforeTheWavevector) {
    Configuration c = configuration_of(shared_data("lam6_aps_old.h5"));
    c.matrix_filter.is_on = true;
    c.matrix_filter.phi_min = 0;
    c.matrix_filter.phi_max = 60;
    EXPECT_THAT(look_at(c).phi, ElementsAre(0, 30, 60));

    c.matrix_filter.q_min = 1;
    c.matrix_filter.falls_back = false;
    EXPECT_THAT(load_refusal(c), HasSubstr("data_filtering leaves none of the 12 matrices"));
    c.matrix_filter.combination = MatrixFilter::Combination::any_of;
    EXPECT_THAT(look_at(c).phi, ElementsAre(0, 30, 60));
}

// homodyne takes the nearest, however far, and mixes wavevectors where few are near.
TEST(HomodyneDataTest, NeverWidensTheWavevectorInSilence) {
    EXPECT_THAT(load_refusal(configuration_of(shared_data("lam6_aps_old.h5"), 1, -1, 0.0007)),
                HasSubstr("has no matrix within 10 % of wavevector_q 0.0007 1/Å; its nearest is "
                          "0.0054, ten times as much: if the file is in 1/nm, set "
                          "lockstep.data.q_unit"));
    EXPECT_THAT(load_refusal(configuration_of(shared_data("lam6_aps_u.h5"), 1, -1, 0.1)),
                HasSubstr("a tenth: if the configuration is in 1/nm"));
    const auto notes =
        look_at(configuration_of(shared_data("lam6_aps_old.h5"), 1, -1, 0.0093)).notes;
    EXPECT_THAT(notes, Contains("wavevector 0.01 1/Å is taken: the nearest to 0.0093"));
}

// ---- files that are made here ----

// Correlations that fall from 1.3 to 1, of one angle; every value says which matrix it is of.
std::vector<double> square(int frames, double mark, bool is_half) {
    std::vector<double> values(static_cast<std::size_t>(frames * frames));
    for (int i = 0; i < frames; ++i) {
        for (int j = 0; j < frames; ++j) {
            const double value = 1 + 0.3 / (1 + std::abs(i - j)) + mark;
            values[static_cast<std::size_t>(i * frames + j)] = is_half && j < i ? 0 : value;
        }
    }
    return values;
}

class ApsU {
public:
    explicit ApsU(std::vector<double> bins) : bins_(std::move(bins)) {}

    std::vector<double> mapping{};
    double frame_time = 0;
    std::vector<double> q{0.005, 0.01};
    std::string unit{};

    void write(const std::filesystem::path& path) const {
        const auto file = io::create_hdf5(path);
        list(*file, "xpcs/qmap/dynamic_v_list_dim0", q);
        list(*file, "xpcs/qmap/dynamic_v_list_dim1", {-10, 0, 10});
        list(*file, "xpcs/twotime/processed_bins", bins_);
        if (!mapping.empty()) {
            list(*file, "xpcs/qmap/dynamic_index_mapping", mapping);
        }
        if (!unit.empty()) {
            file->write("xpcs/qmap/map_units", unit);
        }
        if (frame_time > 0) {
            list(*file, "entry/instrument/detector_1/frame_time", {frame_time});
            list(*file, "xpcs/twotime/config/stride_frame", {2});
            list(*file, "xpcs/twotime/config/avg_frame", {1});
        }
        for (std::size_t k = 0; k < bins_.size(); ++k) {
            file->write("xpcs/twotime/correlation_map/c2_0000" + std::to_string(k + 1),
                        square(5, 0.001 * bins_[k], true),
                        Shape{5, 5},
                        {});
        }
        file->close();
    }

private:
    static void list(io::Hdf5Writer& file, const char* name, const std::vector<double>& values) {
        file.write(name, values, Shape{std::ssize(values)}, {});
    }
    std::vector<double> bins_;
};

// Bin 2 is empty on the detector: bins 1, 2, 3, 4 are places 0, 2, 3, 5 of 2 wavevectors × 3
// angles.
TEST(HomodyneDataTest, FindsAnglesOfBinsThroughTheirMapping) {
    const TemporaryFolder folder;
    ApsU file({1, 2, 3, 4});
    file.mapping = {0, 2, 3, 5};
    file.write(folder / "u.h5");

    const Loaded low = load(configuration_of(folder / "u.h5", 1, -1, 0.005));
    EXPECT_THAT(low.selection.phi, ElementsAre(-10, 10));
    EXPECT_THAT(low.selection.names, ElementsAre("c2_00001", "c2_00002"));
    EXPECT_THAT(look_at(configuration_of(folder / "u.h5", 1, -1, 0.01)).names,
                ElementsAre("c2_00003", "c2_00004"));
    EXPECT_THAT(low.selection.notes, Not(Contains(HasSubstr("dynamic_index_mapping"))));
}

// The number in the name counts the entries of processed_bins, whatever bins they are.
TEST(HomodyneDataTest, CountsProcessedBinsByTheNumberOfTheMatrix) {
    const TemporaryFolder folder;
    ApsU({6, 4}).write(folder / "u.h5");

    const Loaded loaded = load(configuration_of(folder / "u.h5", 1, -1, 0.01));

    EXPECT_THAT(loaded.selection.phi, ElementsAre(-10, 10));
    EXPECT_THAT(loaded.selection.names, ElementsAre("c2_00002", "c2_00001"));
    EXPECT_NEAR(value_at(loaded.measurement, 1, 0, 1), 1.15 + 0.006, 1e-12);
}

TEST(HomodyneDataTest, RefusesABinThatTheMapLacks) {
    const TemporaryFolder folder;
    ApsU({1, 7}).write(folder / "u.h5");
    EXPECT_THAT(load_refusal(configuration_of(folder / "u.h5", 1, -1, 0.005)),
                HasSubstr("matrix c2_00002 is of bin 7, which /xpcs/qmap has no wavevector"));
}

TEST(HomodyneDataTest, DoubtsATimeStepThatTheFileContradicts) {
    const TemporaryFolder folder;
    ApsU file({1, 2});
    file.frame_time = 5e-5;
    file.write(folder / "u.h5");
    EXPECT_THAT(look_at(configuration_of(folder / "u.h5", 1, -1, 0.005)).notes,
                Contains(HasSubstr("dt is 0.1 s in the configuration, which is taken, but 0.0001 s "
                                   "by the file (frame time, stride and average): it looks like "
                                   "milliseconds")));
}

TEST(HomodyneDataTest, TakesWavevectorsInTheUnitOfTheFile) {
    const TemporaryFolder folder;
    ApsU file({1, 2});
    file.q = {0.05, 0.1};
    file.unit = "1/nm";
    file.write(folder / "u.h5");
    EXPECT_THAT(look_at(configuration_of(folder / "u.h5", 1, -1, 0.005)).q,
                ElementsAre(0.005, 0.005));
    file.unit = "";
    file.write(folder / "v.h5");
    Configuration c = configuration_of(folder / "v.h5", 1, -1, 0.005);
    EXPECT_THAT(load_refusal(c), HasSubstr("ten times as much"));
    c.data.q_unit = "1/nm";
    EXPECT_THAT(look_at(c).q, ElementsAre(0.005, 0.005));
}

void write_old(const std::filesystem::path& path, const std::vector<double>& matrix, int frames) {
    const auto file = io::create_hdf5(path);
    file->write("xpcs/dqlist", std::vector<double>{0.0054}, Shape{1, 1}, {});
    file->write("xpcs/dphilist", std::vector<double>{190}, Shape{1, 1}, {});
    file->write("exchange/C2T_all/g2_00001", matrix, Shape{frames, frames}, {});
    file->close();
}

// homodyne adds the transpose to whatever it reads, which doubles full matrices.
TEST(HomodyneDataTest, TellsHalvesFromFullMatricesByTheirValues) {
    const TemporaryFolder folder;
    write_old(folder / "half.h5", square(6, 0, true), 6);
    write_old(folder / "full.h5", square(6, 0, false), 6);
    const Loaded half = load(configuration_of(folder / "half.h5"));
    const Loaded full = load(configuration_of(folder / "full.h5"));

    EXPECT_EQ(half.measurement.c2, full.measurement.c2);
    EXPECT_EQ(half.measurement.diagonal, full.measurement.diagonal);
    EXPECT_THAT(full.selection.notes, Contains("the matrices are full and symmetric"));
    EXPECT_THAT(full.selection.phi, ElementsAre(-170));
}

TEST(HomodyneDataTest, RefusesWhatIsNeitherHalfNorSymmetric) {
    const TemporaryFolder folder;
    auto matrix = square(6, 0, false);
    matrix[3] += 0.1;
    write_old(folder / "a.h5", matrix, 6);
    EXPECT_THAT(load_refusal(configuration_of(folder / "a.h5")),
                HasSubstr("a.h5: g2_00001 is not symmetric and no half either"));
}

TEST(HomodyneDataTest, MasksFramesWithoutValuesAndNamesThem) {
    const TemporaryFolder folder;
    auto matrix = square(8, 0, false);
    for (std::size_t k = 0; k < 8; ++k) {
        for (const std::size_t bad : {std::size_t{3}, std::size_t{4}}) {
            matrix[bad * 8 + k] = nan;
            matrix[k * 8 + bad] = nan;
        }
    }
    write_old(folder / "a.h5", matrix, 8);

    const Loaded loaded = load(configuration_of(folder / "a.h5"));

    EXPECT_THAT(loaded.selection.notes, Contains("frames 4-5 hold no values: masked"));
    EXPECT_TRUE(std::isnan(value_at(loaded.measurement, 0, 2, 5)));
    EXPECT_FALSE(std::isnan(value_at(loaded.measurement, 0, 0, 1)));
}

TEST(HomodyneDataTest, RefusesMatricesWithoutAListEntryOrNotSquare) {
    const TemporaryFolder folder;
    {
        const auto file = io::create_hdf5(folder / "a.h5");
        file->write("xpcs/dqlist", std::vector<double>{0.0054}, Shape{1}, {});
        file->write("xpcs/dphilist", std::vector<double>{0}, Shape{1}, {});
        file->write("exchange/C2T_all/g2_00002", square(4, 0, true), Shape{4, 4}, {});
        file->close();
    }
    EXPECT_THAT(load_refusal(configuration_of(folder / "a.h5")),
                HasSubstr("/exchange/C2T_all/g2_00002 has no entry in /xpcs/dqlist (1 entries)"));
    {
        const auto file = io::create_hdf5(folder / "b.h5");
        file->write("xpcs/dqlist", std::vector<double>{0.0054}, Shape{1}, {});
        file->write("xpcs/dphilist", std::vector<double>{0}, Shape{1}, {});
        file->write("exchange/C2T_all/g2_00001", square(4, 0, true), Shape{2, 8}, {});
        file->close();
    }
    EXPECT_THAT(load_refusal(configuration_of(folder / "b.h5")),
                HasSubstr("has the shape (2, 8): must be square"));
}

TEST(HomodyneDataTest, NamesTheListThatMatricesLack) {
    const TemporaryFolder folder;
    const auto written = [&](const std::string& name, const std::string& list, bool is_text) {
        const auto file = io::create_hdf5(folder / name);
        file->write("exchange/C2T_all/g2_00001", square(4, 0, true), Shape{4, 4}, {});
        if (!list.empty()) {
            file->write(list, std::vector<double>{0.0054}, Shape{1}, {});
        }
        if (is_text) {
            file->write("xpcs/dphilist", "0");
        }
        file->close();
        return load_refusal(configuration_of(folder / name));
    };

    EXPECT_THAT(written("a.h5", "", false), HasSubstr("but no numbers as /xpcs/dqlist"));
    EXPECT_THAT(written("b.h5", "xpcs/dqlist", false), HasSubstr("no numbers as /xpcs/dphilist"));
    EXPECT_THAT(written("c.h5", "xpcs/dqlist", true), HasSubstr("no numbers as /xpcs/dphilist"));
}

TEST(HomodyneDataTest, RefusesAnAngleWithoutAnyValue) {
    const TemporaryFolder folder;
    const auto file = io::create_hdf5(folder / "a.h5");
    file->write("xpcs/dqlist", std::vector<double>{0.0054, 0.0054}, Shape{2}, {});
    file->write("xpcs/dphilist", std::vector<double>{0, 30}, Shape{2}, {});
    file->write("exchange/C2T_all/g2_00001", square(4, 0, true), Shape{4, 4}, {});
    file->write("exchange/C2T_all/g2_00002", std::vector<double>(16, nan), Shape{4, 4}, {});
    file->close();

    EXPECT_THAT(load_refusal(configuration_of(folder / "a.h5")),
                HasSubstr("a.h5: g2_00002 has no finite value off its diagonal: leave its angle 30 "
                          "out by phi_filtering"));
}

// Names of matrices and the list differ by what was not processed.
TEST(HomodyneDataTest, MatchesOldMatricesByTheNumberInTheirName) {
    const TemporaryFolder folder;
    const auto file = io::create_hdf5(folder / "a.h5");
    file->write("xpcs/dqlist", std::vector<double>{0.0054, 0.0054, 0.0054}, Shape{3, 1}, {});
    file->write("xpcs/dphilist", std::vector<double>{30, 20, 10}, Shape{3, 1}, {});
    file->write("xpcs/output_data", "/exchange_1");
    file->write("exchange_1/C2T_all/g2_00001", square(4, 0.1, true), Shape{4, 4}, {});
    file->write("exchange_1/C2T_all/g2_00003", square(4, 0.3, true), Shape{4, 4}, {});
    file->close();

    const Loaded loaded = load(configuration_of(folder / "a.h5"));

    EXPECT_THAT(loaded.selection.phi, ElementsAre(10, 30));
    EXPECT_NEAR(value_at(loaded.measurement, 0, 0, 1), 1.15 + 0.3, 1e-12);
}

TEST(HomodyneDataTest, ReadsNexus) {
    const TemporaryFolder folder;
    const auto file = io::create_hdf5(folder / "a.nxs");
    std::vector<double> cube;
    for (const double mark : {0.0, 0.1}) {
        for (const double value : square(4, mark, false)) {
            cube.push_back(value - 1);
        }
    }
    constexpr const char* data = "entry/twotime/two_time_corr_func";
    file->write(data, cube, Shape{2, 4, 4}, {});
    file->set(data, "storage_mode", std::vector<std::string>{"one_array_q_first"});
    file->set(data, "baseline_reference", std::vector<double>{0});
    constexpr const char* q = "entry/instrument/masks/dynamic_q_list";
    file->write(q, std::vector<double>{0.054, 0.054}, Shape{2}, {});
    file->set(q, "units", std::vector<std::string>{"1/nm"});
    file->write("entry/instrument/masks/dynamic_phi_list", std::vector<double>{5, 0}, Shape{2}, {});
    file->write("entry/instrument/detector/frame_time", std::vector<double>{0.1}, Shape{}, {});
    file->close();

    const Loaded loaded = load(configuration_of(folder / "a.nxs"));

    EXPECT_EQ(loaded.selection.layout, "NeXus");
    EXPECT_NEAR(loaded.measurement.q, 0.0054, 1e-15);
    EXPECT_THAT(loaded.selection.phi, ElementsAre(0, 5));
    EXPECT_NEAR(value_at(loaded.measurement, 0, 0, 1), 1.25, 1e-12);
    EXPECT_THAT(loaded.selection.notes, Contains(HasSubstr("1 is added to all values")));
    EXPECT_THAT(loaded.selection.notes, Not(Contains(HasSubstr("dt is"))));
}

TEST(HomodyneDataTest, ReadsPychx) {
    const TemporaryFolder folder;
    const auto file = io::create_hdf5(folder / "a.h5");
    std::vector<double> cube(std::size_t{4} * 4 * 2);
    for (std::size_t k = 0; k < 16; ++k) {
        cube[2 * k] = square(4, 0, false)[k];
        cube[2 * k + 1] = square(4, 0.1, false)[k];
    }
    file->write("g12b", cube, Shape{4, 4, 2}, {});
    file->write("qval_dict", std::vector<double>{0}, Shape{1}, {});
    file->set("qval_dict", "0", std::vector<double>{0.0054, 20});
    file->set("qval_dict", "1", std::vector<double>{0.0054, 10});
    file->write("md", std::vector<double>{0}, Shape{1}, {});
    file->set("md", "frame_time", std::vector<double>{0.2});
    file->close();

    const Loaded loaded = load(configuration_of(folder / "a.h5"));

    EXPECT_EQ(loaded.selection.layout, "pyCHX");
    EXPECT_THAT(loaded.selection.phi, ElementsAre(10, 20));
    EXPECT_NEAR(value_at(loaded.measurement, 0, 0, 1), 1.25, 1e-12);
    EXPECT_THAT(loaded.selection.notes, Contains(HasSubstr("but 0.2 s by the file")));
}

TEST(HomodyneDataTest, ReadsADatasetByName) {
    const TemporaryFolder folder;
    const auto file = io::create_hdf5(folder / "a.h5");
    file->write("some/c2", square(4, 0, false), Shape{4, 4}, {});
    file->close();
    Configuration c = configuration_of(folder / "a.h5");
    EXPECT_THAT(load_refusal(c), HasSubstr("its layout is not known (at its root: some)"));

    c.data.plain.dataset = "some/c2";
    EXPECT_NEAR(value_at(load(c).measurement, 0, 0, 1), 1.15, 1e-12);
}

TEST(HomodyneDataTest, SaysThatAFileHoldsOneTimeCurvesOnly) {
    const TemporaryFolder folder;
    const auto file = io::create_hdf5(folder / "a.h5");
    file->write("entry/1_XPCS/results/g2", std::vector<double>{1, 1}, Shape{1, 2}, {});
    file->close();
    EXPECT_THAT(load_refusal(configuration_of(folder / "a.h5")),
                HasSubstr("holds one-time curves (/entry/1_XPCS/results/g2) and no two-time"));
}

// Bytes are changed all over the file and, as often, in its first part, where the structure is.
TEST(HomodyneDataTest, SurvivesDamagedFiles) {
    const TemporaryFolder folder;
    const std::string whole = io::read_file(shared_data("lam6_aps_u.h5"));
    std::mt19937 draw(1);
    int refused = 0;
    for (int k = 0; k < 200; ++k) {
        std::string bytes = whole;
        for (int change = 0; change < 4; ++change) {
            const std::size_t range = change % 2 == 0 ? bytes.size() : 6000;
            bytes[draw() % range] = static_cast<char>(draw() % 256);
        }
        std::ofstream(folder / "a.h5", std::ios::binary) << bytes;
        const std::string message = load_refusal(configuration_of(folder / "a.h5"));
        EXPECT_TRUE(message.empty() || message.find("a.h5") != std::string::npos) << message;
        refused += message.empty() ? 0 : 1;
    }
    EXPECT_GT(refused, 20);
}

TEST(HomodyneDataTest, RefusesFramesThatAreNotThere) {
    EXPECT_THAT(load_refusal(configuration_of(shared_data("lam6_aps_old.h5"), 64)),
                HasSubstr("has 64 frames: start_frame 64 leaves no two of them"));
    EXPECT_THAT(look_at(configuration_of(shared_data("lam6_aps_old.h5"), 1, 100)).notes,
                Contains(HasSubstr("end_frame 100 is beyond the 64 frames")));
}

}  // namespace
}  // namespace lockstep::formats::homodyne
