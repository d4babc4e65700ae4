#include <charconv>
#include <chrono>
#include <limits>
#include <numeric>
#include <optional>
#include <type_traits>
#include <utility>

#include <arrow/array.h>
#include <arrow/io/memory.h>
#include <arrow/record_batch.h>
#include <arrow/util/key_value_metadata.h>
#include <fmt/format.h>
#include <parquet/arrow/reader.h>
#include <parquet/arrow/schema.h>

#include "io/parquet/plugin.hpp"

namespace lockstep::io {

namespace {

/// Carries Arrow's reason to where the file's name is known.
class Damage : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

void check(const arrow::Status& status) {
    if (!status.ok()) {
        throw Damage(status.message());
    }
}

template <typename T>
T check(arrow::Result<T> result) {
    check(result.status());
    return std::move(result).ValueUnsafe();
}

/// What a dictionary stands for; the type itself else.
const arrow::DataType& decoded(const arrow::DataType& type) {
    return type.id() == arrow::Type::DICTIONARY
               ? *static_cast<const arrow::DictionaryType&>(type).value_type()
               : type;
}

bool is_list_of_real(const arrow::DataType& type) {
    const bool is_list = type.id() == arrow::Type::LIST || type.id() == arrow::Type::LARGE_LIST ||
                         type.id() == arrow::Type::FIXED_SIZE_LIST;
    return is_list && (type.field(0)->type()->id() == arrow::Type::DOUBLE ||
                       type.field(0)->type()->id() == arrow::Type::FLOAT);
}

/// An empty column for a type, none when Column does not hold it.
std::optional<Column::Values> values_for(const arrow::DataType& type) {
    switch (type.id()) {
        case arrow::Type::DOUBLE:
        case arrow::Type::FLOAT:
        case arrow::Type::DECIMAL32:
        case arrow::Type::DECIMAL64:
        case arrow::Type::DECIMAL128:
            return std::vector<double>{};
        case arrow::Type::INT32:
        case arrow::Type::INT16:
        case arrow::Type::UINT16:
        case arrow::Type::UINT8:
            return std::vector<std::int32_t>{};
        case arrow::Type::INT64:
            return std::vector<std::int64_t>{};
        case arrow::Type::UINT32:
            return std::vector<std::uint32_t>{};
        case arrow::Type::UINT64:
            return std::vector<std::uint64_t>{};
        case arrow::Type::INT8:
            return std::vector<std::int8_t>{};
        case arrow::Type::BOOL:
            return std::vector<std::uint8_t>{};
        case arrow::Type::DATE32:
        case arrow::Type::DATE64:
        case arrow::Type::TIMESTAMP:
            return std::vector<Day>{};
        case arrow::Type::STRING:
        case arrow::Type::LARGE_STRING:
        case arrow::Type::STRING_VIEW:
            return std::vector<std::string>{};
        default:
            break;
    }
    if (is_list_of_real(type)) {
        return std::vector<std::vector<double>>{};
    }
    return std::nullopt;
}

/// Where a value of a dictionary stands, in the dictionary or in the array itself.
std::pair<const arrow::Array*, std::int64_t> place_of(const arrow::Array& array, std::int64_t row) {
    if (array.type_id() != arrow::Type::DICTIONARY) {
        return {&array, row};
    }
    const auto& coded = static_cast<const arrow::DictionaryArray&>(array);
    const std::int64_t index = coded.GetValueIndex(row);
    if (index < 0 || index >= coded.dictionary()->length()) {
        throw Damage(fmt::format(
            "a dictionary of {} values has no value {}", coded.dictionary()->length(), index));
    }
    return {coded.dictionary().get(), index};
}

bool is_present(const arrow::Array& array, std::int64_t row) {
    if (!array.IsValid(row)) {
        return false;
    }
    const auto [values, place] = place_of(array, row);
    return values->IsValid(place);
}

std::string text_at(const arrow::Array& array, std::int64_t row) {
    switch (array.type_id()) {
        case arrow::Type::LARGE_STRING:
            return static_cast<const arrow::LargeStringArray&>(array).GetString(row);
        case arrow::Type::STRING_VIEW:
            return static_cast<const arrow::StringViewArray&>(array).GetString(row);
        default:
            return static_cast<const arrow::StringArray&>(array).GetString(row);
    }
}

template <typename DecimalArray>
double decimal_at(const arrow::Array& array, std::int64_t row) {
    const std::string digits = static_cast<const DecimalArray&>(array).FormatValue(row);
    double value = 0;  // what the digits say, rounded once
    std::from_chars(digits.data(), digits.data() + digits.size(), value);
    return value;
}

double real_at(const arrow::Array& array, std::int64_t row) {
    switch (array.type_id()) {
        case arrow::Type::FLOAT:
            return static_cast<double>(static_cast<const arrow::FloatArray&>(array).Value(row));
        case arrow::Type::DECIMAL32:
            return decimal_at<arrow::Decimal32Array>(array, row);
        case arrow::Type::DECIMAL64:
            return decimal_at<arrow::Decimal64Array>(array, row);
        case arrow::Type::DECIMAL128:
            return decimal_at<arrow::Decimal128Array>(array, row);
        default:
            return static_cast<const arrow::DoubleArray&>(array).Value(row);
    }
}

std::int32_t small_integer_at(const arrow::Array& array, std::int64_t row) {
    switch (array.type_id()) {
        case arrow::Type::INT16:
            return static_cast<const arrow::Int16Array&>(array).Value(row);
        case arrow::Type::UINT16:
            return static_cast<const arrow::UInt16Array&>(array).Value(row);
        case arrow::Type::UINT8:
            return static_cast<const arrow::UInt8Array&>(array).Value(row);
        default:
            return static_cast<const arrow::Int32Array&>(array).Value(row);
    }
}

/// A moment that is no midnight, by which a column turns out to be no column of days.
struct NoDay {};

Day midnight(std::int64_t moment, std::int64_t moments_a_day) {
    if (moment % moments_a_day != 0) {
        throw NoDay();
    }
    const std::int64_t days = moment / moments_a_day;
    if (!std::in_range<std::int32_t>(days)) {
        throw NoDay();
    }
    return Day(std::chrono::days(static_cast<std::int32_t>(days)));
}

Day day_at(const arrow::Array& array, std::int64_t row) {
    constexpr std::int64_t seconds = 86400;
    if (array.type_id() == arrow::Type::DATE32) {
        return Day(std::chrono::days(static_cast<const arrow::Date32Array&>(array).Value(row)));
    }
    if (array.type_id() == arrow::Type::DATE64) {
        return midnight(static_cast<const arrow::Date64Array&>(array).Value(row), seconds * 1000);
    }
    const auto& moments = static_cast<const arrow::TimestampArray&>(array);
    std::int64_t moments_a_second = 1;
    switch (static_cast<const arrow::TimestampType&>(*array.type()).unit()) {
        case arrow::TimeUnit::SECOND:
            break;
        case arrow::TimeUnit::MILLI:
            moments_a_second = 1'000;
            break;
        case arrow::TimeUnit::MICRO:
            moments_a_second = 1'000'000;
            break;
        case arrow::TimeUnit::NANO:
            moments_a_second = 1'000'000'000;
            break;
    }
    return midnight(moments.Value(row), seconds * moments_a_second);
}

template <typename ListArray>
std::vector<double> reals_in(const arrow::Array& array, std::int64_t row) {
    const auto slice = static_cast<const ListArray&>(array).value_slice(row);
    std::vector<double> reals;
    reals.reserve(static_cast<std::size_t>(slice->length()));
    for (std::int64_t i = 0; i < slice->length(); ++i) {
        reals.push_back(slice->IsValid(i) ? real_at(*slice, i)
                                          : std::numeric_limits<double>::quiet_NaN());
    }
    return reals;
}

std::vector<double> reals_at(const arrow::Array& array, std::int64_t row) {
    switch (array.type_id()) {
        case arrow::Type::LARGE_LIST:
            return reals_in<arrow::LargeListArray>(array, row);
        case arrow::Type::FIXED_SIZE_LIST:
            return reals_in<arrow::FixedSizeListArray>(array, row);
        default:
            return reals_in<arrow::ListArray>(array, row);
    }
}

template <typename T>
T value_at(const arrow::Array& array, std::int64_t row) {
    if constexpr (std::is_same_v<T, std::string>) {
        return text_at(array, row);
    } else if constexpr (std::is_same_v<T, std::vector<double>>) {
        return reals_at(array, row);
    } else if constexpr (std::is_same_v<T, Day>) {
        return day_at(array, row);
    } else if constexpr (std::is_same_v<T, double>) {
        return real_at(array, row);
    } else if constexpr (std::is_same_v<T, std::int32_t>) {
        return small_integer_at(array, row);
    } else if constexpr (std::is_same_v<T, std::uint8_t>) {
        return static_cast<const arrow::BooleanArray&>(array).Value(row) ? 1 : 0;
    } else {
        using Array = arrow::NumericArray<typename arrow::CTypeTraits<T>::ArrowType>;
        return static_cast<const Array&>(array).Value(row);
    }
}

template <typename T>
void append(const arrow::Array& array, std::vector<T>& values) {
    for (std::int64_t row = 0; row < array.length(); ++row) {
        if (!is_present(array, row)) {
            values.push_back(T{});
            continue;
        }
        const auto [decoded, place] = place_of(array, row);
        values.push_back(value_at<T>(*decoded, place));
    }
}

/// Presence is written down from the first absent value on.
void append_present(const arrow::Array& array,
                    std::size_t rows_before,
                    std::vector<std::uint8_t>& present) {
    const bool may_be_absent = array.null_count() > 0 || array.type_id() == arrow::Type::DICTIONARY;
    if (present.empty() && !may_be_absent) {
        return;
    }
    present.resize(rows_before, 1);
    for (std::int64_t row = 0; row < array.length(); ++row) {
        present.push_back(is_present(array, row) ? 1 : 0);
    }
}

void append(const arrow::Array& array, Column& column) {
    append_present(array, column.size(), column.present);
    std::visit([&](auto& values) { append(array, values); }, column.values);
}

void add_leaves(const parquet::arrow::SchemaField& field, std::vector<int>& leaves) {
    if (field.is_leaf()) {
        leaves.push_back(field.column_index);
    }
    for (const auto& child : field.children) {
        add_leaves(child, leaves);
    }
}

std::unique_ptr<parquet::arrow::FileReader> open_reader(std::string bytes) {
    parquet::ReaderProperties checked;
    checked.set_page_checksum_verification(true);
    parquet::ArrowReaderProperties serial(/*use_threads=*/false);
    serial.set_pre_buffer(false);  // would read through Arrow's own threads
    parquet::arrow::FileReaderBuilder builder;
    check(builder.Open(arrow::io::BufferReader::FromString(std::move(bytes)), checked));
    builder.properties(serial);
    return check(builder.Build());
}

/// A table under way: which columns of the file it has, and which are left out on the way.
struct Reading {
    Table table{};
    std::vector<int> leaves{};  ///< where the file has the values
    std::vector<std::string> types{};
    std::vector<bool> is_dropped{};
    ParquetRest rest{};
};

/// The columns that a Column can hold, without rows.
/// @param wanted  names; empty: all
Reading choose_columns(const parquet::arrow::FileReader& reader,
                       const std::vector<std::string>& wanted = {}) {
    Reading reading;
    for (const auto& field : reader.manifest().schema_fields) {
        if (!wanted.empty() && std::ranges::find(wanted, field.field->name()) == wanted.end()) {
            continue;
        }
        const arrow::DataType& type = *field.field->type();
        auto values = values_for(decoded(type));
        if (values) {
            reading.table.columns.push_back(
                {field.field->name(), std::move(*values), field.field->nullable(), {}});
            reading.types.push_back(type.ToString());
            add_leaves(field, reading.leaves);
        } else {
            reading.rest.skipped.push_back({field.field->name(), type.ToString()});
        }
    }
    reading.is_dropped.assign(reading.table.columns.size(), false);
    return reading;
}

/// Columns of moments are columns of days until one is no midnight.
void append(const arrow::RecordBatch& batch, Reading& reading) {
    for (std::size_t i = 0; i < reading.is_dropped.size(); ++i) {
        if (reading.is_dropped[i]) {
            continue;
        }
        Column& column = reading.table.columns[i];
        try {
            append(*batch.column(static_cast<int>(i)), column);
        } catch (const NoDay&) {
            reading.is_dropped[i] = true;
            reading.rest.skipped.push_back({column.name, reading.types[i] + " with a time of day"});
        }
    }
}

Table without_dropped(Reading& reading) {
    Table table;
    for (std::size_t i = 0; i < reading.is_dropped.size(); ++i) {
        if (!reading.is_dropped[i]) {
            table.columns.push_back(std::move(reading.table.columns[i]));
        }
    }
    return table;
}

void add_metadata(const parquet::FileMetaData& file, FileMetadata& metadata) {
    const auto& pairs = file.key_value_metadata();
    for (std::int64_t i = 0; pairs != nullptr && i < pairs->size(); ++i) {
        metadata.emplace_back(pairs->key(i), pairs->value(i));
    }
}

/// Rows of some groups into what choose_columns made, batch by batch: the row count of a damaged
/// file must not decide how much memory is asked for, and runs of equal values are unpacked to any
/// length.
/// @return rows
std::int64_t read_groups(parquet::arrow::FileReader& reader,
                         const std::vector<int>& groups,
                         std::int64_t largest,
                         Reading& reading) {
    std::int64_t rows = 0;
    if (reading.leaves.empty()) {
        return rows;
    }
    const auto batches = check(reader.GetRecordBatchReader(groups, reading.leaves));
    while (const auto batch = check(batches->Next())) {
        rows += batch->num_rows();
        if (rows > largest / batch->num_columns()) {
            throw Damage(fmt::format("it holds more than {} values", largest));
        }
        append(*batch, reading);
    }
    return rows;
}

/// Groups of a file, of some of its columns.
class Decoder final : public ParquetDecoder {
public:
    Decoder(std::string bytes, std::vector<std::string> columns)
        : reader_(open_reader(std::move(bytes))), columns_(std::move(columns)) {}

