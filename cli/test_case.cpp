#include "cli/test_case.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <set>
#include <system_error>
#include <tuple>

#include "cli/strings.hpp"
#include "compiler/read/onnx.hpp"

namespace loam::cli {
namespace {

std::vector<fs::path> data_sets(const fs::path& folder) {
  std::vector<fs::path> sets;
  for (std::size_t k = 0;; ++k) {
    fs::path set = folder / fmt::format("test_data_set_{}", k);
    if (!fs::is_directory(set)) return sets;
    sets.push_back(std::move(set));
  }
}

// "case_" keeps a folder named as a function of the C library, such as "abs", from meeting it.
std::string identifier(std::string_view name) {
  std::string text = "case_";
  for (const char c : name) {
    const char plain = std::isalnum(static_cast<unsigned char>(c)) ? c : '_';
    if (plain != '_' || !text.ends_with('_')) text += plain;  // "__" is the language's own
  }
  return text;
}

// What stands before "_output_k.pb" in the names of the files beside a graph whose inputs are made.
std::string outputs_prefix(const fs::path& graph) { return graph.stem().string() + "_output"; }

void find_below(const fs::path& root, const fs::path& folder, std::vector<TestCase>& cases) {
  const auto add = [&](std::string name, const fs::path& graph, std::vector<fs::path> sets) {
    cases.push_back({std::move(name), folder, graph, std::move(sets), fs::file_size(graph), {}});
  };
  if (fs::exists(folder / "model.onnx")) {
    if (std::vector<fs::path> sets = data_sets(folder); !sets.empty())
      add(folder == root ? fs::canonical(folder).filename().string() : folder.lexically_relative(root).generic_string(),
          folder / "model.onnx", std::move(sets));
    return;
  }
  for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
    const fs::path& path = entry.path();
    if (entry.is_directory()) find_below(root, path, cases);
    else if (path.extension() == ".onnx" && fs::exists(folder / (outputs_prefix(path) + "_0.pb")))
      add((folder / path.stem()).lexically_relative(root).generic_string(), path, {});
  }
}

// The value that a file holds, which is of the type that the graph declares.
DataValue read_value(const MappedFile& file, const std::string& name, const ValueType& type) {
  Diagnostics diagnostics;
  std::optional<DataValue> value;
  if (type.kind == ValueType::Kind::sequence) {
    value = read_sequence(file.bytes(), diagnostics);
  } else if (type.kind == ValueType::Kind::optional) {
    value = read_optional(file.bytes(), diagnostics);
  } else if (std::optional<TensorData> tensor = read_tensor(file.bytes(), diagnostics)) {
    value.emplace();
    value->tensor = std::move(*tensor);
  }
  if (value) return std::move(*value);
  const bool said = !diagnostics.list().empty();
  throw Unreadable(fmt::format("{}: {}", name, said ? diagnostics.list().front().text() : "no TensorProto"));
}

HostTensor host_tensor(const TensorData& tensor, const std::string& name) {
  if (tensor.dtype == DType::string) return make_strings(tensor.dims, tensor.strings);
  const Bytes* bytes = std::get_if<Bytes>(&tensor.data);
  if (bytes == nullptr) throw Unreadable(name + " holds no data of its own");
  return {tensor.dtype, tensor.dims, unpacked(tensor.dtype, bytes->span(), tensor.elements())};
}

// Calls f with each file of a data set that gives an input or an output, its position and what it holds.
template <class F>
void for_each_value(const fs::path& folder, std::string_view prefix, const std::vector<ValueInfo>& declared, const F& f) {
  static const ValueType tensor{.kind = ValueType::Kind::tensor, .dtype = {}, .shape = {}, .element = {}};
  for (std::size_t k = 0;; ++k) {
    const fs::path path = folder / fmt::format("{}_{}.pb", prefix, k);
    if (!fs::exists(path)) return;
    const MappedFile file(path);
    const std::string name = path.parent_path().filename() / path.filename();
    f(k, name, read_value(file, name, k < declared.size() ? declared[k].type : tensor));
  }
}

// What a value holds, under the names that the module has for it.
void add_tensors(const DataValue& value, const std::string& file, const std::string& name,
                 std::vector<std::string>& names, std::vector<HostTensor>& tensors) {
  if (value.kind == DataValue::Kind::tensor) {
    names.push_back(name);
    tensors.push_back(host_tensor(value.tensor, file));
    return;
  }
  if (value.kind == DataValue::Kind::sparse_tensor) throw Unreadable(file + " holds a sparse tensor");
  for (std::size_t i = 0; i < value.elements.size(); ++i)
    add_tensors(value.elements[i], file, fmt::format("{}_{}", name, i), names, tensors);
}

std::vector<HostTensor> read_tensors(const fs::path& folder, std::string_view prefix,
                                     const std::vector<ValueInfo>& declared, std::vector<std::string>& names) {
  std::vector<HostTensor> tensors;
  for_each_value(folder, prefix, declared, [&](std::size_t k, const std::string& file, const DataValue& value) {
    add_tensors(value, file, k < declared.size() ? declared[k].name : file, names, tensors);
  });
  return tensors;
}

// What the options must say of an input that holds this.
void settle(const ValueType& type, const DataValue& value, const std::string& name, CompileOptions& options) {
  if (type.kind == ValueType::Kind::tensor) {
    if (!type.shape) options.ranks.emplace(name, static_cast<std::int64_t>(value.tensor.dims.size()));
    return;
  }
  if (!type.element) return;
  options.elements.emplace(name, static_cast<std::int64_t>(value.elements.size()));
  for (std::size_t i = 0; i < value.elements.size(); ++i)
    settle(*type.element, value.elements[i], fmt::format("{}_{}", name, i), options);
}

// The inputs that no file gives, each a ramp of floats; a length that the graph leaves open is 1.
std::vector<HostTensor> made_inputs(const std::vector<ValueInfo>& declared) {
  std::vector<HostTensor> inputs;
  for (const ValueInfo& info : declared) {
    if (info.type.dtype != DType::float32 || !info.type.shape)
      throw Unreadable(fmt::format("the graph takes {}, and inputs are made of floats alone", info.name));
    std::vector<std::int64_t> extents;
    for (const Dimension& dim : *info.type.shape) {
      const std::int64_t* extent = std::get_if<std::int64_t>(&dim);
      extents.push_back(extent != nullptr ? *extent : 1);
    }
    std::vector<float> ramp(static_cast<std::size_t>(element_count(extents).value_or(0)));
    for (std::size_t i = 0; i < ramp.size(); ++i)
      ramp[i] = static_cast<float>(static_cast<double>(i) / static_cast<double>(ramp.size()));
    inputs.push_back(make_tensor<float>(std::move(extents), DType::float32, ramp));
  }
  return inputs;
}

}  // namespace

