# SPDX-License-Identifier: Apache-2.0
"""JudgedImplementation: what is known of the implementation that a run judges."""

from __future__ import annotations

from collections.abc import Mapping

from attrs import field, frozen

from refsched.suite.adapters.answers import Hello


@frozen
class JudgedImplementation:
    """A JudgedImplementation is what is known of the implementation, as plain values."""

    name: str
    version: str
    kubernetes: str
    capabilities: tuple[str, ...]
    holding: frozenset[str] = frozenset()
    """These are the rules of the release by which it decides."""
    lacks: Mapping[str, str] = field(factory=dict)
    """These rules cannot show in what it reports, each with the capability or the plugin that it does not have."""
    plugins: tuple[str, ...] = ()
    """These are the plugins that it says it has. A whole scheduler names none."""
    fields_not_taken: tuple[str, ...] = ()
    """These are the fields that it says it does not take."""

    @classmethod
    def of(cls, hello: Hello, holding: frozenset[str], lacks: Mapping[str, str]) -> JudgedImplementation:
        capabilities = tuple(sorted(hello.capabilities))
        plugins = tuple(sorted(hello.plugins or ()))
        fields = tuple(sorted(hello.fields_not_taken))
        return cls(hello.name, hello.version, hello.kubernetes, capabilities, holding, lacks, plugins, fields)
