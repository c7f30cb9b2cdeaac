// Reads a module's weights from the bytes it is given: a safetensors checkpoint, data files, or the module itself.
//
// Everything that is wrong is collected, tensor and axis named, so that one load reports it all. A tensor whose bytes
// are aligned for its type is borrowed where they lie; the caller keeps them there while the weights live.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "runtime/half.hpp"
#include "runtime/result.hpp"
#include "runtime/tensor.hpp"

namespace loam {

static_assert(std::endian::native == std::endian::little, "checkpoints are little-endian and used as they lie");

// Why a module's weights could not be had: one line per tensor.
struct LoadError {
  std::string message;
};

// A data file that the graph points to.
struct DataFile {
  std::string_view location;  // as the graph spells it
  std::span<const std::byte> bytes;
};

namespace detail {

// What safetensors calls an element type.
template <class T>
constexpr std::string_view stored_name() {
  if constexpr (std::is_same_v<T, float>) return "F32";
  else if constexpr (std::is_same_v<T, double>) return "F64";
  else if constexpr (std::is_same_v<T, float16>) return "F16";
  else if constexpr (std::is_same_v<T, bfloat16>) return "BF16";
  else if constexpr (std::is_same_v<T, bool>) return "BOOL";
  else if constexpr (std::is_same_v<T, std::int8_t>) return "I8";
  else if constexpr (std::is_same_v<T, std::uint8_t>) return "U8";
  else if constexpr (std::is_same_v<T, std::int16_t>) return "I16";
  else if constexpr (std::is_same_v<T, std::uint16_t>) return "U16";
  else if constexpr (std::is_same_v<T, std::int32_t>) return "I32";
  else if constexpr (std::is_same_v<T, std::uint32_t>) return "U32";
  else if constexpr (std::is_same_v<T, std::int64_t>) return "I64";
  else if constexpr (std::is_same_v<T, std::uint64_t>) return "U64";
  else if constexpr (requires { T::stored_name; }) return T::stored_name;
  else return "a type that safetensors lacks";
}

// The bytes that elements take in a file: those of less than a byte are packed, low bits first.
template <class T>
constexpr std::uint64_t stored_bytes(std::uint64_t elements) {
  if constexpr (requires { T::packed_bits; }) return elements / (8 / T::packed_bits) + (elements % (8 / T::packed_bits) != 0);
  else return elements * sizeof(T);
}

struct StoredTensor {
  std::string dtype;
  std::vector<std::int64_t> shape;
  std::uint64_t begin = 0, end = 0;
};

// The header's JSON: {"name": {"dtype": "F32", "shape": [..], "data_offsets": [begin, end]}, "__metadata__": {..}}.
// Only that shape is read; anything else ends it with the byte it stands at.
class HeaderParser {
 public:
  explicit HeaderParser(std::string_view text) : text_(text) {}

  bool parse(std::map<std::string, StoredTensor, std::less<>>& tensors) {
    if (!take('{')) return false;
    if (peek('}')) return true;
    do {
      std::string name;
      if (!string(name) || !take(':')) return false;
      if (name == "__metadata__") {
        if (!metadata()) return false;
        continue;
      }
      StoredTensor tensor;
      if (!entry(tensor)) return false;
      if (!tensors.emplace(std::move(name), std::move(tensor)).second) return false;
    } while (peek(','));
    return take('}');
  }
  std::size_t at() const { return at_; }

