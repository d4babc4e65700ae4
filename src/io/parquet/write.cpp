#include <exception>
#include <stdexcept>
#include <type_traits>
#include <utility>

#include <arrow/array/builder_binary.h>
#include <arrow/array/builder_nested.h>
#include <arrow/array/builder_primitive.h>
#include <arrow/io/interfaces.h>
#include <arrow/record_batch.h>
#include <arrow/util/key_value_metadata.h>
#include <parquet/arrow/writer.h>

#include "io/parquet/plugin.hpp"

namespace lockstep::io {

namespace {

/// Rows of a row group: it stays in memory, compressed, until it is full.
constexpr std::int64_t rows_per_group = 1 << 17;

/// Arrow writes headers and pages in pieces of some bytes; the system gets them in pieces of this.
constexpr std::size_t buffer_bytes = 1 << 16;

/// Lets Arrow write where we do. An exception must not cross Arrow's code, so it waits here.
class Sink : public arrow::io::OutputStream {
public:
    explicit Sink(ByteSink sink) : sink_(std::move(sink)) {}

    arrow::Status Write(const void* data, std::int64_t size) override {
        buffer_.append(static_cast<const char*>(data), static_cast<std::size_t>(size));
        written_ += size;
        return buffer_.size() < buffer_bytes ? arrow::Status::OK() : flush();
    }
    arrow::Status Close() override {
        closed_ = true;
        return arrow::Status::OK();
    }
    arrow::Result<std::int64_t> Tell() const override { return written_; }
    bool closed() const override { return closed_; }

    arrow::Status flush() {
        try {
            sink_(buffer_);
            buffer_.clear();
            return arrow::Status::OK();
        } catch (...) {
            failure_ = std::current_exception();
            return arrow::Status::IOError("");
        }
    }

