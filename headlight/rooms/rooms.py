"""All rooms of a server: opened, found by their codes, forgotten after an hour."""

import asyncio
from collections.abc import Callable
from secrets import compare_digest
from time import monotonic

from .codes import Tries, new_code, read_code
from .problems import RoomError
from .room import Room
from .streams import Stream, make_room

ROOMS = 50

HOUR = 3600.0
"""Seconds after the last thing that happened."""


class Rooms:
    """The rooms that are open; but for `stop`, for the server's event loop alone.

    Args:
        most_streams: of all rooms together.
        clock: in seconds, from any beginning.
    """

    def __init__(
        self, most_streams: Callable[[], int], clock: Callable[[], float] = monotonic
    ) -> None:
        self._rooms: dict[str, Room] = {}
        self._most_streams = most_streams
        self._clock = clock
        self._tries = Tries(clock)
        self._loop: asyncio.AbstractEventLoop | None = None

    def __len__(self) -> int:
        self.forget()
        return len(self._rooms)

    @property
    def streams(self) -> list[Stream]:
        """Everybody's, in the order of their coming within a room."""
        every = (stream for room in self._rooms.values() for stream in room.all_streams())
        return [stream for stream in every if not stream.ended]

    def open(self, secret: str) -> Room:
        """The room of whoever knows this secret; there is one each.

        Raises:
            RoomError: there are too many.
        """
        self._loop = asyncio.get_running_loop()
        if room := self.of(secret):
            return room
        if len(self._rooms) >= ROOMS:
            raise RoomError("rooms_full", most=ROOMS)
        room = Room(new_code(self._rooms), secret, self._clock)
        self._rooms[room.code] = room
        return room

    def of(self, secret: str) -> Room | None:
        """The room whose teacher knows this secret."""
        self.forget()
        given = secret.encode()
        return next(
            (room for room in self._rooms.values() if compare_digest(given, room.secret.encode())),
            None,
        )

    def find(self, code: object, address: str, person: str) -> Room:
        """The room of a code.

        Raises:
            RoomError: there is none, or whoever tries has tried too many.
        """
        self.forget()
        room = self._rooms.get(read_code(code))
        if room and person in room.streams:
            return room  # whoever is in is not shut out by others who try
        if room and self._tries.may_try(address, person):
            return room
        raise RoomError("no_room" if not room and self._tries.note(address, person) else "codes")

    def begin(self, room: Room, stream: Stream) -> None:
        """Lets a stream into a room.

        Raises:
            RoomError: there are too many.
        """
        if stream.teacher or stream.person not in room.streams:
            make_room(self.streams, stream.address, self._most_streams())
        room.enter(stream)

    def close(self, room: Room, reason: str = "closed") -> None:
        """Ends a room."""
        room.end(reason)
        self._rooms.pop(room.code, None)

    def forget(self) -> None:
        """Ends every room in which nothing has happened for an hour."""
        for room in [*self._rooms.values()]:
            if self._clock() - room.since >= HOUR:
                self.close(room, "forgotten")

    def stop(self) -> None:
        """Ends all rooms, since the server stops; may be called from any thread."""
        if self._loop and not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._end_all)

    def _end_all(self) -> None:
        for room in [*self._rooms.values()]:
            self.close(room, "stopped")
