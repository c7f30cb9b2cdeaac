// Compiled twice, to run a decoder whose cache grows: against the plain module, and against the one of several levels, at
// the level that its argument names. The bytes of every answer go to standard output. Without an argument the program of
// several levels says which there are, highest first, once what it refuses has been tried.
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "decoder.hpp"  // generated: see CMakeLists.txt

namespace {

using decoder::loam::Cpu;
using Prepared = decoder::Prepared<Cpu>;
using Cache = decoder::Cache<Cpu>;
using X = decoder::loam::Tensor<float, decoder::Batch, decoder::PlacesAxis, decoder::D32>;
using Words = decoder::loam::Tensor<std::string, decoder::PlacesAxis>;

void check(bool held, std::string_view what) {
  if (held) return;
  std::fprintf(stderr, "%.*s\n", static_cast<int>(what.size()), what.data());
  std::exit(1);
}
[[maybe_unused]] void check_equal(std::string_view found, std::string_view expected) {
  check(found == expected, "found:    " + std::string(found) + "\nexpected: " + std::string(expected));
}

const decoder::Weights& weights() {
  static const decoder::Weights embedded = decoder::Weights::embedded();
  return embedded;
}

auto step(Cpu& cpu, Cache& cache, const Prepared& prepared, std::int64_t places) {
  X x({2, places, 32});
  for (std::int64_t i = 0; i < x.elements(); ++i) x[i] = std::sin(static_cast<float>(3 * i + places));
  Words words({places});
  for (std::int64_t i = 0; i < places; ++i) words[i] = "place " + std::to_string(cache.length() + i) + "; ";
  return decoder::forward(cpu, x, words, cache, prepared);
}

template <class T>
void append(std::string& bytes, std::span<const T> elements) {
  bytes.append(reinterpret_cast<const char*>(elements.data()), elements.size_bytes());
}

// A prompt, single places, and places again from the prompt on in a cache with more room.
std::string answers(Cpu& cpu, const Prepared& prepared) {
  std::string bytes;
  auto cache = decoder::make_cache(cpu, 9, 2);
  check(cache.has_value(), "no cache");
  const auto add = [&](std::int64_t places) {
    const auto outputs = step(cpu, *cache, prepared, places);
    check(outputs.has_value(), outputs ? "" : outputs.error().message);
    append(bytes, outputs->y.span());
    append(bytes, outputs->half.span());
    append(bytes, outputs->quarter.span());
    for (const std::string& said : outputs->said.span()) bytes += said;
  };
  for (const std::int64_t places : {5, 1, 3}) add(places);
  check(cache->length() == 9 && cache->batch == 2, "the cache holds 9 places of a batch of 2");
  const auto refused = step(cpu, *cache, prepared, 1);
  check(!refused && refused.error().message.starts_with("cache: has room for 9 places"), "a tenth place is refused");
  auto longer = decoder::copy_cache(cpu, *cache, 40);
  check(longer && longer->length() == 9 && longer->capacity() == 40, "a copy has the same places, and more room");
  cache = std::move(longer);
  cache->truncate(5);
  for (const std::int64_t places : {30, 1}) add(places);
  check(cache->length() == 36, "the cache holds 36 places");
  return bytes;
}

#if defined(LEVELS)

using decoder::loam::find_level;
using decoder::loam::Level;

// A processor of another kind than this one.
bool before_v4(std::string_view level) { return level != "x86-64-v4"; }
bool nothing(std::string_view) { return false; }

std::string message(const decoder::loam::Result<const Level*, decoder::loam::Refusal>& found) { return found ? "" : found.error().message; }

// What prepare tells, and of which bytes: those of the program's weights.
void try_progress(Cpu& cpu) {
  std::int64_t done = 0, total = 0;
  std::size_t idle = 0;
  decoder::prepare(cpu, weights(), [&](const decoder::loam::Progress& p) {
    check(p.done > done, "progress goes on");
    done = p.done;
    total = p.total;
    idle += p.idle.size();
    if (p.idle.size()) check(p.idle.data() == std::as_bytes(weights().inward.span()).data() ||
                             p.idle.data() == std::as_bytes(weights().outward.span()).data(), "the idle bytes are a weight's");
  });
  check(done == total && total == 4 * (32 * 40 + 40 * 28) && idle == static_cast<std::size_t>(total), "prepare reads all weights for good");
}

void try_refusals() {
  const auto here = decoder::loam::levels();
  check(!here.empty(), "no level runs here");
  check_equal(Cpu().level(), here.front()->name);
#if defined(__x86_64__)
  check_equal(message(find_level("x86-64-v4", before_v4)),
              "level x86-64-v4: the processor or its system lacks it; of the program's levels it has x86-64-v3, x86-64");
  check_equal(message(find_level("x86-64-v2")), "level x86-64-v2: is not in the program, which has x86-64, x86-64-v3, x86-64-v4");
  check_equal(decoder::loam::highest_level(before_v4)->name, "x86-64-v3");
#endif

  // A processor that the program has nothing for.
  Cpu none(1, decoder::loam::highest_level(nothing));
  check_equal(none.level(), "");
  const std::string no_level = decoder::loam::no_level().message;
  check(no_level.starts_with("the processor has none of the program's levels: "), no_level);
  Cpu best(1);
  const Prepared prepared = decoder::prepare(best, weights());
  auto cache = decoder::make_cache(best, 4, 2);
  const Prepared unprepared = decoder::prepare(none, weights());
  check_equal(step(none, *cache, unprepared, 1).error().message, no_level);
  check_equal(decoder::make_cache(none, 4, 2).error().message, no_level);
  check_equal(decoder::copy_cache(none, *cache, 4).error().message, no_level);
  check_equal(decoder::load_packed(none, {}).error().message, no_level);
  check_equal(step(best, *cache, unprepared, 1).error().message,
              "the prepared weights: made by no backend, and this backend computes at " + std::string(best.level()) + ": make it with this one");

  // What one level made, at another.
  for (const Level* level : here) {
    Cpu lower(1, level);
    try_progress(lower);
    if (level == here.front()) continue;
    const std::string made = ": made at the level " + std::string(best.level()) + ", and this backend computes at " + level->name + ": make it with this one";
    check_equal(step(lower, *cache, prepared, 1).error().message, "the prepared weights" + made);
    check_equal(step(lower, *cache, decoder::prepare(lower, weights()), 1).error().message, "cache" + made);
    check_equal(decoder::copy_cache(lower, *cache, 4).error().message, "cache" + made);
    check(cache->length() == 0, "a refused call leaves the cache as it was");
  }
}

// Packed weights, where they lie in memory: those of one level at each.
void try_packed() {
  for (const Level* written : decoder::loam::levels()) {
    Cpu writes(1, written);
    std::string file;
    decoder::write_packed(decoder::prepare(writes, weights()),
                          [&](const void* data, std::size_t bytes) { file.append(static_cast<const char*>(data), bytes); });
    std::vector<std::byte> room(file.size() + 64);
    void* at = room.data();
    std::size_t space = room.size();
    std::memcpy(std::align(64, file.size(), at, space), file.data(), file.size());
    for (const Level* read : decoder::loam::levels()) {
      Cpu reads(1, read);
      const auto loaded = decoder::load_packed(reads, {static_cast<const std::byte*>(at), file.size()});
      check(loaded.has_value() == (read == written), "packed weights of " + std::string(written->name) + " at " + read->name);
      if (loaded) check(answers(reads, *loaded) == answers(reads, decoder::prepare(reads, weights())), "packed weights give the same answers");
      else check(loaded.error().message.starts_with("the packed weights: the file was packed for vectors of "), loaded.error().message);
    }
  }
}

#endif

}  // namespace

int main([[maybe_unused]] int argc, [[maybe_unused]] char** argv) {
#if defined(LEVELS)
  if (argc == 1) {
    try_refusals();
    try_packed();
    for (const Level* level : decoder::loam::levels()) std::puts(level->name);
    return 0;
  }
  const auto level = find_level(argv[1]);
  check(level.has_value(), message(level));
  Cpu cpu(2, *level);
#else
  Cpu cpu(2);
#endif
  const std::string bytes = answers(cpu, decoder::prepare(cpu, weights()));
  std::fwrite(bytes.data(), 1, bytes.size(), stdout);
  return 0;
}
