# What the project's own targets share. Nothing here is installed.
include_guard()

# Compiles through ccache where it is found. Paths are taken relative to the source folder, so a second clone, or a
# second build folder, finds what the first one compiled.
macro(loam_use_ccache)
  find_program(LOAM_CCACHE ccache)
  mark_as_advanced(LOAM_CCACHE)
  if(LOAM_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
    set(CMAKE_CXX_COMPILER_LAUNCHER env "CCACHE_BASEDIR=${PROJECT_SOURCE_DIR}" CCACHE_NOHASHDIR=1 "${LOAM_CCACHE}")
  endif()
endmacro()

# Links clang's objects with lld where it is found: g++'s keep the system's linker.
macro(loam_use_lld)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang" AND NOT CMAKE_SYSTEM_NAME STREQUAL "WASI")
    string(REGEX MATCH "^[0-9]+" clang_major "${CMAKE_CXX_COMPILER_VERSION}")
    find_program(LOAM_LLD NAMES "ld.lld-${clang_major}" ld.lld)
    mark_as_advanced(LOAM_LLD)
    if(LOAM_LLD)
      add_link_options("--ld-path=${LOAM_LLD}")
    endif()
  endif()
endmacro()

# Sets `variable` to the options that ask for warnings.
function(loam_warnings variable)
  # -Wsign-conversion is no part of g++'s -Wconversion in C++: it is left out of clang's too, so that both ask alike.
  set(warnings -Wall -Wextra -Wconversion -Wno-sign-conversion)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
    list(APPEND warnings -Wno-restrict)  # false positives on std::string's operator+ (GCC bug 105651)
  endif()
  if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
    # libstdc++ 12's stable_sort calls its own get_temporary_buffer, which C++17 deprecates: only clang says so.
    list(APPEND warnings -Wno-deprecated-declarations)
  endif()
  if(LOAM_WERROR)
    list(APPEND warnings -Werror)
  endif()
  set(${variable} ${warnings} PARENT_SCOPE)
endfunction()

# Warnings, and the sanitizers asked for.
function(loam_strict target)
  loam_warnings(warnings)
  target_compile_options(${target} PRIVATE ${warnings})
  if(LOAM_SANITIZE)
    # vptr needs type information, which the compiler library is built without.
    set(sanitizers -fsanitize=${LOAM_SANITIZE} -fno-sanitize=vptr -fno-sanitize-recover=all -fno-omit-frame-pointer)
    target_compile_options(${target} PRIVATE ${sanitizers})
    target_link_options(${target} PUBLIC -fsanitize=${LOAM_SANITIZE})
  endif()
  if(LOAM_FUZZERS AND CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
    target_compile_options(${target} PRIVATE -fsanitize=fuzzer-no-link)
  endif()
endfunction()

# nlohmann-json and fmt, header-only and without exceptions. The definitions are public: every object of one program has
# to see these headers alike.
function(loam_header_only target)
  target_link_libraries(${target} PUBLIC nlohmann_json::nlohmann_json fmt::fmt-header-only)
  target_compile_definitions(${target} PUBLIC JSON_NOEXCEPTION=1 FMT_EXCEPTIONS=0)
endfunction()

# Sets `source` to the generated C++ source that holds what a generated module is made of: headers, and the page's loader;
# and the page that `loam report` writes.
function(loam_embed_headers source)
  file(GLOB_RECURSE headers CONFIGURE_DEPENDS RELATIVE "${PROJECT_SOURCE_DIR}"
       "${PROJECT_SOURCE_DIR}/runtime/*.hpp")
  file(GLOB op_headers CONFIGURE_DEPENDS RELATIVE "${PROJECT_SOURCE_DIR}" "${PROJECT_SOURCE_DIR}/ops/*/*.hpp")
  file(GLOB page CONFIGURE_DEPENDS RELATIVE "${PROJECT_SOURCE_DIR}" "${PROJECT_SOURCE_DIR}/web/report/*")
  list(FILTER page INCLUDE REGEX "\\.(js|css|html)$")
  list(APPEND headers ${op_headers} ${page} web/loader.js web/threads.js)
  list(FILTER headers EXCLUDE REGEX "(/|_)(reference|test)\\.hpp$")
  list(SORT headers)
  list(TRANSFORM headers PREPEND "${PROJECT_SOURCE_DIR}/" OUTPUT_VARIABLE absolute)

  if(CMAKE_CROSSCOMPILING)
    find_program(LOAM_EMBED_FILES embed_files REQUIRED DOC "embed_files, from a build for this machine")
    set(tool "${LOAM_EMBED_FILES}")
  else()
    add_executable(embed_files "${PROJECT_SOURCE_DIR}/cmake/embed_files.cpp")
    target_compile_features(embed_files PRIVATE cxx_std_20)
    loam_strict(embed_files)
    set(tool "$<TARGET_FILE:embed_files>")
  endif()

  set(folder "${PROJECT_BINARY_DIR}/generated")
  file(MAKE_DIRECTORY "${folder}")
  list(JOIN headers "\n" lines)
  file(CONFIGURE OUTPUT "${folder}/embedded_files.txt" CONTENT "${lines}\n" @ONLY)  # written where it differs
  add_custom_command(
    OUTPUT "${folder}/embedded_runtime.cpp"
    COMMAND "${tool}" "${folder}/embedded_runtime.cpp" "${PROJECT_SOURCE_DIR}" "${folder}/embedded_files.txt"
    DEPENDS "${tool}" "${folder}/embedded_files.txt" ${absolute}
    COMMENT "Embedding the runtime and the op library"
    VERBATIM)
  set(${source} "${folder}/embedded_runtime.cpp" PARENT_SCOPE)
endfunction()

# One GoogleTest program, and one ctest entry for it.
#   loam_test(NAME STANDARD 20|23 SOURCES … [LIBRARIES …])
function(loam_test name)
  cmake_parse_arguments(PARSE_ARGV 1 test "" "STANDARD" "SOURCES;LIBRARIES")
  add_executable(${name} ${test_SOURCES})
  target_compile_features(${name} PRIVATE cxx_std_${test_STANDARD})
  target_link_libraries(${name} PRIVATE ${test_LIBRARIES} GTest::gtest GTest::gtest_main)
  loam_test_definitions(${name})
  loam_strict(${name})
  if(TARGET loam)
    add_dependencies(${name} loam)
  endif()
  add_test(NAME ${name} COMMAND ${name} WORKING_DIRECTORY "${PROJECT_SOURCE_DIR}")
  set_tests_properties(${name} PROPERTIES TIMEOUT 1200)
endfunction()

function(loam_test_definitions target)
  target_compile_definitions(${target} PRIVATE
    LOAM_SOURCE_DIR="${PROJECT_SOURCE_DIR}"
    LOAM_BINARY_DIR="${PROJECT_BINARY_DIR}"
    LOAM_SHARED_DIR="${LOAM_SHARED_DIR}"
    LOAM_BINARY="${PROJECT_BINARY_DIR}/loam"
    LOAM_HOST_CXX="${CMAKE_CXX_COMPILER}")
endfunction()
