#include "cli/report.hpp"

#include <nlohmann/json.hpp>

namespace loam::cli {

std::string report_line(const Report& report) {
  const nlohmann::json json{static_cast<int>(report.kind), report.index,        static_cast<int>(report.outcome.status),
                            report.outcome.reason,         report.outcome.code, report.outcome.seconds};
  return json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

std::optional<Report> read_report(std::string_view line) {
  const nlohmann::json json = nlohmann::json::parse(line, nullptr, false);
  if (!json.is_array() || json.size() != 6) return std::nullopt;
  for (const std::size_t number : {0, 1, 2, 5})
    if (!json[number].is_number()) return std::nullopt;
  if (!json[3].is_string() || !json[4].is_string()) return std::nullopt;
  Report report;
  report.kind = static_cast<Report::Kind>(json[0].get<int>());
  report.index = json[1].get<std::size_t>();
  report.outcome = {static_cast<Status>(json[2].get<int>()), json[3].get<std::string>(), json[4].get<std::string>(),
                    json[5].get<double>()};
  return report;
}

}  // namespace loam::cli
