"""Shadow memory: beside every number of a forward pass, the token that it belongs to.

Views share storage, so their labels are shared too, and writing into a view labels its base. That
is why labels lie beside storages rather than beside tensors.
"""

import torch
from torch import Tensor

CONST = -1  # belongs to no token: a parameter, a position, a mask
MIXED = -2  # several tokens have gone into one number
CELLS = 1 << 40  # from here on a label is a cell of a table of scores, not a token


def storage_key(tensor: Tensor) -> int:
    """The address of a tensor's storage, whatever its shape; a view shares its base's."""
    return tensor.untyped_storage().data_ptr()


def places(tensor: Tensor) -> Tensor:
    """Where each element of a tensor lies in its storage, in elements; the tensor's shape."""
    index = torch.tensor(tensor.storage_offset())
    for size, stride in zip(tensor.shape, tensor.stride(), strict=True):
        index = index[..., None] + torch.arange(size) * stride
    return index


class Shadow:
    """The labels of all storages that hold something of a token.

    What was read or written stays as it is: a later write puts new labels beside the storage.
    """

    def __init__(self) -> None:
        self._memory: dict[int, tuple[int, Tensor]] = {}

    def read(self, tensor: Tensor) -> Tensor | None:
        """The labels of a tensor, int64 in its shape; None where it holds no token."""
        entry = self._memory.get(storage_key(tensor)) if tensor.numel() else None
        if entry is None:
            return None
        itemsize, labels = entry
        if itemsize == tensor.element_size():
            start = labels.storage_offset() + tensor.storage_offset()
            own = labels.as_strided(tensor.shape, tensor.stride(), start)
        else:  # a complex view of pairs, or back
            own = labels[places(tensor) * tensor.element_size() // itemsize]
        return None if bool((own == CONST).all()) else own

    def write(self, tensor: Tensor, labels: Tensor | None) -> None:
        """Labels the elements of a tensor with the tokens that they belong to from now on.

        `labels` are int64, of a shape that expands to the tensor's; None takes them away.
        """
        key = storage_key(tensor)
        if tensor.numel() == 0 or (labels is None and key not in self._memory):
            return
        itemsize, count = tensor.element_size(), tensor.untyped_storage().nbytes()
        new = (torch.tensor(CONST) if labels is None else labels).expand(tensor.shape)
        if tensor.is_contiguous() and tensor.numel() * itemsize == count:
            self._memory[key] = itemsize, new.reshape(-1).contiguous()
            return
        unit, memory = self._memory.get(key, (itemsize, torch.tensor([CONST])))
        memory = memory.expand(max(count // unit, 1)).clone()
        if unit == itemsize:
            memory.as_strided(tensor.shape, tensor.stride(), tensor.storage_offset()).copy_(new)
        else:
            memory[places(tensor) * itemsize // unit] = new
        self._memory[key] = unit, memory


def along(labels: Tensor, dim: int) -> Tensor:
    """The one label along an axis, in a shape without it; MIXED where there are several."""
    lowest = torch.where(labels == CONST, CELLS * 2, labels).amin(dim)
    highest = labels.amax(dim)
    return torch.where(highest == CONST, CONST, torch.where(lowest == highest, highest, MIXED))
