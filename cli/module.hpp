// A compiled module, opened and called: runtime/harness.hpp's table with owners for what it hands out.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/files.hpp"
#include "cli/tensor.hpp"
#include "runtime/harness.hpp"

namespace loam::cli {

// A harness library. What it holds is valid while the object lives.
class Library {
 public:
  explicit Library(const fs::path& path);  // throws a Failure where it cannot be opened

  std::span<const harness::Module* const> modules() const { return modules_; }
  const harness::Module& module(std::string_view name) const;  // throws a Failure where there is none of that name

 private:
  struct Close {
    void operator()(void* handle) const;
  };
  std::unique_ptr<void, Close> handle_;
  std::span<const harness::Module* const> modules_;
};

// A data file as the graph spells it, and its bytes.
struct DataFile {
  std::string location;
  std::span<const std::byte> bytes;
};

enum class BackendKind : std::int32_t { cpu = 0, opaque = 1 };

// A module with its weights, on so many threads (0: the machine's). The bytes of the checkpoint and the files must outlive
// it, and so must the library.
class Session {
 public:
  // What loam::Progress says. It must not throw.
  using Watch = std::function<void(std::int64_t done, std::int64_t total, std::span<const std::byte> idle)>;
  Session(const harness::Module& module, std::optional<std::span<const std::byte>> checkpoint,
          std::span<const DataFile> external, BackendKind backend, int threads = 0, const Watch& watch = {});
  // The same with prepared weights, which must outlive it.
  Session(const harness::Module& module, std::span<const std::byte> packed, BackendKind backend, int threads = 0);

  std::span<const harness::PortInfo> inputs() const;
  std::span<const harness::PortInfo> outputs() const;

  // The outputs live until the next call, or the session's end. Throws a Failure with the module's refusal.
  std::span<const harness::RawTensor> run(std::span<const harness::RawTensor> inputs);

  // What each kernel of the last run took, of the opaque backend; nothing of another.
  std::span<const double> seconds() const;

  // Calls write with the prepared weights' bytes, one stretch after another.
  using Write = std::function<void(std::span<const std::byte>)>;
  void pack(const Write& write);

 private:
  struct Close {
    const harness::Module* module;
    void operator()(void* state) const { module->close(state); }
  };
  const harness::Module* module_;
  std::unique_ptr<void, Close> state_;
  std::vector<harness::RawTensor> outputs_;
};

}  // namespace loam::cli
