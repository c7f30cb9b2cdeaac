// TensorProto in all its forms, and test data's sequences and optionals.
#include <gtest/gtest.h>

#include "tests/read/read_support.hpp"

namespace loam::test {
namespace {

// The elements' bytes, or the first diagnostic.
std::string data_of(const Proto& proto) {
  Diagnostics diagnostics;
  const std::optional<TensorData> tensor = read_tensor(bytes_of(proto.bytes), diagnostics);
  if (!tensor) return diagnostics.list().empty() ? "no reason" : diagnostics.list().front().text();
  const std::span<const std::byte> bytes = std::get<Bytes>(tensor->data).span();
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

std::string bytes(std::initializer_list<int> values) {
  std::string text;
  for (const int value : values) text.push_back(static_cast<char>(value));
  return text;
}

TEST(Tensor, raw_data_is_borrowed) {
  const Proto proto = tensor("x", DType::int16, {2}).text(9, bytes({1, 0, 2, 0}));
  Diagnostics diagnostics;
  const std::optional<TensorData> read = read_tensor(bytes_of(proto.bytes), diagnostics);
  ASSERT_TRUE(read);
  const std::byte* data = std::get<Bytes>(read->data).span().data();
  EXPECT_GE(data, bytes_of(proto.bytes).data());
  EXPECT_LT(data, bytes_of(proto.bytes).data() + proto.bytes.size());
}

TEST(Tensor, typed_fields) {
  EXPECT_EQ(data_of(tensor("", DType::float32, {2}).float32(4, 1.0F).float32(4, -2.0F)),
            bytes({0, 0, 0x80, 0x3f, 0, 0, 0, 0xc0}));
  EXPECT_EQ(data_of(tensor("", DType::float32, {1}).text(4, bytes({0, 0, 0x80, 0x3f}))), bytes({0, 0, 0x80, 0x3f}));
  EXPECT_EQ(data_of(tensor("", DType::int8, {3}).packed(5, {-1, 127, -128})), bytes({0xff, 0x7f, 0x80}));
  EXPECT_EQ(data_of(tensor("", DType::uint16, {2}).integer(5, 65535).integer(5, 1)), bytes({0xff, 0xff, 1, 0}));
  EXPECT_EQ(data_of(tensor("", DType::float16, {1}).packed(5, {0xbc00})), bytes({0, 0xbc}));
  EXPECT_EQ(data_of(tensor("", DType::bfloat16, {1}).packed(5, {0x3f80})), bytes({0x80, 0x3f}));
  EXPECT_EQ(data_of(tensor("", DType::boolean, {2}).packed(5, {1, 0})), bytes({1, 0}));
  EXPECT_EQ(data_of(tensor("", DType::int4, {3}).packed(5, {0x21, 0x0f})), bytes({0x21, 0x0f}));
  EXPECT_EQ(data_of(tensor("", DType::int32, {1}).packed(5, {-5})), bytes({0xfb, 0xff, 0xff, 0xff}));
  EXPECT_EQ(data_of(tensor("", DType::int64, {1}).packed(7, {-1})), std::string(8, '\xff'));
  EXPECT_EQ(data_of(tensor("", DType::uint32, {1}).packed(11, {0xffffffff})), std::string(4, '\xff'));
  EXPECT_EQ(data_of(tensor("", DType::uint64, {1}).packed(11, {-1})), std::string(8, '\xff'));
  EXPECT_EQ(data_of(tensor("", DType::complex64, {1}).float32(4, 0).float32(4, 1.0F)),
            bytes({0, 0, 0, 0, 0, 0, 0x80, 0x3f}));
}

TEST(Tensor, elements_may_come_before_their_type) {
  Proto proto;
  proto.packed(7, {3}).integer(2, 7).integer(1, 1);
  EXPECT_EQ(data_of(proto), bytes({3, 0, 0, 0, 0, 0, 0, 0}));
}

TEST(Tensor, strings) {
  const Proto proto = tensor("s", DType::string, {2}).text(6, "a").text(6, "");
  Diagnostics diagnostics;
  const std::optional<TensorData> read = read_tensor(bytes_of(proto.bytes), diagnostics);
  ASSERT_TRUE(read);
  EXPECT_EQ(read->strings, (Names{"a", ""}));
}

TEST(Tensor, empty_and_scalar) {
  EXPECT_EQ(data_of(tensor("", DType::float32, {0, 5})), "");
  EXPECT_EQ(data_of(tensor("", DType::int8, {}).packed(5, {7})), "\x07");
}

TEST(Tensor, refuses_what_contradicts_itself) {
  EXPECT_EQ(data_of(tensor("x", DType::float32, {2, 3}).text(9, "1234")),
            "x: raw_data holds 4 bytes where float32[2, 3] needs 24 (byte 0) [malformed-file]");
  EXPECT_EQ(data_of(tensor("", DType::float32, {2})), "byte 0: float32[2] has no data [malformed-file]");
  EXPECT_EQ(data_of(tensor("x", DType::float32, {-1})), "x: the dims of float32[-1] hold -1 (byte 0) [malformed-file]");
  EXPECT_EQ(data_of(tensor("x", DType::int8, {std::int64_t{1} << 32, std::int64_t{1} << 31})),
            "x: int8[4294967296, 2147483648] has more than 2^63 - 1 elements (byte 0) [overflow]");
  EXPECT_NE(data_of(tensor("x", DType::int8, {0, std::int64_t{1} << 62, 4})).find("[overflow]"), std::string::npos);
  EXPECT_EQ(data_of(tensor("x", DType::float64, {std::int64_t{1} << 62}).text(9, "a")),
            "x: raw_data holds 1 bytes where float64[4611686018427387904] needs more than 2^64 (byte 0) "
            "[malformed-file]");
  EXPECT_EQ(data_of(tensor("x", DType::int8, {1}).packed(5, {300})),
            "x: int32_data holds 300, which is no int8 (byte 0) [malformed-file]");
  EXPECT_EQ(data_of(tensor("x", DType::uint32, {1}).packed(11, {1LL << 32})),
            "x: uint64_data holds a number that is no uint32 (byte 0) [malformed-file]");
  EXPECT_EQ(data_of(tensor("x", DType::boolean, {1}).text(9, "\x02")),
            "x: a bool is neither 0 nor 1 (byte 0) [malformed-file]");
  EXPECT_EQ(data_of(tensor("x", DType::int64, {1}).packed(5, {1})),
            "x: the elements of int64[1] are in int32_data, where int64_data belongs (byte 0) [malformed-file]");
  EXPECT_EQ(data_of(tensor("x", DType::int64, {1}).packed(7, {1}).text(9, "12345678")),
            "x: the elements are given in both int64_data and raw_data (byte 0) [malformed-file]");
  EXPECT_EQ(data_of(tensor("x", DType::string, {1}).text(9, "a")),
            "x: the elements of string[1] are in raw_data, where string_data belongs (byte 0) [malformed-file]");
  EXPECT_EQ(data_of(tensor("x", DType::string, {2}).text(6, "a")),
            "x: string_data holds 1 strings where string[2] needs 2 (byte 0) [malformed-file]");
  EXPECT_EQ(data_of(tensor("x", DType::undefined, {1})), "x: the tensor has no element type (byte 0) [malformed-file]");
  EXPECT_EQ(data_of(tensor("x", static_cast<DType>(99), {1})),
            "x: the element type 99 is none that Loam knows (byte 0) [unsupported-file]");
  EXPECT_EQ(data_of(tensor("x", DType::int8, {1}).message(3, Proto().integer(1, 0))),
            "x: the tensor is a segment of a larger one (byte 0) [unsupported-file]");
}

Proto external(std::string_view location, std::string_view offset = "", std::string_view length = "") {
  Proto proto = tensor("w", DType::float32, {4});
  proto.integer(14, 1).message(13, Proto().text(1, "location").text(2, location));
  if (!offset.empty()) proto.message(13, Proto().text(1, "offset").text(2, offset));
  if (!length.empty()) proto.message(13, Proto().text(1, "length").text(2, length));
  return proto;
}

TEST(Tensor, external_data_is_recorded) {
  Diagnostics diagnostics;
  const Proto proto = external("folder/w..bin", "4096", "16");
  const std::optional<TensorData> read = read_tensor(bytes_of(proto.bytes), diagnostics);
  ASSERT_TRUE(read);
  const auto& data = std::get<ExternalData>(read->data);
  EXPECT_EQ(data.location, "folder/w..bin");
  EXPECT_EQ(data.offset, 4096);
  EXPECT_EQ(data.length, 16);
}

TEST(Tensor, external_data_outside_the_models_folder_is_refused) {
  const auto fault = [](const Proto& proto) { return data_of(proto); };
  EXPECT_EQ(fault(external("/etc/passwd")),
            "w: the external data's location '/etc/passwd' is an absolute path (byte 0) [external-data]");
  EXPECT_EQ(fault(external("a/../../b")),
            "w: the external data's location 'a/../../b' leaves the model's folder (byte 0) [external-data]");
  EXPECT_NE(fault(external("..")).find("leaves the model's folder"), std::string::npos);
  EXPECT_NE(fault(external("..\\b")).find("has a backslash"), std::string::npos);
  EXPECT_NE(fault(external("")).find("names no file"), std::string::npos);
  EXPECT_NE(fault(external(std::string_view("a\0b", 3))).find("has a control character"), std::string::npos);
  EXPECT_NE(fault(external("a", "-1")).find("the offset of the external data, '-1'"), std::string::npos);
  EXPECT_NE(fault(external("a", "9223372036854775807")).find("ends past 2^63 bytes"), std::string::npos);
  EXPECT_NE(fault(external("a", "0", "12")).find("has 12 bytes where float32[4] needs 16"), std::string::npos);
}

TEST(Tensor, sequences_and_optionals) {
  const Proto one = tensor("a", DType::int8, {1}).packed(5, {1});
  Proto sequence;
  sequence.text(1, "s").integer(2, 1).message(3, one).message(3, one);
  Diagnostics diagnostics;
  std::optional<DataValue> read = read_sequence(bytes_of(sequence.bytes), diagnostics);
  ASSERT_TRUE(read);
  EXPECT_EQ(read->kind, DataValue::Kind::sequence);
  EXPECT_EQ(read->name, "s");
  ASSERT_EQ(read->elements.size(), 2U);
  EXPECT_EQ(read->elements[0].tensor.dims, (std::vector<std::int64_t>{1}));

  Proto optional;
  optional.text(1, "o").integer(2, 3).message(5, sequence);
  read = read_optional(bytes_of(optional.bytes), diagnostics);
  ASSERT_TRUE(read);
  EXPECT_EQ(read->kind, DataValue::Kind::optional);
  ASSERT_EQ(read->elements.size(), 1U);
  EXPECT_EQ(read->elements[0].elements.size(), 2U);

  EXPECT_TRUE(read_optional({}, diagnostics)->elements.empty());
  EXPECT_FALSE(read_optional(bytes_of(Proto().message(3, one).message(3, one).bytes), diagnostics));
  EXPECT_FALSE(read_sequence(bytes_of(Proto().message(6, Proto()).bytes), diagnostics));
}

}  // namespace
}  // namespace loam::test
