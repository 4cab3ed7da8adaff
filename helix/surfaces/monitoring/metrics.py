"""What a Prometheus server can read of a daemon: requests, answers, the index, the vault. One registry per app."""

from __future__ import annotations

import math
from collections import Counter as Tally
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from prometheus_client import (
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    ProcessCollector,
    disable_created_metrics,
    generate_latest,
)
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from helix.memory.tokens import Payload

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"
disable_created_metrics()  # type: ignore[no-untyped-call,unused-ignore] # twice the series, for one time each
_SECONDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 10.0, 60.0)


class Metrics:
    def __init__(self, health: Callable[[], Payload], *, of_process: bool = True) -> None:
        """`of_process`: also of the process, which is told once however many workspaces it has."""
        self.registry = CollectorRegistry()
        self.requests = Counter(
            "helix_requests", "Requests answered", ("method", "route", "status"), registry=self.registry
        )
        self.seconds = Histogram(
            "helix_request_seconds", "Until the answer began", ("route",),
            buckets=_SECONDS, registry=self.registry,
        )  # fmt: skip
        self.in_flight = Gauge("helix_requests_in_flight", "Requests being worked on", registry=self.registry)
        self._answers = Counter(
            "helix_answers", "Answers of the memory service: writes by what came of them",
            ("verb", "status"), registry=self.registry,
        )  # fmt: skip
        self._served = Counter(
            "helix_tokens_served", "Tokens in the answers to reading", ("verb",), registry=self.registry
        )
        self._asked = Counter(
            "helix_tokens_asked", "Tokens that readers had room for", ("verb",), registry=self.registry
        )
        self.registry.register(_Daemon(health))
        if of_process:
            ProcessCollector(registry=self.registry)

    def hear(self, verb: str, answer: Mapping[str, Any], max_tokens: int | None) -> None:
        """Told by the memory service of each answer, whichever surface asked."""
        self._answers.labels(
            verb, str(answer.get("status", "answered")) if max_tokens is None else "answered"
        ).inc()
        if max_tokens is not None:
            self._asked.labels(verb).inc(max_tokens)
            self._served.labels(verb).inc(int(answer.get("tokens_used", 0)))

    def routes(self) -> list[Payload]:
        """For each route how often it was asked and how long answers took, as far as the buckets tell."""
        counts: dict[str, list[tuple[float, float]]] = {}
        for metric in self.seconds.collect():
            for sample in metric.samples:
                if sample.name.endswith("_bucket"):
                    counts.setdefault(sample.labels["route"], []).append(
                        (float(sample.labels["le"]), sample.value)
                    )
        failed: Tally[str] = Tally()
        for metric in self.requests.collect():
            for sample in metric.samples:
                if sample.name.endswith("_total") and sample.labels["status"] >= "400":
                    failed[sample.labels["route"]] += int(sample.value)
        return [
            {
                "route": route, "requests": int(buckets[-1][1]), "failed": failed[route],
                "p50_ms": _quantile(buckets, 0.5), "p95_ms": _quantile(buckets, 0.95),
            }
            for route, buckets in sorted(counts.items())
        ]  # fmt: skip

    def verbs(self) -> list[Payload]:
        """For each verb of the memory service its answers and, of the reading ones, tokens asked for and served."""
        found: dict[str, Payload] = {}
        for name, counter in (
            ("answers", self._answers),
            ("tokens_asked", self._asked),
            ("tokens_served", self._served),
        ):
            for metric in counter.collect():
                for sample in metric.samples:
                    if sample.name.endswith("_total"):
                        verb = sample.labels["verb"]
                        row = found.setdefault(
                            verb, {"verb": verb, "answers": 0, "tokens_asked": 0, "tokens_served": 0}
                        )
                        row[name] += int(sample.value)
        return [found[verb] for verb in sorted(found)]

    def render(self) -> bytes:
        return generate_latest(self.registry)


