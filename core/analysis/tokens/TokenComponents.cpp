#include "core/analysis/tokens/TokenMap.h"
#include "core/linalg/PrincipalComponents.h"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

namespace softscope {

namespace {

constexpr int shownComponents = 3;

/// The tokens that a foreground is like, by the model that they are of; none if it is told by the
/// first component.
struct AskedToken {
  AnalysedTokens of;
  int token = 0;
};
using AskedTokens = std::map<std::string, AskedToken>;

/// All patches of some layers, stacked vertically.
struct StackedPatches {
  Matrix rows;
  std::vector<bool> onBorder;
  /// The cosine of each patch to the token that the foreground is like; empty if there is none.
  Vector likeness;
};

StackedPatches stackPatches(const std::vector<AnalysedTokens>& layers, const AskedTokens& asked) {
  Eigen::Index count = 0;
  for (const AnalysedTokens& of : layers) count += of.layer().grid.count();
  StackedPatches stacked;
  stacked.rows.resize(count, layers.front().layer().tokens.cols());
  if (!asked.empty()) stacked.likeness.resize(count);
  Eigen::Index first = 0;
  for (const AnalysedTokens& of : layers) {
    const TokenGrid& grid = of.layer().grid;
    stacked.rows.middleRows(first, grid.count()) = of.layer().tokens.bottomRows(grid.count());
    if (!asked.empty()) {
      const AskedToken& like = asked.at(of.model);
      stacked.likeness.segment(first, grid.count()) =
          cosineSimilarity(of.layer(), like.of.layer(), like.token);
    }
    first += grid.count();
    for (int patch = 0; patch < grid.count(); ++patch) {
      const int row = patch / grid.width;
      const int column = patch % grid.width;
      stacked.onBorder.push_back(row == 0 || column == 0 || row == grid.height - 1 ||
                                 column == grid.width - 1);
    }
  }
  return stacked;
}

StackedPatches keptPatches(const StackedPatches& all, const std::vector<Eigen::Index>& kept) {
  StackedPatches some;
  some.rows.resize(static_cast<Eigen::Index>(kept.size()), all.rows.cols());
  for (std::size_t i = 0; i < kept.size(); ++i) {
    some.rows.row(static_cast<Eigen::Index>(i)) = all.rows.row(kept[i]);
    some.onBorder.push_back(all.onBorder[static_cast<std::size_t>(kept[i])]);
  }
  return some;
}

/// True if the first component is larger at the border than elsewhere.
bool pointsToBorder(const std::vector<StackedPatches>& fitted, const std::vector<Matrix>& scores) {
  double border = 0;
  double inner = 0;
  double bordering = 0;
  double others = 0;
  for (std::size_t part = 0; part < fitted.size(); ++part) {
    const std::vector<bool>& onBorder = fitted[part].onBorder;
    for (std::size_t i = 0; i < onBorder.size(); ++i) {
      const double score = scores[part](static_cast<Eigen::Index>(i), 0);
      (onBorder[i] ? border : inner) += score;
      (onBorder[i] ? bordering : others) += 1;
    }
  }
  return bordering > 0 && others > 0 && border / bordering > inner / others;
}

/// Principal components with their signs and with the values that their colours end at.
class ColoredComponents {
 public:
  /// Fits them on the patches of several pictures.
  explicit ColoredComponents(const std::vector<StackedPatches>& fitted) {
    std::vector<Matrix> rows;
    for (const StackedPatches& part : fitted) rows.push_back(part.rows);
    directions_ = principalDirections(rows, shownComponents);
    std::vector<Matrix> scores;
    for (const Matrix& part : rows) scores.push_back(directions_.scores(part));
    flips_ = pointsToBorder(fitted, scores);
    low_.fill(std::numeric_limits<float>::max());
    high_.fill(std::numeric_limits<float>::lowest());
    for (Matrix& part : scores) {
      if (part.rows() == 0) continue;
      if (flips_) part.col(0) = -part.col(0);
      for (int i = 0; i < shownComponents; ++i) {
        low_[std::size_t(i)] = std::min(low_[std::size_t(i)], part.col(i).minCoeff());
        high_[std::size_t(i)] = std::max(high_[std::size_t(i)], part.col(i).maxCoeff());
      }
    }
  }

