#include "lockstep/io/npy.hpp"

#include <array>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lockstep/base/error.hpp"
#include "lockstep/io/file.hpp"

#include "unit/io/temporary_folder.hpp"

namespace lockstep::io {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// What numpy.save of NumPy 2.4.6 writes, but for the blanks before the line break.
std::string with_header(std::string_view dictionary, std::string_view values) {
    using namespace std::string_literals;
    std::string bytes = "\x93NUMPY\x01\x00v\x00"s + std::string(dictionary);
    bytes.resize(127, ' ');
    return bytes + '\n' + std::string(values);
}

const std::string reals = with_header(
    "{'descr': '<f8', 'fortran_order': False, 'shape': (2, 3), }",
    std::string_view("\x00\x00\x00\x00\x00\x00\xf8?\x00\x00\x00\x00\x00\x00\x00\x80UUUUUU\xd5?"
                     "\x00\x00\x00\x00\x00\x00\x00@\x9cu\x00\x88<\xe4"
                     "7\xfe\x01\x00\x00\x00\x00\x00\x00\x00",
                     48));
const std::string singles = with_header("{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }",
                                        std::string_view("\x00\x00\x80?\x00\x00 @", 8));
const std::string counts =
    with_header("{'descr': '<u4', 'fortran_order': False, 'shape': (2, 1), }",
                std::string_view("\x07\x00\x00\x00\xff\xff\xff\xff", 8));

TEST(NpyTest, WritesTheBytesThatNumPyWrites) {
    const TemporaryFolder folder;
    const std::array<std::int64_t, 2> shape{2, 3};
    const std::vector<double> values{1.5, -0.0, 1.0 / 3.0, 2, -1e300, 5e-324};
    write_npy(folder / "a.npy", values, shape);
    EXPECT_EQ(read_file(folder / "a.npy"), reals);

    write_npy(folder / "b.npy", std::vector<float>{1, 2.5F}, std::array<std::int64_t, 1>{2});
    EXPECT_EQ(read_file(folder / "b.npy"), singles);

    write_npy(folder / "c.npy",
              std::vector<std::uint32_t>{7, 4'294'967'295U},
              std::array<std::int64_t, 2>{2, 1});
    EXPECT_EQ(read_file(folder / "c.npy"), counts);
}

TEST(NpyTest, ReadsTheBytesThatNumPyWrites) {
    const NpyArray array = parse_npy(reals, "a.npy");
    EXPECT_THAT(array.shape, ElementsAre(2, 3));
    EXPECT_THAT(std::get<std::vector<double>>(array.values),
                ElementsAre(1.5, 0, 1.0 / 3.0, 2, -1e300, 5e-324));
    EXPECT_THAT(std::get<std::vector<float>>(parse_npy(singles, "").values), ElementsAre(1, 2.5));
    EXPECT_THAT(std::get<std::vector<std::uint32_t>>(parse_npy(counts, "").values),
                ElementsAre(7, 4'294'967'295U));
}

TEST(NpyTest, TurnsAnArrayByColumns) {
    const auto array = parse_npy(
        with_header("{'descr': '|b1', 'fortran_order': True, 'shape': (2, 2), }", {"\0\1\1\1", 4}),
        "");
    EXPECT_THAT(std::get<std::vector<bool>>(array.values), ElementsAre(false, true, true, true));
}

TEST(NpyTest, ReadsKeysInAnyOrderAndEmptyArrays) {
    const auto array =
        parse_npy(with_header("{'shape':(0,4),'fortran_order':False,'descr':'<f4'}", ""), "");
    EXPECT_THAT(array.shape, ElementsAre(0, 4));
    EXPECT_TRUE(std::get<std::vector<float>>(array.values).empty());
    EXPECT_EQ(std::get<std::vector<float>>(
                  parse_npy(with_header("{'descr': '<f4', 'fortran_order': False, 'shape': ()}",
                                        std::string_view("\0\0\0\0", 4)),
                            "")
                      .values)
                  .size(),
              1U);
}

std::string refusal(const std::string& bytes) {
    return message_of<InputError>([&] { parse_npy(bytes, "q.npy"); });
}

TEST(NpyTest, RefusesWhatItDoesNotKnow) {
    std::string newer = reals;
    newer[6] = 2;
    EXPECT_THAT(refusal(newer), HasSubstr("q.npy: another version of NumPy's format than 1.0"));
    EXPECT_THAT(refusal("PK"), HasSubstr("no file of NumPy"));
    EXPECT_THAT(
        refusal(with_header("{'descr': '>f8', 'fortran_order': False, 'shape': (0,), }", "")),
        HasSubstr("elements of type \">f8\": must be <f8, <f4, <u4, <i8, <i4, |b1 or <U…"));
    EXPECT_THAT(
        refusal(with_header("{'descr': '|O', 'fortran_order': False, 'shape': (0,), }", "")),
        HasSubstr("holds Python objects (pickle)"));
    for (const char* const type : {"<U0", "<U", "<Ux", "<U99999999999999999999"}) {
        const std::string header =
            std::string("{'descr': '") + type + "', 'fortran_order': False, 'shape': (0,), }";
        EXPECT_THAT(refusal(with_header(header, "")), HasSubstr("damaged: texts of type"));
    }
    EXPECT_THAT(refusal(with_header("{'descr': '<f8', 'shape': (0,), }", "")), HasSubstr("header"));
    EXPECT_THAT(refusal(with_header(
                    "{'descr': [('x', '<f8')], 'fortran_order': False, 'shape': (0,), }", "")),
                HasSubstr("header"));
    EXPECT_THAT(
        refusal(with_header("{'descr': '<f8', 'fortran_order': False, 'shape': (-1,), }", "")),
        HasSubstr("header"));
}

TEST(NpyTest, RefusesDamagedTruthsAndTexts) {
    EXPECT_THAT(
        refusal(with_header("{'descr': '|b1', 'fortran_order': False, 'shape': (1,), }", "\2")),
        HasSubstr("a truth value is neither 0 nor 1"));
    EXPECT_THAT(refusal(with_header("{'descr': '<U1', 'fortran_order': False, 'shape': (1,), }",
                                    {"\0\xd8\0\0", 4})),
                HasSubstr("0xd800 is no Unicode character"));
}

// A header of a few bytes must not ask for a table of gigabytes.
TEST(NpyTest, RefusesAShapeThatTheFileHasNoValuesFor) {
    EXPECT_THAT(refusal(with_header("{'descr': '<f8', 'fortran_order': False, 'shape': "
                                    "(4294967296, 4294967296), }",
                                    "")),
                HasSubstr("cut off: it has no room for the shape (4294967296, 4294967296)"));
    EXPECT_THAT(refusal(reals + "x"), HasSubstr("49 bytes of values, but the shape (2, 3) has 48"));
    for (std::size_t length = 0; length < reals.size(); ++length) {
        EXPECT_NE(refusal(reals.substr(0, length)), "") << length;
    }
}

}  // namespace
}  // namespace lockstep::io
