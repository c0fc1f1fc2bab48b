#include "core/analysis/tokens/TokenVectors.h"

#include "core/Error.h"
#include "core/array/Npy.h"
#include "core/text/Words.h"

#include <cmath>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <utility>

namespace softscope {

namespace {

using Shape = std::vector<std::int64_t>;

std::string vectorFileName(const std::string& path) {
  constexpr std::size_t longest = 60;
  return printableText(std::filesystem::path(path).filename().string(), longest);
}

/// Throws FileError unless a file of this shape holds one vector or a few.
void checkVectorShape(const std::string& path, const Shape& shape) {
  constexpr std::int64_t longest = 65536;
  const bool hasRows = shape.size() == 2;
  if (shape.size() != 1 && !hasRows) {
    throw FileError(path, "holds an array of " +
                              countedText(static_cast<std::int64_t>(shape.size()), "dimension") +
                              "; a vector is [channels], several are [count, channels]");
  }
  const std::int64_t rows = hasRows ? shape[0] : 1;
  if (rows == 0 || shape.back() == 0) throw FileError(path, "holds no numbers");
  if (rows > static_cast<std::int64_t>(mostTokenVectors)) {
    throw FileError(path, "holds " + countedText(rows, "vector") + "; at most " +
                              std::to_string(mostTokenVectors) +
                              " are compared at once, so save the rows that are asked");
  }
  if (shape.back() > longest) {
    throw FileError(path, "holds vectors of " + countedText(shape.back(), "number") +
                              ", longer than any token");
  }
}

/// Returns the vectors of one file.
std::vector<TokenVector> vectorsOf(const std::string& path) {
  checkVectorShape(path, readNpyShape(path));
  const FloatArray array = readNpy(path);
  checkVectorShape(path, array.shape);
  const bool hasRows = array.shape.size() == 2;
  const auto width = static_cast<Eigen::Index>(array.shape.back());
  const auto rows = static_cast<Eigen::Index>(hasRows ? array.shape[0] : 1);
  const Eigen::Map<const Matrix> values(array.values.data(), rows, width);
  std::vector<TokenVector> vectors;
  for (Eigen::Index row = 0; row < rows; ++row) {
    // The row stands first, where a caption that is cut keeps it.
    const std::string name =
        (hasRows ? "row " + std::to_string(row) + " of " : std::string()) + vectorFileName(path);
    const std::string where = hasRows ? "row " + std::to_string(row) + " " : std::string();
    const Eigen::VectorXd vector = values.row(row).cast<double>();
    if (!vector.allFinite()) {
      throw FileError(path, where + "holds a number that is not finite in float32");
    }
    const double norm = vector.norm();
    if (norm == 0) throw FileError(path, where + "is all zeros, which has no direction");
    vectors.push_back({name, (vector / norm).cast<float>()});
  }
  return vectors;
}

/// The tokens of one layer's patches and, once they are asked for, their features.
class ComparedPatches {
 public:
  explicit ComparedPatches(const AnalysedTokens& of) : of_(of) {}

  TokenMap mapOf(const TokenVector& vector, ComparedTokens compared) {
    TokenMap map{.of = of_, .kind = TokenQuantity::Similarity};
    const bool asFeatures = comparesFeatures(vector, compared);
    const Matrix patches = asFeatures ? features() : tokens();
    map.values = cosinesTo(patches, patches.rowwise().norm(), vector.direction, 1);
    map.vector = ComparedVector{vector.name, asFeatures ? behindText() : std::string(),
                                asFeatures && of_.index + 1 < of_.inspection->layers.size()};
    return map;
  }

 private:
  const std::optional<FeatureSpace>& space() const { return of_.inspection->features; }
  std::string behindText() const {
    return space()->projection.size() > 0 ? "the final norm and projection" : "the final norm";
  }
  Eigen::Index channels() const { return of_.layer().tokens.cols(); }

