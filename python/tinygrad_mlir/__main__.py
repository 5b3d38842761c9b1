"""Prints the version, the devices and the settings: python -m tinygrad_mlir."""

import platform
from pathlib import Path

from tinygrad_mlir import _core


def get_processor() -> str:
    """The processor's name, or that of its kind where Linux does not say it."""
    facts = Path("/proc/cpuinfo")
    lines = facts.read_text().splitlines() if facts.exists() else []
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.machine()


def main() -> None:
    print(f"tinygrad_mlir {_core.__version__}, Python {platform.python_version()}")
    print(f"processor: {get_processor()}")
    settings = _core.describe_settings()
    print("devices:")
    for name, text in _core.describe_devices().items():
        default = " (default)" if name == settings["DEV"] else ""
        print(f"  {name}{default}: {text}")
    print("settings:")
    for name, value in settings.items():
        print(f"  {name}={int(value) if isinstance(value, bool) else value}")


if __name__ == "__main__":
    main()
