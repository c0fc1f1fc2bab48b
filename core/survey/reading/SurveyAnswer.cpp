#include "core/survey/reading/SurveyAnswer.h"

#include "core/text/Names.h"
#include "core/text/Words.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace softscope {

int Histogram::binOf(double value) const {
  if (!(value >= low && value <= high) || counts.empty()) return -1;
  const int bins = static_cast<int>(counts.size());
  // Halved first, so that the difference of two numbers never overflows.
  const double place = (value / 2 - low / 2) / (high / 2 - low / 2) * bins;
  return std::clamp(std::isfinite(place) ? static_cast<int>(place) : 0, 0, bins - 1);
}

double Histogram::edge(int bin) const {
  const double share = static_cast<double>(bin) / static_cast<double>(counts.size());
  return low * (1 - share) + high * share;
}

Histogram histogramOf(std::span<const double> values, int bins) {
  Histogram histogram{
      std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity(), {}};
  for (const double value : values) {
    if (std::isnan(value)) continue;
    histogram.low = std::min(histogram.low, value);
    histogram.high = std::max(histogram.high, value);
  }
  if (histogram.low > histogram.high) return {};
  histogram.counts.resize(histogram.low == histogram.high ? 1 : static_cast<std::size_t>(bins));
  for (const double value : values) {
    const int bin = histogram.binOf(value);
    if (bin >= 0) ++histogram.counts[static_cast<std::size_t>(bin)];
  }
  return histogram;
}

namespace {

int measureNamed(const SurveyColumns& survey, const std::string& name) {
  const SurveyIndex& index = *survey.index();
  const int measure = index.measure(name);
  if (measure >= 0) return measure;
  if (index.measures.empty()) throw SurveyError(survey.path(), "holds no measures");
  throw SurveyError(survey.path(), "has no measure \"" + name + "\"; it has " +
                                       listText(index.measures, ", ", &SurveyIndex::Measure::name));
}

SurveyIndex::Unit widened(const SurveyIndex::Unit& unit, SurveyIndex::Scope scope) {
  return {unit.model, scope == SurveyIndex::Scope::Model ? -1 : unit.layer,
          scope == SurveyIndex::Scope::Head ? unit.head : -1};
}

/// Returns the index of a unit among the units of its scope.
int indexInScope(const SurveyIndex::Unit& unit, SurveyIndex::Scope scope) {
  if (scope == SurveyIndex::Scope::Model) return unit.model;
  return scope == SurveyIndex::Scope::Layer ? unit.layer : unit.head;
}

/// Returns true if an entry of SurveyQuestion::layers stands for the layer.
bool asksForLayer(const std::string& text, const std::string& layer) {
  return text == "all" || meansLayer(text, layer);
}

bool isAsked(const SurveyIndex& index, const SurveyQuestion& question,
             const SurveyIndex::Unit& unit) {
  const auto any = [](const auto& asked, const auto& matches) {
    return asked.empty() || std::any_of(asked.begin(), asked.end(), matches);
  };
  const std::string layer = index.layerName(unit);
  const int head = index.headNumber(unit);
  return any(question.models,
             [&](const std::string& name) {
               return name == index.models[static_cast<std::size_t>(unit.model)].name;
             }) &&
         (unit.layer < 0 ||
          any(question.layers,
              [&](const std::string& text) { return asksForLayer(text, layer); })) &&
         (unit.head < 0 || any(question.heads, [&](int asked) { return asked == head; }));
}

/// Throws a SurveyError that names what was asked for and does not exist.
void checkAsked(const SurveyColumns& survey, const SurveyQuestion& question) {
  const SurveyIndex& index = *survey.index();
  for (const std::string& name : question.models) {
    const bool known = std::any_of(index.models.begin(), index.models.end(),
                                   [&](const auto& model) { return model.name == name; });
    if (known) continue;
    throw SurveyError(survey.path(), "has no model \"" + name + "\"; it has " +
                                         listText(index.models, ", ", &SurveyIndex::Model::name));
  }
  for (const std::string& text : question.layers) {
    const bool known =
        text == "all" || std::ranges::any_of(index.layers, [&](const SurveyIndex::Layer& layer) {
          return asksForLayer(text, layer.name);
        });
    if (known) continue;
    std::vector<std::string> names;
    for (const SurveyIndex::Layer& layer : index.layers) {
      if (std::find(names.begin(), names.end(), layer.name) == names.end()) {
        names.push_back(layer.name);
      }
    }
    throw SurveyError(survey.path(), "has no layer \"" + text + "\"; it has " + listText(names));
  }
}

/// Returns the second measure's values for the pictures of the first; both are in ascending order
/// of pictures.
std::vector<double> besideValues(const UnitValues& of, const UnitValues& other) {
  std::vector<double> beside(of.pictures.size(), std::numeric_limits<double>::quiet_NaN());
  std::size_t next = 0;
  for (std::size_t i = 0; i < of.pictures.size(); ++i) {
    while (next < other.pictures.size() && other.pictures[next] < of.pictures[i]) ++next;
    if (next == other.pictures.size()) break;
    if (other.pictures[next] == of.pictures[i]) beside[i] = other.values[next];
  }
  return beside;
}

/// Adds the series of a unit; with `byClass`, one series for each class.
void addSeries(SurveyAnswer& answer, SurveySeries whole, bool byClass) {
  if (!byClass) {
    whole.summary = summarise(whole.values.values);
    answer.series.push_back(std::move(whole));
    return;
  }
  // The first series is for pictures without a class.
  std::vector<SurveySeries> apart(answer.index->classes.size() + 1);
  for (std::size_t i = 0; i < whole.values.pictures.size(); ++i) {
    const int picture = whole.values.pictures[i];
    const int ofClass = answer.index->pictures[static_cast<std::size_t>(picture)].ofClass;
    SurveySeries& part = apart[static_cast<std::size_t>(ofClass + 1)];
    part.ofClass = ofClass;
    part.values.pictures.push_back(picture);
    part.values.values.push_back(whole.values.values[i]);
    if (!whole.against.empty()) part.against.push_back(whole.against[i]);
  }
  for (SurveySeries& part : apart) {
    if (!part.ofClass) continue;
    part.unit = whole.unit;
    part.summary = summarise(part.values.values);
    answer.series.push_back(std::move(part));
  }
}

}  // namespace

