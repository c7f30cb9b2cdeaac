#include "text/json_value.hpp"

#include <algorithm>

#include "text/vocabulary.hpp"

namespace loam::text {
namespace {

using nlohmann::json;

const json null_value;

// Finds where a text stops being JSON, which parse without exceptions does not tell.
struct Locator : nlohmann::json_sax<json> {
  std::size_t offset = 0;

  bool null() override { return true; }
  bool boolean(bool) override { return true; }
  bool number_integer(number_integer_t) override { return true; }
  bool number_unsigned(number_unsigned_t) override { return true; }
  bool number_float(number_float_t, const string_t&) override { return true; }
  bool string(string_t&) override { return true; }
  bool binary(binary_t&) override { return true; }
  bool start_object(std::size_t) override { return true; }
  bool key(string_t&) override { return true; }
  bool end_object() override { return true; }
  bool start_array(std::size_t) override { return true; }
  bool end_array() override { return true; }
  bool parse_error(std::size_t at, const std::string&, const json::exception&) override {
    offset = at == 0 ? 0 : at - 1;  // at counts the bytes read, the end of the text among them
    return false;
  }
};

}  // namespace

Result<json> parse_json(std::string_view text) {
  json document = json::parse(text, nullptr, false);
  if (!document.is_discarded()) return document;
  Locator locator;
  json::sax_parse(text, &locator);
  return Error{"not JSON at byte " + std::to_string(locator.offset) + " of " + std::to_string(text.size())};
}

JsonValue JsonValue::operator[](std::string_view member) const {
  std::string path = path_.empty() ? std::string(member) : path_ + "." + std::string(member);
  if (!value_->is_object()) {
    fail("expected an object");
    return {null_value, std::move(path), *errors_};
  }
  const auto found = value_->find(member);
  return {found == value_->end() ? null_value : *found, std::move(path), *errors_};
}

JsonValue JsonValue::operator[](std::size_t element) const {
  return {(*value_)[element], path_ + "[" + std::to_string(element) + "]", *errors_};
}

std::size_t JsonValue::size() const {
  if (value_->is_array()) return value_->size();
  fail("expected an array");
  return 0;
}

std::string_view JsonValue::string() const {
  if (const auto* text = value_->get_ptr<const std::string*>()) return *text;
  fail("expected a string");
  return {};
}

std::int32_t JsonValue::id() const {
  const auto* number = value_->get_ptr<const std::uint64_t*>();  // what the parser makes of every number from 0
  if (number && *number <= static_cast<std::uint64_t>(max_token_id)) return static_cast<std::int32_t>(*number);
  fail("expected a token id, an integer from 0 to " + std::to_string(max_token_id));
  return 0;
}

std::uint32_t JsonValue::count() const {
  const auto* number = value_->get_ptr<const std::uint64_t*>();
  if (number && *number <= UINT32_MAX) return static_cast<std::uint32_t>(*number);
  fail("expected a count");
  return 0;
}

bool JsonValue::boolean(bool absent) const {
  if (const auto* flag = value_->get_ptr<const bool*>()) return *flag;
  if (!is_null()) fail("expected true or false");
  return absent;
}

void JsonValue::only(std::initializer_list<std::string_view> names) const {
  each_member([&](std::string_view name, const JsonValue& member) {
    if (std::ranges::find(names, name) == names.end()) member.fail("not supported");
  });
}

}  // namespace loam::text
