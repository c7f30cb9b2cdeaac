#include "compiler/read/safetensors.hpp"

#include <gtest/gtest.h>

#include "tests/read/read_support.hpp"

namespace loam::test {
namespace {

std::string with_length(std::string_view json) {
  return Proto::little_endian(static_cast<std::uint64_t>(json.size())) + std::string(json);
}

struct HeaderReading {
  Diagnostics diagnostics;
  std::optional<CheckpointHeader> header;
  HeaderReading(std::string_view file, std::optional<std::uint64_t> size)
      : header(read_safetensors_header(bytes_of(file), size, diagnostics)) {}
  std::string errors() const {
    std::string text;
    for (const Diagnostic& diagnostic : diagnostics.list()) text += diagnostic.text() + "\n";
    return text;
  }
};

std::string errors(std::string_view json, std::optional<std::uint64_t> size = std::nullopt) {
  return HeaderReading(with_length(json), size).errors();
}

std::string entry(std::string_view fields) { return "{\"w\":{" + std::string(fields) + "}}"; }

TEST(Safetensors, a_header) {
  const std::string json =
      R"({"__metadata__":{"format":"pt"},"b":{"dtype":"F16","shape":[2,3],"data_offsets":[4,16]},)"
      R"("a":{"dtype":"I32","shape":[],"data_offsets":[0,4]},"e":{"dtype":"F32","shape":[0],"data_offsets":[7,7]}}   )";
  const HeaderReading read(with_length(json), 8 + json.size() + 16);
  ASSERT_TRUE(read.header) << read.errors();
  EXPECT_EQ(read.header->header_bytes, 8 + json.size());
  EXPECT_EQ(read.header->metadata, (std::vector<std::pair<std::string, std::string>>{{"format", "pt"}}));
  ASSERT_EQ(read.header->tensors.size(), 3U);
  EXPECT_EQ(read.header->tensors[0].name, "a");
  const CheckpointTensor* b = read.header->find("b");
  ASSERT_NE(b, nullptr);
  EXPECT_EQ(b->dtype, DType::float16);
  EXPECT_EQ(b->dims, (std::vector<std::int64_t>{2, 3}));
  EXPECT_EQ(b->offset, 8 + json.size() + 4);
  EXPECT_EQ(b->bytes, 12U);
  EXPECT_EQ(read.header->find("c"), nullptr);
}

TEST(Safetensors, a_header_longer_than_the_file_or_than_any) {
  EXPECT_EQ(HeaderReading("abc", 3).errors(), "byte 3: the file ends within the length of its header [malformed-file]\n");
  const std::string file = Proto::little_endian(std::uint64_t{1000}) + "{}";
  EXPECT_EQ(HeaderReading(file, file.size()).errors(),
            "byte 0: the header is said to be 1000 bytes long, and the file has 2 after its length [malformed-file]\n");
  EXPECT_EQ(HeaderReading(file, std::nullopt).errors(),
            "byte 10: the bytes end within the header, which ends at 1008 [malformed-file]\n");
  EXPECT_EQ(HeaderReading(std::string(8, '\xff'), std::nullopt).errors(),
            "byte 0: the header is said to be 18446744073709551615 bytes long; safetensors allows 100000000 "
            "[malformed-file]\n");
}

TEST(Safetensors, how_much_to_read) {
  Diagnostics diagnostics;
  EXPECT_EQ(safetensors_header_bytes(bytes_of(Proto::little_endian(std::uint64_t{92})), std::nullopt, diagnostics), 100U);
}

TEST(Safetensors, json_that_is_none_or_another) {
  EXPECT_EQ(errors(R"({"w":)"), "byte 13: the header is no JSON from here on [malformed-file]\n");
  EXPECT_EQ(errors(R"({"w":{]})"), "byte 14: the header is no JSON from here on [malformed-file]\n");
  EXPECT_EQ(errors("{}{}"), "byte 10: the header is no JSON from here on [malformed-file]\n");
  EXPECT_EQ(errors("[]"), "byte 8: the header is a list where an object belongs [malformed-file]\n");
  EXPECT_EQ(errors("7"), "byte 8: the header is a number where an object belongs [malformed-file]\n");
  EXPECT_EQ(errors(R"({"w":3})"), "w: its entry is a number where an object belongs [malformed-file]\n");
  EXPECT_EQ(errors(R"({"__metadata__":{"a":{}}})"), "__metadata__: a is an object [malformed-file]\n");
  EXPECT_EQ(errors(entry(R"("shape":[[1]])")), "w: shape holds a list [malformed-file]\n");
  EXPECT_EQ(errors(entry(R"("shape":["1"])")), "w: shape holds a string [malformed-file]\n");
  EXPECT_EQ(errors(entry(R"("shape":7)")), "w: shape is a number [malformed-file]\n");
  EXPECT_EQ(errors(entry(R"("dtype":null)")), "w: dtype is null [malformed-file]\n");
  EXPECT_EQ(errors(entry(R"("colour":"red")")), "w: the field 'colour' is none of safetensors [malformed-file]\n");
  EXPECT_NE(errors("{\"\xff\":{}}").find("no JSON from here on"), std::string::npos);
  EXPECT_NE(errors(std::string(1'000'000, '[')).find("is a list where an object belongs"), std::string::npos);
}

TEST(Safetensors, names_given_twice) {
  EXPECT_EQ(errors(R"({"w":{"dtype":"F32","shape":[1],"data_offsets":[0,4]},"w":{}})"),
            "w: is in the checkpoint's header twice [malformed-file]\n");
  EXPECT_EQ(errors(entry(R"("shape":[1],"shape":[2])")), "w: shape is given twice [malformed-file]\n");
}

TEST(Safetensors, numbers_that_cannot_be) {
  EXPECT_EQ(errors(entry(R"("shape":[-1])")), "w: shape holds -1 [malformed-file]\n");
  EXPECT_EQ(errors(entry(R"("shape":[1.5])")), "w: shape holds a number that is no 64-bit integer [malformed-file]\n");
  EXPECT_EQ(errors(entry(R"("shape":[99999999999999999999])")),
            "w: shape holds a number that is no 64-bit integer [malformed-file]\n");
  EXPECT_EQ(errors(entry(R"("shape":[18446744073709551615])")),
            "w: shape holds 18446744073709551615, which is past 2^63 [malformed-file]\n");
  EXPECT_EQ(errors(entry(R"("dtype":"F32","shape":[4294967296,4294967296],"data_offsets":[0,4])")),
            "w: F32[4294967296, 4294967296] is past 2^63 elements or 2^64 bytes [overflow]\n");
}

TEST(Safetensors, entries_that_disagree_with_themselves) {
  EXPECT_EQ(errors(R"({"w":{}})"), "w: its entry has no dtype [malformed-file]\n");
  EXPECT_EQ(errors(entry(R"("dtype":"F32")")), "w: its entry has no shape [malformed-file]\n");
  EXPECT_EQ(errors(entry(R"("dtype":"F32","shape":[1],"data_offsets":[0])")),
            "w: its entry has no two data_offsets [malformed-file]\n");
  EXPECT_EQ(errors(entry(R"("dtype":"F33","shape":[1],"data_offsets":[0,4])")),
            "w: the dtype F33 is none that Loam knows [unsupported-file]\n");
  EXPECT_EQ(errors(entry(R"("dtype":"F32","shape":[2],"data_offsets":[0,4])")),
            "w: its data_offsets 0 to 4 are 4 bytes where F32[2] needs 8 [malformed-file]\n");
  EXPECT_EQ(errors(entry(R"("dtype":"F32","shape":[1],"data_offsets":[8,4])")),
            "w: its data_offsets are reversed: 8 to 4 [malformed-file]\n");
}

TEST(Safetensors, data_past_the_file) {
  const std::string json = entry(R"("dtype":"F32","shape":[1],"data_offsets":[4,8])");
  const std::uint64_t start = 8 + json.size();
  EXPECT_EQ(errors(json, start + 8), "");
  EXPECT_EQ(errors(json, start + 7), "w: its data ends at byte " + std::to_string(start + 8) + " and the file at " +
                                         std::to_string(start + 7) + " [malformed-file]\n");
}

TEST(Safetensors, data_that_overlaps) {
  const std::string json = R"({"v":{"dtype":"U8","shape":[4],"data_offsets":[2,6]},)"
                           R"("w":{"dtype":"U8","shape":[4],"data_offsets":[0,4]}})";
  const std::uint64_t start = 8 + json.size();
  EXPECT_EQ(errors(json), "v: its data starts at byte " + std::to_string(start + 2) + ", inside that of w, which ends at " +
                              std::to_string(start + 4) + " [malformed-file]\n");
}

TEST(Safetensors, all_wrong_entries_are_reported_together) {
  EXPECT_EQ(errors(R"({"v":{"dtype":"F32"},"w":{}})"),
            "v: its entry has no shape [malformed-file]\nw: its entry has no dtype [malformed-file]\n");
}

}  // namespace
}  // namespace loam::test
