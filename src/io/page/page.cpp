#include "lockstep/io/page.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "io/page/axis.hpp"
#include "io/page/cell_map.hpp"
#include "io/page/drawing.hpp"
#include "io/page/page_assets.hpp"
#include "io/page/palette.hpp"
#include "io/page/plot_data.hpp"

namespace lockstep::io {

namespace {

/// Cells of more characters may break into lines.
constexpr std::size_t longest_line = 48;

/// Longer tables scroll in a window of their own.
constexpr std::size_t rows_in_full = 40;

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
        html += fmt::format(
            R"(<span><svg class="key c{}" width="24" height="10" viewBox="0 0 24 10" aria-hidden="true">{}</svg>{}</span>)",
            entry.color % series_colors.size(),
            swatch_svg(entry),
            escape(entry.name));
    }
    return fmt::format(R"(<div class="legend">{}</div>)", html);
}

std::string script_of_data(std::string_view id, std::string_view json) {
    return fmt::format(
        R"(<script type="application/json" id="{}">{}</script>)", escape(id), embedded(json));
}

/// A picture on paper with the data that the script draws it from.
struct Figure {
    std::string caption;
    std::string legend;
    std::string svg;
    Json data;
    std::string chooser{};  ///< id of the list that it follows
};

template <typename Picture>
Figure figure_of(const Picture& picture, Json data) {
    return {picture.title, legend_html(legend_of(picture)), draw(picture, true), std::move(data)};
}

std::string to_html(const Figure& figure, int number) {
    const std::string id = fmt::format("plot-{}", number);
    return fmt::format(
        R"(<figure data-from="{}"{}><figcaption>{}</figcaption>{}<div class="canvas">{}</div>{}</figure>)",
        id,
        figure.chooser.empty() ? std::string()
                               : fmt::format(R"( data-chooser="{}")", figure.chooser),
        escape(figure.caption),
        figure.legend,
        figure.svg,
        script_of_data(id, to_text(figure.data)));
}

std::string color_rules(std::string_view Shade::*shade) {
    std::string css = fmt::format("--paper: {}; --muted: {};", paper.*shade, muted.*shade);
    for (std::size_t i = 0; i < series_colors.size(); ++i) {
        css += fmt::format(" --c{}: {};", i, series_colors[i].*shade);
    }
    return css;
}

std::string style() {
    return fmt::format(
        ":root {{ {} }}\n@media screen and (prefers-color-scheme: dark) {{ :root {{ {} }} }}\n{}",
        color_rules(&Shade::light),
        color_rules(&Shade::dark),
        page_style);
}

std::string chooser_html(const std::string& id,
                         std::string_view label,
                         const std::vector<Choice>& choices) {
    Json names = Json::array();
    for (const Choice& choice : choices) {
        names.push(choice.name);
    }
    return fmt::format(
               R"(<div class="chooser" id="{0}" data-names="{0}-names" hidden><label for="{0}-list">{1}</label>)"
               R"(<select id="{0}-list"></select><input type="search" placeholder="Search" aria-label="Search: {1}"></div>)",
               id,
               escape(label)) +
           fmt::format(
               "<noscript><p>{} of {}: a browser that runs scripts shows any.</p></noscript>",
               escape(choices.front().name),
               choices.size()) +
           script_of_data(id + "-names", to_text(names));
}

/// The n-th plot of every choice; nullptr where one has none.
std::vector<const Plot*> nth_plots(const std::vector<Choice>& choices, std::size_t n) {
    std::vector<const Plot*> plots;
    for (const Choice& choice : choices) {
        const bool is_there = n < choice.plots.size() && choice.plots[n];
        plots.push_back(is_there ? &*choice.plots[n] : nullptr);
    }
    return plots;
}

