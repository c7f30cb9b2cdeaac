// NumPy's file format (numpy.lib.format, versions 1.0 to 3.0): every numeric type and bool. float16 is '<f2'; bfloat16
// and the types of 8 bits and fewer that NumPy has no name for are the '<V2' and '|V1' that ml_dtypes saves, and are
// read as `raw`, the type the caller expects.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "cli/tensor.hpp"

namespace loam::cli {

// Throws a Failure that begins with `name` and says what is wrong: another format, a type Loam has none for, Fortran
// order is read and put in row-major order; a payload shorter or longer than the shape holds is refused.
HostTensor read_npy(std::string_view name, std::span<const std::byte> file, DType raw = DType::bfloat16);

// The file of a tensor, version 1.0. A type NumPy cannot name is written as '<V2' or '|V1'.
std::string write_npy(const harness::RawTensor& tensor);

}  // namespace loam::cli
