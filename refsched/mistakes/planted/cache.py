# SPDX-License-Identifier: Apache-2.0
"""Planted schedulers that are wrong about what counts on a node."""

from refsched.mistakes.wrong import Wrong

_CACHE = "refsched.cache.cache"
_TREE = "refsched.cache.node_tree"
_SCHEDULER = "refsched.machine.scheduler"

WRONG = (
    Wrong(
        "a-node-made-anew-is-empty",
        "The usage of running pods is lost when their node is deleted and created again.",
        _CACHE,
        "            self._tree.add(node)\n",
        "            self._tree.add(node)\n"
        "            info = evolve(info, requested=NodeInfo(None).requested)\n",
        cites="kubernetes #93938",
        breaks=("R-CACHE-02",),
    ),
    Wrong(
        "deleted-pods-go-on-counting",
        "A deleted pod still counts on its node.",
        _CACHE,
        'is not found in scheduler cache, so cannot be removed from it"\n            )\n'
        '        applies("R-CACHE-01")\n        self._uncount(counted)\n',
        'is not found in scheduler cache, so cannot be removed from it"\n            )\n',
        cites="kubernetes #69926, #22398, #42063, #55587, #85726",
        breaks=("R-CACHE-01",),
    ),
    Wrong(
        "updates-do-not-count",
        "An update of a running pod does not change what counts on its node.",
        _CACHE,
        '            raise CacheError(f"assumed pod {pod.uid}({pod.key}) should not be updated")\n'
        '        applies("R-CACHE-01")\n        self._uncount(counted)\n        self._count(PodInfo(pod))\n',
        '            raise CacheError(f"assumed pod {pod.uid}({pod.key}) should not be updated")\n',
        cites="kubernetes #37232",
        breaks=("R-CACHE-01",),
    ),
    Wrong(
        "keeps-to-what-it-assumed",
        "A pod bound to another node than assumed still counts on the assumed node.",
        _CACHE,
        "            self._uncount(counted)\n        self._count(PodInfo(pod))\n",
        "            self._assumed.discard(pod.uid)\n            return\n        self._count(PodInfo(pod))\n",
        cites="kubernetes #46347",
        breaks=("R-CACHE-01",),
        shows_with="scripted",
    ),
    Wrong(
        "assumptions-expire",
        "An assumed pod that is still being bound after thirty seconds no longer counts.",
        _SCHEDULER,
        "        if self.leftover_flush_due <= now:\n",
        "        if self.leftover_flush_due <= now:\n"
        "            cache = self.state.cache\n"
        "            for uid in list(cache._assumed):\n"
        "                cache._uncount(cache._pods[uid])\n",
        cites="kubernetes #106361",
        breaks=("R-ASSUME-01", "R-CACHE-01"),
        shows_with="scripted",
    ),
    Wrong(
        "remembers-that-it-assumed",
        "A forgotten pod is still treated as assumed, and is skipped when it is popped.",
        _CACHE,
        "        self._uncount(pod)\n\n    def is_assumed",
        "        self._uncount(pod)\n        self._assumed.add(pod.uid)\n\n    def is_assumed",
        cites="kubernetes #101877",
        breaks=("R-ROLLBACK-02", "R-ROLLBACK-03"),
        shows_with="queue",
    ),
    Wrong(
        "nodes-keep-what-they-had",
        "An update of a node does not change its allocatable resources.",
        _CACHE,
        "evolve(info, node=node, allocatable=resource_of(node.status.allocatable))",
        "evolve(\n"
        "            info,\n"
        "            node=node,\n"
        "            allocatable=info.allocatable if info.node else resource_of(node.status.allocatable),\n"
        "        )",
        breaks=("R-CACHE-02",),
    ),
    Wrong(
        "zone-after-zone",
        "Nodes are listed zone after zone, not one of each zone in turn.",
        _TREE,
        "return [names[i] for i in range(longest) for names in self._zones.values() if i < len(names)]",
        "return [name for names in self._zones.values() for name in names[:longest]]",
        cites="kubernetes #91601",
        breaks=("R-CACHE-03",),
    ),
    Wrong(
        "empty-zones-keep-their-turn",
        "A zone whose last node was deleted keeps its place in the order of zones.",
        _TREE,
        "        if not self._zones[zone]:\n            del self._zones[zone]\n",
        "",
        cites="kubernetes #69597",
        breaks=("R-CACHE-03",),
    ),
    Wrong(
        "takes-deleted-nodes",
        "The list of nodes is rebuilt only when the number of nodes changes.",
        _CACHE,
        "        if self.came_or_went:\n",
        "        if len(self._searched) != sum(info.node is not None for info in self._nodes.values()):\n",
        breaks=("R-CACHE-03",),
    ),
)
