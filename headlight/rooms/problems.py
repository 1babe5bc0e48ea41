"""Why something of a class was refused: a code, which the page has a sentence for, and a status."""

STATUS = {
    "off": 404,
    "no_room": 404,
    "no_teacher": 403,
    "not_there": 409,
    "no_question": 409,
    "unread": 422,
    "long": 413,
    "room_holds": 413,
    "room_full": 503,
    "rooms_full": 503,
    "streams_full": 503,
    "codes": 429,
}


class RoomError(Exception):
    """A request that was refused.

    Args:
        code: one of `STATUS`.
        details: what the sentence names: a bound, say.
    """

    def __init__(self, code: str, **details: str | int) -> None:
        super().__init__(code)
        self.code, self.details = code, details

    @property
    def status(self) -> int:
        """The status code of HTTP."""
        return STATUS[self.code]

    @property
    def problem(self) -> dict[str, object]:
        """The error's code and details, as the viewer reads them."""
        return {"error": {"code": f"class.{self.code}", "details": self.details}}
