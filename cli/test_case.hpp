// Cases in the format of ONNX's backend tests: a folder with model.onnx and test_data_set_0, test_data_set_1, ..., each
// of which holds input_k.pb and output_k.pb, one for each of the graph's inputs and outputs in its order: a TensorProto, or
// a SequenceProto or OptionalProto where the graph declares that. Or, as
// ONNX's "light" models come, a file NAME.onnx with NAME_output_k.pb beside it: each input is then the floats 0, 1 / n,
// 2 / n, ... of its n elements.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/failure.hpp"
#include "cli/files.hpp"
#include "cli/graph_options.hpp"
#include "cli/tensor.hpp"
#include "compiler/compile.hpp"

namespace loam::cli {

struct TestCase {
  std::string name;  // the folder, relative to the PATH it was found under; its own name where it is the PATH
  fs::path folder;
  fs::path graph;
  std::vector<fs::path> data_sets;  // folders; none where the inputs are made
  std::uint64_t graph_bytes = 0;
  std::string module_name;  // an identifier that no other case has
  double least_atol = 0;    // that its expectation gives it
};

// The cases at and below the paths, in order of name. Throws a Failure for a path that is not there or holds none.
std::vector<TestCase> find_cases(const std::vector<std::string>& paths);

enum class Status : std::uint8_t {
  passed,
  failed,   // wrong outputs, a crash, code that does not compile
  refused,  // the build stopped with a diagnostic
  skipped,  // test data that Loam cannot read
};
std::string_view status_name(Status status);

struct Outcome {
  Status status = Status::failed;
  std::string reason;  // one line; empty where the case passed
  std::string code;    // the first diagnostic's, where the case was refused
  double seconds = 0;  // a batch's share of the host compiler's time included
};

// The tensors of a case's data as forward takes and gives them: what a sequence or an optional holds is its own tensors.
struct DataSet {
  std::vector<std::string> input_names;
  std::vector<HostTensor> inputs, outputs;
};

// Why a case's data cannot be read.
struct Unreadable : Failure {
  using Failure::Failure;
};

// The case's data, each under the name of its folder.
std::vector<std::pair<std::string, DataSet>> read_data_sets(const TestCase& test, const GraphFiles& files);

// What a graph leaves open of its inputs and the build must know, as the case's first data set has it: how many tensors
// its sequences and optionals hold, and ranks.
void settle_inputs(const TestCase& test, const GraphFiles& files, CompileOptions& options);
// The elements of the inputs that are one integer or bool, where the build has asked for what follows from them.
void settle_values(const TestCase& test, const GraphFiles& files, CompileOptions& options);
// What a later data set would settle otherwise, so that the module cannot run it; absent where they agree.
std::optional<std::string> settled_otherwise(const TestCase& test, const GraphFiles& files, const CompileOptions& options);

}  // namespace loam::cli
