#include <limits>
#include <numeric>
#include <optional>
#include <type_traits>

#include <arrow/array.h>
#include <arrow/io/memory.h>
#include <arrow/record_batch.h>
#include <fmt/format.h>
#include <parquet/arrow/reader.h>
#include <parquet/arrow/schema.h>

#include "lockstep/base/error.hpp"
#include "lockstep/io/file.hpp"
#include "lockstep/io/table.hpp"

namespace lockstep::io {

namespace {

/// Carries Arrow's reason to the one place that knows the file's name.
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

bool is_text(const arrow::DataType& type) {
    switch (type.id()) {
        case arrow::Type::STRING:
        case arrow::Type::LARGE_STRING:
        case arrow::Type::STRING_VIEW:
            return true;
        case arrow::Type::DICTIONARY:  // what some programs write for repeated names
            return is_text(*static_cast<const arrow::DictionaryType&>(type).value_type());
        default:
            return false;
    }
}

bool is_list_of_real(const arrow::DataType& type) {
    const bool is_list = type.id() == arrow::Type::LIST || type.id() == arrow::Type::LARGE_LIST ||
                         type.id() == arrow::Type::FIXED_SIZE_LIST;
    return is_list && type.field(0)->type()->id() == arrow::Type::DOUBLE;
}

/// An empty column for a type, none when Column does not hold it.
std::optional<Column::Values> values_for(const arrow::DataType& type) {
    switch (type.id()) {
        case arrow::Type::DOUBLE:
            return std::vector<double>{};
        case arrow::Type::INT32:
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
            return std::vector<Day>{};
        default:
            break;
    }
    if (is_text(type)) {
        return std::vector<std::string>{};
    }
    if (is_list_of_real(type)) {
        return std::vector<std::vector<double>>{};
    }
    return std::nullopt;
}

std::string text_at(const arrow::Array& array, std::int64_t row) {
    switch (array.type_id()) {
        case arrow::Type::STRING:
            return static_cast<const arrow::StringArray&>(array).GetString(row);
        case arrow::Type::LARGE_STRING:
            return static_cast<const arrow::LargeStringArray&>(array).GetString(row);
        case arrow::Type::STRING_VIEW:
            return static_cast<const arrow::StringViewArray&>(array).GetString(row);
        default: {
            const auto& coded = static_cast<const arrow::DictionaryArray&>(array);
            return text_at(*coded.dictionary(), coded.GetValueIndex(row));
        }
    }
}

template <typename ListArray>
std::vector<double> reals_in(const arrow::Array& array, std::int64_t row) {
    const auto slice = static_cast<const ListArray&>(array).value_slice(row);
    const auto& numbers = static_cast<const arrow::DoubleArray&>(*slice);
    std::vector<double> reals(numbers.raw_values(), numbers.raw_values() + numbers.length());
    for (std::int64_t i = 0; numbers.null_count() > 0 && i < numbers.length(); ++i) {
        if (numbers.IsNull(i)) {
            reals[static_cast<std::size_t>(i)] = std::numeric_limits<double>::quiet_NaN();
        }
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
        return Day(std::chrono::days(static_cast<const arrow::Date32Array&>(array).Value(row)));
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
        values.push_back(array.IsValid(row) ? value_at<T>(array, row) : T{});
    }
}

/// Presence is written down from the first absent value on.
void append_present(const arrow::Array& array,
                    std::size_t rows_before,
                    std::vector<std::uint8_t>& present) {
    if (present.empty() && array.null_count() == 0) {
        return;
    }
    present.resize(rows_before, 1);
    for (std::int64_t row = 0; row < array.length(); ++row) {
        present.push_back(array.IsValid(row) ? 1 : 0);
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

/// The columns that a Column can hold, without rows, and where the file has their values.
Table choose_columns(const parquet::arrow::FileReader& reader,
                     std::vector<int>& leaves,
                     std::vector<std::string>* skipped) {
    Table table;
    for (const auto& field : reader.manifest().schema_fields) {
        const arrow::DataType& type = *field.field->type();
        auto values = values_for(type);
        if (values) {
            table.columns.push_back(
                {field.field->name(), std::move(*values), field.field->nullable(), {}});
            add_leaves(field, leaves);
        } else if (skipped != nullptr) {
            skipped->push_back(fmt::format("{}: {}", field.field->name(), type.ToString()));
        }
    }
    return table;
}

Table read_table(std::string bytes, std::vector<std::string>* skipped) {
    const auto reader = open_reader(std::move(bytes));
    const auto metadata = reader->parquet_reader()->metadata();
    std::vector<int> leaves;
    Table table = choose_columns(*reader, leaves, skipped);
    if (leaves.empty()) {
        return table;
    }
    // Batch by batch: the row count of a damaged file must not decide how much memory is asked for.
    std::vector<int> groups(static_cast<std::size_t>(metadata->num_row_groups()));
    std::iota(groups.begin(), groups.end(), 0);
    const auto batches = check(reader->GetRecordBatchReader(groups, leaves));
    while (const auto batch = check(batches->Next())) {
        for (std::size_t i = 0; i < table.columns.size(); ++i) {
            append(*batch->column(static_cast<int>(i)), table.columns[i]);
        }
    }
    if (static_cast<std::int64_t>(table.rows()) != metadata->num_rows()) {
        throw Damage(
            fmt::format("it holds {} rows but says {}", table.rows(), metadata->num_rows()));
    }
    return table;
}

}  // namespace

Table read_parquet(const std::filesystem::path& path, std::vector<std::string>* skipped) {
    std::string bytes = read_file(path);
    try {
        return read_table(std::move(bytes), skipped);
    } catch (const std::exception& error) {  // Parquet's own exceptions and bad_alloc too
        throw InputError(
            fmt::format("{}: not a Parquet file, or damaged: {}", path.string(), error.what()));
    }
}

}  // namespace lockstep::io
