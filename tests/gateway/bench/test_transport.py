import json
from pathlib import Path

from gateway.bench.transport import CLIPS, bench_transport


async def test_base64_costs_a_third_more_bytes(tmp_path: Path) -> None:
    assert await bench_transport(("worker.engine=tone", "log.level=warning"), tmp_path) == 0

    transfers = json.loads((tmp_path / "transport.json").read_text("utf-8"))
    binary, base64 = (t["body_bytes"] for t in transfers if t["form"] == "pcm")
    assert 1.32 < base64 / binary < 1.36
    assert CLIPS == 24
