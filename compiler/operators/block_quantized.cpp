// com.microsoft's weights of a few bits, packed low bits first, with a scale and zero point for each block of columns:
// MatMulNBits and GatherBlockQuantized. One map unpacks and scales them.
#include "compiler/operators/checks.hpp"
#include "compiler/operators/formula.hpp"

namespace loam {

namespace {

bool expect_bits(const NodeContext& c) {
  const std::int64_t bits = c.integer("bits", 4);
  if (bits == 2 || bits == 4 || bits == 8) return true;
  c.error(Code::operator_form, "packs elements of " + std::to_string(bits) + " bits, and the kernels read 2, 4 and 8");
  return false;
}

// bytes [.., n] as int32 [.., n, elements a byte].
Term unpacked(Formula& f, Term bytes, std::int64_t bits, int axis) {
  const Term byte = bytes.as(DType::int32);
  if (bits == 8) return byte;
  const Term shift = (f.coordinate(axis) * f.integer(bits, DType::int64)).as(DType::int32);
  return apply(ScalarOp::bitwise_and, apply(ScalarOp::shift_right, byte, shift),
               byte.constant(static_cast<double>((1 << bits) - 1)));
}

TensorId with_units(LowerContext& c, TensorId t, int count) {
  std::vector<Axis> axes = c.tensor(t).axes;
  std::vector<int> source(axes.size());
  for (std::size_t k = 0; k < source.size(); ++k) source[k] = static_cast<int>(k);
  for (int k = 0; k < count; ++k) {
    axes.push_back(c.unit());
    source.push_back(-1);
  }
  return c.units(t, source, std::move(axes));
}

// The tensor with as much of its last axis as `axis` holds, under that name.
TensorId first_of_last(LowerContext& c, TensorId t, const Axis& axis) {
  std::vector<Axis> axes = c.tensor(t).axes;
  const bool whole = c.symbols().simplify(axes.back().extent() - axis.extent()).is(0);
  axes.back() = axis;
  if (whole) return c.relabel(t, std::move(axes));
  const std::vector<Polynomial> starts(axes.size(), 0), steps(axes.size(), 1);
  return c.slice(t, std::move(axes), starts, steps);
}

struct Packed {
  std::vector<Axis> rows;    // the axes before the columns
  Axis column;               // what a row unpacks to
  Axis block;                // its blocks
  std::int64_t bits, block_size;
  TensorId data;             // uint8 [rows.., blocks, bytes of a block]
  TensorId scales;           // [rows.., blocks]
  TensorId zero_points;  // packed uint8 [rows.., bytes], or a float or int [rows.., blocks]; or none: half the range
};

// The elements in float: [rows.., columns].
TensorId dequantize(LowerContext& c, const Packed& p, DType type) {
  const std::int64_t per_byte = 8 / p.bits;
  const Axis in_byte = per_byte == 1 ? c.unit() : c.named_axis("InByte", per_byte);
  const auto rank = static_cast<int>(p.rows.size());
  TensorId zero_points = p.zero_points;
  if (zero_points != no_tensor && c.tensor(zero_points).dtype == DType::uint8) {
    std::vector<Axis> axes = c.tensor(zero_points).axes;
    const Axis bytes = axes.back();
    axes.push_back(in_byte);
    Formula f(c);
    const TensorId bytes_apart = with_units(c, zero_points, 1);
    zero_points = f.make(axes, unpacked(f, f(bytes_apart), p.bits, rank + 1), "zero_points");
    axes.pop_back();
    axes.back() = LowerContext::merge({bytes, in_byte});
    zero_points = first_of_last(c, c.reshape(zero_points, std::move(axes)), p.block);
  }
  std::vector<Axis> axes = c.tensor(p.data).axes;
  const Axis bytes = axes.back();
  axes.push_back(in_byte);
  const TensorId data = with_units(c, p.data, 1), scales = with_units(c, p.scales, 2);
  if (zero_points != no_tensor) zero_points = with_units(c, zero_points, 2);
  Formula f(c);
  const Term q = unpacked(f, f(data), p.bits, rank + 2).as(type);
  const Term centred =
      q - (zero_points == no_tensor ? q.constant(static_cast<double>(1 << (p.bits - 1))) : f(zero_points).as(type));
  const TensorId elements = f.make(axes, centred * f(scales).as(type), "elements");
  std::vector<Axis> flat = p.rows;
  flat.push_back(LowerContext::merge({p.block, bytes, in_byte}));
  return first_of_last(c, c.reshape(elements, std::move(flat)), p.column);
}

// ---- MatMulNBits: A [.., K], B [N, blocks, bytes], scales, zero_points, g_idx, bias
// ----------------------------------

Polynomial block_count(const NodeContext& c) {
  return c.symbols().ceil_div(c.integer("K", 0), std::max<std::int64_t>(1, c.integer("block_size", 32)));
}

bool expect_elements(const InferContext& c, int i, const Polynomial& wanted, std::string_view what) {
  return c.equate(c.elements(i), wanted,
                  c.input_name(i) + " has " + c.spell(c.elements(i)) + " elements, and " + std::string(what) + " are " +
                      c.spell(wanted));
}

void infer_matmul_bits(InferContext& c) {
  const bool types = expect_float(c, 0) && expect_dtype(c, 1, {DType::uint8}) && expect_float(c, 2);
  if (!types || !expect_bits(c) || !expect_least_rank(c, 0, 1) || !expect_rank(c, 1, 3)) return;
  if (c.has(4)) return c.error(Code::operator_form, "orders its columns by g_idx, which no kernel does");
  const std::int64_t bits = c.integer("bits", 4), n = c.integer("N", 0), k = c.integer("K", 0),
                     size = c.integer("block_size", 0);
  if (size < 16 || (size & (size - 1)) != 0)
    return c.error(Code::bad_attribute,
                   "block_size is " + std::to_string(size) + ", and it must be a power of 2 from 16 on");
  const Polynomial blocks = block_count(c);
  c.equate(c.extent(0, c.rank(0) - 1), k,
           c.input_name(0) + " has " + c.spell(c.extent(0, c.rank(0) - 1)) + " columns, and K is " + std::to_string(k));
  expect_elements(c, 1, blocks * n * (size / 8 * bits), "N rows of blocks");
  expect_elements(c, 2, blocks * n, "the scales of N rows");
  for (const int i : {2, 3})
    if (c.has(i) && c.rank(i) == 2)
      c.equate(c.axis(1, 0), c.axis(i, 0), "in " + c.input_name(1), "in " + c.input_name(i));
  if (c.has(3)) {
    const Polynomial packed = c.symbols().ceil_div(blocks * bits, 8);
    expect_elements(c, 3, c.dtype(3) == DType::uint8 ? packed * n : blocks * n, "the zero points of N rows");
  }
  std::vector<Axis> axes = c.axes(0);
  axes.back() = c.axis(1, 0);
  if (c.has(5)) expect_along(c, 5, axes.back(), "the rows of the weight");
  c.output(0, c.dtype(0), std::move(axes));
}

void lower_matmul_bits(LowerContext& c) {
  const Axis &rows = c.axis(1, 0), &block = c.axis(1, 1);
  const auto by_row = [&](int i, const Axis& column) {
    return c.rank(i) == 2 ? c.relabel(c.in(i), {rows, column}) : c.reshape(c.in(i), {rows, column});
  };
  TensorId zero_points = no_tensor;
  if (c.has(3)) {
    const bool packed = c.dtype(3) == DType::uint8;
    const Polynomial bytes = c.symbols().ceil_div(block_count(c) * c.integer("bits", 4), 8);
    zero_points = by_row(3, packed ? c.named_axis("ZeroPointByte", bytes) : block);
  }
  const Packed packed{.rows = {rows},
                      .column = c.axis(0, c.rank(0) - 1),
                      .block = block,
                      .bits = c.integer("bits", 4),
                      .block_size = c.integer("block_size", 32),
                      .data = c.in(1),
                      .scales = by_row(2, block),
                      .zero_points = zero_points};
  const TensorId w = c.transpose(dequantize(c, packed, compute_type(c.dtype(0))), {1, 0});
  if (!c.has(5)) return c.call("matmul", "matmul", {c.out(0)}, {}, {c.in(0), w});
  const TensorId product = c.temporary(compute_type(c.dtype(0)), c.output_type(0).axes, "product");
  c.call("matmul", "matmul", {product}, {}, {c.in(0), w});
  Formula f(c);
  const Term y = f(product);
  f.into(c.out(0), y + f(c.in(5)).as(y.type()));
}

// ---- GatherBlockQuantized: data [V, bytes] packed along its last axis, indices, scales [V, blocks], zero_points
// ------

void infer_gather_blocks(InferContext& c) {
  const bool types =
      expect_dtype(c, 0, {DType::uint8}) && expect_dtype(c, 1, {DType::int32, DType::int64}) && expect_float(c, 2);
  if (!types || !expect_bits(c) || !expect_rank(c, 0, 2) || !expect_rank(c, 2, 2)) return;
  const std::int64_t gather_axis = c.integer("gather_axis", 0), quantize_axis = c.integer("quantize_axis", 1);
  if ((gather_axis != 0 && gather_axis != -2) || (quantize_axis != 1 && quantize_axis != -1))
    return c.error(Code::operator_form, "gathers along axis " + std::to_string(gather_axis) + " of blocks along axis " +
                                            std::to_string(quantize_axis) + ", and the kernels take 0 and 1");
  const std::int64_t size = c.integer("block_size", 128), per_byte = 8 / c.integer("bits", 4);
  if (size < 16 || (size & (size - 1)) != 0)
    return c.error(Code::bad_attribute,
                   "block_size is " + std::to_string(size) + ", and it must be a power of 2 from 16 on");
  const Polynomial columns = c.extent(0, 1) * per_byte, blocks = c.symbols().ceil_div(columns, size);
  if (!columns.divided_by(size))
    return c.error(Code::operator_form, c.input_name(0) + " unpacks to " + c.spell(columns) +
                                            " columns, which blocks of " + std::to_string(size) + " do not divide");
  c.equate(c.axis(0, 0), c.axis(2, 0), "in " + c.input_name(0), "in " + c.input_name(2));
  c.equate(
      c.extent(2, 1), blocks,
      c.input_name(2) + " has " + c.spell(c.extent(2, 1)) + " scales a row, and its blocks are " + c.spell(blocks));
  if (c.has(3) && expect_rank(c, 3, 2))
    c.equate(c.axis(0, 0), c.axis(3, 0), "in " + c.input_name(0), "in " + c.input_name(3));
  std::vector<Axis> axes = c.axes(1);
  axes.push_back(c.fresh(columns));
  c.output(0, c.dtype(2), std::move(axes));
}

void lower_gather_blocks(LowerContext& c) {
  const auto gathered = [&](int i) {
    std::vector<Axis> axes = c.axes(1);
    axes.push_back(c.axis(i, 1));
    const TensorId out = c.temporary(c.tensor(c.in(i)).dtype, std::move(axes), "rows");
    c.call("gather", "gather", {out}, {integer_literal(0)}, {c.in(i), c.in(1)}, true);
    return out;
  };
  const std::int64_t bits = c.integer("bits", 4), size = c.integer("block_size", 128);
  const Axis &block = c.axis(2, 1), &column = c.output_type(0).axes.back();
  std::vector<Axis> apart = c.axes(1);
  apart.push_back(block);
  apart.push_back(c.named_axis("BlockByte", size * bits / 8));
  const TensorId data = c.reshape(gathered(0), std::move(apart)), scales = gathered(2);
  const Packed packed{.rows = c.axes(1), .column = column, .block = block, .bits = bits, .block_size = size,
                      .data = data, .scales = scales, .zero_points = c.has(3) ? gathered(3) : no_tensor};
  const TensorId elements = dequantize(c, packed, compute_type(c.dtype(2)));
  if (c.tensor(elements).dtype == c.dtype(2)) c.alias(0, elements);
  else c.copy(c.out(0), elements);
}

constexpr Operator rows[] = {
    {.domain = "com.microsoft", .name = "MatMulNBits", .infer = infer_matmul_bits, .lower = lower_matmul_bits,
     .min_inputs = 3, .max_inputs = 6},
    {.domain = "com.microsoft", .name = "GatherBlockQuantized", .infer = infer_gather_blocks,
     .lower = lower_gather_blocks, .min_inputs = 3, .max_inputs = 4},
};

}  // namespace

std::span<const Operator> block_quantized_operators() { return rows; }

}  // namespace loam
