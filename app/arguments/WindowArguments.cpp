#include "app/arguments/WindowArguments.h"

#include "app/arguments/Input.h"
#include "app/arguments/NumberChecks.h"
#include "app/arguments/RepeatableOption.h"
#include "app/arguments/SettingArguments.h"
#include "app/window/QuitAfter.h"

#include <CLI/CLI.hpp>

namespace softscope {

void addWindowOptions(CLI::App& program, WindowArguments& arguments) {
  program.add_option("IMAGE", arguments.image, "Picture, recording, workspace or survey to open")
      ->type_name("");
  addModels(program, arguments.model, false);
  arguments.device = program.get_option("--device");
  addNames(program, arguments.model, "Model");
  program
      .add_option("--size", arguments.size,
                  "N, HxW or full: what the network is fed (figure --help tells more)")
      ->type_name("SIZE")
      ->group("Window");
  addReadingOptions(program, arguments.reading);
  program.add_option("--layer", arguments.layer, "Layer to show first")
      ->type_name("NAME")
      ->group("Window");
  program.add_option("--query", arguments.query, "Query patch to start with, counted from 0")
      ->type_name("ROW,COL")
      ->group("Window");
  program.add_option("--at", arguments.place, "Query as fractions of the picture")
      ->type_name("X,Y")
      ->group("Window");
  addRepeatable(program, "--head", arguments.heads,
                "Panels after the heads': mean, max (the largest in magnitude over heads), both, "
                "or all: the heads alone; repeatable")
      ->type_name("all|mean|max")
      ->group("Window");
  program.add_option("--dpi", arguments.dpi, "Resolution of the figures it exports")
      ->type_name("N")
      ->check(between(20, 2400))
      ->group("Window");
  program.add_option("--colormap", arguments.colorMap, "Colour map")
      ->type_name("NAME")
      ->group("Window");
  program
      .add_option(
          "--listen", arguments.listenAddress,
          "HOST:PORT of this computer where softscope.connect() is awaited (default: a free "
          "port), printed with its token; or local, for softscope.show() alone, as in every "
          "window. Begins with nothing opened")
      ->type_name("ADDRESS")
      ->expected(0, 1)
      ->group("Window");
  arguments.theme = addSetting(program, themeSetting, arguments.preferences)->group("Window");
  // Ends the program once the window, or its first answer, is painted, so that start-up can be
  // timed. Benchmarks use it, and no help lists it.
  program.add_option("--quit-after", arguments.quitAfter)
      ->check(CLI::IsMember(QuitAfter::steps()))
      ->group("");
}

}  // namespace softscope
