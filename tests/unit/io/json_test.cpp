#include "lockstep/io/json.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "lockstep/base/error.hpp"
#include "lockstep/io/file.hpp"

#include "support/places.hpp"
#include "unit/io/temporary_folder.hpp"

namespace lockstep::io {
namespace {

using testing::HasSubstr;

/// Equal values, lines apart; reals by their bits.
bool same(const Json& a, const Json& b) {
    if (a.type_name() != b.type_name()) {
        return false;
    }
    if (const auto* array = a.if_array()) {
        return std::equal(
            array->begin(), array->end(), b.if_array()->begin(), b.if_array()->end(), same);
    }
    if (const auto* object = a.if_object()) {
        return std::equal(object->begin(),
                          object->end(),
                          b.if_object()->begin(),
                          b.if_object()->end(),
                          [](const Json::Member& x, const Json::Member& y) {
                              return x.first == y.first && same(x.second, y.second);
                          });
    }
    if (a.if_string() != nullptr) {
        return *a.if_string() == *b.if_string();
    }
    if (a.if_bool() != nullptr) {
        return *a.if_bool() == *b.if_bool();
    }
    if (a.if_integer() != nullptr) {
        return *a.if_integer() == *b.if_integer();
    }
    const auto x = a.if_number();
    const auto y = b.if_number();
    return !x || (*x == *y && std::signbit(*x) == std::signbit(*y));
}

std::string error_in(std::string_view text) {
    return message_of<InputError>([&] { parse_json(text, "x.json"); });
}

TEST(JsonTest, ReadsEveryKindOfValueInTheOrderOfTheText) {
    const Json value = parse_json(R"({"b": [1, -2.5, true, null], "a": "é\u00e9\n"})", "x.json");

    ASSERT_NE(value.if_object(), nullptr);
    EXPECT_EQ(value.if_object()->front().first, "b");
    const Json::Array& b = *value.find("b")->if_array();
    EXPECT_EQ(*b[0].if_integer(), 1);
    EXPECT_EQ(b[0].if_number(), 1.0);
    EXPECT_EQ(b[1].if_integer(), nullptr);
    EXPECT_EQ(b[1].if_number(), -2.5);
    EXPECT_TRUE(*b[2].if_bool());
    EXPECT_TRUE(b[3].is_null());
    EXPECT_FALSE(b[3].if_number().has_value());
    EXPECT_EQ(*value.find("a")->if_string(), "éé\n");
    EXPECT_EQ(value.find("c"), nullptr);
    EXPECT_EQ(b[0].find("c"), nullptr);
}

TEST(JsonTest, NamesTheTypes) {
    const Json value = parse_json(R"([null, true, 1, 1.0, "", [], {}])", "x.json");

    std::vector<std::string_view> names;
    for (const Json& element : *value.if_array()) {
        names.push_back(element.type_name());
    }
    EXPECT_THAT(
        names,
        testing::ElementsAre("null", "boolean", "integer", "number", "string", "array", "object"));
}

TEST(JsonTest, EveryValueKnowsItsLine) {
    const Json value =
        parse_json("{\n\"a\":\n1\n,\"b\":[2\n,3],\r\n\"c\": {\n\n}, \"d\": 1e3\n}\n", "x.json");

    EXPECT_EQ(value.line(), 1);
    EXPECT_EQ(value.find("a")->line(), 3);
    EXPECT_EQ(value.find("b")->line(), 4);
    EXPECT_EQ((*value.find("b")->if_array())[0].line(), 4);
    EXPECT_EQ((*value.find("b")->if_array())[1].line(), 5);
    EXPECT_EQ(value.find("c")->line(), 6);
    EXPECT_EQ(value.find("d")->line(), 8);
    EXPECT_EQ(Json(1).line(), 0);
}

TEST(JsonTest, NumberAtTheVeryEndOfTheTextHasItsLine) {
    EXPECT_EQ(parse_json("\n\n12", "x.json").line(), 3);
    EXPECT_EQ(parse_json("\n\n12\n", "x.json").line(), 3);
}

TEST(JsonTest, IntegersOutside64BitsBecomeReals) {
    EXPECT_EQ(*parse_json("9223372036854775807", "x").if_integer(),
              std::numeric_limits<std::int64_t>::max());
    EXPECT_EQ(*parse_json("-9223372036854775808", "x").if_integer(),
              std::numeric_limits<std::int64_t>::min());
    const Json over = parse_json("9223372036854775808", "x");
    EXPECT_EQ(over.if_integer(), nullptr);
    EXPECT_EQ(over.if_number(), 9223372036854775808.0);
    EXPECT_EQ(parse_json("-1e3", "x").if_number(), -1000.0);
    EXPECT_EQ(parse_json("123456789012345678901234567890", "x").if_number(),
              123456789012345678901234567890.0);
}

TEST(JsonTest, ByteOrderMarkAtTheStartIsPassedOver) {
    EXPECT_EQ(*parse_json("\xef\xbb\xbf 7", "x").if_integer(), 7);
}

TEST(JsonTest, SyntaxErrorsSayLineFoundAndExpected) {
    EXPECT_EQ(error_in(""), "x.json:1: found an empty text, expected a value");
    EXPECT_EQ(error_in(" \n \n"), "x.json:2: found an empty text, expected a value");
    EXPECT_EQ(error_in("[1 2]"), "x.json:1: found '2', expected ',' or ']'");
    EXPECT_EQ(error_in("[1\n2\n]"),
              "x.json:2: found '2', expected ',' or ']' of the array that begins in line 1");
    EXPECT_EQ(error_in("{\"a\" 1}"), "x.json:1: found '1', expected ':' after the member name");
    EXPECT_EQ(error_in("{a: 1}"), "x.json:1: found 'a', expected a member name in double quotes");
    EXPECT_EQ(error_in("[\n1,\n]"),
              "x.json:3: found ']', expected a value (there is a comma too many before it)");
    EXPECT_EQ(error_in("{\"a\": 1,\n}"),
              "x.json:2: found '}', expected a member name in double quotes (there is a comma too "
              "many before it)");
    EXPECT_EQ(error_in("{\"a\":}"), "x.json:1: found '}', expected a value");
    EXPECT_EQ(error_in("]"), "x.json:1: found ']', expected a value");
    EXPECT_EQ(error_in("{\n\"a\": [1,\n2"),
              "x.json:3: found the end of the text, expected ',' or ']' of the array that begins "
              "in line 2");
    EXPECT_EQ(error_in("nul"), "x.json:1: found 'nul', expected a value");
    EXPECT_EQ(error_in("{} \n {}"),
              "x.json:2: found '{' after the value, expected the end of the text");
    EXPECT_EQ(error_in("1 x"), "x.json:1: found 'x' after the value, expected the end of the text");
}

TEST(JsonTest, CommonSlipsGetAHint) {
    EXPECT_EQ(error_in("[NaN]"),
              "x.json:1: found 'NaN', expected a value (numbers are finite; null stands for a "
              "missing one)");
    EXPECT_THAT(error_in("[1, -Infinity]"),
                HasSubstr("'-Infinity', expected a value (numbers are finite"));
    EXPECT_THAT(error_in("[True]"), HasSubstr("(written true, false, null)"));
    EXPECT_THAT(error_in("// note\n1"), HasSubstr("(JSON has no comments)"));
    EXPECT_THAT(error_in("['a']"), HasSubstr("(strings stand in double quotes)"));
}

TEST(JsonTest, NumbersBeyondARealAreErrors) {
    EXPECT_EQ(error_in("[\n1e999\n]"),
              "x.json:2: number '1e999' is larger than a real can be (about 1.8e308)");
    EXPECT_THAT(error_in("[01]"), HasSubstr("found '1'"));
    EXPECT_THAT(error_in("[1.]"), HasSubstr("found '1.'"));
    EXPECT_THAT(error_in("[.5]"), HasSubstr("found '.5'"));
}

TEST(JsonTest, BadStringsAreErrors) {
    EXPECT_EQ(error_in("\"abc"), "x.json:1: invalid string: missing closing quote");
    EXPECT_EQ(error_in("[\"a\nb\"]"),
              "x.json:1: invalid string: control character U+000A (LF) must be escaped to \\u000A "
              "or \\n");
    EXPECT_THAT(error_in("\n\"\\ud800\""), HasSubstr("x.json:2: invalid string: surrogate"));
    EXPECT_THAT(error_in("\"\\x\""), HasSubstr("forbidden character after backslash"));
}

TEST(JsonTest, InvalidUtf8IsAnError) {
    EXPECT_EQ(error_in("[\n\"\xc3\"]"), "x.json:2: invalid string: ill-formed UTF-8 byte");
    EXPECT_EQ(error_in("\"\xe9t\xe9\""), "x.json:1: invalid string: ill-formed UTF-8 byte");
    EXPECT_THAT(error_in("[\xff]"), HasSubstr("expected a value"));
}

TEST(JsonTest, ZeroByteDoesNotHideWhatFollows) {
    EXPECT_EQ(error_in(std::string_view("1\n\0 2", 5)),
              "x.json:2: found a zero byte, which no JSON text holds");
}

TEST(JsonTest, RepeatedKeyNamesBothLines) {
    EXPECT_EQ(error_in("{\"a\": 1,\n\"b\": 2,\n\"a\": 3}"),
              "x.json:3: member \"a\" is given twice, first in line 1");
    EXPECT_EQ(error_in(R"({"x": {"a": 1}, "y": {"a": 2}})"), "");
}

TEST(JsonTest, NestingIsLimited) {
    const auto nested = [](std::size_t depth) {
        return std::string(depth, '[') + std::string(depth, ']');
    };

    EXPECT_EQ(error_in(nested(200)), "");
    EXPECT_EQ(error_in(nested(201)), "x.json:1: arrays and objects are nested more than 200 deep");
    EXPECT_THAT(error_in(std::string(1000000, '[')), HasSubstr("nested more than 200"));
}

TEST(JsonTest, EveryStartOfATextIsReadOrRefusedWithALine) {
    const std::string text = R"({"a": [1.5e-3, "é\u00e9", true], "b": {"c": null}})";

    for (std::size_t length = 0; length < text.size(); ++length) {
        EXPECT_THAT(error_in(text.substr(0, length)), HasSubstr("x.json:1: ")) << length;
    }
}

TEST(JsonTest, ReadingAFileNamesIt) {
    const TemporaryFolder folder;
    const auto path = folder / "case.json";
    write_file(path, "{\n\"a\": }");

    EXPECT_EQ(message_of<InputError>([&] { read_json(path); }),
              path.string() + ":2: found '}', expected a value");
    EXPECT_THAT(message_of<IoError>([&] { read_json(folder / "none.json"); }),
                HasSubstr("No such file"));
    EXPECT_THAT(message_of<IoError>([&] { read_json(folder.path()); }),
                HasSubstr("Is a directory"));
}

TEST(JsonTest, ReadsTheFilesOfACase) {
    const std::filesystem::path folder = test::source_dir() / "cases/sddp/pmo-small";

    const Json hydros = read_json(folder / "system/hydros.json");
    const Json stages = read_json(folder / "stages.json");

    EXPECT_GT(hydros.find("hydros")->if_array()->size(), 100U);
    EXPECT_EQ(stages.line(), 1);
}

TEST(JsonTest, WritesCompactAndIndentedText) {
    Json value;
    value.set("a", 1).set("b", Json::Array{Json(true), Json()}).set("c", Json::object());
    value.set("d", Json::array());

    EXPECT_EQ(to_text(value), R"({"a":1,"b":[true,null],"c":{},"d":[]})");
    EXPECT_EQ(
        to_text(value, 2),
        "{\n  \"a\": 1,\n  \"b\": [\n    true,\n    null\n  ],\n  \"c\": {},\n  \"d\": []\n}");
}

TEST(JsonTest, WritesTheShortestDigitsThatReadBack) {
    EXPECT_EQ(to_text(Json(0.1)), "0.1");
    EXPECT_EQ(to_text(Json(1.0 / 3.0)), "0.3333333333333333");
    EXPECT_EQ(to_text(Json(5.0)), "5.0");
    EXPECT_EQ(to_text(Json(-0.0)), "-0.0");
    EXPECT_EQ(to_text(Json(1e300)), "1e+300");
    EXPECT_EQ(to_text(Json(5e-324)), "5e-324");
    EXPECT_EQ(to_text(Json(std::nan(""))), "null");
    EXPECT_EQ(to_text(Json(-std::numeric_limits<double>::infinity())), "null");
}

TEST(JsonTest, EscapesWhatMustBeAndReplacesWhatIsNoText) {
    EXPECT_EQ(to_text(Json("\"\\/\b\f\n\r\t\x01")), R"("\"\\/\b\f\n\r\t\u0001")");
    EXPECT_EQ(to_text(Json("a\xff\xe2\x82")), R"("a\ufffd\ufffd\ufffd")");
    EXPECT_EQ(to_text(Json("\xed\xa0\x80")), R"("\ufffd\ufffd\ufffd")");  // a surrogate
    EXPECT_EQ(to_text(Json("\xc0\x80")), R"("\ufffd\ufffd")");            // an overlong form
    EXPECT_EQ(to_text(Json("é€😀")), "\"é€😀\"");
}

rc::Gen<std::string> any_text() {
    return rc::gen::map(
        rc::gen::container<std::vector<std::string>>(rc::gen::element<std::string>(
            "a", "\"", "\\", "\n", "\x01", "é", "€", "😀", "<", "/", std::string(1, '\0'))),
        [](const std::vector<std::string>& parts) {
            std::string text;
            for (const std::string& part : parts) {
                text += part;
            }
            return text;
        });
}

rc::Gen<double> any_finite_real() {
    return rc::gen::suchThat(
        rc::gen::map(rc::gen::arbitrary<std::uint64_t>(),
                     [](std::uint64_t bits) { return std::bit_cast<double>(bits); }),
        [](double value) { return std::isfinite(value); });
}

rc::Gen<Json> any_json(int depth) {
    const auto scalar = rc::gen::oneOf(
        rc::gen::just(Json()),
        rc::gen::map(rc::gen::arbitrary<bool>(), [](bool x) { return Json(x); }),
        rc::gen::map(rc::gen::arbitrary<std::int64_t>(), [](std::int64_t x) { return Json(x); }),
        rc::gen::map(any_finite_real(), [](double x) { return Json(x); }),
        rc::gen::map(rc::gen::arbitrary<int>(), [](int x) { return Json(0.5 * x); }),
        rc::gen::map(any_text(), [](const std::string& x) { return Json(x); }));
    if (depth == 0) {
        return scalar;
    }
    const auto array = rc::gen::map(rc::gen::container<Json::Array>(any_json(depth - 1)),
                                    [](const Json::Array& x) { return Json(x); });
    const auto object = rc::gen::map(
        rc::gen::container<std::map<std::string, Json>>(any_text(), any_json(depth - 1)),
        [](const std::map<std::string, Json>& x) {
            return Json(Json::Object(x.begin(), x.end()));
        });
    return rc::gen::oneOf(scalar, array, object);
}

TEST(JsonTest, WriteThenReadIsIdentity) {
    ::setenv("RC_PARAMS", "seed=20240501 max_size=12", 0);

    EXPECT_TRUE(rc::check("write then read", [] {
        const Json value = *any_json(3);
        const int indent = *rc::gen::inRange(-1, 3);
        RC_ASSERT(same(value, parse_json(to_text(value, indent), "x.json")));
    }));
}

}  // namespace
}  // namespace lockstep::io
