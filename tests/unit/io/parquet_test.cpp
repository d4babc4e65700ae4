#include <bit>
#include <cmath>
#include <csignal>
#include <fstream>
#include <limits>
#include <memory>

#include <arrow/api.h>
#include <arrow/io/file.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <parquet/arrow/reader.h>
#include <parquet/arrow/writer.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lockstep/base/error.hpp"
#include "lockstep/io/file.hpp"
#include "lockstep/io/table.hpp"

#include "support/places.hpp"
#include "unit/io/temporary_folder.hpp"

namespace lockstep::io {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

const fs::path case_folder = test::source_dir() / "cases/sddp/pmo-small";

Day day(int year, unsigned month, unsigned of_month) {
    return std::chrono::year(year) / std::chrono::month(month) / std::chrono::day(of_month);
}

/// One column of every type; the second and last are nullable.
Table every_type() {
    using std::numeric_limits;
    return {{
        {.name = "real",
         .values =
             std::vector<double>{-0.0, 1.0 / 3.0, 5e-324, numeric_limits<double>::infinity()}},
        {.name = "maybe",
         .values = std::vector<double>{1.0, 0.0, 3.0, 0.0},
         .nullable = true,
         .present = {1, 0, 1, 0}},
        {.name = "i32",
         .values = std::vector<std::int32_t>{numeric_limits<std::int32_t>::min(), -1, 0, 1}},
        {.name = "i64",
         .values = std::vector<std::int64_t>{numeric_limits<std::int64_t>::min(), -1, 0, 1}},
        {.name = "u32",
         .values = std::vector<std::uint32_t>{0, 1, 2, numeric_limits<std::uint32_t>::max()}},
        {.name = "u64",
         .values = std::vector<std::uint64_t>{0, 1, 2, numeric_limits<std::uint64_t>::max()}},
        {.name = "i8", .values = std::vector<std::int8_t>{-128, -1, 0, 127}},
        {.name = "flag", .values = std::vector<std::uint8_t>{1, 0, 0, 1}},
        {.name = "text",
         .values = std::vector<std::string>{"", "Itaipú", std::string("a\0b", 3), "x"}},
        {.name = "date",
         .values =
             std::vector<Day>{
                 day(1970, 1, 1), day(1931, 12, 31), day(2024, 2, 29), day(9999, 1, 1)}},
        {.name = "list",
         .values = std::vector<std::vector<double>>{{}, {1.5}, {1.0, -0.0, 2.0}, {3.0}}},
        {.name = "lists",
         .values = std::vector<std::vector<double>>{{1.0}, {}, {2.0, 3.0}, {}},
         .nullable = true,
         .present = {1, 0, 1, 1}},
    }};
}

std::string bits_of(double value) {
    return std::to_string(std::bit_cast<std::uint64_t>(value));
}

void expect_same(const Table& a, const Table& b) {
    ASSERT_EQ(a.columns.size(), b.columns.size());
    for (std::size_t i = 0; i < a.columns.size(); ++i) {
        EXPECT_EQ(a.columns[i].name, b.columns[i].name);
        EXPECT_EQ(a.columns[i].nullable, b.columns[i].nullable) << a.columns[i].name;
        EXPECT_EQ(a.columns[i].present, b.columns[i].present) << a.columns[i].name;
        EXPECT_EQ(a.columns[i].values, b.columns[i].values) << a.columns[i].name;
    }
}

TEST(ParquetTest, EveryTypeComesBackAsItWasWritten) {
    const TemporaryFolder folder;
    const Table table = every_type();

    write_parquet(folder / "x.parquet", table);
    const Table back = read_parquet(folder / "x.parquet");

    expect_same(back, table);
    EXPECT_EQ(bits_of(std::get<std::vector<double>>(back.columns[0].values)[0]), bits_of(-0.0));
    EXPECT_EQ(folder.entries(), 1U);
}

TEST(ParquetTest, NamesTheTypes) {
    std::vector<std::string_view> names;
    for (const Column& column : every_type().columns) {
        names.push_back(type_name(column));
    }

    EXPECT_THAT(names,
                ElementsAre("DOUBLE",
                            "DOUBLE",
                            "INT32",
                            "INT64",
                            "UINT32",
                            "UINT64",
                            "INT8",
                            "BOOLEAN",
                            "STRING",
                            "DATE",
                            "LIST<DOUBLE>",
                            "LIST<DOUBLE>"));
}

TEST(ParquetTest, TableFindsColumnsByName) {
    const Table table = every_type();

    ASSERT_NE(table.find("u32"), nullptr);
    EXPECT_EQ(table.find("u32")->size(), 4U);
    EXPECT_EQ(table.find("none"), nullptr);
    EXPECT_EQ(table.rows(), 4U);
    EXPECT_EQ(Table{}.rows(), 0U);
    EXPECT_TRUE(table.find("maybe")->is_present(0));
    EXPECT_FALSE(table.find("maybe")->is_present(1));
    EXPECT_TRUE(table.find("real")->is_present(1));
}

TEST(ParquetTest, TableWithoutRowsKeepsItsColumns) {
    const TemporaryFolder folder;
    const Table table{{{.name = "a", .values = std::vector<std::string>{}, .nullable = true},
                       {.name = "b", .values = std::vector<std::vector<double>>{}}}};

    write_parquet(folder / "x.parquet", table);

    expect_same(read_parquet(folder / "x.parquet"), table);
}

TEST(ParquetTest, ReadsEveryFileOfACase) {
    int files = 0;
    for (const auto& entry : fs::recursive_directory_iterator(case_folder)) {
        if (entry.path().extension() == ".parquet") {
            ParquetRest rest;
            const Table table = read_parquet(entry.path(), &rest);
            EXPECT_GT(table.rows(), 0U) << entry.path();
            EXPECT_TRUE(rest.skipped.empty()) << entry.path();
            ++files;
        }
    }
    EXPECT_GE(files, 13);
}

TEST(ParquetTest, NoiseOpeningsHaveTheirColumnsAndTypes) {
    const Table table = read_parquet(case_folder / "scenarios/noise_openings.parquet");

    std::vector<std::string> columns;
    for (const Column& column : table.columns) {
        columns.push_back(column.name + " " + std::string(type_name(column)));
    }
    EXPECT_THAT(
        columns,
        ElementsAre(
            "stage_id INT32", "opening_index UINT32", "entity_index UINT32", "value DOUBLE"));
    EXPECT_EQ(table.rows(), 9060U);
    for (const double value : std::get<std::vector<double>>(table.find("value")->values)) {
        ASSERT_TRUE(std::isfinite(value));
    }
}

std::shared_ptr<arrow::Table> arrow_table() {
    arrow::DoubleBuilder reals;
    arrow::StringBuilder names;
    for (int row = 0; row < 1000; ++row) {
        EXPECT_TRUE((row % 7 == 0 ? reals.AppendNull() : reals.Append(row % 10)).ok());
        EXPECT_TRUE(names.Append("name " + std::to_string(row % 5)).ok());
    }
    return arrow::Table::Make(arrow::schema({arrow::field("real", arrow::float64()),
                                             arrow::field("name", arrow::utf8(), false)}),
                              {reals.Finish().ValueOrDie(), names.Finish().ValueOrDie()});
}

void write_by_arrow(const fs::path& path,
                    const arrow::Table& table,
                    const std::shared_ptr<parquet::WriterProperties>& properties,
                    bool store_schema = false) {
    parquet::ArrowWriterProperties::Builder arrow_properties;
    if (store_schema) {
        arrow_properties.store_schema();
    }
    const auto sink = arrow::io::FileOutputStream::Open(path.string()).ValueOrDie();
    ASSERT_TRUE(
        parquet::arrow::WriteTable(
            table, arrow::default_memory_pool(), sink, 300, properties, arrow_properties.build())
            .ok());
    ASSERT_TRUE(sink->Close().ok());
}

TEST(ParquetTest, ReadsPlainAndDictionaryPagesOfBothVersionsAndAllCodecs) {
    const TemporaryFolder folder;
    const auto table = arrow_table();

    for (const auto codec : {parquet::Compression::UNCOMPRESSED,
                             parquet::Compression::SNAPPY,
                             parquet::Compression::ZSTD}) {
        for (const auto pages :
             {parquet::ParquetDataPageVersion::V1, parquet::ParquetDataPageVersion::V2}) {
            for (const bool dictionary : {false, true}) {
                parquet::WriterProperties::Builder builder;
                builder.compression(codec)->data_page_version(pages);
                dictionary ? builder.enable_dictionary() : builder.disable_dictionary();
                write_by_arrow(folder / "x.parquet", *table, builder.build());

                const Table back = read_parquet(folder / "x.parquet");

                ASSERT_EQ(back.rows(), 1000U);
                EXPECT_TRUE(back.columns[0].nullable);
                EXPECT_FALSE(back.columns[1].nullable);
                for (std::size_t row = 0; row < 1000; ++row) {
                    ASSERT_EQ(back.columns[0].is_present(row), row % 7 != 0);
                    ASSERT_EQ(std::get<std::vector<double>>(back.columns[0].values)[row],
                              row % 7 == 0 ? 0.0 : static_cast<double>(row % 10));
                    ASSERT_EQ(std::get<std::vector<std::string>>(back.columns[1].values)[row],
                              "name " + std::to_string(row % 5));
                }
            }
        }
    }
}

TEST(ParquetTest, ReadsTheTextAndListTypesOfOtherPrograms) {
    const TemporaryFolder folder;
    arrow::LargeStringBuilder large;
    arrow::StringDictionaryBuilder coded;
    const auto reals = std::make_shared<arrow::DoubleBuilder>();
    arrow::LargeListBuilder lists(arrow::default_memory_pool(), reals);
    for (const char* text : {"b", "a", "b"}) {
        ASSERT_TRUE(large.Append(text).ok());
        ASSERT_TRUE(coded.Append(text).ok());
        ASSERT_TRUE(lists.Append().ok());
        ASSERT_TRUE(reals->Append(1.0).ok());
        ASSERT_TRUE(reals->AppendNull().ok());
    }
    const auto table = arrow::Table::Make(
        arrow::schema({arrow::field("large", arrow::large_utf8()),
                       arrow::field("coded", arrow::dictionary(arrow::int8(), arrow::utf8())),
                       arrow::field("lists", arrow::large_list(arrow::float64()))}),
        {large.Finish().ValueOrDie(), coded.Finish().ValueOrDie(), lists.Finish().ValueOrDie()});
    write_by_arrow(folder / "x.parquet", *table, parquet::default_writer_properties(), true);

    const Table back = read_parquet(folder / "x.parquet");

    const std::vector<std::string> texts{"b", "a", "b"};
    ASSERT_EQ(back.columns.size(), 3U);
    EXPECT_EQ(std::get<std::vector<std::string>>(back.columns[0].values), texts);
    EXPECT_EQ(std::get<std::vector<std::string>>(back.columns[1].values), texts);
    const auto& list = std::get<std::vector<std::vector<double>>>(back.columns[2].values)[2];
    ASSERT_EQ(list.size(), 2U);
    EXPECT_EQ(list[0], 1.0);
    EXPECT_TRUE(std::isnan(list[1]));
}

template <typename Builder, typename... Values>
std::shared_ptr<arrow::Array> array_of(Builder&& builder, Values... values) {
    (static_cast<void>(builder.Append(values)), ...);
    return builder.Finish().ValueOrDie();
}

/// Writes columns of one row count as other programs would, and reads them back.
Table round_trip(const std::vector<std::pair<std::string, std::shared_ptr<arrow::Array>>>& columns,
                 ParquetRest& rest) {
    const TemporaryFolder folder;
    arrow::FieldVector fields;
    arrow::ArrayVector arrays;
    for (const auto& [name, array] : columns) {
        fields.push_back(arrow::field(name, array->type()));
        arrays.push_back(array);
    }
    const auto table = arrow::Table::Make(arrow::schema(fields), arrays);
    write_by_arrow(folder / "x.parquet", *table, parquet::default_writer_properties());
    return read_parquet(folder / "x.parquet", &rest);
}

TEST(ParquetTest, ColumnsOfOtherTypesAreSkippedByName) {
    const auto inner = array_of(arrow::Int32Builder(), 7);
    const auto pair =
        arrow::StructArray::Make({inner, inner}, std::vector<std::string>{"p", "q"}).ValueOrDie();
    const auto values = std::make_shared<arrow::Int32Builder>();
    arrow::ListBuilder list(arrow::default_memory_pool(), values);
    ASSERT_TRUE(list.Append().ok() && values->Append(1).ok());

    ParquetRest rest;
    const Table back = round_trip({{"pair", pair},
                                   {"numbers", list.Finish().ValueOrDie()},
                                   {"none", std::make_shared<arrow::NullArray>(1)},
                                   {"i", inner}},
                                  rest);

    ASSERT_EQ(rest.skipped.size(), 3U);
    EXPECT_EQ(rest.skipped[0].name, "pair");
    EXPECT_THAT(rest.skipped[0].type, HasSubstr("struct"));
    EXPECT_EQ(rest.skipped[1].name, "numbers");
    EXPECT_THAT(rest.skipped[1].type, HasSubstr("list<element: int32>"));
    EXPECT_EQ(rest.skipped[2].type, "null");
    ASSERT_EQ(back.columns.size(), 1U);
    EXPECT_EQ(back.columns[0].name, "i");
    EXPECT_EQ(std::get<std::vector<std::int32_t>>(back.columns[0].values),
              (std::vector<std::int32_t>{7}));
}

TEST(ParquetTest, NarrowTypesOfOtherProgramsAreWidened) {
    arrow::DictionaryBuilder<arrow::Int64Type> coded;
    ASSERT_TRUE(coded.Append(7).ok() && coded.AppendNull().ok());
    arrow::DictionaryBuilder<arrow::DoubleType> coded_reals;
    ASSERT_TRUE(coded_reals.Append(0.25).ok() && coded_reals.Append(0.25).ok());
    ParquetRest rest;
    const Table back =
        round_trip({{"f", array_of(arrow::FloatBuilder(), 0.1F, -2.0F)},
                    {"short", array_of(arrow::Int16Builder(), std::int16_t{-3}, std::int16_t{4})},
                    {"byte", array_of(arrow::UInt8Builder(), std::uint8_t{200}, std::uint8_t{0})},
                    {"decimal",
                     array_of(arrow::Decimal128Builder(arrow::decimal128(5, 3)),
                              arrow::Decimal128(2700),
                              arrow::Decimal128(-1))},
                    {"coded", coded.Finish().ValueOrDie()},
                    {"reals", coded_reals.Finish().ValueOrDie()}},
                   rest);

    EXPECT_TRUE(rest.skipped.empty());
    using Reals = std::vector<double>;
    EXPECT_EQ(std::get<Reals>(back.columns[0].values), (Reals{double{0.1F}, -2}));
    EXPECT_EQ(std::get<std::vector<std::int32_t>>(back.columns[1].values),
              (std::vector<std::int32_t>{-3, 4}));
    EXPECT_EQ(std::get<std::vector<std::int32_t>>(back.columns[2].values),
              (std::vector<std::int32_t>{200, 0}));
    EXPECT_EQ(std::get<Reals>(back.columns[3].values), (Reals{2.7, -0.001}));
    EXPECT_EQ(std::get<std::vector<std::int64_t>>(back.columns[4].values),
              (std::vector<std::int64_t>{7, 0}));
    EXPECT_TRUE(back.columns[4].is_present(0));
    EXPECT_FALSE(back.columns[4].is_present(1));
    EXPECT_EQ(std::get<Reals>(back.columns[5].values), (Reals{0.25, 0.25}));
}

TEST(ParquetTest, MomentsAtMidnightAreDays) {
    constexpr std::int64_t day_us = 86'400'000'000;
    const auto moments = [](std::int64_t first, std::int64_t second) {
        return array_of(arrow::TimestampBuilder(arrow::timestamp(arrow::TimeUnit::MICRO),
                                                arrow::default_memory_pool()),
                        first,
                        second);
    };
    ParquetRest rest;
    const Table back = round_trip(
        {{"midnight", moments(20'454 * day_us, -day_us)}, {"noon", moments(0, day_us / 2)}}, rest);

    ASSERT_EQ(back.columns.size(), 1U);
    using Days = std::vector<Day>;
    EXPECT_EQ(std::get<Days>(back.columns[0].values),
              (Days{Day(std::chrono::days(20'454)), Day(std::chrono::days(-1))}));
    ASSERT_EQ(rest.skipped.size(), 1U);
    EXPECT_EQ(rest.skipped[0].name, "noon");
    EXPECT_THAT(rest.skipped[0].type, HasSubstr("with a time of day"));
}

TEST(ParquetTest, ValuesAreCountedSinceRunsOfEqualOnesTakeNoRoom) {
    const TemporaryFolder folder;
    write_parquet(
        folder / "x",
        {{{"a", std::vector<std::int32_t>(1000)}, {"b", std::vector<std::int32_t>(1000)}}});
    const auto read = [&](std::int64_t largest) {
        return parse_parquet(read_file(folder / "x"), "x", nullptr, largest);
    };

    EXPECT_EQ(read(2000).rows(), 1000U);
    EXPECT_THAT(message_of<InputError>([&] { read(1999); }), HasSubstr("more than 1999 values"));
}

TEST(ParquetTest, FilesThatAreNoParquetAreRefusedByName) {
    const TemporaryFolder folder;
    for (const char* content : {"",
                                "PAR1",
                                "garbage that is long enough to hold a footer",
                                "PAR1PAR1",
                                "PAR1\xff\xff\xff\x7fPAR1"}) {
        write_file(folder / "x.parquet", content);

        EXPECT_THAT(message_of<InputError>([&] { read_parquet(folder / "x.parquet"); }),
                    AllOf(HasSubstr((folder / "x.parquet").string()),
                          HasSubstr("not a Parquet file, or damaged: ")))
            << content;
    }
    EXPECT_THAT(message_of<IoError>([&] { read_parquet(folder / "none"); }),
                HasSubstr("No such file"));
    EXPECT_THAT(message_of<IoError>([&] { read_parquet(folder.path()); }),
                HasSubstr("Is a directory"));
}

/// Without the wait for the disk, for tests that write hundreds of files.
void write_quickly(const fs::path& path, std::string_view content) {
    fs::remove(path);  // some file systems wait when an existing file is cut
    std::ofstream(path, std::ios::binary) << content;
}

TEST(ParquetTest, TruncatedFilesAreRefused) {
    const TemporaryFolder folder;
    write_parquet(folder / "whole", every_type());
    const std::string whole = read_file(folder / "whole");

    for (std::size_t length = 0; length < whole.size(); length += 1 + length / 200) {
        write_quickly(folder / "part", std::string_view(whole).substr(0, length));
        EXPECT_THROW(read_parquet(folder / "part"), InputError) << length;
    }
}

TEST(ParquetTest, DamagedBytesAreRefusedOrReadButNeverCrash) {
    const TemporaryFolder folder;
    write_parquet(folder / "whole", every_type());
    const std::string whole = read_file(folder / "whole");

    int refused = 0;
    for (std::size_t place = 4; place < whole.size(); place += 3) {
        std::string damaged = whole;
        damaged[place] = static_cast<char>(damaged[place] ^ 0x55);
        write_quickly(folder / "damaged", damaged);
        try {
            read_parquet(folder / "damaged");
        } catch (const InputError&) {
            ++refused;
        }
    }
    EXPECT_GT(refused, 100);
}

TEST(ParquetTest, DamagedDataIsNoticedByItsChecksum) {
    const TemporaryFolder folder;
    write_parquet(
        folder / "x",
        {{{.name = "text", .values = std::vector<std::string>{"a text of some length"}}}});
    std::string bytes = read_file(folder / "x");
    bytes.at(bytes.find("some length")) = 'S';
    write_file(folder / "x", bytes);

    EXPECT_THAT(message_of<InputError>([&] { read_parquet(folder / "x"); }), HasSubstr("CRC"));
}

TEST(ParquetTest, MetadataIsWritten) {
    const TemporaryFolder folder;
    write_parquet(folder / "x", every_type(), {{"lockstep.format", "7"}, {"lockstep.note", "é"}});

    const auto reader = parquet::ParquetFileReader::OpenFile((folder / "x").string());
    const auto pairs = reader->metadata()->key_value_metadata();

    EXPECT_EQ(pairs->Get("lockstep.format").ValueOrDie(), "7");
    EXPECT_EQ(pairs->Get("lockstep.note").ValueOrDie(), "é");
}

Table numbers(std::int32_t first, std::int32_t count) {
    std::vector<std::int32_t> values;
    for (std::int32_t i = 0; i < count; ++i) {
        values.push_back(first + i);
    }
    return {{{.name = "n", .values = std::move(values)}}};
}

parquet::Compression::type compression_of(const fs::path& path) {
    const auto reader = parquet::ParquetFileReader::OpenFile(path.string());
    return reader->metadata()->RowGroup(0)->ColumnChunk(0)->compression();
}

TEST(ParquetTest, CompressesWhatIsWorthIt) {
    const TemporaryFolder folder;
    const fs::path path = folder / "x";

    write_parquet(path, numbers(0, 64));
    EXPECT_EQ(compression_of(path), parquet::Compression::UNCOMPRESSED);
    write_parquet(path, numbers(0, 65));
    EXPECT_EQ(compression_of(path), parquet::Compression::ZSTD);
    write_parquet(path,
                  {{{.name = "lists",
                     .values = std::vector<std::vector<double>>{std::vector<double>(65, 1.0)}}}});
    EXPECT_EQ(compression_of(path), parquet::Compression::ZSTD);
    ParquetWriter writer(path, numbers(0, 0));
    writer.write(numbers(0, 1));
    writer.close();
    EXPECT_EQ(compression_of(path), parquet::Compression::ZSTD);
}

TEST(ParquetTest, WriterAppendsAndTheFileAppearsAtClose) {
    const TemporaryFolder folder;
    const fs::path path = folder / "a/x.parquet";
    ParquetWriter writer(path, numbers(0, 0));

    writer.write(numbers(0, 100000));
    writer.write(numbers(0, 0));
    ParquetWriter moved = std::move(writer);
    moved.write(numbers(100000, 100000));
    EXPECT_FALSE(fs::exists(path));
    moved.close();

    expect_same(read_parquet(path), numbers(0, 200000));
    EXPECT_EQ(parquet::ParquetFileReader::OpenFile(path.string())->metadata()->num_row_groups(), 2);
}

TEST(ParquetTest, BytesDoNotDependOnHowRowsWereCutIntoCalls) {
    const TemporaryFolder folder;
    write_parquet(folder / "one", numbers(0, 5000));
    ParquetWriter writer(folder / "many", numbers(0, 0));
    for (int i = 0; i < 50; ++i) {
        writer.write(numbers(100 * i, 100));
    }
    writer.close();

    EXPECT_EQ(read_file(folder / "many"), read_file(folder / "one"));
}

TEST(ParquetTest, UnclosedWriterLeavesNothing) {
    const TemporaryFolder folder;
    {
        ParquetWriter writer(folder / "x", numbers(0, 0));
        writer.write(numbers(0, 10));
    }

    EXPECT_EQ(folder.entries(), 0U);
}

TEST(ParquetTest, RowsThatDoNotFitTheSchemaAreABug) {
    const TemporaryFolder folder;
    ParquetWriter writer(folder / "x", numbers(0, 0));
    const auto message = [&](const Table& rows) {
        return message_of<AssertionError>([&] { writer.write(rows); });
    };

    EXPECT_THAT(message({}), HasSubstr("other columns"));
    EXPECT_THAT(message({{{.name = "m", .values = std::vector<std::int32_t>{1}}}}),
                HasSubstr("other columns"));
    EXPECT_THAT(message({{{.name = "n", .values = std::vector<double>{1}}}}),
                HasSubstr("other columns"));
    EXPECT_THAT(
        message({{{.name = "n", .values = std::vector<std::int32_t>{1, 2}, .present = {1}}}}),
        HasSubstr("2 values and 1 presence flags"));
    EXPECT_THAT(
        message({{{.name = "n", .values = std::vector<std::int32_t>{1, 2}, .present = {1, 0}}}}),
        HasSubstr("row 1 is absent"));
    writer.close();
    EXPECT_THAT(message(numbers(0, 1)), HasSubstr("closed"));
}

TEST(ParquetTest, FailureToWriteNamesTheFileAndLeavesNothing) {
    const TemporaryFolder folder;
    write_parquet(folder / "x", numbers(0, 1));
    const pid_t child = ::fork();
    if (child == 0) {
        std::signal(SIGXFSZ, SIG_IGN);
        const rlimit limit{.rlim_cur = 1000, .rlim_max = 1000};
        ::setrlimit(RLIMIT_FSIZE, &limit);
        const auto message =
            message_of<IoError>([&] { write_parquet(folder / "x", numbers(0, 100000)); });
        const bool good = message == "cannot write " + (folder / "x").string() + ": File too large";
        ::_exit(good ? 0 : 1);
    }
    int status = -1;
    ::waitpid(child, &status, 0);

    EXPECT_EQ(status, 0);
    EXPECT_EQ(folder.entries(), 1U);
    EXPECT_EQ(read_parquet(folder / "x").rows(), 1U);
}

}  // namespace
}  // namespace lockstep::io
