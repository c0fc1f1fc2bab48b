#include "core/survey/reading/SurveyIndex.h"

#include "core/survey/CheckedRows.h"
#include "core/survey/Shard.h"
#include "core/survey/SurveyTables.h"
#include "core/text/Words.h"

#include <algorithm>
#include <set>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

namespace softscope {

namespace {

/// Far more than any network has.
constexpr std::int64_t mostHeadsOfLayer = 4096;
constexpr std::int64_t mostPosition = 1'000'000;

/// Maps the ids of a table's rows, each of which may occur only once, to indices.
class IndexOfIds {
 public:
  explicit IndexOfIds(const char* table) : table_(table) {}

  void add(const CheckedRows& rows, std::int64_t id) {
    if (!indices_.emplace(id, static_cast<int>(indices_.size())).second) {
      rows.fail(std::string("its table \"") + table_ + "\" has two rows with the id " +
                std::to_string(id));
    }
  }
  int at(const CheckedRows& rows, std::int64_t id) const {
    const auto found = indices_.find(id);
    if (found == indices_.end()) {
      rows.fail(std::string("something refers to row ") + std::to_string(id) + " of its table \"" +
                table_ + "\", which is not there");
    }
    return found->second;
  }

 private:
  const char* table_;
  std::unordered_map<std::int64_t, int> indices_;
};

/// Throws if a name occurs a second time.
class NamesSeen {
 public:
  explicit NamesSeen(const char* what) : what_(what) {}

  void add(const CheckedRows& rows, const std::string& name) {
    if (name.empty()) rows.fail(std::string("a ") + what_ + " has no name");
    if (seen_.insert(name).second) return;
    rows.fail(std::string("it has two ") + what_ + "s of one name");
  }

