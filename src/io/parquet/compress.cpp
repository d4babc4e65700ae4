#include <stdexcept>
#include <utility>

#include <arrow/util/compression.h>

#include "io/parquet/plugin.hpp"

namespace lockstep::io {

namespace {

const std::uint8_t* as_bytes(std::span<const std::byte> bytes) {
    const void* data = bytes.data();
    return static_cast<const std::uint8_t*>(data);
}

std::uint8_t* writable(std::span<std::byte> bytes) {
    void* data = bytes.data();
    return static_cast<std::uint8_t*>(data);
}

std::int64_t length(std::span<const std::byte> bytes) {
    return static_cast<std::int64_t>(bytes.size());
}

template <typename T>
T valid(arrow::Result<T> result) {
    if (!result.ok()) {
        throw std::runtime_error("zstd: " + result.status().message());
    }
    return std::move(result).ValueUnsafe();
}

class Zstd final : public Compressor {
public:
    [[nodiscard]] std::size_t bound(std::span<const std::byte> bytes) const override {
        return static_cast<std::size_t>(codec_->MaxCompressedLen(length(bytes), as_bytes(bytes)));
    }
    std::size_t compress(std::span<const std::byte> bytes, std::span<std::byte> to) override {
        return static_cast<std::size_t>(
            valid(codec_->Compress(length(bytes), as_bytes(bytes), length(to), writable(to))));
    }
    [[nodiscard]] bool decompress(std::span<const std::byte> bytes,
                                  std::span<std::byte> to) const override {
        const auto size =
            codec_->Decompress(length(bytes), as_bytes(bytes), length(to), writable(to));
        return size.ok() && *size == length(to);
    }

private:
    static constexpr int fast = 1;
    std::unique_ptr<arrow::util::Codec> codec_ =
        valid(arrow::util::Codec::Create(arrow::Compression::ZSTD, fast));
};

}  // namespace

std::unique_ptr<Compressor> make_compressor() {
    return std::make_unique<Zstd>();
}

}  // namespace lockstep::io
