#include "cli/npy.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <bit>
#include <charconv>
#include <cstring>
#include <optional>
#include <utility>

#include "cli/failure.hpp"

namespace loam::cli {
namespace {

constexpr std::string_view magic = "\x93NUMPY";

struct Descr {
  std::string_view text;  // without the byte order
  DType dtype;
};
constexpr std::array descrs{
    Descr{"b1", DType::boolean},   Descr{"i1", DType::int8},        Descr{"i2", DType::int16},
    Descr{"i4", DType::int32},     Descr{"i8", DType::int64},       Descr{"u1", DType::uint8},
    Descr{"u2", DType::uint16},    Descr{"u4", DType::uint32},      Descr{"u8", DType::uint64},
    Descr{"f2", DType::float16},   Descr{"f4", DType::float32},     Descr{"f8", DType::float64},
    Descr{"c8", DType::complex64}, Descr{"c16", DType::complex128},
};

// The header is a Python literal of one known shape: {'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }.
class Header {
 public:
  Header(std::string_view file, std::string_view text) : file_(file), text_(text) {}

  std::string descr;
  bool fortran = false;
  std::vector<std::int64_t> shape;

  void read() {
    bool seen[3] = {};
    expect('{');
    while (!accept('}')) {
      const std::string key = quoted();
      expect(':');
      if (key == "descr") {
        if (peek() != '\'' && peek() != '"') fail("a structured type, which Loam does not read");
        descr = quoted();
        seen[0] = true;
      } else if (key == "fortran_order") {
        fortran = boolean();
        seen[1] = true;
      } else if (key == "shape") {
        shape = tuple();
        seen[2] = true;
      } else {
        fail("an unknown key '" + key + "' in the header");
      }
      if (!accept(',')) {
        expect('}');
        break;
      }
    }
    if (peek() != '\0') fail("characters after the header");
    if (!seen[0] || !seen[1] || !seen[2]) fail("a header without 'descr', 'fortran_order' or 'shape'");
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    throw Failure(fmt::format("{}: the .npy file has {}", file_, what));
  }
  char peek() {
    while (!text_.empty() && (text_.front() == ' ' || text_.front() == '\n')) text_.remove_prefix(1);
    return text_.empty() ? '\0' : text_.front();
  }
  bool accept(char c) {
    if (peek() != c) return false;
    text_.remove_prefix(1);
    return true;
  }
  void expect(char c) {
    if (!accept(c)) fail(fmt::format("a malformed header: '{}' is missing", c));
  }
  std::string quoted() {
    const char quote = peek();
    const std::size_t end = quote == '\'' || quote == '"' ? text_.find(quote, 1) : text_.npos;
    if (end == text_.npos) fail("a malformed header: a string is missing");
    std::string value(text_.substr(1, end - 1));
    text_.remove_prefix(end + 1);
    return value;
  }
  bool boolean() {
    peek();
    for (const auto& [word, value] : {std::pair<std::string_view, bool>{"True", true}, {"False", false}})
      if (text_.starts_with(word)) {
        text_.remove_prefix(word.size());
        return value;
      }
    fail("a malformed header: True or False is missing");
  }
  std::vector<std::int64_t> tuple() {
    std::vector<std::int64_t> values;
    expect('(');
    while (!accept(')')) {
      peek();
      std::int64_t value = 0;
      const auto [end, error] = std::from_chars(text_.data(), text_.data() + text_.size(), value);
      if (error != std::errc{} || value < 0) fail("a malformed header: the shape is no list of lengths");
      text_.remove_prefix(static_cast<std::size_t>(end - text_.data()));
      values.push_back(value);
      if (!accept(',')) {
        expect(')');
        break;
      }
    }
    return values;
  }

