"""What programs are told of a trace."""

import json
from dataclasses import replace

import pytest

from transformer import Translator
from transformer.serving import tools
from transformer.trace.representative import representative_heads


@pytest.mark.filterwarnings("error")
def test_where_no_row_has_a_choice_there_is_no_number(translator: Translator) -> None:
    trace = translator.trace("I love you.", max_steps=1)
    trace = replace(trace, heads=representative_heads(trace))
    heads = tools.top_heads(trace, "decoder_self", 2)
    assert [(head["confidence"], head["by_chance"]) for head in heads] == [(None, None)] * 2
    assert json.dumps(tools.trace_summary(trace), allow_nan=False)
