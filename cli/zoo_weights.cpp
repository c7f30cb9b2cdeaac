#include "cli/zoo_weights.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <system_error>
#include <vector>

#include "cli/failure.hpp"
#include "cli/files.hpp"
#include "cli/hash.hpp"
#include "compiler/graph/dtype.hpp"
#include "compiler/fnv.hpp"

namespace loam::cli {
namespace {

struct Weight {
  std::string name;
  std::uint64_t elements = 0, offset = 0;
  double mean = 0, std = 0;
};

std::vector<Weight> read_weights(const fs::path& path, std::string_view text) {
  const auto fail = [&](const std::string& what) { throw Failure(path.string() + ": " + what); };
  const nlohmann::json json = nlohmann::json::parse(text, nullptr, false);
  if (!json.is_object()) fail("is no JSON object");
  std::vector<Weight> weights;
  for (const auto& [name, entry] : json.items()) {
    const auto has = [&, &item = entry](const char* key) { return item.contains(key) && item[key].is_number(); };
    if (!entry.is_object() || !entry.contains("shape") || !entry["shape"].is_array() || !has("mean") || !has("std") ||
        !has("offset") || !entry["offset"].is_number_unsigned())
      fail(name + ": needs shape, mean, std and offset");
    std::vector<std::int64_t> dims;
    for (const nlohmann::json& dim : entry["shape"])
      dims.push_back(dim.is_number_integer() ? dim.get<std::int64_t>() : -1);
    const auto elements = element_count(dims);
    if (!elements || *elements > (std::int64_t{1} << 40)) fail(name + ": the shape is no list of lengths");
    weights.push_back({name, static_cast<std::uint64_t>(*elements), entry["offset"].get<std::uint64_t>(),
                       entry["mean"].get<double>(), entry["std"].get<double>()});
  }
  std::ranges::sort(weights, {}, &Weight::offset);
  std::uint64_t end = 0;
  for (const Weight& weight : weights) {
    if (weight.offset != end)
      fail(fmt::format("{}: is at {} and the tensor before it ends at {}", weight.name, weight.offset, end));
    end += weight.elements * sizeof(float);
  }
  return weights;
}

void write_weights(std::ofstream& out, const Weight& weight) {
  constexpr std::uint64_t piece = 1 << 18;
  const std::uint64_t hash = fnv1a64(weight.name);
  std::vector<float> values;
  for (std::uint64_t first = 0; first < weight.elements; first += piece) {
    values.resize(std::min(piece, weight.elements - first));
    for (std::uint64_t i = 0; i < values.size(); ++i) values[i] = zoo_weight(hash, first + i, weight.mean, weight.std);
    out.write(reinterpret_cast<const char*>(values.data()),
              static_cast<std::streamsize>(values.size() * sizeof(float)));
  }
}

}  // namespace

float zoo_weight(std::uint64_t name_hash, std::uint64_t index, double mean, double std) {
  std::uint64_t x = name_hash + index + 0x9E3779B97F4A7C15U;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9U;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBU;
  x = x ^ (x >> 31);
  const double u = static_cast<double>(x >> 40) / 0x1p24;
  return static_cast<float>(mean + std * std::sqrt(12.0) * (u - 0.5));
}

fs::path make_zoo_weights(const fs::path& weights_json, const fs::path& cache) {
  const MappedFile json(weights_json);
  const fs::path folder = cache / "weights";
  const fs::path path = folder / (Sha256().add(json.text()).hex() + ".bin");
  if (fs::exists(path)) return path;
  const std::vector<Weight> weights = read_weights(weights_json, json.text());
  std::error_code error;
  fs::create_directories(folder, error);
  // Several processes may make one file at once: each writes its own, and the last rename wins with the same bytes.
  const fs::path temporary = fmt::format("{}.{}", path.string(), ::getpid());
  std::ofstream out(temporary, std::ios::binary | std::ios::trunc);
  for (const Weight& weight : weights)
    if (out) write_weights(out, weight);
  out.close();
  if (out) fs::rename(temporary, path, error);
  if (!out || error) {
    fs::remove(temporary, error);
    throw Failure(path.string() + ": cannot write the weights of " + weights_json.string());
  }
  return path;
}

}  // namespace loam::cli
