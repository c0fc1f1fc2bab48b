#include "core/survey/SurveyPlan.h"

#include "core/Error.h"
#include "core/files/CheckpointFiles.h"
#include "core/files/Malformed.h"
#include "core/files/Sha256.h"
#include "core/json/ParsedJson.h"

#include <nlohmann/json.hpp>

#include <map>
#include <string_view>
#include <unordered_set>
#include <vector>

namespace softscope {

namespace {

std::vector<std::string> filesOfCheckpoint(const std::string& path) {
  try {
    const std::string file = checkpointFileOf(path);
    const std::string index = shardIndexOf(file);
    if (index.empty()) return {file};
    std::vector<std::string> files;
    for (const auto& [shard, tensors] : readShardIndex(index)) files.push_back(shard);
    return files;
  } catch (const Malformed& problem) {
    throw CheckpointError(path, problem.what());
  }
}

std::string checksumOfFile(const std::string& path, const Progress& progress) {
  Sha256 checksum;
  addFile(path, checksum, progress);
  return checksum.digest();
}

using RecipeJson = nlohmann::ordered_json;

/// Surveys that an earlier version began lack it, and can be continued all the same.
constexpr const char* logitsMember = "logits_of_classes";
/// Where the file with the classes' names lies; what it says is among the logits of classes.
constexpr const char* classNamesMember = "class-names";

RecipeJson modelRecipe(const SurveyPlan::Model& model) {
  RecipeJson layers = RecipeJson::array();
  for (const SurveyPlan::Layer& layer : model.layers) layers.push_back(layer.name);
  return {{"name", model.name},
          {"fingerprint", model.fingerprint},
          {"mechanism", model.mechanism},
          {"request", parsedOrderedJson(model.request)},
          {"transform", parsedOrderedJson(model.transform)},
          {"layers", layers},
          {logitsMember, model.logitOfClass}};
}

std::string wholeText(const RecipeJson& value) {
  return value.dump(-1, ' ', false, RecipeJson::error_handler_t::replace);
}

std::string shortText(const RecipeJson& value) {
  constexpr std::size_t longest = 60;
  if (value.is_null()) return "nothing";
  const std::string text = wholeText(value);
  return text.size() <= longest ? text : text.substr(0, longest) + "...";
}

/// Returns the label of a list's entry: its name if it has one.
std::string entryName(const RecipeJson& entry, std::size_t index) {
  const bool isNamed = entry.is_object() && entry.value("name", RecipeJson()).is_string();
  return isNamed ? entry["name"].get<std::string>() : std::to_string(index + 1);
}

/// Returns the first entry that one list has and the other lacks, or null.
RecipeJson onlyIn(const RecipeJson& list, const RecipeJson& other) {
  std::unordered_set<std::string> there;
  for (const RecipeJson& entry : other) there.insert(wholeText(entry));
  for (const RecipeJson& entry : list) {
    if (!there.contains(wholeText(entry))) return entry;
  }
  return {};
}

/// An object's members by name, because finding one in an ordered object is slow.
using RecipeMembers = std::map<std::string_view, const RecipeJson*>;

RecipeMembers membersOf(const RecipeJson& object) {
  RecipeMembers members;
  for (const auto& [key, value] : object.get_ref<const RecipeJson::object_t&>()) {
    members.emplace(key, &value);
  }
  return members;
}

/// Finds the first place at which two recipes differ.
class RecipeComparison {
 public:
  explicit RecipeComparison(const RecipeNames& names) : names_(names) {}

  std::string at(const std::string& place, const RecipeJson& first,
                 const RecipeJson& second) const {
    if (first == second) return {};
    if (first.is_object() && second.is_object()) return ofObjects(place, first, second);
    if (first.is_array() && second.is_array()) return ofLists(place, first, second);
    return sentence(place, shortText(first), shortText(second));
  }

 private:
  std::string sentence(const std::string& place, const std::string& first,
                       const std::string& second) const {
    return place + ": " + first + " " + names_.first + ", " + second + " " + names_.second;
  }

  std::string ofObjects(const std::string& place, const RecipeJson& first,
                        const RecipeJson& second) const {
    static const RecipeJson nothing;
    const RecipeMembers here = membersOf(first);
    const RecipeMembers there = membersOf(second);
    const auto below = [&](const std::string& key) {
      return place.empty() ? key : place + ", " + key;
    };
    for (const auto& [key, value] : first.get_ref<const RecipeJson::object_t&>()) {
      if (key == classNamesMember) continue;
      const auto other = there.find(key);
      if (other == there.end() && key == logitsMember) continue;
      const std::string found =
          at(below(key), value, other == there.end() ? nothing : *other->second);
      if (!found.empty()) return found;
    }
    for (const auto& [key, value] : second.get_ref<const RecipeJson::object_t&>()) {
      if (here.contains(key) || key == logitsMember || key == classNamesMember) continue;
      if (const std::string found = at(below(key), nothing, value); !found.empty()) return found;
    }
    return {};
  }

  std::string ofLists(const std::string& place, const RecipeJson& first,
                      const RecipeJson& second) const {
    const bool entryByEntry =
        first.size() == second.size() && !first.empty() && first.front().is_object();
    if (!entryByEntry) {
      const RecipeJson here = onlyIn(first, second);
      const RecipeJson there = onlyIn(second, first);
      if (here.is_null() && there.is_null()) return place + ": not in the same order";
      if (first.empty() || first.front().is_object() || (!here.is_null() && !there.is_null())) {
        return sentence(place, here.is_null() ? std::to_string(first.size()) : nameOf(here),
                        there.is_null() ? std::to_string(second.size()) : nameOf(there));
      }
      return sentence(place, here.is_null() ? "no " + nameOf(there) : nameOf(here),
                      there.is_null() ? "no " + nameOf(here) : nameOf(there));
    }
    for (std::size_t i = 0; i < first.size(); ++i) {
      const std::string name = place + ", " + entryName(first[i], i);
      if (const std::string found = at(name, first[i], second[i]); !found.empty()) return found;
    }
    return {};
  }

  static std::string nameOf(const RecipeJson& entry) {
    return entry.is_object() ? entryName(entry, 0) : shortText(entry);
  }

  const RecipeNames& names_;
};

}  // namespace

std::string modelFingerprint(const std::string& path, const Progress& progress) {
  const std::vector<std::string> files = filesOfCheckpoint(path);
  if (files.size() == 1) return checksumOfFile(files.front(), progress);
  Sha256 all;
  for (std::size_t i = 0; i < files.size(); ++i) {
    const auto count = static_cast<double>(files.size());
    const auto before = static_cast<double>(i);
    const Progress part = progress.part(before / count, (before + 1) / count);
    all.add(checksumOfFile(files[i], part));
  }
  return all.digest();
}

std::string recipeOf(const SurveyPlan& plan) {
  RecipeJson measures = RecipeJson::array();
  for (const SurveyPlan::Measure& measure : plan.measures) measures.push_back(measure.name);
  RecipeJson models = RecipeJson::array();
  for (const SurveyPlan::Model& model : plan.models) models.push_back(modelRecipe(model));
  RecipeJson recipe{{"program", plan.program}, {"models", models}, {"measures", measures}};
  if (plan.randomOrders) recipe["random_orders"] = *plan.randomOrders;
  return recipe.dump();
}

bool isRecipe(const std::string& text) {
  return parsedJson(text).is_object();
}

std::string recipeDifference(const std::string& first, const std::string& second,
                             const RecipeNames& names) {
  if (first == second) return {};
  return RecipeComparison(names).at({}, parsedOrderedJson(first), parsedOrderedJson(second));
}

}  // namespace softscope
