// The CPU backend: storage is a pointer, a kernel is the `run` its tag finds.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "runtime/backend.hpp"
#include "runtime/half.hpp"
#include "runtime/packed.hpp"

namespace loam {

// A strided tensor in memory, as kernels see it: `data` is the first element (Dims::offset already applied).
template <class T>
struct View {
  T* data = nullptr;
  Dims dims;
  int rank() const { return dims.rank; }
  std::int64_t extent(int axis) const { return dims.extent(axis); }
  std::int64_t stride(int axis) const { return dims.stride(axis); }
  std::int64_t elements() const { return dims.elements(); }
};

class Threads;

class Cpu {
 public:
  template <class T>
  using Storage = T*;

  // Kernels share their work among so many threads, the caller's included; 0: as many as the machine has. The others
  // start when there first is enough work to share, and end with the object. Results do not depend on the number.
  explicit Cpu(int threads = 0) : threads_(threads) {}
  Cpu(const Cpu&) = delete;
  Cpu& operator=(const Cpu&) = delete;

  bool reserve(int segment, std::int64_t bytes) {
    const auto s = static_cast<std::size_t>(segment);
    if (arenas_.size() <= s) arenas_.resize(s + 1);
    if (static_cast<std::int64_t>(arenas_[s].size()) < bytes || !arenas_[s]) arenas_[s] = Buffer(static_cast<std::size_t>(bytes));
    return static_cast<bool>(arenas_[s]);
  }
  template <class T>
  T* at(int segment, std::int64_t offset) const {
    return reinterpret_cast<T*>(arenas_[static_cast<std::size_t>(segment)].data() + offset);
  }
  template <class T>
  T* output(std::int64_t elements) {
    outputs_.emplace_back(static_cast<std::size_t>(elements) * sizeof(T));
    return reinterpret_cast<T*>(outputs_.back().data());
  }
  using Memory = HostMemory;
  template <class T>
  T* hold(Memory& memory, std::int64_t elements) const { return memory.take<T>(elements); }
  template <class T>
  T* constant(const T* elements, std::int64_t) const { return const_cast<T*>(elements); }

  template <class T, class... Axes>
  Value<Cpu, T, Axes...> upload(const Tensor<T, Axes...>& tensor) const {
    Value<Cpu, T, Axes...> v;
    v.storage = const_cast<T*>(tensor.data());
    v.dims = tensor.dims();
    return v;
  }
  template <class T, class... Axes>
  Tensor<T, Axes...> download(const Value<Cpu, T, Axes...>& value) {
    typename Tensor<T, Axes...>::Extents extents{};
    std::copy_n(value.dims.extents.begin(), sizeof...(Axes), extents.begin());
    if (value.dims.offset == 0 && value.dims.dense())
      for (Buffer& buffer : outputs_)
        if (buffer.data() == reinterpret_cast<std::byte*>(value.storage))
          return Tensor<T, Axes...>::adopt(extents, std::move(buffer));
    Tensor<T, Axes...> tensor(extents);
    if (value.dims.elements() > 0) copy_elements(tensor.data(), value.storage + value.dims.offset, value.dims, 0);
    return tensor;
  }
  template <class T, class... Axes>
  T read(const Value<Cpu, T, Axes...>& value) const { return value.storage[value.dims.offset]; }

  template <class Tag, class... Arguments>
  void call(Tag tag, const Arguments&... arguments) { run(tag, *this, view(arguments)...); }

  // Calls f(begin, end) over parts of [0, count), each of `grain` or more but for the last, on any of the threads. The
  // parts depend on count and grain alone, never on the number of threads, so a result that is the same for any order of
  // the parts is the same for any number of threads. Within f there is no scratch, no fail, and parallel runs in place.
  // Defined in runtime/threads.hpp, which the kernels that call it include.
  template <class F>
  void parallel(std::int64_t count, std::int64_t grain, F&& f);

  // Scratch memory for the duration of one kernel, kept between calls; the caller's until the next call of scratch.
  std::byte* scratch(std::int64_t bytes) {
    if (static_cast<std::int64_t>(scratch_.size()) < bytes) scratch_ = Buffer(static_cast<std::size_t>(bytes));
    return scratch_.data();
  }

  // Keeps an object until the next forward: what elements that are views, such as strings, lie in.
  template <class T>
  T& keep(T object) {
    auto kept = std::make_shared<T>(std::move(object));
    kept_.push_back(kept);
    return *kept;
  }

  void clear_fault() { fault_.clear(); failed_ = false; outputs_.clear(); kept_.clear(); }
  const std::string* fault() const { return failed_ ? &fault_ : nullptr; }
  // Reported by a kernel that meets a value it has no answer for; the kernel then leaves its output defined and
  // returns. The first failure is kept: "output = Gather: position 3 holds index 9, and axis 0 has 4 elements".
  void fail(const Site& site, const std::string& message) {
    if (failed_) return;
    failed_ = true;
    fault_ = std::string(site.node) + ": " + message;
  }

 private:
  template <class T>
  static View<T> view(const Operand<Cpu, T>& operand) {
    View<T> v{operand.storage ? operand.storage + operand.dims.offset : nullptr, operand.dims};
    v.dims.offset = 0;
    return v;
  }
  template <class A>
  static const A& view(const A& argument) { return argument; }

  template <class T>
  static T* copy_elements(T* to, const T* from, const Dims& dims, int axis) {
    if (axis == dims.rank) {
      *to = *from;
      return to + 1;
    }
    if (axis == dims.rank - 1 && dims.stride(axis) == 1) return std::copy_n(from, dims.extent(axis), to);
    for (std::int64_t i = 0; i < dims.extent(axis); ++i)
      to = copy_elements(to, from + i * dims.stride(axis), dims, axis + 1);
    return to;
  }

  int threads();

  std::vector<Buffer> arenas_;
  std::vector<Buffer> outputs_;
  std::vector<std::shared_ptr<void>> kept_;
  Buffer scratch_;
  std::shared_ptr<Threads> pool_;  // made, and its code with it, where parallel is called
  int threads_;
  bool sharing_ = false;
  std::string fault_;
  bool failed_ = false;
};

}  // namespace loam
