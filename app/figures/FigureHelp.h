#pragma once

namespace CLI {
class App;
}

namespace softscope {

struct FigureArguments;

/// Has `softscope figure KIND --help` say what that kind shows, and list its own options alone;
/// without a KIND all of them are listed, as before. For when all options are there.
void explainKinds(CLI::App& command, const FigureArguments& arguments);

}  // namespace softscope
