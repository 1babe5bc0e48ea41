"""Which folders make the package; all else about it is in pyproject.toml.

A list there would have to name every room, and `find` there cannot add these three:
`assets/`, `checkpoints/` and `corpora/` lie beside the package in the repository, and in it once it
is installed.
"""

from setuptools import find_packages, setup

setup(
    packages=[
        *find_packages(include=["headlight*", "transformer*"]),
        "transformer.assets",
        "transformer.checkpoints",
        "transformer.corpora",
    ]
)
