"""The licences of what the wheel brings of Debian's, and which packages they were."""
import os
import re
import shutil
import subprocess

COMMON = "/usr/share/common-licenses"


def package_of(path):
    """The package of a file; of a file that an alternative or a merged /usr leads to, the one that has it."""
    for known in (path, path.replace("/usr/lib/", "/lib/", 1)):
        found = subprocess.run(["dpkg-query", "-S", known], capture_output=True, text=True, check=False)
        if found.returncode == 0:
            return found.stdout.split(": ")[0].split(",")[0].split(":")[0]
    raise SystemExit(f"no package of Debian has {path}, so its licence is not known")


def version_of(package):
    form = "${source:Package} ${source:Version}\n"
    text = subprocess.run(["dpkg-query", "-W", "-f", form, package], capture_output=True, text=True, check=True).stdout
    return text.splitlines()[0]


def write_licences(files, folder):
    """Of each file its package's copyright, the licences that these refer to, and a list of all."""
    packages = {}
    for path in files:
        packages.setdefault(package_of(path), []).append(os.path.basename(path))
    lines = []
    common = set()
    for package, names in sorted(packages.items()):
        copyright_file = f"/usr/share/doc/{package}/copyright"
        os.makedirs(os.path.join(folder, package), exist_ok=True)
        shutil.copyfile(copyright_file, os.path.join(folder, package, "copyright"))
        with open(copyright_file, encoding="utf-8", errors="replace") as file:
            common.update(re.findall(COMMON + r"/([\w.-]*\w)", file.read()))
        lines.append(f"{package}, of source {version_of(package)}: {', '.join(sorted(names))}\n")
    os.makedirs(os.path.join(folder, "common-licenses"), exist_ok=True)
    for name in sorted(common):
        if os.path.isfile(f"{COMMON}/{name}"):
            shutil.copyfile(f"{COMMON}/{name}", os.path.join(folder, "common-licenses", name))
    with open(os.path.join(folder, "DEBIAN.txt"), "w", encoding="utf-8") as file:
        file.write("These files are Debian 12's. Their licences are in the folders of their packages; their sources are "
                   "what\n`apt-get source PACKAGE` fetches, and what https://snapshot.debian.org keeps of every version.\n"
                   "Each may be replaced by another build of the same library.\n\n")
        file.writelines(lines)
