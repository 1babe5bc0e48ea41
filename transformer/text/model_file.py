"""A SentencePiece model as bytes: a Protocol Buffers message, of which one field is taken out.

Source: sentencepiece_model.proto, and https://protobuf.dev/programming-guides/encoding/.
"""

from collections.abc import Iterator

NORMALIZER, RULES_FILE = 3, 6
"""ModelProto.normalizer_spec, and in it normalization_rule_tsv."""


def without_rules_path(model: bytes) -> bytes:
    """A trained model without the path of the file that its rules of normalisation were read from.

    The rules themselves stay, compiled; the path is of the machine that trained it, and another in
    each training.

    Raises:
        ValueError: the bytes are no such message.
    """
    message = bytearray()
    for number, field, content in _fields(model):
        if number == NORMALIZER and content is not None:
            own = b"".join(raw for inner, raw, _ in _fields(content) if inner != RULES_FILE)
            field = _varint(NORMALIZER << 3 | 2) + _varint(len(own)) + own
        message += field
    return bytes(message)


def _fields(message: bytes) -> Iterator[tuple[int, bytes, bytes | None]]:
    """Each field's number, all of its bytes, and its content if it is one of many bytes."""
    at = 0
    while at < len(message):
        start = at
        tag, at = _read_varint(message, at)
        content = None
        match tag & 7:
            case 0:
                _, at = _read_varint(message, at)
            case 1:
                at += 8
            case 2:
                length, at = _read_varint(message, at)
                content, at = message[at : at + length], at + length
            case 5:
                at += 4
            case kind:
                raise ValueError(f"a field of type {kind}")
        if at > len(message):
            raise ValueError("the message ends within a field")
        yield tag >> 3, message[start:at], content


def _read_varint(message: bytes, at: int) -> tuple[int, int]:
    value = shift = 0
    while at < len(message) and shift < 64:
        byte = message[at]
        value |= (byte & 127) << shift
        at, shift = at + 1, shift + 7
        if byte < 128:
            return value, at
    raise ValueError("a number has no end")


def _varint(value: int) -> bytes:
    written = bytearray()
    while value > 127:
        written.append(value & 127 | 128)
        value >>= 7
    return bytes([*written, value])
