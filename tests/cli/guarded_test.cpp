// A case's process may crash, hang or throw: each is that case's outcome.
#include "cli/guarded.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>

#include "cli/report.hpp"

namespace loam::cli {
namespace {

using namespace std::chrono_literals;

TEST(Guarded, AnOutcomeComesThroughWhateverItsReasonHolds) {
  const Outcome outcome =
      guarded([] { return Outcome{Status::refused, std::string("\xff\"\n", 3), "a-code", 1.5}; }, 10s);
  EXPECT_EQ(outcome.status, Status::refused);
  EXPECT_EQ(outcome.reason, "\xef\xbf\xbd\"\n");  // what is no UTF-8 is replaced
  EXPECT_EQ(outcome.code, "a-code");
  EXPECT_EQ(outcome.seconds, 1.5);
}

TEST(Guarded, ACrashIsNamedWithWhatTheProcessSaidLast) {
  const Outcome outcome = guarded(
      []() -> Outcome {
        std::fputs("==1==ERROR: AddressSanitizer: heap-buffer-overflow\nmore\n", stderr);
        std::abort();
      },
      10s);
  EXPECT_EQ(outcome.status, Status::failed);
  EXPECT_EQ(outcome.reason, "crashed: signal 6 (Aborted): ERROR: AddressSanitizer: heap-buffer-overflow");
  EXPECT_EQ(guarded([]() -> Outcome { ::_exit(3); }, 10s).reason, "ended with status 3");
}

TEST(Guarded, WhatDoesNotEndIsEnded) {
  const auto start = std::chrono::steady_clock::now();
  EXPECT_EQ(guarded(
                []() -> Outcome {
                  for (;;) ::pause();
                },
                1s)
                .reason,
            "did not end within 1 s");
  EXPECT_LT(std::chrono::steady_clock::now() - start, 30s);
}

TEST(Guarded, ExceptionsAreFailuresAndUnreadableDataIsSkipped) {
  const Outcome failed = guarded([]() -> Outcome { throw Failure("why"); }, 10s);
  EXPECT_EQ(failed.status, Status::failed);
  EXPECT_EQ(failed.reason, "why");
  EXPECT_EQ(guarded([]() -> Outcome { throw Unreadable("strings"); }, 10s).status, Status::skipped);
}

TEST(Report, AnythingElseThanOurLinesIsNone) {
  EXPECT_TRUE(read_report(report_line({Report::Kind::running, 7, {}})));
  for (const std::string_view line : {"", "{}", "[]", "[1,2,3,4,5,6]", "[1,2,3,\"\",\"\",\"\"]", "[1,2"})
    EXPECT_FALSE(read_report(line)) << line;
}

}  // namespace
}  // namespace loam::cli
