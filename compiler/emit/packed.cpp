// The prepared weights as a file: what is written of them, and read where it lies.
#include <set>

#include <fmt/format.h>

#include "compiler/emit/writer.hpp"
#include "compiler/fnv.hpp"

namespace loam {

// Those that forward reads; a weight that is only packed lies in the file packed.
std::vector<TensorId> ModuleWriter::weights_read() const {
  const std::set<TensorId> read = read_by_forward(false);
  std::vector<TensorId> weights;
  for (const auto& [t, name] : weight_names_)
    if (read.contains(t)) weights.push_back(t);
  return weights;
}

std::string ModuleWriter::packed_section() {
  if (!input_.options.packed) return {};
  std::string contents, measures, puts, gets;
  for (const TensorId t : weights_read()) {
    const VirtualTensor& w = tensor(t);
    const std::string& name = weight_names_[t];
    if (w.dtype == DType::string) {
      diagnostics_.error(Code::bad_option, w.name, "is a tensor of strings, which a file of packed weights does not hold");
      return {};
    }
    const std::string extents = extent_list(extents_of(w), 1, gets);
    contents += fmt::format("{}:{}:{}:{};", name, dtype_name(w.dtype), w.form, extents);
    measures += fmt::format("  file.measure(prepared.{});\n", name);
    puts += fmt::format("  file.put(prepared.{});\n", name);
    gets += fmt::format("  file.get(b, prepared.{}, {});\n", name, extents);
  }
  return fmt::format(
      "// What a file of packed weights holds, as a number.\ninline constexpr std::uint64_t packed_contents = {:#x};\n\n"
      "// The prepared weights by write(pointer, bytes), for load_packed on a machine whose vectors are as long.\n"
      "template <class Write>\nvoid write_packed([[maybe_unused]] const Prepared<loam::Cpu>& prepared, Write&& write) {{\n"
      "  loam::PackedWriter<std::remove_reference_t<Write>> file(write);\n{}  file.begin(packed_contents);\n{}}}\n\n"
      "// The prepared weights where the file has them: its bytes must stay, on a boundary of 64.\n"
      "template <class Backend>\nloam::Result<Prepared<Backend>, loam::LoadError> load_packed([[maybe_unused]] Backend& b, std::span<const std::byte> bytes) {{\n"
      "  loam::PackedReader file(bytes, packed_contents);\n  Prepared<Backend> prepared{{}};\n{}"
      "  if (file.failed()) return file.error();\n  return prepared;\n}}\n\n",
      fnv1a64(contents), measures, puts, gets);
}

}  // namespace loam