  /// Returns the components as colours: [patches, 3] in [0, 1], 0 where one does not vary.
  Matrix colors(const Matrix& rows) const {
    Matrix colors = directions_.scores(rows);
    if (flips_) colors.col(0) = -colors.col(0);
    for (int i = 0; i < shownComponents; ++i) {
      const float low = low_[std::size_t(i)];
      const float high = high_[std::size_t(i)];
      if (high > low) {
        colors.col(i) = ((colors.col(i).array() - low) / (high - low)).max(0.0f).min(1.0f);
      } else {
        colors.col(i).setZero();
      }
    }
    return colors;
  }

  std::array<double, 3> explained() const {
    std::array<double, 3> shares{};
    std::ranges::copy(directions_.explained, shares.begin());
    return shares;
  }

 private:
  PrincipalDirections directions_;
  bool flips_ = false;
  std::array<float, 3> low_{};
  std::array<float, 3> high_{};
};

/// The components of all patches and, if only a foreground is shown, those of its patches alone.
class PatchComponents {
 public:
  PatchComponents(const std::vector<StackedPatches>& fitted, double foreground)
      : all_(fitted), foreground_(foreground) {
    if (foreground <= 0) return;
    std::vector<StackedPatches> kept;
    for (const StackedPatches& part : fitted) {
      kept.push_back(keptPatches(part, foregroundOf(part, all_.colors(part.rows))));
    }
    ofForeground_.emplace(kept);
  }

  struct Colors {
    Vector first;   ///< [patches], the first component of all patches
    Matrix colors;  ///< [patches, 3]; NaN for background
  };
  Colors of(const StackedPatches& patches) const {
    Colors found{{}, all_.colors(patches.rows)};
    found.first = found.colors.col(0);
    if (!ofForeground_) return found;
    const std::vector<Eigen::Index> kept = foregroundOf(patches, found.colors);
    const Matrix own = ofForeground_->colors(keptPatches(patches, kept).rows);
    found.colors.setConstant(std::numeric_limits<float>::quiet_NaN());
    for (std::size_t i = 0; i < kept.size(); ++i) {
      found.colors.row(kept[i]) = own.row(static_cast<Eigen::Index>(i));
    }
    return found;
  }

  std::array<double, 3> explained() const {
    return (ofForeground_ ? *ofForeground_ : all_).explained();
  }

 private:
  /// Returns the patches whose first component, or likeness if there is any, reaches the threshold.
  std::vector<Eigen::Index> foregroundOf(const StackedPatches& patches,
                                         const Matrix& colors) const {
    const Vector told = patches.likeness.size() > 0 ? patches.likeness : Vector(colors.col(0));
    std::vector<Eigen::Index> kept;
    for (Eigen::Index i = 0; i < told.size(); ++i) {
      if (told[i] >= foreground_) kept.push_back(i);
    }
    return kept;
  }

