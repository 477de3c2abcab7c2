#!/usr/bin/env python3
"""render.py [RECIPE]: renders the conda recipe with its variants, and prints the packages.

Needs py-rattler-build; reads no channel, builds nothing.
"""

import pathlib
import sys

import rattler_build

here = pathlib.Path(__file__).parent
recipe = rattler_build.Stage0Recipe.from_file(pathlib.Path(sys.argv[1]) if sys.argv[1:] else here / "recipe.yaml")
variants = rattler_build.VariantConfig.from_file(here / "variants.yaml")
packages = {}  # a package whose variants differ in nothing that it uses is rendered once for each
for rendered in recipe.render(variants, rattler_build.RenderConfig()):
    package = rendered.recipe.package
    packages[package.name, package.version, rendered.recipe.build.string] = dict(rendered.variant)
for name, variant in sorted(packages.items()):
    print(*name, variant)
