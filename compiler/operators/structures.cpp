#include "compiler/operators/structures.hpp"

#include "compiler/operators/movement.hpp"

namespace loam {

void pass_on(InferContext& c, ValueId id) {
  if (id == no_value) return;
  if (const std::optional<Structure> structure = c.value(id).structure) return c.settle(0, *structure);
  const std::optional<TensorType> type = c.value(id).type;
  if (!type) return;
  c.reads({id});
  c.output(0, type->dtype, type->axes);
  if (c.rank_varies(0)) c.vary_rank(0);
  if (const Known* known = c.known(0)) c.fold(0, Known(*known));
}

void lower_passed_on(LowerContext& c) { c.alias(0, c.in(0)); }

std::optional<std::int64_t> settled_number(const NodeContext& c, int i, const std::string& decides) {
  const auto number = known_integer(c, i);
  if (number)
    if (const auto constant = number->constant()) return *constant;
  if (number)
    c.error(Code::structure_unsettled, c.input_name(i) + " is " + c.spell(*number) + ", and the build must know " + decides,
            "--dim settles the lengths it is made of");
  else
    c.error(Code::structure_unsettled, c.input_name(i) + " is computed at run time, and the build must know " + decides,
            "it knows what follows from constants and lengths, and from an input that --value gives");
  return std::nullopt;
}

}  // namespace loam
