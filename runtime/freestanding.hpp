// What a WebAssembly module has in place of the parts of a C++ library that would import something, or be most of a
// small module: memory and its operators, which give null where memory ends, and the ends of a program, which trap.
// Included once in a program, by the source that is the module (compiler/emit/wasm.cpp), and declares what it does
// globally, as the language asks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <new>

extern "C" unsigned char __heap_base;  // where the linker's own data end

namespace loam_freestanding {

// Memory in blocks of whole lines of 64 bytes. Each has its header in the last 16 bytes of the line before what it
// holds, so that all of it lies on a boundary of 64. Those that are free form a list by address, neighbours joined: a
// module holds few blocks, and the first that is large enough does. wasi-libc's allocator was 2.6 KB of what brotli
// sends, this is 0.3.
struct Block {
  std::size_t bytes;  // with the header
  Block* next;        // while it is free
};
inline constexpr std::size_t line = 64, header = 16, page = 65536;
inline Block* free_blocks = nullptr;
inline std::uintptr_t end = 0;  // of the last block

inline std::uintptr_t end_of(const Block* block) { return reinterpret_cast<std::uintptr_t>(block) + block->bytes; }

inline void join_next(Block* block) {
  if (block->next == nullptr || end_of(block) != reinterpret_cast<std::uintptr_t>(block->next)) return;
  block->bytes += block->next->bytes;
  block->next = block->next->next;
}

inline void release(Block* block) {
  Block* before = nullptr;
  for (Block* at = free_blocks; at != nullptr && at < block; at = at->next) before = at;
  Block*& link = before ? before->next : free_blocks;
  block->next = link;
  link = block;
  join_next(block);
  if (before) join_next(before);
}

// Adds so many bytes or more; at first what there is.
inline bool grow(std::size_t bytes) {
  std::uintptr_t begin = end;
  if (begin == 0)
    begin = (reinterpret_cast<std::uintptr_t>(&__heap_base) + header + line - 1) / line * line - header;
  else if (__builtin_wasm_memory_grow(0, bytes / page + (bytes % page != 0)) == static_cast<std::size_t>(-1))
    return false;
  end = __builtin_wasm_memory_size(0) * page - header;
  if (end - begin < line) return true;
  Block* const block = reinterpret_cast<Block*>(begin);
  block->bytes = end - begin;
  release(block);
  return true;
}

#if defined(__wasm_atomics__)
// Memory is the caller's: a part of a kernel's work, which a worker does too, takes none. The caller's stack lies before
// the linker's data, and a worker's in memory of this allocator.
inline void refuse_workers() {
  if (reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0)) >= reinterpret_cast<std::uintptr_t>(&__heap_base)) __builtin_trap();
}
#else
inline void refuse_workers() {}
#endif

[[gnu::noinline]] inline void* allocate(std::size_t asked) {
  refuse_workers();
  if (asked > ~std::size_t{0} - 2 * line) return nullptr;
  const std::size_t bytes = (asked + header + line - 1) / line * line;
  for (;;) {
    std::size_t at_end = 0;
    for (Block** link = &free_blocks; *link != nullptr; link = &(*link)->next) {
      Block* const block = *link;
      at_end = end_of(block) == end ? block->bytes : 0;
      if (block->bytes < bytes) continue;
      *link = block->next;
      if (block->bytes > bytes) {
        Block* const rest = reinterpret_cast<Block*>(reinterpret_cast<std::uintptr_t>(block) + bytes);
        *rest = {block->bytes - bytes, block->next};
        *link = rest;
        block->bytes = bytes;
      }
      return reinterpret_cast<unsigned char*>(block) + header;
    }
    if (!grow(bytes - at_end)) return nullptr;
  }
}

[[gnu::noinline]] inline void deallocate(void* memory) {
  refuse_workers();
  if (memory != nullptr) release(reinterpret_cast<Block*>(static_cast<unsigned char*>(memory) - header));
}

}  // namespace loam_freestanding

void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept { return loam_freestanding::allocate(bytes); }
// No type or buffer asks for a boundary of more than 64.
void* operator new(std::size_t bytes, std::align_val_t, const std::nothrow_t&) noexcept {
  return loam_freestanding::allocate(bytes);
}
void* operator new(std::size_t bytes) {
  void* const memory = loam_freestanding::allocate(bytes);
  if (memory == nullptr) __builtin_trap();
  return memory;
}
void* operator new[](std::size_t bytes) { return operator new(bytes); }
void operator delete(void* memory) noexcept { loam_freestanding::deallocate(memory); }
void operator delete[](void* memory) noexcept { loam_freestanding::deallocate(memory); }
void operator delete(void* memory, std::size_t) noexcept { loam_freestanding::deallocate(memory); }
void operator delete[](void* memory, std::size_t) noexcept { loam_freestanding::deallocate(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { loam_freestanding::deallocate(memory); }
void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { loam_freestanding::deallocate(memory); }

// Each an instruction where there is bulk memory; wasi-libc's own are loops of a kilobyte.
extern "C" void* memcpy(void* to, const void* from, std::size_t bytes) { return __builtin_memcpy(to, from, bytes); }
extern "C" void* memmove(void* to, const void* from, std::size_t bytes) { return __builtin_memmove(to, from, bytes); }
extern "C" void* memset(void* to, int value, std::size_t bytes) { return __builtin_memset(to, value, bytes); }

// The destructors of static objects never run: a module ends with its instance. libc's list of them needs an allocator.
extern "C" int __cxa_atexit(void (*)(void*), void*, void*) { return 0; }

extern "C" void abort() { __builtin_trap(); }
// libc++abi's and libc++'s own, which would print through a file.
extern "C" [[noreturn]] void abort_message(const char*, ...) { __builtin_trap(); }
namespace std {
inline namespace _LIBCPP_ABI_NAMESPACE {
void __libcpp_verbose_abort(const char*, ...) { __builtin_trap(); }
}  // namespace _LIBCPP_ABI_NAMESPACE
}  // namespace std
