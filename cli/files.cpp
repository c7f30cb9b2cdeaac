#include "cli/files.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <system_error>
#include <vector>

#include "cli/failure.hpp"

namespace loam::cli {
namespace {

std::string reason(int error) { return std::generic_category().message(error); }

class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() {
    if (fd_ >= 0) ::close(fd_);
  }
  int get() const { return fd_; }

 private:
  int fd_;
};

void make_folder(const fs::path& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error || !fs::is_directory(folder)) {
    const std::string why = error ? error.message() : "it is no folder";
    throw Failure(folder.string() + ": cannot make the folder: " + why);
  }
}

}  // namespace

MappedFile::MappedFile(const fs::path& path) {
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (file.get() < 0) throw Failure(path.string() + ": cannot open: " + reason(errno));
  struct stat status{};
  if (::fstat(file.get(), &status) != 0) throw Failure(path.string() + ": cannot read: " + reason(errno));
  if (!S_ISREG(status.st_mode)) throw Failure(path.string() + ": is not a file");
  size_ = static_cast<std::size_t>(status.st_size);
  if (size_ == 0) return;  // which mmap refuses
  data_ = ::mmap(nullptr, size_, PROT_READ, MAP_PRIVATE, file.get(), 0);
  if (data_ == MAP_FAILED) {
    data_ = nullptr;
    throw Failure(path.string() + ": cannot read: " + reason(errno));
  }
}

MappedFile::~MappedFile() {
  if (data_ != nullptr) ::munmap(data_, size_);
}

void MappedFile::let_go(std::span<const std::byte> bytes) const {
  const std::size_t page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  const std::less_equal<> at_most;  // of pointers into different objects
  const auto* begin = static_cast<const std::byte*>(data_);
  if (bytes.empty() || !at_most(begin, bytes.data()) || !at_most(bytes.data() + bytes.size(), begin + size_)) return;
  const auto offset = static_cast<std::size_t>(bytes.data() - begin), first = (offset + page - 1) / page * page;
  const std::size_t end = (offset + bytes.size()) / page * page;
  if (first < end) ::madvise(static_cast<std::byte*>(data_) + first, end - first, MADV_DONTNEED);
}

std::string read_text(const fs::path& path) { return std::string(MappedFile(path).text()); }

UnfinishedFile::UnfinishedFile(const fs::path& path) : path_(path) {
  const fs::path folder = path.has_parent_path() ? path.parent_path() : fs::path(".");
  make_folder(folder);
  if (fs::is_directory(path)) throw Failure(path.string() + ": cannot write: it is a folder");
  // A name in the same folder that nobody else uses: a rename within one folder is atomic.
  std::string name = (folder / ("." + path.filename().string() + ".XXXXXX")).string();
  fd_ = ::mkstemp(name.data());
  if (fd_ < 0) throw Failure(path.string() + ": cannot write: " + reason(errno));
  beside_ = name;
  const mode_t mask = ::umask(0);
  ::umask(mask);
  ::fchmod(fd_, 0666 & ~mask);  // mkstemp's own mode keeps everyone else out
}

UnfinishedFile::~UnfinishedFile() {
  if (fd_ >= 0) ::close(fd_);
  if (!beside_.empty()) ::unlink(beside_.c_str());
}

void UnfinishedFile::write(std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(fd_, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) throw Failure(path_.string() + ": cannot write: " + reason(errno));
    bytes = bytes.subspan(static_cast<std::size_t>(written));
  }
}

void UnfinishedFile::finish() {
  std::error_code error;
  fs::rename(beside_, path_, error);
  if (error) throw Failure(path_.string() + ": cannot write: " + error.message());
  beside_.clear();
}

void write_files(const fs::path& folder, std::span<const NewFile> files) {
  make_folder(folder);
  std::vector<UnfinishedFile> written;
  for (const NewFile& file : files) written.emplace_back(folder / file.name).write(std::as_bytes(std::span(file.text)));
  for (UnfinishedFile& file : written) file.finish();
}

void write_file(const fs::path& path, std::string_view text) {
  const NewFile file{path.filename().string(), text};
  write_files(path.has_parent_path() ? path.parent_path() : fs::path("."), std::span(&file, 1));
}

TemporaryFolder::TemporaryFolder(const fs::path& parent) {
  make_folder(parent);
  std::string name = (parent / "loam.XXXXXX").string();
  if (::mkdtemp(name.data()) == nullptr) throw Failure(parent.string() + ": cannot make a folder: " + reason(errno));
  path_ = name;
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  fs::remove_all(path_, ignored);
}

fs::path cache_folder() {
  const auto variable = [](const char* name) {
    const char* value = std::getenv(name);
    return value == nullptr ? fs::path() : fs::path(value);
  };
  fs::path folder = variable("LOAM_CACHE");
  if (folder.empty() && !variable("XDG_CACHE_HOME").empty()) folder = variable("XDG_CACHE_HOME") / "loam";
  if (folder.empty() && !variable("HOME").empty()) folder = variable("HOME") / ".cache" / "loam";
  if (folder.empty()) folder = fs::temp_directory_path() / ("loam-" + std::to_string(::getuid()));
  folder = fs::absolute(folder);
  make_folder(folder);
  return folder;
}

void remove_unused(const fs::path& folder, std::chrono::hours age) {
  std::error_code error;
  const auto oldest = fs::file_time_type::clock::now() - age;
  for (auto it = fs::directory_iterator(folder, error); !error && it != fs::directory_iterator(); it.increment(error)) {
    std::error_code ignored;
    const fs::file_time_type time = fs::last_write_time(it->path(), ignored);
    if (!ignored && time < oldest) fs::remove_all(it->path(), ignored);
  }
}

void mark_as_used(const fs::path& path) {
  std::error_code ignored;
  fs::last_write_time(path, fs::file_time_type::clock::now(), ignored);
}

fs::path beside_model(const fs::path& folder, std::string_view location) {
  const fs::path relative = fs::path(location).lexically_normal();
  if (relative.empty() || relative.is_absolute() || *relative.begin() == "..") return {};
  if (location.find('\0') != std::string_view::npos) return {};
  return folder / relative;
}

std::string file_name_of(std::string_view name) {
  std::string text(name);
  std::replace_if(
      text.begin(), text.end(),
      [](char c) {
        const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
        return !plain && c != '_' && c != '-' && c != '.';
      },
      '_');
  if (text.empty() || text.front() == '.') text.insert(text.begin(), '_');
  return text;
}

}  // namespace loam::cli
