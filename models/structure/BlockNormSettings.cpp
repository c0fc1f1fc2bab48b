#include "core/text/Words.h"
#include "models/identify/ConfiguredValues.h"
#include "models/identify/ResolvedSetting.h"
#include "models/structure/StructureAnswers.h"
#include "models/structure/StructureSettings.h"

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

namespace softscope {
namespace {

/// Resolves where the norms of blocks stand, and what norms compute.
class BlockNormResolver : StructureAnswers {
 public:
  using StructureAnswers::StructureAnswers;

  void resolve() {
    const bool hasAny = structure_.block.norm1 || structure_.norm || structure_.poolingNorm;
    const bool hasPlain = !structure_.block.norm1;
    if (hasPlain) {
      const std::string plain = answer({.option = "plain-norms",
                                        .usual = "no",
                                        .choices = {"no", "yes", "rms"},
                                        .why = "norms without weights leave nothing in a file"});
      resolved_.values.hasPlainNorms = plain != "no";
      if (plain == "rms") resolved_.values.plainNorms = NormKind::Rms;
    }
    const bool uses = !hasPlain || resolved_.values.hasPlainNorms;
    StructureQuestion epsilon{.option = "epsilon",
                              .usual = "1e-05",
                              .choices = {"1e-05", "1e-06", "1e-12"},
                              .isOpen = true};
    if (!uses && !hasAny && !structure_.patches.normAfter) {
      epsilon.told = "which nothing uses, since there are no norms";
    }
    if (structure_.block.isJeonsworldBlock) {
      epsilon.usual = epsilonOfJeonsworld;
      epsilon.isSaidFirst = true;
      if (areOuterNormsOfJeonsworld()) epsilon.told = library;
    }
    const std::string outside = answer(epsilon);
    resolved_.values.epsilon = parseEpsilon(outside).value_or(1e-5);
    resolved_.values.epsilonOfBlocks = resolved_.values.epsilon;
    const bool isAssumed = resolved_.described.back().source == "assumed";
    if (uses) resolveEpsilonOfBlocks(outside, isAssumed);
    resolvePlaceOfNorms(uses);
    resolveOneNorm();
    resolveNormsWithoutBias();
    resolveNormsUnderOwnNames();
  }

 private:
  static constexpr const char* epsilonOfJeonsworld = "1e-06";

  /// Returns true if the norm behind the blocks is called as the repository calls it, and is the
  /// only one outside them.
  bool areOuterNormsOfJeonsworld() const {
    const PatchStructure& patches = structure_.patches;
    const bool hasOthers = structure_.poolingNorm || patches.normBefore || patches.normAfter;
    return !hasOthers && structure_.norm &&
           lastPartOfName(parentPath(structure_.norm->weight)) == "encoder_norm";
  }

  /// Blocks have the epsilon of the other norms unless something says otherwise. It is asked where
  /// that of the others is a guess as well: what is said of one is mostly meant of all.
  void resolveEpsilonOfBlocks(const std::string& outside, bool isAssumed) {
    const PatchStructure& patches = structure_.patches;
    const bool hasOthers =
        structure_.norm || structure_.poolingNorm || patches.normBefore || patches.normAfter;
    StructureQuestion question{.option = "epsilon-blocks",
                               .usual = outside,
                               .choices = {outside},
                               .why = "norms of blocks may have another epsilon than those outside",
                               .isOpen = true};
    for (const char* usual : {"1e-05", "1e-06", "1e-12"}) {
      if (usual != outside) question.choices.emplace_back(usual);
    }
    if (!isAssumed || !hasOthers || structure_.isVitPytorch) question.told = "as --epsilon";
    if (structure_.block.isJeonsworldBlock && !saidValue("epsilon", {}, hints_)) {
      question.usual = epsilonOfJeonsworld;
      question.told = library;
      question.isSaidFirst = true;
    }
    const std::string inside = answer(question);
    resolved_.values.epsilonOfBlocks = parseEpsilon(inside).value_or(1e-5);
    resolved_.described.back().isCounterfactual = false;
  }

  void resolvePlaceOfNorms(bool uses) {
    StructureQuestion question{.option = "norm", .usual = "pre", .choices = {"pre", "post"}};
    if (structure_.block.isTorchEncoderLayer) {
      question.usual = "post";
    } else {
      question.choices.emplace_back("pre-normed");
      if (structure_.block.expand && !hasOneNorm()) question.choices.emplace_back("pre-normed-mlp");
    }
    if (!uses) {
      question.usual = "none";
      question.choices = {"none", "pre", "post"};
      question.told = "since the blocks have no norms";
    } else if (structure_.block.tellsNormsBefore) {
      question.told = "since the mlp's norm stands first in its Sequential";
      question.choices = {"pre"};
    } else if (structure_.block.isTimmBlock) {
      if (!isToldBeforeConfiguration({.option = "norm", .choices = question.choices}, hints_)) {
        requireConfiguredBlocks(configuration(), "this network");
      }
      question.told = "as in timm's blocks, whose names these are";
    } else if (structure_.block.isJeonsworldBlock) {
      question.told = library;
    } else if (structure_.block.isCompactBlock) {
      question.usual = "pre-normed-mlp";
      question.told = "as in Compact-Transformers, whose names these are";
    }
    question.isSaidFirst = isOfRepository();
    const std::string place = answer(question);
    using Norms = Values::Norms;
    resolved_.values.norms = valueNamed<Norms>({{"pre", Norms::Before},
                                                {"pre-normed", Norms::BeforeBoth},
                                                {"pre-normed-mlp", Norms::BeforeMlp},
                                                {"post", Norms::After}},
                                               place);
    if (!uses || place == "none") {
      resolved_.values.norms = Values::Norms::None;
      resolved_.described.back().isCounterfactual = false;
    }
  }

