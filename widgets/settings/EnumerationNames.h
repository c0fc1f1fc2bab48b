#pragma once

#include <QtCore/QString>

#include <cstddef>

namespace softscope {

/// A value of an enumeration and its name in files.
template <typename Enumeration>
struct Name {
  Enumeration value;
  const char* text;
};

template <typename Enumeration, std::size_t count>
QString nameOf(const Name<Enumeration> (&names)[count], Enumeration value) {
  for (const auto& name : names) {
    if (name.value == value) return QLatin1String(name.text);
  }
  return {};
}

/// Returns the value with that name, or the first value if no value has it.
template <typename Enumeration, std::size_t count>
Enumeration valueOf(const Name<Enumeration> (&names)[count], const QString& text) {
  for (const auto& name : names) {
    if (text == QLatin1String(name.text)) return name.value;
  }
  return names[0].value;
}

}  // namespace softscope
