#include "lockstep/io/page.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "io/drawing.hpp"
#include "io/page_assets.hpp"
#include "io/plot_data.hpp"

namespace lockstep::io {

namespace {

/// Cells of more characters may break into lines.
constexpr std::size_t longest_line = 48;

/// Begins like a number: sign, then a digit; or says that there is none.
bool looks_numeric(std::string_view cell) {
    for (const std::string_view sign : {"-", "+", "−", "±", "$"}) {
        if (cell.substr(0, sign.size()) == sign) {
            cell.remove_prefix(sign.size());
        }
    }
    return cell.empty() || cell == "–" || (cell.front() >= '0' && cell.front() <= '9');
}

std::vector<bool> numeric_columns(std::size_t columns,
                                  const std::vector<std::vector<std::string>>& rows) {
    std::vector<bool> numeric(columns, !rows.empty());
    for (const auto& row : rows) {
        for (std::size_t i = 0; i < std::min(columns, row.size()); ++i) {
            numeric[i] = numeric[i] && looks_numeric(row[i]);
        }
    }
    return numeric;
}

std::string table_row(const char* element,
                      const std::vector<std::string>& cells,
                      const std::vector<bool>& numeric) {
    std::string html = "<tr>";
    for (std::size_t i = 0; i < numeric.size(); ++i) {
        const std::string cell = i < cells.size() ? cells[i] : std::string();
        const char* look = numeric[i]                   ? R"( class="number")"
                           : cell.size() > longest_line ? R"( class="long")"
                                                        : "";
        html += fmt::format("<{0}{1}>{2}</{0}>", element, look, escape(cell));
    }
    return html + "</tr>";
}

std::string legend_html(const std::vector<LegendEntry>& legend) {
    std::string html;
    for (const LegendEntry& entry : legend) {
        const char* key = entry.swatch == Swatch::area     ? "area"
                          : entry.swatch == Swatch::dashed ? "line dashed"
                                                           : "line";
        html += fmt::format(
            R"(<span><span class="c{}"><i class="key {}" style="opacity:{:.2f}"></i></span>{}</span>)",
            entry.color % 8,
            key,
            std::min(1.8 * entry.opacity, 1.0),  // a pale band must be told in the legend too
            escape(entry.name));
    }
    return fmt::format(R"(<div class="legend">{}</div>)", html);
}

std::string script_of_data(std::string_view id, std::string_view json) {
    return fmt::format(
        R"(<script type="application/json" id="{}">{}</script>)", escape(id), embedded(json));
}

template <typename Picture>
std::string figure(const Picture& picture,
                   const std::string& caption,
                   const Json& data,
                   int number) {
    const std::string id = fmt::format("plot-{}", number);
    return fmt::format(
        R"(<figure data-from="{}"><figcaption>{}</figcaption>{}<div class="canvas">{}</div>{}</figure>)",
        id,
        escape(caption),
        legend_html(legend_of(picture)),
        draw(picture, true),
        script_of_data(id, to_text(data)));
}

}  // namespace

std::string escape(std::string_view text) {
    std::string html;
    html.reserve(text.size());
    for (const char c : text) {
        switch (c) {
            case '&':
                html += "&amp;";
                break;
            case '<':
                html += "&lt;";
                break;
            case '>':
                html += "&gt;";
                break;
            case '"':
                html += "&quot;";
                break;
            case '\'':
                html += "&#39;";
                break;
            default:
                html += c;
        }
    }
    return html;
}

Page::Page(std::string title) : title_(std::move(title)) {}

Page& Page::heading(std::string_view text) {
    const std::string id = fmt::format("section-{}", sections_.size() + 1);
    body_ += fmt::format(R"(<h2 id="{}">{}</h2>)", id, escape(text));
    sections_.emplace_back(id, text);
    return *this;
}

Page& Page::paragraph(std::string_view text) {
    body_ += fmt::format("<p>{}</p>", escape(text));
    return *this;
}

Page& Page::facts(const std::vector<std::pair<std::string, std::string>>& name_value) {
    body_ += R"(<dl class="facts">)";
    for (const auto& [name, value] : name_value) {
        body_ += fmt::format("<div><dt>{}</dt><dd>{}</dd></div>", escape(name), escape(value));
    }
    body_ += "</dl>";
    return *this;
}

Page& Page::plot(const Plot& plot) {
    body_ += figure(plot, plot.title, plot_data(plot), ++next_id_);
    return *this;
}

Page& Page::bars(const Bars& bars) {
    body_ += figure(bars, bars.title, plot_data(bars), ++next_id_);
    return *this;
}

Page& Page::table(const std::vector<std::string>& head,
                  const std::vector<std::vector<std::string>>& rows) {
    const std::vector<bool> numeric = numeric_columns(head.size(), rows);
    body_ += fmt::format(R"(<div class="scroll" tabindex="0"><table><thead>{}</thead><tbody>)",
                         table_row("th", head, numeric));
    for (const auto& row : rows) {
        body_ += table_row("td", row, numeric);
    }
    body_ += "</tbody></table></div>";
    return *this;
}

Page& Page::choice(std::string_view label, const std::vector<std::pair<std::string, Plot>>& plots) {
    if (plots.empty()) {
        return *this;
    }
    const auto& [name, first] = plots.front();
    const std::string select = fmt::format("choice-{}", ++next_id_);
    body_ += fmt::format(
        R"(<div class="chooser" hidden><label for="{0}">{1}</label><select id="{0}"></select>)"
        R"(<input type="search" placeholder="Search" aria-label="Search: {1}"></div>)",
        select,
        escape(label));
    body_ += figure(first, first.title.empty() ? name : first.title, choice_data(plots), next_id_);
    return *this;
}

Page& Page::data(std::string_view id, std::string_view json) {
    body_ += script_of_data(id, json);
    return *this;
}

std::string Page::html() const {
    std::string links;
    for (const auto& [id, text] : sections_) {
        links += fmt::format(R"(<a href="#{}">{}</a>)", id, escape(text));
    }
    return fmt::format(
        R"(<!doctype html><html lang="en"><head><meta charset="utf-8">)"
        R"(<meta name="viewport" content="width=device-width, initial-scale=1">)"
        R"(<title>Report</title><style>{}</style></head><body><main><h1>{}</h1>{}{}</main>)"
        "<script>{}</script></body></html>\n",
        page_style,
        escape(title_),
        sections_.size() > 1 ? fmt::format("<nav>{}</nav>", links) : std::string(),
        body_,
        page_script);
}

}  // namespace lockstep::io