 private:
  const char* what_;
  std::set<std::string> seen_;
};

/// Returns the shard that a file holds; the whole if it does not say.
Shard shardOf(const SurveyIndex& index) {
  const auto said = index.about.find("shard");
  return said == index.about.end() ? Shard() : parseShard(said->second).value_or(Shard());
}

void readAbout(Database& database, SurveyIndex& index) {
  CheckedRows rows(database, "survey", "key, value");
  while (rows.next()) index.about.emplace(rows.text(0, "key"), rows.text(1, "value"));
}

IndexOfIds readModels(Database& database, SurveyIndex& index) {
  IndexOfIds ids("model");
  NamesSeen names("model");
  CheckedRows rows(database, "model", "id, name, path, fingerprint, mechanism, request, transform",
                   "ORDER BY id");
  while (rows.next()) {
    SurveyIndex::Model model;
    model.id = rows.integer(0, "id");
    model.name = rows.text(1, "name");
    model.path = rows.text(2, "path");
    model.fingerprint = rows.text(3, "fingerprint");
    model.mechanism = rows.text(4, "mechanism");
    model.request = rows.text(5, "request");
    model.transform = rows.text(6, "transform");
    ids.add(rows, model.id);
    names.add(rows, model.name);
    index.models.push_back(std::move(model));
  }
  return ids;
}

/// (Rows are sorted here and not by SQLite, which would first write all of them into a file.)
IndexOfIds readLayers(Database& database, const IndexOfIds& models, SurveyIndex& index) {
  IndexOfIds seen("layer");
  std::set<std::pair<int, std::string>> names;
  std::vector<std::pair<std::int64_t, SurveyIndex::Layer>> found;
  CheckedRows rows(database, "layer", "id, model, name, position, mechanism, heads");
  while (rows.next()) {
    SurveyIndex::Layer layer;
    layer.id = rows.integer(0, "id");
    layer.model = models.at(rows, rows.integer(1, "model"));
    layer.name = rows.text(2, "name");
    const std::int64_t position = rows.integer(3, "position", 0, mostPosition);
    layer.mechanism = rows.text(4, "mechanism");
    rows.integer(5, "heads", 0, mostHeadsOfLayer);
    seen.add(rows, layer.id);
    if (layer.name.empty() || !names.emplace(layer.model, layer.name).second) {
      rows.fail("a model has two layers of one name, or one without any");
    }
    found.emplace_back(position, std::move(layer));
  }
  std::ranges::sort(found, {}, [](const auto& entry) {
    const auto& [position, layer] = entry;
    return std::tuple(layer.model, position, layer.id);
  });
  IndexOfIds ids("layer");
  for (auto& [position, layer] : found) {
    ids.add(rows, layer.id);
    index.layers.push_back(std::move(layer));
  }
  return ids;
}

void readHeads(Database& database, const IndexOfIds& layers, SurveyIndex& index) {
  IndexOfIds ids("head");
  CheckedRows rows(database, "head", "id, layer, head");
  while (rows.next()) {
    SurveyIndex::Head head;
    head.id = rows.integer(0, "id");
    head.layer = layers.at(rows, rows.integer(1, "layer"));
    head.number = static_cast<int>(rows.integer(2, "head", 0, mostHeadsOfLayer - 1));
    ids.add(rows, head.id);
    index.heads.push_back(head);
  }
  const auto place = [](const SurveyIndex::Head& head) {
    return std::pair(head.layer, head.number);
  };
  std::sort(index.heads.begin(), index.heads.end(),
            [&](const auto& a, const auto& b) { return place(a) < place(b); });
  const auto twice =
      std::adjacent_find(index.heads.begin(), index.heads.end(),
                         [&](const auto& a, const auto& b) { return place(a) == place(b); });
  if (twice != index.heads.end()) {
    rows.fail("a layer has head " + std::to_string(twice->number) + " twice");
  }
}

void readPictures(Database& database, SurveyIndex& index) {
  IndexOfIds classes("class");
  NamesSeen names("class");
  CheckedRows classRows(database, "class", "id, name", "ORDER BY name");
  while (classRows.next()) {
    classes.add(classRows, classRows.integer(0, "id"));
    index.classes.push_back(classRows.text(1, "name"));
    names.add(classRows, index.classes.back());
  }
  IndexOfIds ids("picture");
  CheckedRows rows(database, "picture", "id, path, class, unreadable", "ORDER BY id");
  while (rows.next()) {
    SurveyIndex::Picture picture;
    picture.id = rows.integer(0, "id");
    picture.path = rows.text(1, "path");
    if (const auto ofClass = rows.integerOrNothing(2, "class")) {
      picture.ofClass = classes.at(rows, *ofClass);
    }
    picture.unreadable = rows.textOrNothing(3, "unreadable").value_or("");
    ids.add(rows, picture.id);
    index.pictures.push_back(std::move(picture));
  }
}

SurveyIndex::Scope scopeOf(const CheckedRows& rows, const std::string& name) {
  if (name == "model") return SurveyIndex::Scope::Model;
  if (name == "layer") return SurveyIndex::Scope::Layer;
  if (name == "head") return SurveyIndex::Scope::Head;
  rows.fail("a measure has an unknown scope");
}

void readMeasures(Database& database, SurveyIndex& index) {
  NamesSeen names("measure");
  std::vector<std::pair<std::int64_t, SurveyIndex::Measure>> found;
  CheckedRows rows(database, "measure", "name, scope, position, title, unit, source");
  while (rows.next()) {
    SurveyIndex::Measure measure;
    measure.name = rows.text(0, "name");
    measure.scope = scopeOf(rows, rows.text(1, "scope"));
    const std::int64_t position = rows.integer(2, "position", 0, mostPosition);
    measure.title = rows.text(3, "title");
    measure.unit = rows.text(4, "unit");
    measure.source = rows.text(5, "source");
    names.add(rows, measure.name);
    if (!hasColumn(database, valueTable(measure.scope), measure.name)) {
      rows.fail(std::string("its table \"") + valueTable(measure.scope) +
                "\" lacks the column of a measure");
    }
    found.emplace_back(position, std::move(measure));
  }
  std::ranges::sort(found, {}, [](const auto& entry) {
    return std::tuple(entry.first, std::string_view(entry.second.name));
  });
  for (auto& [position, measure] : found) index.measures.push_back(std::move(measure));
}

}  // namespace

const char* valueTable(SurveyIndex::Scope scope) {
  switch (scope) {
    case SurveyIndex::Scope::Model:
      return "model_value";
    case SurveyIndex::Scope::Layer:
      return "layer_value";
    case SurveyIndex::Scope::Head:
      break;
  }
  return "head_value";
}

const char* unitColumn(SurveyIndex::Scope scope) {
  switch (scope) {
    case SurveyIndex::Scope::Model:
      return "model";
    case SurveyIndex::Scope::Layer:
      return "layer";
    case SurveyIndex::Scope::Head:
      break;
  }
  return "head";
}

SurveyIndex readSurveyIndex(Database& database) {
  SurveyIndex index;
  readAbout(database, index);
  const IndexOfIds models = readModels(database, index);
  const IndexOfIds layers = readLayers(database, models, index);
  readHeads(database, layers, index);
  readPictures(database, index);
  readMeasures(database, index);
  return index;
}

std::string SurveyIndex::folder() const {
  const auto found = about.find("folder");
  return found == about.end() ? std::string() : found->second;
}

int SurveyIndex::readablePictures() const {
  return static_cast<int>(
      std::count_if(pictures.begin(), pictures.end(),
                    [](const Picture& picture) { return picture.unreadable.empty(); }));
}

std::optional<std::int64_t> SurveyIndex::plannedPictures() const {
  const auto said = about.find("pictures");
  const auto all = said == about.end() ? std::nullopt : parseNumber<std::int64_t>(said->second);
  if (!all || *all < 0) return std::nullopt;
  const Shard shard = shardOf(*this);
  return *all / shard.count + (*all % shard.count >= shard.index ? 1 : 0);
}

std::string SurveyIndex::partText() const {
  const auto planned = plannedPictures();
  if (!planned) return {};
  const Shard shard = shardOf(*this);
  const auto measured = std::ssize(pictures);
  std::string text;
  if (shard.count > 1) text = "shard " + shard.text() + " of " + about.at("pictures") + " pictures";
  if (measured >= *planned) return text;
  if (!text.empty()) text += ", ";
  return text + std::to_string(measured) + " of " + std::to_string(*planned) + " measured so far";
}

int SurveyIndex::measure(const std::string& name) const {
  const auto found = std::find_if(measures.begin(), measures.end(),
                                  [&](const Measure& measure) { return measure.name == name; });
  return found == measures.end() ? -1 : static_cast<int>(found - measures.begin());
}

std::vector<SurveyIndex::Unit> SurveyIndex::units(Scope scope) const {
  std::vector<Unit> units;
  switch (scope) {
    case Scope::Model:
      for (int i = 0; i < static_cast<int>(models.size()); ++i) units.push_back({i, -1, -1});
      break;
    case Scope::Layer:
      for (int i = 0; i < static_cast<int>(layers.size()); ++i) {
        units.push_back({layers[static_cast<std::size_t>(i)].model, i, -1});
      }
      break;
    case Scope::Head:
      for (int i = 0; i < static_cast<int>(heads.size()); ++i) {
        const int layer = heads[static_cast<std::size_t>(i)].layer;
        units.push_back({layers[static_cast<std::size_t>(layer)].model, layer, i});
      }
      break;
  }
  return units;
}

std::string SurveyIndex::layerName(const Unit& unit) const {
  return unit.layer < 0 ? std::string() : layers[static_cast<std::size_t>(unit.layer)].name;
}

int SurveyIndex::headNumber(const Unit& unit) const {
  return unit.head < 0 ? -1 : heads[static_cast<std::size_t>(unit.head)].number;
}

std::string SurveyIndex::className(const Picture& picture) const {
  return picture.ofClass < 0 ? std::string() : classes[static_cast<std::size_t>(picture.ofClass)];
}

}  // namespace softscope
