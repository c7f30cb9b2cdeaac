// The prepared weights as a file, used where it lies: mapped into memory, a start reads only the pages that a run reads.
//
// The file is of one module, and of one length of vectors, since a product's strips are as wide as its tile: both are said
// in its first 64 bytes. The tensors follow in the module's order, each on a boundary of 64 bytes.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>

#include "ops/matmul/tile.hpp"
#include "runtime/checkpoint.hpp"
#include "runtime/packed.hpp"

namespace loam {

struct PackedHeader {
  std::array<char, 8> magic = {'l', 'o', 'a', 'm', 'p', 'a', 'c', 'k'};
  std::uint32_t version = 1;
  std::uint32_t vector_bytes = static_cast<std::uint32_t>(detail::vector_bytes);
  std::uint64_t module = 0;      // a hash of what lies in the file
  std::uint64_t bytes = 0;       // of the whole file
  std::array<char, 32> unused = {};
};
static_assert(sizeof(PackedHeader) == 64);

namespace detail {

// How many elements lie in memory for a tensor of these extents.
template <class T>
struct Stored {
  static std::int64_t elements(const Dims& dims) { return dims.elements(); }
};
template <class T, class Form>
struct Stored<Packed<T, Form>> {
  static std::int64_t elements(const Dims& dims) { return Form::template elements<T>(dims); }
};

constexpr std::uint64_t to_boundary(std::uint64_t bytes) { return (bytes + 63) / 64 * 64; }

template <class T>
std::uint64_t stored_bytes(const Dims& dims) {
  return static_cast<std::uint64_t>(Stored<T>::elements(dims)) * sizeof(T);
}

}  // namespace detail

// Writes tensors one after another by write(pointer, bytes), once it has been told the sizes of all of them.
template <class Write>
class PackedWriter {
 public:
  explicit PackedWriter(Write& write) : write_(write) {}
  template <class B, class T, class... Axes>
  void measure(const Value<B, T, Axes...>& v) { header_.bytes += detail::to_boundary(detail::stored_bytes<T>(v.dims)); }
  void begin(std::uint64_t module) {
    header_.module = module;
    header_.bytes += sizeof(header_);
    write_(&header_, sizeof(header_));
  }
  template <class B, class T, class... Axes>
  void put(const Value<B, T, Axes...>& v) {
    constexpr std::array<char, 64> zeros{};
    const std::uint64_t bytes = detail::stored_bytes<T>(v.dims);
    if (bytes) write_(static_cast<const void*>(v.storage), static_cast<std::size_t>(bytes));
    if (const std::uint64_t rest = detail::to_boundary(bytes) - bytes) write_(zeros.data(), static_cast<std::size_t>(rest));
  }

 private:
  Write& write_;
  PackedHeader header_ = {};
};

// Finds the tensors in the file's bytes, which must lie on a boundary of 64 and stay while they are used.
class PackedReader {
 public:
  PackedReader(std::span<const std::byte> file, std::uint64_t module) : file_(file), at_(sizeof(PackedHeader)) {
    if (const std::string why = wrong_with(file, module); !why.empty()) fail(why);
  }

  template <class B, class T, class... Axes>
  void get(B& b, Value<B, T, Axes...>& v, const std::array<std::int64_t, sizeof...(Axes)>& extents) {
    if (failed()) return;
    v.dims = Dims(std::span<const std::int64_t>(extents.data(), extents.size()));
    const std::uint64_t bytes = detail::to_boundary(detail::stored_bytes<T>(v.dims));
    if (bytes > file_.size() - at_) return fail("ends within a tensor");
    v.storage = b.template constant<T>(reinterpret_cast<const T*>(file_.data() + at_), detail::Stored<T>::elements(v.dims));
    at_ += static_cast<std::size_t>(bytes);
  }

  bool failed() const { return !error_.message.empty(); }
  const LoadError& error() const { return error_; }

 private:
  static std::string wrong_with(std::span<const std::byte> file, std::uint64_t module) {
    PackedHeader found;
    const PackedHeader own;
    if (file.size() < sizeof(found)) return "has " + std::to_string(file.size()) + " bytes, and its header alone takes 64";
    std::memcpy(&found, file.data(), sizeof(found));
    if (found.magic != own.magic) return "does not begin as a file of packed weights does";
    if (found.version != own.version) return "is of format " + std::to_string(found.version) + ", and the module reads format 1";
    if (found.module != module) return "was packed for another module, or for this one built otherwise: pack it again";
    if (found.vector_bytes != own.vector_bytes)
      return "was packed for vectors of " + std::to_string(found.vector_bytes) + " bytes, and the module is compiled for " +
             std::to_string(own.vector_bytes) + ": pack it with what the module is compiled with";
    if (found.bytes != file.size()) return "has " + std::to_string(file.size()) + " bytes, and its header says " + std::to_string(found.bytes);
    if (reinterpret_cast<std::uintptr_t>(file.data()) % 64 != 0) return "lies on no boundary of 64 bytes: map it, or read it into aligned memory";
    return {};
  }
  void fail(const std::string& why) { error_.message = "the packed weights: the file " + why; }

  std::span<const std::byte> file_;
  std::size_t at_;
  LoadError error_;
};

}  // namespace loam
