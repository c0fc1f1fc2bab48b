#include "models/attention/NonLocalMechanism.h"

namespace softscope {

namespace {

using Normalisation = NonLocalMechanism::Normalisation;
using Part = NonLocalMechanism::Part;

constexpr NonLocalMechanism nonLocalForms[] = {
    {Normalisation::Softmax, Part::Whole},     {Normalisation::Softmax, Part::Magnitude},
    {Normalisation::Softmax, Part::Direction}, {Normalisation::Scaled, Part::Whole},
    {Normalisation::Scaled, Part::Magnitude},  {Normalisation::Scaled, Part::Direction},
    {Normalisation::Dot, Part::Whole},         {Normalisation::Dot, Part::Magnitude},
    {Normalisation::Dot, Part::Direction},
};

}  // namespace

const std::vector<std::string>& nonLocalMechanisms() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> all;
    for (const NonLocalMechanism& mechanism : nonLocalForms)
      all.push_back(mechanismName(mechanism));
    return all;
  }();
  return names;
}

std::string mechanismName(const NonLocalMechanism& mechanism) {
  std::string name = "nonlocal";
  if (mechanism.normalisation == Normalisation::Scaled) name += "_scaled";
  if (mechanism.normalisation == Normalisation::Dot) name += "_dot";
  if (mechanism.part == Part::Magnitude) name += "_magnitude";
  if (mechanism.part == Part::Direction) name += "_direction";
  return name;
}

std::optional<NonLocalMechanism> nonLocalMechanism(const std::string& name) {
  for (const NonLocalMechanism& mechanism : nonLocalForms) {
    if (mechanismName(mechanism) == name) return mechanism;
  }
  return std::nullopt;
}

}  // namespace softscope
