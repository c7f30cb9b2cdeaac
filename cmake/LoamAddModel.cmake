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
                 [LEVELS level ...]   # compile it at each of x86-64, x86-64-v2, x86-64-v3, x86-64-v4; one is chosen at the start
                 [OPTIONS option ...] # further options of `loam build`, as they are
                 [DEPENDS file ...])  # further files the model is read from, such as external data

TARGET is an INTERFACE library; with LEVELS it is a STATIC one, of the levels' objects (one, and no level, on another
processor than x86-64). What links to it says #include "<namespace>.hpp" and is compiled as C++20. The module is
built again when the graph, the checkpoint, the layout file or the loam command changes. A relative file is looked for in
the current source folder.

The command is the target loam::loam: that of the build where Loam is part of it, else the one find_package(loam) found.
]]
include_guard()

function(loam_add_model target)
  cmake_parse_arguments(PARSE_ARGV 1 model "EMBED_WEIGHTS" "GRAPH;CHECKPOINT;LAYOUT;NAMESPACE;STORE"
                        "DIMS;OUTPUTS;LEVELS;OPTIONS;DEPENDS")
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
  set(generated "${folder}/${model_NAMESPACE}.hpp")
  if(model_LEVELS)
    list(JOIN model_LEVELS "," levels)
    list(APPEND arguments --levels "${levels}")
    if(NOT CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64|amd64)$")
      set(model_LEVELS portable)
    endif()
    list(APPEND generated "${folder}/${model_NAMESPACE}_level.hpp")
    foreach(level IN LISTS model_LEVELS)
      string(REPLACE "-" "_" word "${level}")
      list(APPEND generated "${folder}/${model_NAMESPACE}_${word}.cpp")
    endforeach()
  endif()
  list(APPEND arguments --namespace "${model_NAMESPACE}" ${model_OPTIONS} -o "${folder}")
  file(MAKE_DIRECTORY "${folder}")
  cmake_path(GET model_GRAPH FILENAME graph_name)
  add_custom_command(
    OUTPUT ${generated}
    COMMAND "$<TARGET_FILE:loam::loam>" ${arguments}
    DEPENDS loam::loam "$<TARGET_FILE:loam::loam>" ${files}
    COMMENT "Compiling ${graph_name} to ${model_NAMESPACE}.hpp"
    VERBATIM)

  add_custom_target(${target}_module DEPENDS ${generated})
  if(model_LEVELS)
    loam_levels(${target} "${folder}" "${model_NAMESPACE}" "${model_LEVELS}")
  else()
    add_library(${target} INTERFACE)
  endif()
  add_dependencies(${target} ${target}_module)
  target_include_directories(${target} INTERFACE "${folder}")
  target_compile_features(${target} INTERFACE cxx_std_20)
  find_package(Threads REQUIRED)
  target_link_libraries(${target} INTERFACE Threads::Threads)
endfunction()

# The static library of a module's levels. Each is compiled for itself, and closed: of what it defines, the standard
# library's functions among it, only its table stays visible, so that nothing else in a program calls code of its level.
function(loam_levels target folder module levels)
  if(levels STREQUAL "portable")  # one level, and nothing in the program that it could spoil
    add_library(${target} STATIC "${folder}/${module}_portable.cpp")
    target_compile_features(${target} PRIVATE cxx_std_20)
    set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE ON CXX_VISIBILITY_PRESET hidden)
    return()
  endif()
  if(APPLE OR WIN32)
    message(FATAL_ERROR "loam_add_model(${target}): LEVELS closes ELF objects, and this system has others")
  endif()
  if(CMAKE_CROSSCOMPILING)
    set(LOAM_LD "${CMAKE_LINKER}")
    set(LOAM_OBJCOPY "${CMAKE_OBJCOPY}")
  else()
    find_program(LOAM_LD NAMES ld.bfd ld ld.lld REQUIRED DOC "The linker that closes the object of a level")
    find_program(LOAM_OBJCOPY NAMES objcopy llvm-objcopy REQUIRED DOC "The objcopy that closes the object of a level")
    mark_as_advanced(LOAM_LD LOAM_OBJCOPY)
  endif()
  set(objects "")
  foreach(level IN LISTS levels)
    string(REPLACE "-" "_" word "${level}")
    set(part ${target}_${word})
    add_library(${part} OBJECT "${folder}/${module}_${word}.cpp")
    add_dependencies(${part} ${target}_module)
    target_compile_features(${part} PRIVATE cxx_std_20)
    target_include_directories(${part} PRIVATE "${folder}")
    set_target_properties(${part} PROPERTIES POSITION_INDEPENDENT_CODE ON CXX_VISIBILITY_PRESET hidden
                                             INTERPROCEDURAL_OPTIMIZATION OFF)
    # What is compiled at the link has no symbols to close yet.
    target_compile_options(${part} PRIVATE -fno-lto "-march=${level}")
    if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
      target_compile_options(${part} PRIVATE -fno-gnu-unique)  # objcopy leaves such symbols as they are
    endif()
    set(closed "${folder}/${module}_${word}.o")
    add_custom_command(
      OUTPUT "${closed}"
      COMMAND "${LOAM_LD}" -r --force-group-allocation $<TARGET_OBJECTS:${part}> -o "${closed}.part"
      COMMAND "${LOAM_OBJCOPY}" "--keep-global-symbol=${module}_${word}" "${closed}.part" "${closed}"
      DEPENDS ${part} $<TARGET_OBJECTS:${part}>
      COMMENT "Closing ${module}_${word}.o"
      VERBATIM COMMAND_EXPAND_LISTS)
    list(APPEND objects "${closed}")
  endforeach()
  add_library(${target} STATIC ${objects})
  set_target_properties(${target} PROPERTIES LINKER_LANGUAGE CXX)
endfunction()
