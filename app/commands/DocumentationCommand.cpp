#include "app/commands/CommandList.h"
#include "app/commands/Commands.h"
#include "app/documentation/Documentation.h"
#include "models/NetworkTable.h"

#include <CLI/CLI.hpp>

#include <iostream>
#include <memory>
#include <set>
#include <string>

namespace softscope {

namespace {

const std::set<std::string>& documentationForms() {
  static const std::set<std::string> forms{
#ifdef SOFTSCOPE_HAS_CHECKPOINTS
      "networks",
#endif
      "man",      "markdown", "bash", "zsh", "fish"};
  return forms;
}

std::string documentationText(const CLI::App& program, const std::string& form) {
  if (form == "man") return manualPage(program, SOFTSCOPE_VERSION);
  if (form == "markdown") return optionTables(program);
#ifdef SOFTSCOPE_HAS_CHECKPOINTS
  if (form == "networks") return networkTable();
#endif
  if (form == "bash") return bashCompletion(program);
  if (form == "zsh") return zshCompletion(program);
  return fishCompletion(program);
}

}  // namespace

void addDocumentationCommand(CLI::App& program, Command& chosen) {
  auto form = std::make_shared<std::string>();
  CLI::App* command = addListedCommand(program, "documentation");
  command->add_option("FORM", *form, "What to write")
      ->type_name("")
      ->required()
      ->check(CLI::IsMember(documentationForms()));
  command->callback([&chosen, &program, form] {
    chosen = [&program, form] {
      std::cout << documentationText(program, *form);
      return 0;
    };
  });
}

}  // namespace softscope
