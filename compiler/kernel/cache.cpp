#include "compiler/kernel/cache.hpp"

#include <algorithm>
#include <optional>

#include "compiler/kernel/follow.hpp"
#include "compiler/nearest.hpp"

namespace loam {

namespace {

using Position = BlockEditor::Position;

struct Pattern {
  std::string text, input, output;
};

std::optional<Pattern> parse(const std::string& text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos) return std::nullopt;
  Pattern p{text, text.substr(0, equals), text.substr(equals + 1)};
  const auto stars = [](const std::string& side) { return std::ranges::count(side, '*'); };
  if (p.input.empty() || p.output.empty() || stars(p.input) > 1 || stars(p.input) != stars(p.output)) return std::nullopt;
  return p;
}

// The output that the pattern pairs with an input, or empty where the input is none of the pattern's.
std::string paired(const Pattern& pattern, std::string_view input) {
  const std::size_t star = pattern.input.find('*');
  if (star == std::string::npos) return input == pattern.input ? pattern.output : "";
  const std::string_view before = std::string_view(pattern.input).substr(0, star), after = std::string_view(pattern.input).substr(star + 1);
  if (input.size() < before.size() + after.size() || !input.starts_with(before) || !input.ends_with(after)) return {};
  std::string output = pattern.output;
  return output.replace(output.find('*'), 1, input.substr(before.size(), input.size() - before.size() - after.size()));
}

// The input's copy to the beginning of the output: what appending in place leaves out.
struct Joined {
  Position copy;
  std::size_t axis;
};

class CacheMaker {
 public:
  CacheMaker(Program& program, const TypedGraph& graph, Diagnostics& diagnostics)
      : program_(program), graph_(graph), diagnostics_(diagnostics), edit_(program, graph, program.body) {}

  void run(const std::vector<std::string>& patterns) {
    std::vector<std::pair<CacheEntry, Joined>> found;
    for (const std::string& text : patterns) {
      const auto pattern = parse(text);
      if (!pattern) {
        refuse("--cache " + text, "is not of the form INPUT=OUTPUT, with one * on both sides or on none", "write past_key_values.*=present.*, say");
        continue;
      }
      bool any = false;
      for (const ProgramInput& input : program_.inputs) {
        const std::string output = paired(*pattern, program_.tensors[input.tensor].name);
        if (output.empty()) continue;
        any = true;
        if (auto entry = pair(input, output)) found.push_back(std::move(*entry));
      }
      if (!any) refuse("--cache " + text, "no input of the graph is " + pattern->input, suggestion(pattern->input));
    }
    if (!diagnostics_.failed()) pair_once(found);
    if (!diagnostics_.failed()) grow_alike(found);
    if (!diagnostics_.failed())
      for (auto& [entry, joined] : found) append_in_place(std::move(entry), joined);
    edit_.close();
  }

 private:
  void refuse(std::string where, std::string what, std::string note = {}) {
    diagnostics_.error(Code::bad_option, std::move(where), std::move(what), std::move(note));
  }
  std::string text(const Polynomial& p) const { return graph_.symbols.text(p); }

  std::string suggestion(const std::string& meant) const {
    std::vector<std::string_view> names;
    for (const ProgramInput& input : program_.inputs) names.push_back(program_.tensors[input.tensor].name);
    const std::string near = nearest(meant, names);
    return near.empty() ? "" : "did you mean " + near + "?";
  }

  std::optional<std::pair<CacheEntry, Joined>> pair(const ProgramInput& input, const std::string& output) {
    const std::string name = program_.tensors[input.tensor].name, where = "--cache " + name + "=" + output;
    const auto at = std::ranges::find(program_.output_names, output);
    if (at == program_.output_names.end()) {
      refuse(where, "the graph has no output " + output);
      return std::nullopt;
    }
    const TensorId given = program_.outputs[static_cast<std::size_t>(at - program_.output_names.begin())];
    const TensorId whole = edit_.trace(given).from;
    const auto joined = find_copy(input.tensor, whole);
    if (!joined) {
      refuse(where, "the output is not made of the input with more places after it by a Concat of the graph's own nodes", how_made(whole));
      return std::nullopt;
    }
    const std::vector<Polynomial> extents = edit_.extents(input.tensor);
    if (!extents[joined->axis].as_symbol()) {
      refuse(where, "the axis that grows is " + text(extents[joined->axis]) + " long in the input, which leaves no length to count");
      return std::nullopt;
    }
    for (std::size_t k = 0; k < extents.size(); ++k)
      if (!extents[k].is_constant() && !extents[k].as_symbol()) {
        refuse(where, "axis " + std::to_string(k) + " is " + text(extents[k]) + " long, and a cache is made with lengths that are each a number or given");
        return std::nullopt;
      }
    for (const TensorId t : {input.tensor, whole})
      if (read_within(t)) {
        refuse(where, program_.tensors[t].name + " is read within a branch or a loop, which takes it dense", "--value settles the condition of a branch");
        return std::nullopt;
      }
    const auto input_place = static_cast<std::size_t>(&input - program_.inputs.data()), output_place = static_cast<std::size_t>(at - program_.output_names.begin());
    return std::pair(CacheEntry{whole, input.tensor, name, output, input_place, output_place, joined->axis, extents}, *joined);
  }

  // What a reader can do about it: who makes the output.
  std::string how_made(TensorId whole) const {
    const auto maker = edit_.maker(whole);
    const std::set<Step*>& readers = edit_.readers(whole);
    const Step* const step = maker ? &**maker : readers.empty() ? nullptr : *readers.begin();
    return step ? "it is made by " + step->site : "";
  }

