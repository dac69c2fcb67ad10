"""The PEP 517 backend of `pip install .`: CMake builds the package, and this file packs a wheel.

It needs no other Python package, so `pip install .` works without a registry
(docs/decisions/python-build.md).
"""

import base64
import hashlib
import os
import re
import subprocess
import sys
import sysconfig
import tarfile
import zipfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def _version():
    with open(os.path.join(ROOT, "include", "caucus.h"), encoding="utf-8") as header:
        return re.search(r'#define CAUCUS_VERSION "(.*)"', header.read()).group(1)


def _metadata():
    with open(os.path.join(ROOT, "README.md"), encoding="utf-8") as readme:
        about = readme.read()
    return ("Metadata-Version: 2.1\n"
            "Name: caucus\n"
            f"Version: {_version()}\n"
            "Summary: log-linear models for language: MaxEnt, MEMM and CRF\n"
            "License: MIT\n"
            "Requires-Python: >=3.9\n"
            "Description-Content-Type: text/markdown\n"
            f"\n{about}")


def _build():
    """Builds the package in build/wheel and returns its folder."""
    folder = os.path.join(ROOT, "build", "wheel")
    subprocess.run(["cmake", "-S", ROOT, "-B", folder, "-DCMAKE_BUILD_TYPE=Release",
                    "-DCAUCUS_TESTS=OFF", f"-DCAUCUS_PYTHON={sys.executable}"],
                   check=True, stdout=sys.stderr)
    subprocess.run(["cmake", "--build", folder, "--target", "python", "-j", str(os.cpu_count())],
                   check=True, stdout=sys.stderr)
    return os.path.join(folder, "python")


def _record_line(name, data):
    digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
    return f"{name},sha256={digest},{len(data)}\n"


def get_requires_for_build_wheel(config_settings=None):
    return []


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    folder = _build()
    platform = sysconfig.get_platform().replace("-", "_").replace(".", "_")
    tag = f"cp39-abi3-{platform}"
    info = f"caucus-{_version()}.dist-info"
    files = {}
    for here, _, names in os.walk(os.path.join(folder, "caucus")):
        for name in names:
            path = os.path.join(here, name)
            if "__pycache__" not in path:
                with open(path, "rb") as file:
                    files[os.path.relpath(path, folder)] = file.read()
    files[f"{info}/METADATA"] = _metadata().encode()
    files[f"{info}/WHEEL"] = ("Wheel-Version: 1.0\nGenerator: caucus\n"
                              f"Root-Is-Purelib: false\nTag: {tag}\n").encode()
    record = "".join(_record_line(name, data) for name, data in files.items())
    files[f"{info}/RECORD"] = f"{record}{info}/RECORD,,\n".encode()
    wheel = f"caucus-{_version()}-{tag}.whl"
    with zipfile.ZipFile(os.path.join(wheel_directory, wheel), "w", zipfile.ZIP_DEFLATED) as out:
        for name, data in files.items():
            out.writestr(name, data)
    return wheel


def build_sdist(sdist_directory, config_settings=None):
    """The tracked files of the repository, and PKG-INFO."""
    base = f"caucus-{_version()}"
    tracked = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, check=True, capture_output=True,
                             text=True).stdout.split("\0")
    info = os.path.join(sdist_directory, "PKG-INFO")
    with open(info, "w", encoding="utf-8") as out:
        out.write(_metadata())
    with tarfile.open(os.path.join(sdist_directory, f"{base}.tar.gz"), "w:gz") as out:
        for name in filter(None, tracked):
            out.add(os.path.join(ROOT, name), f"{base}/{name}", recursive=False)
        out.add(info, f"{base}/PKG-INFO")
    os.remove(info)
    return f"{base}.tar.gz"
