#pragma once

#include "models/identify/Family.h"
#include "models/structure/StructureSettings.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace softscope {

/// A value that something beside the weights says.
struct SaidValue {
  std::string text;
  std::string source;  ///< `from the file's metadata`, `from config.json`
  std::string name;    ///< that it stands under: `num_heads`
};

/// Returns what the file's metadata, its own dictionary (`config.num_heads`) or the config.json
/// beside it say of an option, in the option's own words, under the names that people use for it,
/// or what a dictionary of the network within says (`hyper_parameters.model_kwargs.num_heads`).
/// Names such as `eps` and `norm`, which trainers give to other things as well, are read only
/// from metadata that Softscope wrote and from the config.json, which describe the network.
/// Values that are none of `choices` are passed over, unless there are no choices.
std::optional<SaidValue> saidValue(const std::string& option,
                                   const std::vector<std::string>& choices,
                                   const ModelHints& hints);

/// Returns the first value that the file's metadata, its own dictionary or the config.json have
/// under some names, in lower case.
std::optional<SaidValue> valueUnder(const std::vector<std::string>& names, const ModelHints& hints);

/// One setting with its usual value and its choices, before options and files are asked.
struct StructureQuestion {
  std::string option;
  std::string usual;
  std::vector<std::string> choices;
  /// The evidence in the file that tells the value; empty if there is none.
  std::string told;
  /// Why nothing tells it.
  std::string why = "no weight tells it";
  /// True if any value that the option accepts will do.
  bool isOpen = false;
  /// False if what metadata and config.json say of it does not fit the weights.
  bool isSaidElsewhere = true;
  /// True if what metadata and config.json say counts before `told`.
  bool isSaidFirst = false;
};

/// Resolves what weights do not tell, one question after another, and keeps the answers.
class StructureAnswers {
 public:
  /// Keeps the answers in `resolved`, which must outlive this object, as must the others.
  StructureAnswers(const TransformerStructure& structure, const ModelHints& hints,
                   ResolvedStructure& resolved)
      : structure_(structure),
        attention_(structure.block.attention),
        hints_(hints),
        resolved_(resolved) {}

  /// Determines a setting, describes it in the resolved ones, and returns its value. Throws
  /// ModelError for a value that was asked for and is none of the choices.
  std::string answer(const StructureQuestion& question);

 protected:
  using Values = StructureSettings;
  using Words = std::vector<std::string>;
  template <typename T>
  using NamedValues = std::vector<std::pair<const char*, T>>;

  static constexpr const char* library = "as in the library whose names these are";

  template <typename T>
  static T valueNamed(const NamedValues<T>& values, const std::string& name) {
    for (const auto& [known, value] : values) {
      if (name == known) return value;
    }
    return values.front().second;
  }

  /// True if a library's names tell what its code does.
  bool isOfLibrary() const { return structure_.block.isTimmBlock || structure_.isVitPytorch; }

  /// True if a block has the names of a repository whose code people take over and change: what a
  /// file says counts before what the names tell.
  bool isOfRepository() const {
    return structure_.block.isCompactBlock || structure_.block.isJeonsworldBlock;
  }

  /// Returns the config.json if it can be of this network; otherwise null.
  const ConfigurationFile* configuration() const;

  const TransformerStructure& structure_;
  const AttentionStructure& attention_;
  const ModelHints& hints_;
  ResolvedStructure& resolved_;

 private:
  /// Returns the word for what timm pools in its own blocks where `global_pool` says `mean` or
  /// `max`: patches alone, unless `pool_include_prefix` adds the tokens beside them.
  std::string pooledByTimm(const std::string& word) const;
  bool isAccepted(const StructureQuestion& question, const std::string& value) const;
  std::optional<std::string> askedValue(const StructureQuestion& question) const;
};

}  // namespace softscope
