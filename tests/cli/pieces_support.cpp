// The command's parts that have tests of their own. They are no library: the command is built of sources, and these few
// are built once more here.
#include "cli/compare.cpp"
#include "cli/files.cpp"
#include "cli/guarded.cpp"
#include "cli/hash.cpp"
#include "cli/npy.cpp"
#include "cli/process.cpp"
#include "cli/report.cpp"
#include "cli/strings.cpp"
#include "cli/tensor.cpp"
#include "cli/test_case.cpp"
#include "cli/zoo_weights.cpp"
