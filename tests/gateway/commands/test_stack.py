"""Several processes as one: started in order, ended together, and a failure said with its log."""

import asyncio
import os
import socket
from pathlib import Path

import pytest

from config.errors import ConfigError
from gateway.commands.stack import Stack, free_port, loadtest_stack, offline_stack, scripted_stack, worker_stack


def alive(pid: int) -> bool:
    return os.path.exists(f"/proc/{pid}")


async def test_a_process_serves_while_it_is_entered_and_is_gone_afterwards(tmp_path: Path) -> None:
    port = free_port()
    commands = {"web": ["http.server", "--bind", "127.0.0.1", str(port)]}
    async with Stack(commands, f"http://127.0.0.1:{port}", tmp_path / "logs", ready_path="/") as stack:
        pid = stack.pid("web")
        assert alive(pid)
    assert not alive(pid)
    assert (tmp_path / "logs" / "web.log").is_file()


async def test_a_process_that_ends_early_is_said_with_its_last_words_and_the_others_are_ended(tmp_path: Path) -> None:
    commands = {"good": ["http.server", "--bind", "127.0.0.1", str(free_port())], "bad": ["no_such_module_anywhere"]}
    stack = Stack(commands, f"http://127.0.0.1:{free_port()}", tmp_path)
    with pytest.raises(ConfigError, match="the bad process ended with 1: .*no_such_module_anywhere"):
        await stack.__aenter__()
    assert not alive(stack.pid("good"))


async def test_giving_up_while_it_starts_ends_what_was_started(tmp_path: Path) -> None:
    commands = {"web": ["http.server", "--bind", "127.0.0.1", str(free_port())]}
    stack = Stack(commands, f"http://127.0.0.1:{free_port()}", tmp_path)
    entering = asyncio.create_task(stack.__aenter__())
    await asyncio.sleep(0.5)
    pid = stack.pid("web")
    entering.cancel()
    await asyncio.wait({entering})
    assert not alive(pid)


def test_a_taken_port_is_said(tmp_path: Path) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        with pytest.raises(ConfigError, match="is taken"):
            offline_stack(tmp_path / "model.gguf", taken.getsockname()[1], tmp_path)
        with pytest.raises(ConfigError, match="is taken"):
            scripted_stack("indonesia", taken.getsockname()[1], tmp_path)


def test_each_stack_has_its_own_free_ports(tmp_path: Path) -> None:
    urls = {loadtest_stack(tmp_path).url, worker_stack(tmp_path).url, offline_stack(tmp_path / "m", 0, tmp_path).url}
    assert len(urls | {scripted_stack("indonesia", 0, tmp_path).url}) == 4