std::vector<TestCase> find_cases(const std::vector<std::string>& paths) {
  std::vector<TestCase> cases;
  for (const std::string& text : paths) {
    const fs::path path = fs::path(text + "/").parent_path();  // however many slashes end it
    const std::size_t before = cases.size();
    try {
      find_below(path, path, cases);
    } catch (const fs::filesystem_error& error) {
      throw Failure(fmt::format("{}: {}", error.path1().string(), error.code().message()));
    }
    if (cases.size() == before) throw Failure(text + ": holds no folder with model.onnx and test_data_set_0");
  }
  std::ranges::sort(cases, [](const TestCase& a, const TestCase& b) {
    return std::tie(a.name, a.folder) < std::tie(b.name, b.folder);
  });
  const auto repeated = std::ranges::unique(cases, [](const TestCase& a, const TestCase& b) {
    return a.name == b.name && fs::equivalent(a.graph, b.graph);  // a path given twice
  });
  cases.erase(repeated.begin(), repeated.end());

  std::set<std::string> taken;
  for (TestCase& each : cases) {
    each.module_name = identifier(each.name);
    for (int k = 2; !taken.insert(each.module_name).second; ++k)
      each.module_name = fmt::format("{}_{}", identifier(each.name), k);
  }
  return cases;
}