    void rethrow() const {
        if (failure_) {
            std::rethrow_exception(failure_);
        }
    }

private:
    ByteSink sink_;
    std::string buffer_;
    std::exception_ptr failure_;
    std::int64_t written_ = 0;
    bool closed_ = false;
};

std::shared_ptr<arrow::DataType> type_of(const Column& column) {
    return std::visit(
        []<typename T>(const std::vector<T>&) -> std::shared_ptr<arrow::DataType> {
            if constexpr (std::is_same_v<T, std::string>) {
                return arrow::utf8();
            } else if constexpr (std::is_same_v<T, Day>) {
                return arrow::date32();
            } else if constexpr (std::is_same_v<T, std::uint8_t>) {
                return arrow::boolean();
            } else if constexpr (std::is_same_v<T, std::vector<double>>) {
                return arrow::list(arrow::field("element", arrow::float64(), false));
            } else {
                return arrow::CTypeTraits<T>::type_singleton();
            }
        },
        column.values);
}

std::shared_ptr<arrow::Schema> schema_of(const Table& table) {
    arrow::FieldVector fields;
    for (const Column& column : table.columns) {
        fields.push_back(arrow::field(column.name, type_of(column), column.nullable));
    }
    return arrow::schema(std::move(fields));
}

std::shared_ptr<parquet::WriterProperties> properties_of(bool small) {
    parquet::WriterProperties::Builder builder;
    builder.max_row_group_length(rows_per_group)->enable_page_checksum();
    if (small) {
        builder.disable_dictionary();
    } else {
        builder.compression(parquet::Compression::ZSTD);
    }
    return builder.build();
}

std::shared_ptr<arrow::KeyValueMetadata> pairs_of(const FileMetadata& metadata) {
    const auto pairs = std::make_shared<arrow::KeyValueMetadata>();
    for (const auto& [key, value] : metadata) {
        pairs->Append(key, value);
    }
    return pairs;
}

using MaybeArray = arrow::Result<std::shared_ptr<arrow::Array>>;

template <typename Builder, typename T>
MaybeArray build(Builder& builder, const std::vector<T>& values, const Column& column) {
    for (std::size_t row = 0; row < values.size(); ++row) {
        ARROW_RETURN_NOT_OK(column.is_present(row) ? builder.Append(values[row])
                                                   : builder.AppendNull());
    }
    return builder.Finish();
}

template <typename T>
MaybeArray array_of(const std::vector<T>& values, const Column& column) {
    typename arrow::CTypeTraits<T>::BuilderType builder;
    return build(builder, values, column);
}

MaybeArray array_of(const std::vector<std::uint8_t>& values, const Column& column) {
    arrow::BooleanBuilder builder;
    for (std::size_t row = 0; row < values.size(); ++row) {
        ARROW_RETURN_NOT_OK(column.is_present(row) ? builder.Append(values[row] != 0)
                                                   : builder.AppendNull());
    }
    return builder.Finish();
}

MaybeArray array_of(const std::vector<Day>& values, const Column& column) {
    arrow::Date32Builder builder;
    for (std::size_t row = 0; row < values.size(); ++row) {
        const auto days = static_cast<std::int32_t>(values[row].time_since_epoch().count());
        ARROW_RETURN_NOT_OK(column.is_present(row) ? builder.Append(days) : builder.AppendNull());
    }
    return builder.Finish();
}

MaybeArray array_of(const std::vector<std::vector<double>>& values, const Column& column) {
    const auto reals = std::make_shared<arrow::DoubleBuilder>();
    arrow::ListBuilder builder(arrow::default_memory_pool(), reals, type_of(column));
    for (std::size_t row = 0; row < values.size(); ++row) {
        if (column.is_present(row)) {
            ARROW_RETURN_NOT_OK(builder.Append());
            ARROW_RETURN_NOT_OK(reals->AppendValues(values[row]));
        } else {
            ARROW_RETURN_NOT_OK(builder.AppendNull());
        }
    }
    return builder.Finish();
}

arrow::Result<std::shared_ptr<arrow::RecordBatch>> batch_of(
    const std::shared_ptr<arrow::Schema>& schema, const Table& table) {
    arrow::ArrayVector arrays;
    for (const Column& column : table.columns) {
        const auto build_array = [&](const auto& values) { return array_of(values, column); };
        ARROW_ASSIGN_OR_RAISE(auto array, std::visit(build_array, column.values));
        arrays.push_back(std::move(array));
    }
    return arrow::RecordBatch::Make(
        schema, static_cast<std::int64_t>(table.rows()), std::move(arrays));
}

class Encoder final : public ParquetEncoder {
public:
    Encoder(const Table& schema, const FileMetadata& metadata, bool is_small, ByteSink sink)
        : sink_(std::make_shared<Sink>(std::move(sink))), schema_(schema_of(schema)) {
        run([&]() -> arrow::Status {
            ARROW_ASSIGN_OR_RAISE(
                writer_,
                parquet::arrow::FileWriter::Open(
                    *schema_, arrow::default_memory_pool(), sink_, properties_of(is_small)));
            return metadata.empty() ? arrow::Status::OK()
                                    : writer_->AddKeyValueMetadata(pairs_of(metadata));
        });
    }

    void write(const Table& rows) override {
        run([&]() -> arrow::Status {
            ARROW_ASSIGN_OR_RAISE(const auto batch, batch_of(schema_, rows));
            return writer_->WriteRecordBatch(*batch);
        });
    }
    void end_group() override {
        run([&] { return writer_->NewBufferedRowGroup(); });
    }
    void close() override {
        run([&] {
            ARROW_RETURN_NOT_OK(writer_->Close());
            return sink_->flush();
        });
    }

private:
    /// Runs Arrow calls. What the sink threw goes before what Arrow made of it.
    template <typename Action>
    void run(const Action& action) {
        std::string why;
        try {
            const arrow::Status status = action();
            if (status.ok()) {
                return;
            }
            why = status.message();
        } catch (const std::exception& error) {
            why = error.what();
        }
        sink_->rethrow();
        throw std::runtime_error(why);
    }

    std::shared_ptr<Sink> sink_;
    std::shared_ptr<arrow::Schema> schema_;
    std::unique_ptr<parquet::arrow::FileWriter> writer_;
};

}  // namespace

std::unique_ptr<ParquetEncoder> make_parquet_encoder(const Table& schema,
                                                     const FileMetadata& metadata,
                                                     bool is_small,
                                                     ByteSink sink) {
    return std::make_unique<Encoder>(schema, metadata, is_small, std::move(sink));
}

}  // namespace lockstep::io
