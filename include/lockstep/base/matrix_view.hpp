#pragma once

#include <concepts>
#include <cstddef>
#include <span>
#include <type_traits>

namespace lockstep {

/// Rows × columns of a row-major array that somebody else owns.
///
/// Copying copies the view. Indices are not checked and may be of any integer type. Rows may lie
/// further apart than their length (`stride`), for example to start each on a cache line.
template <typename T>
class MatrixView {
public:
    MatrixView() = default;
    MatrixView(T* data, std::integral auto rows, std::integral auto cols)
        : MatrixView(data, rows, cols, cols) {}
    /// @param stride  elements from one row's start to the next one's, >= cols
    MatrixView(T* data, std::integral auto rows, std::integral auto cols, std::integral auto stride)
        : data_(data), rows_(index(rows)), cols_(index(cols)), stride_(index(stride)) {}
    /// A view that may write serves where one that reads is asked for.
    template <typename U>
    requires std::is_same_v<T, const U> MatrixView(const MatrixView<U>& other)
        : MatrixView(other.data(), other.rows(), other.cols(), other.stride()) {}

    [[nodiscard]] std::ptrdiff_t rows() const noexcept { return rows_; }
    [[nodiscard]] std::ptrdiff_t cols() const noexcept { return cols_; }
    [[nodiscard]] std::ptrdiff_t stride() const noexcept { return stride_; }
    [[nodiscard]] T* data() const noexcept { return data_; }

    T& operator()(std::integral auto row, std::integral auto col) const noexcept {
        return data_[index(row) * stride_ + index(col)];
    }
    [[nodiscard]] std::span<T> row(std::integral auto row) const noexcept {
        return {data_ + index(row) * stride_, static_cast<std::size_t>(cols_)};
    }

private:
    static std::ptrdiff_t index(std::integral auto value) noexcept {
        return static_cast<std::ptrdiff_t>(value);
    }
    T* data_ = nullptr;
    std::ptrdiff_t rows_ = 0;
    std::ptrdiff_t cols_ = 0;
    std::ptrdiff_t stride_ = 0;
};

}  // namespace lockstep
