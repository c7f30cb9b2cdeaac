// BitCast (ai.onnx): the same bits read as another type of the same width.
#include "compiler/operators/formula.hpp"
#include "compiler/operators/movement.hpp"

namespace loam {

namespace {

void infer_bit_cast(InferContext& c) {
  const auto to = stated_type(c, "to", DType::undefined);
  if (!to) return;
  if (dtype_cpp(c.dtype(0)).empty() || dtype_bits(*to) != dtype_bits(c.dtype(0)))
    return c.error(Code::element_type, "reads the bits of " + std::string(dtype_name(c.dtype(0))) + " as " +
                                           std::string(dtype_name(*to)) +
                                           ", and a kernel takes two types of one width");
  c.output(0, *to, c.axes(0));
}

void fold_bit_cast(InferContext& c) {
  const Known& x = *c.known(0);
  if (!x.constant()) return;
  const TensorData data{
      .name = {}, .dtype = c.output_type(0).dtype, .dims = x.dims, .data = Bytes::own(known_bytes(x)), .strings = {}};
  if (auto known = known_from(data)) c.fold(0, std::move(*known));
}

void lower_bit_cast(LowerContext& c) { c.call("bit_cast", "bit_cast", {c.out(0)}, {}, {c.in(0)}); }

constexpr Operator rows[] = {
    {.domain = "", .name = "BitCast", .infer = infer_bit_cast, .lower = lower_bit_cast, .fold = fold_bit_cast},
};

}  // namespace

std::span<const Operator> bit_cast_operators() { return rows; }

}  // namespace loam
