// A JSON value together with where it stands in its document. Reading goes on after an error with defaults, so that
// readers are written without a check at every step; the first error is kept and asked for at the end.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "text/result.hpp"

namespace loam::text {

class JsonErrors {
 public:
  void add(std::string_view path, std::string_view message) {
    if (!first_) first_ = Error{std::string(path).append(": ").append(message)};
  }
  const std::optional<Error>& first() const { return first_; }

 private:
  std::optional<Error> first_;
};

// The document, or the offset of the byte where it stops being JSON.
Result<nlohmann::json> parse_json(std::string_view text);

class JsonValue {
 public:
  // The whole document; both arguments must outlive every value of it. Paths begin at its members.
  JsonValue(const nlohmann::json& document, JsonErrors& errors) : value_(&document), errors_(&errors) {}

  const std::string& path() const { return path_; }
  bool is_null() const { return value_->is_null(); }  // absent members are null
  bool is_string() const { return value_->is_string(); }
  bool is_array() const { return value_->is_array(); }
  bool is_object() const { return value_->is_object(); }

  // A member of an object, an element of an array below its size.
  JsonValue operator[](std::string_view member) const;
  JsonValue operator[](std::size_t element) const;

  std::size_t size() const;  // of an array; an error and 0 for anything else

  std::string_view string() const;
  std::int32_t id() const;  // a token's: an integer from 0 to max_token_id
  bool boolean(bool absent) const;
  std::uint32_t count() const;

  // Calls f(name, value) for the members of an object; an error for anything else.
  template <class F>
  void each_member(F&& f) const {
    if (!value_->is_object()) return fail("expected an object");
    for (auto it = value_->begin(); it != value_->end(); ++it) f(std::string_view(it.key()), (*this)[it.key()]);
  }

  // An error for a member of an object that is not named here: what is not understood is not passed over.
  void only(std::initializer_list<std::string_view> names) const;

  void fail(std::string_view message) const { errors_->add(path_.empty() ? "the document" : path_, message); }

 private:
  JsonValue(const nlohmann::json& value, std::string path, JsonErrors& errors)
      : value_(&value), path_(std::move(path)), errors_(&errors) {}

  const nlohmann::json* value_;
  std::string path_;
  JsonErrors* errors_;
};

}  // namespace loam::text
