// Constant and ConstantOfShape (ai.onnx).
#include <cstring>

#include "compiler/operators/formula.hpp"
#include "compiler/operators/movement.hpp"

namespace loam {

namespace {

// ---- Constant ------------------------------------------------------------------------------------------------------

template <class T>
TensorData list_data(DType dtype, std::vector<std::int64_t> dims, const std::vector<T>& values) {
  std::vector<std::byte> bytes(values.size() * sizeof(T));
  if (!values.empty()) std::memcpy(bytes.data(), values.data(), bytes.size());
  return {.name = {}, .dtype = dtype, .dims = std::move(dims), .data = Bytes::own(std::move(bytes)), .strings = {}};
}

TensorData string_data(std::vector<std::int64_t> dims, std::vector<std::string> strings) {
  return {.name = {}, .dtype = DType::string, .dims = std::move(dims), .data = Bytes(), .strings = std::move(strings)};
}

// A sparse tensor is kept dense: no kernel reads another form. This bounds what a few bytes of a file can ask for.
constexpr std::uint64_t most_dense_bytes = std::uint64_t{1} << 28;

std::optional<TensorData> dense(const InferContext& c, const SparseTensorData& sparse) {
  const auto fail = [&](Code code, std::string message) {
    c.error(code, std::move(message));
    return std::nullopt;
  };
  const auto n = element_count(sparse.dims);
  const DType dtype = sparse.values.dtype;
  const auto bytes = n ? dense_bytes(dtype, *n) : std::nullopt;
  if (!bytes || dtype_bits(dtype) < 8)
    return fail(Code::element_type, "sparse_value holds " + std::string(dtype_name(dtype)) + ", and no kernel does");
  if (*bytes > most_dense_bytes)
    return fail(Code::operator_form, "sparse_value takes " + std::to_string(*bytes) + " bytes where it is dense");
  const auto* values = std::get_if<Bytes>(&sparse.values.data);
  const auto* indices = std::get_if<Bytes>(&sparse.indices.data);
  const std::int64_t count = sparse.values.elements();
  const std::size_t rank = sparse.indices.dims.size() == 2 ? sparse.dims.size() : 1;
  const auto width = static_cast<std::size_t>(dtype_bits(dtype) / 8);
  if (!values || !indices || sparse.indices.dtype != DType::int64 || sparse.indices.dims.empty() ||
      sparse.indices.dims[0] != count || sparse.indices.elements() != count * static_cast<std::int64_t>(rank) ||
      values->size() < static_cast<std::size_t>(count) * width)
    return fail(Code::bad_attribute,
                "sparse_value does not give one index for each of its " + std::to_string(count) + " values");
  std::vector<std::byte> out(*bytes);
  const Places strides = rank == 1 ? Places{1} : dense_strides(sparse.dims);
  const Places extents = rank == 1 ? Places{*n} : sparse.dims;
  for (std::size_t v = 0; v < static_cast<std::size_t>(count); ++v) {
    Places index(rank);
    std::memcpy(index.data(), indices->span().data() + v * rank * sizeof(std::int64_t), rank * sizeof(std::int64_t));
    for (std::size_t k = 0; k < rank; ++k)
      if (index[k] < 0 || index[k] >= extents[k])
        return fail(Code::index_out_of_range, "sparse_value gives index " + std::to_string(index[k]) +
                                                  " on an axis of " + std::to_string(extents[k]));
    std::memcpy(out.data() + static_cast<std::size_t>(offset_of(index, strides)) * width,
                values->span().data() + v * width, width);
  }
  return TensorData{.name = {}, .dtype = dtype, .dims = sparse.dims, .data = Bytes::own(std::move(out)), .strings = {}};
}

// The tensor that whichever attribute is present states.
const TensorData* stated(const InferContext& c) {
  const Attribute* found = nullptr;
  for (const Attribute& attribute : c.node().attributes) {
    if (!attribute.name.starts_with("value") && attribute.name != "sparse_value") continue;
    if (found) {
      c.error(Code::bad_attribute, "states its value twice, as " + found->name + " and as " + attribute.name);
      return nullptr;
    }
    found = &attribute;
  }
  if (!found) {
    c.error(Code::bad_attribute, "states no value");
    return nullptr;
  }
  const auto one = [&](std::size_t n) { return std::vector<std::int64_t>{static_cast<std::int64_t>(n)}; };
  const auto& value = found->value;
  if (const auto* t = std::get_if<TensorData>(&value)) return t;
  if (const auto* f = std::get_if<float>(&value)) return &c.keep(list_data<float>(DType::float32, {}, {*f}));
  if (const auto* fs = std::get_if<std::vector<float>>(&value))
    return &c.keep(list_data(DType::float32, one(fs->size()), *fs));
  if (const auto* i = std::get_if<std::int64_t>(&value))
    return &c.keep(list_data<std::int64_t>(DType::int64, {}, {*i}));
  if (const auto* is = std::get_if<std::vector<std::int64_t>>(&value))
    return &c.keep(list_data(DType::int64, one(is->size()), *is));
  if (const auto* s = std::get_if<std::string>(&value)) return &c.keep(string_data({}, {*s}));
  if (const auto* ss = std::get_if<std::vector<std::string>>(&value)) return &c.keep(string_data(one(ss->size()), *ss));
  if (const auto* sparse = std::get_if<SparseTensorData>(&value)) {
    auto tensor = dense(c, *sparse);
    return tensor ? &c.keep(std::move(*tensor)) : nullptr;
  }
  c.error(Code::bad_attribute, "attribute " + found->name + " is no tensor, number, string or list of these");
  return nullptr;
}

void infer_constant(InferContext& c) {
  const TensorData* data = stated(c);
  if (!data) return;
  std::vector<Axis> axes;
  for (const std::int64_t extent : data->dims) axes.push_back(c.fresh(extent));
  c.output(0, data->dtype, std::move(axes));
  c.constant(0, *data);
}

// ---- ConstantOfShape -----------------------------------------------------------------------------------------------

// The element repeated: a float zero unless `value` says otherwise.
std::optional<Known> element(const NodeContext& c) {
  if (!c.has_attribute("value")) return Known{DType::float32, {}, {Scalar(0.0)}};
  const TensorData* value = c.tensor("value");
  if (!value) return std::nullopt;
  auto known = known_from(*value);
  if (known && known->elements.size() == 1) return known;
  c.error(Code::bad_attribute, "value holds " + std::to_string(value->elements()) + " elements of " +
                                   std::string(dtype_name(value->dtype)) + ", and the operator repeats one number");
  return std::nullopt;
}

void infer_constant_of_shape(InferContext& c) {
  const auto value = element(c);
  if (!value || !expect_rank(c, 0, 1) || !bind_unknown(c, {0}, length_range)) return;
  bool failed = false;
  const auto extents = BoundInputs(c).integers(0, "a shape", failed);
  if (failed) return;
  std::vector<Axis> axes;
  for (const Polynomial& extent : *extents) {
    if (!c.owe(extent, "axis " + std::to_string(axes.size()) + " of the shape is " + c.spell(extent) +
                           ", which must not be negative"))
      return;
    axes.push_back(c.fresh(extent));
  }
  c.output(0, value->dtype, std::move(axes));
}

void fold_constant_of_shape(InferContext& c) {
  const auto dims = known_dims(c, 0);
  if (!dims) return;
  Known value = *element(c);
  value.elements.resize(static_cast<std::size_t>(*element_count(*dims)), Scalar(value.elements[0]));
  value.dims = *dims;
  c.fold(0, std::move(value));
}

void lower_constant_of_shape(LowerContext& c) {
  bind_unknown(c, {0}, length_range);
  const Known value = *element(c);
  Expression e;
  e.result(e.input(0, value.dtype));
  c.map(c.out(0), std::move(e), {ScalarOperand{value.elements[0], value.dtype}});
}

constexpr Operator rows[] = {
    // A constant that is data is the tensor its value names: there is nothing to compute.
    {.domain = "", .name = "Constant", .infer = infer_constant, .lower = [](LowerContext&) {}, .min_inputs = 0,
     .max_inputs = 0},
    {.domain = "", .name = "ConstantOfShape", .infer = infer_constant_of_shape, .lower = lower_constant_of_shape,
     .fold = fold_constant_of_shape},
};

}  // namespace

std::span<const Operator> constant_operators() { return rows; }

}  // namespace loam
