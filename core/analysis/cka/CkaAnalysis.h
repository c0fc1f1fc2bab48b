#pragma once

#include "core/Setting.h"
#include "core/analysis/Analysis.h"
#include "core/array/Table.h"

#include <Eigen/Core>

#include <string>
#include <tuple>
#include <vector>

namespace softscope {

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
                                     .help = "So many pictures of a folder, spread evenly over it "
                                             "(default: all)",
                                     .label = "Pictures",
                                     .tip = "So many pictures of a folder, spread evenly over it"},
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

/// Returns a row `model,layer,other_model,other_layer,cka,pictures` for each pair of layers.
Table ckaTable(const ModelCka& cka);

/// Says for how many pairs of layers CKA is not defined, and why; empty if it is for all.
std::string undefinedText(const ModelCka& cka);

}  // namespace softscope
