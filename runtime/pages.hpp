// Large pages for large memory.
#pragma once

#include <cstddef>

#if defined(__linux__)
#  include <sys/mman.h>
#endif

namespace loam {

// From so many bytes on memory is laid on the boundary of a large page, and the system asked to back it with such pages: it
// looks up a page of 2 MiB rather than 512 of 4 KiB. A product with one row, which reads a weight once, ran at 30 GB/s by
// 768 x 50257 floats, and at 25 on pages of 4 KiB (one thread, medians of 60 in turn, where "madvise" is the system's rule).
inline constexpr std::size_t large_page = std::size_t{1} << 21;
#if defined(__linux__)
inline constexpr std::size_t least_large = 2 * large_page;
#else
inline constexpr std::size_t least_large = static_cast<std::size_t>(-1);  // another system is not asked
#endif

inline void prefer_large_pages([[maybe_unused]] void* memory, [[maybe_unused]] std::size_t bytes) {
#if defined(__linux__) && defined(MADV_HUGEPAGE)
  if (memory) static_cast<void>(::madvise(memory, bytes / large_page * large_page, MADV_HUGEPAGE));  // a wish: pages of any size do
#endif
}

}  // namespace loam
