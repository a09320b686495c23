#!/usr/bin/env python3
"""Fills the folder of a release: the program, its documents, completions, manual pages and all licences.

    tools/archive.py target/dist/millbase FOLDER
"""

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
DOCUMENTS = ["README.md", "CHANGELOG.md", "LICENSE", "LICENSE-APACHE", "LICENSE-MIT", "docs"]
SHELLS = {"bash": "millbase.bash", "zsh": "_millbase", "fish": "millbase.fish", "powershell": "millbase.ps1"}
LICENCE = re.compile(r"(licen[cs]e|copying|notice|unlicense)", re.IGNORECASE)


def output(*command):
    """The output of a command; a failure of it ends this program."""
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, cwd=ROOT).stdout


def commands(program):
    """The names of the program's commands, from its help."""
    _, _, rest = output(program, "--help").decode().partition("Commands:\n")
    listed = rest.partition("\n\n")[0]
    names = re.findall(r"^  ([a-z]+) ", listed, re.MULTILINE)
    return [name for name in names if name != "help"]


def packages(host):
    """The packages that are part of the program, with the folders of their sources."""
    metadata = json.loads(
        output("cargo", "metadata", "--locked", "--format-version", "1", "--filter-platform", host)
    )
    nodes = {node["id"]: node for node in metadata["resolve"]["nodes"]}
    own = {package["id"]: package["name"] for package in metadata["packages"] if package["id"] in metadata["workspace_members"]}
    found, open_ids = set(), [identity for identity, name in own.items() if name == "millbase-program"]
    while open_ids:
        identity = open_ids.pop()
        if identity not in found:
            found.add(identity)
            for needed in nodes[identity]["deps"]:
                if any(kind["kind"] is None for kind in needed["dep_kinds"]):
                    open_ids.append(needed["pkg"])
    return [package for package in metadata["packages"] if package["id"] in found - own.keys()]


def copy_licences(folder, host):
    """A folder for each package, with its licence files; a package without any is named with its licence."""
    nameless = []
    for package in packages(host):
        source = Path(package["manifest_path"]).parent
        files = [file for file in source.iterdir() if file.is_file() and LICENCE.match(file.name)]
        name = f"{package['name']}-{package['version']}"
        if not files:
            nameless.append(f"{name}: {package['license']}, {', '.join(package['authors'])}\n")
            continue
        place = folder / name
        place.mkdir(parents=True)
        for file in files:
            shutil.copyfile(file, place / file.name)
    if nameless:
        (folder / "OTHERS.txt").write_text("".join(sorted(nameless)), encoding="utf-8")


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    program, folder = Path(sys.argv[1]).resolve(), Path(sys.argv[2])
    if not program.is_file():
        sys.exit(f"error: the program {program} is missing; build it with `cargo build --profile dist`")
    folder.mkdir(parents=True)
    shutil.copy(program, folder)
    for name in DOCUMENTS:
        copy = shutil.copytree if (ROOT / name).is_dir() else shutil.copyfile
        copy(ROOT / name, folder / name)
    completions, manual = folder / "completions", folder / "man"
    completions.mkdir()
    manual.mkdir()
    for shell, name in SHELLS.items():
        (completions / name).write_bytes(output(program, "completions", shell))
    (manual / "millbase.1").write_bytes(output(program, "man"))
    names = commands(program)
    if not names:
        sys.exit("error: the help of the program lists no commands")
    for name in names:
        (manual / f"millbase-{name}.1").write_bytes(output(program, "man", name))
    host = re.search(r"^host: (.*)$", output("rustc", "-vV").decode(), re.MULTILINE)[1]
    copy_licences(folder / "licences", host)


if __name__ == "__main__":
    main()
