// What a WebAssembly module has in place of the parts of a C++ library that would import something: memory's operators,
// which give null where memory ends, and the ends of a program, which trap. Included once in a program, by the source
// that is the module (compiler/emit/wasm.cpp), and declares what it does globally, as the language asks.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <new>

void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept { return std::malloc(bytes); }
void* operator new(std::size_t bytes, std::align_val_t alignment, const std::nothrow_t&) noexcept {
  const auto boundary = static_cast<std::size_t>(alignment);
  // aligned_alloc adds the boundary and a header to what it asks for, and its sum is not checked for an overflow.
  if (bytes > ~std::size_t{0} - 2 * boundary - 64) return nullptr;
  return std::aligned_alloc(boundary, (bytes + boundary - 1) / boundary * boundary);
}
void* operator new(std::size_t bytes) {
  void* const memory = std::malloc(bytes);
  if (memory == nullptr) __builtin_trap();
  return memory;
}
void* operator new[](std::size_t bytes) { return operator new(bytes); }
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete[](void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete[](void* memory, std::size_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }

extern "C" void abort() { __builtin_trap(); }
// libc++abi's and libc++'s own, which would print through a file.
extern "C" [[noreturn]] void abort_message(const char*, ...) { __builtin_trap(); }
namespace std {
inline namespace _LIBCPP_ABI_NAMESPACE {
void __libcpp_verbose_abort(const char*, ...) { __builtin_trap(); }
}  // namespace _LIBCPP_ABI_NAMESPACE
}  // namespace std
