// Random weights kept as a formula: a data file that a test model points to, made where a weights.json stands for it.
//
// weights.json maps each initializer's name to its shape, mean, std and byte offset in the file. Element i of NAME is
//   mean + std * sqrt(12) * (u - 0.5),   u = top 24 bits of splitmix64(fnv1a64(NAME) + i) / 2^24,
// computed in double and stored as little-endian float32.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string_view>

namespace loam::cli {

float zoo_weight(std::uint64_t name_hash, std::uint64_t index, double mean, double std);

// The file that `weights_json` describes, made below `cache` unless it is there already, and known by its content.
// Written in pieces, so a file larger than memory is fine. Throws a Failure where the JSON is not of this form.
std::filesystem::path make_zoo_weights(const std::filesystem::path& weights_json, const std::filesystem::path& cache);

}  // namespace loam::cli
