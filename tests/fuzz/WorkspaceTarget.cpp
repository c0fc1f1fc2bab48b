#include "core/Error.h"
#include "tests/fuzz/RuleWatch.h"
#include "tests/fuzz/Target.h"
#include "widgets/workspace/WorkspaceState.h"

#include <QtCore/QByteArray>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const softscope::fuzz::RuleWatch watch(size);
  const auto text =
      QByteArray::fromRawData(reinterpret_cast<const char*>(data), static_cast<qsizetype>(size));
  try {
    const softscope::WorkspaceState state =
        softscope::readWorkspace(text, QStringLiteral("/nowhere/w.softscope"));
    static_cast<void>(softscope::workspaceText(state, QStringLiteral("/nowhere")));
  } catch (const softscope::Error&) {
    // Refused, in words.
  }
  return 0;
}
