#include "core/survey/reading/SurveyComparison.h"

#include "core/array/ComparedSentence.h"
#include "core/survey/reading/MeasureSummary.h"
#include "core/survey/reading/SurveySteps.h"
#include "core/text/Words.h"

#include <algorithm>
#include <cmath>
#include <iomanip>
#include <iterator>
#include <map>
#include <numeric>
#include <sstream>
#include <string>
#include <tuple>
#include <utility>

namespace softscope {

namespace {

/// Number of bars that can be told apart in a plot of the usual width.
constexpr int histogramBins = 40;

/// The layer, head and class that series of several models may share.
using SharedName = std::tuple<std::string, int, std::optional<int>>;

SharedName sharedName(const SurveyIndex& index, const SurveySeries& series) {
  return {index.layerName(series.unit), index.headNumber(series.unit), series.ofClass};
}

bool isPoint(const SurveySeries& series, std::size_t i) {
  return !std::isnan(series.values.values[i]) && !std::isnan(series.against[i]);
}

std::vector<Table::Cell> unitCells(const SurveyIndex& index, const SurveyIndex::Unit& unit) {
  const int head = index.headNumber(unit);
  return {index.models[static_cast<std::size_t>(unit.model)].name, index.layerName(unit),
          head < 0 ? Table::Cell() : Table::Cell(std::int64_t{head})};
}

std::string classText(const SurveyIndex& index, const std::optional<int>& ofClass) {
  if (!ofClass || *ofClass < 0) return {};
  return index.classes[static_cast<std::size_t>(*ofClass)];
}

bool isByClass(const SurveyAnswer& answer) {
  return !answer.series.empty() && answer.series.front().ofClass;
}

void correctForAll(std::vector<SurveyDifference>& differences) {
  const std::int64_t comparisons = comparedCount(differences);
  for (SurveyDifference& each : differences) correctFor(comparisons, each.difference);
}

constexpr const char* differenceColumns[] = {
    "count",       "difference", "standard_error", "low",           "high",
    "comparisons", "joint_low",  "joint_high",     "bootstrap_low", "bootstrap_high"};

/// Appends the cells of differenceColumns.
void appendDifference(std::vector<Table::Cell>& row, const PairedDifference& of,
                      std::int64_t comparisons) {
  row.emplace_back(of.count);
  appendStatistics(row, {of.mean, of.standardError, of.low, of.high});
  row.emplace_back(comparisons);
  appendStatistics(row, {of.jointLow, of.jointHigh, of.bootstrapLow, of.bootstrapHigh});
}

/// Returns `deletion_rollout is below deletion_random in 9 of 11 (their joint 95 % intervals lie
/// below 0) and above in none`.
std::string contrastSentence(const SurveyAnswer& answer,
                             const std::vector<SurveyDifference>& contrasts) {
  const auto count = [&](const auto& holds) {
    return std::to_string(std::ranges::count_if(
        contrasts, [&](const SurveyDifference& each) { return holds(each.difference); }));
  };
  return answer.firstMeasure().name + " is below " + answer.secondMeasure().name + " in " +
         count([](const PairedDifference& of) { return of.jointHigh < 0; }) + " of " +
         std::to_string(comparedCount(contrasts)) + " and above in " +
         count([](const PairedDifference& of) { return of.jointLow > 0; }) +
         ", by joint 95 % intervals of differences of the same pictures";
}

bool isDefined(const SurveyAnswer& answer) {
  return std::any_of(answer.series.begin(), answer.series.end(),
                     [](const SurveySeries& series) { return series.summary.count > 0; });
}

/// Returns `soft`, or of one class `soft, cat`.
std::string histogramName(const SurveyAnswer& answer, const SurveyHistogram& of) {
  const std::string name = answer.index->models[static_cast<std::size_t>(of.model)].name;
  return of.ofClass ? name + ", " + classText(*answer.index, of.ofClass) : name;
}

/// Returns `0.1 to 0.2`, with as many digits as tell the ends apart.
std::string binText(double low, double high) {
  constexpr int mostDigits = 17;
  for (int digits = 3; true; ++digits) {
    std::ostringstream from;
    std::ostringstream to;
    from << std::setprecision(digits) << low;
    to << std::setprecision(digits) << high;
    if (from.str() != to.str() || digits == mostDigits) return from.str() + " to " + to.str();
  }
}

/// Names the bin of each histogram that has the most values.
std::string fullestBinsSentence(const SurveyAnswer& answer,
                                const std::vector<SurveyHistogram>& histograms) {
  // More than a reader takes in at once are counted.
  constexpr std::size_t most = 8;
  std::vector<std::string> texts;
  for (const SurveyHistogram& each : histograms) {
    const std::vector<std::int64_t>& counts = each.histogram.counts;
    const auto fullest = std::ranges::max_element(counts);
    if (fullest == counts.end() || *fullest == 0) continue;
    const auto bin = static_cast<int>(fullest - counts.begin());
    const std::int64_t all = std::accumulate(counts.begin(), counts.end(), std::int64_t{0});
    texts.push_back(std::to_string(*fullest) + " of " + std::to_string(all) + " from " +
                    binText(each.histogram.edge(bin), each.histogram.edge(bin + 1)) + " (" +
                    histogramName(answer, each) + ")");
  }
  const std::size_t left = texts.size() > most ? texts.size() - most : 0;
  texts.resize(texts.size() - left);
  return "Most values of " + answer.firstMeasure().name + " in one bin: " + listText(texts, "; ") +
         (left > 0 ? "; and " + std::to_string(left) + " more" : "") + ".";
}

/// Returns Pearson's correlation of every model.
std::string correlationSentence(const SurveyAnswer& answer) {
  std::vector<std::string> texts;
  for (const int model : answer.models()) {
    const std::optional<double> r = correlationOf(answer, model);
    const std::string& name = answer.index->models[static_cast<std::size_t>(model)].name;
    texts.push_back((r ? roundedText(*r) : "not defined") + " in " + name);
  }
  return "The correlation of " + answer.firstMeasure().name + " and " +
         answer.secondMeasure().name + " is " + listText(texts, "; ") + ".";
}

}  // namespace

std::string surveyObstacle(const SurveyAnswer& answer, SurveyShow show) {
  if (!isDefined(answer)) return "the measure is not defined for any picture of what was asked for";
  if (takesTwoMeasures(show) && scatteredCount(answer) == 0) {
    return "there is no picture for which both measures are defined";
  }
  if (show == SurveyShow::Steps) return stepsObstacle(answer.modelNames());
  if (show != SurveyShow::Differences) return {};
  if (answer.models().size() < 2) return "differences need two models, and there is one";
  if (differencesOf(answer).empty()) {
    return "the models share no layers; choose a measure of whole models, such as their accuracy";
  }
  return {};
}

Table surveyFigureTable(const SurveyAnswer& answer, SurveyShow show) {
  switch (show) {
    case SurveyShow::Differences:
      return differenceTable(answer);
    case SurveyShow::Contrast:
      return contrastTable(answer);
    case SurveyShow::Steps:
      return stepTable(answer);
    case SurveyShow::Histogram:
      return histogramTable(answer);
    case SurveyShow::Scatter:
      return scatterTable(answer, mostScattered);
    case SurveyShow::Distributions:
    case SurveyShow::Means:
      break;
  }
  return summaryTable(answer);
}

std::int64_t comparedCount(const std::vector<SurveyDifference>& differences) {
  return std::count_if(differences.begin(), differences.end(), [](const SurveyDifference& each) {
    return !std::isnan(each.difference.low);
  });
}

std::vector<SurveyDifference> differencesOf(const SurveyAnswer& answer) {
  std::vector<SurveyDifference> differences;
  if (answer.series.empty()) return differences;
  Bootstrap bootstrap;
  const int reference = answer.series.front().unit.model;
  std::map<SharedName, const SurveySeries*> references;
  for (const SurveySeries& series : answer.series) {
    const SharedName name = sharedName(*answer.index, series);
    if (series.unit.model == reference) {
      references.emplace(name, &series);
    } else if (const auto same = references.find(name); same != references.end()) {
      differences.push_back({series.unit, reference, series.ofClass,
                             pairedDifference(series.values, same->second->values, &bootstrap)});
    }
  }
  correctForAll(differences);
  return differences;
}

std::vector<SurveyDifference> contrastsOf(const SurveyAnswer& answer) {
  std::vector<SurveyDifference> contrasts;
  Bootstrap bootstrap;
  for (const SurveySeries& series : answer.series) {
    contrasts.push_back(
        {series.unit, series.unit.model, series.ofClass,
         pairedDifference(series.values, {series.values.pictures, series.against}, &bootstrap)});
  }
  correctForAll(contrasts);
  return contrasts;
}

std::vector<SurveyHistogram> histogramsOf(const SurveyAnswer& answer) {
  std::vector<SurveyHistogram> histograms;
  std::vector<double> ends;
  for (const SurveySeries& series : answer.series) {
    for (const double value : series.values.values) {
      if (std::isnan(value)) continue;
      if (ends.empty()) ends = {value, value};
      ends = {std::min(ends[0], value), std::max(ends[1], value)};
    }
  }
  if (ends.empty()) return histograms;
  Histogram empty = histogramOf(ends, histogramBins);
  std::fill(empty.counts.begin(), empty.counts.end(), 0);
  for (const SurveySeries& series : answer.series) {
    auto own = std::find_if(histograms.begin(), histograms.end(), [&](const SurveyHistogram& of) {
      return of.model == series.unit.model && of.ofClass == series.ofClass;
    });
    if (own == histograms.end()) {
      own = histograms.insert(own, {series.unit.model, series.ofClass, empty});
    }
    for (const double value : series.values.values) {
      const int bin = own->histogram.binOf(value);
      if (bin >= 0) ++own->histogram.counts[static_cast<std::size_t>(bin)];
    }
  }
  return histograms;
}

std::size_t scatteredCount(const SurveyAnswer& answer) {
  std::size_t count = 0;
  for (const SurveySeries& series : answer.series) {
    for (std::size_t i = 0; i < series.against.size(); ++i) count += isPoint(series, i) ? 1 : 0;
  }
  return count;
}

std::vector<SurveyPoint> scatteredPoints(const SurveyAnswer& answer, std::size_t most) {
  const std::size_t count = scatteredCount(answer);
  std::vector<SurveyPoint> points;
  std::size_t seen = 0;
  for (std::size_t s = 0; s < answer.series.size(); ++s) {
    const SurveySeries& series = answer.series[s];
    for (std::size_t i = 0; i < series.against.size(); ++i) {
      if (!isPoint(series, i)) continue;
      // Chosen if it is the first point of its share among all.
      const bool chosen = count <= most || (seen * most) / count != ((seen + 1) * most) / count;
      ++seen;
      if (chosen) points.push_back({s, i});
    }
  }
  return points;
}

std::optional<double> correlationOf(const SurveyAnswer& answer, int model,
                                    std::optional<int> ofClass) {
  std::int64_t count = 0;
  double meanX = 0;
  double meanY = 0;
  double squaresX = 0;
  double squaresY = 0;
  double products = 0;
  for (const SurveySeries& series : answer.series) {
    if (series.unit.model != model || (ofClass && series.ofClass != ofClass)) continue;
    for (std::size_t i = 0; i < series.against.size(); ++i) {
      if (!isPoint(series, i)) continue;
      // Welford's recurrence, which avoids cancellation.
      ++count;
      const double awayX = series.values.values[i] - meanX;
      const double awayY = series.against[i] - meanY;
      meanX += awayX / static_cast<double>(count);
      meanY += awayY / static_cast<double>(count);
      squaresX += awayX * (series.values.values[i] - meanX);
      squaresY += awayY * (series.against[i] - meanY);
      products += awayX * (series.against[i] - meanY);
    }
  }
  if (count < 3 || squaresX <= 0 || squaresY <= 0) return std::nullopt;
  return products / std::sqrt(squaresX) / std::sqrt(squaresY);
}

Table summaryTable(const SurveyAnswer& answer) {
  Table table{{"model", "layer", "head", "measure"}, {}};
  if (isByClass(answer)) table.columns.emplace_back("class");
  appendSummaryColumns(table.columns);
  for (const SurveySeries& series : answer.series) {
    std::vector<Table::Cell> row = unitCells(*answer.index, series.unit);
    row.emplace_back(answer.firstMeasure().name);
    if (series.ofClass) row.emplace_back(classText(*answer.index, series.ofClass));
    appendSummary(row, series.summary);
    table.add(std::move(row));
  }
  // Classes of one head are no pairs.
  if (!isByClass(answer)) {
    const std::string quantity = "the mean of " + answer.firstMeasure().name;
    table.sentence = comparedSentence(table, {.quantity = quantity.c_str(), .column = "mean"});
  }
  return table;
}

Table differenceTable(const SurveyAnswer& answer) {
  Table table{{"model", "reference", "layer", "head", "measure", "class"}, {}};
  std::ranges::copy(differenceColumns, std::back_inserter(table.columns));
  const std::vector<SurveyDifference> differences = differencesOf(answer);
  const std::int64_t comparisons = comparedCount(differences);
  for (const SurveyDifference& each : differences) {
    std::vector<Table::Cell> row = unitCells(*answer.index, each.unit);
    row.insert(row.begin() + 1,
               answer.index->models[static_cast<std::size_t>(each.reference)].name);
    row.emplace_back(answer.firstMeasure().name);
    row.emplace_back(classText(*answer.index, each.ofClass));
    appendDifference(row, each.difference, comparisons);
    table.add(std::move(row));
  }
  if (!isByClass(answer)) {
    const std::string quantity =
        "the mean difference in " + answer.firstMeasure().name + " from the first model";
    table.sentence =
        comparedSentence(table, {.quantity = quantity.c_str(), .column = "difference"});
  }
  return table;
}

Table contrastTable(const SurveyAnswer& answer) {
  Table table{{"model", "layer", "head", "measure", "against", "class"}, {}};
  std::ranges::copy(differenceColumns, std::back_inserter(table.columns));
  const std::vector<SurveyDifference> contrasts = contrastsOf(answer);
  const std::int64_t comparisons = comparedCount(contrasts);
  for (const SurveyDifference& each : contrasts) {
    std::vector<Table::Cell> row = unitCells(*answer.index, each.unit);
    row.emplace_back(answer.firstMeasure().name);
    row.emplace_back(answer.secondMeasure().name);
    row.emplace_back(classText(*answer.index, each.ofClass));
    appendDifference(row, each.difference, comparisons);
    table.add(std::move(row));
  }
  table.sentence = contrastSentence(answer, contrasts);
  return table;
}

Table histogramTable(const SurveyAnswer& answer) {
  Table table{{"model", "measure", "class", "low", "high", "count"}, {}};
  const std::vector<SurveyHistogram> histograms = histogramsOf(answer);
  table.sentence = fullestBinsSentence(answer, histograms);
  for (const SurveyHistogram& each : histograms) {
    for (int bin = 0; bin < static_cast<int>(each.histogram.counts.size()); ++bin) {
      table.add({answer.index->models[static_cast<std::size_t>(each.model)].name,
                 answer.firstMeasure().name, classText(*answer.index, each.ofClass),
                 each.histogram.edge(bin), each.histogram.edge(bin + 1),
                 each.histogram.counts[static_cast<std::size_t>(bin)]});
    }
  }
  return table;
}

Table scatterTable(const SurveyAnswer& answer, std::size_t most) {
  Table table{{"model", "layer", "head", "picture", "class", answer.firstMeasure().name,
               answer.secondMeasure().name},
              {}};
  for (const SurveyPoint& point : scatteredPoints(answer, most)) {
    const SurveySeries& series = answer.series[point.series];
    const auto& picture =
        answer.index->pictures[static_cast<std::size_t>(series.values.pictures[point.index])];
    std::vector<Table::Cell> row = unitCells(*answer.index, series.unit);
    row.emplace_back(picture.path);
    row.emplace_back(answer.index->className(picture));
    appendStatistics(row, {series.values.values[point.index], series.against[point.index]});
    table.add(std::move(row));
  }
  table.sentence = correlationSentence(answer);
  return table;
}

}  // namespace softscope
