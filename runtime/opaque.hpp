// The test backend: storage is a number that only this class can turn into elements, so a forward that reaches past the
// seam does not compile. Kernels run on the CPU, and how long each takes is noted.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "runtime/cpu.hpp"

namespace loam {

class Opaque {
 public:
  template <class T>
  struct Handle {
    std::uint32_t number = 0;
  };
  template <class T>
  using Storage = Handle<T>;

  explicit Opaque(int threads = 0) : cpu_(threads) {}

  bool reserve(int segment, std::int64_t bytes) { return cpu_.reserve(segment, bytes); }
  template <class T>
  Handle<T> at(int segment, std::int64_t offset) { return hide(cpu_.at<T>(segment, offset)); }
  template <class T>
  Handle<T> output(std::int64_t elements) { return hide(cpu_.output<T>(elements)); }
  using Memory = HostMemory;
  template <class T>
  Handle<T> hold(Memory& memory, std::int64_t elements) { return hide(cpu_.hold<T>(memory, elements)); }
  template <class T>
  Handle<T> constant(const T* elements, std::int64_t count) { return hide(cpu_.constant(elements, count)); }

  template <class T, class... Axes>
  Value<Opaque, T, Axes...> upload(const Tensor<T, Axes...>& tensor) {
    Value<Opaque, T, Axes...> v;
    v.storage = hide(const_cast<T*>(tensor.data()));
    v.dims = tensor.dims();
    return v;
  }
  template <class T, class... Axes>
  Tensor<T, Axes...> download(const Value<Opaque, T, Axes...>& value) {
    Value<Cpu, T, Axes...> v;
    v.storage = show(value.storage);
    v.dims = value.dims;
    return cpu_.download(v);
  }
  template <class T, class... Axes>
  T read(const Value<Opaque, T, Axes...>& value) const { return show(value.storage)[value.dims.offset]; }

  template <class Tag, class... Arguments>
  void call(Tag tag, const Arguments&... arguments) {
    const auto timed = [&](const auto&... shown) {
      const auto start = std::chrono::steady_clock::now();
      cpu_.call(tag, shown...);
      seconds_.push_back(std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count());
    };
    timed(pass(arguments)...);
  }
  // What each kernel took since clear_fault, which forward begins with.
  const std::vector<double>& seconds() const { return seconds_; }

  void clear_fault() {
    cpu_.clear_fault();
    seconds_.clear();
  }
  const std::string* fault() const { return cpu_.fault(); }

 private:
  template <class T>
  Handle<T> hide(T* pointer) {
    const auto [it, is_new] = numbers_.try_emplace(pointer, static_cast<std::uint32_t>(pointers_.size()));
    if (is_new) pointers_.push_back(pointer);
    return {it->second};
  }
  template <class T>
  T* show(Handle<T> handle) const { return static_cast<T*>(pointers_[handle.number]); }
  template <class T>
  Operand<Cpu, T> pass(const Operand<Opaque, T>& operand) const {
    Operand<Cpu, T> shown;
    shown.storage = show(operand.storage);
    shown.dims = operand.dims;
    return shown;
  }
  template <class A>
  static const A& pass(const A& argument) { return argument; }

  Cpu cpu_;
  std::map<void*, std::uint32_t> numbers_;
  std::vector<void*> pointers_{nullptr};
  std::vector<double> seconds_;
};

}  // namespace loam