  std::string_view file_, text_;
};

// Elements of `size` bytes whose first index varies fastest, put so that the last one does.
void to_row_major(HostTensor& tensor, std::size_t size) {
  const std::size_t rank = tensor.extents.size();
  std::vector<std::byte> out(tensor.data.size());
  std::vector<std::int64_t> index(rank);
  for (std::size_t place = 0; place < out.size() / size; ++place) {
    std::size_t from = 0;
    for (std::size_t axis = rank; axis-- > 0;)
      from = from * static_cast<std::size_t>(tensor.extents[axis]) + static_cast<std::size_t>(index[axis]);
    std::memcpy(out.data() + place * size, tensor.data.data() + from * size, size);
    for (std::size_t axis = rank; axis-- > 0 && ++index[axis] == tensor.extents[axis];) index[axis] = 0;
  }
  tensor.data = std::move(out);
}

}  // namespace

HostTensor read_npy(std::string_view name, std::span<const std::byte> file, DType raw) {
  const std::string_view text(reinterpret_cast<const char*>(file.data()), file.size());
  const auto fail = [&](const std::string& what) { throw Failure(fmt::format("{}: {}", name, what)); };
  if (text.size() < 10 || !text.starts_with(magic)) fail("is no .npy file");
  const auto byte = [&](std::size_t at) { return std::to_integer<std::size_t>(file[at]); };
  const std::size_t version = byte(6);
  if (version < 1 || version > 3) fail(fmt::format("is a .npy file of version {}, and Loam reads 1 to 3", version));
  const std::size_t start = version == 1 ? 10 : 12;
  if (text.size() < start) fail("the .npy file ends within its header");
  const std::size_t length =
      version == 1 ? byte(8) | byte(9) << 8 : byte(8) | byte(9) << 8 | byte(10) << 16 | byte(11) << 24;
  if (length > text.size() - start) fail("the .npy file ends within its header");

  Header header(name, text.substr(start, length));
  header.read();
  const char order = header.descr.empty() ? '\0' : header.descr.front();
  const std::string_view kind = std::string_view(header.descr).substr(order == '\0' ? 0 : 1);
  HostTensor tensor;
  for (const Descr& known : descrs)
    if (known.text == kind) tensor.dtype = known.dtype;
  if (kind == (dtype_bits(raw) == 16 ? "V2" : "V1")) tensor.dtype = raw;
  const bool big = std::endian::native == std::endian::big;
  if (order != '|' && order != '=' && order != (big ? '>' : '<') && !kind.ends_with("1"))
    fail(fmt::format("is of type '{}', in another byte order than this machine's", header.descr));
  if (tensor.dtype == DType::undefined) fail(fmt::format("is of type '{}', which Loam does not read", header.descr));
  if (header.shape.size() > 8) fail(fmt::format("has {} axes, and Loam reads at most 8", header.shape.size()));
  tensor.extents = header.shape;

  const std::optional<std::int64_t> elements = element_count(tensor.extents);
  const DType as = dtype_bits(tensor.dtype) < 8 ? DType::uint8 : tensor.dtype;  // sub-byte types in a byte each
  const std::optional<std::uint64_t> bytes = elements ? dense_bytes(as, *elements) : std::nullopt;
  const std::size_t present = text.size() - start - length;
  if (!bytes || *bytes != present)
    fail(fmt::format("{} does not take the {} bytes that follow the header", describe(tensor.dtype, tensor.extents),
                     present));
  const std::span<const std::byte> payload = file.subspan(start + length);
  tensor.data.assign(payload.begin(), payload.end());
  if (tensor.dtype == DType::boolean)
    for (std::byte& b : tensor.data)
      b = b == std::byte{0} ? b : std::byte{1};  // any other value of a bool is undefined
  tensor.data = unpacked(tensor.dtype, packed(tensor.dtype, tensor.data), *elements);  // no bits but an element's own
  if (header.fortran && tensor.extents.size() > 1 && *elements > 0)
    to_row_major(tensor, static_cast<std::size_t>(*bytes) / static_cast<std::size_t>(*elements));
  return tensor;
}

std::string write_npy(const harness::RawTensor& tensor) {
  const DType dtype = dtype_of(tensor);
  std::string kind;
  for (const Descr& known : descrs)
    if (known.dtype == dtype) kind = known.text;
  if (kind.empty() && dtype_bits(dtype) > 0) kind = fmt::format("V{}", std::max(1, dtype_bits(dtype) / 8));
  if (kind.empty()) throw Failure(fmt::format("a tensor of type {} has no .npy form", dtype_name(dtype)));
  const char order = kind.ends_with("1") ? '|' : std::endian::native == std::endian::big ? '>' : '<';

  const std::span<const std::int64_t> extents = extents_of(tensor);
  std::string header = fmt::format("{{'descr': '{}{}', 'fortran_order': False, 'shape': ({}{}), }}", order, kind,
                                   fmt::join(extents, ", "), extents.size() == 1 ? "," : "");
  const std::size_t before = magic.size() + 4;
  header.append(63 - (before + header.size()) % 64, ' ');  // so that the data lie on a multiple of 64
  header += '\n';
  std::string file(magic);
  file += {'\1', '\0', static_cast<char>(header.size() & 0xff), static_cast<char>(header.size() >> 8)};
  file += header;
  file.append(static_cast<const char*>(tensor.data), tensor.bytes);
  return file;
}

}  // namespace loam::cli
