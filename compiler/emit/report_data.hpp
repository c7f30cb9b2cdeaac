// The report as the JSON that tools read and the page carries.
#pragma once

#include <nlohmann/json.hpp>

#include "compiler/report.hpp"

namespace loam {

nlohmann::ordered_json report_data(const Report& report);

}  // namespace loam
