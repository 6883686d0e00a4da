"""The WebSocket around a session: read, write and watch the time; no decisions about speech here."""

import asyncio
from contextlib import suppress

import structlog
from starlette.responses import JSONResponse
from starlette.websockets import WebSocket, WebSocketDisconnect

from media.tts_wire import ErrorCode
from tts_worker.outbox import Close
from tts_worker.session import CLOSE_IDLE, CLOSE_STALLED, CLOSE_TIME_UP, Session
from tts_worker.worker import Worker, WorkerLimits

log = structlog.get_logger(__name__)

# How exactly idle and session limits are kept; both are minutes.
_WATCH_S = 1.0


async def serve(websocket: WebSocket) -> None:
    """Serve one client until either side closes. Refusals are HTTP answers before the upgrade: 401 or 503."""
    worker: Worker = websocket.app.state.worker
    if not worker.is_authorised(websocket.headers.get("authorization", "")):
        log.warning("session_refused", status=401, reason="its token is not worker.token")
        body = {"error": "unauthorised", "message": "send the worker's token as Authorization: Bearer"}
        await websocket.send_denial_response(JSONResponse(body, 401))
        return
    if reason := worker.admits():
        log.info("session_refused", status=503, reason=reason)
        body = {"error": ErrorCode.BUSY.value, "message": reason}
        await websocket.send_denial_response(JSONResponse(body, 503, {"Retry-After": "1"}))
        return
    ready = asyncio.Event()
    session = worker.session(asyncio.get_running_loop().time, ready.set)
    worker.enter(session)
    try:
        await websocket.accept()
        await _pump(websocket, session, ready, worker.limits)
    finally:
        worker.leave(session)
        session.end()


async def _pump(websocket: WebSocket, session: Session, ready: asyncio.Event, limits: WorkerLimits) -> None:
    """Run the three loops until the first is over: the client left, or the close was sent."""
    loops = [
        asyncio.create_task(_read(websocket, session), name="tts-read"),
        asyncio.create_task(_write(websocket, session, ready, limits.stall_s), name="tts-write"),
        asyncio.create_task(_watch(session, limits), name="tts-watch"),
    ]
    try:
        await asyncio.wait(loops, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for task in loops:
            task.cancel()
        results = await asyncio.gather(*loops, return_exceptions=True)
    for result in results:
        if isinstance(result, Exception):
            raise result


async def _read(websocket: WebSocket, session: Session) -> None:
    while True:
        message = await websocket.receive()
        if message["type"] == "websocket.disconnect":
            return
        text = message.get("text")
        session.receive(message["bytes"] if text is None else text)


async def _write(websocket: WebSocket, session: Session, ready: asyncio.Event, stall_s: float) -> None:
    with suppress(WebSocketDisconnect):
        while True:
            frame = session.take()
            if frame is None:
                ready.clear()
                await ready.wait()
            elif isinstance(frame, Close):
                await websocket.close(frame.code, frame.reason)
                return
            else:
                try:
                    async with asyncio.timeout(stall_s):
                        await _send(websocket, frame.data)
                except TimeoutError:
                    # A close frame would wait behind what the client does not read: drop the socket.
                    log.warning("client_stalled", close_code=CLOSE_STALLED.code, stall_s=stall_s)
                    return


async def _send(websocket: WebSocket, data: str | bytes) -> None:
    if isinstance(data, str):
        await websocket.send_text(data)
    else:
        await websocket.send_bytes(data)
    # The server does not wait while its buffer has room. Without a turn of the loop between frames the loss of the
    # socket is not heard of until all of them are written into it, and other sessions wait as long.
    await asyncio.sleep(0)


async def _watch(session: Session, limits: WorkerLimits) -> None:
    clock_s = asyncio.get_running_loop().time
    ends_at_s = clock_s() + limits.session_s
    while True:
        await asyncio.sleep(min(_WATCH_S, limits.idle_s, limits.session_s))
        if clock_s() >= ends_at_s:
            session.finish(CLOSE_TIME_UP)
        elif session.idle_s >= limits.idle_s:
            session.finish(CLOSE_IDLE)
