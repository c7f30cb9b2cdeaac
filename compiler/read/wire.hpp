// Protobuf's wire format (protobuf.dev/programming-guides/encoding), read in place and without trust.
//
// A File is one buffer and what was found wrong in it; a Message is a cursor over the fields of one message in it:
//
//   while (message.next()) switch (message.field()) {
//     case 1: name = message.text(); break;
//     case 2: message.integers(dims); break;   // packed or not
//   }
//
// The first byte that breaks the format ends the reading everywhere: next() is false from then on and the accessors give
// zeros, so a caller checks File::ok() once, at the end. Nothing is allocated but what the file's bytes fill: an element
// of a list has at least a byte of its own.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "compiler/diagnostic.hpp"

namespace loam::wire {

class Message;

class File {
 public:
  File(std::span<const std::byte> bytes, Diagnostics& diagnostics) : bytes_(bytes), diagnostics_(diagnostics) {}

  // The whole file as one message of the given type, whose name is used in diagnostics.
  Message root(const char* type);

  // The bytes at `at` break the format. Reported at "byte N", and the reading ends.
  void broken(const std::byte* at, std::string message, Code code = Code::malformed_file);
  // The format holds and what it says is wrong. Reported at `name`, or at "byte N" where that is empty, and the reading
  // goes on to find more: but not past 100 errors, so that a hostile file cannot make the report larger than itself.
  void wrong(const std::byte* at, std::string_view name, std::string message, Code code = Code::malformed_file);

  bool stopped() const { return stopped_; }
  bool ok() const { return errors_ == 0; }
  std::size_t offset(const std::byte* at) const { return static_cast<std::size_t>(at - bytes_.data()); }

 private:
  std::span<const std::byte> bytes_;
  Diagnostics& diagnostics_;
  int errors_ = 0;
  bool stopped_ = false;
};

enum class Type : std::uint8_t { varint = 0, fixed64 = 1, bytes = 2, group_start = 3, group_end = 4, fixed32 = 5 };

class Message {
 public:
  // Nesting deeper than this is refused, as protobuf's own readers do.
  static constexpr int max_depth = 100;

  Message(File& file, std::span<const std::byte> bytes, const char* type, int depth);

  // Moves to the next field; false at the end, and once the file's reading has stopped.
  bool next();
  std::uint32_t field() const { return field_; }
  const std::byte* at() const { return start_; }  // the field's first byte
  const std::byte* begin() const { return begin_; }
  File& file() const { return *file_; }

  // The field as the type that its schema gives it. Another wire type breaks the file.
  std::int64_t integer();                // int64, int32, enumerations
  float float32();
  std::string text();                    // a string: refused where it is not UTF-8
  std::span<const std::byte> bytes();
  Message message(const char* type);     // an element of a list of messages
  Message sole_message(const char* type);  // a message that stands at most once: a second one is refused, not merged

  // The elements of a list of numbers that this field adds, written packed or one by one.
  template <class Take>
  void each_varint(Take take) {
    if (type_ == Type::varint) return take(varint_);
    Message elements = packed();
    while (elements.more()) take(elements.read_varint());
  }
  void integers(std::vector<std::int64_t>& into);
  // The same for numbers of `width` 4 or 8 bytes: the elements' own bytes, little-endian.
  std::span<const std::byte> fixed(std::size_t width);

 private:
  bool more() const { return position_ != end_ && !file_->stopped(); }
  Message packed();
  std::uint64_t read_varint();
  bool expect(Type type);
  void broken(std::string_view what);

  File* file_;
  const std::byte* begin_;
  const std::byte* position_;
  const std::byte* end_;
  const std::byte* start_;
  const char* type_name_;
  int depth_;
  std::uint32_t field_ = 0;
  Type type_ = Type::varint;
  std::uint64_t varint_ = 0;
  std::span<const std::byte> payload_;
  std::uint64_t met_ = 0;  // a bit per field number that sole_message() has met
};

// A little-endian number of the file, whatever this machine's order.
template <class Unsigned>
Unsigned little_endian(const std::byte* bytes) {
  Unsigned value = 0;
  for (std::size_t i = 0; i < sizeof(Unsigned); ++i)
    value = static_cast<Unsigned>(value | static_cast<Unsigned>(std::to_integer<Unsigned>(bytes[i]) << (8 * i)));
  return value;
}

bool is_utf8(std::span<const std::byte> bytes);

}  // namespace loam::wire
