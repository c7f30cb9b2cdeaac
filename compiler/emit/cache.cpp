// The cache: what forward appends to, and the functions that make it.
#include <algorithm>

#include <fmt/format.h>

#include "compiler/emit/writer.hpp"

namespace loam {

void ModuleWriter::name_cache() {
  if (input_.program.caches.empty()) return;
  Identifiers members;
  for (const auto& [word, type] : axis_types_) members.take(type);
  for (const char* own : {"loam", "std", "Cache", "Places", "Backend", "memory", "length", "capacity", "truncate", "extend"}) members.take(own);
  if (!input_.options.levels.empty())
    for (const char* own : {"Held", "maker", "state"}) members.take(own);
  for (const char* own : {"made", "from", "places"}) locals_.take(own);  // of the functions that make one
  for (const CacheEntry& entry : input_.program.caches) cache_names_.push_back(members.mint(entry.input));
  const CacheEntry& first = input_.program.caches.front();
  cache_members_.emplace_back(*first.extents[first.axis].as_symbol(), "length()");
  for (const CacheEntry& entry : input_.program.caches)
    for (const Polynomial& extent : entry.extents) {
      const auto id = extent.as_symbol();
      if (id && std::ranges::find(cache_members_, *id, &std::pair<SymbolId, std::string>::first) == cache_members_.end())
        cache_members_.emplace_back(*id, members.mint(symbols_.text(*id)));
    }
}

std::string ModuleWriter::cache_section() {
  if (input_.program.caches.empty()) return {};
  std::string fields, room, copies, parameters, lengths = "capacity", sets, from;
  for (std::size_t i = 1; i < cache_members_.size(); ++i) {
    const auto& [id, member] = cache_members_[i];
    fields += fmt::format("  std::int64_t {} = 0;\n", member);
    parameters += fmt::format(", std::int64_t {}", symbol_name(id));
    lengths += ", " + symbol_name(id);
    sets += fmt::format("  cache.{} = {};\n", member, symbol_name(id));
    from += ", from." + member;
  }
  const std::string places = symbol_name(cache_members_.front().first);
  for (std::size_t i = 0; i < cache_names_.size(); ++i) {
    const CacheEntry& entry = input_.program.caches[i];
    fields += fmt::format("  {} {};\n", tensor_type(tensor(entry.before), "loam::Value<Backend, "), cache_names_[i]);
    room += fmt::format("{}loam::make_room(b, cache.memory, cache.{}, {})", room.empty() ? "" : " &&\n      ", cache_names_[i],
                        extent_list(entry.extents, 1, sets));
    copies += fmt::format("  loam::write_places<{0}>(b, made->{1}, loam::first_places<{0}>(from.{1}, places));\n", entry.axis, cache_names_[i]);
  }
  const CacheEntry& first = input_.program.caches.front();
  return fmt::format(
      "// What forward keeps from call to call and appends to: of {} tensors, the places on {} that the calls so far have made.\n"
      "// It is the caller's; a call that is refused leaves it as it was.\n"
      "template <class Backend>\nstruct Cache : loam::Places {{\n  using loam::Places::Places;\n{}  typename Backend::Memory memory = {{}};\n}};\n\n"
      "// A cache of no places yet, with room for so many.\n"
      "template <class Backend>\nloam::Result<Cache<Backend>, loam::Refusal> make_cache(Backend& b, std::int64_t capacity{}) {{\n"
      "  if (!loam::are_lengths({{{}}})) return loam::no_room(capacity);\n"
      "  Cache<Backend> cache(capacity);\n{}  const std::int64_t {} = capacity;\n"
      "  const bool made = {};\n  if (!made) return loam::no_room(capacity);\n  return cache;\n}}\n\n"
      "// The same places in a cache of its own with other room; those past it are left out.\n"
      "template <class Backend>\nloam::Result<Cache<Backend>, loam::Refusal> copy_cache(Backend& b, const Cache<Backend>& from, std::int64_t capacity) {{\n"
      "  auto made = make_cache(b, capacity{});\n  if (!made) return made;\n"
      "  const std::int64_t places = std::min(from.length(), capacity);\n{}  made->extend(places);\n  return made;\n}}\n\n",
      cache_names_.size(), axis_label(tensor(first.before).axes[first.axis]), fields, parameters, lengths, sets, places, room, from, copies);
}

// One length counts for all its tensors: that of the first, once forward is done.
Polynomial ModuleWriter::cache_length() const {
  const CacheEntry& first = input_.program.caches.front();
  return symbols_.simplify(tensor(first.tensor).axes[first.axis].extent());
}

std::string ModuleWriter::cache_check() {
  if (input_.program.caches.empty()) return {};
  const CacheEntry& first = input_.program.caches.front();
  std::string out;
  const Polynomial after = cache_length();
  define_symbols(after, 1, out);
  return out + fmt::format("  if ({0} > cache.capacity()) return loam::no_places({1}, {0}, cache.capacity());\n", text(after),
                           cpp_string(axis_label(tensor(first.before).axes[first.axis])));
}

void ModuleWriter::declare_cached(TensorId t, int depth, std::string& out) {
  const auto entry = std::ranges::find(input_.program.caches, t, &CacheEntry::tensor);
  out += fmt::format("{}const auto {} = loam::appended<{}{}>(cache.{}, {});\n", indent(depth), name(t), entry->axis, axis_list(tensor(t).axes),
                     cache_names_[static_cast<std::size_t>(entry - input_.program.caches.begin())], text(cache_length()));
}

std::string ModuleWriter::cache_kept() {
  if (input_.program.caches.empty()) return {};
  return fmt::format("\n  cache.extend({});\n", text(cache_length()));
}

}  // namespace loam
