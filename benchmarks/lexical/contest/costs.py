"""What builds take and indexes hold, ours beside the others'."""

from typing import Any


def build(seconds: dict[str, float], postings: int) -> dict[str, float]:
    """What ours takes beside others, printed."""
    searchable = seconds["ours: ingest, analysis included"]
    sealed = searchable + seconds["ours: seal"]
    found = {"seal_microseconds_a_posting": round(seconds["ours: seal"] / postings * 1e6, 3)}
    print(f"\nours: {searchable:.1f} s until it can be searched, {sealed:.1f} s until sealed; {postings:,} postings")
    others = {
        "COPY and to_tsvector": ["COPY and to_tsvector"],
        "COPY, to_tsvector and GIN": ["COPY and to_tsvector", "ts_rank_cd: GIN"],
        "pg_textsearch, COPY and index": ["pg_textsearch: COPY", "pg_textsearch: index"],
        "pg_search, COPY and index": ["pg_search: COPY", "pg_search: index"],
    }
    for name, parts in others.items():
        if parts[0] in seconds:
            took = sum(seconds[part] for part in parts)
            found[f"searchable_times {name}"] = round(searchable / took, 2)
            found[f"sealed_times {name}"] = round(sealed / took, 2)
            print(f"  {name}: {took:.1f} s; ours {searchable / took:.2f} times as long, sealed {sealed / took:.2f}")
    print(f"  sealing: {found['seal_microseconds_a_posting']:.2f} microseconds a posting")
    return found


def reading(builds: dict[str, float], searches: dict[str, Any], postings: int) -> None:
    """Sealing a posting beside reading it, as the scan of every row does; added to ``builds``."""
    scans = [of["ours, unsealed"] for sets in searches.values() for of in sets.values() if "ours, unsealed" in of]
    if scans:
        read = min(of["milliseconds"]["mean"] for of in scans) * 1000 / postings
        builds["scan_microseconds_a_posting"] = round(read, 4)
        builds["seal_times_scan_a_posting"] = round(builds["seal_microseconds_a_posting"] / read, 1)
        print(
            f"\nsealing a posting takes {builds['seal_times_scan_a_posting']} times as long as a scan takes to read it"
        )


def print_sizes(tables: dict[str, int], stored: dict[str, int]) -> None:
    """Bytes of ours by table with its indexes, and of the others' indexes."""
    print("\nMB with indexes: " + ", ".join(f"{name} {size / 1e6:.1f}" for name, size in tables.items()))
    for name, size in stored.items():
        print(f"{name:15}{size / 1e6:10.1f} MB   ours / it {stored['ours'] / size:6.2f}")
