#include "compiler/read/wire.hpp"

#include <gtest/gtest.h>

#include "tests/read/read_support.hpp"

namespace loam::test {
namespace {

struct Opened {
  std::string bytes;
  Diagnostics diagnostics;
  wire::File file;
  explicit Opened(std::string text) : bytes(std::move(text)), file(bytes_of(bytes), diagnostics) {}
  std::string error() const { return diagnostics.list().empty() ? "" : diagnostics.list().front().text(); }
};

// Walks every field and returns the diagnostic.
std::string walk(std::string text) {
  Opened opened(std::move(text));
  wire::Message message = opened.file.root("M");
  while (message.next()) {
  }
  return opened.error();
}

TEST(Wire, reads_each_type) {
  Proto proto;
  proto.integer(1, -1).text(2, "héllo").float32(3, 1.5F).packed(4, {1, 300, -2}).integer(4, 7);
  Opened opened(proto.bytes);
  wire::Message message = opened.file.root("M");
  ASSERT_TRUE(message.next());
  EXPECT_EQ(message.integer(), -1);
  ASSERT_TRUE(message.next());
  EXPECT_EQ(message.text(), "héllo");
  ASSERT_TRUE(message.next());
  EXPECT_EQ(message.float32(), 1.5F);
  std::vector<std::int64_t> list;
  while (message.next()) message.integers(list);
  EXPECT_EQ(list, (std::vector<std::int64_t>{1, 300, -2, 7}));
  EXPECT_TRUE(opened.file.ok());
}

TEST(Wire, names_the_byte_of_what_is_malformed) {
  EXPECT_EQ(walk("\x08"), "byte 1: M: the bytes end within a varint [malformed-file]");
  EXPECT_EQ(walk("\x08\x80"), "byte 2: M: the bytes end within a varint [malformed-file]");
  EXPECT_EQ(walk(std::string("\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\x02")),
            "byte 10: M: a varint is past 64 bits [malformed-file]");
  EXPECT_EQ(walk("\x08\x01\x12\x05" "abcd"),
            "byte 2: M: field 2 has a length of 5 bytes where 4 are left [malformed-file]");
  EXPECT_EQ(walk("\x09zzz"), "byte 0: M: field 1 has a length of 8 bytes where 3 are left [malformed-file]");
  EXPECT_EQ(walk("\x0b"), "byte 0: M: field 1 is a group, and ONNX has none [malformed-file]");
  EXPECT_EQ(walk("\x0e"), "byte 0: M: field 1 has the wire type 6, and there is none [malformed-file]");
  EXPECT_EQ(walk(std::string("\x00\x00", 2)), "byte 0: M: no field has the number 0 [malformed-file]");
}

TEST(Wire, a_length_past_any_memory_allocates_nothing) {
  Proto proto;
  proto.key(9, 2).raw_varint(~std::uint64_t{0});
  EXPECT_NE(walk(proto.bytes).find("where 0 are left"), std::string::npos);
}

TEST(Wire, refuses_another_type_than_the_schema_has) {
  Opened opened(Proto().integer(1, 5).bytes);
  wire::Message message = opened.file.root("M");
  ASSERT_TRUE(message.next());
  EXPECT_EQ(message.text(), "");
  EXPECT_EQ(opened.error(), "byte 0: M: field 1 is a varint where a length and bytes belongs [malformed-file]");
  EXPECT_FALSE(message.next());
}

TEST(Wire, refuses_nesting_past_its_limit) {
  Proto proto;
  for (int i = 0; i < 101; ++i) proto = Proto().message(1, proto);
  Opened opened(proto.bytes);
  wire::Message message = opened.file.root("M");
  while (message.next()) message = message.message("M");
  EXPECT_NE(opened.error().find("nested deeper than 100"), std::string::npos);
}

TEST(Wire, tells_utf8) {
  EXPECT_TRUE(wire::is_utf8(bytes_of("aé€😀")));
  for (const char* bad : {"\x80", "\xc3", "\xc0\x80", "\xe0\x80\x80", "\xed\xa0\x80", "\xf4\x90\x80\x80", "\xff"})
    EXPECT_FALSE(wire::is_utf8(bytes_of(bad))) << bad;
}

}  // namespace
}  // namespace loam::test
