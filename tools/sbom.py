#!/usr/bin/env python3
"""tools/sbom.py [--commit COMMIT]: prints a software bill of materials (SPDX 2.3, JSON): Ordo, and each package that its programs
and libraries are built from or linked with, in the version that is installed here. The list is Build-Depends of debian/control,
without what only tests and packaging need. The same commit and the same packages give the same bytes."""
import argparse
import json
import re
import subprocess
import sys
from datetime import datetime, timezone
from pathlib import Path
from urllib.parse import quote

ROOT = Path(__file__).resolve().parent.parent
TOOLS = {"cmake", "debhelper-compat", "dh-sequence-python3", "ninja-build", "pkgconf", "pkg-config"}


def output(*command):
    return subprocess.run(command, capture_output=True, text=True, cwd=ROOT, check=True).stdout.strip()


def build_dependencies():
    """Returns the names of the packages in debian/control that become part of a program or library."""
    text = (ROOT / "debian/control").read_text()
    block = re.search(r"^Build-Depends:\n((?: .*\n)+)", text, re.M).group(1)
    names = []
    for line in block.splitlines():
        if "<!nocheck" in line or "<pkg.ordo.cuda>" in line:
            continue
        name = re.split(r"[\s(|,]", line.strip())[0]
        if name not in TOOLS:
            names.append(name)
    return names + ["g++"]  # the C++ library is linked, and parts of it are in each program


def installed(name):
    """Returns the version and architecture of an installed package, or None."""
    try:
        status, version, arch = output("dpkg-query", "-W", "-f", "${db:Status-Status} ${Version} ${Architecture}", name).split(" ")
    except subprocess.CalledProcessError:
        return None
    return (version, arch) if status == "installed" else None


def cuda_version():
    try:
        return re.search(r"release [\d.]+, V([\d.]+)", output("nvcc", "--version")).group(1)
    except (FileNotFoundError, AttributeError, subprocess.CalledProcessError):
        return None


def package(name, version, supplier, purl=None):
    one = {"SPDXID": "SPDXRef-" + re.sub(r"[^A-Za-z0-9.-]", "-", name), "name": name, "versionInfo": version, "supplier": supplier,
           "downloadLocation": "NOASSERTION", "filesAnalyzed": False}
    if purl:
        one["externalRefs"] = [{"referenceCategory": "PACKAGE-MANAGER", "referenceType": "purl", "referenceLocator": purl}]
    return one


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--commit", default="HEAD")
    commit, seconds = output("git", "log", "-1", "--format=%H %ct", parser.parse_args().commit).split()
    version = re.search(r"^project\(ordo VERSION ([\d.]+)", output("git", "show", f"{commit}:CMakeLists.txt"), re.M).group(1)
    ordo = package("ordo", version, "NOASSERTION") | {"sourceInfo": f"git commit {commit}"}
    parts, missing = [], []
    distribution = dict(line.split("=", 1) for line in Path("/etc/os-release").read_text().splitlines() if "=" in line)
    system = distribution["ID"].strip('"')
    for name in build_dependencies():
        if not (found := installed(name)):
            missing.append(name)
            continue
        purl = f"pkg:deb/{system}/{quote(name)}@{quote(found[0], safe='~')}?arch={found[1]}"
        parts.append(package(name, found[0], f"Organization: {system}", purl))
    if cuda := cuda_version():
        parts.append(package("cuda-toolkit", cuda, "Organization: NVIDIA"))
    if missing:
        print(f"sbom.py: not installed here, and left out: {' '.join(missing)}", file=sys.stderr)
    document = {
        "spdxVersion": "SPDX-2.3", "dataLicense": "CC0-1.0", "SPDXID": "SPDXRef-DOCUMENT", "name": f"ordo-{version}",
        "documentNamespace": f"https://spdx.org/spdxdocs/ordo-{version}-{commit}",
        "creationInfo": {"created": datetime.fromtimestamp(int(seconds), timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ"),
                         "creators": ["Tool: tools/sbom.py"]},
        "packages": [ordo] + sorted(parts, key=lambda one: one["name"]),
        "relationships": [{"spdxElementId": "SPDXRef-DOCUMENT", "relationshipType": "DESCRIBES", "relatedSpdxElement": "SPDXRef-ordo"}]
        + [{"spdxElementId": "SPDXRef-ordo", "relationshipType": "DEPENDS_ON", "relatedSpdxElement": one["SPDXID"]}
           for one in sorted(parts, key=lambda one: one["name"])],
    }
    json.dump(document, sys.stdout, indent=1)
    print()


if __name__ == "__main__":
    main()
