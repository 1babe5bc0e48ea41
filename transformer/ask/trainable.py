"""A model whose every layer has a gradient: what asks for gradients, or changes weights, computes.

The float16 products that a translator reads its weights by have none.
"""

from dataclasses import replace
from weakref import WeakKeyDictionary

from ..model.half_linear import HalfLinear
from ..model.towers import Model, build_model
from ..model.unfilled import NothingDrawn, Outlined
from ..translator import Translator

_views: "WeakKeyDictionary[Translator, Translator]" = WeakKeyDictionary()


def copy_of(model: Model) -> Model:
    """A model with the same weights, float32 and its own, that drops nothing out."""
    with NothingDrawn():
        copy = build_model(model.config)
    copy.load_state_dict(model.state_dict())
    return copy.to(next(model.parameters()).device).eval()


def differentiable(translator: Translator) -> Translator:
    """A model with the same weights whose linear layers have a gradient."""
    model = translator.model
    if not any(isinstance(module, HalfLinear) for module in model.modules()):
        return translator
    if translator not in _views:
        with Outlined():
            view = build_model(model.config)
        shared = [*model.named_parameters(remove_duplicate=False), *model.named_buffers()]
        for name, tensor in shared:
            path, _, own = name.rpartition(".")
            setattr(view.get_submodule(path), own, tensor)
        _views[translator] = Translator(replace(translator.loaded, model=view.eval()))
    return _views[translator]
