#include "cli/npy.hpp"

#include <gtest/gtest.h>

#include "cli/failure.hpp"

namespace loam::cli {
namespace {

std::span<const std::byte> bytes_of(const std::string& text) { return std::as_bytes(std::span(text)); }

std::string npy(std::string_view header, std::string_view payload, char version = 1) {
  std::string file = std::string("\x93NUMPY") + version + '\0';
  file += {static_cast<char>(header.size() & 0xff), static_cast<char>(header.size() >> 8)};
  if (version > 1) file += {'\0', '\0'};
  return file.append(header).append(payload);
}

std::string failure_of(const std::string& file) {
  try {
    read_npy("x.npy", bytes_of(file));
  } catch (const Failure& failure) {
    return failure.what();
  }
  return "none";
}

TEST(Npy, EveryNumericTypeComesBackAsItWas) {
  for (const DType dtype : {DType::boolean, DType::int8, DType::int16, DType::int32, DType::int64, DType::uint8,
                            DType::uint16, DType::uint32, DType::uint64, DType::float16, DType::bfloat16,
                            DType::float32, DType::float64, DType::complex64, DType::complex128}) {
    for (const std::vector<std::int64_t>& extents : {std::vector<std::int64_t>{}, {3}, {2, 0, 3}, {2, 3, 4}}) {
      HostTensor tensor{dtype, extents, {}};
      tensor.data.resize(*dense_bytes(dtype, *element_count(extents)));
      for (std::size_t i = 0; i < tensor.data.size(); ++i) tensor.data[i] = static_cast<std::byte>(i % 2);
      const std::string file = write_npy(tensor.raw());
      EXPECT_EQ((file.size() - tensor.data.size()) % 64, 0U);
      const HostTensor back = read_npy("x.npy", bytes_of(file));
      EXPECT_EQ(back.dtype, dtype);
      EXPECT_EQ(back.extents, extents);
      EXPECT_EQ(back.data, tensor.data);
    }
  }
}

TEST(Npy, ReadsVersionTwoAndFortranOrder) {
  const HostTensor tensor = read_npy("x.npy", bytes_of(npy("{'descr': '|u1', 'fortran_order': True, 'shape': (2, 3)}\n",
                                                           std::string_view("\0\3\1\4\2\5", 6), 2)));
  EXPECT_EQ(tensor.extents, (std::vector<std::int64_t>{2, 3}));
  for (std::size_t i = 0; i < 6; ++i) EXPECT_EQ(tensor.data[i], static_cast<std::byte>(i));
}

TEST(Npy, SixteenRawBitsAreWhatTheCallerExpects) {
  const std::string file = npy("{'descr': '|V2', 'fortran_order': False, 'shape': (1,), }", "ab");
  EXPECT_EQ(read_npy("x.npy", bytes_of(file)).dtype, DType::bfloat16);
  EXPECT_EQ(read_npy("x.npy", bytes_of(file), DType::float16).dtype, DType::float16);
}

TEST(Npy, AByteIsWhatTheCallerExpects) {
  const std::string file = npy("{'descr': '|V1', 'fortran_order': False, 'shape': (2,), }", "\x38\xf9");
  EXPECT_EQ(read_npy("x.npy", bytes_of(file), DType::float8e4m3fn).dtype, DType::float8e4m3fn);
  const HostTensor tensor = read_npy("x.npy", bytes_of(file), DType::int4);
  EXPECT_EQ(element_as_double(DType::int4, tensor.data.data(), 0), -8);
  EXPECT_EQ(element_as_double(DType::int4, tensor.data.data(), 1), -7);
  EXPECT_EQ(read_npy("x.npy", bytes_of(write_npy(tensor.raw())), DType::int4).data, tensor.data);
}

TEST(Npy, BadInputIsAFailureThatNamesTheFileAndWhatIsWrong) {
  const std::string good = "{'descr': '<f4', 'fortran_order': False, 'shape': (1,), }";
  const auto with = [&](std::string_view from, std::string_view to) {
    std::string header = good;
    header.replace(header.find(from), from.size(), to);
    return failure_of(npy(header, "abcd"));
  };
  EXPECT_EQ(failure_of(npy(good, "abcd")), "none");
  EXPECT_EQ(failure_of("PK\3\4 a zip archive"), "x.npy: is no .npy file");
  EXPECT_EQ(failure_of(""), "x.npy: is no .npy file");
  EXPECT_EQ(failure_of(npy(good, "abcd", 9)), "x.npy: is a .npy file of version 9, and Loam reads 1 to 3");
  EXPECT_EQ(failure_of(npy(good, "abcd").substr(0, 30)), "x.npy: the .npy file ends within its header");
  EXPECT_EQ(failure_of(npy(good, "abc")), "x.npy: float32[1] does not take the 3 bytes that follow the header");
  EXPECT_EQ(failure_of(npy(good, "abcdefgh")), "x.npy: float32[1] does not take the 8 bytes that follow the header");
  EXPECT_EQ(with("<f4", ">f4"), "x.npy: is of type '>f4', in another byte order than this machine's");
  EXPECT_EQ(with("<f4", "<U7"), "x.npy: is of type '<U7', which Loam does not read");
  EXPECT_EQ(with("(1,)", "(-1,)"), "x.npy: the .npy file has a malformed header: the shape is no list of lengths");
  EXPECT_EQ(with("'<f4'", "[('a', '<f4')]"), "x.npy: the .npy file has a structured type, which Loam does not read");
  EXPECT_EQ(with("'shape'", "'shap'"), "x.npy: the .npy file has an unknown key 'shap' in the header");
  EXPECT_NE(with("(1,)", "(4294967296, 4294967296)"), "none");
  EXPECT_NE(with("(1,)", "(99999999999999999999,)"), "none");
}

TEST(Npy, EveryPrefixAndEveryFlippedByteEndsWell) {
  const std::string file = npy("{'descr': '<f4', 'fortran_order': True, 'shape': (1, 1), }", "abcd");
  for (std::size_t size = 0; size < file.size(); ++size) EXPECT_NE(failure_of(file.substr(0, size)), "none");
  for (std::size_t at = 0; at < file.size(); ++at)
    for (int bit = 0; bit < 8; ++bit) {
      std::string flipped = file;
      flipped[at] = static_cast<char>(flipped[at] ^ (1 << bit));
      failure_of(flipped);
    }
}

}  // namespace
}  // namespace loam::cli
