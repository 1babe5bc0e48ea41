"""Proxies, as the environment or the system names them: downloads use them, nothing else does."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from urllib.parse import urlsplit
from urllib.request import getproxies

LOOPBACK = ("localhost", "127.0.0.1", "::1")

NAMES = ("no_proxy", "NO_PROXY")
"""Settings of hosts that are asked without a proxy; libraries read either name."""

SPOKEN = ("http", "https", "socks5", "socks5h")
"""Schemes that the hub's client knows."""


def spare_loopback() -> None:
    """Has this process, and whatever it starts, ask its own machine without a proxy."""
    proxies = getproxies()
    spared = [name.strip() for name in proxies.pop("no", "").split(",")]
    if not proxies:
        return
    for kind, proxy in proxies.items():
        # What the system's settings name (on Windows and macOS) is no longer looked for once a
        # variable says anything. Desktops write `socks://`, which no client knows, for SOCKS 5.
        os.environ[f"{kind}_proxy"] = proxy.replace("socks://", "socks5://", 1)
    for name in NAMES:
        os.environ[name] = ",".join(dict.fromkeys(filter(None, [*spared, *LOOPBACK])))


@contextmanager
def without_proxies() -> Iterator[None]:
    """Meanwhile no client of HTTP that is made looks at a proxy, or fails for one."""
    before = {name: os.environ.get(name) for name in NAMES}
    os.environ.update(dict.fromkeys(NAMES, "*"))
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value


def proxy_problem() -> str:
    """Why nothing can be fetched through the proxy that is set; empty if it can."""
    proxies = getproxies()
    for proxy in filter(None, (proxies.get(kind) for kind in ("http", "https", "all"))):
        scheme, _, address = (proxy if "://" in proxy else f"http://{proxy}").partition("://")
        public = f"{scheme}://{address.rpartition('@')[2]}"  # without a name and a password
        if scheme.lower() not in SPOKEN:
            return f"the proxy {public} is of no known kind: {', '.join(SPOKEN)}"
        try:
            _ = urlsplit(public).port
        except ValueError as error:
            return f"the proxy {public} is no address: {error}"
        if scheme.lower().startswith("socks") and not find_spec("socksio"):
            return f"the proxy {public} needs the package socksio: pip install socksio"
    return ""