const SurveyIndex::Measure& SurveyAnswer::firstMeasure() const {
  return index->measures[static_cast<std::size_t>(measure)];
}

const SurveyIndex::Measure& SurveyAnswer::secondMeasure() const {
  return index->measures[static_cast<std::size_t>(against)];
}

std::vector<int> SurveyAnswer::models() const {
  std::vector<int> found;
  for (const SurveySeries& each : series) {
    if (std::find(found.begin(), found.end(), each.unit.model) == found.end()) {
      found.push_back(each.unit.model);
    }
  }
  return found;
}

std::vector<std::string> SurveyAnswer::modelNames() const {
  std::vector<std::string> names;
  for (const int model : models()) {
    names.push_back(index->models[static_cast<std::size_t>(model)].name);
  }
  return names;
}

std::vector<std::optional<int>> SurveyAnswer::classes() const {
  std::vector<std::optional<int>> found;
  for (const SurveySeries& each : series) {
    if (std::find(found.begin(), found.end(), each.ofClass) == found.end()) {
      found.push_back(each.ofClass);
    }
  }
  std::sort(found.begin(), found.end());
  return found;
}

SurveyAnswer answerSurvey(SurveyColumns& survey, const SurveyQuestion& question,
                          const Progress& progress) {
  checkAsked(survey, question);
  SurveyAnswer answer;
  answer.index = survey.index();
  const SurveyIndex& index = *answer.index;
  answer.measure = measureNamed(survey, question.measure);
  if (!question.against.empty()) answer.against = measureNamed(survey, question.against);
  if (question.byClass && index.classes.empty()) {
    throw SurveyError(survey.path(), "its pictures lie in no class folders, which can stand apart");
  }
  const bool two = answer.against >= 0;
  const SurveyColumns::Column values =
      survey.column(answer.measure, progress.part(0, two ? 0.5 : 1, "Reading"));
  SurveyColumns::Column beside;
  if (two) beside = survey.column(answer.against, progress.part(0.5, 1, "Reading"));
  const SurveyIndex::Scope own = answer.firstMeasure().scope;
  const SurveyIndex::Scope other = two ? answer.secondMeasure().scope : own;
  for (const SurveyIndex::Unit& unit : index.units(std::max(own, other))) {
    if (!isAsked(index, question, unit)) continue;
    progress.throwIfCancelled();
    SurveySeries whole;
    whole.unit = unit;
    whole.values = (*values)[static_cast<std::size_t>(indexInScope(widened(unit, own), own))];
    if (two) {
      whole.against = besideValues(
          whole.values,
          (*beside)[static_cast<std::size_t>(indexInScope(widened(unit, other), other))]);
    }
    addSeries(answer, std::move(whole), question.byClass);
  }
  if (answer.series.empty()) {
    throw SurveyError(survey.path(), "has no such heads, or no pictures yet; ask for others");
  }
  return answer;
}

std::string unitText(const SurveyIndex& index, const SurveyIndex::Unit& unit) {
  std::string text = index.models[static_cast<std::size_t>(unit.model)].name;
  if (unit.layer >= 0) text += " · " + index.layerName(unit);
  if (unit.head >= 0) text += " · head " + std::to_string(index.headNumber(unit));
  return text;
}

}  // namespace softscope
