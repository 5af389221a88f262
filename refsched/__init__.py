# SPDX-License-Identifier: Apache-2.0
"""refsched: an executable specification of how kube-scheduler decides.

``import refsched`` is cheap on purpose: import the station you need, for example
``refsched.objects.pod`` or ``refsched.plugins.node_ports``.
"""

__version__ = "0.1.0.dev0"
