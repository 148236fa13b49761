#!/usr/bin/env python3
"""Plots the results of bench-grid.py: % of the read bandwidth of the device for each shape and competitor.

    plot.py FOLDER

Reads FOLDER/results.json and writes FOLDER/plot.svg and FOLDER/plot.png. Needs matplotlib.
"""

import json
import pathlib
import sys

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt

# Minimum run time in seconds of the reductions in the plot. The launch overhead dominates shorter
# run times.
LEAST_SECONDS = 30e-6
# Each entry contains the name of a competitor, its field in the results, its colour and its marker.
# The markers distinguish the competitors in prints without colours.
WHO = [
    ("CUB", "cub", "#e69f00", "s"),
    ("torch", "torch", "#d55e00", "v"),
    ("Inductor", "inductor", "#cc79a7", "^"),
    ("Triton", "triton", "#009e73", "D"),
    ("tx", "tx", "#0072b2", "o"),
]


def draw(folder):
    measured = json.loads((folder / "results.json").read_text())
    ceiling = max(measured["ceilings"])
    rows = [r for r in measured["results"] if r["tx"] >= LEAST_SECONDS]
    # The plot shows the groups from top to bottom. A line with the name of the group precedes each
    # group.
    places, labels, heads, at, group = [], [], [], 0, None
    for row in rows:
        if row["group"] != group:
            group, at = row["group"], at + 1
            heads.append((at, group))
            at += 1
        places.append(at)
        labels.append(row["name"].replace("?", ""))
        at += 1
    plt.rcParams.update({"font.size": 8, "svg.hashsalt": "tx", "svg.fonttype": "none"})
    figure, axes = plt.subplots(figsize=(8, 0.16 * at + 1))
    for place in places:
        axes.axhline(place, color="#eeeeee", linewidth=0.7, zorder=0)
    axes.axvline(1, color="#999999", linewidth=0.8, zorder=0)
    for name, field, color, marker in WHO:
        points = [(r["bytes"] / r[field] / ceiling, place) for r, place in zip(rows, places) if r.get(field)]
        # Some competitors have no kernel for the selected shapes.
        if not points:
            continue
        axes.scatter(*zip(*points), s=22 if field == "tx" else 12, color=color, marker=marker, label=name, linewidths=0)
    targets = [(r["target"], place) for r, place in zip(rows, places) if r.get("target")]
    if targets:
        axes.scatter(*zip(*targets), s=40, color="black", marker="|", linewidths=0.8, label="target")
    axes.set_yticks(places, labels)
    for place, name in heads:
        axes.text(-0.01, place, name, weight="bold", ha="right", va="center", transform=axes.get_yaxis_transform())
    axes.set_ylim(at, 0)
    axes.set_xlim(0, 1.05)
    axes.tick_params(axis="y", length=0)
    axes.set_xlabel(f"share of the ceiling, {ceiling / 1e9:.0f} GB/s")
    axes.legend(loc="lower center", bbox_to_anchor=(0.5, 1), ncols=6, frameon=False)
    for side in ("top", "right", "left"):
        axes.spines[side].set_visible(False)
    for ending in ("svg", "png"):
        metadata = {"Date": None} if ending == "svg" else {}
        figure.savefig(folder / f"plot.{ending}", bbox_inches="tight", dpi=150, metadata=metadata, facecolor="white")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    draw(pathlib.Path(sys.argv[1]))
