#!/usr/bin/env python3
"""./run, ./package and what they share, on a copy of the scripts: CMake, dpkg-query, apt-get and ccache are small scripts
in their place, and the program that they build prints where it is and what it was given.

    ScriptsTest.py ROOT
"""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(sys.argv.pop()) if len(sys.argv) > 1 and os.path.isdir(sys.argv[-1]) else pathlib.Path(".")
PROGRAM = "build/release/app/softscope"

# What each prints goes into the folder $SAID.
STANDINS = {
    "cmake": """
        echo "$*" >>"$SAID/cmake"
        echo "${CCACHE_DIR-}" >>"$SAID/ccache"
        [ -z "$FAILS" ] || { echo "no compiler here"; exit 1; }
        case $1 in
          --preset) echo "CMAKE_HOME_DIRECTORY:INTERNAL=$PWD" >"$4/CMakeCache.txt" ;;
          --build)
            mkdir "$2/builds" || { echo "two builds at a time" >>"$SAID/errors"; exit 1; }
            sleep 0.3
            mkdir -p "$2/app"
            printf '%s\\n' '#!/bin/sh' 'pwd' 'printf "<%s>\\\\n" "$@"' >"$2/app/softscope"
            chmod +x "$2/app/softscope"
            rmdir "$2/builds" ;;
        esac""",
    "dpkg-query": """
        for package; do :; done
        [ "$package" != ninja-build ] || [ -z "$MISSING" ] || exit 1
        case $3 in
          *Status-Status*) printf "$(printf %s "$3" | sed 's/${db:Status-Status}/installed/g')" ;;
          *) printf 'hold ok installed' ;;
        esac""",
    "apt-get": 'echo "$*" >>"$SAID/apt-get"',
    "ccache": 'echo "$CACHE"',
    "cpack": 'umask >>"$SAID/umask"; mkdir -p build/package; touch build/package/softscope.deb',
}


class ScriptsTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name).resolve()
        self.said = self.folder / "said"
        self.user = self.folder / "where the user is"
        self.sources = self.folder / "sources of it"
        for place in (self.said, self.user, self.sources / "cmake"):
            place.mkdir(parents=True)
        for name in ("run", "package", "cmake/setup.sh", "cmake/environment.sh"):
            shutil.copy(ROOT / name, self.sources / name)
        commands = self.folder / "commands"
        commands.mkdir()
        for name, text in STANDINS.items():
            (commands / name).write_text("#!/bin/bash\n" + text + "\n", encoding="utf-8")
            (commands / name).chmod(0o755)
        self.environment = {"PATH": f"{commands}:/usr/bin:/bin", "HOME": str(self.folder), "SAID": str(self.said),
                            "FAILS": "", "MISSING": "", "CACHE": str(self.folder / "cache")}

    def start(self, script, *words, **environment):
        return subprocess.Popen([str(script), *words], cwd=self.user, text=True, stdout=subprocess.PIPE,
                                stderr=subprocess.PIPE, env={**self.environment, **environment})

    def run_script(self, script, *words, **environment):
        process = self.start(script, *words, **environment)
        output, errors = process.communicate()
        return process.returncode, output, errors

    def told(self, command):
        """What a command of STANDINS was called with, or ccache's folder, line by line."""
        file = self.said / command
        return file.read_text(encoding="utf-8").splitlines() if file.exists() else []

    def test_paths_are_meant_from_where_the_user_is(self):
        link = self.folder / "softscope-run"
        link.symlink_to(self.sources / "run")
        for script in (self.sources / "run", link, "../sources of it/run", "../softscope-run"):
            with self.subTest(str(script)):
                code, output, errors = self.run_script(script, "figure", "my cat.png", CDPATH=f"{self.folder}:/")
                self.assertEqual((code, errors), (0, ""))
                self.assertEqual(output.splitlines(), [str(self.user), "<figure>", "<my cat.png>"])
        self.assertEqual(os.listdir(self.user), [])
        self.assertEqual(sorted(os.listdir(self.sources)), ["build", "cmake", "package", "run"])

    def test_another_libtorch_is_meant_from_where_the_user_is(self):
        code, _, errors = self.run_script(self.sources / "run", "--version", SOFTSCOPE_TORCH="torch")
        self.assertEqual(code, 0, errors)
        self.assertIn(f"-DSOFTSCOPE_TORCH={self.user}/torch", self.told("cmake")[0])
        self.assertIn("-B build/release-torch", self.told("cmake")[0])

    def test_what_fails_ends_it(self):
        code, output, errors = self.run_script(self.sources / "run", FAILS="yes")
        self.assertEqual((code, output), (1, ""))
        self.assertIn("no compiler here", errors)
        (self.sources / "cmake/setup.sh").unlink()
        code, output, _ = self.run_script(self.sources / "run")
        self.assertEqual((code, output), (1, ""))

    def test_the_figure_is_where_it_says(self):
        _, output, _ = self.run_script(self.sources / "run")
        self.assertEqual(output.splitlines()[-1:],
                         [f"No display here, so the figure was written instead: {self.sources}/figures/heads.png"])
        self.assertTrue((self.sources / "figures").is_dir())

    def test_two_at_once_build_one_after_the_other(self):
        processes = [self.start(self.sources / "run", "--version") for _ in range(3)]
        for process in processes:
            output, errors = process.communicate()
            self.assertEqual((process.returncode, output.splitlines()[1:]), (0, ["<--version>"]), errors)
        self.assertEqual(self.told("errors"), [])
        self.assertEqual(len(self.told("cmake")), 6)

    def test_sources_that_were_moved_are_configured_anew(self):
        self.run_script(self.sources / "run", "--version")
        self.run_script(self.sources / "run", "--version")
        self.assertNotIn("--fresh", " ".join(self.told("cmake")))
        for moved in (self.folder / "moved", self.folder / "copied"):
            with self.subTest(moved.name):
                (shutil.move if moved.name == "moved" else shutil.copytree)(self.sources, moved)
                code, output, _ = self.run_script(moved / "run", "--version")
                self.assertEqual((code, output.splitlines()[1:]), (0, ["<--version>"]))
                self.assertIn("--fresh", self.told("cmake")[-2])
                self.sources = moved

    @unittest.skipIf(os.geteuid() == 0 and not shutil.which("setpriv"), "root may write everywhere")
    def test_what_another_user_built_is_used(self):
        if os.geteuid() == 0:
            # Without what lets root write everywhere.
            less = ["setpriv", "--bounding-set", "-dac_override", "--inh-caps", "-dac_override"]
        else:
            less = []

        def run_protected(*words):
            self.sources.chmod(0o555)
            build.chmod(0o555)
            try:
                return subprocess.run([*less, str(self.sources / "run"), *words], cwd=self.user, text=True, check=False,
                                      capture_output=True, env=self.environment)
            finally:
                build.chmod(0o755)
                self.sources.chmod(0o755)

        build = self.sources / "build/release"
        build.mkdir(parents=True)
        outcome = run_protected("--version")
        self.assertEqual((outcome.returncode, outcome.stdout), (1, ""))
        self.assertEqual(outcome.stderr.splitlines(),
                         [f"{build} cannot be written; copy the sources to a folder of your own, and build there"])
        self.run_script(self.sources / "run", "--version")
        before = self.told("cmake")
        outcome = run_protected("--version")
        self.assertEqual((outcome.returncode, outcome.stderr), (0, ""))
        self.assertEqual(outcome.stdout.splitlines(), [str(self.user), "<--version>"])
        self.assertIn(f"{self.user}/figures/heads.png", run_protected().stdout)
        self.assertEqual(self.told("cmake"), before)

    def test_packages_are_missing_unless_they_are_installed(self):
        self.run_script(self.sources / "run", "--version")
        self.assertEqual(self.told("apt-get"), [])
        if os.geteuid() == 0:
            self.run_script(self.sources / "run", "--version", MISSING="yes")
            self.assertRegex(self.told("apt-get")[-1], "^install .* ninja-build$")

    def test_ccache_has_a_folder(self):
        self.run_script(self.sources / "run", "--version")
        self.assertEqual(set(self.told("ccache")), {""})
        (self.folder / "file").touch()
        self.run_script(self.sources / "run", "--version", CACHE=str(self.folder / "file/cache"))
        self.assertEqual(self.told("ccache")[-1], f"{self.sources}/build/ccache")

    def test_a_package_is_for_everybody(self):
        link = self.folder / "softscope-package"
        link.symlink_to(self.sources / "package")
        before = os.umask(0o077)
        try:
            code, output, errors = self.run_script(link)
        finally:
            os.umask(before)
        self.assertEqual((code, output.splitlines()[-1:]), (0, [f"{self.sources}/build/package/softscope.deb"]), errors)
        self.assertEqual(self.told("umask"), ["0022"])


if __name__ == "__main__":
    unittest.main()