  /// Returns true if one norm serves the attention and the mlp of a block.
  bool hasOneNorm() const {
    const BlockStructure& block = structure_.block;
    return block.norm1 && block.norm2 && block.norm1->weight == block.norm2->weight;
  }

  void resolveOneNorm() {
    using OneNorm = Values::OneNorm;
    const BlockStructure& block = structure_.block;
    if (!hasOneNorm()) return;
    StructureQuestion question{.option = "one-norm",
                               .usual = "both",
                               .choices = {"both", "parallel", "attention", "mlp"},
                               .why = "a block has one norm for attention and mlp"};
    if (block.halfOfNorm) {
      question.usual = *block.halfOfNorm == BlockHalf::Mlp ? "mlp" : "attention";
      question.told = "by its name";
    }
    resolved_.values.oneNorm = valueNamed<OneNorm>({{"both", OneNorm::BothInTurn},
                                                    {"parallel", OneNorm::BothAtOnce},
                                                    {"attention", OneNorm::Attention},
                                                    {"mlp", OneNorm::Mlp}},
                                                   answer(question));
  }

  /// Returns the name of one of some norms that has no bias, one that says RMS if there is any;
  /// empty if none is without.
  static std::string nameWithoutBias(const std::vector<std::optional<NormPart>>& norms) {
    std::string name;
    for (const auto& norm : norms) {
      if (!norm || !norm->bias.empty() || saysRms(name)) continue;
      name = lowerCase(norm->weight);
    }
    return name;
  }

  /// Returns true for `rms1` and `attn_rmsnorm`, and false for `norms`.
  static bool saysRms(const std::string& name) {
    return hasWord(name, {"rms"}) || mentions(name, {"rmsnorm"});
  }

  /// Returns the norms that the file has weights of.
  std::vector<NormPart> storedNorms() const {
    const PatchStructure& patches = structure_.patches;
    std::vector<NormPart> norms;
    for (const std::optional<NormPart>& norm :
         {structure_.block.norm1, structure_.block.norm2, structure_.norm, structure_.poolingNorm,
          patches.normBefore, patches.normAfter, attention_.queryNorm, attention_.keyNorm}) {
      if (norm) norms.push_back(*norm);
    }
    return norms;
  }

  /// Asks what norms compute that someone wrote, as the names of their weights show.
  void resolveNormsUnderOwnNames() {
    const std::vector<NormPart> norms = storedNorms();
    const auto own = std::ranges::find_if(norms, &NormPart::hasOwnNames);
    if (own == norms.end()) return;
    // The Annotated Transformer's norms have these names, and those of a tutorial that many copy.
    const bool isAnnotated = own->weight.ends_with(".a_2") ||
                             (own->weight.ends_with(".alpha") && own->bias.ends_with(".bias"));
    StructureQuestion question{.option = "norm-kind",
                               .usual = isAnnotated ? "std" : "layer",
                               .choices = {"layer", "std", "affine"},
                               .why = "people write norms with a weight called " +
                                      lastPartOfName(own->weight) + " in several ways"};
    resolved_.values.underOwnNames = valueNamed<NormKind>(
        {{"layer", NormKind::Layer}, {"std", NormKind::Deviation}, {"affine", NormKind::Affine}},
        answer(question));
  }

  /// Asks what norms without a bias are, unless their names say it. Those of queries and keys may
  /// be of another kind than those of tokens.
  void resolveNormsWithoutBias() {
    const std::string ofHeads = nameWithoutBias({attention_.queryNorm, attention_.keyNorm});
    const std::string ofTokens = nameWithoutBias(
        {structure_.block.norm1, structure_.block.norm2, structure_.norm, structure_.poolingNorm,
         structure_.patches.normBefore, structure_.patches.normAfter});
    if (ofHeads.empty() && ofTokens.empty()) return;
    const bool areBoth = !ofHeads.empty() && !ofTokens.empty();
    const bool isRmsOfHeads = saysRms(ofHeads.empty() ? ofTokens : ofHeads);
    const bool isRmsOfTokens = saysRms(ofTokens.empty() ? ofHeads : ofTokens);
    const auto word = [](bool isRms) { return std::string(isRms ? "rms" : "layer"); };
    StructureQuestion question{.option = "norm-without-bias",
                               .usual = word(isRmsOfTokens),
                               .choices = {"layer", "rms"},
                               .why =
                                   "an RMS norm and a layer norm without a bias have the same "
                                   "weights"};
    if (areBoth) {
      question.choices.emplace_back("layer-rms");
      question.choices.emplace_back("rms-layer");
    }
    if (isRmsOfTokens != isRmsOfHeads) question.usual += "-" + word(isRmsOfHeads);
    if (isRmsOfTokens && isRmsOfHeads) {
      question.told = "by its name";
    } else if (!saidValue(question.option, question.choices, hints_) &&
               !isToldBeforeConfiguration({.option = question.option, .choices = question.choices},
                                          hints_)) {
      requireConfiguredClass(configuration(), "norm_layer",
                             {"LayerNorm", "LayerNormFp32", "RmsNorm", "RmsNormFp32"},
                             "this network");
    }
    const std::string kinds = answer(question);
    if (kinds.starts_with("rms")) resolved_.values.withoutBias = NormKind::Rms;
    if (kinds.ends_with("rms")) resolved_.values.withoutBiasOfHeads = NormKind::Rms;
  }
};

}  // namespace

void resolveBlockNorms(const TransformerStructure& structure, const ModelHints& hints,
                       ResolvedStructure& resolved) {
  BlockNormResolver(structure, hints, resolved).resolve();
}

}  // namespace softscope
