"""Find Chromium and a Chinese font for the browser tests, or install them.

A Chromium that is already here is used. Otherwise the system's package manager installs one, where
there is one and the rights are there without a password; otherwise Playwright downloads its own.
"""

import os
import shutil
import subprocess
import sys

from playwright.sync_api import Error, sync_playwright

COMMANDS = (
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
)
# Package manager → how it installs, and its name for the font. Ubuntu's archive has Chromium only
# as a snap; there its install fails and Playwright's own browser follows.
PACKAGE_MANAGERS = {
    "apt-get": (("install", "--yes", "--no-install-recommends"), "fonts-noto-cjk"),
    "dnf": (("install", "--assumeyes"), "google-noto-sans-cjk-fonts"),
    "pacman": (("-Sy", "--noconfirm", "--needed"), "noto-fonts-cjk"),
}


def find_chromium() -> str | None:
    """The first installed Chromium that runs; None where Playwright is to use its own."""
    for command in COMMANDS:
        path = shutil.which(command)
        if path and run(path, "--version", quiet=True):
            return path
    return None


def has_chinese_font() -> bool:
    """Whether Chinese text would show as characters; macOS and Windows always bring a font."""
    if sys.platform != "linux":
        return True
    if not shutil.which("fc-list"):
        return False
    listed = subprocess.run(["fc-list", ":lang=zh"], capture_output=True, check=False)
    return bool(listed.stdout.strip())


def run(*command: str, quiet: bool = False) -> bool:
    """Run a command that cannot ask anything, and tell whether it succeeded."""
    output = subprocess.DEVNULL if quiet else None
    return (
        subprocess.run(
            command, stdin=subprocess.DEVNULL, stdout=output, stderr=output, check=False
        ).returncode
        == 0
    )


def root_prefix() -> tuple[str, ...] | None:
    """What to put before a command that needs root: nothing, sudo, or None without the rights."""
    if sys.platform != "linux":
        return None
    if os.geteuid() == 0:
        return ()
    if shutil.which("sudo") and run("sudo", "-n", "true", quiet=True):
        return ("sudo", "-n")
    return None


def install_packages(*, chromium: bool, font: bool) -> None:
    """Install what is missing with the system's package manager, if that can be done unasked."""
    prefix = root_prefix()
    manager = next(filter(shutil.which, PACKAGE_MANAGERS), None)
    if prefix is None or manager is None:
        return
    install, font_package = PACKAGE_MANAGERS[manager]
    command = (*prefix, "env", "DEBIAN_FRONTEND=noninteractive", manager)
    if manager == "apt-get":
        run(*command, "update", "--quiet")
    # One at a time: a missing Chromium package must not keep the font out.
    if chromium:
        run(*command, *install, "chromium")
    if font:
        run(*command, *install, "fontconfig", font_package)


def download_chromium() -> None:
    """Let Playwright download its Chromium, with its libraries where they can be installed."""
    with_libraries = root_prefix() is not None and shutil.which("apt-get")
    run(
        *(sys.executable, "-m", "playwright", "install"),
        *(["--with-deps"] if with_libraries else []),
        "chromium",
    )


def chromium_version() -> str | None:
    """The version of the Chromium that the tests will use, or None if none starts."""
    with sync_playwright() as playwright:
        try:
            browser = playwright.chromium.launch(executable_path=find_chromium())
        except Error:
            return None
        version = browser.version
        browser.close()
        return version


def main() -> int:
    """Set up and report; the exit status is 1 if no Chromium starts in the end."""
    version, font = chromium_version(), has_chinese_font()
    if not (version and font):
        install_packages(chromium=not version, font=not font)
        version = chromium_version()
    if not version:
        download_chromium()
        version = chromium_version()
    if not version:
        print("error: no Chromium starts here, and none could be installed.", file=sys.stderr)
        print("Install Chromium or Google Chrome, then run this again.", file=sys.stderr)
        return 1
    print(f"Chromium {version}: {find_chromium() or 'the one from Playwright'}")
    if not has_chinese_font():
        print(
            "warning: no Chinese font, so screenshots will show boxes for Chinese characters; "
            "install Noto Sans CJK",
            file=sys.stderr,
        )
    return 0


if __name__ == "__main__":
    sys.exit(main())
