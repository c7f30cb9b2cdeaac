#include "compiler/read/safetensors.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>
#include <unordered_set>

#include "compiler/read/wire.hpp"

namespace loam {
namespace {

constexpr std::uint64_t length_bytes = 8;
constexpr std::uint64_t max_json_bytes = 100'000'000;  // the format's own limit
constexpr std::size_t max_errors = 100;

std::string at_byte(std::uint64_t offset) { return fmt::format("byte {}", offset); }

// What one tensor's entry says, as it is written.
struct Entry {
  std::string name;
  std::optional<std::string> dtype;
  std::optional<std::vector<std::int64_t>> shape;
  std::optional<std::vector<std::int64_t>> offsets;
};

// Reads the header's JSON by events, and not into a tree, because a tree keeps only the last of two equal names. The
// JSON is at most three deep: the header, a tensor's entry, a list in it.
class HeaderEvents final : public nlohmann::json_sax<nlohmann::json> {
 public:
  std::vector<Entry> entries;
  std::vector<std::pair<std::string, std::string>> metadata;
  std::string fault_site;  // the tensor in which the reading ended, if any
  std::string fault;       // why; empty where all went well
  std::optional<std::size_t> fault_position;  // in the JSON, where that is what is wrong

  bool null() override { return refuse("null"); }
  bool boolean(bool) override { return refuse("a bool"); }
  bool number_float(double, const std::string&) override { return refuse("a number that is no 64-bit integer"); }
  bool binary(binary_t&) override { return refuse("binary data"); }

  bool number_integer(std::int64_t value) override {
    if (list_ == nullptr) return refuse("a number");
    return fail(fmt::format("{} holds {}", key_, value));
  }

  bool number_unsigned(std::uint64_t value) override {
    if (list_ == nullptr) return refuse("a number");
    if (value > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()))
      return fail(fmt::format("{} holds {}, which is past 2^63", key_, value));
    list_->push_back(static_cast<std::int64_t>(value));
    return true;
  }

  bool string(std::string& value) override {
    if (place_ == Place::metadata) {
      metadata.emplace_back(key_, value);
      return true;
    }
    if (place_ != Place::tensor || list_ != nullptr || key_ != "dtype") return refuse("a string");
    entries.back().dtype = value;
    return true;
  }

  bool start_object(std::size_t) override {
    if (place_ == Place::start) return place_ = Place::header, true;
    if (place_ != Place::header) return refuse("an object");
    keys_.clear();
    if (key_ == "__metadata__") return place_ = Place::metadata, true;
    place_ = Place::tensor;
    entries.emplace_back().name = key_;
    return true;
  }

  bool end_object() override {
    place_ = place_ == Place::header ? Place::end : Place::header;
    return true;
  }

  bool start_array(std::size_t) override {
    if (place_ != Place::tensor || list_ != nullptr) return refuse("a list");
    if (key_ == "shape") {
      list_ = &entries.back().shape.emplace();
    } else if (key_ == "data_offsets") {
      list_ = &entries.back().offsets.emplace();
    } else {
      return refuse("a list");
    }
    return true;
  }

  bool end_array() override {
    list_ = nullptr;
    return true;
  }

  bool key(std::string& name) override {
    key_ = name;
    if (place_ == Place::header) {
      if (names_.insert(name).second) return true;
      fault_site = name;
      fault = "is in the checkpoint's header twice";
      return false;
    }
    if (!keys_.insert(name).second) return fail(fmt::format("{} is given twice", name));
    if (place_ == Place::metadata || name == "dtype" || name == "shape" || name == "data_offsets") return true;
    return fail(fmt::format("the field '{}' is none of safetensors", name));
  }

  bool parse_error(std::size_t position, const std::string&, const nlohmann::detail::exception&) override {
    fault_position = position == 0 ? 0 : position - 1;
    fault = "the header is no JSON from here on";
    return false;
  }

 private:
  enum class Place : std::uint8_t { start, header, metadata, tensor, end };

  bool fail(std::string message) {
    if (place_ == Place::tensor) fault_site = entries.back().name;
    if (place_ == Place::metadata) fault_site = "__metadata__";
    fault = std::move(message);
    return false;
  }

  bool refuse(std::string_view what) {
    switch (place_) {
      case Place::start:
      case Place::end: return fail(fmt::format("the header is {} where an object belongs", what));
      case Place::header: fault_site = key_; return fail(fmt::format("its entry is {} where an object belongs", what));
      case Place::metadata:
      case Place::tensor: break;
    }
    return fail(fmt::format("{} {} {}", key_, list_ == nullptr ? "is" : "holds", what));
  }

  Place place_ = Place::start;
  std::string key_;                          // the last one met
  std::vector<std::int64_t>* list_ = nullptr;  // the list being read
  std::unordered_set<std::string> names_;    // of tensors
  std::unordered_set<std::string> keys_;     // of the object inside the header
};

// The tensor that an entry describes, or what is wrong with it.
class Checker {
 public:
  Checker(std::uint64_t data_start, std::optional<std::uint64_t> file_size, Diagnostics& diagnostics)
      : data_start_(data_start), file_size_(file_size), diagnostics_(diagnostics) {}

  std::optional<CheckpointTensor> check(const Entry& entry);
  void check_overlaps(const std::vector<CheckpointTensor>& tensors);
  bool failed() const { return errors_ != 0; }
  bool stopped() const { return errors_ >= max_errors; }

 private:
  std::nullopt_t error(const std::string& name, std::string message, Code code = Code::malformed_file) {
    ++errors_;
    diagnostics_.error(code, name, std::move(message));
    return std::nullopt;
  }

