#[[
Compiles a model ahead of time and makes it a library of the build:

  loam_add_model(TARGET GRAPH file
                 [CHECKPOINT file]    # weights, by initializer name; wins over the data the graph points to
                 [LAYOUT file|auto]   # the axes' names, or the names Loam proposes
                 [NAMESPACE name]     # of the generated module; the target's name where not given
                 [DIMS NAME=N ...]    # symbols settled at build time
                 [OUTPUTS name ...]   # the outputs wanted; all where not given
                 [STORE checkpoint]   # hold float16 and bfloat16 weights as the checkpoint stores them
                 [EMBED_WEIGHTS]      # put the checkpoint's data into the module
                 [OPTIONS option ...] # further options of `loam build`, as they are
                 [DEPENDS file ...])  # further files the model is read from, such as external data

TARGET is an INTERFACE library. What links to it says #include "<namespace>.hpp" and is compiled as C++20. The module is
built again when the graph, the checkpoint, the layout file or the loam command changes. A relative file is looked for in
the current source folder.

The command is the target loam::loam: that of the build where Loam is part of it, else the one find_package(loam) found.
]]
include_guard()

function(loam_add_model target)
  cmake_parse_arguments(PARSE_ARGV 1 model "EMBED_WEIGHTS" "GRAPH;CHECKPOINT;LAYOUT;NAMESPACE;STORE"
                        "DIMS;OUTPUTS;OPTIONS;DEPENDS")
  if(model_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "loam_add_model(${target}): unknown arguments: ${model_UNPARSED_ARGUMENTS}")
  endif()
  if(model_KEYWORDS_MISSING_VALUES)
    message(FATAL_ERROR "loam_add_model(${target}): no value is given for ${model_KEYWORDS_MISSING_VALUES}")
  endif()
  if(NOT model_GRAPH)
    message(FATAL_ERROR "loam_add_model(${target}): GRAPH names the model's file and is required")
  endif()
  if(NOT TARGET loam::loam)
    message(FATAL_ERROR "loam_add_model(${target}): the target loam::loam is missing; call find_package(loam) first")
  endif()
  if(model_STORE AND NOT model_STORE STREQUAL "checkpoint")
    message(FATAL_ERROR "loam_add_model(${target}): STORE is '${model_STORE}'; it can be 'checkpoint'")
  endif()
  foreach(dim IN LISTS model_DIMS)
    if(NOT dim MATCHES "^.+=[0-9]+$")
      message(FATAL_ERROR "loam_add_model(${target}): DIMS has '${dim}'; it takes NAME=N")
    endif()
  endforeach()
  if(NOT model_NAMESPACE)
    string(MAKE_C_IDENTIFIER "${target}" model_NAMESPACE)
  endif()

  # A file made by the build has no existence to check yet: only what is relative is resolved.
  macro(loam_absolute variable)
    cmake_path(ABSOLUTE_PATH ${variable} BASE_DIRECTORY "${CMAKE_CURRENT_SOURCE_DIR}" NORMALIZE)
  endmacro()
  loam_absolute(model_GRAPH)
  set(files "${model_GRAPH}")
  set(arguments build "${model_GRAPH}")
  if(model_CHECKPOINT)
    loam_absolute(model_CHECKPOINT)
    list(APPEND files "${model_CHECKPOINT}")
    list(APPEND arguments --checkpoint "${model_CHECKPOINT}")
  endif()
  if(model_LAYOUT STREQUAL "auto")
    list(APPEND arguments --layout auto)
  elseif(model_LAYOUT)
    loam_absolute(model_LAYOUT)
    list(APPEND files "${model_LAYOUT}")
    list(APPEND arguments --layout "${model_LAYOUT}")
  endif()
  foreach(dim IN LISTS model_DIMS)
    list(APPEND arguments --dim "${dim}")
  endforeach()
  foreach(output IN LISTS model_OUTPUTS)
    list(APPEND arguments --output "${output}")
  endforeach()
  if(model_STORE)
    list(APPEND arguments --store "${model_STORE}")
  endif()
  if(model_EMBED_WEIGHTS)
    list(APPEND arguments --embed-weights)
  endif()
  foreach(file IN LISTS model_DEPENDS)
    loam_absolute(file)
    list(APPEND files "${file}")
  endforeach()

  set(folder "${CMAKE_CURRENT_BINARY_DIR}/${target}.loam")
  set(header "${folder}/${model_NAMESPACE}.hpp")
  list(APPEND arguments --namespace "${model_NAMESPACE}" ${model_OPTIONS} -o "${folder}")
  file(MAKE_DIRECTORY "${folder}")
  cmake_path(GET model_GRAPH FILENAME graph_name)
  add_custom_command(
    OUTPUT "${header}"
    COMMAND "$<TARGET_FILE:loam::loam>" ${arguments}
    DEPENDS loam::loam "$<TARGET_FILE:loam::loam>" ${files}
    COMMENT "Compiling ${graph_name} to ${model_NAMESPACE}.hpp"
    VERBATIM)

  add_custom_target(${target}_module DEPENDS "${header}")
  add_library(${target} INTERFACE)
  add_dependencies(${target} ${target}_module)
  target_include_directories(${target} INTERFACE "${folder}")
  target_compile_features(${target} INTERFACE cxx_std_20)
  find_package(Threads REQUIRED)
  target_link_libraries(${target} INTERFACE Threads::Threads)
endfunction()
