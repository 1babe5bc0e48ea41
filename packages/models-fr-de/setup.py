"""Which folders of the repository make the package; all else about it is in pyproject.toml."""

from setuptools import setup

setup(
    packages=["headlight_models.checkpoints", "headlight_models.corpora"],
    package_dir={
        "headlight_models.checkpoints": "../../checkpoints",
        "headlight_models.corpora": "../../corpora",
    },
)
