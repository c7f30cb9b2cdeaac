#include <algorithm>
#include <map>
#include <utility>

#include "compiler/compile.hpp"
#include "compiler/operators/operator.hpp"

namespace loam {

#define LOAM_OPERATORS(file) std::span<const Operator> file##_operators();
#include "compiler/operators/list.inc"
#undef LOAM_OPERATORS

namespace {

struct Registry {
  std::vector<const Operator*> all;
  std::map<std::pair<std::string_view, std::string_view>, const Operator*> by_name;
};

const Registry& registry() {
  static const Registry instance = [] {
    Registry r;
    for (const auto file : {
#define LOAM_OPERATORS(file) file##_operators(),
#include "compiler/operators/list.inc"
#undef LOAM_OPERATORS
         })
      for (const Operator& op : file) {
        r.all.push_back(&op);
        r.by_name.emplace(std::pair(op.domain, op.name), &op);
      }
    return r;
  }();
  return instance;
}

}  // namespace

std::span<const Operator* const> operators() { return registry().all; }

const Operator* find_operator(std::string_view domain, std::string_view name) {
  const auto it = registry().by_name.find({domain, name});
  return it == registry().by_name.end() ? nullptr : it->second;
}

std::vector<OperatorInfo> registered_operators() {
  std::vector<OperatorInfo> infos;
#define LOAM_OPERATORS(file) \
  for (const Operator& op : file##_operators()) \
    infos.push_back({std::string(op.domain), std::string(op.name), #file ".cpp"});
#include "compiler/operators/list.inc"
#undef LOAM_OPERATORS
  return infos;
}

}  // namespace loam
