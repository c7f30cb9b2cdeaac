// A GPT-2 that continues texts: the generated module gpt2.hpp as a library.
//
// What one step leaves in `present` is the next one's past: the layout names both [Batch, Head, Seq, Dim], so their
// types are one and nothing is copied or converted between steps.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <utility>

#include "gpt2.hpp"  // generated: see CMakeLists.txt
#include "text/generate.hpp"

class Decoder {
 public:
  // Holds on to the weights' bytes, which stay the caller's.
  explicit Decoder(const gpt2::Weights& weights) : weights_(gpt2::prepare(cpu_, weights)) { clear(); }

  // Adds the tokens to the text so far; the logits that follow the last of them.
  loam::text::Result<std::span<const float>> step(std::span<const std::int32_t> tokens) {
    const std::int64_t count = static_cast<std::int64_t>(tokens.size()), seen = past_.present_0_key.extent(2);
    Ids ids({1, count}), mask({1, seen + count});
    std::ranges::copy(tokens, ids.data());
    std::ranges::fill(mask.span(), 1);
    gpt2::loam::Tensor<bool, gpt2::loam::One> has_past({1});
    has_past[0] = seen > 0;
    auto& p = past_;
    auto outputs =
        gpt2::forward(cpu_, ids, mask, p.present_0_key, p.present_0_value, p.present_1_key, p.present_1_value,
                      p.present_2_key, p.present_2_value, p.present_3_key, p.present_3_value, p.present_4_key,
                      p.present_4_value, p.present_5_key, p.present_5_value, has_past, weights_);
    if (!outputs) return loam::text::Error{outputs.error().message};
    past_ = std::move(*outputs);
    return std::as_const(past_).logits.span().last(gpt2::Vocab::extent);
  }

  // Forgets the text.
  void clear() {
    auto& p = past_;
    for (auto* past : {&p.present_0_key, &p.present_0_value, &p.present_1_key, &p.present_1_value, &p.present_2_key,
                       &p.present_2_value, &p.present_3_key, &p.present_3_value, &p.present_4_key, &p.present_4_value,
                       &p.present_5_key, &p.present_5_value})
      *past = Past({1, gpt2::Head::extent, 0, gpt2::Dim::extent});
  }

 private:
  using Ids = gpt2::loam::Tensor<std::int64_t, gpt2::Batch, gpt2::Seq>;
  using Past = gpt2::loam::Tensor<float, gpt2::Batch, gpt2::Head, gpt2::Seq, gpt2::Dim>;
  gpt2::loam::Cpu cpu_;
  gpt2::Prepared<gpt2::loam::Cpu> weights_;
  gpt2::Outputs past_;
};
