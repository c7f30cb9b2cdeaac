#include "compiler/read/model.hpp"

#include "compiler/read/onnx.hpp"
#include "compiler/read/onnxtext.hpp"

namespace loam {

std::optional<Model> read_model(std::string_view file_name, std::span<const std::byte> file, Diagnostics& diagnostics) {
  if (!file_name.ends_with(".onnxtext")) return read_onnx(file, diagnostics);
  return read_onnxtext({reinterpret_cast<const char*>(file.data()), file.size()}, diagnostics);
}

}  // namespace loam
