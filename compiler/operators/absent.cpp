#include "compiler/operators/absent.hpp"

namespace loam {

std::string_view why_absent(std::string_view domain, std::string_view name) {
  if (domain == "ai.onnx.preview.training") return "it trains a model, and Loam runs one that is trained";
  if (domain == "ai.onnx.ml" && (name == "DictVectorizer" || name == "CastMap"))
    return "it takes a map, and a module's inputs are tensors: give the model what it makes of the map";
  if (domain.empty() && name == "ImageDecoder")
    return "it reads the bytes of an image file, and no kernel does: give the model the pixels";
  return "docs/operators.md lists the operators";
}

}  // namespace loam