  ColoredComponents all_;
  std::optional<ColoredComponents> ofForeground_;
  double foreground_ = 0;
};

/// Layers as indices into a list of them.
using Group = std::vector<std::size_t>;

/// Returns the layers of each picture, in the order in which pictures appear.
std::vector<Group> byPicture(const std::vector<AnalysedTokens>& layers, const Group& group) {
  std::vector<std::string> pictures;
  std::vector<Group> parts;
  for (const std::size_t index : group) {
    const auto known = std::ranges::find(pictures, layers[index].picture);
    const auto place = static_cast<std::size_t>(known - pictures.begin());
    if (known == pictures.end()) {
      pictures.push_back(layers[index].picture);
      parts.emplace_back();
    }
    parts[place].push_back(index);
  }
  return parts;
}

std::vector<AnalysedTokens> chosen(const std::vector<AnalysedTokens>& layers, const Group& group) {
  std::vector<AnalysedTokens> some;
  for (const std::size_t index : group) some.push_back(layers[index]);
  return some;
}

/// Returns the token of each model of a group that a query refers to on the first picture.
AskedTokens tokensAsked(const std::vector<AnalysedTokens>& layers, const Group& group,
                        const PictureQuery& query) {
  AskedTokens asked;
  for (const std::size_t index : group) {
    const AnalysedTokens& of = layers[index];
    if (asked.contains(of.model)) continue;
    asked[of.model] = {of, tokenAt(of.layer(), extentOf(of.shown.get(), of.region), query)};
  }
  return asked;
}

/// The threshold of a foreground, and the query whose token it is compared with; without a query,
/// the threshold is one of the first component.
struct Foreground {
  double least = 0;
  std::optional<PictureQuery> like;
};

/// Says in a map what its foreground is like.
void tellLikeness(const Foreground& foreground, const AskedToken& asked, const Vector& cosines,
                  TokenMap& map) {
  map.leastCosine = foreground.least;
  map.cosines = cosines;
  map.query = *foreground.like;
  map.asked = asked.of;
  map.token = asked.token;
}

/// Fills in the maps of a group of layers, in components fitted on another group.
void mapTogether(const std::vector<AnalysedTokens>& layers, const Group& group,
                 const std::vector<AnalysedTokens>& fitted, const Group& fittedGroup,
                 const Foreground& foreground, std::vector<TokenMap>& maps) {
  const AskedTokens asked =
      foreground.like ? tokensAsked(layers, group, *foreground.like) : AskedTokens();
  std::vector<StackedPatches> fittedPatches;
  std::vector<std::string> fittedOn;
  std::set<std::string> models;
  for (const Group& part : byPicture(fitted, fittedGroup)) {
    fittedPatches.push_back(stackPatches(chosen(fitted, part), asked));
    const std::string& picture = fitted[part.front()].picture;
    if (!picture.empty()) fittedOn.push_back(picture);
    for (const std::size_t index : part) models.insert(fitted[index].model);
  }
  const PatchComponents components(fittedPatches, foreground.least);
  for (const Group& part : byPicture(layers, group)) {
    const StackedPatches patches = stackPatches(chosen(layers, part), asked);
    const PatchComponents::Colors colors = components.of(patches);
    Eigen::Index begin = 0;
    for (const std::size_t index : part) {
      const Eigen::Index count = layers[index].layer().grid.count();
      TokenMap map{.of = layers[index], .kind = TokenQuantity::Components};
      map.values = colors.first.segment(begin, count);
      map.colors = colors.colors.middleRows(begin, count);
      map.explained = components.explained();
      map.together = static_cast<int>(models.size());
      map.fittedOn = fittedOn;
      if (foreground.like) {
        tellLikeness(foreground, asked.at(map.of.model), patches.likeness.segment(begin, count),
                     map);
      }
      maps[index] = std::move(map);
      begin += count;
    }
  }
}

/// Returns the first layers of all models on all pictures, then their second ones, and so on.
std::map<std::size_t, Group> byRank(const std::vector<AnalysedTokens>& layers) {
  std::map<std::pair<std::string, std::string>, std::size_t> seen;
  std::map<std::size_t, Group> groups;
  for (std::size_t i = 0; i < layers.size(); ++i) {
    groups[seen[{layers[i].picture, layers[i].model}]++].push_back(i);
  }
  return groups;
}

bool haveOneWidth(const std::vector<AnalysedTokens>& layers, const Group& group) {
  const auto width = [&](std::size_t index) { return layers[index].layer().tokens.cols(); };
  return std::ranges::all_of(
      group, [&](std::size_t index) { return width(index) == width(group.front()); });
}

Group ofModel(const std::vector<AnalysedTokens>& layers, const Group& group,
              const std::string& model) {
  Group own;
  std::ranges::copy_if(group, std::back_inserter(own),
                       [&](std::size_t index) { return layers[index].model == model; });
  return own;
}

}  // namespace

std::vector<TokenMap> componentMaps(const std::vector<AnalysedTokens>& layers, int foreground,
                                    const std::vector<AnalysedTokens>& basis,
                                    const std::optional<PictureQuery>& like) {
  const Foreground told{foreground / 100.0, foreground > 0 ? like : std::nullopt};
  const std::vector<AnalysedTokens>& fitted = basis.empty() ? layers : basis;
  std::map<std::size_t, Group> fittedGroups = byRank(fitted);
  std::vector<TokenMap> maps(layers.size());
  for (const auto& [rank, group] : byRank(layers)) {
    const Group& fittedGroup = fittedGroups[rank];
    if (haveOneWidth(layers, group)) {
      mapTogether(layers, group, fitted, fittedGroup, told, maps);
      continue;
    }
    std::set<std::string> models;
    for (const std::size_t index : group) models.insert(layers[index].model);
    for (const std::string& model : models) {
      mapTogether(layers, ofModel(layers, group, model), fitted,
                  ofModel(fitted, fittedGroup, model), told, maps);
    }
  }
  return maps;
}

}  // namespace softscope
