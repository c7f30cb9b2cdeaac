// Prepared and prepare: the weights as the backend computes with them.
#include <fmt/format.h>

#include <algorithm>

#include "compiler/emit/writer.hpp"
#include "compiler/kernel/tensor_size.hpp"
#include "compiler/kernel/visit.hpp"

namespace loam {

// The weights that a step of the preparation is the last of its steps to read.
std::map<const Step*, std::vector<TensorId>> ModuleWriter::last_reads_of_weights() const {
  std::map<TensorId, TensorId> viewed;  // by the view
  std::map<TensorId, const Step*> last;
  for (const Step& step : input_.program.prepare.steps) {
    if (const auto* view = std::get_if<ViewStep>(&step.what)) {
      viewed[view->out] = view->in;
      continue;
    }
    visit_reads(step, [&](TensorId t) {
      for (auto view = viewed.find(t); view != viewed.end(); view = viewed.find(t)) t = view->second;
      if (tensor(t).kind == VirtualTensor::Kind::weight) last[t] = &step;
    });
  }
  std::map<const Step*, std::vector<TensorId>> reads;
  for (const auto& [t, step] : last) reads[step].push_back(t);
  return reads;
}

// The tensors that forward reads; where `whole`, more than a few rows of them.
std::set<TensorId> ModuleWriter::read_by_forward(bool whole) const {
  std::set<TensorId> read(input_.program.outputs.begin(), input_.program.outputs.end());
  visit_steps(input_.program.body, [&](const Step& step) {
    const auto* call = std::get_if<Call>(&step.what);
    if (!whole || !call || call->folder != "gather") visit_reads(step, [&](TensorId t) { read.insert(t); });
  });
  return read;
}

std::string ModuleWriter::prepared_section() {
  std::string fields, uploads, body;
  for (const TensorId t : input_.program.weights) {
    fields += fmt::format("  {} {};\n", tensor_type(tensor(t), "loam::Value<Backend, "), weight_names_[t]);
    uploads += fmt::format("{}b.upload(weights.{})", uploads.empty() ? "\n      " : ",\n      ", weight_names_[t]);
  }
  const std::map<const Step*, std::vector<TensorId>> last_reads = last_reads_of_weights();
  const std::set<TensorId> read_whole = read_by_forward(true);
  Polynomial total;
  weights_ = "prepared.";
  for (const Step& step : input_.program.prepare.steps) {
    const auto* call = std::get_if<Call>(&step.what);
    if (!call) {
      render_step(step, 1, body);
      continue;
    }
    for (const TensorId t : call->outputs) {
      const VirtualTensor& v = tensor(t);
      fields += fmt::format("  {} {} = {{}};\n", tensor_type(v, "loam::Value<Backend, "), weight_names_[t]);
      if (v.form.empty())
        body += fmt::format("  prepared.{} = loam::make_prepared<{}{}>(b, prepared.memory, {});\n", weight_names_[t], dtype_cpp(v.dtype), axis_list(v.axes),
                            extent_list(extents_of(v), 1, body));
    }
    if (tensor(call->outputs[0]).form.empty()) {
      render_call(*call, step, 1, body);
    } else {
      folders_.insert(call->folder);
      const std::string from = operand(call->inputs[0], 1, body);
      body += fmt::format("  prepared.{} = loam::pack<{}>(b, prepared.memory, {});\n", weight_names_[call->outputs[0]], tensor(call->outputs[0]).form, from);
    }
    if (const auto last = last_reads.find(&step); last != last_reads.end())
      for (const TensorId t : last->second) {
        total = total + bytes_of(tensor(t), symbols_);
        body += fmt::format("  progress.{}(weights.{});\n", read_whole.contains(t) ? "read" : "let_go", weight_names_[t]);
      }
  }
  weights_ = "weights.";
  if (!body.empty()) fields += "  typename Backend::Memory memory = {};\n";
  const std::string head = "template <class Backend, class Watch = loam::Unwatched>\n"
                           "Prepared<Backend> prepare([[maybe_unused]] Backend& b, [[maybe_unused]] const Weights& weights, [[maybe_unused]] Watch watch = {}) {\n";
  return std::string("// The weights as the backend computes with them, made once. Those that a kernel reads in an order of its own, and\n"
                     "// what comes of weights alone, lie in `memory`; on the CPU the others lie where Weights has them.\n"
                     "// `watch` is told of each weight that is through, as loam::Progress says.\n") +
         "template <class Backend>\nstruct Prepared {\n" + fields + "};\n\n" +
         (body.empty() ? head + "  return {" + uploads + "};\n}\n\n"
                       : head + "  Prepared<Backend> prepared{" + uploads + "};\n" +
                             fmt::format("  [[maybe_unused]] loam::Preparing progress(watch, {});\n", text(total)) + body + "  return prepared;\n}\n\n");
}

}  // namespace loam
