# Compiles each *.cpp of this folder against the module of examples/mlp. One that begins with lines "// error: WORDS"
# must not compile, and the compiler must say each of the WORDS; one without must compile without a warning.
#   cmake -DLOAM=… -DCXX=… -DEXAMPLE=… -DWORK=… -P run.cmake
foreach(variable LOAM CXX EXAMPLE WORK)
  if(NOT ${variable})
    message(FATAL_ERROR "${variable} is not given")
  endif()
endforeach()

execute_process(
  COMMAND "${LOAM}" build "${EXAMPLE}/mlp.onnx" --checkpoint "${EXAMPLE}/mlp.safetensors"
          --layout "${EXAMPLE}/mlp.layout.json" --namespace mlp --no-fuse -o "${WORK}"
  RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE output)
if(NOT result EQUAL 0)
  message(FATAL_ERROR "loam build: exit code ${result}\n${output}")
endif()

set(failed "")
file(GLOB cases "${CMAKE_CURRENT_LIST_DIR}/*.cpp")
foreach(case IN LISTS cases)
  cmake_path(GET case STEM name)
  file(STRINGS "${case}" errors REGEX "^// error: ")
  execute_process(
    COMMAND "${CXX}" -std=c++20 -fsyntax-only -Wall -Wextra -Wconversion "-I${WORK}" "${case}"
    RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE output)
  set(problem "")
  if(NOT errors AND (NOT result EQUAL 0 OR NOT output STREQUAL ""))
    set(problem "it must compile without a warning")
  elseif(errors AND result EQUAL 0)
    set(problem "it must not compile")
  endif()
  foreach(words IN LISTS errors)
    string(REPLACE "// error: " "" words "${words}")
    string(FIND "${output}" "${words}" at)
    if(at EQUAL -1 AND NOT problem)
      set(problem "the compiler must say: ${words}")
    endif()
  endforeach()
  if(problem)
    string(APPEND failed "${name}: ${problem}. It said:\n${output}\n")
  else()
    message(STATUS "${name}: as it must be")
  endif()
endforeach()
if(failed)
  message(FATAL_ERROR "${failed}")
endif()
