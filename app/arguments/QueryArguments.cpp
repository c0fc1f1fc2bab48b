#include "app/arguments/QueryArguments.h"

#include "app/arguments/Note.h"
#include "app/arguments/UsageError.h"
#include "core/analysis/classmap/ClassMap.h"
#include "core/text/Words.h"

#include <array>
#include <optional>
#include <string_view>

namespace softscope {

void checkLogit(const MapSettings& shown, const std::vector<std::string>& classes) {
  if (classes.empty()) return;
  if (shown.map != ShownMap::GradientProduct) {
    throw UsageError("--class names the class of --map gradient; add that, or leave --class out");
  }
  if (classes.size() > 2) {
    throw UsageError(
        "--map gradient takes one class, or two and their difference; give --class "
        "at most twice");
  }
}

LogitRequest namedLogit(const std::vector<std::string>& classes, const ModelSummary& summary) {
  LogitRequest logit;
  const auto indexOf = [&](std::size_t i) {
    return classIndexOf(classes[i], summary.classNames, summary.classes);
  };
  if (!classes.empty()) logit.classIndex = indexOf(0);
  if (classes.size() > 1) logit.against = indexOf(1);
  return logit;
}

std::optional<LogitRequest> askedLogit(const MapSettings& shown,
                                       const std::vector<std::string>& classes,
                                       const ModelSummary& summary) {
  if (shown.map != ShownMap::GradientProduct) return std::nullopt;
  // A model without classes says so itself.
  return summary.classes == 0 ? LogitRequest() : namedLogit(classes, summary);
}

namespace {

template <typename Number>
std::optional<std::array<Number, 2>> parsePair(std::string_view text) {
  const auto comma = text.find(',');
  if (comma == std::string_view::npos) return std::nullopt;
  const auto first = parseNumber<Number>(text.substr(0, comma));
  const auto second = parseNumber<Number>(text.substr(comma + 1));
  if (!first || !second) return std::nullopt;
  return std::array<Number, 2>{*first, *second};
}

/// Parses `class`, which is token 0 unless a layer says otherwise, or `tokenN`; returns nothing for
/// other texts.
std::optional<int> parsePrefixToken(std::string_view text) {
  constexpr std::string_view numbered = "token";
  if (text == "class") return 0;
  if (!text.starts_with(numbered)) return std::nullopt;
  const auto token = parseNumber<int>(text.substr(numbered.size()));
  return token && *token >= 0 ? token : std::nullopt;
}

/// Parses a place for the layer that `attention` describes, whose class token need not be its first
/// token.
PictureQuery queryOfPlace(const std::string& text, const AttentionDescription& attention,
                          Direction direction) {
  PictureQuery query = parsePlace(text);
  // Where a layer has no such tokens, a later one may begin with its class token.
  if (text.ends_with(",class") && singleTokens(attention, direction) > 0) {
    query.prefixToken = classToken(attention, direction);
  }
  return query;
}

PictureQuery queryOfPatch(const std::string& text, const AttentionDescription& attention,
                          const PictureExtent& extent, Direction direction) {
  const bool rows = direction == Direction::Rows;
  PictureQuery query;
  query.prefixToken = parsePrefixToken(text);
  if (query.prefixToken) {
    const int prefix = singleTokens(attention, direction);
    if (text == "class" && prefix > 0) {
      query.prefixToken = classToken(attention, direction);
      if (query.prefixToken) return query;
      throw InspectionError(
          "--query class: this layer has no class token; choose token0" +
          (prefix == 1 ? std::string() : " to token" + std::to_string(prefix - 1)) +
          " beside its patches");
    }
    if (*query.prefixToken < prefix) return query;
    if (prefix == 0) {
      throw InspectionError("--query " + text +
                            ": this layer has no class token; choose a later one with --layer");
    }
    throw InspectionError("--query " + text + ": this layer has " + std::to_string(prefix) +
                          (prefix == 1 ? " token" : " tokens") +
                          " beside its patches, counted from 0");
  }
  const Patch patch = parsePatch(text);
  const std::optional<TokenGrid> chosen = chosenGrid(attention, direction);
  if (!chosen) {
    throw InspectionError("--query " + text + ": this layer's " + (rows ? "queries" : "keys") +
                          " are not patches");
  }
  const TokenGrid& grid = *chosen;
  if (patch.row >= grid.height || patch.column >= grid.width) {
    throw InspectionError("--query " + text + " is outside this layer's grid of " +
                          std::to_string(grid.height) + " x " + std::to_string(grid.width) +
                          " patches, counted from 0");
  }
  return queryAt(grid, extent, patch);
}

}  // namespace

Patch parsePatch(const std::string& text) {
  const auto patch = parsePair<int>(text);
  if (!patch || (*patch)[0] < 0 || (*patch)[1] < 0) {
    throw UsageError("--query is ROW,COL counted from 0, not \"" + text + "\"");
  }
  return {(*patch)[0], (*patch)[1]};
}

PictureQuery parsePlace(const std::string& text) {
  std::string_view numbers = text;
  const std::size_t comma = numbers.rfind(',');
  const auto token =
      comma == std::string_view::npos ? std::nullopt : parsePrefixToken(numbers.substr(comma + 1));
  if (token) numbers.remove_suffix(numbers.size() - comma);
  const auto place = parsePair<double>(numbers);
  if (!place || !((*place)[0] >= 0 && (*place)[0] <= 1 && (*place)[1] >= 0 && (*place)[1] <= 1)) {
    throw UsageError("--at is X,Y, two fractions between 0 and 1, not \"" + text + "\"");
  }
  return {(*place)[0], (*place)[1], token};
}

HeadChoice parseHeads(const std::vector<std::string>& texts) {
  HeadChoice choice;
  for (const std::string& text : texts) {
    const auto head = parseNumber<int>(text);
    if (text == "mean") {
      choice.mean = true;
    } else if (text == "max") {
      choice.largest = true;
    } else if (text == "all") {
      choice.all = true;
    } else if (head && *head >= 0) {
      choice.heads.push_back(*head);
    } else {
      throw UsageError("--head is a number counted from 0, mean, max or all, not \"" + text + "\"");
    }
  }
  if (choice.all) choice.heads.clear();
  return choice;
}

std::vector<PictureQuery> parseQueries(const std::vector<QueryText>& texts,
                                       const AttentionDescription& attention,
                                       const PictureExtent& extent, Direction direction) {
  std::vector<PictureQuery> queries;
  for (const QueryText& query : texts) {
    if (query.kind == QueryText::Kind::Patch) {
      queries.push_back(queryOfPatch(query.text, attention, extent, direction));
      continue;
    }
    queries.push_back(queryOfPlace(query.text, attention, direction));
    const std::optional<int> token = queries.back().prefixToken;
    if (token && *token >= singleTokens(attention, direction)) {
      noteOnResult("--at " + query.text +
                   ": in layers without this token, the patch at that place answers");
    }
    if (!queries.back().prefixToken && isOutside(extent, queries.back())) {
      noteOnResult(
          "--at " + query.text +
          " lies outside what the model sees; the nearest patch answers (--size HxW shows it the "
          "whole picture)");
    }
  }
  if (queries.empty()) queries.push_back(PictureQuery{});
  return queries;
}

}  // namespace softscope