class AllMetrics(Collector):
    """Of several workspaces, each with its name on it; of the process once, with none."""

    def __init__(self, by_name: Mapping[str, Metrics]) -> None:
        self._by_name = by_name

    def collect(self) -> Iterable[Metric]:
        families: dict[str, Metric] = {}
        for workspace, metrics in self._by_name.items():
            for found in metrics.registry.collect():
                family = families.setdefault(found.name, Metric(found.name, found.documentation, found.type))
                more = {} if found.name.startswith("process_") else {"workspace": workspace}
                for sample in found.samples:
                    family.add_sample(sample.name, {**sample.labels, **more}, sample.value)
        return families.values()

    def describe(self) -> Iterable[Metric]:
        return []

    def render(self) -> bytes:
        registry = CollectorRegistry()
        registry.register(self)
        return generate_latest(registry)


def _quantile(buckets: Sequence[tuple[float, float]], share: float) -> float | None:
    """In milliseconds, taken to grow evenly within a bucket; the last bucket has no end, and says where it begins."""
    total = buckets[-1][1]
    if not total:
        return None
    below, count_below = 0.0, 0.0
    for end, count in buckets:
        if count >= share * total:
            if math.isinf(end):
                return round(1000 * below, 2)
            part = (share * total - count_below) / max(count - count_below, 1)
            return round(1000 * (below + part * (end - below)), 2)
        below, count_below = end, count
    return None


class _Daemon(Collector):
    """The figures that are looked up when they are asked for."""

    def __init__(self, health: Callable[[], Payload]) -> None:
        self._health = health

    def collect(self) -> Iterable[Metric]:
        health = self._health()
        memories = GaugeMetricFamily("helix_memories", "Memories in the vault", labels=["status"])
        for status, count in health["memories"].items():
            memories.add_metric([status], count)
        yield memories
        state = GaugeMetricFamily("helix_state", "1 for the state the daemon is in", labels=["state"])
        for name in ("starting", "ready", "degraded"):
            state.add_metric([name], float(health["state"] == name))
        yield state
        reasons = GaugeMetricFamily("helix_degraded", "1 for each reason to be degraded", labels=["reason"])
        for reason in health["reasons"]:
            reasons.add_metric([reason["code"]], 1)
        yield reasons
        yield from _figures(health)

    def describe(self) -> Iterable[Metric]:
        return []  # so that registering does not ask for the figures


def _figures(health: Payload) -> Iterable[Metric]:
    index: dict[str, Any] = health["index"] or {}
    upkeep: dict[str, Any] = health["consolidation"]
    for name, about, value in (
        ("helix_uptime_seconds", "Since the daemon started", health["uptime_seconds"]),
        ("helix_paths_waiting", "Changed files that are not taken in yet", health["waiting"]),
        ("helix_index_lag", "Memories that are not found by their meaning yet", index.get("index_lag", 0)),
        ("helix_index_memories", "Memories in the search index", index.get("memories", 0)),
        ("helix_conflicts", "Memories that stand in several files", health["conflicts"]),
        ("helix_problems", "Files that need a person", health["problems"]),
        ("helix_consolidation_paused", "1 while consolidation is paused", upkeep["state"] == "paused"),
        ("helix_consolidation_proposals", "What the last look would do", upkeep["proposals"] or 0),
    ):
        yield GaugeMetricFamily(name, about, value=float(value))
    for name, about, value in (
        (
            "helix_watcher_restarts",
            "How often the watcher had to be started again",
            health["watcher_restarts"],
        ),
        ("helix_embedding_cache_hits", "Chunks whose vector was known", index.get("cache_hits", 0)),
        ("helix_embedding_cache_misses", "Chunks that went through the model", index.get("cache_misses", 0)),
        ("helix_consolidation_runs", "Finished looks for doubles", upkeep["runs"]),
        ("helix_consolidation_applied", "Doubles that were superseded", upkeep["applied"]),
    ):
        yield CounterMetricFamily(name, about, value=float(value))