  // Whether a step of control flow reads the tensor, itself or through views; a returned tensor is read too, as an output.
  bool read_within(TensorId t) const {
    if (edit_.read_elsewhere(t) && std::ranges::find(program_.body.outputs, t) == program_.body.outputs.end()) return true;
    return std::ranges::any_of(edit_.readers(t), [&](const Step* step) {
      const auto* view = std::get_if<ViewStep>(&step->what);
      return view && read_within(view->out);
    });
  }

  // Every piece of `whole` is a copy to a slice of it; the one at the beginning is of `input`, as it is.
  std::optional<Joined> find_copy(TensorId input, TensorId whole) {
    std::optional<Joined> found;
    for (Step* const step : edit_.readers(whole)) {
      const auto* view = std::get_if<ViewStep>(&step->what);
      if (!view || view->kind != ViewStep::Kind::slice) continue;
      for (Step* const writer : edit_.readers(view->out)) {
        const auto map = as_map(*writer);
        if (!map || map->out != view->out) continue;
        if (!is_copy(*map)) return std::nullopt;
        const BlockEditor::Trace trace = edit_.trace(std::get<TensorId>(map->inputs[0]));
        const bool as_it_is = std::ranges::all_of(trace.views, [&](Position p) { return std::get<ViewStep>(p->what).kind == ViewStep::Kind::relabel; });
        if (trace.from != input || !as_it_is || found) continue;
        if (const auto axis = first_along(move_of(edit_, *view))) found = Joined{edit_.position(writer), *axis};
      }
    }
    return edit_.maker(whole) ? std::nullopt : found;
  }

  // The axis that the slice takes the first places of, all others being whole.
  static std::optional<std::size_t> first_along(const Move& slice) {
    std::optional<std::size_t> axis;
    for (std::size_t k = 0; k < slice.from.size(); ++k) {
      if (!slice.starts[k].is(0) || !slice.steps[k].is(1)) return std::nullopt;
      if (slice.from[k] == slice.to[k]) continue;
      if (axis) return std::nullopt;
      axis = k;
    }
    return axis;
  }

  // A tensor is of one pair, whatever the patterns are.
  void pair_once(const std::vector<std::pair<CacheEntry, Joined>>& found) {
    for (std::size_t i = 0; i < found.size(); ++i)
      for (std::size_t k = 0; k < i; ++k) {
        const CacheEntry &entry = found[i].first, &other = found[k].first;
        if (entry.before != other.before && entry.tensor != other.tensor) continue;
        refuse("--cache " + entry.input + "=" + entry.output, "is paired already: " + other.input + "=" + other.output, "pair each input and each output once");
      }
  }

  // One length counts for all.
  void grow_alike(const std::vector<std::pair<CacheEntry, Joined>>& found) {
    for (const auto& [entry, joined] : found) {
      const auto& first = found.front().first;
      const auto before = edit_.extents(entry.before)[entry.axis], after = edit_.extents(entry.tensor)[entry.axis];
      const auto first_before = edit_.extents(first.before)[first.axis], first_after = edit_.extents(first.tensor)[first.axis];
      if (before == first_before && after == first_after) continue;
      refuse("--cache " + entry.input + "=" + entry.output, "grows from " + text(before) + " to " + text(after) + ", and " + first.input + " from " +
                                                                text(first_before) + " to " + text(first_after) + ": one cache has one length");
    }
  }

  void append_in_place(CacheEntry entry, const Joined& joined) {
    edit_.erase(joined.copy);
    VirtualTensor &whole = program_.tensors[entry.tensor], &before = program_.tensors[entry.before];
    whole.kind = VirtualTensor::Kind::cached;
    before.kind = VirtualTensor::Kind::activation;
    whole.dense = before.dense = false;
    std::erase_if(program_.inputs, [&](const ProgramInput& input) { return input.tensor == entry.before; });
    const auto output = std::ranges::find(program_.output_names, entry.output) - program_.output_names.begin();
    program_.outputs.erase(program_.outputs.begin() + output);
    program_.output_names.erase(program_.output_names.begin() + output);
    program_.body.outputs = program_.outputs;
    const std::vector<Polynomial> extents = edit_.extents(entry.before);
    ViewStep first{ViewStep::Kind::slice, entry.before, entry.tensor, {}, extents, std::vector<Polynomial>(extents.size(), 0),
                   std::vector<Polynomial>(extents.size(), 1)};
    edit_.add_first({std::move(first), {}, entry.input});
    spread_strides(edit_, entry.tensor);
    program_.caches.push_back(std::move(entry));
  }

  Program& program_;
  const TypedGraph& graph_;
  Diagnostics& diagnostics_;
  BlockEditor edit_;
};

}  // namespace

void make_caches(Program& program, const TypedGraph& graph, const std::vector<std::string>& patterns, Diagnostics& diagnostics) {
  if (patterns.empty()) return;
  CacheMaker(program, graph, diagnostics).run(patterns);
  BlockEditor edit(program, graph, program.body);  // which knows the outputs that are left
  edit.drop_unread_views();
  edit.close();
}

std::vector<std::string> cached_outputs(const std::vector<std::string>& inputs, const std::vector<std::string>& patterns) {
  std::vector<std::string> outputs;
  for (const std::string& text : patterns)
    if (const auto pattern = parse(text))
      for (const std::string& input : inputs)
        if (std::string output = paired(*pattern, input); !output.empty()) outputs.push_back(std::move(output));
  return outputs;
}

}  // namespace loam
