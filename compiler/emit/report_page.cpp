// The report as one page: web/report/ with the report's data in it.
#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "compiler/emit/embedded.hpp"
#include "compiler/emit/report_data.hpp"

namespace loam {

namespace {

std::string_view file(std::string_view path) {
  const auto files = embedded_runtime();
  const auto found = std::ranges::lower_bound(files, path, {}, &EmbeddedFile::path);
  return found != files.end() && found->path == path ? found->text : std::string_view();
}

std::string replaced(std::string text, std::string_view what, std::string_view by) {
  for (std::size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += by.size())
    text.replace(at, what.size(), by);
  return text;
}

}  // namespace

std::string report_html(const Report& report) {
  // As JSON a "<" may be spelled by its number: no text of the model ends the element that it stands in.
  std::string data = replaced(
      report_data(report).dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace), "<", "\\u003c");
  std::string title = replaced(replaced(report.module_name, "&", "&amp;"), "<", "&lt;");
  std::string script;
  for (const std::string_view name :
       {"web/report/sizes.js", "web/report/place.js", "web/report/layout.js", "web/report/drawing.js",
        "web/report/panel.js", "web/report/memory.js", "web/report/page.js"})
    script.append(file(name)).append("\n");
  // The data last: what it holds is not searched.
  std::string page = replaced(std::string(file("web/report/page.html")), "@title@", title);
  page = replaced(std::move(page), "@style@", file("web/report/page.css"));
  page = replaced(std::move(page), "@script@", script);
  return replaced(std::move(page), "@data@", data);
}

}  // namespace loam
