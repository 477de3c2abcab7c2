#!/usr/bin/env python3
"""Renders the conda recipe with its variants, and prints the packages. Needs py-rattler-build; reads no channel, builds nothing."""

import pathlib

import rattler_build

here = pathlib.Path(__file__).parent
recipe = rattler_build.Stage0Recipe.from_file(here / "recipe.yaml")
variants = rattler_build.VariantConfig.from_file(here / "variants.yaml")
for rendered in recipe.render(variants, rattler_build.RenderConfig()):
    package = rendered.recipe.package
    print(package.name, package.version, rendered.recipe.build.string or "", dict(rendered.variant))
