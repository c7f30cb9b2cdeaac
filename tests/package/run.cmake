# The installed package, as a project that uses it sees it: installs the command into a folder of its own, configures an
# example alone against it, builds and runs the example.
#   cmake -DBUILD=… -DEXAMPLE=… -DPROGRAM=… -DCXX=… -DWORK=… -P run.cmake
foreach(variable BUILD EXAMPLE PROGRAM CXX WORK)
  if(NOT ${variable})
    message(FATAL_ERROR "${variable} is not given")
  endif()
endforeach()

file(REMOVE_RECURSE "${WORK}")
function(run)
  execute_process(COMMAND ${ARGV} RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(NOT result EQUAL 0)
    list(JOIN ARGV " " command)
    message(FATAL_ERROR "${command}: exit code ${result}\n${output}")
  endif()
endfunction()

run("${CMAKE_COMMAND}" --install "${BUILD}" --prefix "${WORK}/prefix")
run("${CMAKE_COMMAND}" -S "${EXAMPLE}" -B "${WORK}/build" -G Ninja "-DCMAKE_PREFIX_PATH=${WORK}/prefix"
    "-DCMAKE_CXX_COMPILER=${CXX}" -DCMAKE_BUILD_TYPE=Release)
run("${CMAKE_COMMAND}" --build "${WORK}/build")
run("${WORK}/build/${PROGRAM}")
