#include "cli/profile.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <optional>
#include <vector>

#include "cli/failure.hpp"
#include "compiler/report.hpp"

namespace loam::cli {
namespace {

struct Cost {
  std::string what;
  std::size_t calls = 1;
  double seconds = 0;
  std::optional<double> operations = 0, bytes = 0;
};

// The lengths that the inputs bring, by the symbols' names.
std::map<std::string, std::int64_t> lengths_of(const CompileResult& result, std::span<const harness::RawTensor> inputs) {
  std::map<std::string, std::int64_t> lengths;
  for (std::size_t i = 0; i < inputs.size(); ++i)
    for (std::size_t k = 0; k < result.inputs[i].extents.size(); ++k)
      lengths.emplace(result.inputs[i].extents[k], inputs[i].extents[k]);
  return lengths;
}

class Costs {
 public:
  Costs(const loam::Report& report, const std::map<std::string, std::int64_t>& lengths) : report_(report), lengths_(lengths) {}

  Cost of(const loam::Report::Call& call, double seconds) const {
    return {fmt::format("{:15} {}", call.kernel, describe(call)), 1, seconds, size(call.operations), size(call.bytes)};
  }

 private:
  std::optional<double> value(const Polynomial& size) const {
    bool known = true;
    const auto found = report_.symbols.evaluate(report_.symbols.simplify(size), [&](SymbolId id) -> std::int64_t {
      const auto length = lengths_.find(report_.symbols[id].name);
      known = known && length != lengths_.end();
      return length == lengths_.end() ? 1 : length->second;
    });
    return known && found ? std::optional(static_cast<double>(*found)) : std::nullopt;
  }
  std::optional<double> size(const std::string& text) const {
    const auto known = report_.sizes.find(text);
    return known == report_.sizes.end() ? std::nullopt : value(known->second);
  }
  // "float32[Batch = 1, Embed = 768]" without the names.
  static std::string extents(const std::string& type) {
    std::string out;
    for (std::size_t at = type.find('['); at < type.size();) {
      const std::size_t end = std::min(type.find(", ", at), type.size()), equals = type.find(" = ", at);
      if (out.empty()) out = "[";
      else out += ", ";
      const std::size_t from = equals < end ? equals + 3 : at + (out == "[" ? 1 : 0);
      out += type.substr(from, end - from);
      at = end + 2;
    }
    return out;
  }
  // The operators that it stands for, the weights they have and what it gives: "Conv+Relu by [64, 3, 7, 7]: y [N, 64, 112, 112]".
  std::string describe(const loam::Report::Call& call) const {
    if (!call.node) return call.site;
    std::vector<std::string> operators, weights;
    std::size_t more = 0;
    const auto take = [&](const loam::Report::Node& node) {
      if (operators.size() < 4) operators.push_back(node.op);
      else ++more;
      for (const std::size_t t : node.inputs)
        if (report_.tensors[t].origin == "weight" && report_.tensors[t].type.find(',') != std::string::npos)
          weights.push_back(extents(report_.tensors[t].type));
    };
    for (const loam::Report::Node& node : report_.nodes)
      if (node.into == call.node) take(node);
    const loam::Report::Node& own = report_.nodes[*call.node];
    take(own);
    std::string text = fmt::format("{}", fmt::join(operators, "+"));
    if (more > 0) text += fmt::format("+{} more", more);
    if (!weights.empty()) text += fmt::format(" by {}", weights.front());
    if (!own.outputs.empty()) {
      const loam::Report::Tensor& out = report_.tensors[own.outputs.front()];
      text += fmt::format(": {} {}", out.name, extents(out.type));
    }
    return text;
  }

  const loam::Report& report_;
  const std::map<std::string, std::int64_t>& lengths_;
};

std::string rate(std::optional<double> amount, double seconds) {
  return amount && *amount > 0 && seconds > 0 ? fmt::format("{:.1f}", *amount / seconds / 1e9) : "";
}

std::string line(const Cost& cost, double all, const std::string& what) {
  return fmt::format("{:9.3f} {:6.1f}% {:>9} {:>7}  {}\n", cost.seconds * 1e3, cost.seconds / all * 100,
                     rate(cost.operations, cost.seconds), rate(cost.bytes, cost.seconds), what);
}

constexpr std::string_view header = "       ms  of all   Gflop/s    GB/s  ";

}  // namespace

std::string profile(const Profiled& profiled, std::span<const harness::RawTensor> inputs, int runs) {
  Diagnostics diagnostics;
  const std::optional<loam::Report> report = loam::report(profiled.files.input(), profiled.options, diagnostics);
  if (!report) throw Failure("the graph does not compile");
  profiled.session.run(inputs);
  const std::size_t calls = profiled.session.seconds().size();
  if (calls != report->calls.size())
    throw Failure(fmt::format("a run calls {} kernels and the module has {}: of a Loop or an If nothing tells which",
                              calls, report->calls.size()));
  std::vector<std::vector<double>> taken(calls);
  for (int i = 0; i < runs; ++i) {
    profiled.session.run(inputs);
    const std::span<const double> seconds = profiled.session.seconds();
    for (std::size_t k = 0; k < calls; ++k) taken[k].push_back(seconds[k]);
  }

  const std::map<std::string, std::int64_t> lengths = lengths_of(profiled.result, inputs);
  const Costs costs(*report, lengths);
  std::vector<Cost> each;
  std::map<std::string, Cost> kernels;
  double all = 0;
  for (std::size_t k = 0; k < calls; ++k) {
    auto middle = taken[k].begin() + static_cast<std::ptrdiff_t>(taken[k].size() / 2);
    std::ranges::nth_element(taken[k], middle);
    const Cost& cost = each.emplace_back(costs.of(report->calls[k], *middle));
    Cost& sum = kernels.try_emplace(report->calls[k].kernel, Cost{report->calls[k].kernel, 0, 0, 0, 0}).first->second;
    ++sum.calls;
    sum.seconds += cost.seconds;
    sum.operations = sum.operations && cost.operations ? std::optional(*sum.operations + *cost.operations) : std::nullopt;
    sum.bytes = sum.bytes && cost.bytes ? std::optional(*sum.bytes + *cost.bytes) : std::nullopt;
    all += cost.seconds;
  }
  const auto longest = [](const Cost& a, const Cost& b) { return a.seconds > b.seconds; };
  std::vector<Cost> sums;
  for (const auto& [name, sum] : kernels) sums.push_back(sum);
  std::ranges::sort(sums, longest);
  std::ranges::stable_sort(each, longest);

  std::string text = fmt::format("{:.3f} ms in {} kernel calls, medians of {} runs\n\n{}kernel\n", all * 1e3, calls, runs, header);
  for (const Cost& sum : sums) text += line(sum, all, fmt::format("{:15} {} calls", sum.what, sum.calls));
  constexpr std::size_t most = 24;
  text += fmt::format("\n{}{}\n", header, each.size() > most ? fmt::format("the {} longest calls", most) : "call");
  for (const Cost& cost : std::span(each).first(std::min(most, each.size()))) text += line(cost, all, cost.what);
  return text;
}

}  // namespace loam::cli
