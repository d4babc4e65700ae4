#include "lockstep/io/hdf5.hpp"

#include <array>
#include <string>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/file.h>

#include "lockstep/base/error.hpp"
#include "lockstep/io/file.hpp"

#include "support/places.hpp"
#include "unit/io/temporary_folder.hpp"

namespace lockstep::io {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

constexpr std::int64_t many = 1'000'000;

std::filesystem::path data(const std::string& name) {
    return test::source_dir() / "tests/data/xpcs" / name;
}

void write_sample(const std::filesystem::path& path) {
    const auto file = create_hdf5(path);
    const std::vector<double> reals{0, 1, 2, 3, 4, 5};
    file->write("a/b/reals", reals, std::array<std::int64_t, 2>{2, 3}, {{1, 3}, 4});
    file->write("singles", std::vector<float>{1.5F, 2.5F}, std::array<std::int64_t, 1>{2}, {});
    file->write("a/count", std::vector<std::int64_t>{1LL << 60}, {}, {});
    file->write("note", "Å⁻¹");
    file->set("a", "unit", std::vector<std::string>{"nm"});
    file->set("a", "limits", std::vector<double>{1, 2});
    file->set("singles", "q", std::vector<double>{0.5});
    file->close();
}

TEST(Hdf5Test, ReadsBackWhatItWrites) {
    const TemporaryFolder folder;
    write_sample(folder / "made/a.h5");

    const auto file = open_hdf5(folder / "made/a.h5");

    EXPECT_THAT(file->names(""), ElementsAre("a", "note", "singles"));
    EXPECT_THAT(file->names("a"), ElementsAre("b", "count"));
    EXPECT_THAT(file->shape("a/b/reals"), ElementsAre(2, 3));
    EXPECT_THAT(file->numbers("a/b/reals", many), ElementsAre(0, 1, 2, 3, 4, 5));
    EXPECT_THAT(file->numbers("/singles", many), ElementsAre(1.5, 2.5));
    EXPECT_THAT(file->shape("a/count"), IsEmpty());
    std::int64_t count = 0;
    file->read("a/count", {}, std::span(&count, 1));
    EXPECT_EQ(count, 1LL << 60);
    EXPECT_THAT(file->texts("note"), ElementsAre("Å⁻¹"));
    EXPECT_THAT(file->attributes("a"), ElementsAre("limits", "unit"));
    EXPECT_EQ(file->attribute("a", "unit"), Hdf5Attribute(std::vector<std::string>{"nm"}));
    EXPECT_EQ(file->attribute("a", "limits"), Hdf5Attribute(std::vector<double>{1, 2}));
    EXPECT_EQ(file->attribute("singles", "q"), Hdf5Attribute(std::vector<double>{0.5}));
    EXPECT_FALSE(file->attribute("a", "q").has_value());
}

TEST(Hdf5Test, AxesHaveTheScalesOfNetcdf) {
    const TemporaryFolder folder;
    {
        const auto file = create_hdf5(folder / "a.nc");
        const std::array<std::int64_t, 1> length{2};
        const std::array<std::int64_t, 2> square{2, 2};
        file->write("g/x", std::vector<double>{0.5, 1.5}, length, {});
        file->write("g/y", std::vector<double>{1, 2, 3, 4}, square, {});
        file->label("g/y", std::array<std::string, 2>{"g/x", "g/x"});
        file->close();
    }

    const auto file = open_hdf5(folder / "a.nc");

    EXPECT_THAT(file->attributes("g/x"), ElementsAre("CLASS", "NAME", "REFERENCE_LIST"));
    EXPECT_EQ(file->attribute("g/x", "CLASS"),
              Hdf5Attribute(std::vector<std::string>{"DIMENSION_SCALE"}));
    EXPECT_EQ(file->attribute("g/x", "NAME"), Hdf5Attribute(std::vector<std::string>{"x"}));
    EXPECT_THAT(file->attributes("g/y"), ElementsAre("DIMENSION_LIST"));
    const auto unfinished = create_hdf5(folder / "b.nc");
    EXPECT_THROW(unfinished->label("y", std::array<std::string, 1>{"x"}), IoError);
}

TEST(Hdf5Test, ReadsAPartOfADataset) {
    const TemporaryFolder folder;
    write_sample(folder / "a.h5");
    const auto file = open_hdf5(folder / "a.h5");

    std::array<float, 2> part{};
    file->read("a/b/reals", {{0, 1}, {2, 1}}, part);

    EXPECT_THAT(part, ElementsAre(1, 4));
    for (const Hdf5Slab& outside :
         {Hdf5Slab{{0, 0}, {2, 4}}, Hdf5Slab{{-1, 0}, {2, 1}}, Hdf5Slab{{0}, {2}}}) {
        EXPECT_THAT(message_of<InputError>([&] { file->read("a/b/reals", outside, part); }),
                    HasSubstr("/a/b/reals has the shape (2, 3): no part from ("));
    }
    EXPECT_THROW(file->read("a/b/reals", {{0, 0}, {1, 1}}, part), AssertionError);
}

TEST(Hdf5Test, KnowsWhatStandsUnderAName) {
    const TemporaryFolder folder;
    write_sample(folder / "a.h5");
    const auto file = open_hdf5(folder / "a.h5");

    EXPECT_EQ(file->kind("a"), Hdf5Kind::group);
    EXPECT_EQ(file->kind(""), Hdf5Kind::group);
    EXPECT_EQ(file->kind("a/b/reals"), Hdf5Kind::numbers);
    EXPECT_EQ(file->kind("note"), Hdf5Kind::text);
    for (const char* const name : {"x", "a/x", "a/b/reals/x", "x/y/z"}) {
        EXPECT_EQ(file->kind(name), Hdf5Kind::absent) << name;
    }
}

TEST(Hdf5Test, SaysWhatIsWrongWithAName) {
    const TemporaryFolder folder;
    write_sample(folder / "a.h5");
    const auto file = open_hdf5(folder / "a.h5");
    const auto refusal = [&](auto&& action) { return message_of<InputError>(action); };

    EXPECT_THAT(refusal([&] { (void)file->names("x"); }), HasSubstr("a.h5: /x is not there"));
    EXPECT_THAT(refusal([&] { (void)file->shape("a"); }), HasSubstr("/a is no dataset"));
    EXPECT_THAT(refusal([&] { (void)file->numbers("note", many); }),
                HasSubstr("/note holds no numbers"));
    EXPECT_THAT(refusal([&] { (void)file->texts("singles"); }),
                HasSubstr("/singles holds no text"));
    EXPECT_THAT(refusal([&] { (void)file->numbers("a/b/reals", 5); }),
                HasSubstr("/a/b/reals has 6 numbers, at most 5 are allowed"));
}

TEST(Hdf5Test, WritesTheSameBytesAgain) {
    const TemporaryFolder folder;
    write_sample(folder / "a.h5");
    write_sample(folder / "b.h5");
    EXPECT_EQ(read_file(folder / "a.h5"), read_file(folder / "b.h5"));
}

TEST(Hdf5Test, LeavesNothingBehindWithoutClose) {
    const TemporaryFolder folder;
    {
        const auto file = create_hdf5(folder / "a.h5");
        file->write("x", std::vector<double>{1}, {}, {});
    }
    EXPECT_EQ(folder.entries(), 0U);
    EXPECT_THROW(create_hdf5("/proc/none/a.h5"), IoError);
}

// The library prints its stack of errors unless it is told not to.
TEST(Hdf5Test, RefusesWhatIsNoWholeFileInOneSentence) {
    const TemporaryFolder folder;
    const std::string whole = read_file(data("lam6_aps_u.h5"));
    testing::internal::CaptureStderr();
    for (const std::size_t length : {std::size_t{0}, std::size_t{7}, whole.size() / 2}) {
        write_file(folder / "cut.h5", whole.substr(0, length));
        const std::string message = message_of<InputError>([&] { open_hdf5(folder / "cut.h5"); });
        EXPECT_THAT(message, HasSubstr("cut.h5: ")) << length;
        EXPECT_THAT(message, testing::Not(HasSubstr("\n")));
    }
    write_file(folder / "cut.h5", whole.substr(0, whole.size() - 1));
    EXPECT_THAT(message_of<InputError>([&] { open_hdf5(folder / "cut.h5"); }),
                HasSubstr("truncated file"));
    EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
    EXPECT_THROW(open_hdf5(folder / "none.h5"), IoError);
    EXPECT_THROW(open_hdf5(folder.path()), IoError);
}

TEST(Hdf5Test, SaysThatCompressedDataIsDamaged) {
    const TemporaryFolder folder;
    std::string bytes = read_file(data("lam6_aps_u.h5"));
    bytes.replace(bytes.find("\x78\x5e") + 8, 16, 16, '\x55');  // of a piece of deflated data
    write_file(folder / "a.h5", bytes);
    const auto file = open_hdf5(folder / "a.h5");
    EXPECT_THAT(message_of<InputError>([&] {
                    for (const std::string& name : file->names("xpcs/twotime/correlation_map")) {
                        (void)file->numbers("xpcs/twotime/correlation_map/" + name, many);
                    }
                }),
                HasSubstr("correlation_map/c2_00001 cannot be read: "));
}

// Beamline file systems refuse locks, and files there are open for writing elsewhere.
TEST(Hdf5Test, OpensAFileThatSomebodyHasLocked) {
    const TemporaryFolder folder;
    write_sample(folder / "a.h5");
    const int other = ::open((folder / "a.h5").c_str(), O_RDWR | O_CLOEXEC);
    ASSERT_EQ(::flock(other, LOCK_EX | LOCK_NB), 0);

    EXPECT_THAT(open_hdf5(folder / "a.h5")->numbers("singles", many), ElementsAre(1.5, 2.5));

    ::close(other);
}

TEST(Hdf5Test, IsUsedBySeveralThreads) {
    const auto file = open_hdf5(data("lam6_aps_old.h5"));
    const std::vector<double> first = file->numbers("exchange/C2T_all/g2_00001", many);
    std::array<int, 4> same{};
    {
        std::vector<std::jthread> threads;
        for (int& count : same) {
            threads.emplace_back([&file, &first, &count] {
                for (int k = 0; k < 50; ++k) {
                    count += file->numbers("exchange/C2T_all/g2_00001", many) == first ? 1 : 0;
                }
            });
        }
    }
    EXPECT_THAT(same, testing::Each(50));
}

}  // namespace
}  // namespace lockstep::io
