#include "compiler/read/wire.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <utility>

namespace loam::wire {
namespace {

constexpr int max_errors = 100;
constexpr std::uint32_t max_field = (1U << 29) - 1;

constexpr const char* words[] = {"a varint", "8 bytes", "a length and bytes", "a group", "a group's end", "4 bytes"};

}  // namespace

Message File::root(const char* type) { return Message(*this, bytes_, type, 0); }

void File::broken(const std::byte* at, std::string message, Code code) {
  if (stopped_) return;
  stopped_ = true;
  ++errors_;
  diagnostics_.error(code, fmt::format("byte {}", offset(at)), std::move(message));
}

void File::wrong(const std::byte* at, std::string_view name, std::string message, Code code) {
  if (stopped_) return;
  if (name.empty()) {
    diagnostics_.error(code, fmt::format("byte {}", offset(at)), std::move(message));
  } else {
    diagnostics_.error(code, std::string(name), fmt::format("{} (byte {})", message, offset(at)));
  }
  if (++errors_ == max_errors) broken(at, fmt::format("{} errors so far; the rest of the file is not read", max_errors));
}

Message::Message(File& file, std::span<const std::byte> bytes, const char* type, int depth)
    : file_(&file),
      begin_(bytes.data()),
      position_(bytes.data()),
      end_(bytes.data() + bytes.size()),
      start_(bytes.data()),
      type_name_(type),
      depth_(depth) {}

void Message::broken(std::string_view what) { file_->broken(start_, fmt::format("{}: {}", type_name_, what)); }

bool Message::next() {
  if (!more()) return false;
  start_ = position_;
  const std::uint64_t key = read_varint();
  if (file_->stopped()) return false;
  const std::uint64_t number = key >> 3;
  if (number == 0 || number > max_field) return broken(fmt::format("no field has the number {}", number)), false;
  field_ = static_cast<std::uint32_t>(number);
  type_ = static_cast<Type>(key & 7);

  std::uint64_t length = 0;
  switch (type_) {
    case Type::varint: varint_ = read_varint(); return !file_->stopped();
    case Type::fixed64: length = 8; break;
    case Type::fixed32: length = 4; break;
    case Type::bytes:
      length = read_varint();
      if (file_->stopped()) return false;
      break;
    case Type::group_start:
    case Type::group_end: return broken(fmt::format("field {} is a group, and ONNX has none", field_)), false;
    default: return broken(fmt::format("field {} has the wire type {}, and there is none", field_, key & 7)), false;
  }
  const auto remaining = static_cast<std::uint64_t>(end_ - position_);
  if (length > remaining) {
    broken(fmt::format("field {} has a length of {} bytes where {} are left", field_, length, remaining));
    return false;
  }
  payload_ = {position_, static_cast<std::size_t>(length)};
  position_ += length;
  return true;
}

std::uint64_t Message::read_varint() {
  std::uint64_t value = 0;
  for (int shift = 0; shift < 64; shift += 7) {
    if (position_ == end_) {
      file_->broken(position_, fmt::format("{}: the bytes end within a varint", type_name_));
      return 0;
    }
    const auto byte = std::to_integer<std::uint64_t>(*position_++);
    value |= (byte & 0x7f) << shift;
    if (byte < 0x80) {
      if (shift == 63 && byte > 1) break;
      return value;
    }
  }
  file_->broken(position_ - 1, fmt::format("{}: a varint is past 64 bits", type_name_));
  return 0;
}

bool Message::expect(Type type) {
  if (file_->stopped()) return false;
  if (type_ == type) return true;
  broken(fmt::format("field {} is {} where {} belongs", field_, words[static_cast<std::size_t>(type_)],
                     words[static_cast<std::size_t>(type)]));
  return false;
}

std::int64_t Message::integer() { return expect(Type::varint) ? static_cast<std::int64_t>(varint_) : 0; }

float Message::float32() {
  return expect(Type::fixed32) ? std::bit_cast<float>(little_endian<std::uint32_t>(payload_.data())) : 0.0F;
}

std::span<const std::byte> Message::bytes() {
  return expect(Type::bytes) ? payload_ : std::span<const std::byte>{};
}

std::string Message::text() {
  const std::span<const std::byte> bytes = this->bytes();
  if (!is_utf8(bytes)) return broken(fmt::format("field {} is text and not UTF-8", field_)), std::string();
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

Message Message::message(const char* type) {
  const std::span<const std::byte> bytes = this->bytes();
  if (depth_ + 1 > max_depth) broken(fmt::format("messages are nested deeper than {}", max_depth));
  return Message(*file_, bytes, type, depth_ + 1);
}

Message Message::sole_message(const char* type) {
  const std::uint64_t bit = std::uint64_t{1} << (field_ & 63);
  if ((met_ & bit) != 0) broken(fmt::format("field {} is given twice", field_));
  met_ |= bit;
  return message(type);
}

Message Message::packed() { return Message(*file_, bytes(), type_name_, depth_); }

void Message::integers(std::vector<std::int64_t>& into) {
  if (type_ == Type::bytes && into.empty()) {
    // Each varint ends with the one byte of it that is below 0x80. A list in many pieces grows as it comes.
    const auto count = std::ranges::count_if(payload_, [](std::byte byte) { return byte < std::byte{0x80}; });
    into.reserve(static_cast<std::size_t>(count));
  }
  each_varint([&](std::uint64_t value) { into.push_back(static_cast<std::int64_t>(value)); });
}

std::span<const std::byte> Message::fixed(std::size_t width) {
  if (type_ == (width == 4 ? Type::fixed32 : Type::fixed64)) return payload_;
  const std::span<const std::byte> bytes = this->bytes();
  if (bytes.size() % width != 0) {
    broken(fmt::format("field {} packs numbers of {} bytes into {}", field_, width, bytes.size()));
    return {};
  }
  return bytes;
}

bool is_utf8(std::span<const std::byte> bytes) {
  std::size_t i = 0;
  const auto at = [&](std::size_t index) { return std::to_integer<std::uint32_t>(bytes[index]); };
  while (i < bytes.size()) {
    const std::uint32_t lead = at(i++);
    if (lead < 0x80) continue;
    const std::size_t more = lead >= 0xf0 ? 3 : lead >= 0xe0 ? 2 : 1;
    if (lead < 0xc2 || lead > 0xf4 || bytes.size() - i < more) return false;
    std::uint32_t point = lead & (0x3fU >> more);
    for (std::size_t k = 0; k < more; ++k) {
      const std::uint32_t byte = at(i++);
      if ((byte & 0xc0) != 0x80) return false;
      point = (point << 6) | (byte & 0x3f);
    }
    const bool overlong = (more == 2 && point < 0x800) || (more == 3 && point < 0x10000);
    if (overlong || point > 0x10ffff || (point >= 0xd800 && point <= 0xdfff)) return false;
  }
  return true;
}

}  // namespace loam::wire