 private:
  void space() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n' || text_[at_] == '\t' || text_[at_] == '\r')) ++at_;
  }
  bool peek(char c) {
    space();
    if (at_ >= text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }
  bool take(char c) { return peek(c); }
  bool string(std::string& out) {
    if (!take('"')) return false;
    while (at_ < text_.size() && text_[at_] != '"') {
      char c = text_[at_++];
      if (c == '\\') {
        if (at_ >= text_.size()) return false;
        c = text_[at_++];
        if (c == 'u') {  // names are almost always ASCII: what is not is kept as its UTF-8
          if (at_ + 4 > text_.size()) return false;
          unsigned code = 0;
          for (int i = 0; i < 4; ++i) {
            const char h = text_[at_++];
            code = code * 16 + static_cast<unsigned>(h <= '9' ? h - '0' : (h | 32) - 'a' + 10);
          }
          if (code < 0x80) out += static_cast<char>(code);
          else if (code < 0x800) (out += static_cast<char>(0xc0 | (code >> 6))) += static_cast<char>(0x80 | (code & 63));
          else ((out += static_cast<char>(0xe0 | (code >> 12))) += static_cast<char>(0x80 | ((code >> 6) & 63))) += static_cast<char>(0x80 | (code & 63));
          continue;
        }
        c = c == 'n' ? '\n' : c == 't' ? '\t' : c == 'r' ? '\r' : c == 'b' ? '\b' : c == 'f' ? '\f' : c;
      }
      out += c;
    }
    return take('"');
  }
  bool number(std::uint64_t& out) {
    space();
    const std::size_t start = at_;
    out = 0;
    while (at_ < text_.size() && text_[at_] >= '0' && text_[at_] <= '9') {
      const auto digit = static_cast<std::uint64_t>(text_[at_++] - '0');
      if (out > (0x7fffffffffffffffu - digit) / 10) return false;
      out = out * 10 + digit;
    }
    return at_ > start;
  }
  bool numbers(std::vector<std::uint64_t>& out) {
    if (!take('[')) return false;
    if (peek(']')) return true;
    do {
      std::uint64_t n;
      if (!number(n)) return false;
      out.push_back(n);
    } while (peek(','));
    return take(']');
  }
  bool metadata() {
    if (!take('{')) return false;
    if (peek('}')) return true;
    do {
      std::string key, value;
      if (!string(key) || !take(':') || !string(value)) return false;
    } while (peek(','));
    return take('}');
  }
  bool entry(StoredTensor& tensor) {
    if (!take('{')) return false;
    do {
      std::string key;
      if (!string(key) || !take(':')) return false;
      std::vector<std::uint64_t> list;
      if (key == "dtype") {
        if (!string(tensor.dtype)) return false;
      } else if (key == "shape") {
        if (!numbers(list)) return false;
        tensor.shape.assign(list.begin(), list.end());
      } else if (key == "data_offsets") {
        if (!numbers(list) || list.size() != 2) return false;
        tensor.begin = list[0];
        tensor.end = list[1];
      } else {
        return false;
      }
    } while (peek(','));
    return take('}');
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

}  // namespace detail

// One load in progress: each call fills one tensor of the module's Weights, or notes why it cannot.
class FileLoader {
 public:
  explicit FileLoader(std::span<const DataFile> files) : files_(files) {}

  // From a data file the graph points to.
  template <class T, class... Axes>
  void external(Tensor<T, Axes...>& tensor, std::string_view name, std::string_view location, std::uint64_t offset,
                const std::array<std::int64_t, sizeof...(Axes)>& extents) {
    if (const auto bytes = part(name, location, offset, detail::stored_bytes<T>(count(extents)))) take(tensor, name, extents, *bytes);
  }

  // From the module, where every element takes whole bytes.
  template <class T, class... Axes>
  void embedded(Tensor<T, Axes...>& tensor, const std::array<std::int64_t, sizeof...(Axes)>& extents, const char* bytes) {
    tensor = Tensor<T, Axes...>::borrow(extents, reinterpret_cast<const T*>(bytes));
  }

  bool failed() const { return !error_.empty(); }
  LoadError error() const { return {error_}; }

 protected:
  using Bytes = std::span<const std::byte>;

  template <std::size_t N>
  static std::uint64_t count(const std::array<std::int64_t, N>& extents) {
    std::uint64_t n = 1;
    for (const std::int64_t e : extents) n *= static_cast<std::uint64_t>(e);
    return n;
  }

  template <class T, class... Axes>
  void take(Tensor<T, Axes...>& tensor, std::string_view name, const std::array<std::int64_t, sizeof...(Axes)>& extents,
            Bytes bytes) {
    if (!fits(name, bytes.size(), detail::stored_bytes<T>(count(extents)))) return;
    if constexpr (requires { T::packed_bits; }) {
      tensor = Tensor<T, Axes...>(extents);
      constexpr std::size_t in_a_byte = 8 / T::packed_bits;
      for (std::size_t i = 0; i < count(extents); ++i) {
        const auto byte = static_cast<unsigned>(bytes[i / in_a_byte]);
        tensor.data()[i] = T::of_bits(static_cast<std::uint8_t>(byte >> (i % in_a_byte * T::packed_bits)));
      }
      return;
    }
    if (reinterpret_cast<std::uintptr_t>(bytes.data()) % alignof(T) == 0) {
      tensor = Tensor<T, Axes...>::borrow(extents, reinterpret_cast<const T*>(bytes.data()));
      return;
    }
    tensor = Tensor<T, Axes...>(extents);
    std::memcpy(tensor.data(), bytes.data(), bytes.size());
  }

  void note(std::string_view site, const std::string& what) {
    if (!error_.empty()) error_ += '\n';
    error_ += std::string(site) + ": " + what;
  }

 private:
  // So many bytes of a data file.
  std::optional<Bytes> part(std::string_view name, std::string_view location, std::uint64_t offset, std::uint64_t bytes) {
    for (const DataFile& file : files_) {
      if (file.location != location) continue;
      if (offset <= file.bytes.size() && bytes <= file.bytes.size() - offset)
        return file.bytes.subspan(static_cast<std::size_t>(offset), static_cast<std::size_t>(bytes));
      note(name, "its " + std::to_string(bytes) + " bytes at " + std::to_string(offset) + " are not in " + std::string(location) + ", of " + std::to_string(file.bytes.size()));
      return std::nullopt;
    }
    note(name, "lies in " + std::string(location) + ", which was not given");
    return std::nullopt;
  }

  bool fits(std::string_view name, std::uint64_t bytes, std::uint64_t needed) {
    if (bytes != needed) note(name, "has " + std::to_string(bytes) + " bytes, and its shape needs " + std::to_string(needed));
    return bytes == needed;
  }

  std::span<const DataFile> files_;
  std::string error_;
};

// The same of a module that has weights of a checkpoint: one that has none carries no reader of its header.
class Loader : public FileLoader {
 public:
  Loader(std::span<const std::byte> checkpoint, std::span<const DataFile> files) : FileLoader(files) {
    if (!checkpoint.empty()) open(checkpoint);
  }

  // From the checkpoint, by name.
  template <class T, class... Axes>
  void checkpoint(Tensor<T, Axes...>& tensor, std::string_view name, const std::array<std::int64_t, sizeof...(Axes)>& extents,
                  const std::array<const char*, sizeof...(Axes)>& axes) {
    if (const auto bytes = stored(name, detail::stored_name<T>(), extents, axes)) take(tensor, name, extents, *bytes);
  }

 private:
  // The bytes of the checkpoint's tensor of this name, type and extents. Not templated, as all that words an error: a
  // module has many types of weights, and each would carry these words.
  std::optional<Bytes> stored(std::string_view name, std::string_view dtype, std::span<const std::int64_t> extents,
                              std::span<const char* const> axes) {
    const auto it = tensors_.find(name);
    if (it == tensors_.end()) {
      if (opened_) note(name, "the checkpoint holds no tensor of this name");
      else if (!failed()) note(name, "is not in the module, and no checkpoint was given");
      return std::nullopt;
    }
    const detail::StoredTensor& stored = it->second;
    if (stored.dtype != dtype) {
      note(name, "is " + stored.dtype + " in the checkpoint and " + std::string(dtype) + " in the module");
      return std::nullopt;
    }
    if (stored.shape.size() != extents.size()) {
      note(name, "has " + std::to_string(stored.shape.size()) + " axes in the checkpoint and " + std::to_string(extents.size()) + " in the module");
      return std::nullopt;
    }
    for (std::size_t i = 0; i < extents.size(); ++i)
      if (stored.shape[i] != extents[i]) {
        note(name, "axis " + std::string(axes[i]) + " is " + std::to_string(stored.shape[i]) + " in the checkpoint and " + std::to_string(extents[i]) + " in the module");
        return std::nullopt;
      }
    if (stored.begin > stored.end || stored.end > payload_.size()) {
      note(name, "its bytes " + std::to_string(stored.begin) + " to " + std::to_string(stored.end) + " are not in the checkpoint's " + std::to_string(payload_.size()));
      return std::nullopt;
    }
    return payload_.subspan(static_cast<std::size_t>(stored.begin), static_cast<std::size_t>(stored.end - stored.begin));
  }

  void open(std::span<const std::byte> file) {
    std::uint64_t length = 0;
    if (file.size() >= 8) std::memcpy(&length, file.data(), 8);
    if (file.size() < 8 || length > file.size() - 8) {
      note("checkpoint", "is " + std::to_string(file.size()) + " bytes, and its header alone is " + std::to_string(length));
      return;
    }
    detail::HeaderParser parser({reinterpret_cast<const char*>(file.data()) + 8, static_cast<std::size_t>(length)});
    if (!parser.parse(tensors_)) {
      note("checkpoint", "byte " + std::to_string(8 + parser.at()) + " of its header is not what safetensors allows there");
      tensors_.clear();
      return;
    }
    payload_ = file.subspan(8 + static_cast<std::size_t>(length));
    opened_ = true;
  }

  std::map<std::string, detail::StoredTensor, std::less<>> tensors_;
  Bytes payload_;
  bool opened_ = false;
};

}  // namespace loam
