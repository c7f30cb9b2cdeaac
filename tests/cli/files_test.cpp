#include "cli/files.hpp"

#include <gtest/gtest.h>

#include <fstream>

#include "cli/failure.hpp"
#include "cli/hash.hpp"
#include "cli/zoo_weights.hpp"
#include "compiler/fnv.hpp"

namespace loam::cli {
namespace {

TEST(Files, DataLiesInTheModelsFolder) {
  EXPECT_EQ(beside_model("m", "weights.bin"), fs::path("m/weights.bin"));
  EXPECT_EQ(beside_model("m", "data/./weights.bin"), fs::path("m/data/weights.bin"));
  EXPECT_EQ(beside_model("m", "data/../weights.bin"), fs::path("m/weights.bin"));
  for (const std::string_view outside :
       {std::string_view("/etc/passwd"), std::string_view("../weights.bin"), std::string_view("a/../../weights.bin"),
        std::string_view(""), std::string_view("a\0b", 3)})
    EXPECT_EQ(beside_model("m", outside), fs::path()) << outside;
}

TEST(Files, AreWrittenWholeOrNotAtAll) {
  const TemporaryFolder folder(fs::temp_directory_path());
  const fs::path out = folder.path() / "a" / "b";
  write_files(out, std::vector<NewFile>{{"one.txt", "1"}, {"sub/two.txt", "2"}});
  EXPECT_EQ(read_text(out / "one.txt"), "1");
  EXPECT_EQ(read_text(out / "sub" / "two.txt"), "2");
  // A folder stands where the second file would go: the first is not written either, and nothing is left behind.
  fs::create_directories(out / "three.txt");
  EXPECT_THROW(write_files(out, std::vector<NewFile>{{"three.txt", "3"}, {"one.txt", "4"}}), Failure);
  EXPECT_EQ(read_text(out / "one.txt"), "1");
  EXPECT_EQ(std::distance(fs::directory_iterator(out), fs::directory_iterator()), 3);
}

TEST(Files, WhatIsNotFinishedLeavesNothing) {
  const TemporaryFolder folder(fs::temp_directory_path());
  const fs::path path = folder.path() / "sub" / "file";
  { UnfinishedFile(path).write(std::as_bytes(std::span(std::string_view("lost")))); }
  EXPECT_TRUE(fs::is_empty(folder.path() / "sub"));
  UnfinishedFile file(path);
  file.write(std::as_bytes(std::span(std::string_view("in "))));
  file.write(std::as_bytes(std::span(std::string_view("pieces"))));
  EXPECT_FALSE(fs::exists(path));
  file.finish();
  EXPECT_EQ(read_text(path), "in pieces");
  EXPECT_THROW(UnfinishedFile(folder.path()), Failure);       // a folder
  EXPECT_THROW(UnfinishedFile(path / "below"), Failure);      // below a file
}

TEST(Files, WhatAMappedFileLetsGoIsReadAgain) {
  const TemporaryFolder folder(fs::temp_directory_path());
  const std::string text(1 << 20, 'x');
  write_file(folder.path() / "file", text);
  const MappedFile file(folder.path() / "file");
  EXPECT_EQ(file.text(), text);
  const auto resident = [&] {
    std::ifstream maps("/proc/self/smaps");
    const std::string path = fs::canonical(folder.path() / "file").string();
    bool ours = false;
    for (std::string line; std::getline(maps, line);) {
      ours = ours || line.ends_with(path);
      if (ours && line.starts_with("Rss:")) return std::stoul(line.substr(4));
    }
    return 0UL;
  };
  EXPECT_EQ(resident(), 1024U);  // KiB
  std::string elsewhere = "not the file's";
  file.let_go(std::as_bytes(std::span(elsewhere)));
  EXPECT_EQ(elsewhere, "not the file's");
  EXPECT_EQ(resident(), 1024U);
  file.let_go(file.bytes().subspan(100, 5 * 4096));  // four whole pages
  EXPECT_EQ(resident(), 1024U - 16U);
  EXPECT_EQ(file.text(), text);
}

TEST(Files, AMappedFileOfNoBytesIsEmpty) {
  const TemporaryFolder folder(fs::temp_directory_path());
  write_file(folder.path() / "empty", "");
  EXPECT_TRUE(MappedFile(folder.path() / "empty").bytes().empty());
  EXPECT_THROW(MappedFile(folder.path()), Failure);
  EXPECT_THROW(MappedFile(folder.path() / "absent"), Failure);
}

TEST(Files, NamesAreMadePlain) {
  EXPECT_EQ(file_name_of("present.0.key"), "present.0.key");
  EXPECT_EQ(file_name_of("/model/norm:0"), "_model_norm_0");
  EXPECT_EQ(file_name_of("../x"), "_.._x");
}

// Python's hashlib.sha256 over struct.pack('<Q', len(text)) + text, joined.
TEST(Hash, IsSha256) {
  EXPECT_EQ(Sha256().add("abc").hex(), "ce91dc5eec0139adf091900d225971d6ad246a845bad791b5693a9d0d55dd391");
  EXPECT_EQ(Sha256().add("").add(std::string(1000, 'a')).hex(),
            "b8939e9db96f1c63c465c99a8c010b61df43e752c2ba5c974e9d86f702d750a8");
  EXPECT_NE(Sha256().add("ab").add("c").hex(), Sha256().add("a").add("bc").hex());
}

TEST(ZooWeights, AreTheFormulasValues) {
  // Made with the Python that defines the formula.
  EXPECT_EQ(fnv1a64(""), 0xcbf29ce484222325U);
  EXPECT_EQ(fnv1a64("m.transformer.wpe.weight"), 0x65e48b057b97731U);
  const std::uint64_t wpe = fnv1a64("m.transformer.wpe.weight");
  const float expected[] = {0x1.151e36p-5F, -0x1.6b4e2ap-6F, -0x1.d7244ep-14F, -0x1.220d82p-6F};
  for (std::uint64_t i = 0; i < 4; ++i)
    EXPECT_EQ(zoo_weight(wpe, i, 0.00022159403306432068, 0.019716478884220123), expected[i]);
  EXPECT_EQ(zoo_weight(fnv1a64("a"), 1000000007, 0.5, 2.0), 0x1.6e7268p+1F);
  EXPECT_EQ(zoo_weight(fnv1a64("a"), 1000000008, 0.5, 2.0), 0x1.e47b2ep+1F);
}

TEST(ZooWeights, AFileIsMadeOnceAndLaidOutAsTheJsonSays) {
  const TemporaryFolder folder(fs::temp_directory_path());
  const fs::path json = folder.path() / "weights.json";
  write_file(json, R"({"b": {"shape": [3], "mean": 0.5, "std": 2, "offset": 8},
                      "a": {"shape": [2, 1], "mean": 0, "std": 1, "offset": 0}})");
  const fs::path made = make_zoo_weights(json, folder.path());
  const MappedFile file(made);
  ASSERT_EQ(file.bytes().size(), 20U);
  const float* values = reinterpret_cast<const float*>(file.bytes().data());
  EXPECT_EQ(values[1], zoo_weight(fnv1a64("a"), 1, 0, 1));
  EXPECT_EQ(values[4], zoo_weight(fnv1a64("b"), 2, 0.5, 2));
  const auto time = fs::last_write_time(made);
  EXPECT_EQ(make_zoo_weights(json, folder.path()), made);
  EXPECT_EQ(fs::last_write_time(made), time);
}

TEST(ZooWeights, BadJsonIsAFailure) {
  const TemporaryFolder folder(fs::temp_directory_path());
  const fs::path json = folder.path() / "weights.json";
  for (const std::string_view text :
       {"", "[]", R"({"a": 1})", R"({"a": {"shape": [-1], "mean": 0, "std": 1, "offset": 0}})",
        R"({"a": {"shape": [1], "mean": 0, "std": 1, "offset": 4}})",
        R"({"a": {"shape": [9999999999, 9999999999], "mean": 0, "std": 1, "offset": 0}})"}) {
    write_file(json, text);
    EXPECT_THROW(make_zoo_weights(json, folder.path()), Failure) << text;
  }
}

}  // namespace
}  // namespace loam::cli
