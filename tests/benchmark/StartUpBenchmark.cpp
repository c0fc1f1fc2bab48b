#include <QtCore/QProcess>
#include <QtCore/QTemporaryDir>

#include <algorithm>
#include <benchmark/benchmark.h>
#include <chrono>
#include <vector>

namespace softscope {
namespace {

/// Runs the program with an empty home directory; returns seconds from exec to its first line,
/// which the window prints once it has painted what was asked for; -1 where the program failed.
double secondsOf(const QString& executable, const QStringList& arguments) {
  const QTemporaryDir home;
  QProcess program;
  QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
  for (const char* variable : {"HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME"}) {
    environment.insert(QString::fromLatin1(variable), home.path());
  }
  program.setProcessEnvironment(environment);
  program.setProcessChannelMode(QProcess::ForwardedErrorChannel);
  constexpr int patience = 60000;
  const auto start = std::chrono::steady_clock::now();
  program.start(executable, arguments);
  const bool said = program.waitForReadyRead(patience);
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
  const bool done = said && program.waitForFinished(patience) && program.exitCode() == 0 &&
                    program.exitStatus() == QProcess::NormalExit;
  return done ? took.count() : -1;
}

/// From exec until the program prints its first line, after one run that warms the caches.
/// `median_ms` is the median of ten runs, which the budget is about.
void startUp(benchmark::State& state, const QString& executable, const QStringList& arguments) {
  secondsOf(executable, arguments);
  std::vector<double> milliseconds;
  for (auto _ : state) {
    const double seconds = secondsOf(executable, arguments);
    if (seconds < 0) {
      state.SkipWithError("softscope did not run to its end");
      return;
    }
    state.SetIterationTime(seconds);
    milliseconds.push_back(1000 * seconds);
  }
  std::sort(milliseconds.begin(), milliseconds.end());
  state.counters["median_ms"] = milliseconds[milliseconds.size() / 2];
}

/// The peer: a program that loads every library before it does anything, as the window's would,
/// too.
void startOfLibraries(benchmark::State& state) {
  startUp(state, QStringLiteral(SOFTSCOPE_EXECUTABLE "-commands"), {QStringLiteral("--version")});
}

void startToHelp(benchmark::State& state) {
  startUp(state, QStringLiteral(SOFTSCOPE_EXECUTABLE), {QStringLiteral("--help")});
}

void startToFirstPaint(benchmark::State& state) {
  startUp(state, QStringLiteral(SOFTSCOPE_EXECUTABLE),
          {QStringLiteral("--quit-after"), QStringLiteral("paint")});
}

/// Until the bundled model's answer about the bundled picture is painted.
void startToFirstAnswer(benchmark::State& state) {
  startUp(state, QStringLiteral(SOFTSCOPE_EXECUTABLE),
          {QStringLiteral("--quit-after"), QStringLiteral("answer")});
}

BENCHMARK(startOfLibraries)->Iterations(10)->UseManualTime()->Unit(benchmark::kMillisecond);
BENCHMARK(startToHelp)->Iterations(10)->UseManualTime()->Unit(benchmark::kMillisecond);
BENCHMARK(startToFirstPaint)->Iterations(10)->UseManualTime()->Unit(benchmark::kMillisecond);
BENCHMARK(startToFirstAnswer)->Iterations(10)->UseManualTime()->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace softscope
