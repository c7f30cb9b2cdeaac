# The toolchain of the wasi preset: clang 19 with Debian's wasi-libc, libc++-19-dev-wasm32 and libclang-rt-19-dev-wasm32.
# Only the compiler library is built with it: what a WebAssembly module of the compiler is made of.
set(CMAKE_SYSTEM_NAME WASI)
set(CMAKE_MODULE_PATH "${CMAKE_CURRENT_LIST_DIR}")  # for Platform/WASI.cmake
set(CMAKE_SYSTEM_PROCESSOR wasm32)
set(CMAKE_CXX_COMPILER clang++-19)
set(CMAKE_CXX_COMPILER_TARGET wasm32-wasi)
set(CMAKE_TRY_COMPILE_TARGET_TYPE STATIC_LIBRARY)
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