/// The maps of all choices, each with its list of finished pictures.
std::string maps_html(const std::vector<Choice>& choices, const std::string& chooser) {
    std::size_t places = 0;
    for (const Choice& choice : choices) {
        places = std::max(places, choice.maps.size());
    }
    std::string html;
    for (std::size_t n = 0; n < places; ++n) {
        Json pictures = Json::array();
        for (const Choice& choice : choices) {
            pictures.push(n < choice.maps.size()
                              ? Json(Json::Array{choice.maps[n].title, to_svg(choice.maps[n])})
                              : Json());
        }
        const std::string id = fmt::format("{}-maps-{}", chooser, n);
        const bool is_there = n < choices.front().maps.size();
        html += fmt::format(
            R"(<figure data-pictures="{0}" data-chooser="{1}"><figcaption>{2}</figcaption><div class="canvas">{3}</div>{4}</figure>)",
            id,
            chooser,
            is_there ? escape(choices.front().maps[n].title) : "",
            is_there ? to_svg(choices.front().maps[n]) : "",
            script_of_data(id, to_text(pictures)));
    }
    return html.empty() ? html : fmt::format(R"(<div class="heats">{}</div>)", html);
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

Page& Page::facts(const std::vector<Fact>& facts) {
    body_ += R"(<dl class="facts">)";
    for (const Fact& fact : facts) {
        body_ += fmt::format("<div><dt>{}</dt><dd>{}</dd>{}</div>",
                             escape(fact.name),
                             escape(fact.value),
                             fact.remark.empty() ? std::string()
                                                 : fmt::format(R"(<dd class="remark">{}</dd>)",
                                                               escape(fact.remark)));
    }
    body_ += "</dl>";
    return *this;
}

Page& Page::plot(const Plot& plot) {
    body_ += to_html(figure_of(plot, plot_data(plot)), ++next_id_);
    return *this;
}

Page& Page::bars(const Bars& bars) {
    body_ += to_html(figure_of(bars, plot_data(bars)), ++next_id_);
    return *this;
}

Page& Page::maps(const std::vector<CellMap>& maps) {
    const Range range = range_of(maps);
    body_ += R"(<div class="maps">)";
    for (const CellMap& map : maps) {
        body_ += fmt::format(
            R"(<figure><figcaption>{}</figcaption><div class="canvas">{}</div></figure>)",
            escape(map.title),
            to_svg(map, range.low, range.high));
    }
    body_ += "</div>";
    if (!range.empty && !maps.empty()) {
        body_ += scale_html(range, maps.front().value_label);
    }
    return *this;
}

Page& Page::intervals(const Intervals& intervals) {
    std::vector<LegendEntry> legend;
    for (std::size_t kind = 0; kind < intervals.kinds.size(); ++kind) {
        legend.push_back({intervals.kinds[kind].name, Swatch::line, kind});
    }
    body_ += fmt::format(
        R"(<figure class="narrow"><figcaption>{}</figcaption>{}<div class="canvas pan">{}</div></figure>)",
        escape(intervals.title),
        legend_html(legend),
        to_svg(intervals));
    return *this;
}

Page& Page::corner(const Corner& corner) {
    body_ += fmt::format(
        R"(<figure><figcaption>{}</figcaption><div class="canvas pan">{}</div></figure>)",
        escape(corner.title),
        to_svg(corner));
    return *this;
}

Page& Page::timeline(const Timeline& timeline) {
    body_ += fmt::format(
        R"(<figure><figcaption>{}</figcaption><div class="canvas pan">{}</div></figure>)",
        escape(timeline.title),
        to_svg(timeline));
    return *this;
}

Page& Page::table(const std::vector<std::string>& head,
                  const std::vector<std::vector<std::string>>& rows) {
    const std::vector<bool> numeric = numeric_columns(head.size(), rows);
    body_ += fmt::format(
        R"(<div class="scroll{}" tabindex="0" role="region" aria-label="Table"><table><thead>{}</thead><tbody>)",
        rows.size() > rows_in_full ? " tall" : "",
        table_row("th", head, numeric));
    for (const auto& row : rows) {
        body_ += table_row("td", row, numeric);
    }
    body_ += "</tbody></table></div>";
    return *this;
}

Page& Page::choice(std::string_view label, const std::vector<Choice>& choices) {
    std::size_t figures = 0;
    bool has_maps = false;
    for (const Choice& choice : choices) {
        figures = std::max(figures, choice.plots.size());
        has_maps = has_maps || !choice.maps.empty();
    }
    if (figures == 0 && !has_maps) {
        return *this;
    }
    const std::string id = fmt::format("choice-{}", ++next_id_);
    body_ += R"(<div class="choice">)" + chooser_html(id, label, choices) + maps_html(choices, id);
    for (std::size_t n = 0; n < figures; ++n) {
        const std::vector<const Plot*> plots = nth_plots(choices, n);
        const auto first = std::ranges::find_if(plots, [](const Plot* p) { return p != nullptr; });
        if (first != plots.end()) {
            Figure figure = figure_of(**first, choice_data(plots));
            figure.chooser = id;
            body_ += to_html(figure, ++next_id_);
        }
    }
    body_ += "</div>";
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
        style(),
        escape(title_),
        sections_.size() > 1 ? fmt::format("<nav>{}</nav>", links) : std::string(),
        body_,
        page_script);
}

}  // namespace lockstep::io
