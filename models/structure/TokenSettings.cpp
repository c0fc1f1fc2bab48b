#include "core/Error.h"
#include "core/text/FileText.h"
#include "models/identify/OtherNetworks.h"
#include "models/structure/StructureAnswers.h"
#include "models/structure/StructureSettings.h"
#include "models/structure/TokenNames.h"

#include <cstdint>
#include <cstdlib>
#include <string>

namespace softscope {
namespace {

/// Resolves which tokens are in the sequence beside the patches, where they stand, and which of
/// them have positions.
class TokenResolver : StructureAnswers {
 public:
  using StructureAnswers::StructureAnswers;

  void resolve() {
    resolveClassToken();
    resolvePrefixPositions();
    resolveRegisters();
  }

 private:
  /// Asks how many tokens in front of the patches have positions, where no table tells.
  void resolvePrefixPositions() {
    using Positions = Values::Positions;
    resolved_.values.prefixPositions = structure_.prefixPositions;
    const Positions positions = resolved_.values.positions;
    const bool isOfTokens = areStored(positions) || positions == Positions::SinesOfTokens;
    if (!isOfTokens) resolved_.values.prefixPositions = 0;
    if (!isOfTokens || structure_.possiblePrefixPositions.empty()) return;
    Words choices{std::to_string(structure_.prefixPositions)};
    for (const std::int64_t count : structure_.possiblePrefixPositions) {
      if (count != structure_.prefixPositions) choices.push_back(std::to_string(count));
    }
    resolved_.values.prefixPositions =
        std::atoll(answer({.option = "prefix-positions",
                           .usual = choices.front(),
                           .choices = choices,
                           .why = "no table is as long as the tokens that have positions"})
                       .c_str());
  }

  /// Asks whether a vector without the name of a class token is one, unless the table of positions
  /// has a row for it: it may as well weigh the tokens for a pool, or be of training alone.
  void resolveClassVector() {
    if (structure_.isClassTokenNamed) return;
    const std::string& name = structure_.classToken->name;
    StructureQuestion question{.option = "class-vector",
                               .usual = "token",
                               .choices = {"token", "none"},
                               .why = structure_.isClassTokenCalledToken
                                          ? mayTakeNoPart(name)
                                          : name +
                                                " is not called a token, and may weigh "
                                                "the tokens for a pool"};
    if (structure_.prefixPositions > 0 && areRowsKnown()) {
      question.told = "since positions have a row for it";
    }
    if (answer(question) == "none") refuseNoPlace(name);
  }

  static std::string mayTakeNoPart(const std::string& name) {
    return quotedText(name) + " is called a token, and may take no part in the sequence";
  }

  /// Returns true if the file tells which rows of the positions are the patches'.
  bool areRowsKnown() const {
    return structure_.positions && structure_.positionsDoubt.empty() &&
           !structure_.hasLongPositions && structure_.patchCount() > 0 &&
           structure_.gridDoubt.empty();
  }

  /// Tells the tokens that are left out, and the option that takes them.
  void resolveLeftOut(const std::string& option, const std::string& name, const Words& choices) {
    answer({.option = option, .usual = "none", .choices = choices, .why = mayTakeNoPart(name)});
  }

  void resolveClassToken() {
    if (!structure_.leftOutVector.empty()) {
      resolveLeftOut("class-vector", structure_.leftOutVector, {"none", "token"});
    }
    if (!structure_.classToken) return;
    resolveClassVector();
    StructureQuestion question{
        .option = "class-token", .usual = "first", .choices = {"first", "last"}};
    if (isOfLibrary()) question.told = library;
    resolved_.values.isClassTokenLast = answer(question) == "last";
  }

  void resolveRegisters() {
    if (structure_.registerCount == 0) {
      if (structure_.leftOutTokens.empty()) return;
      const bool isOne = structure_.leftOutTokens.size() == 1;
      return resolveLeftOut("registers", structure_.leftOutTokens.front(),
                            isOne ? Words{"none", "before", "behind"} : Words{"none"});
    }
    const std::string& name = structure_.registers->name;
    StructureQuestion question{
        .option = "registers",
        .usual = structure_.registersLast ? "behind" : "before",
        .choices = structure_.registersLast ? Words{"behind", "before"} : Words{"before", "behind"},
        .why =
            quotedText(name) + " may stand before the patches or behind them, seen in maps alone"};
    const std::int64_t classes = structure_.classToken.has_value();
    if (structure_.prefixPositions <= classes || !areRowsKnown()) {
      question.choices.emplace_back("none");
      question.why += ", and may take no part in the sequence";
    }
    if (structure_.registersLast && isCalledByVitPytorch(name)) question.told = library;
    resolved_.values.areRegistersBehind = answer(question) == "behind";
    if (resolved_.values.areRegistersBehind &&
        resolved_.values.prefixPositions > std::int64_t{structure_.classToken.has_value()}) {
      throw ModelError(
          "its positions are of the registers, too, which therefore stand before the patches; "
          "leave out --registers, or give --prefix-positions");
    }
  }
};

}  // namespace

void resolveTokens(const TransformerStructure& structure, const ModelHints& hints,
                   ResolvedStructure& resolved) {
  TokenResolver(structure, hints, resolved).resolve();
}

void refuseNoPlace(const std::string& name) {
  throw ModelError("tensor without a place: " + quotedText(name) +
                   ", since it is said to be neither a token nor positions; " + recordingAdvice());
}

}  // namespace softscope
