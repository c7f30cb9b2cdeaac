#include "ops/linear_attention/cpu.hpp"
#include "ops/linear_attention/reference.hpp"
#include "ops/strided_test.hpp"

namespace loam {
namespace {

using namespace laid;

struct Batch {};
struct Length {};
struct Head {};
struct KvHead {};
struct Key {};
struct Width {};
struct Unit {
  [[maybe_unused]] static constexpr std::int64_t extent = 1;
};

template <class T>
void check(unsigned seed, Layout layout, double tolerance) {
  Cpu cpu;
  Random random(seed);
  const std::int64_t b = random.integer(1, 2), t = random.integer(0, 4), kv = random.integer(1, 3),
                     group = random.integer(1, 2);
  const std::int64_t d = random.integer(1, 5), e = random.integer(1, 6);
  const auto q = lay<T, Batch, Length, Head, Key>({b, t, kv * group, d}, random.reals(90, -1, 1), layout);
  const auto k = lay<T, Batch, Length, KvHead, Key>({b, t, kv, d}, random.reals(90, -0.5, 0.5), layout);
  const auto v = lay<T, Batch, Length, KvHead, Width>({b, t, kv, e}, random.reals(90, -1, 1), layout);
  const auto past = lay<T, Batch, KvHead, Key, Width>({b, kv, d, e}, random.reals(90, -1, 1), layout);
  const auto decay = lay<T, Batch, Length, KvHead, Key>({b, t, kv, d}, random.reals(90, -1, 0), layout);
  const auto whole = lay<T, Batch, Length, KvHead, Unit>({b, t, kv, 1}, random.reals(90, -1, 0), layout);
  const auto beta = lay<T, Batch, Length, KvHead>({b, t, kv}, random.reals(90, 0, 1), layout);
  const auto out = blank<T, Batch, Length, Head, Width>({b, t, kv * group, e}),
             want = blank<T, Batch, Length, Head, Width>({b, t, kv * group, e});
  const auto state = blank<T, Batch, KvHead, Key, Width>({b, kv, d, e}),
             after = blank<T, Batch, KvHead, Key, Width>({b, kv, d, e});
  const auto agree = [&] {
    expect_close(out.elements(), want.elements(), tolerance);
    expect_close(state.elements(), after.elements(), tolerance);
  };
  const View<T> past_view = past.view(), decay_view = decay.view(), whole_view = whole.view(), beta_view = beta.view();

  linear_attention(cpu, out.value, state.value, 0.5, false, q.value, k.value, v.value, none, none, none);
  reference::linear_attention<T, T>(want.view(), after.view(), 0.5, false, q.view(), k.view(), v.view(), nullptr,
                                    nullptr, nullptr);
  agree();
  linear_attention(cpu, out.value, state.value, 0.5, true, q.value, k.value, v.value, past.value, decay.value,
                   beta.value);
  reference::linear_attention<T, T>(want.view(), after.view(), 0.5, true, q.view(), k.view(), v.view(), &past_view,
                                    &decay_view, &beta_view);
  agree();
  linear_attention(cpu, out.value, state.value, 0.5, false, q.value, k.value, v.value, past.value, whole.value, none);
  reference::linear_attention<T, T>(want.view(), after.view(), 0.5, false, q.view(), k.view(), v.view(), &past_view,
                                    &whole_view, nullptr);
  agree();
}

TEST(LinearAttention, AgreesWithTheReference) {
  for (const Layout layout : layouts)
    for (unsigned seed = 0; seed < 12; ++seed) {
      check<float>(seed, layout, 1e-5);
      check<double>(seed, layout, 1e-12);
      check<float16>(seed, layout, 2e-2);
    }
}

// One position that the state does not know yet: k v^T is what is read back.
TEST(LinearAttention, KnownAnswer) {
  Cpu cpu;
  const auto q = lay<float, Batch, Length, Head, Key>({1, 1, 1, 2}, {1, 10});
  const auto k = lay<float, Batch, Length, KvHead, Key>({1, 1, 1, 2}, {2, 3});
  const auto v = lay<float, Batch, Length, KvHead, Width>({1, 1, 1, 2}, {5, 7});
  const auto out = blank<float, Batch, Length, Head, Width>({1, 1, 1, 2});
  const auto state = blank<float, Batch, KvHead, Key, Width>({1, 1, 2, 2});
  linear_attention(cpu, out.value, state.value, 1, false, q.value, k.value, v.value, none, none, none);
  EXPECT_EQ(state.elements(), (std::vector<double>{10, 14, 15, 21}));
  EXPECT_EQ(out.elements(), (std::vector<double>{160, 224}));
}

}  // namespace
}  // namespace loam
