"""Which folders make the package; all else about it is in pyproject.toml.

A list there would have to name every room, and `find` there cannot add `assets/`, which lies beside
the package in the repository, and in it once it is installed. The models are a distribution of
their own, in packages/models.
"""

from setuptools import find_packages, setup

setup(
    packages=[
        *find_packages(include=["headlight*", "transformer*"]),
        "transformer.assets",
    ]
)
