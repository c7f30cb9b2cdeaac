// Files as the command reads and writes them. Whatever cannot be done is a Failure that names the file.
#pragma once

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace loam::cli {

namespace fs = std::filesystem;

// A whole file, mapped read-only: pages nobody touches are never read. The mapping lives as long as the object.
class MappedFile {
 public:
  MappedFile() = default;
  explicit MappedFile(const fs::path& path);
  MappedFile(MappedFile&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}
  MappedFile& operator=(MappedFile&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
    return *this;
  }
  ~MappedFile();

  std::span<const std::byte> bytes() const { return {static_cast<const std::byte*>(data_), size_}; }
  std::string_view text() const { return {static_cast<const char*>(data_), size_}; }
  // Bytes that nothing will read for long: the process's memory no longer holds them, and the file still does. Bytes of
  // another place are left alone.
  void let_go(std::span<const std::byte> bytes) const;

 private:
  void* data_ = nullptr;
  std::size_t size_ = 0;
};

std::string read_text(const fs::path& path);

// A file written piece by piece beside its name, which it takes when it is whole; without that nothing is left of it. Its
// folder is made where it is absent. Throws a Failure that names the file.
class UnfinishedFile {
 public:
  explicit UnfinishedFile(const fs::path& path);
  UnfinishedFile(UnfinishedFile&& other) noexcept
      : path_(std::move(other.path_)), beside_(std::exchange(other.beside_, {})), fd_(std::exchange(other.fd_, -1)) {}
  UnfinishedFile& operator=(UnfinishedFile&&) = delete;
  ~UnfinishedFile();

  void write(std::span<const std::byte> bytes);
  void finish();

 private:
  fs::path path_, beside_;
  int fd_ = -1;
};

struct NewFile {
  std::string name;  // relative to the folder
  std::string_view text;
};

// Writes the files into the folder, which is made where it is absent. Each appears whole under its name or not at all,
// and none appears before all are written.
void write_files(const fs::path& folder, std::span<const NewFile> files);
void write_file(const fs::path& path, std::string_view text);

// A folder for the time being, removed with the object.
class TemporaryFolder {
 public:
  explicit TemporaryFolder(const fs::path& parent);
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  ~TemporaryFolder();
  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

// $LOAM_CACHE, else $XDG_CACHE_HOME/loam, else ~/.cache/loam: what can be made again and is worth keeping. Made where
// absent.
fs::path cache_folder();
// Removes what lies in the folder and has not been written or marked as used for so long. Errors are passed over:
// another process may be at it too.
void remove_unused(const fs::path& folder, std::chrono::hours age);
void mark_as_used(const fs::path& path);

// The file that a graph in `folder` calls `location`. Empty where the location is absolute or leaves the folder: a
// model is not to read what lies elsewhere. A symbolic link within the folder is the owner's own doing and is followed.
fs::path beside_model(const fs::path& folder, std::string_view location);

// A file's name made of letters, digits, '_', '-' and '.' only: "a/b:c" is "a_b_c".
std::string file_name_of(std::string_view name);

}  // namespace loam::cli
