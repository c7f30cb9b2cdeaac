// Weights packed to a file and read where they lie give what the weights themselves give.
#include <fmt/format.h>

#include <new>

#include "tests/models/support.hpp"

namespace loam::test {
namespace {

// Of rows x of the table: x W + b, x T, x V, and V itself. W is packed, b read as it is, T packed and read by rows, V both.
Proto layer() {
  std::vector<float> w(40 * 33), table(50 * 40), b(33), v(40 * 40, 0.5f);
  for (std::size_t i = 0; i < w.size(); ++i) w[i] = static_cast<float>(i % 17) / 8 - 1;
  for (std::size_t i = 0; i < table.size(); ++i) table[i] = static_cast<float>(i % 13) / 4 - 1;
  for (std::size_t i = 0; i < b.size(); ++i) b[i] = static_cast<float>(i) / 16;
  const Proto turn = attribute("perm", 7).integer(8, 1).integer(8, 0);
  return graph_of({node("Gather", {"table", "ids"}, {"x"}), node("MatMul", {"x", "w"}, {"p"}), node("Add", {"p", "b"}, {"y"}),
                   node("Transpose", {"table"}, {"t"}, {turn}), node("MatMul", {"x", "t"}, {"z"}),
                   node("MatMul", {"x", "v"}, {"q"}), node("Relu", {"v"}, {"s"})},
                  {value("ids", DType::int64, "N")}, {value("y", DType::float32, "N 33"), value("z", DType::float32, "N 50"), value("q", DType::float32, "N 40"), value("s", DType::float32, "40 40")},
                  {data("w", DType::float32, {40, 33}, w), data("table", DType::float32, {50, 40}, table), data("b", DType::float32, {33}, b),
                   data("v", DType::float32, {40, 40}, v)});
}

struct Free {
  void operator()(std::byte* p) const { ::operator delete(p, std::align_val_t{64}); }
};

class PackedWeights : public ::testing::Test {
 protected:
  void SetUp() override {
    CompileOptions options = automatic("layer");
    options.packed = true;
    const Build build(layer(), options);
    const CompileResult* const module = &build.result();
    ASSERT_EQ(build.errors(), "");
    const cli::HostLibrary built = cli::HostCompiler(cli::CodeFor::small_tests).build(std::span(&module, 1), std::chrono::minutes(10));
    ASSERT_FALSE(built.path.empty()) << built.output;
    library_.emplace(built.path);
    cli::Session session(library_->module("layer"), {}, {}, cli::BackendKind::cpu);
    session.pack([&](std::span<const std::byte> bytes) { file_.append(reinterpret_cast<const char*>(bytes.data()), bytes.size()); });
    expected_ = run(session);
  }

  std::string run(cli::Session& session) const {
    const cli::HostTensor ids = host(DType::int64, {3}, std::vector<std::int64_t>{7, 0, 49});
    std::string bytes;
    for (const harness::RawTensor& output : session.run(std::vector{ids.raw()})) bytes.append(static_cast<const char*>(output.data), output.bytes);
    return bytes;
  }

  // What a session gives whose file is this, or why there is none.
  std::string from(const std::string& file, cli::BackendKind backend = cli::BackendKind::cpu, std::size_t shift = 0) const {
    const std::unique_ptr<std::byte, Free> memory(static_cast<std::byte*>(::operator new(file.size() + 64, std::align_val_t{64})));
    std::memcpy(memory.get() + shift, file.data(), file.size());
    try {
      cli::Session session(library_->module("layer"), std::span<const std::byte>(memory.get() + shift, file.size()), backend);
      return run(session);
    } catch (const cli::Failure& failure) {
      return failure.what();
    }
  }

  std::optional<cli::Library> library_;
  std::string file_, expected_;
};

TEST_F(PackedWeights, AreToldOfTheLargestFirstAndWhichAreReadNoMore) {
  std::string told;
  const cli::Session session(library_->module("layer"), {}, {}, cli::BackendKind::cpu, 1,
                             [&](std::int64_t done, std::int64_t total, std::span<const std::byte> idle) {
                               float last = 0;
                               if (!idle.empty()) std::memcpy(&last, idle.data() + idle.size() - sizeof last, sizeof last);
                               told += fmt::format("{} of {}, {} end with {}\n", done, total, idle.size(), last);
                             });
  // The table has 8000 bytes, w 5280 and v 6400, which an output needs whole.
  EXPECT_EQ(told, "8000 of 19680, 8000 end with 1.5\n14400 of 19680, 0 end with 0\n19680 of 19680, 5280 end with 0.25\n");
}

TEST_F(PackedWeights, GiveTheSameWhereTheyLie) {
  EXPECT_EQ(file_.size() % 64, 0u);
  EXPECT_EQ(from(file_), expected_);
  EXPECT_EQ(from(file_, cli::BackendKind::opaque), expected_);
}

TEST_F(PackedWeights, OfAnotherFileAreRefused) {
  const auto changed = [&](std::size_t at, char to) {
    std::string file = file_;
    file[at] = to;
    return from(file);
  };
  EXPECT_EQ(from(""), "the packed weights: the file has 0 bytes, and its header alone takes 64");
  EXPECT_EQ(changed(0, 'L'), "the packed weights: the file does not begin as a file of packed weights does");
  EXPECT_EQ(changed(8, 9), "the packed weights: the file is of format 9, and the module reads format 1");
  EXPECT_EQ(changed(16, static_cast<char>(file_[16] + 1)),
            "the packed weights: the file was packed for another module, or for this one built otherwise: pack it again");
  EXPECT_TRUE(changed(12, 3).starts_with("the packed weights: the file was packed for vectors of 3 bytes, and the module is compiled for "));
  EXPECT_EQ(from(file_.substr(0, file_.size() - 64)),
            "the packed weights: the file has " + std::to_string(file_.size() - 64) + " bytes, and its header says " + std::to_string(file_.size()));
  EXPECT_EQ(from(file_, cli::BackendKind::cpu, 8), "the packed weights: the file lies on no boundary of 64 bytes: map it, or read it into aligned memory");
  // A header that is right about a file too short for the tensors.
  std::string cut = file_.substr(0, 128);
  const std::uint64_t bytes = cut.size();
  std::memcpy(cut.data() + 24, &bytes, sizeof(bytes));
  EXPECT_EQ(from(cut), "the packed weights: the file ends within a tensor");
}

}  // namespace
}  // namespace loam::test
