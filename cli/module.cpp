#include "cli/module.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <array>
#include <exception>

#include "cli/failure.hpp"

namespace loam::cli {

Library::Library(const fs::path& path) : handle_(::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL)) {
  if (!handle_) throw Failure(fmt::format("{}: cannot open: {}", path.string(), ::dlerror()));
  using Table = const harness::Module* const* (*)(std::int32_t*);
  const auto table = reinterpret_cast<Table>(::dlsym(handle_.get(), "loam_harness_modules"));
  if (table == nullptr) throw Failure(fmt::format("{}: holds no modules of Loam", path.string()));
  std::int32_t count = 0;
  const harness::Module* const* first = table(&count);
  modules_ = {first, static_cast<std::size_t>(count)};
  for (const harness::Module* module : modules_)
    if (module->version != harness::version)
      throw Failure(fmt::format("{}: is of harness version {}, and this is {}", path.string(), module->version,
                                harness::version));
}

void Library::Close::operator()(void* handle) const { ::dlclose(handle); }

const harness::Module& Library::module(std::string_view name) const {
  for (const harness::Module* module : modules_)
    if (module->name == name) return *module;
  throw Failure(fmt::format("the library holds no module {}", name));
}

Session::Session(const harness::Module& module, std::optional<std::span<const std::byte>> checkpoint,
                 std::span<const DataFile> external, BackendKind backend, int threads, const Watch& watch)
    : module_(&module), state_(nullptr, Close{&module}), outputs_(static_cast<std::size_t>(module.outputs)) {
  harness::RawFile weights{};
  if (checkpoint) weights = {"", checkpoint->data(), checkpoint->size()};
  std::vector<harness::RawFile> files;
  for (const DataFile& file : external) files.push_back({file.location.c_str(), file.bytes.data(), file.bytes.size()});
  harness::Watch told{nullptr, const_cast<Watch*>(&watch)};
  if (watch)
    told.tell = [](void* user, std::int64_t done, std::int64_t total, const void* idle, std::uint64_t bytes) {
      (*static_cast<const Watch*>(user))(done, total, {static_cast<const std::byte*>(idle), static_cast<std::size_t>(bytes)});
    };
  std::array<char, 4096> error{};
  void* state = nullptr;
  const int failed = module.open(checkpoint ? &weights : nullptr, files.data(), static_cast<std::int32_t>(files.size()),
                                 static_cast<std::int32_t>(backend), threads, told, &state, error.data(), error.size());
  if (failed != 0) throw Failure(error.data());
  if (state == nullptr) throw Failure("the harness was compiled without this backend");
  state_.reset(state);
}

Session::Session(const harness::Module& module, std::span<const std::byte> packed, BackendKind backend, int threads)
    : module_(&module), state_(nullptr, Close{&module}), outputs_(static_cast<std::size_t>(module.outputs)) {
  if (module.open_packed == nullptr) throw Failure("the module was built without packed weights");
  std::array<char, 4096> error{};
  void* state = nullptr;
  if (module.open_packed(packed.data(), packed.size(), static_cast<std::int32_t>(backend), threads, &state, error.data(), error.size()) != 0)
    throw Failure(error.data());
  state_.reset(state);
}

void Session::pack(const Write& write) {
  if (module_->pack == nullptr) throw Failure("the module was built without packed weights");
  // What write throws stops here, and goes on once the module, which knows no exception, is through.
  struct Call {
    const Write& write;
    std::exception_ptr thrown;
  } call{write, nullptr};
  const auto pass = [](void* user, const void* data, std::size_t bytes) {
    Call& to = *static_cast<Call*>(user);
    if (to.thrown) return;
    try {
      to.write({static_cast<const std::byte*>(data), bytes});
    } catch (...) {
      to.thrown = std::current_exception();
    }
  };
  module_->pack(state_.get(), pass, &call);
  if (call.thrown) std::rethrow_exception(call.thrown);
}

std::span<const harness::PortInfo> Session::inputs() const {
  return {module_->input_ports, static_cast<std::size_t>(module_->inputs)};
}

std::span<const harness::PortInfo> Session::outputs() const {
  return {module_->output_ports, static_cast<std::size_t>(module_->outputs)};
}

std::span<const double> Session::seconds() const {
  std::int32_t count = 0;
  const double* const first = module_->seconds(state_.get(), &count);
  return {first, static_cast<std::size_t>(count)};
}

std::span<const harness::RawTensor> Session::run(std::span<const harness::RawTensor> inputs) {
  std::array<char, 4096> error{};
  if (module_->run(state_.get(), inputs.data(), outputs_.data(), error.data(), error.size()) != 0)
    throw Failure(error.data());
  return outputs_;
}

}  // namespace loam::cli