    [[nodiscard]] int size() const override { return reader_->num_row_groups(); }
    [[nodiscard]] Table read(const std::vector<int>& groups) const override {
        Reading reading = choose_columns(*reader_, columns_);
        read_groups(*reader_, groups, largest_group, reading);
        return without_dropped(reading);
    }

private:
    static constexpr std::int64_t largest_group = std::int64_t{1} << 29;

    std::unique_ptr<parquet::arrow::FileReader> reader_;
    std::vector<std::string> columns_;
};

}  // namespace

Table decode_parquet(std::string bytes, ParquetRest* rest, std::int64_t largest) {
    const auto reader = open_reader(std::move(bytes));
    const auto metadata = reader->parquet_reader()->metadata();
    Reading reading = choose_columns(*reader);
    std::vector<int> groups(static_cast<std::size_t>(metadata->num_row_groups()));
    std::iota(groups.begin(), groups.end(), 0);
    const std::int64_t rows = read_groups(*reader, groups, largest, reading);
    if (!reading.leaves.empty() && rows != metadata->num_rows()) {
        throw Damage(fmt::format("it holds {} rows but says {}", rows, metadata->num_rows()));
    }
    Table table = without_dropped(reading);
    if (rest != nullptr) {
        add_metadata(*metadata, reading.rest.metadata);
        *rest = std::move(reading.rest);
    }
    return table;
}

std::unique_ptr<ParquetDecoder> make_parquet_decoder(std::string bytes,
                                                     std::vector<std::string> columns) {
    return std::make_unique<Decoder>(std::move(bytes), std::move(columns));
}

}  // namespace lockstep::io
