#include "core/survey/reading/SurveyTable.h"

#include "core/survey/reading/MeasureSummary.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace softscope {

namespace {

using Scope = SurveyIndex::Scope;

/// Number of values held at a time: 256 MB of them.
constexpr std::size_t mostValuesHeld = std::size_t{32} << 20;
/// Amount of text that is passed on at a time.
constexpr std::size_t pieceOfText = std::size_t{1} << 16;

constexpr std::array surveyScopes = {Scope::Model, Scope::Layer, Scope::Head};

/// A unit in the order of the table.
struct ListedUnit {
  Scope scope = Scope::Model;
  /// Index among the units of its scope.
  int index = 0;
  SurveyIndex::Unit unit;
};

std::vector<ListedUnit> unitsInOrder(const SurveyIndex& index) {
  std::vector<ListedUnit> listed;
  for (const Scope scope : surveyScopes) {
    const std::vector<SurveyIndex::Unit> units = index.units(scope);
    for (std::size_t i = 0; i < units.size(); ++i) {
      listed.push_back({scope, static_cast<int>(i), units[i]});
    }
  }
  std::vector<int> byName(index.models.size());
  std::iota(byName.begin(), byName.end(), 0);
  std::sort(byName.begin(), byName.end(), [&](int a, int b) {
    return index.models[static_cast<std::size_t>(a)].name <
           index.models[static_cast<std::size_t>(b)].name;
  });
  std::vector<int> place(byName.size());
  for (std::size_t i = 0; i < byName.size(); ++i) {
    place[static_cast<std::size_t>(byName[i])] = static_cast<int>(i);
  }
  // Models come before their layers, and layers before their heads.
  std::sort(listed.begin(), listed.end(), [&](const ListedUnit& a, const ListedUnit& b) {
    const auto key = [&](const SurveyIndex::Unit& unit) {
      return std::array{place[static_cast<std::size_t>(unit.model)], unit.layer, unit.head};
    };
    return key(a.unit) < key(b.unit);
  });
  return listed;
}

std::vector<int> measuresOf(const SurveyIndex& index, Scope scope) {
  std::vector<int> measures;
  for (std::size_t i = 0; i < index.measures.size(); ++i) {
    if (index.measures[i].scope == scope) measures.push_back(static_cast<int>(i));
  }
  return measures;
}

using UnitVisit =
    std::function<void(const ListedUnit&, const std::vector<int>& measures, const UnitValues&)>;

/// Visits units in order, with the values of all measures of their scope. Reads as many units at a
/// time as may be held.
void forEachUnit(SurveyReader& survey, const Progress& progress, const UnitVisit& visit) {
  const SurveyIndex& index = *survey.index();
  const std::vector<ListedUnit> units = unitsInOrder(index);
  std::array<std::vector<int>, surveyScopes.size()> measures;
  for (const Scope scope : surveyScopes) {
    measures[static_cast<std::size_t>(scope)] = measuresOf(index, scope);
  }
  const auto size = [&](const ListedUnit& unit) {
    return index.pictures.size() * (measures[static_cast<std::size_t>(unit.scope)].size() + 1);
  };
  for (std::size_t first = 0; first < units.size();) {
    std::size_t last = first;
    for (std::size_t held = 0; last < units.size(); ++last) {
      held += size(units[last]);
      if (last > first && held > mostValuesHeld) break;
    }
    std::array<std::vector<int>, surveyScopes.size()> asked;
    for (std::size_t i = first; i < last; ++i) {
      asked[static_cast<std::size_t>(units[i].scope)].push_back(units[i].index);
    }
    const double all = static_cast<double>(units.size());
    const Progress part =
        progress.part(static_cast<double>(first) / all, static_cast<double>(last) / all, "Reading");
    std::array<std::vector<UnitValues>, surveyScopes.size()> values;
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (!measures[i].empty()) values[i] = survey.read(measures[i], asked[i], part);
    }
    std::array<std::size_t, surveyScopes.size()> next{};
    for (; first < last; ++first) {
      progress.throwIfCancelled();
      const auto scope = static_cast<std::size_t>(units[first].scope);
      if (measures[scope].empty()) continue;
      UnitValues& of = values[scope][next[scope]++];
      visit(units[first], measures[scope], of);
      of = {};
    }
  }
}

