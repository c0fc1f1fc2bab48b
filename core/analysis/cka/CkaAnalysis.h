#pragma once

#include "core/Matrix.h"
#include "core/Setting.h"
#include "core/analysis/Analysis.h"
#include "core/array/Table.h"

#include <Eigen/Core>

#include <optional>
#include <string>
#include <tuple>
#include <vector>

namespace softscope {

/// Returns X X^T of features [pictures, p] without their mean over the pictures, in float64. HSIC_1
/// does not depend on that mean, and would lose digits to a large one. Zero if the pictures'
/// features differ by no more than float32 rounding.
Eigen::MatrixXd gramMatrix(const Matrix& features);

/// Returns the unbiased estimate HSIC_1 of two Gram matrices [n, n] of the same n pictures,
///
///   HSIC_1(K, L) = (tr(K~ L~) + 1^T K~ 1 1^T L~ 1 / ((n - 1) (n - 2)) - 2 / (n - 2) 1^T K~ L~ 1)
///                  / (n (n - 3)),
///
/// where K~ and L~ have zeros on the diagonal ("Do Wide and Deep Networks Learn the Same Things?
/// Uncovering How Neural Network Representations Vary with Width and Depth", 2021, arXiv
/// 2010.15327, Eq. 3). `n` is at least leastCkaPictures.
double unbiasedHsic(const Eigen::MatrixXd& first, const Eigen::MatrixXd& second);

/// The smallest number of pictures for which HSIC_1 is defined.
inline constexpr int leastCkaPictures = 4;

/// Linear CKA between each layer of one network and each of another, from minibatches of pictures
/// ("Do Wide and Deep Networks Learn the Same Things? Uncovering How Neural Network Representations
/// Vary with Width and Depth", 2021, arXiv 2010.15327, Eq. 2): the mean of HSIC_1(K, L) over the
/// batches, over the square root of the product of the means of HSIC_1(K, K) and HSIC_1(L, L).
class CkaSum {
 public:
  CkaSum(int firstLayers, int secondLayers);

  /// Adds a batch: the Gram matrices of each network's layers, all of the same pictures.
  void add(const std::vector<Eigen::MatrixXd>& first, const std::vector<Eigen::MatrixXd>& second);
  /// Returns [layers of the first, layers of the second], at most 1 but for rounding, and below 0
  /// by chance for features that have nothing in common; NaN where a layer does not tell the
  /// pictures apart.
  Eigen::MatrixXd values() const;

 private:
  Eigen::MatrixXd both_;
  Eigen::VectorXd first_;
  Eigen::VectorXd second_;
  /// Mean square entries of the Gram matrices that first_ and second_ are computed from.
  Eigen::VectorXd firstScale_;
  Eigen::VectorXd secondScale_;
};

/// The feature vector that represents a picture behind a block of a network.
enum class CkaTokens {
  Mean,  ///< the mean over its patches' tokens, [C]
  All,   ///< all its tokens one after another, those before the patches included, [tokens * C]
};

struct CkaSettings {
  CkaTokens of = CkaTokens::Mean;
  /// Least number of pictures of a minibatch, unless there are fewer.
  int batch = 64;
  /// Number of pictures of a folder, spread evenly over it; 0 for all.
  int limit = 0;

  bool operator==(const CkaSettings&) const = default;
};

inline constexpr ChoiceName<CkaTokens> ckaTokenNames[] = {
    {CkaTokens::Mean, "mean", "Mean over patches"}, {CkaTokens::All, "all", "All tokens"}};

inline constexpr std::tuple ckaSettings{
    ChoiceSetting<CkaSettings, CkaTokens>{
        {.key = "of",
         .flag = "--tokens-as",
         .type = "mean|all",
         .help = "What stands for a picture behind a block: the mean over its patches' tokens "
                 "(default), or all its tokens one after another",
         .label = "Tokens",
         .tip = "What stands for a picture behind a block"},
        &CkaSettings::of,
        ckaTokenNames},
    NumberSetting<CkaSettings, int>{{.key = "batch",
                                     .flag = "--batch",
                                     .type = "N",
                                     .help = "Least number of pictures of a minibatch (default: "
                                             "64); fewer take less memory and are noisier",
                                     .label = "Batch",
                                     .tip = "Least number of pictures of a minibatch"},
                                    &CkaSettings::batch,
                                    4,
                                    100000},
    NumberSetting<CkaSettings, int>{{.key = "limit",
                                     .flag = "--limit",
                                     .type = "N",
                                     .help = "Number of pictures, spread evenly over the folder "
                                             "(default: all)",
                                     .label = "Pictures",
                                     .tip = "Number of pictures, spread evenly over the folder"},
                                    &CkaSettings::limit,
                                    0,
                                    100000000,
                                    4,
                                    "",
                                    "All"}};

/// How alike the layers of two models, or of one, see the same pictures.
struct ModelCka {
  /// Names of the models and of the attention layers whose blocks' tokens are compared.
  std::string first;
  std::string second;
  std::vector<std::string> firstLayers;
  std::vector<std::string> secondLayers;
  int pictures = 0;
  int batches = 0;
  /// [layers of the first, layers of the second], as in CkaSum::values().
  Eigen::MatrixXd values;
};

/// The analysis of whether two models see alike. It needs many pictures, so the window has no page
/// of it.
struct CkaAnalysis {
  using Settings = CkaSettings;
  static constexpr AnalysisDescription about{
      .name = "cka",
      .title = "CKA",
      .group = AnalysisGroup::Evidence,
      .summary = "how alike the layers of two models, or of one, see the same pictures: linear CKA",
      .ofPictures = true,
      .hasPage = false,
      .usage = "-m CKPT [-m CKPT] FOLDER|IMAGE... [OPTIONS]",
  };
  static constexpr const auto& settingList = ckaSettings;
};

/// Returns where the pictures of each batch begin, and then their number: as many batches as hold
/// `batch` pictures or more each, of sizes that differ by 1 at most.
std::vector<int> batchBegins(int pictures, int batch);

/// Returns the column of a row's largest value; nothing if none is defined.
std::optional<int> mostAlikeLayer(const Eigen::MatrixXd& values, Eigen::Index row);

/// Returns the mean over the first model's layers of the largest CKA with a layer of the second,
/// apart from a layer with itself; nothing if none is defined.
std::optional<double> meanLargestCka(const ModelCka& cka);

/// Returns a sentence that says how large meanLargestCka() is.
std::string ckaSentence(const ModelCka& cka);

/// Returns a row `model,layer,other_model,other_layer,cka,pictures` for each pair of layers.
Table ckaTable(const ModelCka& cka);

/// Returns a sentence that says for how many pairs of layers CKA is not defined, and why; empty if
/// it is defined for all.
std::string undefinedText(const ModelCka& cka);

}  // namespace softscope