  std::uint64_t data_start_;
  std::optional<std::uint64_t> file_size_;
  Diagnostics& diagnostics_;
  std::size_t errors_ = 0;
};

std::optional<CheckpointTensor> Checker::check(const Entry& entry) {
  if (!entry.dtype) return error(entry.name, "its entry has no dtype");
  if (!entry.shape) return error(entry.name, "its entry has no shape");
  if (!entry.offsets || entry.offsets->size() != 2) return error(entry.name, "its entry has no two data_offsets");
  const std::optional<DType> dtype = dtype_from_safetensors(*entry.dtype);
  if (!dtype) {
    return error(entry.name, fmt::format("the dtype {} is none that Loam knows", *entry.dtype), Code::unsupported_file);
  }
  const std::string type = fmt::format("{}[{}]", *entry.dtype, fmt::join(*entry.shape, ", "));
  const std::optional<std::int64_t> elements = element_count(*entry.shape);
  const std::optional<std::uint64_t> needed = elements ? dense_bytes(*dtype, *elements) : std::nullopt;
  if (!needed) return error(entry.name, fmt::format("{} is past 2^63 elements or 2^64 bytes", type), Code::overflow);

  const auto begin = static_cast<std::uint64_t>((*entry.offsets)[0]);
  const auto end = static_cast<std::uint64_t>((*entry.offsets)[1]);
  if (begin > end) return error(entry.name, fmt::format("its data_offsets are reversed: {} to {}", begin, end));
  if (end - begin != *needed) {
    return error(entry.name, fmt::format("its data_offsets {} to {} are {} bytes where {} needs {}", begin, end,
                                         end - begin, type, *needed));
  }
  if (file_size_ && end > *file_size_ - data_start_) {
    return error(entry.name, fmt::format("its data ends at byte {} and the file at {}", data_start_ + end, *file_size_));
  }
  return CheckpointTensor{entry.name, *dtype, *entry.shape, data_start_ + begin, *needed};
}

void Checker::check_overlaps(const std::vector<CheckpointTensor>& tensors) {
  std::vector<const CheckpointTensor*> by_offset;
  for (const CheckpointTensor& tensor : tensors)
    if (tensor.bytes != 0) by_offset.push_back(&tensor);
  std::ranges::sort(by_offset, {}, &CheckpointTensor::offset);
  for (std::size_t i = 1; i < by_offset.size() && !stopped(); ++i) {
    const CheckpointTensor& before = *by_offset[i - 1];
    const CheckpointTensor& tensor = *by_offset[i];
    if (tensor.offset - before.offset >= before.bytes) continue;
    error(tensor.name, fmt::format("its data starts at byte {}, inside that of {}, which ends at {}", tensor.offset,
                                   before.name, before.offset + before.bytes));
  }
}

}  // namespace

const CheckpointTensor* CheckpointHeader::find(std::string_view name) const {
  const auto found = std::ranges::lower_bound(tensors, name, {}, &CheckpointTensor::name);
  return found != tensors.end() && found->name == name ? &*found : nullptr;
}

std::optional<std::uint64_t> safetensors_header_bytes(std::span<const std::byte> prefix,
                                                      std::optional<std::uint64_t> file_size,
                                                      Diagnostics& diagnostics) {
  const auto error = [&](std::uint64_t at, std::string message) {
    diagnostics.error(Code::malformed_file, at_byte(at), std::move(message));
    return std::nullopt;
  };
  if (prefix.size() < length_bytes) return error(prefix.size(), "the file ends within the length of its header");
  const auto json_bytes = wire::little_endian<std::uint64_t>(prefix.data());
  if (json_bytes > max_json_bytes) {
    return error(0, fmt::format("the header is said to be {} bytes long; safetensors allows {}", json_bytes,
                                max_json_bytes));
  }
  if (file_size && length_bytes + json_bytes > *file_size) {
    return error(0, fmt::format("the header is said to be {} bytes long, and the file has {} after its length",
                                json_bytes, *file_size < length_bytes ? 0 : *file_size - length_bytes));
  }
  return length_bytes + json_bytes;
}

std::optional<CheckpointHeader> read_safetensors_header(std::span<const std::byte> prefix,
                                                        std::optional<std::uint64_t> file_size,
                                                        Diagnostics& diagnostics) {
  const std::optional<std::uint64_t> header_bytes = safetensors_header_bytes(prefix, file_size, diagnostics);
  if (!header_bytes) return std::nullopt;
  if (*header_bytes > prefix.size()) {
    diagnostics.error(Code::malformed_file, at_byte(prefix.size()),
                      fmt::format("the bytes end within the header, which ends at {}", *header_bytes));
    return std::nullopt;
  }
  const auto json = prefix.subspan(length_bytes, static_cast<std::size_t>(*header_bytes - length_bytes));
  const auto* text = reinterpret_cast<const char*>(json.data());
  HeaderEvents events;
  if (!nlohmann::json::sax_parse(text, text + json.size(), &events)) {
    const std::uint64_t position = length_bytes + std::min(events.fault_position.value_or(0), json.size());
    diagnostics.error(Code::malformed_file, events.fault_site.empty() ? at_byte(position) : events.fault_site,
                      events.fault);
    return std::nullopt;
  }

  CheckpointHeader header;
  header.header_bytes = *header_bytes;
  header.metadata = std::move(events.metadata);
  Checker checker(*header_bytes, file_size, diagnostics);
  for (const Entry& entry : events.entries) {
    if (checker.stopped()) break;
    if (std::optional<CheckpointTensor> tensor = checker.check(entry)) header.tensors.push_back(std::move(*tensor));
  }
  std::ranges::sort(header.tensors, {}, &CheckpointTensor::name);
  checker.check_overlaps(header.tensors);
  if (checker.failed()) return std::nullopt;
  return header;
}

}  // namespace loam