std::vector<std::string> pictureFields(const SurveyIndex& index) {
  std::vector<std::string> fields;
  fields.reserve(index.pictures.size());
  for (const SurveyIndex::Picture& picture : index.pictures) {
    fields.push_back(csvField(picture.path) + ',' + csvField(index.className(picture)) + ',');
  }
  return fields;
}

std::string unitFields(const SurveyIndex& index, const SurveyIndex::Unit& unit) {
  const int head = index.headNumber(unit);
  return csvField(index.models[static_cast<std::size_t>(unit.model)].name) + ',' +
         csvField(index.layerName(unit)) + ',' + (head < 0 ? "" : std::to_string(head)) + ',';
}

/// Returns the values of the measure in `column`; with `ofClass`, only those of pictures of that
/// class.
std::vector<double> columnOf(const UnitValues& values, std::size_t columns, std::size_t column,
                             const SurveyIndex& index, std::optional<int> ofClass) {
  std::vector<double> selected;
  for (std::size_t i = 0; i < values.pictures.size(); ++i) {
    const auto picture = static_cast<std::size_t>(values.pictures[i]);
    if (ofClass && index.pictures[picture].ofClass != *ofClass) continue;
    selected.push_back(values.values[i * columns + column]);
  }
  return selected;
}

/// Returns the classes that have pictures, with -1 for pictures without a class.
std::vector<int> classesWithPictures(const SurveyIndex& index) {
  std::vector<int> classes;
  for (const SurveyIndex::Picture& picture : index.pictures) {
    if (picture.unreadable.empty()) classes.push_back(picture.ofClass);
  }
  std::sort(classes.begin(), classes.end());
  classes.erase(std::unique(classes.begin(), classes.end()), classes.end());
  return classes;
}

void addSummary(Table& table, std::vector<Table::Cell> names, const std::vector<double>& values) {
  appendSummary(names, summarise(values));
  table.add(std::move(names));
}

}  // namespace

void writeSurveyRows(SurveyReader& survey, const TextSink& write, const Progress& progress) {
  const SurveyIndex& index = *survey.index();
  const std::vector<std::string> pictures = pictureFields(index);
  std::string text = "model,layer,head,picture,class,measure,value\n";
  forEachUnit(
      survey, progress,
      [&](const ListedUnit& listed, const std::vector<int>& measures, const UnitValues& values) {
        const std::string unit = unitFields(index, listed.unit);
        std::vector<std::string> names;
        for (const int measure : measures) {
          names.push_back(csvField(index.measures[static_cast<std::size_t>(measure)].name) + ',');
        }
        for (std::size_t i = 0; i < values.pictures.size(); ++i) {
          for (std::size_t m = 0; m < names.size(); ++m) {
            text += unit;
            text += pictures[static_cast<std::size_t>(values.pictures[i])];
            text += names[m];
            const double value = values.values[i * names.size() + m];
            if (!std::isnan(value)) appendCsvNumber(text, value);
            text += '\n';
          }
          if (text.size() < pieceOfText) continue;
          write(text);
          text.clear();
          progress.throwIfCancelled();
        }
      });
  write(text);
}

Table surveySummary(SurveyReader& survey, bool byClass, const Progress& progress) {
  const SurveyIndex& index = *survey.index();
  Table table{{"model", "layer", "head", "measure"}, {}};
  if (byClass) table.columns.emplace_back("class");
  appendSummaryColumns(table.columns);
  const std::vector<int> classes = byClass ? classesWithPictures(index) : std::vector<int>();
  forEachUnit(
      survey, progress,
      [&](const ListedUnit& listed, const std::vector<int>& measures, const UnitValues& values) {
        const SurveyIndex::Unit& unit = listed.unit;
        const int head = index.headNumber(unit);
        for (std::size_t m = 0; m < measures.size(); ++m) {
          const std::vector<Table::Cell> names{
              index.models[static_cast<std::size_t>(unit.model)].name, index.layerName(unit),
              head < 0 ? Table::Cell() : Table::Cell(std::int64_t{head}),
              index.measures[static_cast<std::size_t>(measures[m])].name};
          if (!byClass) {
            addSummary(table, names, columnOf(values, measures.size(), m, index, std::nullopt));
          }
          for (const int ofClass : classes) {
            std::vector<Table::Cell> withClass = names;
            withClass.emplace_back(ofClass < 0 ? std::string()
                                               : index.classes[static_cast<std::size_t>(ofClass)]);
            addSummary(table, withClass, columnOf(values, measures.size(), m, index, ofClass));
          }
        }
      });
  return table;
}

}  // namespace softscope
