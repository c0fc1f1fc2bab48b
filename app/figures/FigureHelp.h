#pragma once

namespace CLI {
class App;
}

namespace softscope {

struct FigureArguments;

/// Makes `softscope figure KIND --help` explain that kind and list only its own options; without a
/// KIND all options are listed. Call it once all options have been added.
void explainKinds(CLI::App& command, const FigureArguments& arguments);

}  // namespace softscope
