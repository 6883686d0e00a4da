import asyncio

from gateway.llm.readiness import CHECK_S, NOT_READY_KEPT_S, READY_KEPT_S, Readiness
from tests.rig.clock import run_leaping


class Check:
    def __init__(self, answer: bool, took_s: float = 0.0) -> None:
        self.answer, self.took_s, self.asked = answer, took_s, 0

    async def __call__(self) -> bool:
        self.asked += 1
        await asyncio.sleep(self.took_s)
        return self.answer


def test_a_good_answer_stands_for_its_time() -> None:
    async def main() -> None:
        check = Check(True)
        readiness = Readiness(check)
        assert await readiness.ask()
        check.answer = False
        await asyncio.sleep(READY_KEPT_S - 1)
        assert await readiness.ask()
        await asyncio.sleep(2)
        assert not await readiness.ask()

    run_leaping(main())


def test_a_bad_answer_is_looked_up_sooner() -> None:
    async def main() -> None:
        check = Check(False)
        readiness = Readiness(check)
        assert not await readiness.ask()
        check.answer = True
        await asyncio.sleep(NOT_READY_KEPT_S + 1)
        assert await readiness.ask()

    run_leaping(main())


def test_many_who_ask_at_once_share_one_check() -> None:
    async def main() -> None:
        check = Check(True, took_s=1.0)
        readiness = Readiness(check)
        assert all(await asyncio.gather(*(readiness.ask() for _ in range(10))))
        assert check.asked == 1

    run_leaping(main())


def test_a_check_that_hangs_means_no() -> None:
    async def main() -> None:
        assert not await Readiness(Check(True, took_s=2 * CHECK_S)).ask()

    run_leaping(main())