std::string_view status_name(Status status) {
  switch (status) {
    case Status::passed:
      return "passed";
    case Status::failed:
      return "failed";
    case Status::refused:
      return "refused";
    default:
      return "skipped";
  }
}

std::vector<std::pair<std::string, DataSet>> read_data_sets(const TestCase& test, const GraphFiles& files) {
  std::vector<std::string> ignored;
  std::vector<std::pair<std::string, DataSet>> sets;
  if (test.data_sets.empty()) {
    DataSet& data = sets.emplace_back("made inputs", DataSet{}).second;
    data.inputs = made_inputs(files.inputs());
    for (const ValueInfo& input : files.inputs()) data.input_names.push_back(input.name);
    data.outputs = read_tensors(test.folder, outputs_prefix(test.graph), files.outputs(), ignored);
  }
  for (const fs::path& folder : test.data_sets) {
    DataSet& data = sets.emplace_back(folder.filename().string(), DataSet{}).second;
    data.inputs = read_tensors(folder, "input", files.inputs(), data.input_names);
    data.outputs = read_tensors(folder, "output", files.outputs(), ignored);
  }
  return sets;
}

namespace {

void settle_inputs(const fs::path& data_set, const std::vector<ValueInfo>& inputs, CompileOptions& options) {
  const auto open = [](const ValueInfo& input) { return input.type.kind != ValueType::Kind::tensor || !input.type.shape; };
  if (std::ranges::none_of(inputs, open)) return;
  for_each_value(data_set, "input", inputs, [&](std::size_t k, const std::string&, const DataValue& value) {
    if (k < inputs.size()) settle(inputs[k].type, value, inputs[k].name, options);
  });
}

void settle_values(const fs::path& data_set, const std::vector<ValueInfo>& inputs, CompileOptions& options) {
  for_each_value(data_set, "input", inputs, [&](std::size_t k, const std::string& file, const DataValue& value) {
    const DType dtype = value.tensor.dtype;
    if (k >= inputs.size() || value.kind != DataValue::Kind::tensor || value.tensor.elements() != 1) return;
    if (!is_integer(dtype) && dtype != DType::boolean) return;
    const HostTensor tensor = host_tensor(value.tensor, file);
    options.values.emplace(inputs[k].name, std::vector{static_cast<std::int64_t>(element_as_double(dtype, tensor.data.data(), 0))});
  });
}

}  // namespace

void settle_inputs(const TestCase& test, const GraphFiles& files, CompileOptions& options) {
  if (!test.data_sets.empty()) settle_inputs(test.data_sets[0], files.inputs(), options);
}

void settle_values(const TestCase& test, const GraphFiles& files, CompileOptions& options) {
  if (!test.data_sets.empty()) settle_values(test.data_sets[0], files.inputs(), options);
}

std::optional<std::string> settled_otherwise(const TestCase& test, const GraphFiles& files, const CompileOptions& options) {
  for (std::size_t i = 1; i < test.data_sets.size(); ++i) {
    CompileOptions other;
    settle_inputs(test.data_sets[i], files.inputs(), other);
    if (!options.values.empty()) settle_values(test.data_sets[i], files.inputs(), other);
    const auto differs = [&](const auto& ours, const auto& theirs) -> std::string {
      for (const auto& [name, value] : theirs)
        if (const auto it = ours.find(name); it == ours.end() || it->second != value) return name;
      for (const auto& [name, value] : ours)
        if (!theirs.contains(name)) return name;
      return {};
    };
    for (const std::string& name : {differs(options.elements, other.elements), differs(options.ranks, other.ranks), differs(options.values, other.values)})
      if (!name.empty())
        return fmt::format("{}: {} holds another number of tensors or axes, or another value, than in {}, by which the build is settled",
                           test.data_sets[i].filename().string(), name, test.data_sets[0].filename().string());
  }
  return std::nullopt;
}

}  // namespace loam::cli
