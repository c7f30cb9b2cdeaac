// A value, or the reason there is none. Nothing in text/ throws.
#pragma once

#include <string>
#include <utility>
#include <variant>

namespace loam::text {

struct Error {
  std::string message;  // begins with the part at fault: "tokenizer.json: model.merges[12]: ..."
};

template <class T>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}
  Result(Error error) : state_(std::in_place_index<1>, std::move(error)) {}

  explicit operator bool() const { return state_.index() == 0; }

  // The value; only where there is one.
  T& operator*() { return *std::get_if<0>(&state_); }
  const T& operator*() const { return *std::get_if<0>(&state_); }
  T* operator->() { return std::get_if<0>(&state_); }
  const T* operator->() const { return std::get_if<0>(&state_); }

  // The reason; only where there is no value.
  const Error& error() const { return *std::get_if<1>(&state_); }

 private:
  std::variant<T, Error> state_;
};

}  // namespace loam::text
