#include "app/figures/FigureHelp.h"

#include "app/figures/FigureKinds.h"
#include "app/figures/PassedOverChoices.h"
#include "core/Error.h"
#include "core/analysis/Explanation.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <memory>
#include <sstream>
#include <string>

namespace softscope {
namespace {

constexpr int helpWidth = 100;

/// Returns the kind of that name; null if there is none.
const FigureKind* kindNamed(const std::string& name) {
  const auto found = std::find_if(figureKinds().begin(), figureKinds().end(),
                                  [&](const FigureKind& kind) { return kind.about->name == name; });
  return found == figureKinds().end() ? nullptr : &*found;
}

std::string aboutKind(const FigureKind& kind) {
  try {
    return explanationText(explanationOf(kind.about->name), helpWidth);
  } catch (const FileError&) {
    // The program is not fully installed; its options are still worth reading.
    return kind.about->summary;
  }
}

/// Returns the examples of one kind, with their continuation lines, from the end of the help.
std::string examplesOf(const FigureKind& kind, const std::string& footer) {
  std::istringstream lines(footer);
  std::string examples;
  bool isOfKind = false;
  for (std::string line; std::getline(lines, line);) {
    const bool begins = line.starts_with("  softscope figure ");
    if (begins)
      isOfKind = line.starts_with("  softscope figure " + std::string(kind.about->name) + " ");
    if (isOfKind) examples += line + '\n';
  }
  return examples.empty() ? examples : "\nExamples:\n" + examples;
}

/// Removes `(figure heads, compare and matrix)`, which says nothing in the help of a single kind.
std::string withoutKinds(const std::string& description) {
  const std::size_t from = description.rfind(" (figure ");
  const bool ends = from != std::string::npos && description.ends_with(")");
  return ends ? description.substr(0, from) : description;
}

class KindFormatter : public CLI::Formatter {
 public:
  KindFormatter(CLI::App& command, const FigureArguments& arguments)
      : command_(command), arguments_(arguments) {}

  std::string make_help(const CLI::App* app, std::string name,
                        CLI::AppFormatMode mode) const override {
    const auto named = app->get_option("KIND")->results();
    const FigureKind* kind = named.empty() ? nullptr : kindNamed(named.front());
    if (!kind) return Formatter::make_help(app, std::move(name), mode);
    hideOthers(*kind);
    std::string text = aboutKind(*kind) + "\n\nUsage: softscope figure " + kind->about->name;
    text += " " + std::string(kind->about->usage) + "\n";
    return text + make_groups(app, mode) + examplesOf(*kind, app->get_footer());
  }

 private:
  /// Hides options by removing them from their group. Nothing is parsed after this.
  void hideOthers(const FigureKind& kind) const {
    for (const OwnOption& own : arguments_.ownOptions) {
      CLI::Option* option = command_.get_option(own.option->get_name());
      const bool belongs =
          std::find(own.kinds.begin(), own.kinds.end(), kind.about->name) != own.kinds.end();
      if (!belongs) option->group("");
      option->description(withoutKinds(option->get_description()));
    }
    for (CLI::Option* option : command_.get_options()) {
      if (isOfOtherKinds(*option, *kind.about)) option->group("");
    }
  }

  CLI::App& command_;
  const FigureArguments& arguments_;
};

}  // namespace

void explainKinds(CLI::App& command, const FigureArguments& arguments) {
  command.formatter(std::make_shared<KindFormatter>(command, arguments));
}

}  // namespace softscope