  /// Decides what a vector is compared with.
  bool comparesFeatures(const TokenVector& vector, ComparedTokens compared) const {
    const Eigen::Index length = vector.direction.size();
    const bool fitsTokens = length == channels();
    const bool fitsFeatures = space() && length == space()->width();
    // Without a projection both are as wide, and tokens are meant unless features are asked for.
    const bool isProjected = space() && space()->projection.size() > 0;
    if (compared == ComparedTokens::Features) {
      if (!space()) {
        throw InspectionError(of_.model + " has no final norm of its tokens, so that " +
                              vector.name + " can be compared with its blocks' alone");
      }
      if (fitsFeatures) return true;
    } else if (compared == ComparedTokens::Block) {
      if (fitsTokens) return false;
    } else if (fitsTokens && fitsFeatures && isProjected) {
      throw InspectionError(
          vector.name + " fits both the tokens of " + of_.layer().layer +
          " and what the final norm and projection make of them; choose with --vector-space block "
          "or features");
    } else if (fitsTokens || fitsFeatures) {
      return !fitsTokens;
    }
    throw InspectionError(lengthsText(vector, isProjected));
  }

  std::string lengthsText(const TokenVector& vector, bool isProjected) const {
    std::string text = vector.name + " has " + countedText(vector.direction.size(), "number") +
                       ", but the tokens of " + of_.layer().layer + " in " + of_.model + " have " +
                       countedText(channels(), "channel");
    if (isProjected) {
      text += ", and behind the final norm and projection " + std::to_string(space()->width());
    }
    return text;
  }

  Matrix tokens() const { return of_.layer().tokens.bottomRows(of_.layer().grid.count()); }
  const Matrix& features() {
    if (features_.size() == 0) features_ = featuresOf(*space(), tokens());
    return features_;
  }

  const AnalysedTokens& of_;
  Matrix features_;
};

}  // namespace

std::vector<TokenVector> readTokenVectors(const std::vector<std::string>& paths) {
  std::vector<TokenVector> vectors;
  for (const std::string& path : paths) {
    for (TokenVector& vector : vectorsOf(path)) {
      const bool isFirst = vectors.empty();
      if (!isFirst && vector.direction.size() != vectors.front().direction.size()) {
        throw FileError(path, "holds vectors of " + countedText(vector.direction.size(), "number") +
                                  ", but " + vectors.front().name + " has " +
                                  std::to_string(vectors.front().direction.size()));
      }
      if (vectors.size() == mostTokenVectors) {
        throw FileError(path, "is one too many; at most " + std::to_string(mostTokenVectors) +
                                  " vectors are compared at once");
      }
      vectors.push_back(std::move(vector));
    }
  }
  return vectors;
}

Matrix featuresOf(const FeatureSpace& space, const Matrix& tokens) {
  Matrix features(tokens.rows(), tokens.cols());
  for (Eigen::Index row = 0; row < tokens.rows(); ++row) {
    const Eigen::RowVectorXd token = tokens.row(row).cast<double>();
    const Eigen::RowVectorXd centred = token.array() - token.mean();
    const double variance = centred.squaredNorm() / static_cast<double>(centred.size());
    const double scale = 1 / std::sqrt(variance + space.epsilon);
    features.row(row) = (scale * centred).cast<float>().cwiseProduct(space.weight.transpose()) +
                        space.bias.transpose();
  }
  if (space.projection.size() == 0) return features;
  return features * space.projection;
}

std::vector<TokenMap> vectorMaps(const std::vector<AnalysedTokens>& layers,
                                 const std::vector<TokenVector>& vectors, ComparedTokens compared) {
  std::vector<TokenMap> maps;
  for (const AnalysedTokens& of : layers) {
    ComparedPatches patches(of);
    for (const TokenVector& vector : vectors) maps.push_back(patches.mapOf(vector, compared));
  }
  return maps;
}

std::vector<std::string> vectorNotes(const std::vector<TokenMap>& maps) {
  std::map<std::pair<std::string, std::string>, int> counts;
  std::map<std::string, std::string> firstLayers;
  std::vector<std::string> notes;
  for (const TokenMap& map : maps) {
    const std::string layer = map.of.picture + "/" + map.of.layer().layer;
    if (firstLayers.try_emplace(map.of.model, layer).first->second != layer) continue;
    const int number = ++counts[{map.of.model, layer}];
    notes.push_back(map.of.model + ": similarity" +
                    (number > 1 ? "_" + std::to_string(number) : std::string()) +
                    " is the cosine to " + map.vector->name +
                    (map.vector->behind.empty() ? " of the tokens behind a block"
                                                : " behind " + map.vector->behind));
  }
  return notes;
}

}  // namespace softscope
